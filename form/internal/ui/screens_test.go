package ui_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask/asktest"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/files"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/ui"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// screen is one picture of the form: what is asked, and the keys that lead
// there.
type screen struct {
	name    string
	payload string // a file in testdata/payloads, or a payload of the vectors
	keys    []string
	prepare func(*ui.Options) // nil for the defaults
	files   []files.Item
}

// rich is the script that leaves answers and notes of every kind.
var rich = []string{
	"shift+n", "text:please keep it reversible", "enter", "1",
	"n", "text:cpu heavy", "enter", "1", "2", "3", "n", "text:only if quick", "enter", "3", "tab",
	"shift+n", "text:not sure yet", "enter", "tab",
}

var screens = []screen{
	{name: "single-start", payload: "release"},
	{name: "single-chosen", payload: "release", keys: []string{"down", "space"}},
	{name: "multi-ticked", payload: "release", keys: []string{"tab", "1", "3", "3", "3"}},
	{name: "preview-first", payload: "release", keys: []string{"tab", "tab"}},
	{name: "preview-second", payload: "release", keys: []string{"tab", "tab", "down"}},
	{name: "preview-own-answer", payload: "release", keys: []string{"tab", "tab", "3", "text:a plain list"}},
	{name: "preview-note", payload: "release", keys: []string{"tab", "tab", "n", "text:too dense?", "enter"}},
	{name: "answer-editor", payload: "release", keys: []string{"4", "text:only the nightly channel"}},
	{name: "answer-editor-empty", payload: "release", keys: []string{"4"}},
	{name: "answer-saved", payload: "release", keys: []string{"4", "text:only the nightly channel", "esc"}},
	{name: "note-editor", payload: "release", keys: []string{"down", "n", "text:behind which flag?"}},
	{name: "note-editor-empty", payload: "release", keys: []string{"shift+n"}},
	{name: "images-in-editor", payload: "release", keys: []string{"4", "clipboard:i1", "ctrl+v", "ctrl+v", "text:like this"}},
	{name: "file-popup", payload: "release", keys: []string{"4", "text:see @que"}, files: queueFiles},
	{name: "file-popup-down", payload: "release", keys: []string{"4", "text:see @que", "down"}, files: queueFiles},
	{name: "file-popup-accepted", payload: "release", keys: []string{"4", "text:see @que", "down", "tab"}, files: queueFiles},
	{name: "saved-notes", payload: "release", keys: []string{
		"shift+n", "text:please keep it reversible", "enter", "n", "text:needs a seeded database", "enter",
	}},
	{name: "many-tabs", payload: "topics", keys: []string{"tab", "tab", "tab", "1"}},
	{name: "type-confirm", payload: "release", keys: []string{"tab", "1", "2", "t"}},
	{name: "type-changed", payload: "release", keys: []string{"t"}},
	{name: "dirty-warning", payload: "release", keys: []string{"space", "esc"}},
	{name: "review-armed", payload: "release", keys: []string{"1", "tab", "tab", "2"}},
	{name: "review-submit", payload: "release", keys: rich},
	{name: "review-elaborate", payload: "release", keys: append(rich[:len(rich):len(rich)], "down")},
	{name: "remapped-keys", payload: "release", prepare: remap},
	{name: "not-ready", payload: "release", prepare: func(o *ui.Options) { o.Quiet, o.Max = 300e6, 1e9 }},
	{name: "no-colour", payload: "release", keys: []string{"tab"}, prepare: func(o *ui.Options) { o.Brackets = true }},
	{name: "no-hints", payload: "release", prepare: func(o *ui.Options) { o.Settings.Behaviour.ShowFooterHints = false }},
	{name: "settings", payload: "release", keys: []string{"?"}},
	{name: "settings-defaults-row", payload: "release", keys: []string{"?", "down", "down", "down", "down", "down"}},
	{name: "settings-reset-armed", payload: "release", keys: []string{"?", "up", "enter"}},
	{name: "settings-invalid-file", payload: "release", keys: []string{"?"}, prepare: func(o *ui.Options) {
		o.Notices = []settings.Notice{{Kind: "invalid", Text: "The settings file is invalid or has an unsupported version. Defaults are used for this session; the file was not changed. Fix it and run /reload."}}
	}},
	{name: "tall-preview", payload: "tall"},
	{name: "tall-preview-page", payload: "tall", keys: []string{"pageDown"}},
	{name: "long-list", payload: "twelve"},
	{name: "long-list-below", payload: "twelve", keys: strings.Fields(strings.Repeat("down ", 10))},
}

var queueFiles = []files.Item{
	{Value: "internal/queue/", Name: "queue/", Path: "internal/queue", Dir: true},
	{Value: "internal/queue/queue.go", Name: "queue.go", Path: "internal/queue/queue.go"},
	{Value: "internal/queue/queue_test.go", Name: "queue_test.go", Path: "internal/queue/queue_test.go"},
	{Value: "internal/queue/journal.go", Name: "journal.go", Path: "internal/queue/journal.go"},
}

// remap binds keys of the user's own.
func remap(o *ui.Options) {
	o.Settings = withKeys(o.Settings, map[string]any{
		"global": map[string]any{"settings": "f1"},
		"main": map[string]any{
			"changeQuestionType": []string{"ctrl+t", "f2"}, "confirm": []string{"ctrl+k", "enter"},
			"optionNote": "x", "questionNote": "shift+x", "cancel": "q",
		},
	})
}

// withKeys binds keys over the default ones.
func withKeys(s settings.Settings, keys map[string]any) settings.Settings {
	var base map[string]any
	if err := json.Unmarshal(mustJSON(s), &base); err != nil {
		panic(err)
	}
	merge(base["keymaps"].(map[string]any), keys)
	if err := json.Unmarshal(mustJSON(base), &s); err != nil {
		panic(err)
	}
	return s
}

// open plays a screen's script at a size.
func (sc *screen) open(t testing.TB, width, rows int) *host {
	t.Helper()
	opt := ui.Options{Settings: settings.Default(), SettingsPath: "/data/dev/.pi/agent/extensions/pi-agent-ask.json"}
	if sc.prepare != nil {
		sc.prepare(&opt)
	}
	h := newHost(t, normalize(t, payloadNamed(t, sc.payload)), opt)
	h.items = sc.files
	h.resize(width, rows)
	return h.steps(sc.keys...)
}

// payloadNamed reads a payload from testdata/payloads or from the vectors.
func payloadNamed(t testing.TB, name string) json.RawMessage {
	t.Helper()
	if data, err := os.ReadFile(filepath.Join("testdata", "payloads", name+".json")); err == nil {
		return data
	}
	for _, f := range asktest.Files(t, asktest.Form) {
		var suite struct{ Payloads map[string]json.RawMessage }
		unmarshal(t, f.Data, &suite)
		if p, ok := suite.Payloads[name]; ok {
			return p
		}
	}
	t.Fatalf("no payload %q", name)
	return nil
}

// picture is the frame as text; the cursor's cell is a block.
func (h *host) picture() []string {
	g := h.grid()
	var lines []string
	for y := range h.height(g) {
		var b strings.Builder
		for x := range h.width {
			b.WriteString(cellText(g, x, y))
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}

func (h *host) height(g *paint.Grid) int {
	_, height := g.Size()
	return height
}

func cellText(g *paint.Grid, x, y int) string {
	if cx, cy, ok := g.Cursor(); ok && cx == x && cy == y {
		return "█"
	}
	return g.At(x, y).Text
}

// styles is the frame with its styles: «role:text», ⟦background:text⟧ and
// **bold**; a rule is one sign long.
func (h *host) styles() []string {
	g := h.grid()
	var lines []string
	for y := range h.height(g) {
		var b strings.Builder
		for x := 0; x < h.width; {
			st, text := g.At(x, y).Style, ""
			for ; x < h.width && g.At(x, y).Style == st; x++ {
				text += cellText(g, x, y)
			}
			b.WriteString(notation(st, text))
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}

func notation(st paint.Style, text string) string {
	if strings.Trim(text, "─") == "" && len(text) > len("─") {
		text = "─…─"
	}
	if st.Bold {
		text = "**" + text + "**"
	}
	if st.Fg != "" {
		text = "«" + string(st.Fg) + ":" + text + "»"
	}
	if st.Bg != "" {
		text = "⟦" + string(st.Bg) + ":" + text + "⟧"
	}
	return text
}
