package ask

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// PresentedQuestion is a question as other extensions are told about it: Type
// is the type it is presented as, options carry no file paths.
type PresentedQuestion struct {
	ID            string   `json:"id"`
	Label         string   `json:"label"`
	Prompt        string   `json:"prompt"`
	Type          Type     `json:"type"`
	RequestedType Type     `json:"requestedType,omitempty"` // only if it differs
	PresentedType Type     `json:"presentedType,omitempty"` // only if it differs
	Required      bool     `json:"required"`
	Options       []Option `json:"options"`
}

// Presented lists the questions for the event that a form has opened. It shares
// nothing with the form.
func (f Form) Presented() []PresentedQuestion {
	out := make([]PresentedQuestion, len(f.Questions))
	for i, q := range f.Questions {
		out[i] = PresentedQuestion{ID: q.ID, Label: q.Label, Prompt: q.Prompt, Type: q.Shown(),
			Required: q.Required, Options: publicOptions(q.Options)}
		if q.Shown() != q.Type {
			out[i].RequestedType, out[i].PresentedType = q.Type, q.Shown()
		}
	}
	return out
}

// SubmitCode says in which way a submit event was wrong.
type SubmitCode string

// The codes of refused submit events.
const (
	CodeFlowNotFound   SubmitCode = "flow_not_found"
	CodeInvalidRequest SubmitCode = "invalid_request"
	CodeInvalidAnswer  SubmitCode = "invalid_answer"
)

// SubmitError is the reason why a submit event was refused.
type SubmitError struct {
	Code    SubmitCode
	Message string
}

func (e *SubmitError) Error() string { return string(e.Code) + ": " + e.Message }

// FlowNotFound is the refusal of an event for a form that is not open.
func FlowNotFound() *SubmitError { return &SubmitError{CodeFlowNotFound, "No such form is open."} }

// Submission is an event by which another extension answers or cancels a form.
type Submission struct {
	RequestID string // the sender's own key
	FlowID    string // the form it is meant for
	Cancel    bool

	event    document
	response []member
}

// SubmitReply is the event that answers a submission.
type SubmitReply struct {
	Version   int        `json:"version"` // always 1
	RequestID string     `json:"requestId"`
	FlowID    string     `json:"flowId"`
	OK        bool       `json:"ok"`
	Error     SubmitCode `json:"error,omitempty"`
	Message   string     `json:"message,omitempty"`
}

// Reply is the answer to the submission: accepted if err is nil.
func (s Submission) Reply(err error) SubmitReply {
	r := SubmitReply{Version: 1, RequestID: s.RequestID, FlowID: s.FlowID, OK: err == nil}
	var refused *SubmitError
	switch {
	case errors.As(err, &refused):
		r.Error, r.Message = refused.Code, refused.Message
	case err != nil:
		r.Error, r.Message = CodeInvalidRequest, err.Error()
	}
	return r
}

// ParseSubmit reads a submit event as far as that is possible without the form:
// the caller then looks for the form with the submission's FlowID, refuses with
// [FlowNotFound] if it is not open, and calls [Submission.Apply]. The event is
// kept, not copied. An error is a [*SubmitError]; the ids that could be read are
// in the submission even then, for [Submission.Reply].
func ParseSubmit(event json.RawMessage) (Submission, error) {
	refuse := func(s Submission, message string) (Submission, error) {
		return s, &SubmitError{CodeInvalidRequest, message}
	}
	d := document(event)
	s := Submission{event: d}
	if !json.Valid(event) || !d.isObject(d.root()) {
		return refuse(s, "The event is not an object.")
	}
	fields := d.members(d.root())
	s.RequestID, s.FlowID = d.stringField(fields, "requestId"), d.stringField(fields, "flowId")
	version, _ := find(fields, "version")
	response, hasResponse := find(fields, "response")
	if hasResponse = hasResponse && d.isObject(response); hasResponse {
		s.response = d.members(response)
	}
	kind := d.stringField(s.response, "kind")
	s.Cancel = kind == "cancel"
	switch {
	case !isOne(version.of(d)):
		return refuse(s, "Unsupported version; use 1.")
	case s.RequestID == "":
		return refuse(s, "requestId is missing.")
	case s.FlowID == "":
		return refuse(s, "flowId is missing.")
	case !hasResponse:
		return refuse(s, "response is not an object.")
	case kind != "answer" && kind != "cancel":
		return refuse(s, `response.kind is neither "answer" nor "cancel".`)
	}
	return s, nil
}

// isOne reports whether a raw value is the number 1, however it is written.
func isOne(raw []byte) bool {
	f, err := strconv.ParseFloat(string(raw), 64)
	return err == nil && f == 1
}

// stringField returns a string of an object, "" if it is missing or no string.
func (d document) stringField(fields []member, name string) string {
	if s, ok := find(fields, name); ok && d.isString(s) {
		return d.unquote(s)
	}
	return ""
}

// Apply checks the answers against the form as it is presented now and puts
// them in place of everything entered so far. It returns how the form ends.
// After an error, always a [*SubmitError], the drafts are unchanged.
func (s Submission) Apply(d *Drafts) (Ending, error) {
	if s.Cancel {
		return Cancelled, nil
	}
	answers, ok := find(s.response, "answers")
	if !ok || !s.event.isObject(answers) {
		return 0, invalidAnswer("answers is not an object.")
	}
	ending := Submitted
	if _, given := find(s.response, "mode"); given {
		switch Mode(s.event.stringField(s.response, "mode")) {
		case Submit:
		case Elaborate:
			ending = Elaborated
		default:
			return 0, invalidAnswer(`mode is neither "submit" nor "elaborate".`)
		}
	}
	next := NewDrafts(d.form)
	for _, m := range s.event.members(answers) {
		q := slices.IndexFunc(d.form.Questions, func(q Question) bool { return q.ID == m.key })
		if q < 0 {
			return 0, invalidAnswer("No question %s in this form.", quote(shorten(m.key)))
		}
		a := remoteAnswer{document: s.event, question: &d.form.Questions[q]}
		if err := a.read(m.data); err != nil {
			return 0, err
		}
		next.edit(q, a.fill)
	}
	d.drafts = next.drafts
	return ending, nil
}

func invalidAnswer(format string, args ...any) *SubmitError {
	return &SubmitError{CodeInvalidAnswer, fmt.Sprintf(format, args...)}
}

// remoteAnswer is one entry of a submission's answers.
type remoteAnswer struct {
	document
	question   *Question
	values     []string
	customText string
	note       string
	notes      []OptionNote
}

func (a *remoteAnswer) refuse(what string) *SubmitError {
	return invalidAnswer("%s: %s", quote(shorten(a.question.ID)), what)
}

// read checks an entry in the order of the contract.
func (a *remoteAnswer) read(s span) error {
	if !a.isObject(s) {
		return a.refuse("the answer is not an object.")
	}
	fields := a.members(s)
	if err := a.readValues(fields); err != nil {
		return err
	}
	var ok bool
	if a.customText, ok = a.optionalString(fields, "customText"); !ok {
		return a.refuse("customText is not a string.")
	}
	if a.question.Shown() != Multi && !IsBlank(a.customText) && len(a.values) > 0 {
		return a.refuse("give a value or customText, not both.")
	}
	if a.note, ok = a.optionalString(fields, "note"); !ok {
		return a.refuse("note is not a string.")
	}
	if err := a.readOptionNotes(fields); err != nil {
		return err
	}
	for _, v := range a.values {
		if a.position(v) < 0 {
			return a.refuse("no option " + quote(shorten(v)) + ".")
		}
	}
	for _, n := range a.notes {
		if !IsBlank(n.Text) && a.position(n.Value) < 0 {
			return a.refuse("note for an unknown option " + quote(shorten(n.Value)) + ".")
		}
	}
	return nil
}

func (a *remoteAnswer) readValues(fields []member) error {
	values, ok := find(fields, "values")
	if ok && !a.isList(values) {
		return a.refuse("values is not a list of strings.")
	}
	seen := make(map[string]bool)
	repeated := false
	if ok {
		for _, e := range a.elements(values) {
			if !a.isString(e) {
				return a.refuse("values is not a list of strings.")
			}
			v := a.unquote(e)
			repeated = repeated || seen[v]
			seen[v] = true
			a.values = append(a.values, v)
		}
	}
	switch {
	case repeated:
		return a.refuse("a value is repeated.")
	case len(a.values) > 1 && a.question.Shown() != Multi:
		return a.refuse("only one value is allowed.")
	}
	return nil
}

func (a *remoteAnswer) readOptionNotes(fields []member) error {
	notes, ok := find(fields, "optionNotes")
	if !ok {
		return nil
	}
	if !a.isObject(notes) {
		return a.refuse("optionNotes is not a map of strings.")
	}
	for _, m := range a.members(notes) {
		if !a.isString(m.data) {
			return a.refuse("optionNotes is not a map of strings.")
		}
		a.notes = append(a.notes, OptionNote{Value: m.key, Text: a.unquote(m.data)})
	}
	return nil
}

func (a *remoteAnswer) optionalString(fields []member, name string) (text string, ok bool) {
	s, present := find(fields, name)
	if !present {
		return "", true
	}
	return a.stringField(fields, name), a.isString(s)
}

func (a *remoteAnswer) position(value string) int {
	return slices.IndexFunc(a.question.Options, func(o Option) bool { return o.Value == value })
}

// fill enters the answer into an empty draft.
func (a *remoteAnswer) fill(at *Draft) {
	for i, o := range a.question.Options {
		if slices.Contains(a.values, o.Value) {
			at.Selected = append(at.Selected, Selection{Value: o.Value, Label: o.Label, Index: i + 1})
		}
	}
	at.CustomText = notBlank(a.customText)
	at.CustomSelected = at.CustomText != ""
	at.Note = notBlank(a.note)
	for _, n := range a.notes {
		if !IsBlank(n.Text) {
			at.OptionNotes = append(at.OptionNotes, n)
		}
	}
}
