package hostshim

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// Extension is the ask tools inside one host. Its methods take what happens in
// the host; they may be called from several goroutines at once.
//
// What belongs to a session names its generation. A method that gets another
// number than the present one does nothing, and returns [ErrStale] if it
// returns an error.
type Extension struct {
	host     Host
	info     Info
	settings *settings.Store
	lock     queue.Lock
	screen   *screen
	editor   *gate
	ctx      context.Context // ends with the extension
	end      context.CancelFunc

	change sync.Mutex // one change of the session at a time
	mu     sync.Mutex
	run    *running
	newest uint64 // generation
}

// running is one session: from its start to its end, over all its branches.
type running struct {
	ctx     context.Context // of calls of the host
	end     context.CancelFunc
	store   *sessionStore
	manager *queue.Manager
	mode    string
	cwd     string
	guard   time.Duration

	mu      sync.Mutex
	overlay context.Context // of the settings overlay: ends with the branch
	hide    context.CancelFunc
}

// New returns an extension for a host. Nothing happens before Start.
func New(host Host, info Info) *Extension {
	if info.AgentDir == "" {
		info.AgentDir = settings.AgentDir()
	}
	if info.Guard == 0 {
		info.Guard = guardQuiet
	}
	e := &Extension{host: host, info: info, editor: newGate()}
	e.ctx, e.end = context.WithCancel(context.Background())
	e.settings = settings.Open(settings.Path(info.AgentDir), nil)
	e.screen = newScreen(host, info.Cols, info.Rows)
	return e
}

// Start starts a session; an older one that was not shut down is closed
// without a trace. It reads the branch, then returns; what was interrupted, and
// forms that are pending, go on in the background. Forms that open by
// themselves wait for the editor.
func (e *Extension) Start(ctx context.Context, s Start) error {
	e.change.Lock()
	defer e.change.Unlock()
	if err := e.advance(s.Gen); err != nil {
		return err
	}
	e.endRunning()
	r := &running{mode: s.Mode, cwd: s.Cwd, guard: e.info.Guard}
	r.ctx, r.end = context.WithCancel(e.ctx)
	r.store = &sessionStore{host: e.host, ctx: r.ctx, gen: s.Gen, given: s.Branch}
	r.newOverlay()
	var forms queue.Surface // none where there is nobody to ask
	if s.Mode == modeTUI {
		forms = &surface{screen: e.screen, session: r, options: func() *form.Options { return e.formOptions(r) }, tell: e.notifier(r)}
	}
	r.manager = queue.New(r.store, forms, &queue.Options{
		Host: e.queueHost(r), Dir: s.Cwd, Lock: &e.lock, PresentSingleAsMulti: e.singleAsMulti,
	})
	e.editor.set(s.EditorReady)
	e.mu.Lock()
	e.run = r
	e.mu.Unlock()
	if s.Mode == modeTUI && s.Reason != "new" && s.Reason != "reload" {
		return r.manager.Resume(ctx)
	}
	return r.manager.Restore(ctx)
}

// advance takes note of a new generation. Generations are counted up from 1:
// whatever comes late is stale.
func (e *Extension) advance(gen uint64) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if gen <= e.newest || e.ctx.Err() != nil {
		return ErrStale
	}
	e.newest = gen
	return nil
}

func (e *Extension) singleAsMulti() bool {
	now, _ := e.settings.Load()
	return now.Behaviour.PresentSingleAsMulti
}

// newOverlay closes the settings overlay and lets another one open.
func (r *running) newOverlay() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hide != nil {
		r.hide()
	}
	r.overlay, r.hide = context.WithCancel(r.ctx)
}

// guardQuiet is the quiet gap of the type-ahead guard: every form opens while
// the person may be typing elsewhere.
const guardQuiet = 300 * time.Millisecond

// modeTUI is the mode in which forms can be shown.
const modeTUI = "tui"

// Tree tells that the leaf of the session was moved to another branch; gen is
// the new generation. Open forms close without a trace; those that are pending
// on the new branch open.
func (e *Extension) Tree(ctx context.Context, gen uint64) error {
	e.change.Lock()
	defer e.change.Unlock()
	r := e.current()
	if r == nil {
		return ErrStale
	}
	if err := e.advance(gen); err != nil {
		return err
	}
	r.newOverlay()
	// First everything of the old branch ends: nothing of it may be done in the
	// name of the new one.
	r.store.leave()
	_ = r.manager.Restore(ctx) // fails: there is no branch to read
	r.store.enter(gen)
	return r.manager.Restore(ctx)
}

// Shutdown ends the session; gen is the new generation. Open forms close
// without a trace. Answers that could not be saved so far are tried once more,
// until ctx ends.
func (e *Extension) Shutdown(ctx context.Context, gen uint64) error {
	e.change.Lock()
	defer e.change.Unlock()
	r := e.current()
	if err := e.advance(gen); err != nil {
		return err
	}
	if r == nil {
		return nil
	}
	e.mu.Lock()
	e.run = nil
	e.mu.Unlock()
	defer context.AfterFunc(ctx, r.end)()
	defer r.end()
	r.hide()
	r.store.enter(gen)
	return r.manager.Close()
}

// Close ends everything, whatever the host does. Calls that are open end.
func (e *Extension) Close() {
	e.end()
	e.change.Lock()
	defer e.change.Unlock()
	e.endRunning()
	e.screen.removeAll()
}

// endRunning ends the session without asking the host for anything.
func (e *Extension) endRunning() {
	e.mu.Lock()
	r := e.run
	e.run = nil
	e.mu.Unlock()
	if r != nil {
		r.end()
		_ = r.manager.Close() // what could not be saved was told by a notice
	}
}

func (e *Extension) current() *running {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.run
}

// at returns the session if it has this generation.
func (e *Extension) at(gen uint64) (*running, error) {
	r := e.current()
	if r == nil || r.store.now() != gen {
		return nil, ErrStale
	}
	return r, nil
}

// TurnStart tells that a turn of the agent starts.
func (e *Extension) TurnStart(ctx context.Context, gen uint64) error {
	r, err := e.at(gen)
	if err != nil {
		return err
	}
	return r.manager.TurnStart(ctx)
}

// Boundary tells that a turn has ended, or that the agent is about to settle.
// The host appends the messages; with more it makes another model request.
func (e *Extension) Boundary(ctx context.Context, gen uint64) (messages []Message, more bool, err error) {
	r, err := e.at(gen)
	if err != nil {
		return nil, false, err
	}
	if r.mode != modeTUI {
		return nil, false, nil
	}
	entries, more, err := r.manager.TurnEnd(ctx, nil)
	for _, entry := range entries {
		messages = append(messages, message(entry))
	}
	return messages, more, err
}

// Settled tells that the agent has come to rest. Answers that are ready may
// wake it.
func (e *Extension) Settled(ctx context.Context, gen uint64) error {
	return e.idle(gen, func(m *queue.Manager) error { return m.Settled(ctx) })
}

// Idle tells that something other than a run has ended, such as a compaction.
// Answers that are ready may wake the agent.
func (e *Extension) Idle(ctx context.Context, gen uint64) error {
	return e.idle(gen, func(m *queue.Manager) error { return m.Idle(ctx) })
}

func (e *Extension) idle(gen uint64, tell func(*queue.Manager) error) error {
	r, err := e.at(gen)
	if err != nil || r.mode != modeTUI {
		return err
	}
	return tell(r.manager)
}

// Editor tells whether the native editor is in its place. Forms that open by
// themselves after a start, and forms that lost their place, wait for it.
func (e *Extension) Editor(gen uint64, ready bool) {
	if _, err := e.at(gen); err == nil {
		e.editor.set(ready)
	}
}

// BusEvent takes an event of the host's bus; only [ChannelSubmit] matters. It
// may be called from inside [Bus].Emit.
func (e *Extension) BusEvent(gen uint64, channel string, data json.RawMessage) {
	if r, err := e.at(gen); err == nil && channel == ChannelSubmit {
		r.manager.Submit(data)
	}
}

// OpenSettings opens the settings overlay: that of the open form, or else one
// of its own. Then it returns when that one is closed.
func (e *Extension) OpenSettings(ctx context.Context, gen uint64) error {
	r, err := e.at(gen)
	if err != nil {
		return err
	}
	if r.mode != modeTUI {
		return errors.New("The ask settings need interactive TUI mode.") //lint:ignore ST1005 the text is shown to the person
	}
	r.mu.Lock()
	overlay := r.overlay
	r.mu.Unlock()
	ctx, stop := join(ctx, overlay)
	defer stop()
	return e.screen.openSettings(ctx, r, e.formOptions(r))
}

// Form returns an open form by its number, for what the host's screen reports;
// nil if there is none.
func (e *Extension) Form(number int) *OpenForm { return e.screen.form(number) }

// SetTheme changes the colours of the forms that are opened from now on, and
// of those that are open.
func (e *Extension) SetTheme(t form.Theme) { e.screen.setTheme(t) }

// formOptions are the options of every form.
func (e *Extension) formOptions(r *running) *form.Options {
	o := &form.Options{
		Settings: e.settings, Theme: e.info.Theme, PasteImageKeys: e.info.PasteImageKeys,
		CursorMarker: e.info.CursorMarker, Width: e.info.Width, Dir: r.cwd,
	}
	if w, ok := e.host.(TerminalWriter); ok {
		o.Terminal = w.WriteTerminal
	}
	if c, ok := e.host.(form.Clipboard); ok {
		o.Clipboard = c
	}
	if l, ok := e.host.(form.FileLister); ok {
		o.Files = l
	}
	return o
}

// queueHost is the host as the queue wants it. The generation is read before
// the queue's context is looked at: a call for an old branch has ended then, or
// names the old number.
func (e *Extension) queueHost(r *running) queue.Host {
	inSession := func(ctx context.Context, call func(ctx context.Context, gen uint64) error) error {
		ctx, stop := join(ctx, r.ctx)
		defer stop()
		gen := r.store.now()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return guard(func() error { return call(ctx, gen) })
	}
	h := queue.Host{
		Idle: func() (idle bool) {
			err := guard(func() (err error) {
				idle, err = e.host.Idle(r.ctx, r.store.now())
				return err
			})
			return err == nil && idle
		},
		Deliver: func(ctx context.Context, m journal.Entry, wake bool) error {
			return inSession(ctx, func(ctx context.Context, gen uint64) error { return e.host.Deliver(ctx, gen, message(m), wake) })
		},
		SendUser: func(ctx context.Context, content []ask.Block, followUp bool) error {
			return inSession(ctx, func(ctx context.Context, gen uint64) error { return e.host.SendUser(ctx, gen, content, followUp) })
		},
		Abort:       func() { _ = e.host.Abort(r.ctx, r.store.now()) },
		AwaitEditor: e.editor.wait,
	}
	tell := e.notifier(r)
	h.Notice = func(x queue.Notice) { tell(x.Text, x.Error) }
	if n, ok := e.host.(Notifier); ok {
		h.Status = func(text string) { n.Status(r.store.now(), text) }
		h.Working = func(shown bool) { n.Working(r.store.now(), shown) }
	}
	if b, ok := e.host.(Bus); ok {
		h.Emit = func(channel string, data json.RawMessage) { b.Emit(r.store.now(), channel, data) }
	}
	return h
}

// notifier shows a text to the person, where the host can.
func (e *Extension) notifier(r *running) func(text string, isError bool) {
	n, ok := e.host.(Notifier)
	if !ok {
		return func(string, bool) {}
	}
	return func(text string, isError bool) {
		_ = guard(func() error { n.Notify(r.store.now(), text, isError); return nil })
	}
}

// gate is whether the native editor is in its place.
type gate struct {
	mu   sync.Mutex
	open chan struct{} // closed while the editor is in its place
	is   bool
}

func newGate() *gate { return &gate{open: make(chan struct{})} }

func (g *gate) set(open bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.is == open {
		return
	}
	g.is = open
	if open {
		close(g.open)
	} else {
		g.open = make(chan struct{})
	}
}

func (g *gate) wait(ctx context.Context) error {
	g.mu.Lock()
	open := g.open
	g.mu.Unlock()
	select {
	case <-open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
