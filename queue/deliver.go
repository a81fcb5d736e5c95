package queue

import (
	"context"
	"fmt"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// TurnStart tells that a turn of the agent starts. Outcomes that were on their
// way and did not arrive become deliverable again.
func (m *Manager) TurnStart(ctx context.Context) error {
	m.mu.Lock()
	fx, err := m.reconcile(ctx)
	m.mu.Unlock()
	m.do(fx)
	return err
}

// TurnEnd tells that a turn has ended, or that the agent is about to settle.
// proposed are the entries that others want to append now. When answers are
// ready, TurnEnd returns proposed and the answer messages after them, for the
// host to append; cont asks for one more model request. Without answers it
// returns no entries.
//
// An entry that the host does not append comes again after the next TurnStart.
func (m *Manager) TurnEnd(ctx context.Context, proposed []journal.Entry) (entries []journal.Entry, cont bool, err error) {
	if m.surface == nil {
		return nil, false, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	g, err := m.sync(ctx)
	if err != nil {
		return nil, false, err
	}
	ready, err := m.ready(g)
	if err != nil || len(ready) == 0 {
		return nil, false, err
	}
	entries = append(entries, proposed...)
	for _, r := range ready {
		r.claim = byBoundary
		entries = append(entries, answerEntry(r))
		cont = cont || wakes(*r.outcome)
	}
	return entries, cont, nil
}

// Settled tells that the agent has come to rest. It is [Manager.TurnStart] and
// [Manager.Idle] in one.
func (m *Manager) Settled(ctx context.Context) error {
	err := m.TurnStart(ctx)
	m.deliverIdle()
	return err
}

// Idle lets answers wake the agent if the host says that it is idle. Call it
// when something other than a run has ended, such as a compaction.
func (m *Manager) Idle(ctx context.Context) error {
	m.mu.Lock()
	g, err := m.sync(ctx)
	var fx effects
	if err == nil {
		fx = m.flush(g)
	}
	m.mu.Unlock()
	m.do(fx)
	m.deliverIdle()
	return err
}

// reconcile compares the claims with the branch. The lock is held.
func (m *Manager) reconcile(ctx context.Context) (effects, error) {
	g, err := m.sync(ctx)
	if err != nil {
		return effects{}, err
	}
	fx := m.flush(g)
	branch, err := m.store.Branch(context.WithoutCancel(ctx))
	if err != nil {
		return fx, fmt.Errorf("queue: read the session: %w", err)
	}
	markDelivered(g.requests, branch)
	release(g.requests)
	m.finishWait(g)
	return fx, nil
}

// ready is what can be delivered by message now. Before something is sent, a
// look at the transcript makes sure that it is not there already. The lock is
// held.
func (m *Manager) ready(g *generation) ([]*request, error) {
	var covered map[string]bool
	if g.waiter != nil {
		cover(g.requests, g.waiter.covered)
		covered = g.waiter.covered
	}
	if len(readySet(g.requests, covered)) == 0 {
		return nil, nil
	}
	branch, err := m.store.Branch(g.ctx)
	if err != nil {
		return nil, fmt.Errorf("queue: read the session: %w", err)
	}
	markDelivered(g.requests, branch)
	return readySet(g.requests, covered), nil
}

// deliverIdle sends answers to an idle agent. One pass runs at a time, so that
// a wake that is under way counts before the next one is thought about.
func (m *Manager) deliverIdle() {
	if m.surface == nil || m.host.Deliver == nil {
		return
	}
	m.mu.Lock()
	if m.delivering {
		m.deliverAgain = true
		m.mu.Unlock()
		return
	}
	m.delivering = true
	for {
		m.deliverAgain = false
		m.mu.Unlock()
		idle := m.idle()
		m.mu.Lock()
		if g := m.gen; idle && m.current(g) {
			m.sendIdle(g)
		}
		if !m.deliverAgain {
			break
		}
	}
	m.delivering = false
	m.mu.Unlock()
}

// sendIdle claims and sends one pass of answers. The lock is held, but not
// while the host is called.
func (m *Manager) sendIdle(g *generation) {
	ready, err := m.ready(g)
	if err != nil {
		return // there will be another occasion
	}
	batch := idleSet(ready)
	for _, r := range batch {
		r.claim = byIdle
	}
	for _, r := range batch {
		entry, wake := answerEntry(r), wakes(*r.outcome)
		m.mu.Unlock()
		var err error
		if g.ctx.Err() == nil {
			err = m.deliver(g.ctx, entry, wake)
		}
		m.mu.Lock()
		if err != nil && r.claim == byIdle {
			r.claim = unclaimed
		}
	}
}

// answerEntry is the message that brings an outcome to the agent.
func answerEntry(r *request) journal.Entry {
	o := *r.outcome
	blocks := outcomeBlocks(o)
	var content any = blocks[0].Text
	if len(blocks) > 1 {
		content = blocks
	}
	raw, err := ask.Marshal(content)
	if err != nil {
		raw = nil // strings and blocks can always be encoded
	}
	return journal.Answer{Outcome: o, Content: raw}.Entry()
}

// outcomeBlocks is the text of a background outcome, and its images.
func outcomeBlocks(o journal.Outcome) []ask.Block {
	blocks := []ask.Block{{Type: ask.TextBlock, Text: ask.BackgroundText(o.RequestID, o.Result, o.Error)}}
	if o.Result != nil && o.Error == "" {
		blocks = append(blocks, o.Result.ImageBlocks()...)
	}
	return blocks
}
