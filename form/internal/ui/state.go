// Package ui is the form itself: a pure state that messages change, and a
// layout that turns it into rows. It knows no terminal, no clock and no files.
//
//	s := ui.New(form, ui.Options{Settings: settings.Default()})
//	effects := s.Apply(0, ui.Key{ID: "down"})
//	frame := s.Frame()
package ui

import (
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/editor"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// View is what the user is looking at.
type View int

// The views of a form. The editors belong to the question (and option) that
// [State.Editing] names.
const (
	Navigate View = iota
	Review
	AnswerEditor
	QuestionNoteEditor
	OptionNoteEditor
)

// String returns the view's name as the conformance cases spell it.
func (v View) String() string {
	return [...]string{"navigate", "review", "answerEditor", "questionNoteEditor", "optionNoteEditor"}[v]
}

// ReviewActions are the actions of the Review tab, in order.
var ReviewActions = [...]string{"Submit", "Elaborate", "Cancel"}

const (
	actionSubmit = iota
	actionElaborate
	actionCancel
)

// leave is a way to leave the form without answering.
type leave int

const (
	leaveNone leave = iota
	leaveCancel
	leaveDismiss
)

// Options are fixed for the life of a form.
type Options struct {
	Settings settings.Settings
	Notices  []settings.Notice // load notices
	// SettingsPath is shown in the settings overlay.
	SettingsPath string
	// PasteImageKeys attach the clipboard's image; PasteImageLabels are the
	// same keys as the host spells them.
	PasteImageKeys   []settings.Key
	PasteImageLabels []string
	// EditKey opens the draft in the user's own editor; "" for none.
	EditKey settings.Key
	// Quiet and Max are the gap and the cap of the type-ahead guard; the guard
	// is off when Quiet is zero.
	Quiet, Max time.Duration
	Width      display.WidthFunc
	// SettingsOnly shows nothing but the settings overlay; closing it ends the
	// form.
	SettingsOnly bool
	// Brackets marks the active tab with brackets, for screens without colour.
	Brackets bool
}

// State is one form, from its first frame to its end. It is not safe for
// concurrent use.
type State struct {
	opt    Options
	drafts *ask.Drafts
	form   ask.Form // cached; renewed when a type changes

	tab, option, action int
	view                View
	editQ, editOpt      int
	edit                *editor.Editor
	editSerial          int // grows at each opening, so that late results miss
	typingIn            int // the serial of the editor that the last key press was for; 0 for none

	settings settings.Settings
	overlay  *overlay

	armed        leave  // the dirty guard waits for this action again
	typePending  bool   // the type key waits for its second press
	typeNotice   string // "Now shown as …"
	reviewArmed  int    // 1..3: this digit waits for its second press
	clip         clipNotice
	configNotice string
	noAutoOpen   bool // after Esc in an editor, until the next command

	popup popup
	guard guard
	now   time.Duration

	scroll  scroll
	size    struct{ width, rows int }
	version int // grows with every change of answers or types
	lay     layoutCache

	ended       bool
	ending      ask.Ending
	interrupted bool
	stopAgent   bool
}

// New returns the form in its first state. The form must come from
// [ask.Normalize].
func New(form ask.Form, opt Options) *State {
	s := &State{opt: opt, drafts: ask.NewDrafts(form), settings: opt.Settings}
	s.form = s.drafts.Form()
	s.edit = editor.New(opt.Width)
	s.guard.off = opt.Quiet <= 0
	s.scroll.follow = true
	for _, n := range opt.Notices {
		s.configNotice = n.Text
	}
	if opt.SettingsOnly {
		s.openOverlay()
	}
	return s
}

// Apply lets one message happen at time now (since the form's start, never
// going back) and returns what is to be done outside.
func (s *State) Apply(now time.Duration, m Msg) []Effect {
	s.now = now
	if s.ended {
		if size, ok := m.(Resize); ok {
			s.resize(size)
			s.relayout()
		}
		return nil
	}
	var fx []Effect
	switch m := m.(type) {
	case Key:
		fx = s.key(m)
	case Paste:
		fx = s.paste(m.Text)
	case Resize:
		s.resize(m)
	case Mounted:
		s.typingIn = 0
		fx = s.guard.mount()
	case Shown:
		fx = s.guard.show(now, s.opt)
	case Tick:
		fx = s.tick(now)
	case Abort:
		s.interrupted = true
		fx = s.end(ask.Cancelled)
	case Settings:
		fx = s.applySettings(m.Settings, m.Notices)
	case Saved:
		fx = s.saved(m)
	case ClipboardRead:
		s.clipboardRead(m)
	case FilesFound:
		s.filesFound(m)
	case Edited:
		s.edited(m)
	case RemoteAnswer:
		fx = s.remote(m)
	case Click:
		fx = s.click(m)
	case Wheel:
		s.wheel(m)
	case OpenSettings:
		s.openOverlay()
	}
	if s.ended {
		return append(fx, Completed{})
	}
	s.relayout()
	return fx
}

func (s *State) resize(m Resize) { s.size.width, s.size.rows = m.Width, m.Rows }

func (s *State) tick(now time.Duration) []Effect {
	s.guard.check(now, s.opt)
	return s.guard.wake(now, s.opt)
}

// end completes the form.
func (s *State) end(e ask.Ending) []Effect {
	s.ended, s.ending = true, e
	s.overlay = nil
	s.popup = popup{}
	return nil
}

func (s *State) remote(m RemoteAnswer) []Effect {
	if m.Drafts == nil {
		s.stopAgent = true
		return s.end(ask.Cancelled)
	}
	s.drafts = m.Drafts
	if m.Mode == ask.Elaborate {
		return s.end(ask.Elaborated)
	}
	return s.end(ask.Submitted)
}

// onReview reports whether the Review tab is active.
func (s *State) onReview() bool { return s.tab == len(s.form.Questions) }

// editing reports whether an editor is open.
func (s *State) editing() bool { return s.view >= AnswerEditor }

// question is the active question; only valid off Review.
func (s *State) question() *ask.Question { return &s.form.Questions[s.tab] }

// customRow is the position of the active question's free-text row.
func (s *State) customRow() int { return len(s.question().Options) }

// hasCustom reports whether the question's free-text row holds anything.
func (s *State) hasCustom(q int) bool { return s.drafts.At(q).HasCustom() }

// changed notes that answers or types changed.
func (s *State) changed() {
	s.version++
	s.form = s.drafts.Form()
}

// dirty reports whether leaving would lose anything.
func (s *State) dirty() bool {
	return !s.drafts.Empty() || s.editing() && !s.edit.Empty()
}

// Accessors for hosts, tests and the headless driver.

// Ended reports whether the form has ended.
func (s *State) Ended() bool { return s.ended }

// Interrupted reports whether the form was ended from outside.
func (s *State) Interrupted() bool { return s.interrupted }

// StopAgent reports whether the user cancelled, which also stops the agent's
// current operation.
func (s *State) StopAgent() bool { return s.stopAgent }

// Result is the outcome; while the form is open it is what cancelling now
// would give.
func (s *State) Result() ask.Result {
	if !s.ended {
		return s.drafts.Result(ask.Cancelled)
	}
	return s.drafts.Result(s.ending)
}

// Drafts are the answers so far; read only.
func (s *State) Drafts() *ask.Drafts { return s.drafts }

// Ready reports whether the type-ahead guard lets keys through.
func (s *State) Ready() bool { return s.guard.ready() }

// View is the current view.
func (s *State) View() View { return s.view }

// Tab is the active tab: a question's position, or the number of questions
// for Review.
func (s *State) Tab() int { return s.tab }

// Option is the 0-based row cursor.
func (s *State) Option() int { return s.option }

// Action is the 0-based cursor among the Review actions.
func (s *State) Action() int { return s.action }

// ReviewArmed is the Review shortcut that waits for its second press: 0 for
// none, -1 where no hint is shown at all.
func (s *State) ReviewArmed() int {
	if !s.onReview() || !s.settings.Behaviour.DoublePressReviewShortcuts {
		return -1
	}
	return s.reviewArmed
}

// Editing is the question whose editor is open.
func (s *State) Editing() (question int, text string, open bool) {
	if !s.editing() {
		return 0, "", false
	}
	return s.editQ, s.edit.Text(), true
}

// PopupOpen reports whether file completions are shown.
func (s *State) PopupOpen() bool { return s.popup.open() }

// FooterHints reports whether the key hints are shown.
func (s *State) FooterHints() bool { return s.settings.Behaviour.ShowFooterHints }

// Settings are the settings in force.
func (s *State) Settings() settings.Settings { return s.settings }
