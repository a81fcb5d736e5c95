package ui

import (
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/form/internal/files"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// popup is the list of file completions under an open editor. Each query has
// a token; what comes back for an older one is dropped.
type popup struct {
	items  []files.Item
	index  int
	token  int
	path   bool // completes a plain path instead of an @ reference
	closed bool // by the user; stays closed until the @ token is left
}

func (p *popup) open() bool { return len(p.items) > 0 }

// refreshPopup follows the text before the cursor: it asks for files while an
// @ token is being typed and closes the list when it is left.
func (s *State) refreshPopup() []Effect {
	token, ok := s.edit.Token()
	if !ok {
		s.popup = popup{token: s.popup.token}
		return nil
	}
	if s.popup.closed {
		return nil
	}
	if s.popup.path {
		s.popup = popup{token: s.popup.token}
	}
	s.popup.token++
	s.popup.index = 0
	return []Effect{FindFiles{Token: s.popup.token, Query: strings.TrimPrefix(strings.TrimPrefix(token, "@"), `"`)}}
}

// completePath is Tab in a text: it completes the plain path before the cursor.
func (s *State) completePath() []Effect {
	path, ok := s.edit.PathToken()
	if !ok {
		return nil
	}
	s.popup = popup{token: s.popup.token + 1, path: true}
	return []Effect{FindFiles{Token: s.popup.token, Query: path, Path: true}}
}

func (s *State) filesFound(m FilesFound) {
	if !s.editing() || m.Token != s.popup.token || s.popup.closed {
		return
	}
	// A list that is still growing comes several times: the choice stays.
	if p := &s.popup; p.index >= len(m.Items) || p.open() && p.items[p.index].Value != m.Items[p.index].Value {
		p.index = 0
	}
	s.popup.items = m.Items
	if s.popup.path && len(m.Items) == 1 {
		s.acceptFile()
	}
}

// popupKey handles a key while the list is open and reports whether it was
// the list's.
func (s *State) popupKey(k settings.Key) bool {
	p := &s.popup
	ctx := settings.ContextEditor
	if s.view != AnswerEditor {
		ctx = settings.ContextNoteEditor
	}
	act, _ := s.settings.Keymaps.Lookup(ctx, k)
	switch {
	case k == "up":
		p.index = (p.index + len(p.items) - 1) % len(p.items)
	case k == "down":
		p.index = (p.index + 1) % len(p.items)
	case k == "tab" || k == "enter":
		s.acceptFile()
	case k == "esc" || act == settings.ActionClose:
		*p = popup{token: p.token + 1, closed: true}
	default:
		return false
	}
	return true
}

func (s *State) acceptFile() {
	item := s.popup.items[s.popup.index]
	if s.popup.path {
		s.edit.ReplaceToken(item.Value)
	} else {
		s.edit.ReplaceToken(files.Quote(item))
	}
	s.popup = popup{token: s.popup.token + 1}
	s.scroll.follow = true
}
