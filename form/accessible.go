package form

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	xterm "golang.org/x/term"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/dialogue"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/notify"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/term"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// accessible reports whether the user wants plain lines: by the option, by
// ACCESSIBLE set to something else than 0 or false, or by a terminal that has
// nothing else.
func accessible(o *Options) bool {
	if o != nil && o.Accessible {
		return true
	}
	switch strings.ToLower(os.Getenv("ACCESSIBLE")) {
	case "", "0", "false":
		return os.Getenv("TERM") == "dumb"
	}
	return true
}

// runAccessible is [Run] with plain lines. It uses the controlling terminal in
// the mode it is in, which stays untouched: the user edits a line with the
// keys of the terminal, and Ctrl+C interrupts. There is no type-ahead guard: a
// line is taken whole, and no stray one submits.
//
// When the context ends, a pending read is ended by closing the terminal. On
// systems where that does not end a read, the goroutine that reads stays until
// the next line.
func runAccessible(ctx context.Context, f ask.Form, o *Options) (ask.Result, error) {
	var opt Options
	if o != nil {
		opt = *o
	}
	in, out, err := openTerminal()
	if err != nil {
		return ask.NewDrafts(f).Result(ask.Cancelled), err
	}
	ctx, cancel := signalContext(ctx)
	defer cancel()
	defer func() { _, _ = in.Close(), out.Close() }()
	defer context.AfterFunc(ctx, func() { unblock(in, out) })()

	now, notices := settings.Default(), []settings.Notice(nil)
	d := dialogue.Options{Width: opt.Width}
	d.Columns, d.PageLines = pageSize(out)
	var beside sync.WaitGroup // what runs beside the form, and ends with ctx
	defer beside.Wait()
	defer cancel()
	if store := opt.Settings; store != nil {
		now, notices = store.Load()
		d.SettingsPath = store.Path()
		d.Behaviour = func() settings.Behaviour { return store.Current().Behaviour }
		beside.Go(func() { store.Watch(ctx) })
	}
	for _, n := range notices {
		d.Notices = append(d.Notices, n.Text)
	}
	if now.Behaviour.PresentSingleAsMulti {
		f = f.PresentSinglesAsMulti()
	}
	d.Waiting = func() {
		if now.Notifications.Enabled {
			beside.Go(func() { notifyPlain(ctx, now.Notifications.Channels, f.Questions[0], out) })
		}
	}
	ending, drafts, err := dialogue.Run(ctx, in, out, f, &d)
	result := drafts.Result(ending)
	switch {
	case ctx.Err() != nil && err != nil:
		return result, interrupted(whyEnded(ctx))
	case errors.Is(err, dialogue.ErrInputEnded):
		return result, interrupted(err)
	case err != nil:
		return result, fmt.Errorf("%w: %w", term.ErrTerminalGone, err)
	}
	return result, nil
}

// signalContext returns a context that also ends by the signals that end a
// form, unless the process ignores them. The cause is a [term.SignalError].
func signalContext(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		select {
		case s := <-signals:
			cancel(&term.SignalError{Signal: s})
		case <-ctx.Done():
		}
		signal.Stop(signals)
	}()
	return ctx, func() { cancel(nil) }
}

// whyEnded returns the signal that ended a context, or the context's error.
func whyEnded(ctx context.Context) error {
	var signal *term.SignalError
	if errors.As(context.Cause(ctx), &signal) {
		return signal
	}
	return ctx.Err()
}

// unblock ends a pending read, and a pending write after a moment in which the
// last words may be written.
func unblock(in, out *os.File) {
	_ = in.Close()
	if err := out.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
		_ = out.Close()
	}
}

// pageSize returns the columns of a terminal and the lines of one page, with
// room for what is said around it. Zero means unknown.
func pageSize(f *os.File) (columns, lines int) {
	// File.Fd would make reads block for good.
	c, err := f.SyscallConn()
	if err != nil {
		return 0, 0
	}
	const around, least = 4, 5
	_ = c.Control(func(fd uintptr) {
		if w, h, err := xterm.GetSize(int(fd)); err == nil && w > 0 && h > 0 {
			columns, lines = w, max(h-around, least)
		}
	})
	return columns, lines
}

// notifyPlain sends the notification of a form with plain lines. Of what the
// user chose, the terminal gets the bell only: a dumb one would print the rest.
func notifyPlain(ctx context.Context, channels []settings.Channel, q ask.Question, out *os.File) {
	bell := func(b []byte) error {
		if string(b) != "\a" {
			return errors.New("the terminal has plain lines only")
		}
		_, err := out.Write(b)
		return err
	}
	notify.Send(ctx, channels, notify.NewPayload(q), &notify.Options{Terminal: bell})
}
