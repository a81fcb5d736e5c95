// Package form asks a person questions in the terminal: tabs, choices, free
// text, notes, previews, and a review before anything is sent.
//
// There are three ways to run one form:
//
//	result, err := form.Run(ctx, f, nil)   // on a terminal of its own
//	p := form.New(f, nil)                  // a tview primitive, in your application
//	in := form.NewInline(f, nil)           // lines for a slot in somebody's TUI
//
// All three draw the same cells and take the same keys. A form f comes from
// [ask.Normalize].
package form

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/term"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/ui"
)

// Run shows the form on the controlling terminal, whatever stdin and stdout
// are, until it is answered or cancelled. The terminal is as before when Run
// returns. A form that the user cancelled is no error: the result says so.
// Run returns as soon as ctx ends; what is typed after that is for whoever reads
// the terminal next, and another form takes no keys before a short pause.
//
// Errors: [ErrInterrupted] (the context ended or a signal came; the result is
// a cancelled one), [ErrNoTerminal], or what went wrong with the terminal.
// Run may be called again, but not twice at the same time on one terminal.
func Run(ctx context.Context, f ask.Form, o *Options) (ask.Result, error) {
	if len(f.Questions) == 0 {
		return ask.Result{}, errors.New("form: a form needs a question; use ask.Normalize")
	}
	if err := ctx.Err(); err != nil {
		return ask.NewDrafts(f).Result(ask.Cancelled), interrupted(err)
	}
	if accessible(o) {
		return runAccessible(ctx, f, o)
	}
	r := runner{}
	r.open(f, o, false)
	err := term.Run(ctx, &term.Options{Theme: r.session.opt.Theme, Widths: r.session.opt.Width, Mouse: r.session.opt.Mouse}, r.app())
	r.session.close()
	out := r.session.outcome()
	if err == nil {
		return out.Result, out.Err
	}
	var signal *term.SignalError
	if ctx.Err() != nil || errors.As(err, &signal) {
		return out.Result, interrupted(err)
	}
	return out.Result, err
}

// RunSettings shows the settings overlay on the controlling terminal until the
// user closes it. Errors are those of [Run].
func RunSettings(ctx context.Context, o *Options) error {
	r := runner{}
	r.open(ask.Form{}, o, true)
	err := term.Run(ctx, &term.Options{Theme: r.session.opt.Theme, Widths: r.session.opt.Width}, r.app())
	r.session.close()
	if err == nil {
		err = r.session.outcome().Err
	}
	return err
}

func interrupted(by error) error { return fmt.Errorf("%w: %w", ErrInterrupted, by) }

// runner is a form on a terminal of its own.
type runner struct {
	session *session
	loop    *term.Loop
	rows    []paint.Row // of the frame that is drawn
	spans   paint.Row
}

func (r *runner) open(f ask.Form, o *Options, settingsOnly bool) {
	var opt Options
	if o != nil {
		opt = *o
	}
	if opt.Edit == nil {
		opt.Edit = r.edit
	}
	if opt.Terminal == nil {
		opt.Terminal = r.write
	}
	guard := guardQuiet
	if settingsOnly {
		guard = 0 // it opens because the user said so
	}
	r.session = openSession(f, &opt, guard, settingsOnly)
}

func (r *runner) app() term.App {
	s := r.session
	return term.App{
		Start: func(l *term.Loop) {
			r.loop = l
			s.onChange(func() { l.Post(func() {}) })
		},
		Draw: func(width, height int) (out paint.Frame) {
			s.frame(width, height, func(f paint.Frame) { out = r.keep(f) })
			return out
		},
		Shown: s.wasShown,
		Key:   func(id, text string, repeat bool) { s.apply(ui.Key{ID: id, Text: text, Repeat: repeat}) },
		Paste: func(text string) { s.apply(ui.Paste{Text: text}) },
		Mouse: func(m term.Mouse) {
			if m.Action == term.Click {
				s.apply(ui.Click{X: m.X, Y: m.Y})
				return
			}
			s.apply(ui.Wheel{Up: m.Action == term.WheelUp})
		},
		Binds: s.binds,
		Done:  s.ended,
	}
}

// keep copies a frame, which the session may change as soon as it is unlocked.
// The copy lasts until the next one.
func (r *runner) keep(f paint.Frame) paint.Frame {
	r.rows, r.spans = r.rows[:0], r.spans[:0]
	for _, row := range f.Rows {
		r.spans = append(r.spans, row...)
	}
	from := 0
	for _, row := range f.Rows {
		r.rows = append(r.rows, r.spans[from:from+len(row)])
		from += len(row)
	}
	f.Rows = r.rows
	return f
}

// write puts a notification's bytes on the terminal.
func (r *runner) write(b []byte) error {
	done := make(chan error, 1)
	if !r.loop.Post(func() { done <- r.loop.Write(b) }) {
		return term.ErrTerminalGone
	}
	select {
	case err := <-done:
		return err
	case <-r.session.ctx.Done():
		return r.session.ctx.Err()
	}
}

// edit opens a draft in $VISUAL or $EDITOR while the form steps aside.
func (r *runner) edit(ctx context.Context, draft string) (string, error) {
	type outcome struct {
		text string
		err  error
	}
	done := make(chan outcome, 1)
	posted := r.loop.Post(func() {
		var out outcome
		out.err = r.loop.Release(func() (err error) {
			out.text, err = editFile(draft)
			return err
		})
		done <- out
	})
	if !posted {
		return "", term.ErrTerminalGone
	}
	select {
	case out := <-done:
		return out.text, out.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// editFile runs the user's editor on a temporary file, which nobody else can
// read and which is gone afterwards.
func editFile(draft string) (string, error) {
	name := os.Getenv("VISUAL")
	if name == "" {
		name = os.Getenv("EDITOR")
	}
	if name == "" {
		return "", errors.New("set VISUAL or EDITOR to edit a draft there")
	}
	file, err := os.CreateTemp("", "pi-agent-ask-*.md")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	if _, err := file.WriteString(draft); err != nil {
		return "", err
	}
	if err := file.Close(); err != nil {
		return "", err
	}
	words := strings.Fields(name) // "code --wait" is a usual value
	cmd := exec.Command(words[0], append(words[1:], file.Name())...)
	in, out, err := openTerminal()
	if err != nil {
		return "", err
	}
	defer func() { _, _ = in.Close(), out.Close() }()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	text, err := os.ReadFile(file.Name())
	return strings.TrimSuffix(string(text), "\n"), err
}

// openTerminal opens the controlling terminal: stdin and stdout may be pipes.
func openTerminal() (in, out *os.File, err error) {
	inName, outName := "/dev/tty", "/dev/tty"
	if runtime.GOOS == "windows" {
		inName, outName = "CONIN$", "CONOUT$"
	}
	if in, err = os.OpenFile(inName, os.O_RDWR, 0); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNoTerminal, err)
	}
	if out, err = os.OpenFile(outName, os.O_RDWR, 0); err != nil {
		_ = in.Close()
		return nil, nil, fmt.Errorf("%w: %w", ErrNoTerminal, err)
	}
	return in, out, nil
}
