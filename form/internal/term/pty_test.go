//go:build linux || darwin

package term

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// session is a program on a terminal of its own.
type session struct {
	t    *testing.T
	ptm  *os.File
	tty  *os.File // keeps the terminal alive, and shows its mode
	cmd  *exec.Cmd
	log  string
	mode *term.State // before the start

	mu  sync.Mutex
	out bytes.Buffer
	emu *vt.Emulator
	end chan error
}

// patience is how long a test waits before it gives up; nothing takes that long
// unless it is broken.
const patience = 10 * time.Second

// newSession starts the test program in a mode. Its standard streams are no
// terminal: only the controlling terminal is one.
func newSession(t *testing.T, mode string, env ...string) *session {
	t.Helper()
	s := prepare(t, mode, env...)
	s.cmd = exec.Command(os.Args[0], "-test.run=^$")
	s.start(3)
	return s
}

func prepare(t *testing.T, mode string, env ...string) *session {
	t.Helper()
	s := &session{t: t, log: filepath.Join(t.TempDir(), "log"), end: make(chan error, 1)}
	ptm, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo terminals here: ", err)
	}
	s.ptm, s.tty = pollable(t, ptm), tty
	s.resize(60, 12)
	s.emu = vt.NewEmulator(60, 12)
	if s.mode, err = term.GetState(int(s.tty.Fd())); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("NO_COLOR", "")
	t.Setenv("LC_ALL", "C.UTF-8")
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	t.Setenv(childMode, mode)
	t.Setenv(childLog, s.log)
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		t.Setenv(name, value)
	}
	return s
}

// start starts the command with the terminal as its file descriptor fd.
func (s *session) start(fd int) {
	s.t.Helper()
	s.cmd.ExtraFiles = []*os.File{s.tty}
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: fd}
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
	s.t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = s.tty.Close()
		_ = s.ptm.Close()
		reader.Wait()
	})
}

// resize changes the size of the terminal. pty.Setsize would make the file
// blocking again.
func (s *session) resize(cols, rows int) {
	s.t.Helper()
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

func (s *session) send(text string) {
	s.t.Helper()
	if _, err := s.ptm.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emu.String()
}

func (s *session) output() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

func (s *session) logged() string {
	b, _ := os.ReadFile(s.log)
	return string(b)
}

// until waits for a text to appear in what get returns.
func (s *session) until(get func() string, want string) {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if strings.Contains(get(), want) {
			return
		}
	}
	s.t.Fatalf("no %q in\n%s\nlog:\n%s", want, get(), s.logged())
}

// wait waits for the end of the program.
func (s *session) wait() {
	s.t.Helper()
	select {
	case <-s.end:
	case <-time.After(patience):
		s.t.Fatalf("the program does not end; log:\n%s\nscreen:\n%s", s.logged(), s.screen())
	}
}

var (
	privateMode = regexp.MustCompile(`\x1b\[\?([\d;]+)([hl])`)
	kittyStack  = regexp.MustCompile(`\x1b\[([<>])\d*u`)
	otherKeys   = regexp.MustCompile(`\x1b\[>4;(\d)m`)
)

// leftOver returns what is still switched on by the bytes that were written.
func leftOver(output string) []string {
	on := map[string]bool{"25": true}
	for _, m := range privateMode.FindAllStringSubmatch(output, -1) {
		for _, name := range strings.Split(m[1], ";") {
			on[name] = m[2] == "h"
		}
	}
	var left []string
	for _, name := range []string{"1049", "1000", "1002", "1003", "1004", "1006", "2004", "2026", "9001"} {
		if on[name] {
			left = append(left, "?"+name)
		}
	}
	if !on["25"] {
		left = append(left, "hidden cursor")
	}
	depth := 0
	for _, m := range kittyStack.FindAllStringSubmatch(output, -1) {
		if m[1] == ">" {
			depth++
		} else {
			depth--
		}
	}
	if depth != 0 {
		left = append(left, "kitty flags")
	}
	if m := otherKeys.FindAllStringSubmatch(output, -1); len(m) > 0 && m[len(m)-1][1] != "0" {
		left = append(left, "modifyOtherKeys")
	}
	return left
}

// checkRestored compares the terminal with what it was before the start.
func (s *session) checkRestored() {
	s.t.Helper()
	mode, err := term.GetState(int(s.tty.Fd()))
	if err != nil {
		s.t.Fatal(err)
	}
	if !reflect.DeepEqual(mode, s.mode) {
		s.t.Errorf("the terminal's mode has changed: %v, was %v", mode, s.mode)
	}
	s.until(s.output, "\x1b[?1049l")
	var left []string
	for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if left = leftOver(s.output()); len(left) == 0 {
			break
		}
	}
	if len(left) > 0 {
		s.t.Errorf("still switched on: %v", left)
	}
	if log := s.logged(); strings.Contains(log, "leak:") {
		s.t.Errorf("goroutines are left: %s", log)
	}
}

func TestFirstFrame(t *testing.T) {
	s := newSession(t, "run")
	s.until(s.screen, "size 60x12")
	s.until(func() string { // the hardware cursor goes where the drawn one is
		s.mu.Lock()
		defer s.mu.Unlock()
		at := s.emu.CursorPosition()
		return fmt.Sprintf("cursor at %d,%d", at.X, at.Y)
	}, "cursor at 0,2")
	s.mu.Lock()
	cell := s.emu.CellAt(0, 0)
	hidden, alt := s.emu.CursorHidden(), s.emu.IsAltScreen()
	s.mu.Unlock()
	if cell.Content != "r" || cell.Style.Fg == nil {
		t.Errorf("the first cell is %q in colour %v", cell.Content, cell.Style.Fg)
	}
	if !hidden || !alt {
		t.Errorf("cursor hidden %v, alternate screen %v", hidden, alt)
	}
	s.send("\x11")
	s.wait()
	s.checkRestored()
}

func TestKeysAndPastesArrive(t *testing.T) {
	s := newSession(t, "mouse")
	s.until(s.screen, "ready")
	s.send("a\x1b[A\x1bOB\x1bx\x01Né")
	s.until(s.logged, "key a a\nkey up\nkey down\nkey alt+x\nkey ctrl+a\nkey shift+n N\nkey é\n")
	s.send("\x1b[200~one\r\ntwo\x1b[B\x03\n1\x1b[201~b")
	s.until(s.logged, `paste 14 "one\r\ntwo\x1b[B\x03\n1"`+"\nkey b b\n")
	s.send("\x1b[<0;4;2M\x1b[<64;1;1M")
	s.until(s.logged, "mouse 3,1 0\nmouse 0,0 1\n")
	s.send("\x1b")
	s.until(s.logged, "key esc\n")
	s.until(s.screen, "last esc")
	s.send("\x11")
	s.wait()
	s.checkRestored()
}

func TestBigPasteArrivesWhole(t *testing.T) {
	s := newSession(t, "run")
	s.until(s.screen, "ready")
	s.send("\x1b[200~" + strings.Repeat("0123456789abcde\r", 1<<16) + "\x1b[201~")
	s.until(s.logged, "paste 1048576 ")
	s.send("\x11")
	s.wait()
	s.checkRestored()
}

func TestPasteThatNeverEnds(t *testing.T) {
	s := newSession(t, "run")
	s.until(s.screen, "ready")
	s.send("\x1b[200~abc\r")
	s.until(s.logged, `paste 4 "abc\r"`)
	s.send("\x11")
	s.wait()
	s.checkRestored()
}

func TestResize(t *testing.T) {
	s := newSession(t, "run")
	s.until(s.screen, "ready")
	for _, size := range [][2]int{{30, 5}, {1, 1}, {80, 20}} {
		s.mu.Lock()
		s.emu.Resize(size[0], size[1])
		s.mu.Unlock()
		s.resize(size[0], size[1])
		s.until(s.logged, fmt.Sprintf("resize %dx%d\n", size[0], size[1]))
	}
	s.until(s.screen, "size 80x20")
	s.send("\x11")
	s.wait()
	s.checkRestored()
}

func TestRestoredOnEachWayOut(t *testing.T) {
	tests := []struct {
		name, mode, keys string
		signal           syscall.Signal
		end              string
	}{
		{"normal end", "run", "\x11", 0, "end: <nil>"},
		{"panic in a key callback", "panic-key", "x", 0, "the stack is there\nend: panic in the form: oh no"},
		{"panic while drawing", "panic-draw", "x", 0, "the stack is there\nend: panic in the form: oh no"},
		{"panic in a posted function", "panic-post", "x", 0, "the stack is there\nend: panic in the form: oh no"},
		{"context cancelled", "cancel", "x", 0, "end: context canceled"},
		{"SIGINT", "run", "", syscall.SIGINT, "end: ended by signal: interrupt"},
		{"SIGTERM", "mouse", "", syscall.SIGTERM, "end: ended by signal: terminated"},
		{"SIGHUP", "run", "", syscall.SIGHUP, "end: ended by signal: hangup"},
		{"unread input", "run", "\x11" + strings.Repeat("unread ", 500), 0, "end: <nil>"},
		{"inside of a paste", "run", "\x1b[200~abc", syscall.SIGTERM, "end: ended by signal: terminated"},
		{"after the terminal was lent", "release", "x\x11", 0, "end: <nil>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSession(t, tt.mode)
			s.until(s.screen, "ready")
			s.send(tt.keys)
			if tt.signal != 0 {
				_ = s.cmd.Process.Signal(tt.signal)
			}
			s.wait()
			if got := s.logged(); !strings.Contains(got, tt.end+"\n") {
				t.Errorf("the log lacks %q:\n%s", tt.end, got)
			}
			s.checkRestored()
		})
	}
}

func TestTerminalThatTakesNoMoreOutput(t *testing.T) {
	s := newSession(t, "flood")
	s.until(s.screen, "ready")
	s.mu.Lock() // stops the reader of the output
	s.send("x")
	time.Sleep(300 * time.Millisecond)
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	ended := false
	select {
	case <-s.end:
		ended = true
	case <-time.After(patience):
	}
	s.mu.Unlock()
	if !ended {
		t.Fatal("the program hangs")
	}
	mode, err := term.GetState(int(s.tty.Fd()))
	if err != nil || !reflect.DeepEqual(mode, s.mode) {
		t.Errorf("the terminal's mode has changed (%v)", err)
	}
}

func TestTerminalGoesAway(t *testing.T) {
	// In the first case either of the two may be noticed first.
	for mode, end := range map[string]string{"run": "(ended by signal: hangup|the terminal went away.*)", "nohup": "the terminal went away.*"} {
		t.Run(mode, func(t *testing.T) {
			s := newSession(t, mode)
			s.until(s.screen, "ready")
			_ = s.tty.Close()
			_ = s.ptm.Close()
			s.wait()
			if got := s.logged(); !regexp.MustCompile("(?m)^end: " + end + "$").MatchString(got) {
				t.Errorf("the log lacks %q:\n%s", end, got)
			}
			if cpu := s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime(); cpu > 2*time.Second {
				t.Errorf("it took %v of CPU time", cpu)
			}
		})
	}
}

func TestLentTerminal(t *testing.T) {
	s := prepare(t, "release")
	s.cmd = exec.Command(os.Args[0], "-test.run=^$")
	s.cmd.Stderr = s.tty
	s.start(3)
	s.until(s.screen, "ready")
	s.send("x")
	s.until(s.output, "IN BETWEEN")
	before, _, _ := strings.Cut(s.output(), "IN BETWEEN")
	if left := leftOver(before); len(left) > 0 {
		t.Errorf("still switched on while the terminal was lent: %v", left)
	}
	s.until(s.screen, "last back")
	s.send("\x11")
	s.wait()
	s.checkRestored()
}

func TestSuspendAndGoOn(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	s := prepare(t, "run")
	s.cmd = exec.Command(shell, "--norc", "-c", `set -m; "$0" -test.run='^$'; echo STOPPED $?; stty -a | grep -o -- '.icanon'; fg >/dev/null; echo ENDED`, os.Args[0])
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = s.tty, s.tty, s.tty
	s.start(0)
	s.until(s.screen, "ready")
	s.send("\x1a")
	s.until(s.output, "STOPPED 148")
	before, after, _ := strings.Cut(s.output(), "STOPPED 148")
	if left := leftOver(before); len(left) > 0 {
		t.Errorf("still switched on while stopped: %v", left)
	}
	if strings.Contains(after, "-icanon") {
		t.Error("the shell got a raw terminal")
	}
	s.until(func() string { _, after, _ := strings.Cut(s.output(), "STOPPED"); return after }, "ready")
	s.send("k")
	s.until(s.logged, "key k k\n")
	s.send("\x11")
	s.until(s.output, "ENDED")
	s.wait()
	s.checkRestored()
}

func TestCtrlZWhereNobodyCouldGoOn(t *testing.T) {
	s := newSession(t, "run") // the leader of its session has no shell above it
	s.until(s.screen, "ready")
	s.send("\x1a")
	s.until(s.output, "\x1b[?1049l")
	s.send("k")
	s.until(s.logged, "key k k\n")
	s.send("\x11")
	s.wait()
	s.checkRestored()
}

func TestCtrlZIsAKeyIfTheAppBindsIt(t *testing.T) {
	s := newSession(t, "bind-ctrl-z")
	s.until(s.screen, "ready")
	s.send("\x1a")
	s.until(s.logged, "key ctrl+z\n")
	s.send("\x11")
	s.wait()
	s.checkRestored()
}

func TestContinuedAfterBeingStoppedFromOutside(t *testing.T) {
	s := newSession(t, "run")
	s.until(s.screen, "ready")
	_ = s.cmd.Process.Signal(syscall.SIGSTOP)
	if err := term.Restore(int(s.tty.Fd()), s.mode); err != nil { // as a shell does
		t.Fatal(err)
	}
	_ = s.cmd.Process.Signal(syscall.SIGCONT)
	s.until(s.output, "\x1b[?1049l")
	s.send("k") // without Enter: only a raw terminal passes it on
	s.until(s.logged, "key k k\n")
	s.send("\x11")
	s.wait()
	s.checkRestored()
}

func TestTerminalsThatCannotShowAForm(t *testing.T) {
	for _, tt := range []struct{ name, env, want string }{
		{"dumb", "TERM=dumb", "TERM=dumb cannot position text"},
		{"not set", "TERM=", "TERM is not set"},
		{"unknown", "TERM=no-such-terminal", `TERM="no-such-terminal" is not known here`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSession(t, "run", tt.env)
			s.wait()
			if got := s.logged(); !strings.Contains(got, tt.want) || !strings.Contains(got, "no terminal\n") {
				t.Errorf("the log lacks %q:\n%s", tt.want, got)
			}
			if got := s.output(); got != "" {
				t.Errorf("the terminal got %q", got)
			}
		})
	}
}

func TestUnknownRelativesOfXterm(t *testing.T) {
	s := newSession(t, "run", "TERM=xterm-somethingnew")
	s.until(s.screen, "size 60x12")
	s.send("\x11")
	s.wait()
	s.checkRestored()
}

func TestNoTerminalAtAll(t *testing.T) {
	s := prepare(t, "run")
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if got := s.logged(); !strings.Contains(got, "the form needs a terminal to ask on") || !strings.Contains(got, "no terminal\n") {
		t.Errorf("log:\n%s", got)
	}
	_, _ = s.ptm.Close(), s.tty.Close()
}

func TestNoColor(t *testing.T) {
	s := newSession(t, "run", "NO_COLOR=1")
	s.until(s.screen, "ready")
	s.send("\x11")
	s.wait()
	if regexp.MustCompile(`\x1b\[(3|4|9|10)[0-8][;m]`).MatchString(s.output()) {
		t.Errorf("colours in %q", s.output())
	}
	if !strings.Contains(s.output(), "\x1b[1m") {
		t.Error("the title is not bold")
	}
	s.checkRestored()
}

// TestBytesPerKey pins the cost of a key on the wire: only cells that change.
func TestBytesPerKey(t *testing.T) {
	s := newSession(t, "run")
	s.until(s.screen, "ready")
	s.send("a")
	s.until(s.screen, "last a a")
	before := len(s.output())
	s.send("b")
	s.until(s.screen, "last b b")
	if n := len(s.output()) - before; n > 250 {
		t.Errorf("one key wrote %d bytes", n)
	}
	if strings.Contains(s.output(), "\x1b[3J") {
		t.Error("the scrollback was cleared")
	}
	s.send("\x11")
	s.wait()
}

// BenchmarkStart measures the time from the start of the process to its first
// frame on a terminal.
func BenchmarkStart(b *testing.B) {
	b.Setenv("TERM", "xterm-256color")
	b.Setenv(childMode, "run")
	b.Setenv(childLog, filepath.Join(b.TempDir(), "log"))
	buf := make([]byte, 4096)
	for b.Loop() {
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		ptm, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 100, Rows: 30})
		if err != nil {
			b.Skip(err)
		}
		var seen []byte
		for !bytes.Contains(seen, []byte("100x30")) {
			n, err := ptm.Read(buf)
			if err != nil {
				b.Fatal(err)
			}
			seen = append(seen, buf[:n]...)
		}
		b.StopTimer()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = ptm.Close()
		b.StartTimer()
	}
}

// BenchmarkKeyToFrame measures the time from a key to its frame.
func BenchmarkKeyToFrame(b *testing.B) {
	b.Setenv("TERM", "xterm-256color")
	b.Setenv(childMode, "run")
	b.Setenv(childLog, filepath.Join(b.TempDir(), "log"))
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	ptm, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 100, Rows: 30})
	if err != nil {
		b.Skip(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = ptm.Close()
	}()
	buf := make([]byte, 4096)
	await := func(mark string) {
		var seen []byte
		for !bytes.Contains(seen, []byte(mark)) {
			n, err := ptm.Read(buf)
			if err != nil {
				b.Fatal(err)
			}
			seen = append(seen, buf[:n]...)
		}
	}
	await("100x30")
	for b.Loop() {
		b.StopTimer()
		time.Sleep(10 * time.Millisecond) // an isolated key
		b.StartTimer()
		_, _ = ptm.WriteString("k")
		await("\x1b[?2026l")
	}
}

// A terminal may bring back what stood in cells that it had cut off: a frame of
// a new size starts from an empty screen.
func TestResizeDrawsEverything(t *testing.T) {
	s := newSession(t, "run")
	s.until(s.screen, "size 60x12")
	before := len(s.output())
	s.resize(100, 30)
	s.until(s.screen, "size 100x30")
	if out := s.output()[before:]; !strings.Contains(out, "\x1b[2J") {
		t.Errorf("the screen is not cleared: %q", out)
	}
	s.send("\x11")
	s.wait()
}
