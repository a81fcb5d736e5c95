// Command agenthost is a small agent in the terminal that asks its user, now
// and in the background. The model is a script; everything else is what a real
// host does. Kill it at any moment, start it again on the same file, and it
// goes on: go run ./examples/agenthost session.jsonl
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
	"sync/atomic"
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

func (t *terminal) Open(ctx context.Context, f ask.Form, flow *queue.Flow) (ask.Result, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	result, err := form.Run(ctx, f, &form.Options{Presented: true})
	if errors.Is(err, form.ErrInterrupted) && ctx.Err() == nil {
		os.Exit(130) // a signal ends the program; the form opens again at the next start
	}
	return result, err
}

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

	busy, pending atomic.Bool     // the agent works; forms wait for an answer
	wake          chan struct{}   // one of them has changed
	mu            sync.Mutex      // guards
	inbox         []journal.Entry // what is recorded when the next turn starts
}

func newAgent(session journal.Store, surface queue.Surface, out io.Writer, pace time.Duration) *agent {
	a := &agent{session: session, out: out, pace: pace, wake: make(chan struct{}, 1)}
	a.asks = queue.New(session, surface, &queue.Options{Host: queue.Host{
		Idle: func() bool { return !a.busy.Load() },
		Deliver: func(ctx context.Context, answer journal.Entry, wake bool) error {
			if wake {
				return a.receive(answer)
			}
			return a.record(ctx, answer)
		},
		SendUser: func(_ context.Context, content []ask.Block, _ bool) error {
			return a.receive(message(map[string]any{"role": "user", "content": content}))
		},
		Notice: func(n queue.Notice) { fmt.Fprintln(out, "·", n.Text) },
		Status: func(text string) { a.set(&a.pending, text != "") },
	}})
	return a
}

// receive keeps a message for the turn that it starts.
func (a *agent) receive(e journal.Entry) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.inbox = append(a.inbox, e)
	a.set(&a.busy, true)
	return nil
}

func (a *agent) set(state *atomic.Bool, to bool) {
	state.Store(to)
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// run takes turns until the script is over and every answer has arrived.
func (a *agent) run(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, a.asks.Close()) }()
	a.busy.Store(true)
	if err := a.asks.Resume(ctx); err != nil {
		return err
	}
	for {
		more, over, err := a.turn(ctx)
		if more {
			continue
		}
		a.mu.Lock()
		a.busy.Store(len(a.inbox) > 0)
		a.mu.Unlock()
		if err = errors.Join(err, a.asks.Settled(ctx)); err != nil {
			return err
		}
		for !a.busy.Load() {
			if over && !a.pending.Load() {
				return nil
			}
			<-a.wake
		}
	}
}

// turn is one request to the model and the tool call that it makes. It reports
// whether another turn follows, and whether the model has nothing left to do.
func (a *agent) turn(ctx context.Context) (more, over bool, err error) {
	a.mu.Lock()
	inbox := a.inbox
	a.inbox = nil
	a.mu.Unlock()
	if err = errors.Join(a.asks.TurnStart(ctx), a.record(ctx, inbox...)); err != nil {
		return false, false, err
	}
	branch, err := a.session.Branch(ctx)
	if err != nil {
		return false, false, err
	}
	reply := model(branch)
	fmt.Fprint(a.out, reply.text)
	if reply.tool != "" {
		err = a.call(ctx, reply)
	}
	answers, goOn, end := a.asks.TurnEnd(ctx, nil)
	err = errors.Join(err, end, a.record(ctx, answers...))
	return err == nil && (reply.tool != "" || goOn), reply.tool == "" && reply.text != "", err
}

// call records a tool call of the model, carries it out and records its result.
func (a *agent) call(ctx context.Context, r reply) error {
	id := fmt.Sprintf("call-%d", r.step)
	if err := a.record(ctx, message(map[string]any{"role": "assistant", "stopReason": "toolUse", "content": []any{
		map[string]any{"type": "toolCall", "id": id, "name": r.tool, "arguments": r.arguments}}})); err != nil {
		return err
	}
	tool, err := ask.ToolResult{}, error(nil)
	switch call := (queue.Call{ID: id, Payload: r.arguments}); {
	case r.tool == "work":
		time.Sleep(a.pace)
	case r.tool == "wait_for_answers":
		answers, failed := a.asks.Wait(ctx)
		tool, err = ask.ToolResult{Content: answers.Content(), Details: answers}, failed
	case r.arguments.Background:
		receipt, failed := a.asks.Enqueue(ctx, call)
		tool, err = receipt.Envelope(), failed
	default:
		result, failed := a.asks.Ask(ctx, call)
		tool, err = ask.Envelope(result.RequestID, result.AgentText(), result), failed
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
	raw, _ := json.Marshal(m) // texts and results can always be encoded
	return journal.Entry{Type: "message", Message: raw}
}

// reply is what the scripted model answers: a text, and maybe a tool call.
type reply struct {
	text, tool string
	arguments  ask.Payload
	step       int
}

func question(background bool, id, prompt, first, second string) ask.Payload {
	return ask.Payload{Title: "New project", Background: background, Questions: []ask.Question{{ID: id, Prompt: prompt,
		Options: []ask.Option{{Value: "1", Label: first}, {Value: "2", Label: second}}}}}
}

var script = []reply{
	{text: "This decides everything else, so I ask first.\n", tool: "ask_user", arguments: question(false, "store", "Where to keep the data?", "SQLite", "Postgres")},
	{text: "This can wait.\n", tool: "ask_user", arguments: question(true, "licence", "Which licence?", "MIT", "Apache-2.0")},
	{text: "This too.\n", tool: "ask_user", arguments: question(true, "ci", "Which checks on each push?", "tests", "tests and lint")},
	{text: "Writing the schema meanwhile.\n", tool: "work"},
	{text: "Now I need the answers.\n", tool: "wait_for_answers"},
}

// model replies to a session. All it knows is in there, so that a new process
// goes on where the last one died.
func model(branch []journal.Entry) reply {
	step, open := 0, ""
	for _, e := range branch {
		d, _ := journal.Decode(e).(journal.Queued)
		m, _ := journal.ReadMessage(e)
		switch {
		case len(m.ToolCalls) > 0 && m.ToolCalls[0].Name == "ask_user":
			step, open = step+1, m.ToolCalls[0].ID
		case len(m.ToolCalls) > 0:
			step++
		case m.Role == "toolResult", m.Role == "user", d.ToolCallID == open:
			open = "" // answered, or in the queue
		}
	}
	switch {
	case open != "":
		return reply{} // a crash has cut the call off; the user is being asked again
	case step == len(script):
		return reply{text: "Done.\n"}
	}
	r := script[step]
	r.step = step
	return r
}
