//go:build unix

package term

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gdamore/tcell/v2"
	"golang.org/x/term"
)

// defaultTerm is the terminal type to assume when TERM is not set.
const defaultTerm = ""

// openTty opens the controlling terminal, or, where the process has none, the
// terminal that one of its standard streams is.
func openTty() (tcell.Tty, error) {
	tty, err := tcell.NewDevTty()
	if err == nil {
		return tty, nil
	}
	for fd := range 3 {
		if term.IsTerminal(fd) {
			if tty, err := tcell.NewDevTtyFromDev(fmt.Sprintf("/dev/fd/%d", fd)); err == nil {
				return tty, nil
			}
		}
	}
	return nil, err
}

// notify asks for the signals that concern the form, and leaves those alone
// that the process was told to ignore.
func notify(c chan<- os.Signal) {
	signal.Notify(c, syscall.SIGCONT)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
}

// isContinue reports whether s says that the process was stopped and goes on.
func isContinue(s os.Signal) bool { return s == syscall.SIGCONT }

// stopProcess stops the process group as Ctrl+Z does in a shell, and returns
// when it goes on: after SIGCONT, or at once where nobody could continue it and
// the system therefore does not stop it.
func stopProcess(signals <-chan os.Signal) os.Signal {
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return nil
	}
	// The signal may hit a moment later, on another thread.
	select {
	case s := <-signals:
		if isContinue(s) {
			return nil
		}
		return s
	case <-time.After(100 * time.Millisecond):
		return nil
	}
}

// savedMode is the terminal's mode before the form, kept apart from tcell's
// copy for the case that tcell gets stuck while it restores.
type savedMode struct {
	file  *os.File
	state *term.State
}

func saveMode() *savedMode {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil
	}
	state, err := term.GetState(int(f.Fd()))
	if err != nil {
		_ = f.Close()
		return nil
	}
	return &savedMode{f, state}
}

// restore sets the mode without waiting for output to drain.
func (m *savedMode) restore() {
	if m != nil {
		_ = term.Restore(int(m.file.Fd()), m.state)
	}
}

func (m *savedMode) close() {
	if m != nil {
		_ = m.file.Close()
	}
}
