//go:build unix

package e2e

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// term is pi on a pseudo terminal whose output is drawn on a screen in memory.
type term struct {
	t      testing.TB
	cmd    *exec.Cmd
	pty    *os.File
	exited chan struct{}

	answers []answer

	mu         sync.Mutex
	screenOf   *vt.Emulator
	cols, rows int
	bells      int
	pictures   []placement
	raw        bytes.Buffer
	watch      func(screen string) bool // what stamp waits for
	seen       chan time.Time
}

// answer is what the terminal says to a question, beside what every terminal
// knows.
type answer struct{ question, reply string }

func startTerm(t testing.TB, cmd *exec.Cmd, cols, rows int, answers ...answer) *term {
	t.Helper()
	p := &term{t: t, cmd: cmd, cols: cols, rows: rows, answers: answers, screenOf: vt.NewEmulator(cols, rows), exited: make(chan struct{})}
	p.screenOf.SetCallbacks(vt.Callbacks{Bell: func() { p.bells++ }})
	p.screenOf.RegisterApcHandler(p.graphics)
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
	if err != nil {
		t.Fatal(err)
	}
	p.pty = file
	go p.draw()
	go func() { // the terminal's answers to pi's questions
		buf := make([]byte, 4096)
		for {
			n, err := p.screenOf.Read(buf)
			if n > 0 {
				_, _ = file.Write(buf[:n])
			}
			if err != nil {
				return
			}
		}
	}()
	return p
}

func (p *term) draw() {
	buf := make([]byte, 64<<10)
	for {
		n, err := p.pty.Read(buf)
		at := time.Now()
		if n > 0 {
			p.mu.Lock()
			p.raw.Write(buf[:n])
			for _, a := range p.answers {
				if bytes.Contains(buf[:n], []byte(a.question)) {
					_, _ = p.pty.WriteString(a.reply)
				}
			}
			_, _ = p.screenOf.Write(buf[:n])
			if p.watch != nil && p.watch(p.text()) {
				p.watch = nil
				p.seen <- at
			}
			p.mu.Unlock()
		}
		if err != nil {
			break
		}
	}
	_ = p.cmd.Wait()
	if answers, ok := p.screenOf.InputPipe().(io.Closer); ok {
		_ = answers.Close() // ends the one who reads them
	}
	close(p.exited)
}

// screen is the visible text.
func (p *term) screen() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text()
}

// text is screen; the lock is held.
func (p *term) text() string {
	var b strings.Builder
	for y := range p.rows {
		var row strings.Builder
		for x := 0; x < p.cols; {
			c := p.screenOf.CellAt(x, y)
			if c == nil || c.Content == "" {
				row.WriteByte(' ')
				x++
				continue
			}
			row.WriteString(c.Content)
			x += max(1, c.Width)
		}
		b.WriteString(strings.TrimRight(row.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// output is every byte that pi has written since the last call of it.
func (p *term) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.raw.String()
	p.raw.Reset()
	return s
}

// rings is how often the bell rang.
func (p *term) rings() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bells
}

// wait waits until the screen is as wanted and returns it.
func (p *term) wait(what string, ok func(screen string) bool) string {
	p.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(15 * time.Millisecond) {
		s := p.screen()
		if ok(s) {
			return s
		}
		select {
		case <-p.exited:
			p.t.Fatalf("pi has ended; wanted: %s; screen:\n%s", what, s)
		default:
		}
		if time.Now().After(end) {
			p.t.Fatalf("the screen never came to this: %s; it is:\n%s", what, s)
		}
	}
}

// stamp does something and waits until the screen is as wanted. It returns when
// the bytes came that made it so: what the screen in memory takes is not in it.
func (p *term) stamp(do func(), ok func(screen string) bool) time.Time {
	p.t.Helper()
	seen := make(chan time.Time, 1)
	p.mu.Lock()
	p.watch, p.seen = ok, seen
	p.mu.Unlock()
	do()
	select {
	case at := <-seen:
		return at
	case <-time.After(patience):
		p.t.Fatalf("the screen never came to what is measured; it is:\n%s", p.screen())
		return time.Time{}
	}
}

// sees waits for all the texts.
func (p *term) sees(texts ...string) string {
	p.t.Helper()
	return p.wait(strings.Join(texts, " + "), func(s string) bool {
		for _, text := range texts {
			if !strings.Contains(s, text) {
				return false
			}
		}
		return true
	})
}

// loses waits until a text is gone.
func (p *term) loses(text string) string {
	p.t.Helper()
	return p.wait("no "+text, func(s string) bool { return !strings.Contains(s, text) })
}

// form waits until a form with this text takes keys.
func (p *term) form(text string) string {
	p.t.Helper()
	return p.sees(text, "❯ ")
}

// ready waits for pi's prompt.
func (p *term) ready() string { p.t.Helper(); return p.sees("scripted-1") }

var keyBytes = map[string]string{
	"Enter": "\r", "Esc": "\x1b", "Tab": "\t", "S-Tab": "\x1b[Z", "Space": " ", "Backspace": "\x7f",
	"Up": "\x1b[A", "Down": "\x1b[B", "Right": "\x1b[C", "Left": "\x1b[D", "C-c": "\x03", "C-d": "\x04", "C-o": "\x0f", "C-v": "\x16",
	"PageUp": "\x1b[5~", "PageDown": "\x1b[6~", "C-M-d": "\x1b\x04",
}

// keys presses keys by name, one at a time; a name that is none is typed.
func (p *term) keys(names ...string) {
	p.t.Helper()
	for _, name := range names {
		data, ok := keyBytes[name]
		if !ok {
			data = name
		}
		p.typed(data)
		time.Sleep(25 * time.Millisecond)
		if name == "Esc" {
			time.Sleep(100 * time.Millisecond) // it must not join what follows
		}
	}
}

// typed sends text as it is.
func (p *term) typed(text string) {
	p.t.Helper()
	if _, err := p.pty.WriteString(text); err != nil {
		p.t.Fatal(err)
	}
}

// paste pastes a text.
func (p *term) paste(text string) {
	p.t.Helper()
	p.typed("\x1b[200~" + strings.ReplaceAll(text, "\n", "\r") + "\x1b[201~")
}

// prompt sends a message to the agent.
func (p *term) prompt(text string) {
	p.t.Helper()
	p.typed(text)
	p.sees(text)
	p.keys("Enter")
}

// command runs a slash command of pi: the escape closes the list of commands.
func (p *term) command(text string) {
	p.t.Helper()
	p.typed(text)
	p.sees(text)
	time.Sleep(120 * time.Millisecond)
	p.keys("Esc")
	time.Sleep(120 * time.Millisecond)
	p.keys("Enter")
}

func (p *term) resize(cols, rows int) {
	p.t.Helper()
	p.mu.Lock()
	p.cols, p.rows = cols, rows
	p.screenOf.Resize(cols, rows)
	p.mu.Unlock()
	if err := pty.Setsize(p.pty, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		p.t.Fatal(err)
	}
}

// alive says whether pi still runs.
func (p *term) alive() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// kill sends a signal and waits until pi is gone.
func (p *term) kill(how syscall.Signal) {
	p.t.Helper()
	if !p.alive() {
		return
	}
	_ = p.cmd.Process.Signal(how)
	select {
	case <-p.exited:
	case <-time.After(8 * time.Second):
		p.t.Errorf("pi does not end by %v; screen:\n%s", how, p.screen())
		_ = p.cmd.Process.Kill()
		<-p.exited
	}
	_ = p.pty.Close()
}

// pick takes an option by its number and submits the form from Review.
func (p *term) pick(number string) {
	p.t.Helper()
	p.keys(number)
	p.sees("❯ 1. Submit")
	p.keys("Enter")
}
