package queue

import (
	"context"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

const (
	waitComplete = "complete"
	nothingText  = "No background answers are outstanding; the earlier ones are already in the conversation."
)

// Answers is what a wait brings: its JSON is the structured result of
// wait_for_answers.
type Answers struct {
	Status     string            `json:"status"` // "complete"
	RequestIDs []string          `json:"requestIds"`
	Results    []journal.Outcome `json:"results"`
}

// Content is the answers for the model: one text, then the images.
func (a Answers) Content() []ask.Block {
	if len(a.Results) == 0 {
		return []ask.Block{{Type: ask.TextBlock, Text: nothingText}}
	}
	var texts []string
	var images []ask.Block
	for _, o := range a.Results {
		blocks := outcomeBlocks(o)
		texts = append(texts, blocks[0].Text)
		images = append(images, blocks[1:]...)
	}
	return append([]ask.Block{{Type: ask.TextBlock, Text: strings.Join(texts, "\n\n")}}, images...)
}

// waiter is the one call of Wait that is under way.
type waiter struct {
	ctx     context.Context
	covered map[string]bool
	done    chan Answers // takes one value
}

// Wait blocks until every background form is finished and saved, those queued
// meanwhile included, and returns the outcomes that the agent has not got yet.
// There is no timeout. When ctx ends, the error is [ErrWaitInterrupted] and
// the forms stay as they are. A second wait at the same time is refused with
// [ErrWaiting].
//
// The host records the Answers as the details of the tool result of
// wait_for_answers. If it does not, they are delivered in another way.
func (m *Manager) Wait(ctx context.Context) (Answers, error) {
	if m.surface == nil {
		return Answers{}, errWaitNotInteractive{}
	}
	if ctx.Err() != nil {
		return Answers{}, ErrWaitInterrupted
	}
	m.mu.Lock()
	g, err := m.sync(ctx)
	if err != nil {
		m.mu.Unlock()
		return Answers{}, err
	}
	if g.waiter != nil {
		m.mu.Unlock()
		return Answers{}, ErrWaiting
	}
	w := &waiter{ctx, map[string]bool{}, make(chan Answers, 1)}
	g.waiter = w
	fx := m.flush(g)
	m.finishWait(g)
	m.mu.Unlock()
	m.do(fx)

	select {
	case a := <-w.done:
		return a, nil
	case <-ctx.Done():
	case <-g.ctx.Done():
	}
	m.mu.Lock()
	if g.waiter == w {
		g.waiter = nil
	}
	m.mu.Unlock()
	select {
	case a := <-w.done: // it was finished before it was interrupted
		return a, nil
	default:
	}
	m.deliverIdle()
	return Answers{}, ErrWaitInterrupted
}

// finishWait ends the wait if all it covers is completed and saved. A wait
// whose caller has gone is left to its caller. The lock is held.
func (m *Manager) finishWait(g *generation) {
	w := g.waiter
	if w == nil || w.ctx.Err() != nil || !cover(g.requests, w.covered) {
		return
	}
	a := Answers{Status: waitComplete, Results: []journal.Outcome{}}
	var results []*request
	a.RequestIDs, results = collect(g.requests, w.covered)
	for _, r := range results {
		r.claim = byWait
		a.Results = append(a.Results, *r.outcome)
	}
	g.waiter = nil
	w.done <- a
}

// errWaitNotInteractive has the tool's text and is an ErrNotInteractive.
type errWaitNotInteractive struct{}

func (errWaitNotInteractive) Error() string { return "wait_for_answers needs interactive TUI mode." }
func (errWaitNotInteractive) Unwrap() error { return ErrNotInteractive }
