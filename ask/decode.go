package ask

import (
	"encoding/json"
	"fmt"
)

// Decode reads the raw arguments of an ask_user call. Names are matched
// exactly, unknown ones are ignored, null counts as absent for optional fields.
//
// The error wraps [ErrNotJSON] and says where, when raw is not JSON. When
// values have the wrong type it is an [*InvalidInput] with every issue of the
// payload, those of [Normalize] included. A payload that merely lacks ids,
// prompts, options, values or labels is decoded with empty ones, for Normalize
// to report.
func Decode(raw json.RawMessage) (Payload, error) {
	p, wrong, err := decode(raw)
	if err != nil {
		return Payload{}, err
	}
	if len(wrong) > 0 {
		return Payload{}, &InvalidInput{Title: TrimSpace(p.Title), Issues: check(p, wrong)}
	}
	return p, nil
}

func decode(raw []byte) (Payload, faults, error) {
	if err := checkJSON(raw); err != nil {
		return Payload{}, nil, err
	}
	d := decoder{document: document(raw), wrong: faults{}}
	return d.payload(d.root()), d.wrong, nil
}

// decoder reads a payload and notes the values of a wrong type.
type decoder struct {
	document
	wrong faults
	read  int // questions and options so far
}

// maxParts keeps a hostile payload from filling the memory: 100 MB of tiny
// questions would become many GB of issues. No form comes near it.
const maxParts = 100_000

// full counts one more question or option, and notes a list that goes too far.
func (d *decoder) full(at place, field string) bool {
	if d.read++; d.read > maxParts {
		d.wrong[at.path(field)] = fmt.Sprintf("expected at most %d questions and options in all", maxParts)
		return true
	}
	return false
}

func (d *decoder) note(at place, field string, s span, want string) {
	d.wrong[at.path(field)] = fmt.Sprintf("expected %s, found %s", want, d.kind(s))
}

func (d *decoder) payload(s span) Payload {
	var p Payload
	top := place{-1, -1}
	if !d.isObject(s) {
		d.note(top, "questions", s, `an object such as {"questions": [`+questionShape+`]}`)
		return p
	}
	for _, m := range d.members(s, "title", "background", "questions") {
		switch m.key {
		case "title":
			p.Title = d.string(m.data, top, m.key, optional)
		case "background":
			p.Background = d.bool(m.data, top, m.key)
		case "questions":
			p.Questions = d.questions(m.data, top)
		}
	}
	return p
}

// What a whole question and option look like, for messages.
const (
	optionShape   = `{"value": "a", "label": "A"}`
	questionShape = `{"id": "a", "prompt": "…?", "options": [` + optionShape + `]}`
)

func (d *decoder) questions(s span, top place) []Question {
	switch {
	case d.isNull(s):
		return nil
	case d.isString(s):
		d.note(top, "questions", s, "a list of questions, not the list as JSON text inside a string: remove the quotes around it")
		return nil
	case !d.isList(s):
		d.note(top, "questions", s, "a list of questions such as ["+questionShape+"]")
		return nil
	}
	var list []Question
	for i, e := range d.elements(s) {
		if d.full(top, "questions") {
			return nil
		}
		list = append(list, d.question(e, place{i, -1}))
	}
	return list
}

func (d *decoder) question(s span, at place) Question {
	var q Question
	if !d.isObject(s) {
		d.note(at, "", s, "a question such as "+questionShape)
		return q
	}
	for _, m := range d.members(s, "id", "label", "prompt", "type", "required", "options") {
		switch m.key {
		case "id":
			q.ID = d.string(m.data, at, m.key, needed)
		case "label":
			q.Label = d.string(m.data, at, m.key, optional)
		case "prompt":
			q.Prompt = d.string(m.data, at, m.key, needed)
		case "type":
			q.Type = d.typ(m.data, at, m.key)
		case "required":
			q.Required = d.bool(m.data, at, m.key)
		case "options":
			q.Options = d.options(m.data, at)
		}
	}
	return q
}

func (d *decoder) options(s span, at place) []Option {
	if !d.isList(s) {
		d.note(at, "options", s, "a list of options such as ["+optionShape+"]")
		return nil
	}
	var list []Option
	for j, e := range d.elements(s) {
		if d.full(at, "options") {
			return nil
		}
		list = append(list, d.option(e, place{at.question, j}))
	}
	return list
}

func (d *decoder) option(s span, at place) Option {
	var o Option
	if !d.isObject(s) {
		d.note(at, "", s, "an option such as "+optionShape)
		return o
	}
	for _, m := range d.members(s, "value", "label", "description", "preview", "previewFile", "recommended") {
		switch m.key {
		case "value":
			o.Value = d.string(m.data, at, m.key, needed)
		case "label":
			o.Label = d.string(m.data, at, m.key, needed)
		case "description":
			o.Description = d.string(m.data, at, m.key, optional)
		case "preview":
			o.Preview = d.string(m.data, at, m.key, optional)
		case "previewFile":
			o.PreviewFile = d.string(m.data, at, m.key, optional)
		case "recommended":
			if !d.isNull(m.data) {
				recommended := d.bool(m.data, at, m.key)
				o.Recommended = &recommended
			}
		}
	}
	return o
}

// Whether null may stand for a string.
const (
	needed   = false
	optional = true
)

func (d *decoder) string(s span, at place, field string, nullable bool) string {
	switch {
	case d.isString(s):
		return d.unquote(s)
	case !nullable || !d.isNull(s):
		d.note(at, field, s, "a string")
	}
	return ""
}

// typ passes unknown words on: which words are types is not a matter of shape.
func (d *decoder) typ(s span, at place, field string) Type {
	const want = `the string "single", "multi" or "preview"`
	switch {
	case d.isNull(s):
		return ""
	case !d.isString(s):
		d.note(at, field, s, want)
		return ""
	}
	t := d.unquote(s)
	if t == "" {
		d.wrong[at.path(field)] = "expected " + want + ", found an empty string"
	}
	return Type(t)
}

func (d *decoder) bool(s span, at place, field string) bool {
	switch d.document[s.from] {
	case 't':
		return true
	case 'f', 'n':
		return false
	}
	d.note(at, field, s, "true or false")
	return false
}
