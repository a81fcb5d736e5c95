package ui

import (
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// key finds who a key press belongs to: the guard, the overlay, the popup, the
// whole form, the open editor, or the tab.
func (s *State) key(m Key) []Effect {
	if !s.guard.press(s.now, s.opt) {
		return nil
	}
	k := settings.Press(m.ID, m.Text)
	if !m.Repeat {
		s.pressed()
	} else if !s.repeats(k, m.Text) {
		return nil
	}
	if s.overlay != nil {
		return s.overlayKey(k)
	}
	if s.popup.open() && s.popupKey(k) {
		return nil
	}
	if act, ok := s.settings.Keymaps.Lookup(settings.ContextGlobal, k); ok {
		switch {
		case act == settings.ActionDismiss:
			return s.leave(leaveDismiss)
		case act == settings.ActionSettings && (!s.editing() || s.edit.Empty()):
			s.openOverlay()
			return nil
		}
	}
	if s.editing() {
		return s.editorKey(k, m)
	}
	if act, ok := s.settings.Keymaps.Lookup(settings.ContextMain, k); ok {
		return s.mainAction(act)
	}
	return s.fixedKey(k)
}

// fixedKey handles the keys that cannot be configured.
func (s *State) fixedKey(k settings.Key) []Effect {
	switch {
	case len(k) == 1 && k[0] >= '1' && k[0] <= '9':
		return s.digit(int(k[0] - '0'))
	case k == "pageUp":
		s.page(-1)
	case k == "pageDown":
		s.page(1)
	}
	return nil
}

// mainAction runs an action of the main context: no editor is open.
func (s *State) mainAction(act settings.Action) []Effect {
	s.endPending(act)
	switch act {
	case settings.ActionNextTab:
		s.goTab(s.tab + 1)
	case settings.ActionPreviousTab:
		s.goTab(s.tab - 1)
	case settings.ActionNextOption:
		s.move(1)
	case settings.ActionPreviousOption:
		s.move(-1)
	case settings.ActionToggle:
		s.toggle()
	case settings.ActionChangeQuestionType:
		s.changeType()
	case settings.ActionConfirm:
		if s.onReview() {
			return s.runAction(s.action)
		}
		s.confirm()
	case settings.ActionCancel:
		return s.leave(leaveCancel)
	case settings.ActionQuestionNote:
		s.openQuestionNote()
	case settings.ActionOptionNote:
		s.openOptionNote()
	}
	return s.committed()
}

// digit is one of the fixed keys 1 to 9.
func (s *State) digit(n int) []Effect {
	s.clearTypePending()
	if s.onReview() {
		return s.reviewDigit(n)
	}
	if n <= s.customRow()+1 {
		s.option = n - 1
		s.choose()
	}
	return s.committed()
}

func (s *State) reviewDigit(n int) []Effect {
	armed := s.reviewArmed
	s.reviewArmed = 0
	if n > len(ReviewActions) {
		return s.committed()
	}
	s.action = n - 1
	if s.settings.Behaviour.DoublePressReviewShortcuts && armed != n {
		s.reviewArmed = n
		return s.committed()
	}
	return s.runAction(n - 1)
}

// endPending ends the pending states that any other command ends.
func (s *State) endPending(act settings.Action) {
	s.reviewArmed = 0
	if act != settings.ActionChangeQuestionType {
		s.clearTypePending()
	}
}

func (s *State) clearTypePending() { s.typePending = false }

// paste goes into the open editor and is never read as keys.
func (s *State) paste(text string) []Effect {
	if !s.guard.press(s.now, s.opt) || s.overlay != nil || !s.editing() {
		return nil
	}
	s.edit.Paste(text)
	return s.refreshPopup()
}

// Binds reports whether a key is bound to an action where the user is now.
func (s *State) Binds(id string) bool {
	_, bound := s.bound(settings.Press(id, ""))
	return bound
}

// bound is what a key is bound to where the user is now.
func (s *State) bound(k settings.Key) (settings.Action, bool) {
	contexts := []settings.Context{settings.ContextGlobal, settings.ContextMain}
	switch {
	case s.overlay != nil:
		contexts = []settings.Context{settings.ContextSettingsModal}
	case s.view == AnswerEditor:
		contexts[1] = settings.ContextEditor
	case s.editing():
		contexts[1] = settings.ContextNoteEditor
	}
	for _, c := range contexts {
		if act, ok := s.settings.Keymaps.Lookup(c, k); ok {
			return act, true
		}
	}
	return "", false
}
