package settings

import (
	"bytes"
	"slices"
)

// Context says where a key press lands.
type Context string

// The contexts, in the order in which they are checked.
const (
	ContextGlobal        Context = "global"
	ContextMain          Context = "main"
	ContextEditor        Context = "editor"
	ContextNoteEditor    Context = "noteEditor"
	ContextSettingsModal Context = "settingsModal"
)

// Action is what a key does in a context. Not every action exists in every
// context.
type Action string

// The actions.
const (
	// global
	ActionDismiss  Action = "dismiss"
	ActionSettings Action = "settings"
	// main
	ActionConfirm            Action = "confirm"
	ActionCancel             Action = "cancel"
	ActionChangeQuestionType Action = "changeQuestionType"
	ActionToggle             Action = "toggle" // also settingsModal
	ActionNextTab            Action = "nextTab"
	ActionPreviousTab        Action = "previousTab"
	ActionNextOption         Action = "nextOption"     // also settingsModal
	ActionPreviousOption     Action = "previousOption" // also settingsModal
	ActionOptionNote         Action = "optionNote"
	ActionQuestionNote       Action = "questionNote"
	// editor and noteEditor
	ActionSubmit                  Action = "submit" // editor
	ActionSave                    Action = "save"   // noteEditor
	ActionClose                   Action = "close"  // also settingsModal
	ActionNextTabWhenEmpty        Action = "nextTabWhenEmpty"
	ActionPreviousTabWhenEmpty    Action = "previousTabWhenEmpty"
	ActionNextOptionWhenEmpty     Action = "nextOptionWhenEmpty"
	ActionPreviousOptionWhenEmpty Action = "previousOptionWhenEmpty"
)

// place is one action in its context.
type place struct {
	context Context
	action  Action
}

// String returns "main.confirm", or "main" for a whole context.
func (p place) String() string {
	if p.action == "" {
		return string(p.context)
	}
	return string(p.context) + "." + string(p.action)
}

// table lists every place with its default keys. Its order is the order of
// checks, of error messages and of the file.
var table = [...]struct {
	place
	keys []Key
}{
	{place{ContextGlobal, ActionDismiss}, []Key{"ctrl+c"}},
	{place{ContextGlobal, ActionSettings}, []Key{"?"}},

	{place{ContextMain, ActionConfirm}, []Key{"enter"}},
	{place{ContextMain, ActionCancel}, []Key{"esc"}},
	{place{ContextMain, ActionChangeQuestionType}, []Key{"t"}},
	{place{ContextMain, ActionToggle}, []Key{"space"}},
	{place{ContextMain, ActionNextTab}, []Key{"tab", "right"}},
	{place{ContextMain, ActionPreviousTab}, []Key{"shift+tab", "left"}},
	{place{ContextMain, ActionNextOption}, []Key{"down"}},
	{place{ContextMain, ActionPreviousOption}, []Key{"up"}},
	{place{ContextMain, ActionOptionNote}, []Key{"n"}},
	{place{ContextMain, ActionQuestionNote}, []Key{"shift+n"}},

	{place{ContextEditor, ActionSubmit}, []Key{"enter"}},
	{place{ContextEditor, ActionClose}, []Key{"esc"}},
	{place{ContextEditor, ActionNextTabWhenEmpty}, []Key{"tab", "right"}},
	{place{ContextEditor, ActionPreviousTabWhenEmpty}, []Key{"shift+tab", "left"}},
	{place{ContextEditor, ActionNextOptionWhenEmpty}, []Key{"down"}},
	{place{ContextEditor, ActionPreviousOptionWhenEmpty}, []Key{"up"}},

	{place{ContextNoteEditor, ActionSave}, []Key{"enter"}},
	{place{ContextNoteEditor, ActionClose}, []Key{"esc"}},
	{place{ContextNoteEditor, ActionNextTabWhenEmpty}, []Key{"tab", "right"}},
	{place{ContextNoteEditor, ActionPreviousTabWhenEmpty}, []Key{"shift+tab", "left"}},
	{place{ContextNoteEditor, ActionNextOptionWhenEmpty}, []Key{"down"}},
	{place{ContextNoteEditor, ActionPreviousOptionWhenEmpty}, []Key{"up"}},

	{place{ContextSettingsModal, ActionClose}, []Key{"esc", "ctrl+c", "?"}},
	{place{ContextSettingsModal, ActionNextOption}, []Key{"down"}},
	{place{ContextSettingsModal, ActionPreviousOption}, []Key{"up"}},
	{place{ContextSettingsModal, ActionToggle}, []Key{"enter", "space"}},
}

// contextOrder and actionOrder list names in table order.
func contextOrder() []string {
	var names []string
	for _, row := range table {
		if !slices.Contains(names, string(row.context)) {
			names = append(names, string(row.context))
		}
	}
	return names
}

func actionOrder(context string) []string {
	var names []string
	for _, row := range table {
		if string(row.context) == context {
			names = append(names, string(row.action))
		}
	}
	return names
}

// Keymaps binds keys to actions, context by context. It cannot be changed
// after it was made, so copies are cheap and safe to share. The zero value
// binds nothing; use [DefaultKeymaps] or [ParseKeymaps].
type Keymaps struct{ m *keymaps }

type keymaps struct {
	keys  map[place][]Key
	index map[pressed]Action
}

// pressed is a key press in a context.
type pressed struct {
	context Context
	key     Key
}

// DefaultKeymaps returns the bindings of a user who changed nothing.
func DefaultKeymaps() Keymaps {
	keys := make(map[place][]Key, len(table))
	for _, row := range table {
		keys[row.place] = row.keys
	}
	return newKeymaps(keys)
}

// newKeymaps builds the index. Bindings are stored under the key that [Press]
// reports for them; of two that only a terminal can tell apart, the earlier
// one in the table wins.
func newKeymaps(keys map[place][]Key) Keymaps {
	m := &keymaps{keys: keys, index: make(map[pressed]Action, 2*len(table))}
	for _, row := range table {
		for _, k := range keys[row.place] {
			at := pressed{row.context, Press(string(k), "")}
			if _, taken := m.index[at]; !taken {
				m.index[at] = row.action
			}
		}
	}
	return Keymaps{m}
}

// Lookup returns what the pressed key does in a context. The key comes from
// [Press].
func (k Keymaps) Lookup(context Context, key Key) (Action, bool) {
	if k.m == nil {
		return "", false
	}
	action, ok := k.m.index[pressed{context, key}]
	return action, ok
}

// Keys returns a copy of the keys bound to an action, in the user's order.
func (k Keymaps) Keys(context Context, action Action) []Key {
	if k.m == nil {
		return nil
	}
	return slices.Clone(k.m.keys[place{context, action}])
}

// Label returns the keys of an action as they are shown to people.
func (k Keymaps) Label(context Context, action Action) string {
	if k.m == nil {
		return ""
	}
	return Label(k.m.keys[place{context, action}]...)
}

// equal reports whether both bind the same keys to the same actions.
func (k Keymaps) equal(other Keymaps) bool {
	for _, row := range table {
		if !slices.Equal(k.Keys(row.context, row.action), other.Keys(row.context, row.action)) {
			return false
		}
	}
	return true
}

// With returns a copy in which the action has the given keys, written as in
// the settings file. The whole map is checked again; an error, also for an
// action that does not exist, is a *[KeymapError].
func (k Keymaps) With(context Context, action Action, keys ...string) (Keymaps, error) {
	if !slices.Contains(actionOrder(string(context)), string(action)) {
		return Keymaps{}, &KeymapError{Kind: KeymapMissing, Actions: []string{place{context, action}.String()}}
	}
	raw := make(map[place]any, len(table))
	for _, row := range table {
		raw[row.place] = k.Keys(row.context, row.action)
	}
	raw[place{context, action}] = keys
	data, err := encodeKeymaps(func(p place) any { return raw[p] })
	if err != nil {
		return Keymaps{}, err
	}
	return ParseKeymaps(data)
}

// MarshalJSON writes every context and action, each with a list of keys.
func (k Keymaps) MarshalJSON() ([]byte, error) {
	return encodeKeymaps(func(p place) any {
		keys := k.Keys(p.context, p.action)
		if keys == nil {
			keys = []Key{}
		}
		return keys
	})
}

// encodeKeymaps writes the table in its order.
func encodeKeymaps(value func(place) any) ([]byte, error) {
	var b bytes.Buffer
	var context Context
	for _, row := range table {
		switch {
		case context == "":
			b.WriteString(`{"` + string(row.context) + `":{`)
		case context != row.context:
			b.WriteString(`},"` + string(row.context) + `":{`)
		default:
			b.WriteByte(',')
		}
		context = row.context
		data, err := encode(value(row.place))
		if err != nil {
			return nil, err
		}
		b.WriteString(`"` + string(row.action) + `":`)
		b.Write(data)
	}
	b.WriteString("}}")
	return b.Bytes(), nil
}

// UnmarshalJSON is [ParseKeymaps].
func (k *Keymaps) UnmarshalJSON(data []byte) error {
	parsed, err := ParseKeymaps(data)
	if err == nil {
		*k = parsed
	}
	return err
}
