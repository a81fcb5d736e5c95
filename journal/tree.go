package journal

import (
	"fmt"

	"github.com/google/uuid"
)

// tree holds the entries of a session in the order in which they were added.
// A parent is always looked for among the entries before its child, so there
// can be no cycles, whatever a file says.
type tree struct {
	nodes []node
	byID  map[string]int // the last entry with that id
	// branch is the path to the leaf. It only ever grows at its end or is
	// replaced as a whole, so that what callers got stays as it was.
	branch     []Entry
	leaf       int // index into nodes, -1 in an empty session
	generation uint64
}

// node is an entry with its parent's place. A damaged entry is a link of the
// chain only: it is in no branch.
type node struct {
	Entry
	parent  int // index, -1 for a root
	damaged bool
}

func newTree() *tree { return &tree{byID: map[string]int{}, leaf: -1} }

// add puts an entry into the tree without moving the leaf. It reports whether
// the parent was found.
func (t *tree) add(e Entry, damaged bool) (found bool) {
	parent := -1
	if e.ParentID != "" {
		if i, ok := t.byID[e.ParentID]; ok {
			parent = i
		}
	}
	t.nodes = append(t.nodes, node{e, parent, damaged})
	t.byID[e.ID] = len(t.nodes) - 1
	return parent >= 0 || e.ParentID == ""
}

// grow adds a child of the leaf and makes it the leaf.
func (t *tree) grow(e Entry) {
	t.nodes = append(t.nodes, node{e, t.leaf, false})
	t.leaf = len(t.nodes) - 1
	t.byID[e.ID] = t.leaf
	t.branch = append(t.branch, e)
}

// setLeaf makes the entry at index i the leaf; -1 means before the first entry.
func (t *tree) setLeaf(i int) {
	length := 0
	for n := i; n >= 0; n = t.nodes[n].parent {
		if !t.nodes[n].damaged {
			length++
		}
	}
	path := make([]Entry, length)
	for n := i; n >= 0; n = t.nodes[n].parent {
		if !t.nodes[n].damaged {
			length--
			path[length] = t.nodes[n].Entry
		}
	}
	t.leaf, t.branch = i, path
}

// move makes the entry with that id the leaf and starts a new generation.
func (t *tree) move(id string) error {
	i := -1
	if id != "" {
		var ok bool
		if i, ok = t.byID[id]; !ok || t.nodes[i].damaged {
			return fmt.Errorf("journal: move to %q: %w", id, ErrNoEntry)
		}
	}
	t.setLeaf(i)
	t.generation++
	return nil
}

// leads reports whether the parents of one node lead to the other.
func (t *tree) leads(from, to int) bool {
	for n := from; n >= 0; n = t.nodes[n].parent {
		if n == to {
			return true
		}
	}
	return false
}

func (t *tree) leafID() string {
	if t.leaf < 0 {
		return ""
	}
	return t.nodes[t.leaf].ID
}

// freshID returns an id that no entry has: eight hex digits, as hosts use.
func (t *tree) freshID() string {
	for range 100 {
		id := uuid.NewString()[:8]
		if _, taken := t.byID[id]; !taken {
			return id
		}
	}
	return uuid.NewString()
}
