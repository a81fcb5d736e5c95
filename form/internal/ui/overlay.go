package ui

import (
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// overlayRow is one row of the settings overlay; the reset row has no setting.
type overlayRow struct {
	section, label, about string
	setting               settings.Setting
}

var overlayRows = [...]overlayRow{
	{"Live settings", "Auto-submit when answered without notes", "Submit on the Review tab by itself once every question is answered and there are no notes.", settings.AutoSubmit},
	{"", "Confirm dismiss when dirty", "Ask for the same cancel or dismiss action twice before answers or drafts are thrown away.", settings.ConfirmDismissWhenDirty},
	{"", "Double-press review shortcuts", "On the Review tab, 1, 2 and 3 act only when pressed twice.", settings.DoublePressReviewShortcuts},
	{"", "Notifications", "Send one notification when a form opens and waits.", settings.NotificationsEnabled},
	{"", "Show footer hints", "Show the key hints at the bottom of the form.", settings.ShowFooterHints},
	{"Defaults for future asks", "Present single-select as multi-select", "Open new and recovered single-select questions as multi-select. An open form is not changed; use the type key there.", settings.PresentSingleAsMulti},
	{"Actions", "", "Put behaviour, keymaps and notifications back to their defaults. Press twice.", ""},
}

const resetRow = len(overlayRows) - 1

// overlay is the open settings overlay.
type overlay struct {
	focus   int
	pending map[settings.Setting]bool // shown at once, until the save is over
	notices []settings.Notice
	reset   settings.ResetGuard
	top     int // first visible line when it scrolls
}

func (s *State) openOverlay() {
	if s.overlay != nil {
		return
	}
	s.clearTypePending()
	s.reviewArmed = 0
	s.scroll.follow = true
	s.overlay = &overlay{pending: map[settings.Setting]bool{}, notices: s.opt.Notices}
}

// instant is the state's time as the reset guard wants it.
func (s *State) instant() time.Time { return time.Unix(0, 0).Add(s.now) }

// overlayKey handles a key while the overlay is open; unbound keys do nothing.
func (s *State) overlayKey(k settings.Key) []Effect {
	o := s.overlay
	act, _ := s.settings.Keymaps.Lookup(settings.ContextSettingsModal, k)
	switch act {
	case settings.ActionClose:
		s.overlay = nil
		if s.opt.SettingsOnly {
			return s.end(ask.Cancelled)
		}
	case settings.ActionNextOption:
		o.focus = (o.focus + 1) % len(overlayRows)
		o.reset.Disarm()
	case settings.ActionPreviousOption:
		o.focus = (o.focus + resetRow) % len(overlayRows)
		o.reset.Disarm()
	case settings.ActionToggle:
		return s.overlayToggle()
	}
	return nil
}

func (s *State) overlayToggle() []Effect {
	o := s.overlay
	if o.focus != resetRow {
		o.reset.Disarm()
		name := overlayRows[o.focus].setting
		value := !s.overlayValue(name)
		o.pending[name] = value
		return []Effect{SaveSetting{Name: name, Value: value}}
	}
	if o.reset.Press(s.instant()) {
		return []Effect{ResetSettings{}}
	}
	return []Effect{Wake{At: s.now + settings.ResetWindow}}
}

// overlayValue is the value that the overlay shows for a setting.
func (s *State) overlayValue(name settings.Setting) bool {
	if s.overlay != nil {
		if v, ok := s.overlay.pending[name]; ok {
			return v
		}
	}
	return s.settings.Get(name)
}

// saved ends a save, well or not: the overlay shows what is in force now.
func (s *State) saved(m Saved) []Effect {
	if s.overlay != nil {
		clear(s.overlay.pending)
	}
	return s.applySettings(m.Settings, m.Notices)
}

// applySettings takes over settings that are in force now.
func (s *State) applySettings(now settings.Settings, notices []settings.Notice) []Effect {
	s.settings = now
	s.lay.texts.hintKey = hintKey{} // the keys in the hints may be others now
	s.opt.Notices = notices
	if s.overlay != nil {
		s.overlay.notices = notices
	}
	if len(notices) == 0 {
		s.configNotice = ""
	}
	if !now.Behaviour.DoublePressReviewShortcuts {
		s.reviewArmed = 0
	}
	s.scroll.follow = true
	s.autoSubmit()
	return nil
}
