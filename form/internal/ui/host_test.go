package ui_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/clipboard"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/files"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/ui"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// host plays everything around a form's state: it does what the effects ask
// for, at once, and advances a clock of its own.
type host struct {
	t     testing.TB
	state *ui.State
	now   time.Duration
	theme paint.Theme
	width int
	rows  int

	store     *settings.Store
	files     []string
	items     []files.Item // what every query finds, instead of files
	clipboard string       // what the next paste of an image finds
	completed int
	effects   []ui.Effect // what was asked for while hold is set
	hold      bool        // effects are kept, not done
}

// newHost opens a form on a 100x60 screen.
func newHost(t testing.TB, f ask.Form, opt ui.Options) *host {
	t.Helper()
	h := &host{t: t, width: 100, rows: 60, theme: paint.Dark()}
	if opt.PasteImageKeys == nil {
		opt.PasteImageKeys, opt.PasteImageLabels = []settings.Key{"ctrl+v"}, []string{"ctrl+v"}
	}
	if opt.Settings.SchemaVersion == 0 {
		opt.Settings = settings.Default()
	}
	h.state = ui.New(f, opt)
	h.resize(h.width, h.rows)
	h.apply(ui.Shown{})
	return h
}

// newCaseHost opens the form of a conformance case.
func newCaseHost(t testing.TB, payload json.RawMessage, c formCase) *host {
	t.Helper()
	f := normalize(t, payload)
	opt := ui.Options{}
	store := storeFor(t, c.Settings, c.Host.SaveFails)
	opt.Settings, opt.Notices = store.Load()
	if opt.Settings.Behaviour.PresentSingleAsMulti {
		f = f.PresentSinglesAsMulti()
	}
	if c.Guard != nil {
		opt.Quiet = time.Duration(c.Guard.QuietMs) * time.Millisecond
		opt.Max = time.Duration(c.Guard.MaxMs) * time.Millisecond
	}
	h := newHost(t, f, opt)
	h.store, h.files = store, c.Host.Files
	h.theme.NoColor = c.Host.Env["NO_COLOR"] != ""
	if c.Host.Width > 0 {
		h.resize(c.Host.Width, h.rows)
	}
	if c.Host.Rows > 0 {
		h.resize(h.width, c.Host.Rows)
	}
	return h
}

// storeFor writes the case's settings over the defaults into a file. When
// saving is to fail, the file's name leaves no room for that of a temporary
// file beside it.
func storeFor(t testing.TB, over json.RawMessage, fails bool) *settings.Store {
	t.Helper()
	base := map[string]any{}
	defaults := settings.Default()
	defaults.Notifications.Enabled = false
	unmarshal(t, mustJSON(defaults), &base)
	if over != nil {
		var m map[string]any
		unmarshal(t, over, &m)
		merge(base, m)
	}
	name := filepath.Join(t.TempDir(), "pi-agent-ask.json")
	if fails {
		name = filepath.Join(filepath.Dir(name), strings.Repeat("x", 250))
	}
	if err := os.WriteFile(name, mustJSON(base), 0o644); err != nil {
		t.Fatal(err)
	}
	store := settings.Open(name, nil)
	if _, notices := store.Load(); len(notices) > 0 {
		t.Fatalf("the case's settings are not valid: %v", notices)
	}
	return store
}

func merge(base, over map[string]any) {
	for k, v := range over {
		if m, ok := v.(map[string]any); ok {
			if b, ok := base[k].(map[string]any); ok {
				merge(b, m)
				continue
			}
		}
		base[k] = v
	}
}

func unmarshal(t testing.TB, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func normalize(t testing.TB, payload json.RawMessage) ask.Form {
	t.Helper()
	p, err := ask.Decode(ask.Prepare(payload))
	if err != nil {
		t.Fatal(err)
	}
	f, err := ask.Normalize(p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (h *host) resize(width, rows int) {
	h.width, h.rows = width, rows
	h.apply(ui.Resize{Width: width, Rows: rows})
}

// apply lets a message happen and does what the form asks for.
func (h *host) apply(m ui.Msg) {
	for _, e := range h.state.Apply(h.now, m) {
		if h.hold {
			h.effects = append(h.effects, e)
			continue
		}
		h.do(e)
	}
}

func (h *host) do(e ui.Effect) {
	switch e := e.(type) {
	case ui.SaveSetting:
		h.save(func() error { return h.store.Set(e.Name, e.Value) }, func(s settings.Settings) settings.Settings { return s.With(e.Name, e.Value) })
	case ui.ResetSettings:
		h.save(func() error { return h.store.Reset() }, func(settings.Settings) settings.Settings { return settings.Default() })
	case ui.ReadClipboard:
		h.apply(h.readClipboard(e.Token))
	case ui.FindFiles:
		items := h.items
		for _, f := range h.files {
			if strings.Contains(f, e.Query) {
				items = append(items, files.Item{Value: f, Name: filepath.Base(f), Path: f})
			}
		}
		h.apply(ui.FilesFound{Token: e.Token, Items: items})
	case ui.Completed:
		h.completed++
	}
}

func (h *host) save(file func() error, local func(settings.Settings) settings.Settings) {
	if h.store == nil {
		h.apply(ui.Saved{Settings: local(h.state.Settings())})
		return
	}
	_ = file() // what went wrong is among the notices
	h.apply(ui.Saved{Settings: h.store.Current(), Notices: h.store.Notices()})
}

func (h *host) readClipboard(token int) ui.Msg {
	switch h.clipboard {
	case "", "empty":
		return ui.ClipboardRead{Token: token, Err: clipboard.ErrEmpty}
	case "unavailable":
		return ui.ClipboardRead{Token: token, Err: clipboard.ErrUnavailable}
	}
	return ui.ClipboardRead{Token: token, Images: []ask.Image{{ID: h.clipboard, MimeType: "image/png", Data: "AA=="}}}
}

// step plays one step of a script: a key id, a character, text:…, paste:…,
// clipboard:…, wait:<ms>, size:WxH, hold:<key> (a press and five repeats),
// repeat:<key> (one repeat), mounted, overlay (the host opens it) or abort.
func (h *host) step(s string) {
	h.t.Helper()
	kind, value, _ := strings.Cut(s, ":")
	switch {
	case s == "abort":
		h.apply(ui.Abort{})
	case kind == "text" && s != "text":
		for _, r := range value {
			h.apply(ui.Key{Text: string(r)})
		}
	case kind == "paste" && s != "paste":
		h.apply(ui.Paste{Text: value})
	case kind == "clipboard" && value != "":
		h.clipboard = value
	case kind == "wait" && value != "":
		var ms int
		if _, err := fmt.Sscan(value, &ms); err != nil {
			h.t.Fatal(err)
		}
		h.now += time.Duration(ms) * time.Millisecond
		h.apply(ui.Tick{})
	case kind == "hold" && value != "":
		h.step(value)
		for range 5 {
			h.step("repeat:" + value)
		}
	case kind == "repeat" && value != "":
		k := keyFor(value)
		k.Repeat = true
		h.apply(k)
	case s == "mounted":
		h.apply(ui.Mounted{})
	case s == "overlay":
		h.apply(ui.OpenSettings{})
	case kind == "size" && value != "":
		var w, r int
		if _, err := fmt.Sscanf(value, "%dx%d", &w, &r); err != nil {
			h.t.Fatal(err)
		}
		h.resize(w, r)
	default:
		h.apply(keyFor(s))
	}
}

// keyFor is the press of a key id or a character.
func keyFor(s string) ui.Key {
	switch {
	case len([]rune(s)) == 1:
		return ui.Key{ID: s, Text: s}
	case s == "space":
		return ui.Key{ID: s, Text: " "}
	}
	return ui.Key{ID: s}
}

// steps plays a script of steps.
func (h *host) steps(steps ...string) *host {
	h.t.Helper()
	for _, s := range steps {
		h.step(s)
	}
	return h
}

func (h *host) grid() *paint.Grid {
	g := new(paint.Grid)
	g.Fill(h.state.Frame(), nil)
	return g
}

// text is the frame without styles, blanks at the ends cut.
func (h *host) text() []string {
	lines := h.grid().Text()
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

func (h *host) ansi() []string { return h.grid().Lines(h.theme, paint.TrueColor) }
