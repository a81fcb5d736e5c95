//go:build unix

package term

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
)

// The tests start this test binary again as the program on the terminal.
const (
	childMode = "TERM_TEST_CHILD"
	childLog  = "TERM_TEST_LOG"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		os.Exit(child(mode))
	}
	if signal.Ignored(syscall.SIGHUP) { // under nohup; what we start must not inherit it
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	goleak.VerifyTestMain(m)
}

// child runs a small app and writes what happens to it into a log file.
func child(mode string) int {
	log, err := os.OpenFile(os.Getenv(childLog), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return 9
	}
	say := func(format string, args ...any) { fmt.Fprintf(log, format+"\n", args...) }
	before := goleak.IgnoreCurrent()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if mode == "nohup" {
		signal.Ignore(syscall.SIGHUP)
	}
	theme := paint.Dark()
	opt := &Options{Theme: &theme, Mouse: mode == "mouse" || mode == "panic-key", PasteTimeout: 300 * time.Millisecond}
	err = Run(ctx, opt, childApp(mode, say, cancel))
	if p := new(PanicError); errors.As(err, &p) && strings.Contains(string(p.Stack), "childApp") {
		say("the stack is there")
	}
	say("end: %v", err)
	if errors.Is(err, ErrNoTerminal) {
		say("no terminal")
	}
	if err := goleak.Find(before, goleak.IgnoreTopFunction("os/signal.signal_recv"), goleak.IgnoreTopFunction("os/signal.loop")); err != nil {
		say("leak: %v", err)
	}
	return 0
}

func childApp(mode string, say func(string, ...any), cancel func()) App {
	var (
		loop *Loop
		done bool
		last = "-"
		w, h int
	)
	return App{
		Start: func(l *Loop) { loop = l },
		Draw: func(width, height int) paint.Frame {
			w, h = width, height
			if mode == "panic-draw" && last != "-" {
				panic("oh no")
			}
			rows := []paint.Row{
				{{Text: "ready", Style: paint.Style{Fg: "accent", Bold: true}}},
				{{Text: fmt.Sprintf("size %dx%d", w, h)}},
				{{Text: "last " + last}},
			}
			return paint.Frame{Width: width, Rows: rows, CursorRow: 2, CursorCol: 0}
		},
		Key: func(id, text string, _ bool) {
			last = strings.TrimSpace(id + " " + text)
			say("key %s", last)
			switch {
			case id == "ctrl+q":
				done = true
			case id == "x" && mode == "panic-key":
				panic(errors.New("oh no"))
			case id == "x" && mode == "panic-post":
				loop.Post(func() { panic("oh no") })
			case id == "x" && mode == "cancel":
				cancel()
			case id == "x" && mode == "release":
				_ = loop.Release(func() error { _, err := fmt.Fprint(os.Stderr, "IN BETWEEN\r\n"); return err })
				last = "back"
			case id == "x" && mode == "flood":
				for !done { // until the terminal takes no more
					_, _ = loop.gate.Write([]byte(strings.Repeat("x", 4096)))
					select {
					case <-loop.gate.broken:
						return
					default:
					}
				}
			}
		},
		Paste:  func(text string) { last = "paste"; say("paste %d %.60q", len(text), text) },
		Resize: func(w, h int) { say("resize %dx%d", w, h) },
		Mouse:  func(m Mouse) { say("mouse %d,%d %d", m.X, m.Y, m.Action) },
		Binds:  func(id string) bool { return mode == "bind-ctrl-z" },
		Done:   func() bool { return done },
	}
}
