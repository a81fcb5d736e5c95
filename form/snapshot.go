package form

import (
	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/ui"
)

// Snapshot is where an open form stands, for drivers and tests.
type Snapshot struct {
	// Tab is the id of the active question, or "review".
	Tab string `json:"tab"`
	// View is navigate, review, answerEditor, questionNoteEditor or
	// optionNoteEditor.
	View string `json:"view"`
	// Option is the row cursor, counted from 1; 0 on Review.
	Option       int    `json:"option,omitempty"`
	ReviewAction string `json:"reviewAction,omitempty"`
	// Editing is the question whose editor is open, EditorText its text.
	Editing    string   `json:"editing,omitempty"`
	EditorText string   `json:"editorText,omitempty"`
	Notices    []string `json:"notices,omitempty"` // kinds
	Settings   bool     `json:"settingsOpen,omitempty"`
	Popup      bool     `json:"popupOpen,omitempty"`
	Ready      bool     `json:"ready"`
	// Draft is what was entered so far.
	Draft *ask.Drafts `json:"draft"`
}

// Snapshot returns where the form stands. Draft must not be used any more
// after the next call of a method of the form.
func (in *Inline) Snapshot() Snapshot {
	in.session.mu.Lock()
	defer in.session.mu.Unlock()
	s := in.session.state
	form := s.Drafts().Form()
	out := Snapshot{
		Tab: "review", View: s.View().String(), Settings: s.Overlay() != nil,
		Popup: s.PopupOpen(), Ready: s.Ready(), Draft: s.Drafts(),
	}
	if s.Tab() < len(form.Questions) {
		out.Tab, out.Option = form.Questions[s.Tab()].ID, s.Option()+1
	} else {
		out.ReviewAction = ui.ReviewActions[s.Action()]
	}
	if q, text, open := s.Editing(); open {
		out.Editing, out.EditorText = form.Questions[q].ID, text
	}
	for _, n := range s.Notices() {
		out.Notices = append(out.Notices, n.Kind)
	}
	return out
}
