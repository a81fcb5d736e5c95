package ui

import (
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/files"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// Msg is one thing that happens to a form. Everything that changes a [State]
// is a Msg.
type Msg interface{ msg() }

type (
	// Key is one key press: a canonical key id (form key ids), the text that
	// it types, or both. Repeat says that the key is still held down.
	Key struct {
		ID, Text string
		Repeat   bool
	}
	// Paste is one bracketed paste, as the terminal sent it.
	Paste struct{ Text string }
	// Resize gives the columns and rows that the form may use.
	Resize struct{ Width, Rows int }
	// Mounted says that the form was put on the screen (again): the
	// type-ahead guard starts anew.
	Mounted struct{}
	// Shown says that a frame reached the screen.
	Shown struct{}
	// Tick lets time pass; it answers a [Wake].
	Tick struct{}
	// Abort ends the form for a reason outside of it.
	Abort struct{}
	// Settings carries settings that were applied, whoever changed them, and
	// the notices that are in force now.
	Settings struct {
		Settings settings.Settings
		Notices  []settings.Notice
	}
	// Saved is the outcome of a [SaveSetting] or [ResetSettings].
	Saved struct {
		Settings settings.Settings
		Notices  []settings.Notice
	}
	// ClipboardRead is the outcome of a [ReadClipboard].
	ClipboardRead struct {
		Token  int
		Images []ask.Image
		Err    error
	}
	// FilesFound is the outcome of a [FindFiles].
	FilesFound struct {
		Token int
		Items []files.Item
	}
	// Edited is the outcome of an [EditDraft].
	Edited struct {
		Token int
		Text  string
		Err   error
	}
	// RemoteAnswer completes the form with answers that were validated
	// elsewhere; a nil Drafts cancels it.
	RemoteAnswer struct {
		Drafts *ask.Drafts
		Mode   ask.Mode
	}
	// Click and Wheel are mouse events in cells of the form's frame.
	Click struct{ X, Y int }
	Wheel struct{ Up bool }
	// OpenSettings opens the settings overlay, like the settings key.
	OpenSettings struct{}
)

func (Key) msg()           {}
func (Paste) msg()         {}
func (Resize) msg()        {}
func (Mounted) msg()       {}
func (Shown) msg()         {}
func (Tick) msg()          {}
func (Abort) msg()         {}
func (Settings) msg()      {}
func (Saved) msg()         {}
func (ClipboardRead) msg() {}
func (FilesFound) msg()    {}
func (Edited) msg()        {}
func (RemoteAnswer) msg()  {}
func (Click) msg()         {}
func (Wheel) msg()         {}
func (OpenSettings) msg()  {}

// Effect is something that the form wants done outside of the state. Outcomes
// come back as messages; a message with an old token is dropped.
type Effect interface{ effect() }

type (
	// SaveSetting asks to store one setting.
	SaveSetting struct {
		Name  settings.Setting
		Value bool
	}
	// ResetSettings asks to store the default settings.
	ResetSettings struct{}
	// ReadClipboard asks for the image on the clipboard.
	ReadClipboard struct{ Token int }
	// FindFiles asks for completions: of an @ query, or of a plain path.
	FindFiles struct {
		Token int
		Query string
		Path  bool
	}
	// EditDraft asks to open the draft in the user's own editor.
	EditDraft struct {
		Token int
		Text  string
	}
	// Wake asks for a [Tick] at a time since the form's start.
	Wake struct{ At time.Duration }
	// Completed says that the form has ended; it is the last effect.
	Completed struct{}
)

func (SaveSetting) effect()   {}
func (ResetSettings) effect() {}
func (ReadClipboard) effect() {}
func (FindFiles) effect()     {}
func (EditDraft) effect()     {}
func (Wake) effect()          {}
func (Completed) effect()     {}
