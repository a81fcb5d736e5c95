package ask

import (
	"slices"
	"sort"
)

// Drafts is the answer model of one form: what is entered for each question,
// and as which type each question is presented. Questions and options are named
// by their position, counted from 0; positions that do not exist are ignored.
//
// Texts are stored as they are given; trimming is the editor's business. A text
// that is blank counts as none. Image lists that are handed in are copied.
//
// Drafts is not safe for concurrent use.
type Drafts struct {
	form   Form
	drafts []*Draft // per question; nil when nothing is left in it
}

// NewDrafts returns empty drafts for a form.
func NewDrafts(f Form) *Drafts {
	return &Drafts{form: f, drafts: make([]*Draft, len(f.Questions))}
}

// Form is the form with the current presentation of each question. It shares
// its lists with the drafts and is for reading only.
func (d *Drafts) Form() Form { return d.form }

// At returns the draft of a question for reading, nil if nothing is entered.
// It may change with the next call of a method that changes the question.
func (d *Drafts) At(q int) *Draft {
	if q < 0 || q >= len(d.drafts) {
		return nil
	}
	return d.drafts[q]
}

// Committed counts the chosen options of a question, and one more if its free
// text or image is chosen.
func (d *Drafts) Committed(q int) int { return d.At(q).committed() }

// Answered reports whether anything is chosen. Notes never count.
func (d *Drafts) Answered(q int) bool { return d.Committed(q) > 0 }

// HasNotes reports whether there is a note or a note's image on the question or
// on any of its options.
func (d *Drafts) HasNotes(q int) bool { return d.At(q).hasNotes() }

// Empty reports whether nothing is entered in the whole form.
func (d *Drafts) Empty() bool {
	return !slices.ContainsFunc(d.drafts, func(at *Draft) bool { return at != nil })
}

// edit changes the draft of a question, making it before and dropping it after
// if need be.
func (d *Drafts) edit(q int, change func(*Draft)) {
	if q < 0 || q >= len(d.drafts) {
		return
	}
	at := d.drafts[q]
	if at == nil {
		at = &Draft{}
	}
	change(at)
	if !at.HasCustom() {
		at.CustomSelected = false
	}
	if len(at.Selected) == 0 && !at.HasCustom() && !at.hasNotes() {
		at = nil
	}
	d.drafts[q] = at
}

// option returns a question and one of its options.
func (d *Drafts) option(q, opt int) (question *Question, sel Selection, ok bool) {
	if q < 0 || q >= len(d.form.Questions) {
		return nil, Selection{}, false
	}
	question = &d.form.Questions[q]
	if opt < 0 || opt >= len(question.Options) {
		return nil, Selection{}, false
	}
	o := &question.Options[opt]
	return question, Selection{Value: o.Value, Label: o.Label, Index: opt + 1}, true
}

// Pick chooses an option of a single-choice or preview question in place of any
// other choice. Free text is switched off and kept. On a multi-choice question
// it does nothing; see [Drafts.Toggle].
func (d *Drafts) Pick(q, opt int) {
	question, chosen, ok := d.option(q, opt)
	if !ok || question.Shown() == Multi {
		return
	}
	d.edit(q, func(at *Draft) {
		at.Selected = []Selection{chosen}
		at.CustomSelected = false
	})
}

// Toggle adds or removes an option of a multi-choice question. On the other
// types it picks the option, or clears the choice if it is the chosen one.
func (d *Drafts) Toggle(q, opt int) {
	question, chosen, ok := d.option(q, opt)
	if !ok {
		return
	}
	selected := d.At(q).IsSelected(chosen.Value)
	if question.Shown() != Multi && !selected {
		d.Pick(q, opt)
		return
	}
	d.edit(q, func(at *Draft) {
		i := sort.Search(len(at.Selected), func(i int) bool { return at.Selected[i].Index >= chosen.Index })
		if selected {
			at.Selected = slices.Delete(at.Selected, i, i+1)
		} else {
			at.Selected = slices.Insert(at.Selected, i, chosen)
		}
	})
}

// FlipCustom switches the saved free text of a multi-choice question on or off.
// It does nothing on other types and when there is neither text nor image.
func (d *Drafts) FlipCustom(q int) {
	if at := d.At(q); !at.HasCustom() || d.form.Questions[q].Shown() != Multi {
		return
	}
	d.edit(q, func(at *Draft) { at.CustomSelected = !at.CustomSelected })
}

// SaveCustom stores the free text of a question. If there is text or an image
// it becomes chosen, and on single-choice and preview questions replaces the
// chosen option; kept reports that. Blank text without images only clears the
// free text, never a chosen option.
func (d *Drafts) SaveCustom(q int, text string) (kept bool) {
	d.edit(q, func(at *Draft) {
		at.CustomText = notBlank(text)
		kept = at.HasCustom()
		at.CustomSelected = kept
		if kept && d.form.Questions[q].Shown() != Multi {
			at.Selected = nil
		}
	})
	return kept
}

// SetCustomImages replaces the images of the free-text row. They count as
// chosen from the next [Drafts.SaveCustom] on.
func (d *Drafts) SetCustomImages(q int, images []Image) {
	d.edit(q, func(at *Draft) { at.CustomImages = slices.Clone(images) })
}

// SaveNote stores the note of a question; blank text removes it. Images of the
// note stay.
func (d *Drafts) SaveNote(q int, text string) {
	d.edit(q, func(at *Draft) { at.Note = notBlank(text) })
}

// SetNoteImages replaces the images of a question's note.
func (d *Drafts) SetNoteImages(q int, images []Image) {
	d.edit(q, func(at *Draft) { at.NoteImages = slices.Clone(images) })
}

// SaveOptionNote stores the note on an option; blank text removes it. Images of
// the note stay.
func (d *Drafts) SaveOptionNote(q, opt int, text string) {
	d.editOptionNote(q, opt, func(n *OptionNote) { n.Text = notBlank(text) })
}

// SetOptionNoteImages replaces the images of the note on an option.
func (d *Drafts) SetOptionNoteImages(q, opt int, images []Image) {
	d.editOptionNote(q, opt, func(n *OptionNote) { n.Images = slices.Clone(images) })
}

func (d *Drafts) editOptionNote(q, opt int, change func(*OptionNote)) {
	if _, chosen, ok := d.option(q, opt); ok {
		d.edit(q, func(at *Draft) { at.setOptionNote(chosen.Value, change) })
	}
}

// NextType is the type that [Drafts.ChangeType] would present a question as;
// "" when there is no such question.
func (d *Drafts) NextType(q int) Type {
	if q < 0 || q >= len(d.form.Questions) {
		return ""
	}
	switch question := d.form.Questions[q]; {
	case question.Shown() != Multi:
		return Multi
	case question.Type == Preview:
		return Preview
	default:
		return Single
	}
}

// TypeNeedsConfirm reports whether changing the type would clear chosen
// options: from multi-choice to another type with more than one thing chosen.
func (d *Drafts) TypeNeedsConfirm(q int) bool {
	return d.NextType(q) != Multi && d.Committed(q) > 1
}

// ChangeType presents a question as its other type: single and multi, or
// preview and multi. Where [Drafts.TypeNeedsConfirm] reports true the chosen
// options are cleared and free text, if there is any, becomes the answer.
// Notes stay.
func (d *Drafts) ChangeType(q int) {
	next := d.NextType(q)
	if next == "" {
		return
	}
	if d.TypeNeedsConfirm(q) {
		d.edit(q, func(at *Draft) {
			at.Selected = nil
			at.CustomSelected = at.HasCustom()
		})
	}
	d.form.Questions = slices.Clone(d.form.Questions) // forms given out stay as they are
	question := &d.form.Questions[q]
	question.PresentedType = next
	if next == question.Type {
		question.PresentedType = ""
	}
}

// MarshalJSON encodes the drafts as an object: question id to [Draft], in the
// order of the questions, without the questions that have none.
func (d *Drafts) MarshalJSON() ([]byte, error) {
	m := orderedMap{}
	for q, at := range d.drafts {
		if at != nil {
			m = append(m, entry{d.form.Questions[q].ID, at})
		}
	}
	return m.MarshalJSON()
}

func notBlank(s string) string {
	if IsBlank(s) {
		return ""
	}
	return s
}
