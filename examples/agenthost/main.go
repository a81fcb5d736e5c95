// Command agenthost is a small agent in the terminal that asks its user: once
// and waiting for the answer, and in the background while it works on. The
// model is a script, so there is no network; everything else is what a real
// host does. Kill it at any moment and start it again on the same file: it
// goes on where it was, asks nothing twice and loses no answer.
//
//	go run ./examples/agenthost session.jsonl
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"sync"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: agenthost SESSION.jsonl")
	}
	session, err := journal.OpenFile(os.Args[1], nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	screen := &terminal{out: os.Stdout}
	if err := newAgent(session, screen, screen, time.Second).run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// terminal shows forms, and keeps the agent's lines back while one is open.
type terminal struct {
	mu  sync.Mutex
	out io.Writer
}

// Open implements [queue.Surface].
func (t *terminal) Open(ctx context.Context, f ask.Form, flow *queue.Flow) (ask.Result, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	result, err := form.Run(ctx, f, &form.Options{Presented: true})
	if errors.Is(err, form.ErrInterrupted) && ctx.Err() == nil {
		os.Exit(130) // a signal ends the program; the form opens again at the next start
	}
	return result, err
}

// Write implements [io.Writer].
func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.out.Write(p)
}

// agent is the host: a loop of turns over a session.
type agent struct {
	session journal.Store
	asks    *queue.Manager
	out     io.Writer
	pace    time.Duration

	mu      sync.Mutex
	busy    bool
	pending bool            // forms wait for an answer
	inbox   []journal.Entry // what is recorded when the next turn starts
	wake    chan struct{}   // the inbox or pending has changed
}

func newAgent(session journal.Store, surface queue.Surface, out io.Writer, pace time.Duration) *agent {
	a := &agent{session: session, out: out, pace: pace, wake: make(chan struct{}, 1)}
	a.asks = queue.New(session, surface, &queue.Options{Host: queue.Host{
		Idle:     func() bool { busy, _ := a.state(); return !busy },
		Deliver:  a.deliver,
		SendUser: a.sendUser,
		Notice:   func(n queue.Notice) { fmt.Fprintln(out, "·", n.Text) },
		Status:   func(text string) { a.update(func() { a.pending = text != "" }) },
	}})
	return a
}

// update changes the agent and lets the loop look again.
func (a *agent) update(change func()) {
	a.mu.Lock()
	change()
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// deliver takes an answer for the idle agent.
func (a *agent) deliver(ctx context.Context, answer journal.Entry, wake bool) error {
	if !wake {
		return a.record(ctx, answer)
	}
	a.update(func() { a.busy = true; a.inbox = append(a.inbox, answer) })
	return nil
}

// sendUser takes the answer to a question whose call was lost in a crash.
func (a *agent) sendUser(_ context.Context, content []ask.Block, _ bool) error {
	user := message(map[string]any{"role": "user", "content": content})
	a.update(func() { a.busy = true; a.inbox = append(a.inbox, user) })
	return nil
}

// run takes turns until the script is over and every answer has arrived.
func (a *agent) run(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, a.asks.Close()) }()
	a.busy = true
	if err := a.asks.Resume(ctx); err != nil {
		return err
	}
	for {
		more, over, err := a.turn(ctx)
		if more {
			continue
		}
		a.update(func() { a.busy = len(a.inbox) > 0 })
		if err = errors.Join(err, a.asks.Settled(ctx)); err != nil {
			return err
		}
		for busy, pending := a.state(); !busy; busy, pending = a.state() {
			if over && !pending {
				return nil
			}
			<-a.wake
		}
	}
}

func (a *agent) state() (busy, pending bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.busy, a.pending
}

// turn is one request to the model and the tool call that it makes. It reports
// whether another turn follows, and whether the model has nothing left to do.
func (a *agent) turn(ctx context.Context) (more, over bool, err error) {
	if err := a.asks.TurnStart(ctx); err != nil {
		return false, false, err
	}
	var inbox []journal.Entry
	a.update(func() { inbox, a.inbox = a.inbox, nil })
	if err := a.record(ctx, inbox...); err != nil {
		return false, false, err
	}
	branch, err := a.session.Branch(ctx)
	if err != nil {
		return false, false, err
	}
	reply := model(branch)
	fmt.Fprint(a.out, reply.text)
	if reply.tool != "" {
		if err := a.call(ctx, reply); err != nil {
			return false, false, err
		}
	}
	answers, goOn, err := a.asks.TurnEnd(ctx, nil)
	err = errors.Join(err, a.record(ctx, answers...))
	return err == nil && (reply.tool != "" || goOn), reply.over, err
}

// call records a tool call of the model, carries it out and records its result.
func (a *agent) call(ctx context.Context, r reply) error {
	id := fmt.Sprintf("call-%d", r.step)
	if err := a.record(ctx, message(map[string]any{"role": "assistant", "stopReason": "toolUse", "content": []any{
		map[string]any{"type": "toolCall", "id": id, "name": r.tool, "arguments": r.arguments}}})); err != nil {
		return err
	}
	var tool ask.ToolResult
	var err error
	switch call := (queue.Call{ID: id, Payload: r.arguments}); {
	case r.tool == "work":
		time.Sleep(a.pace)
	case r.tool == "wait_for_answers":
		var answers queue.Answers
		answers, err = a.asks.Wait(ctx)
		tool = ask.ToolResult{Content: answers.Content(), Details: answers}
	case r.arguments.Background:
		var receipt ask.Receipt
		receipt, err = a.asks.Enqueue(ctx, call)
		tool = receipt.Envelope()
	default:
		var result ask.Result
		result, err = a.asks.Ask(ctx, call)
		tool = ask.Envelope(result.RequestID, result.AgentText(), result)
	}
	if err != nil {
		tool = ask.ToolResult{Content: []ask.Block{{Type: ask.TextBlock, Text: err.Error()}}}
	}
	return a.record(ctx, message(map[string]any{"role": "toolResult", "toolCallId": id, "toolName": r.tool,
		"isError": err != nil, "content": tool.Content, "details": tool.Details}))
}

func (a *agent) record(ctx context.Context, entries ...journal.Entry) error {
	for _, e := range entries {
		if _, err := a.session.Append(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func message(m map[string]any) journal.Entry {
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err) // maps of texts can always be encoded
	}
	return journal.Entry{Type: "message", Message: raw}
}
