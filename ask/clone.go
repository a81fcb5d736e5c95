package ask

import "slices"

// Clone returns a copy that shares nothing that changes.
func (d *Drafts) Clone() *Drafts {
	out := *d
	out.form.Questions = slices.Clone(d.form.Questions)
	out.drafts = make([]*Draft, len(d.drafts))
	for i, from := range d.drafts {
		if from == nil {
			continue
		}
		to := *from
		to.Selected = slices.Clone(from.Selected)
		to.CustomImages = slices.Clone(from.CustomImages)
		to.NoteImages = slices.Clone(from.NoteImages)
		to.OptionNotes = slices.Clone(from.OptionNotes)
		for n := range to.OptionNotes {
			to.OptionNotes[n].Images = slices.Clone(from.OptionNotes[n].Images)
		}
		out.drafts[i] = &to
	}
	return &out
}
