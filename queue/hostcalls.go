package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// The calls of the host's functions: nil ones are left out, and a panic in one
// does not take a form with it.

func (m *Manager) notice(n Notice) {
	if m.host.Notice != nil {
		_ = guard(func() { m.host.Notice(n) })
	}
}

func (m *Manager) working(shown bool) {
	if m.host.Working != nil {
		_ = guard(func() { m.host.Working(shown) })
	}
}

func (m *Manager) abort() {
	if m.host.Abort != nil {
		_ = guard(m.host.Abort)
	}
}

func (m *Manager) idle() (idle bool) {
	if m.host.Idle != nil {
		_ = guard(func() { idle = m.host.Idle() })
	}
	return idle
}

func (m *Manager) deliver(ctx context.Context, e journal.Entry, wake bool) (err error) {
	p := guard(func() { err = m.host.Deliver(ctx, e, wake) })
	return errors.Join(p, err)
}

// statusLine shows the newest number of pending questions. Whoever finds it
// busy leaves the work to the one who is at it.
type statusLine struct {
	mu    sync.Mutex
	busy  bool
	stale bool
	shown int
}

func (m *Manager) showStatus() {
	if m.host.Status == nil || m.surface == nil {
		return
	}
	s := &m.status
	s.mu.Lock()
	s.stale = true
	if s.busy {
		s.mu.Unlock()
		return
	}
	s.busy = true
	for s.stale {
		s.stale = false
		s.mu.Unlock()
		n := m.pendingNow()
		s.mu.Lock()
		if n == s.shown {
			continue
		}
		s.shown = n
		s.mu.Unlock()
		text := ""
		if n > 0 {
			text = fmt.Sprintf("Questions pending: %d", n)
		}
		_ = guard(func() { m.host.Status(text) })
		s.mu.Lock()
	}
	s.busy = false
	s.mu.Unlock()
}

func (m *Manager) pendingNow() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gen == nil {
		return 0
	}
	return pending(m.gen.requests)
}
