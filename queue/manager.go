package queue

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// Manager asks a person questions on behalf of an agent and brings each answer
// to the agent exactly once per branch of the session. It is safe for
// concurrent use.
//
// Everything it knows follows from the branch of its store, except what is
// under way at this moment. It notices by itself when the store's leaf was
// moved, but [Manager.Restore] tells it sooner.
type Manager struct {
	store   journal.Store
	surface Surface
	opt     Options
	host    Host
	tasks   sync.WaitGroup
	status  statusLine

	mu     sync.Mutex
	closed bool
	gen    *generation
	held   []*held // outcomes that could not be saved yet, oldest first
	flow   *Flow   // of the open form

	delivering   bool // an idle pass is running
	deliverAgain bool // and another one was asked for
}

// generation is the time between two changes of the session. What was started
// in one neither writes nor sends anything in the next.
type generation struct {
	ctx      context.Context
	end      context.CancelCauseFunc
	store    uint64 // the store's own generation
	requests []*request
	waiter   *waiter
	awaiting bool // forms of the queue wait for their place on the screen
	serving  bool // a form of the queue is open or waits for the input lock
}

// New returns a Manager for the session in store. Forms are shown on surface;
// without one nobody can answer, and every call ends as cancelled. options may
// be nil. New reads nothing: call [Manager.Resume] when a session starts, or
// just ask.
func New(store journal.Store, surface Surface, options *Options) *Manager {
	m := &Manager{store: store, surface: surface, opt: options.defaults()}
	m.host = m.opt.Host
	return m
}

// Resume takes up a session that was interrupted: after the start of the
// program, and when an earlier session is opened again or forked. It does
// what [Manager.Restore] does, and more: outcomes that were saved but never
// told to the agent are sent as the user's message, and the newest form whose
// tool call was lost is opened again. It returns at once; the rest goes on in
// the background.
func (m *Manager) Resume(ctx context.Context) error { return m.restart(ctx, true) }

// Restore rebuilds the queue from the branch, after a new or reloaded session
// or when the leaf was moved. Forms that are open close without a trace, a
// wait ends with [ErrWaitInterrupted], pending forms open again, and answers
// that the branch does not show as delivered are delivered.
func (m *Manager) Restore(ctx context.Context) error { return m.restart(ctx, false) }

func (m *Manager) restart(ctx context.Context, resume bool) error {
	m.mu.Lock()
	var fx effects
	if m.current(m.gen) {
		fx = m.flush(m.gen)
	}
	if resume {
		fx.send = nil // what the transcript lacks is in the plan
	}
	_, err := m.rebuild(ctx, resume, fx)
	m.mu.Unlock()
	return err
}

// Close ends the Manager. Open forms close without a trace, so that they open
// again after the next start; a wait ends with [ErrWaitInterrupted]. Close
// returns when everything that the Manager started has ended. Its error tells
// that answers in memory could not be saved. Calling it again does nothing.
func (m *Manager) Close() error {
	m.mu.Lock()
	var fx effects
	if m.current(m.gen) {
		fx = m.flush(m.gen)
	}
	m.closed = true
	m.dispose()
	var err error
	if n := len(m.held); n > 0 {
		err = fmt.Errorf("queue: %d answers were not saved: %w", n, m.held[0].err)
	}
	m.held = nil
	m.mu.Unlock()
	m.do(fx)
	m.tasks.Wait()
	return err
}

// sync returns the current generation, and starts one when there is none or
// when the store has moved on without telling. The lock is held.
func (m *Manager) sync(ctx context.Context) (*generation, error) {
	if m.closed {
		return nil, fmt.Errorf("queue: %w", ErrSessionEnded)
	}
	if m.current(m.gen) {
		return m.gen, nil
	}
	return m.rebuild(ctx, false, effects{})
}

// current reports whether g is the present generation of queue and store.
func (m *Manager) current(g *generation) bool {
	if g == nil || g != m.gen {
		return false
	}
	_, now := m.store.Leaf()
	return now == g.store
}

// rebuild starts a new generation from the branch. fx is left to do from the
// last one. The lock is held.
func (m *Manager) rebuild(ctx context.Context, resume bool, fx effects) (*generation, error) {
	m.dispose()
	if m.closed {
		return nil, fmt.Errorf("queue: %w", ErrSessionEnded)
	}
	_, storeGeneration := m.store.Leaf()
	branch, err := m.store.Branch(context.WithoutCancel(ctx))
	if err != nil {
		return nil, fmt.Errorf("queue: read the session: %w", err)
	}
	g := &generation{store: storeGeneration, requests: requestsOf(branch)}
	g.ctx, g.end = context.WithCancelCause(context.Background())
	m.gen = g
	m.adopt(g, branch)
	if m.surface == nil {
		return g, nil
	}
	fx.gen = g
	var p plan
	if resume {
		p = planRecovery(branch, m.loadForm)
		if p.open != nil && m.holds(p.open.id) {
			p.open = nil
		}
	}
	g.awaiting = nextToOpen(g.requests) != nil
	awaiting := g.awaiting
	m.tasks.Go(func() {
		m.do(fx)
		m.recover(g, p)
		m.deliverIdle()
		m.openRestored(g, p.open, awaiting)
	})
	return g, nil
}

// dispose ends the generation. The lock is held.
func (m *Manager) dispose() {
	g := m.gen
	m.gen = nil
	if g == nil {
		return
	}
	g.waiter = nil
	g.end(ErrSessionEnded)
}

// openRestored lets forms open that nobody has just asked for: first the call
// that was interrupted, then the queue.
func (m *Manager) openRestored(g *generation, call *calledAsk, awaiting bool) {
	if call == nil && !awaiting || !m.awaitEditor(g.ctx) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if g != m.gen {
		return
	}
	if call != nil {
		t := m.opt.Lock.take()
		m.tasks.Go(func() { m.reopen(g, call, t) })
	}
	g.awaiting = false
	m.pump(g)
}

// awaitEditor waits for the place of forms and reports whether ctx is alive.
func (m *Manager) awaitEditor(ctx context.Context) bool {
	if m.host.AwaitEditor != nil {
		// A host that cannot tell does not keep forms from opening.
		_ = m.host.AwaitEditor(ctx)
	}
	return ctx.Err() == nil
}

// pump lets the first unanswered form queue up for the input lock, unless one
// already did. The lock is held.
func (m *Manager) pump(g *generation) {
	if m.surface == nil || g.awaiting || g.serving || nextToOpen(g.requests) == nil {
		return
	}
	g.serving = true
	t := m.opt.Lock.take()
	m.tasks.Go(func() { m.serve(g, t) })
}

// serve shows one form of the queue and records how it ended.
func (m *Manager) serve(g *generation, t *ticket) {
	defer t.release()
	if !t.wait(g.ctx, g.ctx) {
		return
	}
	m.mu.Lock()
	r := nextToOpen(g.requests)
	m.mu.Unlock()
	if r != nil {
		end := m.show(g.ctx, g, m.newFlow(r.form, sourceTool, r.flowCallID()))
		if end.how == sessionEnded {
			return
		}
		m.record(g, &held{request: r, outcome: journal.Outcome{RequestID: r.id, Result: end.result, Error: end.failure}})
	}
	m.mu.Lock()
	if g == m.gen {
		g.serving = false
		m.pump(g)
	}
	m.mu.Unlock()
	t.release() // before the host is called: what it does may need a form
	m.deliverIdle()
}

// find returns the request with that id, or nil.
func (g *generation) find(id string) *request {
	i := slices.IndexFunc(g.requests, func(r *request) bool { return r.id == id })
	if i < 0 {
		return nil
	}
	return g.requests[i]
}

// loadForm turns recorded parameters into a form, if that is still possible.
func (m *Manager) loadForm(p ask.Payload) (ask.Form, bool) {
	_, form, err := m.prepare(p)
	return form, err == nil
}
