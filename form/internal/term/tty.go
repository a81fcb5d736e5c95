package term

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gdamore/tcell/v2"
	"github.com/gdamore/tcell/v2/terminfo"
)

// gate is the terminal as tcell sees it: tcell switches modes and draws, but
// gets no input. Input goes to the loop as raw chunks, because tcell's own
// parser takes releases for presses, takes pastes apart, and can hang on exit
// while input is unread. tcell's reading goroutine thus is ours.
type gate struct {
	tcell.Tty
	chunks chan []byte
	broken chan error // at most one: why the terminal cannot be used any more

	mu      sync.Mutex
	stopped chan struct{} // closed while tcell is not engaged
	aborted atomic.Bool
	buf     [4096]byte // of the reading goroutine
}

func newGate(tty tcell.Tty) *gate {
	return &gate{Tty: tty, chunks: make(chan []byte, 16), broken: make(chan error, 1)}
}

// Start is called when tcell takes the terminal, at first and after a pause.
func (g *gate) Start() error {
	g.mu.Lock()
	g.stopped = make(chan struct{})
	g.mu.Unlock()
	return g.Tty.Start()
}

// Drain is called when tcell gives the terminal back; it lets Read return.
func (g *gate) Drain() error {
	g.mu.Lock()
	close(g.stopped)
	g.mu.Unlock()
	return g.Tty.Drain()
}

// Read passes input to the loop and never gives any to tcell.
func (g *gate) Read([]byte) (int, error) {
	g.mu.Lock()
	stopped := g.stopped
	g.mu.Unlock()
	n, err := g.Tty.Read(g.buf[:])
	if n > 0 {
		select {
		case g.chunks <- append([]byte(nil), g.buf[:n]...):
		case <-stopped:
		}
	}
	if err != nil {
		select {
		case <-stopped: // the error is how the read was woken up
		default:
			g.fail(err)
		}
	}
	return 0, err
}

func (g *gate) Write(b []byte) (int, error) {
	n, err := g.Tty.Write(b)
	if err != nil {
		g.fail(err)
	}
	return n, err
}

func (g *gate) fail(err error) {
	select {
	case g.broken <- err:
	default:
	}
}

// Close may be called more than once.
func (g *gate) Close() error {
	if g.aborted.Swap(true) {
		return nil
	}
	return g.Tty.Close()
}

// description finds what tcell has to know about the terminal named by TERM.
// Terminals that are not in the database but known to behave like xterm are
// treated as such, without a look at the system's database, which takes longer
// than everything else at the start.
func description(term string) (*terminfo.Terminfo, error) {
	switch term {
	case "":
		if defaultTerm != "" {
			return tcell.LookupTerminfo(defaultTerm)
		}
		return nil, fmt.Errorf("%w: TERM is not set; set it to the name of your terminal, for example xterm-256color", ErrNoTerminal)
	case "dumb":
		return nil, fmt.Errorf("%w: TERM=dumb cannot position text; use a full terminal", ErrNoTerminal)
	}
	if info, err := terminfo.LookupTerminfo(term); err == nil {
		return info, nil
	}
	for _, name := range []string{"xterm", "ghostty", "kitty", "wezterm", "alacritty", "foot", "contour", "rio", "iterm", "vscode", "tmux", "screen"} {
		if strings.HasPrefix(term, name) {
			return tcell.LookupTerminfo("xterm-256color")
		}
	}
	info, err := tcell.LookupTerminfo(term)
	if err != nil {
		return nil, fmt.Errorf("%w: TERM=%.60q is not known here (%v); try TERM=xterm-256color", ErrNoTerminal, term, err)
	}
	return info, nil
}

// openScreen opens the controlling terminal and prepares a screen on it that is
// not engaged yet.
func openScreen() (tcell.Screen, *gate, error) {
	info, err := description(os.Getenv("TERM"))
	if err != nil {
		return nil, nil, err
	}
	tty, err := openTty()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: the form needs a terminal to ask on (%v)", ErrNoTerminal, err)
	}
	g := newGate(tty)
	screen, err := tcell.NewTerminfoScreenFromTtyTerminfo(g, info)
	if err != nil {
		_ = g.Close()
		return nil, nil, fmt.Errorf("%w: %v", ErrNoTerminal, err)
	}
	return screen, g, nil
}
