package hosttest

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// Call is a tool call of the agent.
type Call struct {
	host     *Host
	tool, id string
	cancel   context.CancelFunc
	done     chan struct{}

	result ask.ToolResult
	err    error
}

// Call makes a tool call: its assistant message is recorded, and its result as
// soon as there is one.
func (h *Host) Call(tool, id, params string) *Call {
	arguments := json.RawMessage(params)
	h.record(map[string]any{"role": "assistant", "stopReason": "toolUse", "content": []any{
		map[string]any{"type": "toolCall", "id": id, "name": tool, "arguments": arguments}}})
	return h.call(tool, id, arguments, !h.Manual)
}

// Nested makes a tool call from inside of another tool, which leaves neither an
// assistant message nor a result in the session.
func (h *Host) Nested(tool, id, params string) *Call {
	return h.call(tool, id, json.RawMessage(params), false)
}

func (h *Host) call(tool, id string, arguments json.RawMessage, recorded bool) *Call {
	ctx, cancel := context.WithCancel(context.Background())
	c := &Call{host: h, tool: tool, id: id, cancel: cancel, done: make(chan struct{})}
	gen := h.Gen()
	h.mu.Lock()
	h.running = append(h.running, c)
	h.mu.Unlock()
	h.calls.Go(func() {
		defer h.woken()
		defer close(c.done)
		defer cancel()
		c.result, c.err = h.ext.Execute(ctx, hostshim.Call{Gen: gen, ID: id, Name: tool, Params: arguments})
		if recorded && h.Gen() == gen {
			h.recordResult(c)
		}
	})
	return c
}

// RecordResult records the result of a call as it is now: one that has not
// ended yet has failed.
func (h *Host) RecordResult(c *Call) {
	select {
	case <-c.done:
		h.recordResult(c)
	default:
		h.recordResult(&Call{tool: c.tool, id: c.id, err: context.Canceled})
	}
}

func (h *Host) recordResult(c *Call) {
	h.record(map[string]any{"role": "toolResult", "toolCallId": c.id, "toolName": c.tool, "isError": c.err != nil,
		"content": c.result.Content, "details": c.result.Details})
}

// Abort aborts the call.
func (c *Call) Abort() { c.cancel() }

// Done is closed when the call has a result.
func (c *Call) Done() <-chan struct{} { return c.done }

// Wait waits for the result.
func (c *Call) Wait() (ask.ToolResult, error) {
	c.host.until("the result of call "+c.id, func() bool {
		select {
		case <-c.done:
			return true
		default:
			return false
		}
	})
	return c.result, c.err
}

// record appends a message of the conversation.
func (h *Host) record(message map[string]any) {
	if h.isDead() {
		return
	}
	raw, err := ask.Marshal(message)
	if err != nil {
		panic("hosttest: " + err.Error())
	}
	_, _ = h.session.Append(context.Background(), journal.Entry{Type: "message", Message: raw})
}

// Busy says whether the agent is at work. It is idle at first, and busy after
// a message that wakes it.
func (h *Host) Busy(busy bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.busy = busy
}

// TurnStart starts a turn.
func (h *Host) TurnStart() error { return h.ext.TurnStart(context.Background(), h.Gen()) }

// TurnEnd ends a turn, or is the last occasion before the agent comes to rest:
// what the extension wants is recorded. It reports how many messages that were,
// and whether there is to be one more model request.
func (h *Host) TurnEnd() (messages int, more bool, err error) {
	found, more, err := h.ext.Boundary(context.Background(), h.Gen())
	for _, m := range found {
		h.RecordMessage(m)
	}
	return len(found), more, err
}

// Settled brings the agent to rest.
func (h *Host) Settled() error {
	h.Busy(false)
	return h.ext.Settled(context.Background(), h.Gen())
}

// Submit sends an event that answers or cancels a form.
func (h *Host) Submit(event string) {
	h.ext.BusEvent(h.Gen(), hostshim.ChannelSubmit, json.RawMessage(event))
}

// RecordMessage records a message that the extension has given.
func (h *Host) RecordMessage(m hostshim.Message) {
	_, _ = h.append(context.Background(), journal.Entry{Type: "custom_message", CustomType: m.CustomType,
		Content: m.Content, Display: m.Display, Details: m.Details})
}

// RecordUser records a message of the user.
func (h *Host) RecordUser(content []ask.Block) {
	h.record(map[string]any{"role": "user", "content": content})
}

// append appends an entry of the extension's.
func (h *Host) append(ctx context.Context, e journal.Entry) (journal.Entry, error) {
	if h.isDead() {
		return e, errDead
	}
	e, err := h.session.Append(ctx, e)
	if err == nil && h.OnAppend != nil {
		h.OnAppend(e)
	}
	return e, err
}

// errDead is what a host says that was killed.
var errDead = errors.New("hosttest: the host was killed")

// Kill is the death of the host's process: from now on nothing that the
// extension does reaches the session or anything else. Close ends what is left
// of it; Reopen goes on with the session.
func (h *Host) Kill() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dead = true
}

func (h *Host) isDead() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.dead
}

// check calls the hook and refuses what is stale.
func (h *Host) check(ctx context.Context, gen uint64, method string) error {
	if h.isDead() {
		return errDead
	}
	if h.Hook != nil {
		if err := h.Hook(ctx, method); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if gen != h.Gen() {
		return hostshim.ErrStale
	}
	return nil
}

// AppendEntry implements [hostshim.Session].
func (h *Host) AppendEntry(ctx context.Context, gen uint64, customType string, data json.RawMessage) (string, error) {
	if err := h.check(ctx, gen, "AppendEntry "+customType); err != nil {
		return "", err
	}
	e, err := h.append(ctx, journal.Entry{Type: "custom", CustomType: customType, Data: data})
	if err == nil {
		h.note("append %s", customType)
	}
	return e.ID, err
}

// Branch implements [hostshim.Session].
func (h *Host) Branch(ctx context.Context, gen uint64, after string) (hostshim.Branch, error) {
	if err := h.check(ctx, gen, "Branch"); err != nil {
		return hostshim.Branch{}, err
	}
	entries, err := h.session.Branch(ctx)
	b := hostshim.Branch{Entries: entries}
	if len(entries) > 0 {
		b.Leaf = entries[len(entries)-1].ID
	}
	for i, e := range entries {
		if after != "" && e.ID == after {
			b.Entries, b.Complete = entries[i+1:], true
		}
	}
	return b, err
}

// Idle implements [hostshim.Agent].
func (h *Host) Idle(ctx context.Context, gen uint64) (bool, error) {
	if err := h.check(ctx, gen, "Idle"); err != nil {
		return false, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.busy, nil
}

// Abort implements [hostshim.Agent]. All calls under way are aborted.
func (h *Host) Abort(ctx context.Context, gen uint64) error {
	if err := h.check(ctx, gen, "Abort"); err != nil {
		return err
	}
	h.note("abort")
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.running {
		c.cancel()
	}
	h.running = nil
	return nil
}

// Deliver implements [hostshim.Agent].
func (h *Host) Deliver(ctx context.Context, gen uint64, m hostshim.Message, wake bool) error {
	if err := h.check(ctx, gen, "Deliver"); err != nil {
		return err
	}
	if wake {
		h.Busy(true)
	}
	h.mu.Lock()
	h.delivered = append(h.delivered, Delivery{m, wake})
	h.mu.Unlock()
	if !h.Manual || !wake {
		h.RecordMessage(m)
	}
	h.note("deliver %t", wake)
	return nil
}

// SendUser implements [hostshim.Agent].
func (h *Host) SendUser(ctx context.Context, gen uint64, content []ask.Block, followUp bool) error {
	if err := h.check(ctx, gen, "SendUser"); err != nil {
		return err
	}
	if !h.Manual {
		h.RecordUser(content)
	}
	h.Busy(true)
	h.mu.Lock()
	h.users = append(h.users, UserMessage{content, followUp})
	h.mu.Unlock()
	h.note("user")
	return nil
}

// Notify implements [hostshim.Notifier].
func (h *Host) Notify(_ uint64, text string, _ bool) { h.note("notice %s", text) }

// Status implements [hostshim.Notifier].
func (h *Host) Status(_ uint64, text string) { h.note("status %s", text) }

// Working implements [hostshim.Notifier].
func (h *Host) Working(_ uint64, shown bool) { h.note("working %t", shown) }

// Emit implements [hostshim.Bus].
func (h *Host) Emit(_ uint64, channel string, data json.RawMessage) {
	if h.isDead() {
		return
	}
	e := Event{channel, data}
	h.mu.Lock()
	h.events = append(h.events, e)
	h.mu.Unlock()
	h.note("event %s", channel)
	if h.OnEvent != nil {
		h.OnEvent(e)
	}
}

// WriteTerminal implements [hostshim.TerminalWriter].
func (h *Host) WriteTerminal(data []byte) error {
	if h.Hook != nil {
		if err := h.Hook(context.Background(), "WriteTerminal"); err != nil {
			return err
		}
	}
	h.note("terminal %q", data)
	return nil
}

// ReadImage implements [form.Clipboard].
func (h *Host) ReadImage(ctx context.Context) (ask.Image, error) {
	if h.Hook != nil {
		if err := h.Hook(ctx, "ReadImage"); err != nil {
			return ask.Image{}, err
		}
	}
	if h.Image == nil {
		return ask.Image{}, form.ErrClipboardEmpty
	}
	return *h.Image, nil
}
