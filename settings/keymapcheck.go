package settings

import (
	"encoding/json"
	"strconv"
	"strings"
)

// KeymapErrorKind tells the faults of keymaps apart.
type KeymapErrorKind string

// The faults, in the order in which one place is checked.
const (
	KeymapNotObject KeymapErrorKind = "notObject" // the keymaps are no JSON object
	KeymapMissing   KeymapErrorKind = "missing"   // a context or an action is not there
	KeymapInvalid   KeymapErrorKind = "invalid"   // what is bound is no key
	KeymapReserved  KeymapErrorKind = "reserved"  // a plain 1 to 9
	KeymapDuplicate KeymapErrorKind = "duplicate" // one key for two actions
)

// KeymapError is the first fault found in keymaps.
type KeymapError struct {
	Kind KeymapErrorKind
	// Actions are the places concerned, such as "main.confirm": two for a
	// duplicate (the earlier one first), a bare context when that is missing.
	Actions []string
	// Key is set for a reserved key (its id) and for a duplicate (its label).
	Key string
	// Why is set for an invalid key: notStringOrList, emptyList,
	// itemNotString, empty, "modifier:" or "key:" and the unknown name.
	Why string
}

// Error is the sentence shown to the user.
func (e *KeymapError) Error() string {
	switch e.Kind {
	case KeymapMissing:
		return "No keys for " + e.Actions[0] + "."
	case KeymapInvalid:
		return "Bad keys for " + e.Actions[0] + ": " + inWords(e.Why) + "."
	case KeymapReserved:
		return e.Actions[0] + " uses the reserved key " + e.Key + "."
	case KeymapDuplicate:
		return e.Key + " is bound to both " + e.Actions[0] + " and " + e.Actions[1] + "."
	}
	return "keymaps is not an object."
}

// inWords explains a Why.
func inWords(why string) string {
	kind, name, _ := strings.Cut(why, ":")
	switch kind {
	case "notStringOrList":
		return "neither a key nor a list of keys"
	case "emptyList":
		return "the list is empty"
	case "itemNotString":
		return "the list holds something that is no key"
	case "empty":
		return "the key is empty"
	case "modifier":
		return "unknown modifier " + quote(name)
	}
	return "unknown key " + quote(name)
}

// quote makes a name from the file safe to show: no control characters, and
// not the whole of a megabyte.
func quote(name string) string {
	const most = 40
	if runes := []rune(name); len(runes) > most {
		name = string(runes[:most]) + "…"
	}
	return strconv.Quote(name)
}

// ParseKeymaps reads keymaps as the settings file holds them: every context
// with every action, each one key or a list of keys. Unknown contexts and
// actions are ignored. An error is a *[KeymapError].
func ParseKeymaps(data []byte) (Keymaps, error) {
	var contexts map[string]json.RawMessage
	if json.Unmarshal(data, &contexts) != nil || contexts == nil {
		return Keymaps{}, &KeymapError{Kind: KeymapNotObject}
	}
	keys := make(map[place][]Key, len(table))
	for i := 0; i < len(table); {
		context := table[i].context
		var actions map[string]json.RawMessage
		if json.Unmarshal(contexts[string(context)], &actions) != nil || actions == nil {
			return Keymaps{}, &KeymapError{Kind: KeymapMissing, Actions: []string{string(context)}}
		}
		first := i
		for ; i < len(table) && table[i].context == context; i++ {
			bound, err := parseBinding(table[i].place, actions[string(table[i].action)])
			if err != nil {
				return Keymaps{}, err
			}
			keys[table[i].place] = bound
		}
		if err := duplicateWithin(keys, first, i); err != nil {
			return Keymaps{}, err
		}
	}
	if err := duplicateOfGlobal(keys); err != nil {
		return Keymaps{}, err
	}
	return newKeymaps(keys), nil
}

// parseBinding reads the keys of one place; raw is nil if it is absent.
func parseBinding(p place, raw json.RawMessage) ([]Key, error) {
	fault := func(kind KeymapErrorKind, key, why string) ([]Key, error) {
		return nil, &KeymapError{Kind: kind, Actions: []string{p.String()}, Key: key, Why: why}
	}
	if raw == nil {
		return fault(KeymapMissing, "", "")
	}
	items := []json.RawMessage{raw}
	if raw[0] == '[' {
		if json.Unmarshal(raw, &items) != nil {
			return fault(KeymapInvalid, "", "notStringOrList")
		}
		if len(items) == 0 {
			return fault(KeymapInvalid, "", "emptyList")
		}
	} else if raw[0] != '"' {
		return fault(KeymapInvalid, "", "notStringOrList")
	}
	keys := make([]Key, 0, len(items))
	seen := make(map[Key]bool, len(items))
	for _, item := range items {
		var text string
		if item[0] != '"' || json.Unmarshal(item, &text) != nil {
			return fault(KeymapInvalid, "", "itemNotString")
		}
		k, err := ParseKey(text)
		if err != nil {
			return fault(KeymapInvalid, "", err.(*KeyError).Why)
		}
		if len(k) == 1 && '1' <= k[0] && k[0] <= '9' {
			return fault(KeymapReserved, string(k), "")
		}
		if !seen[k] {
			seen[k] = true
			keys = append(keys, k)
		}
	}
	return keys, nil
}

// duplicateWithin finds a key that two rows of one context share.
func duplicateWithin(keys map[place][]Key, from, to int) error {
	owner := map[Key]place{}
	for _, row := range table[from:to] {
		for _, k := range keys[row.place] {
			if earlier, taken := owner[k]; taken {
				return duplicate(k, earlier, row.place)
			}
			owner[k] = row.place
		}
	}
	return nil
}

// duplicateOfGlobal finds a global key that is used in a context where the
// global keys work too. The settings overlay has its own keys only.
func duplicateOfGlobal(keys map[place][]Key) error {
	global := map[Key]place{}
	for _, row := range table {
		if row.context == ContextSettingsModal {
			continue
		}
		for _, k := range keys[row.place] {
			if row.context == ContextGlobal {
				global[k] = row.place
			} else if earlier, taken := global[k]; taken {
				return duplicate(k, earlier, row.place)
			}
		}
	}
	return nil
}

func duplicate(k Key, earlier, later place) error {
	return &KeymapError{Kind: KeymapDuplicate, Actions: []string{earlier.String(), later.String()}, Key: Label(k)}
}
