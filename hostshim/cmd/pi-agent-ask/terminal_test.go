//go:build linux || darwin

package main

import (
	"bytes"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// patience is how long a test waits before it gives up; nothing takes that
// long unless it is broken.
const patience = 20 * time.Second

// terminal is the command on a terminal of its own. Its stdin and stdout are
// none, as in a pipeline: only the controlling terminal is one.
type terminal struct {
	t              *testing.T
	home           string
	cmd            *exec.Cmd
	ptm, tty       *os.File
	mode           *term.State // before the start
	stdout, stderr bytes.Buffer
	end            chan error

	mu  sync.Mutex
	out bytes.Buffer // what came to the terminal
	emu *vt.Emulator
}

const release = `{"title": "Release", "questions": [
 {"id": "target", "label": "Target", "prompt": "Where to?", "options": [
  {"value": "staging", "label": "Staging", "recommended": true}, {"value": "prod", "label": "Production"}]},
 {"id": "checks", "label": "Checks", "prompt": "Which checks?", "type": "multi", "options": [
  {"value": "unit", "label": "Unit tests"}, {"value": "e2e", "label": "Whole system"}]}]}`

// onTerminal prepares the command; adjust its cmd before start.
func onTerminal(t *testing.T, args ...string) *terminal {
	t.Helper()
	s := &terminal{t: t, home: t.TempDir(), end: make(chan error, 1), emu: vt.NewEmulator(80, 24)}
	ptm, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo terminals here: ", err)
	}
	s.ptm, s.tty = pollable(t, ptm), tty
	s.resize(80, 24)
	if s.mode, err = term.GetState(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	s.cmd = commandLine(t.Context(), s.home, args...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = strings.NewReader(release), &s.stdout, &s.stderr
	s.cmd.ExtraFiles = []*os.File{tty}
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	return s
}

// openForm starts "run" with a few flags and waits for the form.
func openForm(t *testing.T, args ...string) *terminal {
	t.Helper()
	s := onTerminal(t, append([]string{"run"}, args...)...)
	s.start()
	s.ready()
	return s
}

func (s *terminal) start() {
	s.t.Helper()
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() { s.end <- s.cmd.Wait() }()
	var reader sync.WaitGroup
	reader.Go(func() {
		buf := make([]byte, 32<<10)
		for {
			n, err := s.ptm.Read(buf)
			s.mu.Lock()
			s.out.Write(buf[:n])
			_, _ = s.emu.Write(buf[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	})
	// The emulator answers questions of the program; nobody needs the answers.
	s.t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = s.tty.Close()
		_ = s.ptm.Close()
		reader.Wait()
	})
}

// ready waits until the type-ahead guard takes keys.
func (s *terminal) ready() {
	s.t.Helper()
	s.until(s.screen, "❯ 1.")
}

func (s *terminal) resize(cols, rows int) {
	s.t.Helper()
	s.mu.Lock() // before the program knows, or its new picture would be cut
	s.emu.Resize(cols, rows)
	s.mu.Unlock()
	conn, err := s.ptm.SyscallConn()
	if err != nil {
		s.t.Fatal(err)
	}
	_ = conn.Control(func(fd uintptr) {
		err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(cols), Row: uint16(rows)})
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// pollable returns the file in non-blocking mode, so that closing it does not
// wait for its reader.
func pollable(t *testing.T, f *os.File) *os.File {
	t.Helper()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if err := unix.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), f.Name())
}

func (s *terminal) send(keys string) {
	s.t.Helper()
	if _, err := s.ptm.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

func (s *terminal) screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emu.String()
}

func (s *terminal) output() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

// until waits for a text to appear in what get returns.
func (s *terminal) until(get func() string, want string) {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if strings.Contains(get(), want) {
			return
		}
	}
	s.t.Fatalf("no %q in\n%s", want, get())
}

// wait waits for the end and returns the exit code.
func (s *terminal) wait() int {
	s.t.Helper()
	select {
	case <-s.end:
	case <-time.After(patience):
		s.t.Fatalf("the command does not end; screen:\n%s", s.screen())
	}
	return s.cmd.ProcessState.ExitCode()
}

// ends checks the exit code, and that the terminal is as it was.
func (s *terminal) ends(code int) {
	s.t.Helper()
	if got := s.wait(); got != code {
		s.t.Errorf("exit %d, want %d; stderr: %s", got, code, &s.stderr)
	}
	mode, err := term.GetState(int(s.tty.Fd()))
	if err != nil {
		s.t.Fatal(err)
	}
	if !reflect.DeepEqual(mode, s.mode) {
		s.t.Errorf("the terminal's mode has changed: %v, was %v", mode, s.mode)
	}
	var left []string
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if left = leftOn(s.output()); len(left) == 0 {
			return
		}
	}
	s.t.Errorf("still switched on: %q", left)
}

var (
	privateMode = regexp.MustCompile(`\x1b\[\?([\d;]+)([hl])`)
	kittyStack  = regexp.MustCompile(`\x1b\[([<>])\d*u`)
)

// leftOn lists the private modes that a program did not put back.
func leftOn(output string) (left []string) {
	was := map[string]bool{"7": true, "12": true, "25": true} // on in a fresh terminal, or harmless
	var order []string
	last := map[string]bool{}
	for _, m := range privateMode.FindAllStringSubmatch(output, -1) {
		for _, name := range strings.Split(m[1], ";") {
			if _, seen := last[name]; !seen {
				order = append(order, name)
			}
			last[name] = m[2] == "h"
		}
	}
	for _, name := range order {
		if last[name] != was[name] && name != "12" {
			left = append(left, "?"+name)
		}
	}
	if pushed := strings.Count(strings.Join(kittyStack.FindAllString(output, -1), ""), ">"); pushed != strings.Count(strings.Join(kittyStack.FindAllString(output, -1), ""), "<") {
		left = append(left, "kitty keys")
	}
	return left
}
