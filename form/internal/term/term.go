// Package term runs a form on the controlling terminal: it owns the terminal
// while the form is open, turns what the user does into key ids, texts and
// pastes, shows frames, and leaves the terminal as it was, whatever happens.
//
//	err := term.Run(ctx, nil, term.App{
//		Draw: func(width, height int) paint.Frame { return layout(state, width, height) },
//		Key:  func(id, text string, repeat bool) { state.Apply(id, text, repeat) },
//		Done: func() bool { return state.Done() },
//	})
//
// All callbacks run on one goroutine, one after the other. Nothing runs, and no
// timer is set, while nothing happens.
//
// The terminal is restored on every way out: return, error, cancelled context,
// panic, SIGINT, SIGTERM, SIGHUP. Only SIGKILL leaves it as it is: nothing can
// be done about it from the inside, a parent that sees its child die this way
// has to reset the terminal (ESC [ < u, ESC [ ? 1049 l, ESC [ ? 2004 l, ESC [ ? 25 h
// and `stty sane`).
package term

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
)

// Why [Run] could not start or go on.
var (
	// ErrNoTerminal means that there is no controlling terminal, or one that
	// cannot show a form.
	ErrNoTerminal = errors.New("no usable terminal")
	// ErrTerminalGone means that the terminal went away while the form was open.
	ErrTerminalGone = errors.New("the terminal went away")
)

// SignalError is returned when a signal ended the form.
type SignalError struct{ Signal os.Signal }

func (e *SignalError) Error() string { return "ended by signal: " + e.Signal.String() }

// PanicError is returned when a callback, or a function given to [Loop.Post],
// panicked.
type PanicError struct {
	Value any
	Stack []byte // of the goroutine that panicked
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic in the form: %v", e.Value) }

// Unwrap returns the value of the panic if it was an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// App is what runs on the terminal. Draw and Done are required, the others may
// be nil.
type App struct {
	// Start is called once, when the terminal is ready and nothing is drawn yet.
	Start func(*Loop)
	// Draw returns the picture for a screen of this size. Missing rows are
	// blank, what is too much is cut off.
	Draw func(width, height int) paint.Frame
	// Shown is called after a frame was written to the terminal.
	Shown func()
	// Key is one key press: a canonical key id, the text that the key types, or
	// both. repeat says that the key is still held down. See [Run].
	Key func(id, text string, repeat bool)
	// Paste is one bracketed paste, line ends as the terminal sent them.
	Paste func(text string)
	// Resize says that the screen has a new size; Draw follows.
	Resize func(width, height int)
	// Mouse is called for clicks and the wheel if [Options.Mouse] is set.
	Mouse func(Mouse)
	// Binds reports whether the app wants this key for itself. It is asked
	// about ctrl+z, which otherwise suspends the process.
	Binds func(id string) bool
	// Done reports that the app has ended. It is asked after every callback.
	Done func() bool
}

// Mouse is a press of a button or a turn of the wheel, in cells from the upper
// left.
type Mouse struct {
	X, Y   int
	Action MouseAction
}

// MouseAction is what the mouse did.
type MouseAction uint8

// The actions that are reported; releases, motion and other buttons are not.
const (
	Click MouseAction = iota
	WheelUp
	WheelDown
)

// Options change how [Run] behaves. Nil means the defaults.
type Options struct {
	// Theme is used for all frames; nil takes [paint.ForTerminal].
	Theme *paint.Theme
	// Widths measures clusters; nil takes [display.ClusterWidth].
	Widths display.WidthFunc
	// Mouse asks the terminal for clicks and wheel turns, which takes its own
	// text selection away from the user.
	Mouse bool
	// EscapeDelay is how long a lone ESC byte may be the start of a longer key
	// sequence; 0 takes 50 ms.
	EscapeDelay time.Duration
	// PasteTimeout is how long a paste may pause before it is taken as ended
	// although its end mark is missing; 0 takes 2 s.
	PasteTimeout time.Duration
}

// Run shows app on the controlling terminal until app is done, ctx is
// cancelled, a signal arrives, or something fails. Standard input and output
// are not used and may be pipes. The terminal is restored when Run returns.
//
// Errors: nil when app is done, [ErrNoTerminal] or [ErrTerminalGone] (wrapped),
// ctx.Err(), [*SignalError], [*PanicError]. SIGINT, SIGTERM and SIGHUP are
// handled unless the process ignores them.
//
// Key ids are those of the settings file: modifiers in the order ctrl, shift,
// alt, super, then the base key, for example "enter", "shift+n", "ctrl+alt+d".
// Upper-case letters have a shift id and their text. Characters without an id
// come as text only, a whole grapheme cluster at a time where the terminal
// sends it at once. Key releases are dropped; repeats are told apart where the
// terminal does so, by a mark or by releases.
func Run(ctx context.Context, opt *Options, app App) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if opt == nil {
		opt = &Options{}
	}
	l, err := open(ctx, *opt, app)
	if err != nil {
		return err
	}
	err = l.run()
	return l.close(err)
}
