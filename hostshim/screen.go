package hostshim

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

// screen holds the forms that are open in the host.
type screen struct {
	host    Screen
	options func() *form.Options

	mu    sync.Mutex
	next  int
	forms map[int]*OpenForm
	theme *form.Theme // as changed by the host
}

func newScreen(host Screen, options func() *form.Options) *screen {
	return &screen{host: host, options: options, forms: map[int]*OpenForm{}}
}

// OpenForm is one form in the host's screen. Its methods may be called from
// several goroutines at once.
type OpenForm struct {
	number int
	inline *form.Inline
	host   Screen
	dirty  chan struct{} // has an element while a frame is due
	lost   chan struct{} // closed when the place was taken away
	stop   chan struct{}
	once   sync.Once

	mu         sync.Mutex
	cols, rows int
	seq        int
	mounted    bool // the host shows it
	waits      bool // somebody waits for its end
}

// Key, Paste, Click and Wheel are the user's; see [form.Inline].
func (f *OpenForm) Key(id, text string) { f.do(func() { f.inline.Key(id, text) }) }

// Paste is one paste.
func (f *OpenForm) Paste(text string) { f.do(func() { f.inline.Paste(text) }) }

// Size says how much room the form has.
func (f *OpenForm) Size(cols, rows int) {
	f.mu.Lock()
	f.cols, f.rows = cols, rows
	f.mu.Unlock()
	f.draw()
}

// Mounted says that the form is in its place and how much room it has.
func (f *OpenForm) Mounted(cols, rows int) {
	f.mu.Lock()
	f.mounted = true
	f.mu.Unlock()
	f.inline.Mounted()
	f.Size(cols, rows)
}

// Shown says that a frame is on the screen.
func (f *OpenForm) Shown() { f.inline.Shown() }

// Lost says that the place was taken away.
func (f *OpenForm) Lost() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mounted {
		f.mounted = false
		close(f.lost)
	}
}

func (f *OpenForm) do(fn func()) {
	fn()
	f.draw()
}

// draw asks for a frame. While the host does not take frames, only the newest
// one is kept.
func (f *OpenForm) draw() {
	select {
	case f.dirty <- struct{}{}:
	default:
	}
}

// frames sends frames until the form is closed.
func (f *OpenForm) frames() {
	for {
		select {
		case <-f.stop:
			return
		case <-f.dirty:
		}
		f.mu.Lock()
		cols, rows, mounted := f.cols, f.rows, f.mounted
		f.seq++
		seq := f.seq
		f.mu.Unlock()
		if mounted && cols > 0 && rows > 0 {
			f.host.ShowFrame(Frame{Number: f.number, Seq: seq, Cols: cols, Rows: rows, Lines: f.inline.Lines(cols, rows)})
		}
	}
}

func (f *OpenForm) close() {
	f.once.Do(func() { close(f.stop) })
	f.inline.Close()
}

// form returns an open form.
func (s *screen) form(number int) *OpenForm {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.forms[number]
}

// add opens a form; it is not in the host's screen yet.
func (s *screen) add(open func(*form.Options) *form.Inline) *OpenForm {
	o := s.options()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.theme != nil {
		o.Theme = s.theme
	}
	s.next++
	f := &OpenForm{number: s.next, host: s.host, dirty: make(chan struct{}, 1), stop: make(chan struct{})}
	f.inline = open(o)
	f.inline.OnChange(f.draw)
	s.forms[f.number] = f
	go f.frames()
	return f
}

func (s *screen) remove(f *OpenForm) {
	s.mu.Lock()
	delete(s.forms, f.number)
	s.mu.Unlock()
	f.close()
}

// closeAll closes all forms. Whoever waits for one removes it; those that lost
// their place have nobody.
func (s *screen) closeAll() {
	s.mu.Lock()
	var all []*OpenForm
	for _, f := range s.forms {
		all = append(all, f)
	}
	s.mu.Unlock()
	for _, f := range all {
		f.inline.Abort()
		f.mu.Lock()
		waits := f.waits
		f.mu.Unlock()
		if !waits {
			s.remove(f)
		}
	}
}

func (s *screen) setTheme(t form.Theme) {
	s.mu.Lock()
	s.theme = &t
	for _, f := range s.forms {
		f.inline.SetTheme(t)
		f.draw()
	}
	s.mu.Unlock()
}

// mount puts a form into the host's screen and waits until it ends, is lost or
// ctx is over.
func (s *screen) mount(ctx context.Context, gen uint64, f *OpenForm, kind string) error {
	f.mu.Lock()
	f.lost, f.waits = make(chan struct{}), true
	lost := f.lost
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.waits = false
		f.mu.Unlock()
	}()
	if err := s.host.OpenForm(ctx, gen, FormSlot{Number: f.number, Kind: kind}); err != nil {
		return err
	}
	select {
	case <-f.inline.Done():
		return nil
	case <-lost:
		return queue.ErrSlotLost
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// unmount gives the place back; the session may be over already.
func (s *screen) unmount(f *OpenForm) {
	f.mu.Lock()
	f.mounted = false
	f.mu.Unlock()
	_ = s.host.CloseForm(context.Background(), f.number)
}

// openSettings opens the overlay of the open form, or one of its own.
func (s *screen) openSettings(ctx context.Context, gen uint64) error {
	s.mu.Lock()
	for _, f := range s.forms {
		s.mu.Unlock()
		f.do(f.inline.OpenSettings)
		return nil
	}
	s.mu.Unlock()
	f := s.add(form.NewSettings)
	defer s.remove(f)
	err := s.mount(ctx, gen, f, "settings")
	if !errors.Is(err, queue.ErrSlotLost) {
		s.unmount(f)
		return err
	}
	return nil
}

// surface is the host's screen as the queue uses it.
type surface struct {
	screen *screen
	gen    *atomic.Uint64

	mu    sync.Mutex
	flows map[*queue.Flow]*OpenForm // forms that lost their place
}

// Open implements [queue.Surface].
func (s *surface) Open(ctx context.Context, f ask.Form, flow *queue.Flow) (ask.Result, error) {
	open := s.take(flow)
	if open == nil {
		open = s.screen.add(func(o *form.Options) *form.Inline {
			o.Presented = true // by the queue, as it was when the form was asked for
			return form.NewInline(f, o)
		})
		flow.Present(func() (d *ask.Drafts) {
			open.inline.Read(func(now *ask.Drafts) { d = now.Clone() })
			return d
		})
	}
	err := s.screen.mount(ctx, s.gen.Load(), open, "ask")
	if errors.Is(err, queue.ErrSlotLost) {
		s.keep(flow, open)
		return ask.Result{}, err
	}
	defer s.screen.remove(open)
	if err == nil {
		result := open.inline.Outcome().Result
		flow.Complete(result)
		s.screen.unmount(open)
		return result, nil
	}
	s.screen.unmount(open)
	if ctx.Err() != nil {
		// What was entered so far is in the cancelled result.
		open.inline.Abort()
		return open.inline.Outcome().Result, nil
	}
	return ask.Result{}, err
}

// take returns the form of a flow that had lost its place.
func (s *surface) take(flow *queue.Flow) *OpenForm {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.flows[flow]
	delete(s.flows, flow)
	return f
}

// keep holds a form until its place is free again. If that never happens, it
// goes with the session.
func (s *surface) keep(flow *queue.Flow, f *OpenForm) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flows == nil {
		s.flows = map[*queue.Flow]*OpenForm{}
	}
	s.flows[flow] = f
}
