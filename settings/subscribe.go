package settings

import "slices"

// Subscribe calls apply with every configuration that comes into force from
// now on, one after the other and in order, from the goroutine that caused the
// change or that of another change made at the same time. It may call the
// store. After cancel returned, no call starts; cancel may be called twice.
func (s *Store) Subscribe(apply func(Settings)) (cancel func()) {
	sub := &subscriber{apply}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subscribers = append(s.subscribers, sub)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.subscribers = slices.DeleteFunc(slices.Clone(s.subscribers), func(other *subscriber) bool { return other == sub })
	}
}

// announce notes that the current settings are to be told. disk is held, which
// makes the notes come in the order of the changes.
func (s *Store) announce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = append(s.pending, s.current)
}

// deliver tells what was announced. Only one goroutine does so at a time; for
// the others, and for a subscriber that changes a setting, it goes on behind
// what is being told already. No lock is held while a subscriber runs.
func (s *Store) deliver() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.delivering {
		return
	}
	s.delivering = true
	defer func() { s.delivering = false }()
	for len(s.pending) > 0 {
		next := s.pending[0]
		s.pending = s.pending[1:]
		for _, sub := range s.subscribers {
			if slices.Contains(s.subscribers, sub) { // not cancelled meanwhile
				s.tell(sub, next)
			}
		}
	}
}

// tell calls one subscriber without the lock, and takes it again even if the
// subscriber panics.
func (s *Store) tell(sub *subscriber, next Settings) {
	s.mu.Unlock()
	defer s.mu.Lock()
	sub.apply(next)
}
