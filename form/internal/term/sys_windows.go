package term

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/gdamore/tcell/v2"
)

// defaultTerm is the terminal type to assume when TERM is not set.
const defaultTerm = "xterm-truecolor"

// openTty opens the console (CONIN$ and CONOUT$).
func openTty() (tcell.Tty, error) { return tcell.NewDevTty() }

// notify asks for the signals that concern the form. Closing the console window
// comes as SIGTERM.
func notify(c chan<- os.Signal) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
}

func isContinue(os.Signal) bool { return false }

// stopProcess does nothing: Windows has no job control.
func stopProcess(<-chan os.Signal) os.Signal { return nil }

// savedMode is not needed here: restoring a console does not wait for output.
type savedMode struct{}

func saveMode() *savedMode { return nil }

func (*savedMode) restore() {}
func (*savedMode) close()   {}
