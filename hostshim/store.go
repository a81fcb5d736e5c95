package hostshim

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// sessionStore is the host's session as a [journal.Store]. It keeps a copy of
// the branch and asks only for what was added since.
type sessionStore struct {
	host Session
	ctx  context.Context // of the session: no call of the host outlives it

	mu     sync.Mutex
	gen    uint64 // named in calls of the host
	moves  uint64 // of the leaf
	moving bool   // between two branches
	leaf   string

	reading sync.Mutex // one reader at a time; guards what follows
	given   *Branch    // came with the start and is not read yet
	entries []journal.Entry
	copied  uint64 // the generation that entries belongs to
}

// now returns the generation that calls of the host name.
func (s *sessionStore) now() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gen
}

// leave starts a move to another branch: nothing can be read, and what is
// still written names the old generation, so that the host refuses it.
func (s *sessionStore) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moves++
	s.moving = true
}

// enter ends the move.
func (s *sessionStore) enter(gen uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gen, s.moving = gen, false
}

// Append implements journal.Store.
func (s *sessionStore) Append(ctx context.Context, e journal.Entry) (journal.Entry, error) {
	ctx, stop := join(ctx, s.ctx)
	defer stop()
	err := guard(func() (err error) {
		e.ID, err = s.host.AppendEntry(ctx, s.now(), e.CustomType, e.Data)
		return err
	})
	if err != nil {
		return journal.Entry{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e.ParentID, s.leaf = s.leaf, e.ID
	return e, nil
}

// Branch implements journal.Store.
func (s *sessionStore) Branch(ctx context.Context) ([]journal.Entry, error) {
	ctx, stop := join(ctx, s.ctx)
	defer stop()
	s.reading.Lock()
	defer s.reading.Unlock()
	s.mu.Lock()
	gen, moving := s.gen, s.moving
	s.mu.Unlock()
	if moving {
		return nil, ErrStale
	}
	after := ""
	if n := len(s.entries); n > 0 && s.copied == gen {
		after = s.entries[n-1].ID
	}
	var b Branch
	if s.given != nil {
		b, s.given = *s.given, nil
	} else if err := guard(func() (err error) {
		b, err = s.host.Branch(ctx, gen, after)
		return err
	}); err != nil {
		return nil, err
	}
	if after == "" || !b.Complete {
		s.entries = nil
	}
	s.entries = append(s.entries, b.Entries...) // callers only read what they got
	s.copied = gen
	s.mu.Lock()
	s.leaf = b.Leaf
	s.mu.Unlock()
	return s.entries, nil
}

// Leaf implements journal.Store.
func (s *sessionStore) Leaf() (string, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leaf, s.moves
}

// message is a journal entry as the host delivers it.
func message(e journal.Entry) Message {
	m := Message{CustomType: e.CustomType, Content: e.Content, Display: e.Display, Details: e.Details}
	if m.Content == nil {
		m.Content = json.RawMessage(`""`)
	}
	return m
}

// join returns ctx, which also ends with other.
func join(ctx, other context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(other, func() { cancel(ErrStale) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// guard calls a host and makes an error of its panic.
func guard(fn func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("hostshim: the host failed: %v", v)
		}
	}()
	return fn()
}
