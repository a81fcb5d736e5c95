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
type Extension struct {
	host     Host
	info     Info
	settings *settings.Store
	lock     queue.Lock
	screen   *screen
	editor   *gate

	mu    sync.Mutex
	run   *running
	ended uint64 // the newest generation that is over
}

// running is one session: from its start to its end, over all its branches.
type running struct {
	store   *sessionStore
	manager *queue.Manager
	mode    string
}

// New returns an extension for a host. Nothing happens before Start.
func New(host Host, info Info) *Extension {
	if info.AgentDir == "" {
		info.AgentDir = settings.AgentDir()
	}
	e := &Extension{host: host, info: info, editor: newGate()}
	e.settings = settings.Open(settings.Path(info.AgentDir), nil)
	e.screen = newScreen(host, e.formOptions)
	return e
}

// Start starts a session; an older one is closed without a trace. Forms that
// are open again after it wait for the editor.
func (e *Extension) Start(ctx context.Context, s Start) error {
	e.closeRunning(s.Gen)
	r := &running{store: &sessionStore{host: e.host}, mode: s.Mode}
	r.store.gen.Store(s.Gen)
	var forms queue.Surface // none where there is nobody to ask
	if s.Mode == modeTUI {
		forms = &surface{screen: e.screen, gen: &r.store.gen}
	}
	r.manager = queue.New(r.store, forms, &queue.Options{
		Host: e.queueHost(r.store), Dir: s.Cwd, Lock: &e.lock,
		PresentSingleAsMulti: func() bool {
			now, _ := e.settings.Load()
			return now.Behaviour.PresentSingleAsMulti
		},
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

// guardQuiet is the quiet gap of the type-ahead guard: every form opens while
// the person may be typing elsewhere.
const guardQuiet = 300 * time.Millisecond

// modeTUI is the mode in which forms can be shown.
const modeTUI = "tui"

// Tree tells that the leaf of the session was moved to another branch; gen is
// the new generation.
func (e *Extension) Tree(ctx context.Context, gen uint64) error {
	r := e.current()
	if r == nil {
		return ErrStale
	}
	r.store.gen.Store(gen)
	e.screen.closeAll()
	return r.manager.Restore(ctx)
}

// Shutdown ends the session: open forms close without a trace.
func (e *Extension) Shutdown(gen uint64) { e.closeRunning(gen) }

// Close ends everything.
func (e *Extension) Close() { e.closeRunning(0) }

func (e *Extension) closeRunning(gen uint64) {
	e.mu.Lock()
	r := e.run
	e.run = nil
	e.ended = max(e.ended, gen)
	e.mu.Unlock()
	if r != nil {
		r.store.gen.Store(gen)
		_ = r.manager.Close() // what could not be saved was told by a notice
	}
	e.screen.closeAll()
}

func (e *Extension) current() *running {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.run
}

// at returns the session if it has this generation.
func (e *Extension) at(gen uint64) (*running, error) {
	r := e.current()
	if r == nil || r.store.gen.Load() != gen {
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

// Settled tells that the agent has come to rest, Idle that something other
// than a run has ended, such as a compaction.
func (e *Extension) Settled(ctx context.Context, gen uint64) error {
	return e.idle(gen, func(m *queue.Manager) error { return m.Settled(ctx) })
}

// Idle tells that something other than a run has ended, such as a compaction.
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

// Editor tells whether the native editor is in its place.
func (e *Extension) Editor(ready bool) { e.editor.set(ready) }

// BusEvent takes an event of the host's bus; only pi-agent-ask:submit matters.
func (e *Extension) BusEvent(gen uint64, channel string, data json.RawMessage) {
	if r, err := e.at(gen); err == nil && channel == ChannelSubmit {
		r.manager.Submit(data)
	}
}

// OpenSettings opens the settings overlay: that of the open form, or one of
// its own.
func (e *Extension) OpenSettings(ctx context.Context, gen uint64) error {
	r, err := e.at(gen)
	if err != nil {
		return err
	}
	if r.mode != modeTUI {
		return errors.New("The ask settings need interactive TUI mode.") //lint:ignore ST1005 the text is shown to the person
	}
	return e.screen.openSettings(ctx, gen)
}

// Form returns an open form by its number, for what the host's screen reports;
// nil if there is none.
func (e *Extension) Form(number int) *OpenForm { return e.screen.form(number) }

// SetTheme changes the colours of the forms that are opened from now on, and
// of those that are open.
func (e *Extension) SetTheme(t form.Theme) { e.screen.setTheme(t) }

// formOptions are the options of every form.
func (e *Extension) formOptions() *form.Options {
	o := &form.Options{
		Settings: e.settings, Theme: e.info.Theme, PasteImageKeys: e.info.PasteImageKeys,
		CursorMarker: e.info.CursorMarker, Guard: guardQuiet,
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

// queueHost is the host as the queue wants it.
func (e *Extension) queueHost(s *sessionStore) queue.Host {
	h := queue.Host{
		Idle: func() bool {
			idle, err := e.host.Idle(context.Background(), s.gen.Load())
			return err == nil && idle
		},
		Deliver: func(ctx context.Context, m journal.Entry, wake bool) error {
			return e.host.Deliver(ctx, s.gen.Load(), message(m), wake)
		},
		SendUser: func(ctx context.Context, content []ask.Block, followUp bool) error {
			return e.host.SendUser(ctx, s.gen.Load(), content, followUp)
		},
		Abort:       func() { _ = e.host.Abort(context.Background(), s.gen.Load()) },
		AwaitEditor: e.editor.wait,
	}
	if n, ok := e.host.(Notifier); ok {
		h.Notice = func(x queue.Notice) { n.Notify(s.gen.Load(), x.Text, x.Error) }
		h.Status = func(text string) { n.Status(s.gen.Load(), text) }
		h.Working = func(shown bool) { n.Working(s.gen.Load(), shown) }
	}
	if b, ok := e.host.(Bus); ok {
		h.Emit = func(channel string, data json.RawMessage) { b.Emit(s.gen.Load(), channel, data) }
	}
	return h
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
