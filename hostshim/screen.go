package hostshim

import (
	"context"
	"errors"
	"sync"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

// maxCells is the widest and the highest frame that is drawn, and the widest
// row: a host that says more has no such screen, and memory has an end.
const maxCells = 4096

// The kinds of forms.
const (
	kindAsk      = "ask"
	kindSettings = "settings"
)

// screen holds the forms that are open in the host.
type screen struct {
	host Screen
	room room

	overlay sync.Mutex // held while it is decided whether one opens

	mu      sync.Mutex
	next    int
	forms   map[int]*OpenForm
	alive   int         // forms that have not ended, with what they started
	changed *sync.Cond  // of alive
	theme   *form.Theme // as changed by the host
}

// room is how large the last form was told to be; zero is unknown.
type room struct {
	mu         sync.Mutex
	cols, rows int
}

func newScreen(host Screen, cols, rows int) *screen {
	s := &screen{host: host, room: room{cols: cols, rows: rows}, forms: map[int]*OpenForm{}}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// OpenForm is one form in the host's screen. Its methods tell it what happens
// there; they never wait for the host, and may be called from several
// goroutines at once.
type OpenForm struct {
	number int
	kind   string
	inline *form.Inline
	host   Screen
	room   *room
	dirty  chan struct{} // has an element while a frame is due
	stop   chan struct{} // closed when the form is closed

	alive  sync.RWMutex // held for reading while something is told to the form
	closed bool

	mu         sync.Mutex
	cols, rows int
	seq        int
	mounted    bool          // the host shows it
	lost       chan struct{} // closed when the place is taken away; nil while it has none
}

// Key is one key press; see [form.Inline].
func (f *OpenForm) Key(id, text string) {
	f.tell(func(in *form.Inline) { in.Key(id, text) })
	f.draw()
}

// Repeat says that a key is still held down; see [form.Inline].
func (f *OpenForm) Repeat(id, text string) {
	f.tell(func(in *form.Inline) { in.Repeat(id, text) })
	f.draw()
}

// Paste is one paste, as the terminal sent it.
func (f *OpenForm) Paste(text string) {
	f.tell(func(in *form.Inline) { in.Paste(text) })
	f.draw()
}

// tell tells something to the form, unless it is closed.
func (f *OpenForm) tell(what func(*form.Inline)) {
	f.alive.RLock()
	defer f.alive.RUnlock()
	if !f.closed {
		what(f.inline)
	}
}

// Size says how much room the form has, in cells. More than 4096 in a direction
// is not used.
func (f *OpenForm) Size(cols, rows int) {
	cols, rows = min(cols, maxCells), min(rows, maxCells)
	f.mu.Lock()
	f.cols, f.rows = cols, rows
	f.mu.Unlock()
	f.room.mu.Lock()
	f.room.cols, f.room.rows = cols, rows
	f.room.mu.Unlock()
	f.draw()
}

// Mounted says that the form is in its place, and how much room it has. No
// frame is shown before that.
func (f *OpenForm) Mounted(cols, rows int) {
	f.mu.Lock()
	f.mounted = f.lost != nil
	f.mu.Unlock()
	f.tell((*form.Inline).Mounted)
	f.Size(cols, rows)
}

// Shown says that a frame is on the screen.
func (f *OpenForm) Shown() { f.tell((*form.Inline).Shown) }

// Lost says that the place was taken away. The form is kept and opened again
// when the native editor has its place.
func (f *OpenForm) Lost() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mounted = false
	if f.lost != nil {
		close(f.lost)
		f.lost = nil
	}
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
			// A host that fails to show a picture gets the next one.
			_ = guard(func() error { f.frame(); return nil })
		}
	}
}

func (f *OpenForm) frame() {
	f.mu.Lock()
	cols, rows, mounted := f.cols, f.rows, f.mounted
	f.mu.Unlock()
	if !mounted {
		return
	}
	if frame := f.picture(cols, rows); frame != nil {
		f.host.ShowFrame(*frame)
	}
}

// picture draws the form; nil if it is closed or there is no room.
func (f *OpenForm) picture(cols, rows int) *Frame {
	if cols <= 0 || rows <= 0 || f.ended() {
		return nil
	}
	f.mu.Lock()
	f.seq++
	frame := &Frame{Number: f.number, Seq: f.seq, Cols: cols, Rows: rows}
	f.mu.Unlock()
	f.tell(func(in *form.Inline) { frame.Lines = in.Lines(cols, rows) })
	if frame.Lines == nil || f.ended() {
		return nil
	}
	return frame
}

// firstPicture draws the form for the room that it is going to have.
func (f *OpenForm) firstPicture() *Frame {
	f.room.mu.Lock()
	cols, rows := min(f.room.cols, maxCells), min(f.room.rows, maxCells)
	f.room.mu.Unlock()
	return f.picture(cols, rows)
}

// ended reports whether the form has ended: it is not shown any more then.
func (f *OpenForm) ended() bool {
	select {
	case <-f.inline.Done():
		return true
	default:
		return false
	}
}

// form returns an open form.
func (s *screen) form(number int) *OpenForm {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.forms[number]
}

// shown returns the form that was opened last, of those that have a place; the
// settings overlay counts as soon as it is asked for.
func (s *screen) shown() *OpenForm {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := s.next; n > 0; n-- {
		f := s.forms[n]
		if f == nil {
			continue
		}
		f.mu.Lock()
		placed := f.lost != nil || f.kind == kindSettings
		f.mu.Unlock()
		if placed {
			return f
		}
	}
	return nil
}

// add makes a form; it is not in the host's screen yet.
func (s *screen) add(kind string, o *form.Options, open func(*form.Options) *form.Inline) *OpenForm {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.theme != nil {
		o.Theme = s.theme
	}
	s.next++
	f := &OpenForm{number: s.next, kind: kind, host: s.host, room: &s.room, dirty: make(chan struct{}, 1), stop: make(chan struct{})}
	f.inline = open(o)
	f.inline.OnChange(f.draw)
	s.forms[f.number] = f
	s.alive++
	go f.frames()
	return f
}

func (s *screen) remove(f *OpenForm) {
	s.mu.Lock()
	_, first := s.forms[f.number]
	delete(s.forms, f.number)
	s.mu.Unlock()
	f.alive.Lock()
	if !f.closed {
		f.closed = true
		close(f.stop)
	}
	f.alive.Unlock()
	f.inline.Close()
	if first {
		s.mu.Lock()
		s.alive--
		s.changed.Broadcast()
		s.mu.Unlock()
	}
}

// removeAll removes what is left when nobody shows a form any more, and waits
// until all forms have ended, with what they started.
func (s *screen) removeAll() {
	s.mu.Lock()
	var left []*OpenForm
	for _, f := range s.forms {
		left = append(left, f)
	}
	s.mu.Unlock()
	for _, f := range left {
		s.remove(f)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.alive > 0 {
		s.changed.Wait()
	}
}

func (s *screen) setTheme(t form.Theme) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.theme = &t
	for _, f := range s.forms {
		f.tell(func(in *form.Inline) { in.SetTheme(t) })
		f.draw()
	}
}

// mount puts a form into the host's screen and waits until it ends, is lost or
// ctx is over.
func (s *screen) mount(ctx context.Context, gen uint64, f *OpenForm) error {
	lost := make(chan struct{})
	f.mu.Lock()
	f.lost = lost
	f.mu.Unlock()
	slot := FormSlot{Number: f.number, Kind: f.kind, Frame: f.firstPicture()}
	err := s.open(ctx, gen, f, slot)
	if errors.Is(err, ErrStale) {
		// The host has gone on to another session, and is about to say so.
		<-ctx.Done()
	}
	if err != nil {
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

// open asks the host to mount a form. One that has ended meanwhile is not
// waited for: a host may tell what happens in it before it says that it is
// there.
func (s *screen) open(ctx context.Context, gen uint64, f *OpenForm, slot FormSlot) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	opened := make(chan error, 1)
	go func() { opened <- guard(func() error { return s.host.OpenForm(ctx, gen, slot) }) }()
	select {
	case err := <-opened:
		return err
	case <-f.inline.Done():
		stop()
		<-opened
		return nil
	}
}

// unmount gives the place back, also one that the host may just be about to
// give.
func (s *screen) unmount(ctx context.Context, f *OpenForm, elsewhere bool) {
	f.mu.Lock()
	f.mounted, f.lost = false, nil
	f.mu.Unlock()
	_ = guard(func() error { return s.host.CloseForm(ctx, FormEnd{Number: f.number, Elsewhere: elsewhere}) })
}

// openSettings opens the overlay of the open form, or one of its own.
func (s *screen) openSettings(ctx context.Context, r *running, o *form.Options) error {
	s.overlay.Lock()
	f := s.shown()
	if f != nil {
		s.overlay.Unlock()
		f.tell((*form.Inline).OpenSettings)
		f.draw()
		return nil
	}
	f = s.add(kindSettings, o, form.NewSettings)
	s.overlay.Unlock()
	defer s.remove(f)
	err := s.mount(ctx, r.store.now(), f)
	if errors.Is(err, queue.ErrSlotLost) {
		return nil
	}
	if err == nil {
		err = f.inline.Outcome().Err
	}
	s.unmount(r.ctx, f, err != nil)
	return err
}

// surface is the host's screen as the queue uses it.
type surface struct {
	screen  *screen
	session *running
	options func() *form.Options
	tell    func(text string, isError bool) // the person

	mu    sync.Mutex
	flows map[*queue.Flow]*OpenForm
}

// Open implements [queue.Surface].
func (s *surface) Open(ctx context.Context, f ask.Form, flow *queue.Flow) (ask.Result, error) {
	open := s.form(ctx, f, flow)
	err := s.screen.mount(ctx, s.session.store.now(), open)
	if errors.Is(err, queue.ErrSlotLost) {
		return ask.Result{}, err
	}
	outcome := open.inline.Outcome()
	if err == nil && outcome.Result.Cancelled {
		err = outcome.Err // a fault of the form: nobody cancelled
	}
	over := ctx.Err() != nil
	if err == nil && !outcome.Interrupted && !over {
		flow.Complete(outcome.Result)
	}
	s.screen.unmount(s.session.ctx, open, err != nil || ctx.Err() != nil)
	switch {
	case over && !outcome.Result.Cancelled: // submitted too late
		return ask.Result{}, context.Cause(ctx)
	case over || err == nil:
		// What was entered so far is in the result of a form that was interrupted.
		return outcome.Result, nil
	}
	return ask.Result{}, err
}

// form returns the form of a flow. It lives as long as the flow, so that a form
// that lost its place is the same when it gets it back.
func (s *surface) form(ctx context.Context, f ask.Form, flow *queue.Flow) *OpenForm {
	s.mu.Lock()
	defer s.mu.Unlock()
	if open := s.flows[flow]; open != nil {
		return open
	}
	o := s.options()
	o.Guard = s.session.guard
	o.Presented = true // by the queue, as it was when the form was asked for
	open := s.screen.add(kindAsk, o, func(o *form.Options) *form.Inline { return form.NewInline(f, o) })
	flow.Present(func() (d *ask.Drafts) {
		open.inline.Read(func(now *ask.Drafts) { d = now.Clone() })
		return d
	})
	if s.flows == nil {
		s.flows = map[*queue.Flow]*OpenForm{}
	}
	s.flows[flow] = open
	context.AfterFunc(ctx, func() { // a flow has one context, which always ends
		s.mu.Lock()
		delete(s.flows, flow)
		s.mu.Unlock()
		switch cause := context.Cause(ctx); {
		case errors.Is(cause, queue.ErrCancelledElsewhere):
			s.tell("The form was cancelled elsewhere.", false)
		case errors.Is(cause, queue.ErrAnsweredElsewhere):
			s.tell("The form was answered elsewhere.", false)
		}
		s.screen.remove(open)
	})
	return open
}
