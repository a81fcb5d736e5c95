package ask

import "slices"

// Ending is a way in which a person ends a form.
type Ending int

// The endings of a form.
const (
	Submitted  Ending = iota // the answers stand
	Elaborated               // the agent is to answer the notes first
	Cancelled                // the form was dismissed; nothing is approved
)

// The constants of an elaboration.
const (
	elaborateInstruction = "Reply to the user's notes first, directly and briefly, using the question and option context given here. A note asks for clarification; it is not an answer. If a choice is still open after that, ask again about the affected questions only."
	clarifyThenReask     = "clarify_then_reask"
	refineOnly           = "refine_only"

	stateAnswered   = "answered"
	stateNeeds      = "needs_clarification"
	stateUnanswered = "unanswered"

	targetQuestion = "question"
	targetOption   = "option"
)

// Result is the outcome of the form if it ended now. It shares nothing with the
// drafts. RequestID is left to the tool layer.
func (d *Drafts) Result(e Ending) Result {
	r := Result{
		Title:     d.form.Title,
		Cancelled: e == Cancelled,
		Mode:      Submit,
		Questions: make([]ResultQuestion, len(d.form.Questions)),
		Answers:   make(map[string]Answer),
	}
	for i, q := range d.form.Questions {
		r.Questions[i] = ResultQuestion{q.ID, q.Label, q.Prompt, q.Type, q.PresentedType}
		at := d.drafts[i]
		if at == nil || e == Elaborated && at.committed() == 0 {
			continue
		}
		a := at.answer()
		if e == Cancelled {
			a.CustomImages, a.NoteImages, a.OptionNoteImages = nil, nil, nil
		}
		if !a.empty() {
			r.Answers[q.ID] = a
		}
	}
	if e == Elaborated {
		r.Mode = Elaborate
		r.Continuation = d.continuation()
		r.Elaboration = d.elaboration()
	}
	return r
}

// answer is what of a draft is submitted: the choice, the question note, and
// the notes on chosen options.
func (d *Draft) answer() Answer {
	a := Answer{Values: []string{}, Labels: []string{}, Indices: []int{}, Note: d.Note, NoteImages: slices.Clone(d.NoteImages)}
	for _, s := range d.Selected {
		a.Values = append(a.Values, s.Value)
		a.Labels = append(a.Labels, s.Label)
		a.Indices = append(a.Indices, s.Index)
	}
	if d.CustomSelected {
		if d.CustomText != "" {
			a.Values = append(a.Values, d.CustomText)
			a.Labels = append(a.Labels, d.CustomText)
			a.CustomText = d.CustomText
		}
		a.CustomImages = slices.Clone(d.CustomImages)
	}
	for _, n := range d.OptionNotes {
		if !d.IsSelected(n.Value) {
			continue
		}
		if n.Text != "" {
			if a.OptionNotes == nil {
				a.OptionNotes = make(map[string]string)
			}
			a.OptionNotes[n.Value] = n.Text
		}
		if len(n.Images) > 0 {
			if a.OptionNoteImages == nil {
				a.OptionNoteImages = make(map[string][]Image)
			}
			a.OptionNoteImages[n.Value] = slices.Clone(n.Images)
		}
	}
	return a
}

// empty reports whether an answer carries nothing. Notes on options need a
// chosen option, so they need no look.
func (a Answer) empty() bool {
	return !a.committed() && a.Note == "" && len(a.NoteImages) == 0
}

// committed reports whether a choice was made; a note alone is none.
func (a Answer) committed() bool {
	return len(a.Values) > 0 || a.CustomText != "" || len(a.CustomImages) > 0
}

// continuation sorts the questions into those to ask again, those to keep and
// those that nobody touched.
func (d *Drafts) continuation() *Continuation {
	c := &Continuation{
		Strategy:            refineOnly,
		AffectedQuestionIDs: []string{},
		PreservedAnswers:    make(map[string]Answer),
		QuestionStates:      make(map[string]QuestionState, len(d.form.Questions)),
	}
	for i, q := range d.form.Questions {
		state := stateUnanswered
		switch at := d.drafts[i]; {
		case at.hasNotes():
			state = stateNeeds
			c.AffectedQuestionIDs = append(c.AffectedQuestionIDs, q.ID)
		case at.committed() > 0:
			state = stateAnswered
			c.PreservedAnswers[q.ID] = at.answer()
		}
		c.QuestionStates[q.ID] = QuestionState{state}
	}
	return c
}

// elaboration lists every note: per question its own, then those on options in
// the order in which they were written.
func (d *Drafts) elaboration() *Elaboration {
	e := &Elaboration{Instruction: elaborateInstruction, NextAction: clarifyThenReask, Items: []Item{}}
	for i := range d.form.Questions {
		at := d.drafts[i]
		if !at.hasNotes() {
			continue
		}
		q := &d.form.Questions[i]
		if at.Note != "" || len(at.NoteImages) > 0 {
			e.Items = append(e.Items, q.item(at, Target{Kind: targetQuestion}, at.Note, at.NoteImages))
		}
		for _, n := range at.OptionNotes {
			j := slices.IndexFunc(q.Options, func(o Option) bool { return o.Value == n.Value })
			if j < 0 {
				continue
			}
			item := q.item(at, Target{targetOption, n.Value}, n.Text, n.Images)
			selected := at.IsSelected(n.Value)
			item.Option, item.Selected = &item.Question.Options[j], &selected
			e.Items = append(e.Items, item)
		}
	}
	return e
}

func (q *Question) item(at *Draft, target Target, note string, images []Image) Item {
	item := Item{
		Target:   target,
		Question: ItemQuestion{q.ID, q.Label, q.Prompt, q.Type, q.PresentedType, publicOptions(q.Options)},
		Answered: at.committed() > 0,
		Note:     note,
		Images:   slices.Clone(images),
	}
	if item.Answered {
		a := at.answer()
		item.Answer = &a
	}
	return item
}

// publicOptions copies options for others to read: no file paths.
func publicOptions(options []Option) []Option {
	out := slices.Clone(options)
	for i := range out {
		out[i].PreviewFile = ""
		if out[i].Recommended != nil {
			recommended := *out[i].Recommended
			out[i].Recommended = &recommended
		}
	}
	return out
}
