package queue

import (
	"context"
	"sync"
)

// Lock lets one form at a time have the keyboard, first come, first served.
// The zero value is ready. Managers that share a terminal share a Lock (see
// [Options]); it is safe for concurrent use.
type Lock struct {
	mu    sync.Mutex
	queue []*ticket // queue[0] holds the lock
}

// ticket is one place in the queue of a Lock.
type ticket struct {
	lock *Lock
	turn chan struct{} // closed when the ticket holds the lock
}

// take queues up. The place is fixed when take returns, so that callers are
// served in the order of their calls and not in the order in which their
// goroutines happen to run.
func (l *Lock) take() *ticket {
	t := &ticket{lock: l, turn: make(chan struct{})}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, t)
	if len(l.queue) == 1 {
		close(t.turn)
	}
	return t
}

// wait blocks until the ticket holds the lock. When one of the contexts ends
// first, or has ended already, the ticket leaves the queue and wait reports
// false.
func (t *ticket) wait(session, caller context.Context) bool {
	select {
	case <-t.turn:
	case <-session.Done():
	case <-caller.Done():
	}
	if session.Err() == nil && caller.Err() == nil {
		return true
	}
	t.release()
	return false
}

// release gives up the place, held or not. Calling it again does nothing.
func (t *ticket) release() {
	l := t.lock
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, other := range l.queue {
		if other != t {
			continue
		}
		l.queue = append(l.queue[:i:i], l.queue[i+1:]...)
		if i == 0 && len(l.queue) > 0 {
			close(l.queue[0].turn)
		}
		return
	}
}
