package queue

import (
	"context"
	"fmt"
	"slices"

	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// held is an outcome on its way into the session. It stays in memory until it
// is there; nobody gets it before that.
type held struct {
	request *request   // a form of the queue, or
	call    *calledAsk // a recovered call
	outcome journal.Outcome

	anchor string // the leaf when the outcome was given: it belongs to branches with this entry
	away   bool   // the present branch is another one
	noted  bool   // the journal has it; the queue's own note is missing
	told   bool   // the person knows
	err    error
}

// effects are calls of the host that have to wait until the lock is free.
type effects struct {
	notices []Notice
	send    []followUp
	gen     *generation
}

// do carries out effects. The lock is not held.
func (m *Manager) do(fx effects) {
	for _, n := range fx.notices {
		m.notice(n)
	}
	for _, f := range fx.send {
		m.sendFollowUp(fx.gen, f)
	}
	m.showStatus()
}

// record takes charge of an outcome and saves it if that is possible. An outcome of an earlier generation is ignored.
func (m *Manager) record(g *generation, h *held) {
	m.mu.Lock()
	if !m.current(g) {
		_, _ = m.sync(context.Background())
		m.mu.Unlock()
		return
	}
	h.anchor, _ = m.store.Leaf()
	if h.request != nil {
		h.outcome = withoutRequestID(h.outcome)
		h.request.unsaved = true
	}
	m.held = append(m.held, h)
	fx := m.flush(g)
	m.mu.Unlock()
	m.do(fx)
}

// flush tries to save what is held, in order, and finishes the wait if that
// was what it waited for. The lock is held and g is current.
func (m *Manager) flush(g *generation) (fx effects) {
	fx.gen = g
	if len(m.held) == 0 {
		return fx
	}
	rest := m.held[:0:0]
	for _, h := range m.held {
		if h.away {
			rest = append(rest, h)
			continue
		}
		if h.err = m.save(h, &fx); h.err == nil {
			continue
		}
		rest = append(rest, h)
		if !h.told {
			h.told = true
			fx.notices = append(fx.notices, saveFailed(h.err))
		}
	}
	m.held = rest
	m.finishWait(g)
	return fx
}

// save writes what is missing of an outcome.
func (m *Manager) save(h *held, fx *effects) error {
	if h.call != nil {
		return m.saveRecovered(h, fx)
	}
	if !h.noted {
		if err := m.append(journal.Completed{Outcome: h.outcome}); err != nil {
			return err
		}
		h.noted = true
		h.request.outcome = &h.outcome
	}
	if err := m.append(journal.QueueCompleted{Outcome: h.outcome}); err != nil {
		return err
	}
	h.request.unsaved = false
	return nil
}

// saveTwice saves the outcome of a call that is about to return. It cannot be
// kept for later, so it is tried a second time at once.
func (m *Manager) saveTwice(g *generation, o journal.Outcome) error {
	m.mu.Lock()
	if !m.current(g) {
		m.mu.Unlock()
		return fmt.Errorf("queue: %w", ErrSessionEnded)
	}
	err := m.append(journal.Completed{Outcome: o})
	if err != nil {
		err = m.append(journal.Completed{Outcome: o})
	}
	m.mu.Unlock()
	if err == nil {
		return nil
	}
	err = fmt.Errorf("The answer could not be saved: %w", err) //lint:ignore ST1005 the text is the tool's error message
	m.notice(Notice{Kind: "saveFailed", Error: true, Text: err.Error()})
	return err
}

// adopt finds out which held outcomes belong to the branch of a new
// generation. The lock is held.
func (m *Manager) adopt(g *generation, branch []journal.Entry) {
	for _, h := range m.held {
		h.away = h.anchor != "" && !slices.ContainsFunc(branch, func(e journal.Entry) bool { return e.ID == h.anchor })
		if h.request == nil || h.away {
			continue
		}
		r := g.find(h.request.id)
		if r == nil {
			h.away = true
			continue
		}
		h.request, h.noted, r.unsaved = r, r.outcome != nil, true
	}
}

// holds reports whether the outcome of a recovered call waits to be saved.
func (m *Manager) holds(callID string) bool {
	return slices.ContainsFunc(m.held, func(h *held) bool { return h.call != nil && h.call.id == callID && !h.away })
}

// append writes one entry. It does not stop halfway because somebody lost
// interest. The lock is held.
func (m *Manager) append(d journal.Data) error {
	_, err := m.store.Append(context.Background(), d.Entry())
	return err
}

func saveFailed(err error) Notice {
	return Notice{Kind: "saveFailed", Error: true, Text: fmt.Sprintf("An answer could not be saved yet; it is kept and saved later: %v", err)}
}
