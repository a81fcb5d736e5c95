package settings_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask/asktest"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// keymapFault is how the vectors write a fault of keymaps.
type keymapFault struct {
	Kind    string   `json:"kind"`
	Actions []string `json:"actions"`
	Key     string   `json:"key"`
	Why     string   `json:"why"`
}

// checkKeymapFault compares an error with the vector. Fields that the vector
// leaves out are not compared.
func checkKeymapFault(t *testing.T, err error, want *keymapFault) {
	t.Helper()
	var got *settings.KeymapError
	if !errors.As(err, &got) {
		t.Fatalf("got %v, want the fault %+v", err, *want)
	}
	if string(got.Kind) != want.Kind || !reflect.DeepEqual(got.Actions, want.Actions) {
		t.Errorf("got %+v, want %+v", *got, *want)
	}
	if want.Key != "" && got.Key != want.Key || want.Why != "" && got.Why != want.Why {
		t.Errorf("got %+v, want %+v", *got, *want)
	}
}

// defaultTree returns the default keymaps as a JSON tree to change.
func defaultTree(t *testing.T) map[string]any {
	t.Helper()
	data, err := json.Marshal(settings.DefaultKeymaps())
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(data, &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

// parseTree reads a changed tree.
func parseTree(t *testing.T, tree any) (settings.Keymaps, error) {
	t.Helper()
	data, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return settings.ParseKeymaps(data)
}

func TestKeymapVectors(t *testing.T) {
	for _, file := range asktest.Files(t, asktest.Settings) {
		var vectors struct {
			KeymapCases []struct {
				ID, Context, Action string
				Value               any
				Missing, OK         bool
				Normalized          []settings.Key
				Label               string
				Error               *keymapFault
			}
		}
		if err := json.Unmarshal(file.Data, &vectors); err != nil {
			t.Fatal(err)
		}
		for _, c := range vectors.KeymapCases {
			t.Run(file.Name+"/"+c.ID, func(t *testing.T) {
				tree := defaultTree(t)
				actions := tree[c.Context].(map[string]any)
				actions[c.Action] = c.Value
				if c.Missing {
					delete(actions, c.Action)
				}
				got, err := parseTree(t, tree)
				if !c.OK {
					checkKeymapFault(t, err, c.Error)
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				context, action := settings.Context(c.Context), settings.Action(c.Action)
				if keys := got.Keys(context, action); !reflect.DeepEqual(keys, c.Normalized) {
					t.Errorf("keys %q, want %q", keys, c.Normalized)
				}
				if label := got.Label(context, action); label != c.Label {
					t.Errorf("label %q, want %q", label, c.Label)
				}
			})
		}
	}
}

func TestKeymapFaultsInWords(t *testing.T) {
	set := func(path string, value any) func(map[string]any) {
		context, action, _ := strings.Cut(path, ".")
		return func(tree map[string]any) { tree[context].(map[string]any)[action] = value }
	}
	for _, c := range []struct {
		name   string
		change func(map[string]any)
		want   string
	}{
		{"a context is gone", func(m map[string]any) { delete(m, "editor") }, "No keys for editor."},
		{"a context is null", func(m map[string]any) { m["main"] = nil }, "No keys for main."},
		{"a context is a list", func(m map[string]any) { m["main"] = []string{} }, "No keys for main."},
		{"an action is gone", func(m map[string]any) { delete(m["main"].(map[string]any), "toggle") }, "No keys for main.toggle."},
		{"an action is null", set("main.toggle", nil), "Bad keys for main.toggle: neither a key nor a list of keys."},
		{"an action is an object", set("main.toggle", map[string]any{}), "Bad keys for main.toggle: neither a key nor a list of keys."},
		{"an empty list", set("main.toggle", []string{}), "Bad keys for main.toggle: the list is empty."},
		{"a number in a list", set("main.toggle", []any{"x", 3}), "Bad keys for main.toggle: the list holds something that is no key."},
		{"null in a list", set("main.toggle", []any{nil}), "Bad keys for main.toggle: the list holds something that is no key."},
		{"an empty key in a list", set("main.toggle", []any{"x", " + "}), "Bad keys for main.toggle: the key is empty."},
		{"an unknown modifier", set("main.toggle", "hyper+x"), `Bad keys for main.toggle: unknown modifier "hyper".`},
		{"an unknown key", set("main.toggle", "wat"), `Bad keys for main.toggle: unknown key "wat".`},
		{"a reserved digit", set("global.settings", []string{"x", "9"}), "global.settings uses the reserved key 9."},
		{"twice in a context", set("main.toggle", "T"), "T is bound to both main.changeQuestionType and main.toggle."},
		{"global again in a note editor", set("noteEditor.save", "?"), "? is bound to both global.settings and noteEditor.save."},
		{"twice in global", set("global.settings", "ctrl+c"), "Ctrl+C is bound to both global.dismiss and global.settings."},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := defaultTree(t)
			c.change(tree)
			if _, err := parseTree(t, tree); err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	for _, text := range []string{"null", "[]", `"x"`, "3", "", "{"} {
		if _, err := settings.ParseKeymaps([]byte(text)); err == nil || err.Error() != "keymaps is not an object." {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// The first fault in table order is told, whatever else is wrong.
func TestFirstKeymapFaultWins(t *testing.T) {
	tree := defaultTree(t)
	actions := func(context string) map[string]any { return tree[context].(map[string]any) }
	steps := []struct {
		change func()
		want   string
	}{
		{func() { actions("editor")["close"] = "?" }, "? is bound to both global.settings and editor.close."},
		{func() { actions("settingsModal")["toggle"] = "up" }, "Up is bound"},
		{func() { delete(actions("settingsModal"), "toggle") }, "No keys for settingsModal.toggle."},
		{func() { delete(tree, "noteEditor") }, "No keys for noteEditor."},
		{func() { actions("main")["questionNote"] = "enter" }, "Enter is bound to both main.confirm and main.questionNote."},
		{func() { actions("main")["optionNote"] = "5" }, "main.optionNote uses the reserved key 5."},
		{func() { actions("main")["toggle"] = []any{} }, "Bad keys for main.toggle: the list is empty."},
		{func() { actions("global")["settings"] = "wat" }, `Bad keys for global.settings: unknown key "wat".`},
		{func() { delete(actions("global"), "dismiss") }, "No keys for global.dismiss."},
		{func() { delete(tree, "global") }, "No keys for global."},
	}
	steps[1].want = "↑ is bound to both settingsModal.previousOption and settingsModal.toggle."
	for _, step := range steps {
		step.change()
		if _, err := parseTree(t, tree); err == nil || err.Error() != step.want {
			t.Errorf("got %v, want %s", err, step.want)
		}
	}
}

func TestWhatIsAllowedInKeymaps(t *testing.T) {
	tree := defaultTree(t)
	tree["future"] = 7
	tree["main"].(map[string]any)["fly"] = []any{nil}
	tree["main"].(map[string]any)["toggle"] = []any{"0", "ctrl+5", "ctrl+[", "ctrl+i"}
	tree["settingsModal"].(map[string]any)["toggle"] = "ctrl+t"
	tree["editor"].(map[string]any)["close"] = "ctrl+t"
	got, err := parseTree(t, tree)
	if err != nil {
		t.Fatal(err)
	}
	if label := got.Label(settings.ContextMain, settings.ActionToggle); label != "0 / Ctrl+5 / Ctrl+[ / Ctrl+I" {
		t.Error(label)
	}
	if keys := got.Keys(settings.ContextMain, "fly"); keys != nil {
		t.Errorf("an unknown action has the keys %q", keys)
	}
}

func TestLookup(t *testing.T) {
	keymaps, err := settings.DefaultKeymaps().With(settings.ContextMain, settings.ActionToggle, "shift+?", "Shift+Space")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		context  settings.Context
		id, text string
		want     settings.Action
	}{
		{settings.ContextMain, "n", "n", settings.ActionOptionNote},
		{settings.ContextMain, "n", "N", settings.ActionQuestionNote},
		{settings.ContextMain, "shift+n", "", settings.ActionQuestionNote},
		{settings.ContextMain, "shift+tab", "", settings.ActionPreviousTab},
		{settings.ContextMain, "", "?", settings.ActionToggle},
		{settings.ContextMain, "shift+space", " ", settings.ActionToggle},
		{settings.ContextMain, "space", " ", ""},
		{settings.ContextMain, "1", "1", ""},
		{settings.ContextMain, "T", "T", ""},
		{settings.ContextEditor, "n", "n", ""},
		{settings.ContextEditor, "enter", "", settings.ActionSubmit},
		{settings.ContextNoteEditor, "enter", "", settings.ActionSave},
		{settings.ContextSettingsModal, "ctrl+c", "", settings.ActionClose},
		{settings.ContextGlobal, "ctrl+c", "", settings.ActionDismiss},
		{"elsewhere", "enter", "", ""},
	} {
		got, ok := keymaps.Lookup(c.context, settings.Press(c.id, c.text))
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q %q does %q, want %q", c.context, c.id, c.text, got, c.want)
		}
	}
}

func TestKeymapsCannotBeChangedFromOutside(t *testing.T) {
	keymaps := settings.DefaultKeymaps()
	keymaps.Keys(settings.ContextMain, settings.ActionNextTab)[0] = "x"
	if label := settings.DefaultKeymaps().Label(settings.ContextMain, settings.ActionNextTab); label != "Tab / →" {
		t.Error(label)
	}
	if _, err := keymaps.With(settings.ContextMain, settings.ActionToggle, "enter"); err == nil {
		t.Error("a duplicate was accepted")
	}
	if label := keymaps.Label(settings.ContextMain, settings.ActionToggle); label != "Space" {
		t.Error(label)
	}
}

func TestZeroKeymapsBindNothing(t *testing.T) {
	var none settings.Keymaps
	if _, ok := none.Lookup(settings.ContextMain, "enter"); ok || none.Label(settings.ContextMain, settings.ActionConfirm) != "" {
		t.Error("the zero value binds a key")
	}
	if _, err := json.Marshal(none); err != nil {
		t.Error(err)
	}
}

func TestKeymapsSurviveJSON(t *testing.T) {
	before, err := settings.DefaultKeymaps().With(settings.ContextMain, settings.ActionCancel, "<", "&", "q")
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	var after settings.Keymaps
	if err := json.Unmarshal(data, &after); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(before, after) {
		t.Errorf("%s", data)
	}
	if !strings.HasPrefix(string(data), `{"global":{"dismiss":["ctrl+c"],"settings":["?"]},"main":{"confirm":["enter"],`) {
		t.Errorf("not in table order: %s", data)
	}
}

func BenchmarkLookup(b *testing.B) {
	keymaps := settings.DefaultKeymaps()
	b.ReportAllocs()
	for b.Loop() {
		keymaps.Lookup(settings.ContextMain, settings.Press("n", "N"))
		keymaps.Lookup(settings.ContextMain, settings.Press("down", ""))
	}
}
