package ask

import (
	"fmt"
	"slices"
)

// Normalize checks a payload and turns it into the form that a person is shown:
// texts trimmed, labels and types filled in, blank optional texts dropped. The
// payload is not changed.
//
// The error is an [*InvalidInput] with every issue of the payload.
func Normalize(p Payload) (Form, error) {
	if issues := check(p, nil); len(issues) > 0 {
		return Form{}, &InvalidInput{Title: TrimSpace(p.Title), Issues: issues}
	}
	f := Form{Title: TrimSpace(p.Title), Questions: make([]Question, len(p.Questions))}
	for i, q := range p.Questions {
		f.Questions[i] = normalQuestion(q, i+1)
	}
	return f, nil
}

func normalQuestion(q Question, n int) Question {
	out := Question{
		ID:       TrimSpace(q.ID),
		Label:    TrimSpace(q.Label),
		Prompt:   TrimSpace(q.Prompt),
		Type:     q.Type,
		Required: q.Required,
		Options:  make([]Option, len(q.Options)),
	}
	out.AuthorLabel = out.Label != ""
	if !out.AuthorLabel {
		out.Label = fmt.Sprintf("Q%d", n)
	}
	if out.Type == "" {
		out.Type = Single
	}
	for j, o := range q.Options {
		out.Options[j] = normalOption(o)
	}
	return out
}

func normalOption(o Option) Option {
	out := Option{
		Value:       TrimSpace(o.Value),
		Label:       TrimSpace(o.Label),
		Description: TrimSpace(o.Description),
		Preview:     trimPreview(o.Preview),
		PreviewFile: TrimSpace(o.PreviewFile),
	}
	if o.Recommended != nil {
		recommended := *o.Recommended
		out.Recommended = &recommended
	}
	return out
}

// PresentSinglesAsMulti returns a copy of the form in which every requested
// single-choice question is presented as multi-choice.
func (f Form) PresentSinglesAsMulti() Form {
	f.Questions = slices.Clone(f.Questions)
	for i := range f.Questions {
		if f.Questions[i].Type == Single {
			f.Questions[i].PresentedType = Multi
		}
	}
	return f
}
