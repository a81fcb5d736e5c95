package ui

import (
	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

func (s *State) openAnswer() []Effect {
	text := ""
	if d := s.drafts.At(s.tab); d != nil {
		text = d.CustomText
	}
	s.openEditor(AnswerEditor, s.tab, 0, text)
	return nil
}

func (s *State) openQuestionNote() {
	if s.onReview() {
		return
	}
	text := ""
	if d := s.drafts.At(s.tab); d != nil {
		text = d.Note
	}
	s.openEditor(QuestionNoteEditor, s.tab, 0, text)
}

func (s *State) openOptionNote() {
	if s.onReview() || s.option == s.customRow() {
		return
	}
	s.openEditor(OptionNoteEditor, s.tab, s.option, s.optionNote(s.tab, s.option).Text)
}

// optionNote is the note on an option, zero when there is none.
func (s *State) optionNote(q, opt int) ask.OptionNote {
	return s.drafts.At(q).OptionNote(s.form.Questions[q].Options[opt].Value)
}

func (s *State) openEditor(v View, q, opt int, text string) {
	s.view, s.editQ, s.editOpt = v, q, opt
	s.editSerial++
	s.edit.SetText(text)
	s.popup = popup{}
	s.clip = clipNotice{}
	s.scroll.follow = true
}

// closeEditor leaves the open editor; the text was saved or is dropped.
func (s *State) closeEditor() {
	s.view = Navigate
	s.editSerial++
	s.edit.SetText("")
	s.popup = popup{}
	s.clip = clipNotice{}
}

// saveEditor stores the open editor's text and reports whether an answer or
// note is there now.
func (s *State) saveEditor() (kept bool) {
	text := ask.TrimSpace(s.edit.Text())
	switch s.view {
	case AnswerEditor:
		kept = s.drafts.SaveCustom(s.editQ, text)
	case QuestionNoteEditor:
		s.drafts.SaveNote(s.editQ, text)
	case OptionNoteEditor:
		s.drafts.SaveOptionNote(s.editQ, s.editOpt, text)
	}
	s.changed()
	return kept
}

// editorKey handles a key while an editor is open.
func (s *State) editorKey(k settings.Key, m Key) []Effect {
	ctx := settings.ContextEditor
	if s.view != AnswerEditor {
		ctx = settings.ContextNoteEditor
	}
	act, bound := s.settings.Keymaps.Lookup(ctx, k)
	if bound {
		if fx, done := s.editorAction(act, k); done {
			return fx
		}
	}
	switch {
	case s.isPasteImageKey(k):
		return s.readClipboard()
	case k == "ctrl+alt+d" && len(s.images()) > 0:
		s.removeLastImage()
		return nil
	case k == s.opt.EditKey && k != "":
		return []Effect{EditDraft{Token: s.editSerial, Text: s.edit.Text()}}
	case k == "tab":
		return s.completePath()
	}
	if !s.edit.Key(string(k), m.Text) {
		return nil
	}
	s.scroll.follow = true
	return s.refreshPopup()
}

// editorAction runs a bound key of the open editor; done is false where the
// key belongs to the text after all.
func (s *State) editorAction(act settings.Action, k settings.Key) (fx []Effect, done bool) {
	switch act {
	case settings.ActionSubmit, settings.ActionSave:
		if k == "enter" && s.edit.BackslashNewline() {
			return nil, true
		}
		return s.submitEditor(), true
	case settings.ActionClose:
		s.saveEditor()
		s.closeEditor()
		s.noAutoOpen = true
		return s.committed(), true
	}
	if !s.edit.Empty() {
		return nil, false
	}
	s.saveEditor()
	s.closeEditor()
	switch act {
	case settings.ActionNextTabWhenEmpty:
		s.goTab(s.tab + 1)
	case settings.ActionPreviousTabWhenEmpty:
		s.goTab(s.tab - 1)
	case settings.ActionNextOptionWhenEmpty:
		s.move(1)
	case settings.ActionPreviousOptionWhenEmpty:
		s.move(-1)
	}
	return s.committed(), true
}

// submitEditor is Enter in an editor: save, close, and on a single choice that
// is now answered go on.
func (s *State) submitEditor() []Effect {
	answer := s.view == AnswerEditor
	kept := s.saveEditor()
	s.closeEditor()
	if answer && kept && s.question().Shown() != ask.Multi {
		s.nextTab()
	}
	return s.committed()
}

// edited takes back the draft from the user's own editor.
func (s *State) edited(m Edited) {
	if !s.editing() || m.Token != s.editSerial {
		return
	}
	if m.Err != nil {
		s.clip = clipNotice{"editorFailed", "The draft could not be edited: " + s.opt.Width.OneLine(m.Err.Error())}
		return
	}
	s.clip = clipNotice{}
	s.edit.SetText(m.Text)
}
