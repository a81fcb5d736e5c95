package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// rawFields lists the raw JSON of an entry by member name, in file order.
func rawFields(e *Entry) [4]struct {
	name string
	raw  *json.RawMessage
} {
	return [4]struct {
		name string
		raw  *json.RawMessage
	}{{"data", &e.Data}, {"content", &e.Content}, {"details", &e.Details}, {"message", &e.Message}}
}

// checkEntry says whether e can be stored at all.
func checkEntry(e Entry) error {
	if e.Type == "" || e.Type == headerType {
		return fmt.Errorf("journal: type %q: %w", e.Type, ErrEntry)
	}
	for _, f := range rawFields(&e) {
		if len(*f.raw) > 0 && !json.Valid(*f.raw) {
			return fmt.Errorf("journal: %s of the %s entry is not JSON: %w", f.name, e.Type, ErrEntry)
		}
	}
	return nil
}

const headerType = "session"

// cloneEntry copies everything of e that a caller could still change.
func cloneEntry(e Entry) Entry {
	for _, f := range rawFields(&e) {
		*f.raw = bytes.Clone(*f.raw)
	}
	return e
}
