package hostshim

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime/debug"
	"sync"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/handler"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
)

// Error codes of the protocol, see docs/protocol.md.
const (
	codeToolFailed  jrpc2.Code = -32001
	codeToolAborted jrpc2.Code = -32002
	codeStale       jrpc2.Code = -32010
	codeVersion     jrpc2.Code = -32011
)

// maxCalls is how many requests of the host may be under way at once: every
// open tool call is one.
const maxCalls = 1024

// Serve is the engine of a host in another process: it speaks JSON-RPC 2.0,
// one message a line, until in ends, ctx is cancelled or the host asks it to
// shut down. docs/protocol.md describes the messages.
func Serve(ctx context.Context, in io.Reader, out io.WriteCloser) error {
	p := &peer{quit: make(chan struct{})}
	lines := newLines(in, out)
	p.lines = lines
	p.server = jrpc2.NewServer(p.methods(), &jrpc2.ServerOptions{
		AllowPush: true, DisableBuiltin: true, Concurrency: maxCalls,
		NewContext: func() context.Context { return ctx },
	}).Start(lines)
	stop := context.AfterFunc(ctx, p.server.Stop)
	defer stop()
	go func() {
		<-p.quit
		p.server.Stop()
	}()
	err := p.server.Wait()
	p.shut()
	lines.finish()
	if p.ext != nil {
		p.ext.Close()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// peer is the connection to the host: what it calls is handled here, what the
// extension wants of it is in peerhost.go.
type peer struct {
	server *jrpc2.Server
	lines  *lines
	powers map[string]bool

	calls calls

	mu   sync.Mutex
	ext  *Extension
	quit chan struct{}
	once sync.Once
}

func (p *peer) shut() { p.once.Do(func() { close(p.quit) }) }

// initialize are the parameters of the first request.
type initialize struct {
	Protocol int      `json:"protocol"`
	AgentDir string   `json:"agentDir"`
	Theme    *Theme   `json:"theme"`
	Powers   []string `json:"powers"`
	Keys     struct {
		PasteImage []string `json:"pasteImage"`
	} `json:"keys"`
}

// Theme is a host's palette: for each role the sequence that switches to it.
type Theme struct {
	Fg map[string]string `json:"fg"`
	Bg map[string]string `json:"bg"`
}

// colors makes a theme of the palette.
func (t *Theme) colors() *form.Theme {
	if t == nil {
		return nil
	}
	c := func(m map[string]string, role ask.Role) form.Color { return form.Color(m[string(role)]) }
	return &form.Theme{
		Accent: c(t.Fg, ask.RoleAccent), Text: c(t.Fg, ask.RoleText), Success: c(t.Fg, ask.RoleSuccess),
		Muted: c(t.Fg, ask.RoleMuted), Warning: c(t.Fg, ask.RoleWarning), Dim: c(t.Fg, ask.RoleDim), Error: c(t.Fg, ask.RoleError),
		ToolTitle: c(t.Fg, ask.RoleToolTitle), SyntaxString: c(t.Fg, ask.RoleSyntaxString),
		SelectedBg: c(t.Bg, ask.RoleSelectedBg), CustomMessageBg: c(t.Bg, ask.RoleCustomMessageBg),
	}
}

// cursorMarker marks the cursor's cell for pi's TUI.
const cursorMarker = "\x1b_pi:c\x07"

func (p *peer) initialize(_ context.Context, in initialize) (any, error) {
	if in.Protocol != ProtocolVersion {
		return nil, jrpc2.Errorf(codeVersion, "protocol %d is not supported; the engine speaks %d", in.Protocol, ProtocolVersion).
			WithData(map[string]any{"supported": []int{ProtocolVersion}})
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ext != nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "initialize was called before")
	}
	p.powers = map[string]bool{}
	for _, power := range in.Powers {
		p.powers[power] = true
	}
	p.ext = New(p.host(), Info{
		AgentDir: in.AgentDir, Theme: in.Theme.colors(), PasteImageKeys: in.Keys.PasteImage, CursorMarker: cursorMarker,
	})
	return map[string]any{"protocol": ProtocolVersion, "version": Version}, nil
}

// Version is the version of the engine; the extension's package has the same.
const Version = "0.1.0"

// extension is the extension of an initialized connection.
func (p *peer) extension() (*Extension, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ext == nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "call initialize first")
	}
	return p.ext, nil
}

type none struct{}

type generation struct {
	Gen uint64 `json:"gen"`
}

// methods are the calls that a host makes.
func (p *peer) methods() handler.Map {
	return handler.Map{
		"initialize":       handler.New(p.initialize),
		"session/start":    on(p, func(ctx context.Context, e *Extension, s Start) error { return e.Start(ctx, s) }),
		"session/tree":     on(p, func(ctx context.Context, e *Extension, s generation) error { return e.Tree(ctx, s.Gen) }),
		"session/shutdown": on(p, func(_ context.Context, e *Extension, s generation) error { e.Shutdown(s.Gen); return nil }),
		"tool/execute":     handler.New(p.execute),
		"tool/cancel":      on(p, func(_ context.Context, _ *Extension, c Call) error { p.calls.cancel(c.ID); return nil }),
		"turn/start":       on(p, func(ctx context.Context, e *Extension, s generation) error { return e.TurnStart(ctx, s.Gen) }),
		"turn/boundary":    handler.New(p.boundary),
		"agent/settled":    on(p, func(ctx context.Context, e *Extension, s generation) error { return e.Settled(ctx, s.Gen) }),
		"agent/idle":       on(p, func(ctx context.Context, e *Extension, s generation) error { return e.Idle(ctx, s.Gen) }),
		"editor/ready":     on(p, func(_ context.Context, e *Extension, _ generation) error { e.Editor(true); return nil }),
		"editor/taken":     on(p, func(_ context.Context, e *Extension, _ generation) error { e.Editor(false); return nil }),
		"command/settings": on(p, func(ctx context.Context, e *Extension, s generation) error { return e.OpenSettings(ctx, s.Gen) }),
		"bus/event": on(p, func(_ context.Context, e *Extension, b busEvent) error {
			e.BusEvent(b.Gen, b.Channel, b.Data)
			return nil
		}),
		"form/key":     onForm(p, func(f *OpenForm, in formInput) { f.Key(in.ID, in.Text) }),
		"form/paste":   onForm(p, func(f *OpenForm, in formInput) { f.Paste(in.Text) }),
		"form/size":    onForm(p, func(f *OpenForm, in formInput) { f.Size(in.Cols, in.Rows) }),
		"form/mounted": onForm(p, func(f *OpenForm, in formInput) { f.Mounted(in.Cols, in.Rows) }),
		"form/shown":   onForm(p, func(f *OpenForm, _ formInput) { f.Shown() }),
		"form/lost":    onForm(p, func(f *OpenForm, _ formInput) { f.Lost() }),
		"theme/changed": on(p, func(_ context.Context, e *Extension, in struct {
			Theme *Theme `json:"theme"`
		}) error {
			if t := in.Theme.colors(); t != nil {
				e.SetTheme(*t)
			}
			return nil
		}),
		"row/render": handler.New(func(_ context.Context, r Row) (any, error) {
			return map[string]any{"lines": RenderRow(r)}, nil
		}),
		"shutdown": handler.New(func(context.Context) (none, error) {
			go p.shutdown()
			return none{}, nil
		}),
	}
}

type busEvent struct {
	Gen     uint64          `json:"gen"`
	Channel string          `json:"channel"`
	Data    json.RawMessage `json:"data"`
}

type formInput struct {
	Form int    `json:"form"`
	ID   string `json:"id"`
	Text string `json:"text"`
	Cols int    `json:"cols"`
	Rows int    `json:"rows"`
}

// on is a method that needs the extension and returns nothing.
func on[T any](p *peer, fn func(context.Context, *Extension, T) error) handler.Func {
	return handler.New(func(ctx context.Context, in T) (out none, err error) {
		defer recovered(&err)
		e, err := p.extension()
		if err != nil {
			return none{}, err
		}
		return none{}, asError(fn(ctx, e, in))
	})
}

// onForm is a notification for an open form; one for another form is dropped.
func onForm(p *peer, fn func(*OpenForm, formInput)) handler.Func {
	return on(p, func(_ context.Context, e *Extension, in formInput) error {
		if f := e.Form(in.Form); f != nil {
			fn(f, in)
		}
		return nil
	})
}

func (p *peer) execute(ctx context.Context, c Call) (out ask.ToolResult, err error) {
	defer recovered(&err)
	e, err := p.extension()
	if err != nil {
		return ask.ToolResult{}, err
	}
	ctx, done := p.calls.start(ctx, c.ID)
	defer done()
	out, err = e.Execute(ctx, c)
	var aborted *AbortError
	switch {
	case err == nil, errors.Is(err, ErrStale):
		return out, asError(err)
	case errors.As(err, &aborted):
		return out, jrpc2.Errorf(codeToolAborted, "%s", err)
	}
	return out, jrpc2.Errorf(codeToolFailed, "%s", err)
}

func (p *peer) boundary(ctx context.Context, in generation) (out any, err error) {
	defer recovered(&err)
	e, err := p.extension()
	if err != nil {
		return nil, err
	}
	messages, more, err := e.Boundary(ctx, in.Gen)
	if messages == nil {
		messages = []Message{}
	}
	return map[string]any{"entries": messages, "continue": more}, asError(err)
}

// shutdown closes the session and, once the answer is out, the connection.
func (p *peer) shutdown() {
	if e, err := p.extension(); err == nil {
		e.Close()
	}
	p.lines.drain()
	p.shut()
}

// asError gives an error its code.
func asError(err error) error {
	if errors.Is(err, ErrStale) {
		return jrpc2.Errorf(codeStale, "%s", err)
	}
	return err
}

// recovered makes an internal error of a panic: no call of a host may take the
// engine down.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = jrpc2.Errorf(jrpc2.InternalError, "the engine failed: %v\n%s", v, debug.Stack())
	}
}
