package ask

import (
	"fmt"
	"slices"
	"strconv"
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

// place is a spot of a payload: a question, one of its options (option >= 0),
// or the payload itself (question < 0).
type place struct{ question, option int }

// path names a field of the place, or the place itself if field is "".
func (p place) path(field string) string {
	if p.question < 0 {
		return field
	}
	path := "questions[" + strconv.Itoa(p.question) + "]"
	if p.option >= 0 {
		path += ".options[" + strconv.Itoa(p.option) + "]"
	}
	if field != "" {
		path += "." + field
	}
	return path
}

// String names the place in messages.
func (p place) String() string {
	if p.option < 0 {
		return fmt.Sprintf("question %d", p.question+1)
	}
	return fmt.Sprintf("question %d, option %d", p.question+1, p.option+1)
}

// checker walks a payload and collects every issue in the order of the
// specification: a question's own fields first, then its options. Paths are
// only built where something is wrong.
type checker struct {
	faults faults
	broken map[string]bool // paths of the current question that break their tag
	issues []Issue
}

func (c *checker) add(at place, field, format string, args ...any) {
	c.issues = append(c.issues, Issue{at.path(field), at.String() + " " + fmt.Sprintf(format, args...)})
}

// fault reports whether a value has the wrong JSON type, and adds it.
func (c *checker) fault(at place, field string) bool {
	if len(c.faults) == 0 {
		return false
	}
	path := at.path(field)
	message, found := c.faults[path]
	if found {
		c.issues = append(c.issues, Issue{path, message})
	}
	return found
}

// breaks reports whether a field breaks its tag.
func (c *checker) breaks(at place, field string) bool {
	return len(c.broken) > 0 && c.broken[at.path(field)]
}

// check returns the issues of a payload. Which fields are blank, missing or
// out of range is the validator's finding; uniqueness, previews and the order
// of the report are decided here.
func check(p Payload, wrong faults) []Issue {
	c := &checker{faults: wrong}
	top := place{-1, -1}
	c.fault(top, "title")
	c.fault(top, "background")
	if c.fault(top, "questions") {
		return c.issues
	}
	if len(p.Questions) == 0 {
		return append(c.issues, Issue{"questions", "ask at least one question"})
	}
	ids := make(map[string]bool, len(p.Questions))
	for i := range p.Questions {
		if at := (place{i, -1}); !c.fault(at, "") {
			c.question(&p.Questions[i], at, ids)
		}
	}
	return c.issues
}

func (c *checker) question(q *Question, at place, ids map[string]bool) {
	c.broken = brokenTags(q, at)
	if !c.fault(at, "type") && c.breaks(at, "type") {
		c.add(at, "type", `has the unknown type "%s"; use single, multi or preview`, shorten(TrimSpace(string(q.Type))))
	}
	c.key(at, "id", q.ID, ids)
	c.fault(at, "label")
	if !c.fault(at, "prompt") && c.breaks(at, "prompt") {
		c.add(at, "prompt", "has no prompt")
	}
	c.fault(at, "required")
	if !c.fault(at, "options") && c.breaks(at, "options") {
		c.add(at, "options", "has no options")
	}
	values := make(map[string]bool, len(q.Options))
	for j := range q.Options {
		if at := (place{at.question, j}); !c.fault(at, "") {
			c.option(&q.Options[j], at, q.Type == Preview, values)
		}
	}
}

func (c *checker) option(o *Option, at place, needsPreview bool, values map[string]bool) {
	c.key(at, "value", o.Value, values)
	if !c.fault(at, "label") && c.breaks(at, "label") {
		c.add(at, "label", "has no label")
	}
	c.fault(at, "description")
	wrongPreview, wrongFile := c.fault(at, "preview"), c.fault(at, "previewFile")
	switch noPreview, noFile := IsBlank(o.Preview), IsBlank(o.PreviewFile); {
	case wrongPreview || wrongFile:
	case !noPreview && !noFile:
		c.add(at, "previewFile", "has both preview and previewFile; keep one")
	case needsPreview && noPreview && noFile:
		c.add(at, "preview", `has no preview text; add preview text or switch to type: "single"`)
	}
	c.fault(at, "recommended")
}

// key checks an id or value: it is there, and nobody had it before.
func (c *checker) key(at place, field, text string, taken map[string]bool) {
	text = TrimSpace(text)
	switch {
	case c.fault(at, field):
	case c.breaks(at, field):
		c.add(at, field, "has no %s", field)
	case taken[text]:
		c.add(at, field, `repeats the %s "%s"`, field, shorten(text))
	default:
		taken[text] = true
	}
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
