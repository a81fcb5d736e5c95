package ui

import "github.com/pi-agent-ask/pi-agent-ask/settings"

// pressed notes which editor the next key press is for: only there a key that
// is held down types on. A key that opens an editor is none of its text.
func (s *State) pressed() {
	s.typingIn = 0
	if s.editing() && s.overlay == nil {
		s.typingIn = s.editSerial
	}
}

// repeats reports whether a key that is held down acts again. One that moves,
// deletes or types does; what decides something happens once for each press.
func (s *State) repeats(k settings.Key, text string) bool {
	act, _ := s.bound(k)
	switch act {
	case settings.ActionNextTab, settings.ActionPreviousTab, settings.ActionNextOption, settings.ActionPreviousOption:
		return true
	case settings.ActionNextTabWhenEmpty, settings.ActionPreviousTabWhenEmpty,
		settings.ActionNextOptionWhenEmpty, settings.ActionPreviousOptionWhenEmpty:
		if s.edit.Empty() {
			return true
		}
	case settings.ActionSettings:
		if !s.editing() || s.edit.Empty() {
			return false
		}
	case "":
	default:
		return false
	}
	switch {
	case s.overlay != nil:
		return false
	case s.editing():
		return s.typingIn == s.editSerial && !s.isPasteImageKey(k) && k != s.opt.EditKey && s.edit.Repeats(string(k), text)
	}
	return k == "pageUp" || k == "pageDown"
}
