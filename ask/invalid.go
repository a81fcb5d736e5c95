package ask

import (
	"fmt"
	"slices"
	"strings"
)

// InvalidInput is the error of a payload that is JSON but cannot become a form.
// Issues is never empty and in the order of the payload.
type InvalidInput struct {
	Title  string // the payload's title, trimmed
	Issues []Issue
}

// Error gives the same text that the agent gets.
func (e *InvalidInput) Error() string { return e.Result().AgentText() }

// Result is the contract's answer to such a payload: cancelled, without
// questions, and with the issues.
func (e *InvalidInput) Result() Result {
	return Result{
		Title:     e.Title,
		Cancelled: true,
		Error:     &ResultError{Kind: invalidInputKind, Issues: slices.Clone(e.Issues)},
		Mode:      Submit,
		Questions: []ResultQuestion{},
		Answers:   map[string]Answer{},
	}
}

const invalidInputKind = "invalid_input"

// faults are values of a wrong JSON type, found while decoding: path to
// message. The check of the meaning reports them in place of its own rules.
type faults map[string]string

// checker walks a payload and collects every issue in the order of the
// specification: a question's own fields first, then its options.
type checker struct {
	faults faults
	issues []Issue
}

func (c *checker) add(path, format string, args ...any) {
	c.issues = append(c.issues, Issue{path, fmt.Sprintf(format, args...)})
}

// fault reports whether the value at path has the wrong type, and adds it.
func (c *checker) fault(path string) bool {
	message, found := c.faults[path]
	if found {
		c.add(path, "%s", message)
	}
	return found
}

// check returns the issues of a payload. Which fields are blank, missing or
// out of range is the validator's finding; uniqueness, previews and the order
// of the report are decided here.
func check(p Payload, wrong faults) []Issue {
	c := &checker{faults: wrong}
	c.fault("title")
	c.fault("background")
	if c.fault("questions") {
		return c.issues
	}
	if len(p.Questions) == 0 {
		c.add("questions", "ask at least one question")
		return c.issues
	}
	ids := make(map[string]bool, len(p.Questions))
	for i := range p.Questions {
		path := fmt.Sprintf("questions[%d]", i)
		if !c.fault(path) {
			c.question(&p.Questions[i], path, i+1, ids)
		}
	}
	return c.issues
}

func (c *checker) question(q *Question, path string, n int, ids map[string]bool) {
	bad := shapeOf(q)
	id := TrimSpace(q.ID)
	if !c.fault(path+".type") && bad["type"] {
		c.add(path+".type", `question %d has the unknown type "%s"; use single, multi or preview`, n, shorten(TrimSpace(string(q.Type))))
	}
	switch {
	case c.fault(path + ".id"):
	case bad["id"]:
		c.add(path+".id", "question %d has no id", n)
	case ids[id]:
		c.add(path+".id", `question %d repeats the id "%s"`, n, shorten(id))
	default:
		ids[id] = true
	}
	c.fault(path + ".label")
	if !c.fault(path+".prompt") && bad["prompt"] {
		c.add(path+".prompt", "question %d has no prompt", n)
	}
	c.fault(path + ".required")
	if !c.fault(path+".options") && bad["options"] {
		c.add(path+".options", "question %d has no options", n)
	}
	values := make(map[string]bool, len(q.Options))
	for j := range q.Options {
		at := fmt.Sprintf("%s.options[%d]", path, j)
		if c.fault(at) {
			continue
		}
		field := fmt.Sprintf("options[%d].", j)
		o := optionCheck{path: at, place: fmt.Sprintf("question %d, option %d", n, j+1),
			noValue: bad[field+"value"], noLabel: bad[field+"label"], needsPreview: q.Type == Preview}
		c.option(&q.Options[j], o, values)
	}
}

// optionCheck says where an option stands and what is known about it.
type optionCheck struct {
	path, place                    string
	noValue, noLabel, needsPreview bool
}

func (c *checker) option(o *Option, at optionCheck, values map[string]bool) {
	value := TrimSpace(o.Value)
	switch {
	case c.fault(at.path + ".value"):
	case at.noValue:
		c.add(at.path+".value", "%s has no value", at.place)
	case values[value]:
		c.add(at.path+".value", `%s repeats the value "%s"`, at.place, shorten(value))
	default:
		values[value] = true
	}
	if !c.fault(at.path+".label") && at.noLabel {
		c.add(at.path+".label", "%s has no label", at.place)
	}
	c.fault(at.path + ".description")
	wrongPreview, wrongFile := c.fault(at.path+".preview"), c.fault(at.path+".previewFile")
	switch noPreview, noFile := IsBlank(o.Preview), IsBlank(o.PreviewFile); {
	case wrongPreview || wrongFile:
	case !noPreview && !noFile:
		c.add(at.path+".previewFile", "%s has both preview and previewFile; keep one", at.place)
	case at.needsPreview && noPreview && noFile:
		c.add(at.path+".preview", `%s has no preview text; add preview text or switch to type: "single"`, at.place)
	}
	c.fault(at.path + ".recommended")
}

// issueLines is the list of issues as the agent reads it.
func issueLines(issues []Issue) string {
	var b strings.Builder
	b.WriteString("Invalid ask_user payload:")
	for _, i := range issues {
		b.WriteString("\n- " + i.Path + ": " + i.Message)
	}
	return b.String()
}
