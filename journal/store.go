package journal

import (
	"context"
	"encoding/json"
	"time"
)

// Entry is one entry of a session: a node of the tree that the session file
// holds. Which fields are used depends on Type: "custom" entries have
// CustomType and Data, "custom_message" entries CustomType, Content, Display
// and Details, "message" entries Message. Entries of other types are carried
// as they are.
//
// The raw fields of an entry that came from a [Store] are shared: read them,
// do not change them.
type Entry struct {
	ID         string          `json:"id"`
	ParentID   string          `json:"parentId,omitempty"`
	Type       string          `json:"type"`
	Timestamp  time.Time       `json:"timestamp"`
	CustomType string          `json:"customType,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
	Content    json.RawMessage `json:"content,omitempty"`
	Display    bool            `json:"display,omitempty"`
	Details    json.RawMessage `json:"details,omitempty"`
	Message    json.RawMessage `json:"message,omitempty"`
}

// Store is where a host keeps its session. Implementations are safe for
// concurrent use.
type Store interface {
	// Append adds e as a child of the current leaf and makes it the leaf. ID,
	// ParentID and Timestamp of e are set by the store. When Append returns an
	// error, the entry does not exist.
	Append(ctx context.Context, e Entry) (Entry, error)
	// Branch returns the entries from the root to the current leaf.
	Branch(ctx context.Context) ([]Entry, error)
	// Leaf returns the id of the current leaf ("" in an empty session) and the
	// generation, a number that grows whenever the leaf moves in any way other
	// than by Append.
	Leaf() (id string, generation uint64)
}
