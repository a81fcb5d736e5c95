package hostshim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
)

// Version is the version of the engine; the extension's package has the same.
const Version = "0.1.0"

// cursorMarker marks the cursor's cell for pi's TUI.
const cursorMarker = "\x1b_pi:c\x07"

// Serve is the engine of a host in another process: it speaks JSON-RPC 2.0,
// one message a line, until in ends, ctx is cancelled or the host asks it to
// shut down. docs/protocol.md describes the messages.
//
// Serve returns nil unless ctx ended or in could not be read. Everything that
// it started has ended then, but for a read of in or a write to out that the
// other side does not let go. It closes out, and in if that can be closed.
func Serve(ctx context.Context, in io.Reader, out io.WriteCloser) error {
	return serve(ctx, in, out, Info{CursorMarker: cursorMarker})
}

// serve is Serve for a host about which some things are known.
func serve(ctx context.Context, in io.Reader, out io.WriteCloser, info Info) error {
	p := &peer{conn: newConn(in, out), info: info}
	p.conn.methods = p.methods()
	err := p.conn.run(ctx)
	if e, _ := p.extension(); e != nil {
		e.Close()
	}
	return err
}

// peer is the connection to the host: what it calls is handled here, what the
// extension wants of it is in peerhost.go.
type peer struct {
	conn  *conn
	info  Info
	calls calls

	mu  sync.Mutex
	ext *Extension
}

// initialize are the parameters of the first request.
type initialize struct {
	Protocol int      `json:"protocol"`
	Mode     string   `json:"mode"`
	AgentDir string   `json:"agentDir"`
	Theme    *palette `json:"theme"`
	Powers   []string `json:"powers"`
	Keys     struct {
		PasteImage []string `json:"pasteImage"`
	} `json:"keys"`
	Form struct {
		Cols int `json:"cols"`
		Rows int `json:"rows"`
	} `json:"form"`
}

// palette is a host's theme: for each role the sequence that switches to it.
type palette struct {
	Fg map[ask.Role]form.Color `json:"fg"`
	Bg map[ask.Role]form.Color `json:"bg"`
}

// theme makes a theme of the palette; one without colours is none.
func (p *palette) theme() *form.Theme {
	if p == nil || len(p.Fg)+len(p.Bg) == 0 {
		return nil
	}
	return &form.Theme{
		Accent: p.Fg[ask.RoleAccent], Text: p.Fg[ask.RoleText], Success: p.Fg[ask.RoleSuccess],
		Muted: p.Fg[ask.RoleMuted], Warning: p.Fg[ask.RoleWarning], Dim: p.Fg[ask.RoleDim], Error: p.Fg[ask.RoleError],
		ToolTitle: p.Fg[ask.RoleToolTitle], SyntaxString: p.Fg[ask.RoleSyntaxString],
		SelectedBg: p.Bg[ask.RoleSelectedBg], CustomMessageBg: p.Bg[ask.RoleCustomMessageBg],
	}
}

func (p *peer) initialize(_ context.Context, in initialize) (any, error) {
	if in.Protocol != ProtocolVersion {
		err := errorf(codeVersion, "protocol %d is not supported; the engine speaks %d", in.Protocol, ProtocolVersion)
		err.Data = map[string]any{"supported": []int{ProtocolVersion}}
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ext != nil {
		return nil, errorf(codeRequest, "initialize was called before")
	}
	info := p.info
	info.AgentDir, info.Theme, info.PasteImageKeys = in.AgentDir, in.Theme.theme(), in.Keys.PasteImage
	info.Cols, info.Rows = in.Form.Cols, in.Form.Rows
	p.ext = New(p.host(in.Powers), info)
	if in.Mode == modeTUI {
		p.conn.work.Go(p.ext.warm)
	}
	return map[string]any{"protocol": ProtocolVersion, "version": Version}, nil
}

// extension is the extension of an initialized connection.
func (p *peer) extension() (*Extension, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ext == nil {
		return nil, errorf(codeRequest, "call initialize first")
	}
	return p.ext, nil
}

type none struct{}

type generation struct {
	Gen uint64 `json:"gen"`
}

type busEvent struct {
	Gen     uint64          `json:"gen"`
	Channel string          `json:"channel"`
	Data    json.RawMessage `json:"data"`
}

type formInput struct {
	Form   int    `json:"form"`
	ID     string `json:"id"`
	Text   string `json:"text"`
	Repeat bool   `json:"repeat"`
	Cols   int    `json:"cols"`
	Rows   int    `json:"rows"`
}

// methods are the calls that a host makes.
func (p *peer) methods() map[string]method {
	return map[string]method{
		"initialize": {do: call(p.initialize), order: atOnce},

		"session/start": on(p, beside, func(ctx context.Context, e *Extension, s struct {
			Start
			Branch *rawBranch `json:"branch"`
		}) error {
			if s.Branch != nil {
				b := s.Branch.branch()
				s.Start.Branch = &b
			}
			return e.Start(ctx, s.Start)
		}),
		"session/tree":     on(p, beside, func(ctx context.Context, e *Extension, s generation) error { return e.Tree(ctx, s.Gen) }),
		"session/shutdown": on(p, beside, func(ctx context.Context, e *Extension, s generation) error { return e.Shutdown(ctx, s.Gen) }),
		"shutdown":         {do: p.shutdown, last: true},

		"tool/execute": {do: call(p.execute), order: inLine},
		"tool/cancel":  on(p, atOnce, func(_ context.Context, _ *Extension, c Call) error { p.calls.cancel(c.Gen, c.ID); return nil }),

		"turn/start": {order: beside, read: p.calls.turn,
			do: on(p, beside, func(ctx context.Context, e *Extension, s generation) error { return e.TurnStart(ctx, s.Gen) }).do},
		"turn/boundary": {do: call(p.boundary)},
		"agent/settled": on(p, beside, func(ctx context.Context, e *Extension, s generation) error { return e.Settled(ctx, s.Gen) }),
		"agent/idle":    on(p, beside, func(ctx context.Context, e *Extension, s generation) error { return e.Idle(ctx, s.Gen) }),

		"editor/ready":     on(p, atOnce, func(_ context.Context, e *Extension, s generation) error { e.Editor(s.Gen, true); return nil }),
		"editor/taken":     on(p, atOnce, func(_ context.Context, e *Extension, s generation) error { e.Editor(s.Gen, false); return nil }),
		"command/settings": on(p, beside, func(ctx context.Context, e *Extension, s generation) error { return e.OpenSettings(ctx, s.Gen) }),
		"bus/event": on(p, inTurn, func(_ context.Context, e *Extension, b busEvent) error {
			e.BusEvent(b.Gen, b.Channel, b.Data)
			return nil
		}),

		"form/key": onForm(p, func(f *OpenForm, in formInput) {
			if in.Repeat {
				f.Repeat(in.ID, in.Text)
			} else {
				f.Key(in.ID, in.Text)
			}
		}),
		"form/paste":   onForm(p, func(f *OpenForm, in formInput) { f.Paste(in.Text) }),
		"form/size":    onForm(p, func(f *OpenForm, in formInput) { f.Size(in.Cols, in.Rows) }),
		"form/mounted": onForm(p, func(f *OpenForm, in formInput) { f.Mounted(in.Cols, in.Rows) }),
		"form/shown":   onForm(p, func(f *OpenForm, _ formInput) { f.Shown() }),
		"form/lost":    onForm(p, func(f *OpenForm, _ formInput) { f.Lost() }),
		"theme/changed": on(p, atOnce, func(_ context.Context, e *Extension, in struct {
			Theme *palette `json:"theme"`
		}) error {
			if t := in.Theme.theme(); t != nil {
				e.SetTheme(*t)
			}
			return nil
		}),
		"row/render": {do: call(renderRow)},
	}
}

// call is a method with parameters of type T: an object, or nothing.
func call[T any](fn func(context.Context, T) (any, error)) func(context.Context, json.RawMessage) (any, error) {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		var in T
		if text := bytes.TrimSpace(params); len(text) > 0 && !bytes.Equal(text, []byte("null")) {
			if err := json.Unmarshal(text, &in); err != nil {
				return nil, errorf(codeParams, "the parameters cannot be read: %v", err)
			}
		}
		return fn(ctx, in)
	}
}

// on is a method that needs the extension and returns nothing.
func on[T any](p *peer, o order, fn func(context.Context, *Extension, T) error) method {
	return method{order: o, do: call(func(ctx context.Context, in T) (any, error) {
		e, err := p.extension()
		if err != nil {
			return nil, err
		}
		return nil, asError(fn(ctx, e, in))
	})}
}

// onForm is a notification for an open form; one for another form is dropped.
func onForm(p *peer, fn func(*OpenForm, formInput)) method {
	return on(p, atOnce, func(_ context.Context, e *Extension, in formInput) error {
		if f := e.Form(in.Form); f != nil {
			fn(f, in)
		}
		return nil
	})
}

func (p *peer) execute(ctx context.Context, c Call) (any, error) {
	e, err := p.extension()
	if err != nil {
		return nil, err
	}
	ctx, done := p.calls.start(ctx, c.Gen, c.ID)
	if done == nil {
		return nil, errorf(codeToolFailed, "There are %d open tool calls; wait until some of them have ended.", maxCalls)
	}
	defer done()
	c.inLine = passOn(ctx)
	out, err := e.Execute(ctx, c)
	var aborted *AbortError
	switch {
	case err == nil:
		return out, nil
	case errors.Is(err, ErrStale):
		return nil, asError(err)
	case errors.As(err, &aborted):
		return nil, errorf(codeAborted, "%s", forModel(err))
	}
	return nil, errorf(codeToolFailed, "%s", forModel(err))
}

// forModel is the text of an error without the name of our package.
func forModel(err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "hostshim: "), "queue: ")
}

func (p *peer) boundary(ctx context.Context, in generation) (any, error) {
	e, err := p.extension()
	if err != nil {
		return nil, err
	}
	messages, more, err := e.Boundary(ctx, in.Gen)
	if err != nil {
		return nil, asError(err)
	}
	if messages == nil {
		messages = []Message{}
	}
	return map[string]any{"entries": messages, "continue": more}, nil
}

// shutdown closes the session; the connection ends behind its answer.
func (p *peer) shutdown(context.Context, json.RawMessage) (any, error) {
	if e, err := p.extension(); err == nil {
		e.Close()
	}
	return nil, nil
}

// renderRow draws a row. The content of a custom message may be a plain text.
func renderRow(_ context.Context, in struct {
	Row
	Content json.RawMessage `json:"content"`
}) (any, error) {
	var text string
	switch {
	case len(in.Content) == 0 || json.Unmarshal(in.Content, &in.Row.Content) == nil:
	case json.Unmarshal(in.Content, &text) == nil:
		in.Row.Content = []ask.Block{{Type: ask.TextBlock, Text: text}}
	default:
		return nil, errorf(codeParams, "the content of a row is a text or a list of blocks")
	}
	lines := [][]span{}
	for _, l := range RenderRow(in.Row) {
		spans := []span{}
		for _, s := range l {
			spans = append(spans, span{s.Role, s.Bold, s.Text})
		}
		lines = append(lines, spans)
	}
	return map[string]any{"lines": lines}, nil
}

// span is a piece of a row on the wire.
type span struct {
	Role ask.Role `json:"role,omitempty"`
	Bold bool     `json:"bold,omitempty"`
	Text string   `json:"text"`
}

// asError gives an error its code.
func asError(err error) error {
	if errors.Is(err, ErrStale) {
		return errorf(codeStale, "%s", err)
	}
	return err
}
