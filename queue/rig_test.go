package queue_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

// rig is a scripted agent host: it keeps the session, plays the events of the
// host and answers forms when it is told to. A process can die in it at any
// append, and another one be started on the same session.
type rig struct {
	mu       sync.Mutex
	session  *journal.Memory
	opened   movable // opens another view of the session, for stores on disk
	editor   chan struct{}
	proc     *process
	failures []string // custom types whose next append fails
	dieAfter string   // custom type after whose append the process dies
	life     int      // appends until the process dies, 0 for never

	agent struct{ busy, compacting bool }
	wakes []journal.Entry
	sends []sentUser
	runs  map[string]*run // tool calls under way or not yet recorded
	calls map[string]bool // tool calls by id: background?
	ids   int

	broken []string // invariants that were broken in a call of the host
	trace
}

// movable is a session whose leaf can be moved.
type movable interface {
	journal.Store
	MoveTo(id string) error
}

// trace is what happened since it was last taken.
type trace struct {
	appended []journal.Entry
	sent     []sentMessage
	users    []sentUser
	herdr    []bool
	notices  []string
	events   []event
	aborts   int
	status   string
}

type event struct {
	channel string
	payload map[string]any
}

type sentMessage struct {
	request, via string
	wake         bool
}

type sentUser struct {
	text     string
	followUp bool
}

// process is one life of the program.
type process struct {
	rig     *rig
	manager *queue.Manager
	dead    bool
	form    *openForm
	sources map[string]string // by flow id, from the started events
}

// openForm is the form on the scripted screen.
type openForm struct {
	form ask.Form
	flow *queue.Flow
	end  chan func(*openForm) (ask.Result, error)
}

// run is a tool call that the agent has made.
type run struct {
	cancel  context.CancelFunc
	done    bool
	result  ask.Result
	receipt ask.Receipt
	answers queue.Answers
	err     error
	wait    bool
}

var errDisk = errors.New("no space left on device")

func newRig() *rig {
	return &rig{session: journal.NewMemory(), editor: closedChannel(), runs: map[string]*run{}, calls: map[string]bool{}}
}

func closedChannel() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func (r *rig) store() movable {
	if r.opened != nil {
		return r.opened
	}
	return r.session
}

// Append implements journal.Store for the running process.
func (p *process) Append(ctx context.Context, e journal.Entry) (journal.Entry, error) {
	r := p.rig
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.dead {
		return journal.Entry{}, errors.New("the process is dead")
	}
	if i := slices.Index(r.failures, e.CustomType); i >= 0 && e.CustomType != "" {
		r.failures = slices.Delete(r.failures, i, i+1)
		return journal.Entry{}, errDisk
	}
	e, err := r.store().Append(ctx, e)
	if err != nil {
		return e, err
	}
	r.appended = append(r.appended, e)
	if r.dieAfter != "" && e.CustomType == r.dieAfter {
		p.dead, r.dieAfter = true, ""
	}
	if r.life > 0 {
		r.life--
		p.dead = p.dead || r.life == 0
	}
	return e, nil
}

// Branch implements journal.Store.
func (p *process) Branch(ctx context.Context) ([]journal.Entry, error) {
	return p.rig.store().Branch(ctx)
}

// Leaf implements journal.Store.
func (p *process) Leaf() (string, uint64) { return p.rig.store().Leaf() }

// Open implements queue.Surface: it waits until the script ends the form.
func (p *process) Open(ctx context.Context, form ask.Form, flow *queue.Flow) (ask.Result, error) {
	f := &openForm{form, flow, make(chan func(*openForm) (ask.Result, error))}
	p.rig.mu.Lock()
	if p.form != nil {
		p.rig.broken = append(p.rig.broken, "1: two forms are open at once")
	}
	p.form = f
	p.rig.mu.Unlock()
	defer func() {
		p.rig.mu.Lock()
		p.form = nil
		p.rig.mu.Unlock()
	}()
	select {
	case end := <-f.end:
		return end(f)
	case <-ctx.Done():
		return ask.Result{}, context.Cause(ctx)
	}
}

// endings by the names of the vectors.
var endings = map[string]func(*openForm) (ask.Result, error){
	"submit":        func(f *openForm) (ask.Result, error) { return f.ended(ask.Submitted) },
	"elaborate":     func(f *openForm) (ask.Result, error) { return f.ended(ask.Elaborated) },
	"cancel":        func(f *openForm) (ask.Result, error) { return f.ended(ask.Cancelled) },
	"ui_error":      func(*openForm) (ask.Result, error) { return ask.Result{}, errors.New("the screen is gone") },
	"slot_replaced": func(*openForm) (ask.Result, error) { return ask.Result{}, queue.ErrSlotLost },
}

func (f *openForm) ended(e ask.Ending) (ask.Result, error) {
	d := ask.NewDrafts(f.form)
	switch e {
	case ask.Submitted:
		d.Toggle(0, 0)
	case ask.Elaborated:
		d.SaveNote(0, "why?")
	}
	result := d.Result(e)
	if !f.flow.Complete(result) {
		return ask.Result{}, errors.New("the form had ended already")
	}
	return result, nil
}

// boot starts a process on the session, without telling it how the session
// came about.
func (r *rig) boot(interactive bool) *process {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := &process{rig: r, sources: map[string]string{}}
	r.proc = p
	r.agent.busy, r.agent.compacting = false, false
	r.wakes, r.sends, r.status = nil, nil, ""
	r.runs = map[string]*run{}
	var surface queue.Surface
	if interactive {
		surface = p
	}
	p.manager = queue.New(p, surface, &queue.Options{Host: p.host(), NewID: r.nextID})
	return p
}

func (r *rig) nextID() string { return fmt.Sprintf("r%d", r.ids) }

// stop ends the process, in peace or not.
func (r *rig) stop(kill bool) {
	if r.proc == nil {
		return
	}
	r.mu.Lock()
	r.proc.dead = r.proc.dead || kill
	r.mu.Unlock()
	_ = r.proc.manager.Close()
	r.proc = nil
}

// alive runs fn with the rig locked, unless the process has died.
func (p *process) alive(fn func(r *rig)) {
	p.rig.mu.Lock()
	defer p.rig.mu.Unlock()
	if !p.dead {
		fn(p.rig)
	}
}

func (p *process) host() queue.Host {
	return queue.Host{
		Idle: func() (idle bool) {
			p.alive(func(r *rig) { idle = !r.agent.busy && !r.agent.compacting })
			return idle
		},
		Deliver:  p.deliver,
		SendUser: p.sendUser,
		Abort: func() {
			p.alive(func(r *rig) { r.aborts++; r.cancelRuns() })
		},
		AwaitEditor: func(ctx context.Context) error {
			p.rig.mu.Lock()
			ready := p.rig.editor
			p.rig.mu.Unlock()
			select {
			case <-ready:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		},
		Notice: func(n queue.Notice) { p.alive(func(r *rig) { r.notices = append(r.notices, n.Kind) }) },
		Status: func(text string) { p.alive(func(r *rig) { r.status = text }) },
		Emit:   p.emit,
	}
}

func (p *process) deliver(ctx context.Context, e journal.Entry, wake bool) error {
	p.alive(func(r *rig) {
		if r.agent.busy || r.agent.compacting {
			r.broken = append(r.broken, "16: idle delivery to an agent that is busy")
		}
		r.sent = append(r.sent, sentMessage{answerID(e), "idle", wake})
		if wake {
			r.agent.busy = true
			r.wakes = append(r.wakes, e)
		}
	})
	if wake {
		return nil
	}
	_, err := p.Append(ctx, e)
	return err
}

func (p *process) sendUser(_ context.Context, content []ask.Block, followUp bool) error {
	p.alive(func(r *rig) {
		u := sentUser{content[0].Text, followUp}
		r.users = append(r.users, u)
		r.sends = append(r.sends, u)
		r.agent.busy = true
	})
	return nil
}

func (p *process) emit(channel string, payload json.RawMessage) {
	var fields map[string]any
	if err := json.Unmarshal(payload, &fields); err != nil {
		panic(err)
	}
	p.alive(func(r *rig) {
		switch channel {
		case "herdr:blocked":
			r.herdr = append(r.herdr, fields["active"] == true)
		default:
			r.events = append(r.events, event{channel, fields})
		}
		if channel == "pi-agent-ask:started" {
			p.sources[fields["flowId"].(string)] = fields["source"].(string)
		}
	})
}

// cancelRuns ends the contexts of all tool calls. The rig is locked.
func (r *rig) cancelRuns() {
	for _, c := range r.runs {
		c.cancel()
	}
}

// record appends an entry on behalf of the host.
func (r *rig) record(e journal.Entry) {
	if _, err := r.store().Append(context.Background(), e); err != nil {
		panic(err)
	}
}

// message records a message of the host.
func (r *rig) message(v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	r.record(journal.Entry{Type: "message", Message: raw})
}

func (r *rig) userMessage(text string) {
	r.message(map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": text}}})
}

// assistant records a message of the model with one tool call.
func (r *rig) assistant(tool, id string, arguments any) {
	r.message(map[string]any{"role": "assistant", "stopReason": "toolUse", "content": []any{
		map[string]any{"type": "toolCall", "id": id, "name": tool, "arguments": arguments}}})
}

// toolResult records the result of a call that has ended, or an error result.
func (r *rig) toolResult(id string) {
	c := r.runs[id]
	delete(r.runs, id)
	name, failed, details := "ask_user", c == nil || !c.done || c.err != nil, any(map[string]any{})
	if c != nil && c.wait {
		name = "wait_for_answers"
		if !failed {
			details = c.answers
		}
	}
	r.message(map[string]any{"role": "toolResult", "toolCallId": id, "toolName": name, "isError": failed,
		"details": details, "content": []any{}})
}

// question is the payload of a call with one question, named after it.
func question(call string) ask.Payload {
	return ask.Payload{Title: "About " + call, Questions: []ask.Question{{ID: "q", Label: "Pick", Prompt: "Which one for " + call + "?",
		Options: []ask.Option{{Value: "a", Label: "A"}, {Value: "b", Label: "B"}}}}}
}

// ask starts an ask_user call of the running process.
func (r *rig) ask(id string, background bool, payload ask.Payload) *run {
	ctx, cancel := context.WithCancel(context.Background())
	c := &run{cancel: cancel}
	r.runs[id] = c
	r.calls[id] = background
	r.agent.busy = true
	m := r.proc.manager
	payload.Background = background
	go func() {
		var result ask.Result
		var receipt ask.Receipt
		var err error
		if background {
			receipt, err = m.Enqueue(ctx, queue.Call{ID: id, Payload: payload})
		} else {
			result, err = m.Ask(ctx, queue.Call{ID: id, Payload: payload})
			if errors.Is(err, queue.ErrInterrupted) && result.Cancelled {
				err = nil // the model gets the result
			}
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		c.result, c.receipt, c.err, c.done = result, receipt, err, true
	}()
	return c
}

// wait starts a wait_for_answers call.
func (r *rig) wait(id string) *run {
	ctx, cancel := context.WithCancel(context.Background())
	c := &run{cancel: cancel, wait: true}
	r.runs[id] = c
	r.agent.busy = true
	m := r.proc.manager
	go func() {
		answers, err := m.Wait(ctx)
		r.mu.Lock()
		defer r.mu.Unlock()
		c.answers, c.err, c.done = answers, err, true
	}()
	return c
}

// end ends the open form; false when there is none.
func (r *rig) end(how func(*openForm) (ask.Result, error)) bool {
	r.mu.Lock()
	var f *openForm
	if r.proc != nil {
		f = r.proc.form
	}
	r.mu.Unlock()
	if f == nil {
		return false
	}
	f.end <- how
	return true
}

// boundary ends a turn: the answers that are ready are recorded, or dropped.
func (r *rig) boundary(drop bool) (sent []sentMessage, cont bool, err error) {
	p := r.proc
	entries, cont, err := p.manager.TurnEnd(context.Background(), nil)
	if err != nil {
		return nil, false, err
	}
	for _, e := range entries {
		sent = append(sent, sentMessage{answerID(e), "boundary", false})
		if drop {
			continue
		}
		_, _ = p.Append(context.Background(), e) // what fails was not recorded
	}
	return sent, cont, nil
}

// recordWake records the message that woke the agent, if there is one.
func (r *rig) recordWake() bool {
	if len(r.wakes) == 0 {
		return false
	}
	e := r.wakes[0]
	r.wakes = r.wakes[1:]
	_, _ = r.proc.Append(context.Background(), e)
	return true
}

// recordFollowUp records the oldest user message that was sent.
func (r *rig) recordFollowUp() bool {
	if len(r.sends) == 0 {
		return false
	}
	r.userMessage(r.sends[0].text)
	r.sends = r.sends[1:]
	return true
}

// take returns the trace and starts a new one. The status stays.
func (r *rig) take() trace {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.trace
	r.trace = trace{status: t.status}
	return t
}

// openName is what the vectors call the open form: "" for none.
func (r *rig) openName() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.proc == nil || r.proc.form == nil {
		return ""
	}
	flow := r.proc.form.flow.ID()
	call := strings.TrimPrefix(flow, "tool:")
	switch {
	case r.proc.sources[flow] == "ask:resume":
		return "recovery:" + call
	case !r.calls[call]:
		return "fg:" + call
	}
	for _, e := range r.branch() {
		var d struct{ RequestID, ToolCallID string }
		if e.CustomType == journal.TypeQueued && json.Unmarshal(e.Data, &d) == nil && d.ToolCallID == call {
			return d.RequestID
		}
	}
	return "unknown:" + call
}

func (r *rig) branch() []journal.Entry {
	b, err := r.store().Branch(context.Background())
	if err != nil {
		panic(err)
	}
	return b
}

// answerID is the request that an answer message names.
func answerID(e journal.Entry) string {
	var d struct{ RequestID string }
	if err := json.Unmarshal(e.Details, &d); err != nil {
		panic(err)
	}
	return d.RequestID
}
