package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// The sources that events name.
const (
	sourceTool   = "tool"
	sourceResume = "ask:resume"
)

// Flow is the life of one form, from its opening to its result, however often
// it has to be shown. It links the form with the world outside: events can
// answer it, and others are told how it ended. It is safe for concurrent use.
type Flow struct {
	manager *Manager
	id      string
	callID  string
	source  string
	form    ask.Form

	mu       sync.Mutex
	session  context.Context // ends with the session; nil while the form is not open
	ctx      context.Context // ends when the form has to close
	closing  context.CancelCauseFunc
	drafts   func() *ask.Drafts
	result   *ask.Result // fixed; nothing changes it any more
	over     bool        // the form is closed; there will be no result
	starting bool        // the started event is being emitted
	after    func()      // what waits for that

	telling sync.WaitGroup // the completed event is being emitted
}

// newFlow makes a flow. Without a call id it gets an id of its own.
func (m *Manager) newFlow(form ask.Form, source, callID string) *Flow {
	f := &Flow{manager: m, form: form, source: source, callID: callID, id: "tool:" + callID}
	if callID == "" {
		f.id = "flow:" + m.opt.NewID()
	}
	return f
}

// ID identifies the flow in events. It is the same each time the form is shown.
func (f *Flow) ID() string { return f.id }

// Present tells how to read what has been entered so far. drafts returns a copy;
// it is called from other goroutines, while the form is open. A surface that
// does not call Present can still be answered from outside: as if nothing had
// been entered.
func (f *Flow) Present(drafts func() *ask.Drafts) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drafts = drafts
}

// Complete fixes the result of the form and tells others about it. A surface
// calls it before it closes the form. It reports false when the form has ended
// already, for example because it was answered from outside; the surface then
// just closes. Without a call the result that Open returns is taken. Complete
// returns when the others know; it must not be called from inside Host.Emit.
func (f *Flow) Complete(result ask.Result) bool {
	first := f.complete(result, nil)
	f.telling.Wait()
	return first
}

// complete fixes a result. cause is why the form has to close, nil if it closes
// by itself.
func (f *Flow) complete(result ask.Result, cause error) bool {
	if result.Cancelled {
		result = withoutImages(result)
	}
	result = f.fill(result)
	announce := func() {
		defer f.telling.Done()
		f.emitCompleted(result)
		if cause != nil {
			f.closing(cause)
		}
	}
	f.mu.Lock()
	if f.result != nil || f.over || f.session == nil || f.session.Err() != nil {
		f.mu.Unlock()
		return false
	}
	f.result = &result
	f.telling.Add(1)
	if f.starting {
		f.after = announce
		f.mu.Unlock()
		return true
	}
	f.mu.Unlock()
	announce()
	return true
}

// fill completes what a surface may leave out of a result.
func (f *Flow) fill(r ask.Result) ask.Result {
	empty := ask.NewDrafts(f.form).Result(ask.Cancelled)
	if r.Title == "" {
		r.Title = empty.Title
	}
	if r.Mode == "" {
		r.Mode = ask.Submit
	}
	if len(r.Questions) == 0 {
		r.Questions = empty.Questions
	}
	if r.Answers == nil {
		r.Answers = empty.Answers
	}
	r.RequestID = ""
	return r
}

// start emits the started event, unless the form has ended before.
func (f *Flow) start() {
	f.mu.Lock()
	if f.result != nil || f.over {
		f.mu.Unlock()
		return
	}
	f.starting = true
	f.mu.Unlock()
	f.emitStarted()
	f.mu.Lock()
	f.starting = false
	after := f.after
	f.mu.Unlock()
	if after != nil {
		after()
	}
}

// finish closes the flow for good and returns the result, nil if there is none.
func (f *Flow) finish() *ask.Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	return f.result
}

// active reports whether the form can still be answered.
func (f *Flow) active() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.result == nil && !f.over && f.session != nil && f.session.Err() == nil && f.ctx.Err() == nil
}

// entered is what the form holds now. A surface that panics here has entered
// nothing.
func (f *Flow) entered() (d *ask.Drafts) {
	f.mu.Lock()
	read := f.drafts
	f.mu.Unlock()
	if read != nil {
		_ = guard(func() { d = read() })
	}
	if d == nil {
		d = ask.NewDrafts(f.form)
	}
	return d
}

// ending is how a form ended.
type ending struct {
	how     endingKind
	result  *ask.Result // completed and interrupted
	failure string      // failed: never empty then
}

type endingKind int

const (
	completed    endingKind = iota
	interrupted             // the caller lost interest; the result is a cancelled one
	failed                  // the surface could not show the form
	sessionEnded            // nothing of the form may leave a trace
)

// show opens a form and stays with it until it has ended. The input lock is
// held by the caller. A form that a person cancelled has stopped the agent when
// show returns.
func (m *Manager) show(ctx context.Context, g *generation, f *Flow) ending {
	m.emitBlocked(true)
	end := m.runFlow(ctx, g, f)
	m.emitBlocked(false)
	if end.how == completed && end.result.Cancelled {
		m.mu.Lock()
		alive := m.current(g)
		m.mu.Unlock()
		if alive {
			m.abort()
		}
	}
	return end
}

func (m *Manager) runFlow(ctx context.Context, g *generation, f *Flow) ending {
	open, closing := context.WithCancelCause(ctx)
	defer closing(nil)
	defer context.AfterFunc(g.ctx, func() { closing(context.Cause(g.ctx)) })()
	f.mu.Lock()
	f.session, f.ctx, f.closing = g.ctx, open, closing
	f.mu.Unlock()
	m.setFlow(nil, f)
	defer m.setFlow(f, nil)

	var started sync.WaitGroup
	started.Go(f.start)
	result, err := m.mount(open, f)
	if err == nil && !(result.Cancelled && open.Err() != nil) {
		f.complete(result, nil)
	}
	fixed := f.finish()
	started.Wait()
	f.telling.Wait() // a surface without a place returns before the event is out

	switch {
	case g.ctx.Err() != nil:
		return ending{how: sessionEnded}
	case fixed != nil:
		return ending{how: completed, result: fixed}
	case ctx.Err() != nil:
		r := withoutImages(f.fill(ask.Result{Cancelled: true}))
		if err == nil {
			r = withoutImages(f.fill(result))
		}
		return ending{how: interrupted, result: &r}
	default:
		return ending{how: failed, failure: failure(err)}
	}
}

// mount shows the form, again and again if it loses its place.
func (m *Manager) mount(ctx context.Context, f *Flow) (result ask.Result, err error) {
	for {
		if p := guard(func() { result, err = m.surface.Open(ctx, f.form, f) }); p != nil {
			return ask.Result{}, p
		}
		if !errors.Is(err, ErrSlotLost) || !f.active() || !m.awaitEditor(ctx) {
			return result, err
		}
	}
}

// setFlow makes next the flow that events reach, if it is still the turn of old.
func (m *Manager) setFlow(old, next *Flow) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if next != nil || m.flow == old {
		m.flow = next
	}
}

// failure is the text of an error, never empty.
func failure(err error) string {
	if err == nil || err.Error() == "" {
		return "unknown error"
	}
	return err.Error()
}

// guard calls foreign code and turns its panic into an error.
func guard(fn func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	fn()
	return nil
}

// withoutImages removes image bytes, and answers that consist of nothing else.
func withoutImages(r ask.Result) ask.Result {
	answers := make(map[string]ask.Answer, len(r.Answers))
	for id, a := range r.Answers {
		a.CustomImages, a.NoteImages, a.OptionNoteImages = nil, nil, nil
		if len(a.Values) > 0 || a.CustomText != "" || a.Note != "" || len(a.OptionNotes) > 0 {
			answers[id] = a
		}
	}
	r.Answers, r.Continuation, r.Elaboration = answers, nil, nil
	return r
}
