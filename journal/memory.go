package journal

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Memory is a [Store] that lives as long as the process. The zero value is
// not ready; use [NewMemory].
type Memory struct {
	mu   sync.Mutex
	tree *tree
}

// NewMemory returns a store whose branch holds the given entries. They keep
// their ids and timestamps when they have them; each is a child of the one
// before it. An entry that cannot be stored is left out.
func NewMemory(entries ...Entry) *Memory {
	m := &Memory{tree: newTree()}
	for _, e := range entries {
		if e.ID == "" {
			e.ID = m.tree.freshID()
		}
		e.ParentID = m.tree.leafID()
		if _, stored, err := encodeLine(e); err == nil {
			m.tree.grow(stored)
		}
	}
	return m
}

// Append implements [Store]. It fails only when ctx is done or e cannot be
// stored.
func (m *Memory) Append(ctx context.Context, e Entry) (Entry, error) {
	if err := ctx.Err(); err != nil {
		return Entry{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e.ID, e.ParentID, e.Timestamp = m.tree.freshID(), m.tree.leafID(), now()
	_, stored, err := encodeLine(e)
	if err == nil {
		m.tree.grow(stored)
	}
	return stored, err
}

// Branch implements [Store].
func (m *Memory) Branch(context.Context) ([]Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clip(m.tree.branch), nil
}

// Leaf implements [Store].
func (m *Memory) Leaf() (id string, generation uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tree.leafID(), m.tree.generation
}

// MoveTo makes an existing entry the leaf: an ancestor, or a leaf that was
// left earlier. "" moves before the first entry. The next Append starts a new
// branch there.
func (m *Memory) MoveTo(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tree.move(id)
}

// now is the time of an entry, in the precision that session files have.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
