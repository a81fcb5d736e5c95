package hostshim

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// sessionStore is the host's session as a [journal.Store]. It keeps a copy of
// the branch and asks only for what was added since.
type sessionStore struct {
	host Session
	gen  atomic.Uint64

	mu      sync.Mutex
	entries []journal.Entry
	copied  uint64 // the generation that entries belongs to
	leaf    string
}

func (s *sessionStore) Append(ctx context.Context, e journal.Entry) (journal.Entry, error) {
	id, err := s.host.AppendEntry(ctx, s.gen.Load(), e.CustomType, e.Data)
	if err != nil {
		return journal.Entry{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e.ID, e.ParentID, s.leaf = id, s.leaf, id
	return e, nil
}

func (s *sessionStore) Branch(ctx context.Context) ([]journal.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gen := s.gen.Load()
	after := ""
	if n := len(s.entries); n > 0 && s.copied == gen {
		after = s.entries[n-1].ID
	}
	b, err := s.host.Branch(ctx, gen, after)
	if err != nil {
		return nil, err
	}
	if after == "" || !b.Complete {
		s.entries = nil
	}
	s.entries = append(s.entries, b.Entries...) // callers only read what they got
	s.copied, s.leaf = gen, b.Leaf
	return s.entries, nil
}

func (s *sessionStore) Leaf() (string, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leaf, s.gen.Load()
}

// message is a journal entry as the host delivers it.
func message(e journal.Entry) Message {
	m := Message{CustomType: e.CustomType, Content: e.Content, Display: e.Display, Details: e.Details}
	if m.Content == nil {
		m.Content = json.RawMessage(`""`)
	}
	return m
}
