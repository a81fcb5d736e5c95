//go:build unix

package form

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"go.uber.org/goleak"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/term"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// plainChild is the variable that makes the test binary run a form, and says
// when its context ends: "stay" or "cancel".
const plainChild = "FORM_TEST_PLAIN_CHILD"

// plainSettings names the settings file of that form.
const plainSettings = "FORM_TEST_PLAIN_SETTINGS"

// TestPlainLinesChild runs in a process of its own, whose controlling terminal
// is the test's. It prints the outcome to a pipe.
func TestPlainLinesChild(t *testing.T) {
	mode := os.Getenv(plainChild)
	if mode == "" {
		t.Skip("runs as a child of the other tests")
	}
	defer goleak.VerifyNone(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if mode == "cancel" {
		time.AfterFunc(100*time.Millisecond, cancel)
	}
	f, err := ask.Normalize(ask.Payload{Title: "Setup", Questions: []ask.Question{{
		ID: "store", Label: "Store", Prompt: "Where to \x1b[1mkeep\x1b[0m data?",
		Options: []ask.Option{{Value: "sqlite", Label: "SQLite"}, {Value: "pg", Label: "Postgres"}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	var o Options
	if path := os.Getenv(plainSettings); path != "" {
		o.Settings = settings.Open(path, nil)
	}
	result, err := Run(ctx, f, &o)
	var by *term.SignalError
	fmt.Printf("interrupted=%v canceled=%v signal=%v other=%v cancelled=%v text=%q\n", errors.Is(err, ErrInterrupted), errors.Is(err, context.Canceled),
		errors.As(err, &by), err != nil && !errors.Is(err, ErrInterrupted), result.Cancelled, result.AgentText())
}

// plainForm is a form that runs in another process.
type plainForm struct {
	t      *testing.T
	cmd    *exec.Cmd
	tty    *os.File
	said   strings.Builder
	heard  int // bytes of said that were awaited
	stdout bytes.Buffer
}

func startPlain(t *testing.T, mode string, env ...string) *plainForm {
	t.Helper()
	p := &plainForm{t: t, cmd: exec.Command(os.Args[0], "-test.run=^TestPlainLinesChild$")}
	p.cmd.Env = append(append(os.Environ(), plainChild+"="+mode), env...)
	p.cmd.Stdout = &p.stdout
	tty, err := pty.StartWithSize(p.cmd, &pty.Winsize{Rows: 24, Cols: 60})
	if err != nil {
		t.Fatal(err)
	}
	p.tty = tty
	hung := time.AfterFunc(30*time.Second, func() { _ = p.cmd.Process.Kill() }) // ends reads of tty too
	t.Cleanup(func() {
		hung.Stop()
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		_ = tty.Close()
	})
	return p
}

// await reads what the form says until a text comes, behind the one that was
// awaited before.
func (p *plainForm) await(text string) {
	p.t.Helper()
	var buf [4096]byte
	for {
		if at := strings.Index(p.said.String()[p.heard:], text); at >= 0 {
			p.heard += at + len(text)
			return
		}
		n, err := p.tty.Read(buf[:])
		p.said.Write(buf[:n])
		if err != nil {
			p.t.Fatalf("%q is not said (%v):\n%s", text, err, p.said.String())
		}
	}
}

func (p *plainForm) typeLine(text string) {
	p.t.Helper()
	if _, err := p.tty.WriteString(text + "\n"); err != nil {
		p.t.Fatal(err)
	}
}

// outcome waits for the end of the process and returns what it printed.
func (p *plainForm) outcome() string {
	p.t.Helper()
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("%v: %s", err, p.stdout.String())
	}
	line, _, _ := strings.Cut(p.stdout.String(), "\n")
	return line
}

func TestPlainLinesOnATerminal(t *testing.T) {
	for _, env := range []string{"TERM=dumb", "ACCESSIBLE=1"} {
		t.Run(env, func(t *testing.T) {
			p := startPlain(t, "stay", "TERM=xterm-256color", "ACCESSIBLE=", env)
			p.await("Choice: ")
			p.typeLine("note 2")
			p.await("Text: ")
			p.typeLine("zażółć")
			p.await("Text: ")
			p.typeLine(".")
			p.await("Choice: ")
			p.typeLine("2")
			p.await("Review: ")
			p.typeLine("submit")
			p.await("Submitted.")
			want := `interrupted=false canceled=false signal=false other=false cancelled=false text="Store: Postgres\nStore / Postgres note: zażółć"`
			if got := p.outcome(); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			p.checkPlain()
		})
	}
}

// checkPlain looks for control characters, apart from the bell that calls the
// user when the form opens.
func (p *plainForm) checkPlain() {
	p.t.Helper()
	for _, r := range strings.Replace(p.said.String(), "\a", "", 1) {
		if r < ' ' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 {
			p.t.Fatalf("a control character was written: %q", p.said.String())
		}
	}
	for l := range strings.SplitSeq(p.said.String(), "\r\n") {
		if len([]rune(l)) > 61 {
			p.t.Errorf("a line is wider than the terminal: %q", l)
		}
	}
}

func TestPlainLinesFollowTheSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	store := settings.Open(path, nil)
	for _, name := range []settings.Setting{settings.AutoSubmit, settings.PresentSingleAsMulti} {
		if err := store.Set(name, true); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Set(settings.NotificationsEnabled, false); err != nil {
		t.Fatal(err)
	}
	p := startPlain(t, "stay", "TERM=dumb", plainSettings+"="+path)
	p.await("Choice: ")
	p.typeLine("help")
	p.await("Settings are in the file")
	p.await("Choice: ")
	p.typeLine("1 2")
	p.await("Choice: ")
	p.typeLine("next")
	p.await("Submitted.")
	const want = `cancelled=false text="Store: SQLite, Postgres\nNote: some answers were given on questions presented as multi-select (the user's choice)."`
	if got := p.outcome(); !strings.HasSuffix(got, want) {
		t.Errorf("got  %s\nwant … %s", got, want)
	}
	if strings.Contains(p.said.String(), "\a") {
		t.Error("the bell rings although notifications are off")
	}
}

func TestPlainLinesSayWhatIsWrongWithTheSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := startPlain(t, "stay", "TERM=dumb", plainSettings+"="+path)
	p.await("Choice: ")
	if !strings.Contains(p.said.String(), "\r\nNotice: ") {
		t.Errorf("no notice in\n%s", p.said.String())
	}
	p.typeLine("cancel")
	p.await("Cancelled.")
	if got := p.outcome(); !strings.HasPrefix(got, "interrupted=false") || !strings.Contains(got, "cancelled=true") {
		t.Error(got)
	}
}

func TestPlainLinesInterrupted(t *testing.T) {
	const text = `cancelled=true text="The user cancelled the form; nothing was approved."`
	for _, c := range []struct {
		name, mode string
		end        func(*plainForm)
		want       string
	}{
		{"by the context", "cancel", func(*plainForm) {}, "interrupted=true canceled=true signal=false"},
		{"by Ctrl+C", "stay", func(p *plainForm) { _, _ = p.tty.WriteString("\x03") }, "interrupted=true canceled=false signal=true"},
		{"by SIGTERM", "stay", func(p *plainForm) { _ = p.cmd.Process.Signal(syscall.SIGTERM) }, "interrupted=true canceled=false signal=true"},
		{"by Ctrl+D", "stay", func(p *plainForm) { _, _ = p.tty.WriteString("\x04") }, "interrupted=true canceled=false signal=false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := startPlain(t, c.mode, "TERM=dumb")
			p.await("Choice: ")
			c.end(p)
			p.await("Nothing was sent.")
			if got, want := p.outcome(), c.want+" other=false "+text; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestPlainLinesWithoutATerminal(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestPlainLinesWithoutATerminalChild$")
	cmd.Env = append(os.Environ(), plainChild+"=none", "TERM=dumb")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.Output()
	if line, _, _ := strings.Cut(string(out), "\n"); err != nil || line != "no terminal: true, cancelled: true" {
		t.Errorf("got %q (%v)", out, err)
	}
}

func TestPlainLinesWithoutATerminalChild(t *testing.T) {
	if os.Getenv(plainChild) != "none" {
		t.Skip("runs as a child of the test before")
	}
	f, err := ask.Normalize(ask.Payload{Questions: []ask.Question{{ID: "a", Prompt: "A?", Options: []ask.Option{{Value: "a", Label: "A"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	result, err := Run(context.Background(), f, nil)
	fmt.Printf("no terminal: %v, cancelled: %v\n", errors.Is(err, ErrNoTerminal), result.Cancelled)
}
