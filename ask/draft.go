package ask

import (
	"bytes"
	"slices"
)

// Draft is what a person has entered for one question so far. Drafts are
// handed out for reading only; they are changed through [Drafts].
type Draft struct {
	Selected       []Selection // chosen options in declared order
	CustomText     string      // free text; may be there without being chosen
	CustomSelected bool        // the free-text row is chosen
	Note           string      // question note
	OptionNotes    []OptionNote
	CustomImages   []Image
	NoteImages     []Image
}

// Selection is one chosen option; Index is its 1-based position.
type Selection struct {
	Value string `json:"value"`
	Label string `json:"label"`
	Index int    `json:"index"`
}

// OptionNote is the note on one option, chosen or not. A draft lists them in
// the order in which they first got content.
type OptionNote struct {
	Value  string // of the option
	Text   string // may be empty when there are images
	Images []Image
}

// OptionNote returns the note on an option, by value; the zero note if there is
// none. It works on a nil draft.
func (d *Draft) OptionNote(value string) OptionNote {
	if d != nil {
		for _, n := range d.OptionNotes {
			if n.Value == value {
				return n
			}
		}
	}
	return OptionNote{Value: value}
}

// IsSelected reports whether the option with this value is chosen. It works on
// a nil draft.
func (d *Draft) IsSelected(value string) bool {
	return d != nil && slices.ContainsFunc(d.Selected, func(s Selection) bool { return s.Value == value })
}

// HasCustom reports whether there is free text or an image of the free-text
// row, chosen or not. It works on a nil draft.
func (d *Draft) HasCustom() bool {
	return d != nil && (d.CustomText != "" || len(d.CustomImages) > 0)
}

func (d *Draft) committed() int {
	if d == nil {
		return 0
	}
	n := len(d.Selected)
	if d.CustomSelected && d.HasCustom() {
		n++
	}
	return n
}

func (d *Draft) hasNotes() bool {
	return d != nil && (d.Note != "" || len(d.NoteImages) > 0 || len(d.OptionNotes) > 0)
}

// setOptionNote changes the note on an option. A note without content goes; a
// new one is the last.
func (d *Draft) setOptionNote(value string, change func(*OptionNote)) {
	at := slices.IndexFunc(d.OptionNotes, func(n OptionNote) bool { return n.Value == value })
	note := OptionNote{Value: value}
	if at >= 0 {
		note = d.OptionNotes[at]
	}
	change(&note)
	switch empty := note.Text == "" && len(note.Images) == 0; {
	case empty && at >= 0:
		d.OptionNotes = slices.Delete(d.OptionNotes, at, at+1)
	case !empty && at >= 0:
		d.OptionNotes[at] = note
	case !empty:
		d.OptionNotes = append(d.OptionNotes, note)
	}
}

// MarshalJSON encodes the draft as an object with selected, customText,
// customSelected, note, optionNotes, customImages, noteImages and
// optionNoteImages. Only selected is always there; the maps keep the order of
// the notes.
func (d Draft) MarshalJSON() ([]byte, error) {
	var texts, images orderedMap
	for _, n := range d.OptionNotes {
		if n.Text != "" {
			texts = append(texts, entry{n.Value, n.Text})
		}
		if len(n.Images) > 0 {
			images = append(images, entry{n.Value, n.Images})
		}
	}
	return Marshal(struct {
		Selected         []Selection `json:"selected"`
		CustomText       string      `json:"customText,omitempty"`
		CustomSelected   bool        `json:"customSelected,omitempty"`
		Note             string      `json:"note,omitempty"`
		OptionNotes      orderedMap  `json:"optionNotes,omitempty"`
		CustomImages     []Image     `json:"customImages,omitempty"`
		NoteImages       []Image     `json:"noteImages,omitempty"`
		OptionNoteImages orderedMap  `json:"optionNoteImages,omitempty"`
	}{nonNil(d.Selected), d.CustomText, d.CustomSelected, d.Note, texts, d.CustomImages, d.NoteImages, images})
}

// orderedMap is a JSON object whose members keep their order.
type orderedMap []entry

type entry struct {
	key   string
	value any
}

func (m orderedMap) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range m {
		key, err := Marshal(e.key)
		if err != nil {
			return nil, err
		}
		value, err := Marshal(e.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
