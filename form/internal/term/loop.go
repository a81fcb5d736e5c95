package term

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
)

const (
	// frameGap is the least time between two frames: what arrives sooner is
	// drawn together.
	frameGap = 8 * time.Millisecond
	// restoreTimeout bounds every wait for a terminal or a goroutine that does
	// not answer.
	restoreTimeout = time.Second
)

// Loop is the running form as its callbacks and goroutines see it.
type Loop struct {
	app    App
	opt    Options
	theme  paint.Theme
	screen tcell.Screen
	gate   *gate
	saved  *savedMode

	resized bool // since the last frame

	ctx   context.Context // of the caller
	group sync.WaitGroup

	signals chan os.Signal // what watch passes on
	resizes chan tcell.Event
	quit    chan struct{} // ends watch
	mail    mailbox
	keys    parser
	grid    paint.Grid
	width   int
	height  int
	dirty   bool
	drawn   time.Time
	err     error
	ended   bool
	escape  *time.Timer // ends an unfinished key sequence
	paste   *time.Timer // ends an unfinished paste
	redraw  *time.Timer
}

// mailbox holds what other goroutines want done. Putting never blocks.
type mailbox struct {
	mu     sync.Mutex
	items  []func()
	closed bool
	full   chan struct{} // has an element while there are items
}

func (m *mailbox) put(fn func()) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.items = append(m.items, fn)
	select {
	case m.full <- struct{}{}:
	default:
	}
	return true
}

func (m *mailbox) take() []func() {
	m.mu.Lock()
	defer m.mu.Unlock()
	items := m.items
	m.items = nil
	return items
}

func (m *mailbox) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed, m.items = true, nil
}

// Post has fn called on the loop's goroutine, followed by a redraw. It may be
// called from any goroutine and never blocks. After the end of the loop it does
// nothing and returns false.
func (l *Loop) Post(fn func()) bool { return l.mail.put(fn) }

// Release gives the terminal back while fn runs, for another program that
// needs it, and takes it again afterwards. It must be called from a callback or
// a posted function. The error is fn's, or says that the terminal could not be
// taken again, in which case the loop ends.
func (l *Loop) Release(fn func() error) error {
	if err := l.screen.Suspend(); err != nil {
		return err
	}
	return firstError(callSafely(fn), l.resume())
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// callSafely makes a panic in fn an error, so that the terminal can be taken
// again first.
func callSafely(fn func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{v, debug.Stack()}
		}
	}()
	return fn()
}

// resume takes the terminal again after a pause.
func (l *Loop) resume() error {
	if err := l.screen.Resume(); err != nil {
		err = fmt.Errorf("%w: %v", ErrTerminalGone, err)
		l.end(err)
		return err
	}
	l.keys.reset()
	l.drawn = time.Time{}
	l.dirty = true
	l.checkSize()
	return nil
}

// open takes the terminal.
func open(ctx context.Context, opt Options, app App) (*Loop, error) {
	screen, g, err := openScreen()
	if err != nil {
		return nil, err
	}
	l := &Loop{app: app, opt: opt, screen: screen, gate: g, ctx: ctx, saved: saveMode()}
	if l.opt.EscapeDelay <= 0 {
		l.opt.EscapeDelay = 50 * time.Millisecond
	}
	if l.opt.PasteTimeout <= 0 {
		l.opt.PasteTimeout = 2 * time.Second
	}
	if l.theme = paint.ForTerminal(os.Getenv); opt.Theme != nil {
		l.theme = *opt.Theme
		l.theme.NoColor = l.theme.NoColor || os.Getenv("NO_COLOR") != ""
	}
	l.mail.full = make(chan struct{}, 1)
	l.escape, l.paste, l.redraw = stoppedTimer(), stoppedTimer(), stoppedTimer()

	// Signals are caught before the terminal changes, so that none slips
	// through in between.
	l.signals, l.quit = make(chan os.Signal, 8), make(chan struct{})
	raw := make(chan os.Signal, 8)
	notify(raw)
	// A locale with an old character set gets UTF-8 rather than no form at all.
	tcell.SetEncodingFallback(tcell.EncodingFallbackUTF8)
	if err := screen.Init(); err != nil {
		signal.Stop(raw)
		l.saved.restore()
		l.saved.close()
		_ = g.Close()
		return nil, fmt.Errorf("%w: %v", ErrNoTerminal, err)
	}
	screen.EnablePaste()
	if opt.Mouse {
		screen.EnableMouse(tcell.MouseButtonEvents)
	}
	l.width, l.height = screen.Size()
	l.resizes = make(chan tcell.Event)
	l.group.Go(func() { l.watch(raw) })
	l.group.Go(func() { screen.ChannelEvents(l.resizes, l.quit) })
	return l, nil
}

func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// run is the loop itself. A panic in a callback becomes its error.
func (l *Loop) run() (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{v, debug.Stack()}
		}
	}()
	if l.app.Start != nil {
		l.app.Start(l)
	}
	l.dirty = true
	for l.running() {
		l.drawIfDue()
		if !l.running() {
			break
		}
		l.wait()
	}
	return l.err
}

// running asks the app whether it has ended.
func (l *Loop) running() bool {
	if !l.ended && l.app.Done() {
		l.ended = true
	}
	return !l.ended
}

// end ends the loop; the first reason counts.
func (l *Loop) end(err error) {
	if !l.ended {
		l.ended, l.err = true, err
	}
}

// wait handles the next thing that happens.
func (l *Loop) wait() {
	select {
	case <-l.ctx.Done():
		l.end(l.ctx.Err())
	case err := <-l.gate.broken:
		l.end(fmt.Errorf("%w: %v", ErrTerminalGone, err))
	case s := <-l.signals:
		l.handleSignal(s)
	case chunk := <-l.gate.chunks:
		l.keys.feed(chunk, l.handle)
		l.armTimers()
	case <-l.escape.C:
		l.keys.flush(l.handle)
	case <-l.paste.C:
		l.keys.flushPaste(l.handle)
	case <-l.resizes:
		l.checkSize() // tcell has nothing else to tell
	case <-l.mail.full:
		l.dirty = true
		for _, fn := range l.mail.take() {
			fn()
			if !l.running() {
				break
			}
		}
	case <-l.redraw.C:
	}
}

// armTimers bounds the wait for the rest of what has begun to arrive.
func (l *Loop) armTimers() {
	if l.keys.pending() {
		l.escape.Reset(l.opt.EscapeDelay)
	} else {
		l.escape.Stop()
	}
	if l.keys.pasting() {
		l.paste.Reset(l.opt.PasteTimeout)
	} else {
		l.paste.Stop()
	}
}

func (l *Loop) handleSignal(s os.Signal) {
	if !isContinue(s) {
		l.end(&SignalError{s})
		return
	}
	// Stopped by somebody else: the shell may have changed the terminal.
	if l.screen.Suspend() == nil {
		_ = l.resume()
	}
}

// handle passes one event on to the app.
func (l *Loop) handle(e event) {
	if !l.running() {
		return
	}
	l.dirty = true
	switch {
	case e.kind == eventPaste:
		if l.app.Paste != nil {
			l.app.Paste(e.text)
		}
	case e.kind == eventMouse:
		if l.app.Mouse != nil && l.opt.Mouse {
			l.app.Mouse(e.mouse)
		}
	case e.id == "ctrl+z" && !e.repeat && (l.app.Binds == nil || !l.app.Binds(e.id)):
		l.suspend()
	case l.app.Key != nil:
		l.app.Key(e.id, e.text, e.repeat)
	}
}

// suspend stops the process like Ctrl+Z in a shell, and goes on with `fg`.
func (l *Loop) suspend() {
	if err := l.screen.Suspend(); err != nil {
		return
	}
	ended := stopProcess(l.signals)
	if err := l.resume(); err == nil && ended != nil {
		l.end(&SignalError{ended})
	}
}

func (l *Loop) checkSize() {
	w, h := l.screen.Size()
	if w == l.width && h == l.height {
		return
	}
	l.width, l.height = w, h
	l.dirty, l.resized = true, true
	if l.app.Resize != nil {
		l.app.Resize(w, h)
	}
}

// drawIfDue draws a frame if there is something new, at once after a pause and
// otherwise when frameGap is over.
func (l *Loop) drawIfDue() {
	if !l.dirty {
		return
	}
	if wait := frameGap - time.Since(l.drawn); wait > 0 {
		l.redraw.Reset(wait)
		return
	}
	l.redraw.Stop()
	l.dirty = false
	frame := l.app.Draw(l.width, l.height)
	frame.Width = l.width
	frame.Rows = slices.Clip(frame.Rows[:min(len(frame.Rows), l.height)])
	for len(frame.Rows) < l.height {
		frame.Rows = append(frame.Rows, nil)
	}
	l.grid.Fill(frame, l.opt.Widths)
	after := l.grid.BlitExact(l.screen, l.theme)
	if l.resized { // what a terminal shows in cells that come back is not known
		l.resized = false
		l.screen.Sync()
	} else {
		l.screen.Show()
	}
	if len(after) > 0 {
		_, _ = l.gate.Write(after)
	}
	l.placeCursor()
	l.drawn = time.Now()
	if l.app.Shown != nil {
		l.app.Shown()
	}
}

// placeCursor moves the hardware cursor, which stays hidden, to the drawn one:
// input methods open their windows there.
func (l *Loop) placeCursor() {
	x, y, ok := l.grid.Cursor()
	if !ok {
		return
	}
	b := append(make([]byte, 0, 16), "\x1b["...)
	b = strconv.AppendInt(b, int64(y+1), 10)
	b = strconv.AppendInt(append(b, ';'), int64(x+1), 10)
	_, _ = l.gate.Write(append(b, 'H'))
}
