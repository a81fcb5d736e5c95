package form

import (
	"context"
	"errors"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/clipboard"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/files"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/term"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// Errors of [Run].
var (
	// ErrNoTerminal means that there is no terminal to show a form on.
	ErrNoTerminal = term.ErrNoTerminal
	// ErrInterrupted means that the form was ended from outside, by the
	// context, a signal or [Inline.Abort]: nobody answered. The result is a
	// cancelled one. A context's own error is wrapped beside it.
	ErrInterrupted = errors.New("the form was interrupted before the user answered")
)

// Types of the parts that a host may supply.
type (
	// Theme gives the roles of a form's parts their colours.
	Theme = paint.Theme
	// Color is one colour of a [Theme].
	Color = paint.Color
	// Clipboard reads the image that an editor attaches.
	Clipboard = clipboard.Reader
	// FileLister finds the files that are offered while @ is typed.
	FileLister = files.Lister
	// FileItem is one file that a [FileLister] offers.
	FileItem = files.Item
)

// SystemClipboard reads the clipboard with the system's tools, as a form does
// that has no [Options].Clipboard.
func SystemClipboard() Clipboard { return clipboard.System(nil) }

// Outcomes of a [Clipboard] that are no image.
var (
	ErrClipboardEmpty       = clipboard.ErrEmpty
	ErrClipboardUnavailable = clipboard.ErrUnavailable
	ErrClipboardFormat      = clipboard.ErrFormat
)

// DarkTheme and LightTheme are the built-in themes.
func DarkTheme() Theme  { return paint.Dark() }
func LightTheme() Theme { return paint.Light() }

// Options change how a form looks and what it may use. Nil and the zero value
// mean the defaults.
type Options struct {
	// Settings is the user's settings file. Nil takes the default settings,
	// and changes in the settings overlay last as long as the form.
	Settings *settings.Store
	// Theme: nil takes a theme for the terminal (COLORFGBG, NO_COLOR).
	Theme *Theme
	// Width measures text in columns; nil is [display.ClusterWidth]. A host
	// with a measure of its own must give it, so that no line is too wide.
	Width display.WidthFunc
	// Dir is where @ completion looks for files; "" is the working directory.
	Dir string
	// Files replaces the built-in completion.
	Files FileLister
	// Clipboard replaces the system's clipboard tools.
	Clipboard Clipboard
	// PasteImageKeys attach the clipboard's image while an editor is open,
	// as key ids that are shown as they are. Nil is "ctrl+v".
	PasteImageKeys []string
	// Edit opens a draft in an editor of the user's and returns the text it
	// was left with. [Run] has one by default ($VISUAL, $EDITOR), reached by
	// Ctrl+G; elsewhere nil means that there is none.
	Edit func(ctx context.Context, draft string) (string, error)
	// Guard is the quiet gap without key presses after which a form that just
	// opened takes keys: 0 is 300 ms for [Run] and off elsewhere, negative is
	// off. A form takes keys after a second in any case.
	Guard time.Duration
	// Terminal writes a notification's bytes to the terminal. Only for
	// [Inline] and [Primitive]; without it only command channels work.
	Terminal func([]byte) error
	// Mouse lets [Run] take clicks and the wheel, which takes the terminal's
	// own text selection away.
	Mouse bool
	// Accessible makes [Run] ask one line after the other, without cursor
	// movement and colour. ACCESSIBLE=1 and TERM=dumb do the same.
	Accessible bool
	// Presented says that the settings' PresentSingleAsMulti was applied to the
	// form already, as package queue does.
	Presented bool
	// CursorMarker is put into the lines of an [Inline] at the cursor.
	CursorMarker string
}

// guardMax is the time after which the type-ahead guard ends in any case.
const (
	guardQuiet = 300 * time.Millisecond
	guardMax   = time.Second
)

// Outcome is how a form ended.
type Outcome struct {
	Result ask.Result
	// Interrupted reports that the form was ended from outside; the result is
	// a cancelled one.
	Interrupted bool
	// StopAgent reports that the user cancelled, which also stops what the
	// agent is doing.
	StopAgent bool
	// Err is a fault that ended the form, in it or in a function of the host's
	// that panicked. The result is a cancelled one, but nobody cancelled.
	Err error
}

// Text is the outcome for the agent.
func (o Outcome) Text() string {
	if o.Interrupted {
		return ask.InterruptedText
	}
	return o.Result.AgentText()
}
