package settings_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(saverVariable); path != "" {
		runSaver(path)
		return
	}
	goleak.VerifyTestMain(m)
}

// fileWith returns the path of a settings file with a content.
func fileWith(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pi-agent-ask.json")
	must(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

func content(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}

const defaultFile = `{
  "schemaVersion": 5,
  "behaviour": {
    "autoSubmitWhenAnsweredWithoutNotes": false,
    "confirmDismissWhenDirty": true,
    "doublePressReviewShortcuts": true,
    "presentSingleAsMulti": false,
    "showFooterHints": true
  },
  "keymaps": {
    "global": {
      "dismiss": [
        "ctrl+c"
      ],
      "settings": [
        "?"
      ]
    },
`

func TestFirstUseWritesTheDefaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "extensions", "pi-agent-ask.json")
	store := settings.Open(path, nil)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal("Open touched the disk")
	}
	if got, notices := store.Load(); len(notices) > 0 || !reflect.DeepEqual(got, settings.Default()) {
		t.Errorf("got %+v, %v", got, notices)
	}
	text := content(t, path)
	if !strings.HasPrefix(text, defaultFile) || !strings.HasSuffix(text, "  }\n}\n") {
		t.Errorf("the file is\n%s", text)
	}
	if again, notices := settings.Open(path, nil).Load(); len(notices) > 0 || !reflect.DeepEqual(again, settings.Default()) {
		t.Errorf("read back: %+v, %v", again, notices)
	}
}

func TestFirstUseThatCannotWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "pi-agent-ask.json")
	store := settings.Open(path, settings.Troubled(func(operation, _ string) error {
		if operation == "mkdir" {
			return &fs.PathError{Op: "mkdir", Path: "a", Err: syscall.EROFS}
		}
		return nil
	}))
	got, notices := store.Load()
	want := "Could not save the settings to " + path + ". If the file is read-only or managed elsewhere, edit it there and run /reload. read-only file system"
	if len(notices) != 1 || notices[0].Text != want || !errors.Is(notices[0], syscall.EROFS) || !reflect.DeepEqual(got, settings.Default()) {
		t.Errorf("got %v", notices)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("there is a file")
	}
}

func TestNoticeTexts(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"no JSON", `{`, "The settings file is invalid or has an unsupported version. Defaults are used for this session; the file was not changed. Fix it and run /reload."},
		{"version 0", `{"schemaVersion":0}`, "The settings file could not be migrated. Defaults are used for this session; the file was not changed. Fix it and run /reload."},
		{"bad keymaps", `{"schemaVersion":5,"keymaps":[]}`, "keymaps is not an object. Default keymaps are used for this session. Fix the settings file and run /reload."},
	} {
		if _, notices := settings.Open(fileWith(t, c.file), nil).Load(); len(notices) != 1 || notices[0].Text != c.want {
			t.Errorf("%s: %v", c.name, notices)
		}
	}
	_, notices := settings.Open(t.TempDir(), nil).Load()
	if want := "The settings file could not be read (is a directory). Defaults are used for this session."; len(notices) != 1 || notices[0].Text != want {
		t.Error(notices)
	}
	store := settings.Open(fileWith(t, `{`), nil)
	err := store.Set(settings.ShowFooterHints, false)
	if want := "The settings file is invalid, so it is not overwritten. Fix it, or use the reset action."; err == nil || err.Error() != want {
		t.Error(err)
	}
}

func TestWhichFilesAreAccepted(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"version 5.0", `{"schemaVersion":5.0}`, ""},
		{"version 5e0", `{"schemaVersion":5e0}`, ""},
		{"version 4.5", `{"schemaVersion":4.5}`, "invalid"},
		{"version 0.5", `{"schemaVersion":0.5}`, "invalid"},
		{"version -1", `{"schemaVersion":-1}`, "migration"},
		{"version 1e999", `{"schemaVersion":1e999}`, "invalid"},
		{"version null", `{"schemaVersion":null}`, "invalid"},
		{"version true", `{"schemaVersion":true}`, "invalid"},
		{"another spelling of a known field", `{"schemaVersion":5,"Behaviour":7,"behaviour":{"ShowFooterHints":7}}`, ""},
		{"behaviour null", `{"schemaVersion":5,"behaviour":null}`, "invalid"},
		{"behaviour a list", `{"schemaVersion":5,"behaviour":[]}`, "invalid"},
		{"a switch null", `{"schemaVersion":5,"behaviour":{"showFooterHints":null}}`, "invalid"},
		{"a switch 1", `{"schemaVersion":5,"notifications":{"enabled":1}}`, "invalid"},
		{"notifications text", `{"schemaVersion":5,"notifications":"no"}`, "invalid"},
		{"channels null", `{"schemaVersion":5,"notifications":{"channels":null}}`, ""},
		{"channels text", `{"schemaVersion":5,"notifications":{"channels":"bell"}}`, ""},
		{"old file with behaviour of a wrong type", `{"schemaVersion":4,"behaviour":7}`, "invalid"},
		{"old file with keymaps of a wrong type", `{"schemaVersion":1,"keymaps":7}`, "keymaps"},
		{"old file with main of a wrong type", `{"schemaVersion":3,"keymaps":{"main":7,"global":{}}}`, "keymaps"},
		{"a wrong type and bad keymaps", `{"schemaVersion":5,"behaviour":7,"keymaps":7}`, "invalid"},
		{"keymaps null", `{"schemaVersion":5,"keymaps":null}`, "keymaps"},
		{"blanks around", " \r\n{\t\"schemaVersion\" :\t5 }\n", ""},
		{"something behind", `{"schemaVersion":5} x`, "invalid"},
		{"comments", `{"schemaVersion":5 /* five */}`, "invalid"},
		{"empty", ``, "invalid"},
		{"a byte order mark", "\ufeff" + `{"schemaVersion":5}`, "invalid"},
		{"NUL bytes", strings.Repeat("\x00", 512), "invalid"},
		{"a NUL in text", "{\"schemaVersion\":5,\"a\":\"\x00\"}", "invalid"},
		{"invalid UTF-8", "{\"schemaVersion\":5,\"a\":\"\xff\"}", "invalid"},
		{"UTF-16", "{\x00\"\x00", "invalid"},
		{"a lone surrogate escape", `{"schemaVersion":5,"a":"\ud800"}`, ""},
		{"a name twice", `{"schemaVersion":5,"behaviour":{},"behaviour":{}}`, "invalid"},
		{"a name twice, spelled differently", `{"schemaVersion":5,"\u0062ehaviour":{},"behaviour":{}}`, "invalid"},
		{"a name twice, far below", `{"schemaVersion":5,"x":[{"a":{"b":1,"b":2}}]}`, "invalid"},
		{"the same name in two objects", `{"schemaVersion":5,"x":[{"a":1},{"a":["a","a"]}],"a":1}`, ""},
		{"nested too deeply", `{"schemaVersion":5,"x":` + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000) + `}`, "invalid"},
		{"nested deeply", `{"schemaVersion":5,"x":` + strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000) + `}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := fileWith(t, c.file)
			got, notices := settings.Open(path, nil).Load()
			want := []string{}
			if c.want != "" {
				want = append(want, c.want)
			}
			if have := kinds(notices); !slices.Equal(have, want) {
				t.Errorf("notices %v, want %v", have, want)
			}
			if !reflect.DeepEqual(got, settings.Default()) {
				t.Errorf("settings %+v", got)
			}
			if content(t, path) != c.file {
				t.Error("the file was changed")
			}
		})
	}
}

func TestSaveKeepsWhatItDoesNotKnow(t *testing.T) {
	path := fileWith(t, `{
		"zeta": {"b": 1.50, "a": "\u00e9<&>"},
		"notifications": {"sound": "s", "channels": ["pager", {"type": "command", "command": "x", "more": 1}]},
		"al\u0070ha": [],
		"keymaps": {"main": {"confirm": 7}},
		"behaviour": {"future": {"deep": null}, "showFooterHints": true},
		"schemaVersion": 5
	}`)
	store := settings.Open(path, nil)
	must(t, store.Set(settings.ShowFooterHints, false))
	must(t, store.Set(settings.AutoSubmit, true))
	must(t, store.Toggle(settings.NotificationsEnabled))
	want := `{
  "schemaVersion": 5,
  "behaviour": {
    "autoSubmitWhenAnsweredWithoutNotes": true,
    "showFooterHints": false,
    "future": {
      "deep": null
    }
  },
  "keymaps": {
    "main": {
      "confirm": 7
    }
  },
  "notifications": {
    "enabled": false,
    "channels": [
      "pager",
      {
        "type": "command",
        "command": "x",
        "more": 1
      }
    ],
    "sound": "s"
  },
  "zeta": {
    "b": 1.50,
    "a": "\u00e9<&>"
  },
  "al\u0070ha": []
}
`
	if got := content(t, path); got != want {
		t.Errorf("the file is\n%s", got)
	}
	current := store.Current()
	if current.Behaviour.ShowFooterHints || !current.Behaviour.AutoSubmitWhenAnsweredWithoutNotes || current.Notifications.Enabled {
		t.Errorf("in force: %+v", current)
	}
	if got := current.Notifications.Channels; !reflect.DeepEqual(got, []settings.Channel{{Kind: "command", Command: "x"}}) {
		t.Errorf("channels %+v", got)
	}
}

func TestSaveWritesAnOldFileAsTheNewVersion(t *testing.T) {
	path := fileWith(t, `{"schemaVersion":1,"keymaps":{"cancel":"q","future":1,"dismiss":["x"]},"mine":true}`)
	must(t, settings.Open(path, nil).Set(settings.ConfirmDismissWhenDirty, false))
	got := tree(t, []byte(content(t, path)))
	checkPaths(t, "file", got, map[string]any{
		"schemaVersion":                     5.0,
		"mine":                              true,
		"behaviour.presentSingleAsMulti":    false,
		"behaviour.confirmDismissWhenDirty": false,
		"notifications.enabled":             true,
		"keymaps.future":                    1.0,
		"keymaps.cancel":                    nil,
		"keymaps.main.cancel":               []any{"q"},
		"keymaps.noteEditor.close":          []any{"q"},
		"keymaps.global.dismiss":            []any{"ctrl+c"},
		"keymaps.main.changeQuestionType":   []any{"t"},
	})
	loaded, notices := settings.Open(path, nil).Load()
	if len(notices) > 0 || loaded.Keymaps.Label(settings.ContextEditor, settings.ActionClose) != "Q" {
		t.Errorf("read back: %v", notices)
	}
}

func TestResetKeepsWhatItDoesNotKnow(t *testing.T) {
	for _, c := range []struct {
		name, before string
		want         map[string]any
	}{
		{"a good file", `{"schemaVersion":5,"x":1,"behaviour":{"showFooterHints":false,"y":2},"keymaps":{"main":{"fly":"f","confirm":[]}}}`,
			map[string]any{"x": 1.0, "behaviour.y": 2.0, "behaviour.showFooterHints": true, "keymaps.main.fly": "f", "keymaps.main.confirm": []any{"enter"}}},
		{"a file of the future", `{"schemaVersion":6,"x":1,"behaviour":"all"}`,
			map[string]any{"x": 1.0, "behaviour.showFooterHints": true}},
		{"no JSON", `{"x":1`, map[string]any{"x": nil}},
		{"a list", `[1]`, map[string]any{"behaviour.showFooterHints": true}},
		{"far too large", `{"schemaVersion":5,"x":"` + strings.Repeat("x", settings.MaxFileSize) + `"}`, map[string]any{"x": nil}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := fileWith(t, c.before)
			store := settings.Open(path, nil)
			must(t, store.Reset())
			got := tree(t, []byte(content(t, path)))
			checkPaths(t, "file", got, c.want)
			checkPaths(t, "file", got, map[string]any{"schemaVersion": 5.0, "notifications.channels": []any{"bell"}})
			if !reflect.DeepEqual(store.Current(), settings.Default()) || len(store.Notices()) > 0 {
				t.Errorf("in force: %+v, %v", store.Current(), store.Notices())
			}
			if _, notices := settings.Open(path, nil).Load(); len(notices) > 0 {
				t.Errorf("read back: %v", notices)
			}
		})
	}
}

func TestAFileThatBecameBadIsNotOverwritten(t *testing.T) {
	path := fileWith(t, `{"schemaVersion":5,"behaviour":{"showFooterHints":false}}`)
	store := settings.Open(path, nil)
	store.Load()
	must(t, os.WriteFile(path, []byte(`{oops`), 0o644))
	var notice settings.Notice
	if err := store.Set(settings.AutoSubmit, true); !errors.As(err, &notice) || notice.Kind != settings.NoticeNotOverwritten {
		t.Errorf("got %v", err)
	}
	if content(t, path) != `{oops` || store.Current().Behaviour.AutoSubmitWhenAnsweredWithoutNotes || store.Current().Behaviour.ShowFooterHints {
		t.Error("something was applied")
	}
	must(t, os.WriteFile(path, []byte(`{"schemaVersion":5}`), 0o644))
	must(t, store.Set(settings.AutoSubmit, true))
	if now := store.Current(); !now.Behaviour.AutoSubmitWhenAnsweredWithoutNotes || !now.Behaviour.ShowFooterHints || len(store.Notices()) > 0 {
		t.Errorf("the repaired file is not in force: %+v, %v", now.Behaviour, store.Notices())
	}
}

func TestAFileThatIsGoneIsWrittenAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d", "pi-agent-ask.json")
	store := settings.Open(path, nil)
	must(t, store.Set(settings.AutoSubmit, true))
	must(t, os.RemoveAll(filepath.Dir(path)))
	must(t, store.Set(settings.ShowFooterHints, false))
	checkPaths(t, "file", tree(t, []byte(content(t, path))), map[string]any{
		"behaviour.autoSubmitWhenAnsweredWithoutNotes": true,
		"behaviour.showFooterHints":                    false,
	})
}

func TestSetRefusesUnknownNames(t *testing.T) {
	path := fileWith(t, `{"schemaVersion":5}`)
	for _, name := range []settings.Setting{"", "behaviour", "behaviour.colour", "notifications.channels", "schemaVersion"} {
		if err := settings.Open(path, nil).Set(name, true); err == nil {
			t.Errorf("%q was set", name)
		}
	}
	if content(t, path) != `{"schemaVersion":5}` {
		t.Error("the file was changed")
	}
}

func TestReload(t *testing.T) {
	path := fileWith(t, `{"schemaVersion":5}`)
	store := settings.Open(path, nil)
	store.Load()
	var heard []bool
	defer store.Subscribe(func(s settings.Settings) { heard = append(heard, s.Behaviour.ShowFooterHints) })()
	must(t, os.WriteFile(path, []byte(`{"schemaVersion":5,"behaviour":{"showFooterHints":false}}`), 0o644))
	if got, _ := store.Load(); !got.Behaviour.ShowFooterHints {
		t.Error("Load read the file a second time")
	}
	if got, notices := store.Reload(); got.Behaviour.ShowFooterHints || len(notices) > 0 {
		t.Errorf("got %+v, %v", got.Behaviour, notices)
	}
	must(t, os.WriteFile(path, nil, 0o644))
	if got, notices := store.Reload(); !got.Behaviour.ShowFooterHints || !slices.Equal(kinds(notices), []string{"invalid"}) {
		t.Errorf("got %+v, %v", got.Behaviour, notices)
	}
	if !slices.Equal(heard, []bool{false, true}) {
		t.Errorf("heard %v", heard)
	}
}

func TestLoadersShareOneRead(t *testing.T) {
	reads := 0
	store := settings.Open(fileWith(t, `{"schemaVersion":5}`), settings.Troubled(func(operation, _ string) error {
		if operation == "read" {
			reads++
		}
		return nil
	}))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { store.Load() })
	}
	wg.Wait()
	if reads != 1 {
		t.Errorf("%d reads", reads)
	}
}

func TestSubscribersHearEveryChangeInOrder(t *testing.T) {
	store := settings.Open(fileWith(t, `{"schemaVersion":5}`), nil)
	var mu sync.Mutex
	var heard []settings.Settings
	cancel := store.Subscribe(func(s settings.Settings) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, s)
	})
	var wg sync.WaitGroup
	for _, name := range []settings.Setting{settings.AutoSubmit, settings.ShowFooterHints, settings.PresentSingleAsMulti} {
		wg.Go(func() {
			for range 10 {
				if err := store.Toggle(name); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	cancel()
	cancel()
	must(t, store.Toggle(settings.AutoSubmit))
	mu.Lock()
	defer mu.Unlock()
	if len(heard) != 30 {
		t.Fatalf("heard %d changes", len(heard))
	}
	before := settings.Default().Behaviour
	for i, s := range heard {
		changed := 0
		a, b := reflect.ValueOf(before), reflect.ValueOf(s.Behaviour)
		for f := range a.NumField() {
			if a.Field(f).Bool() != b.Field(f).Bool() {
				changed++
			}
		}
		if changed != 1 {
			t.Fatalf("change %d came out of order", i)
		}
		before = s.Behaviour
	}
}

func TestASubscriberMayCallTheStore(t *testing.T) {
	store := settings.Open(fileWith(t, `{"schemaVersion":5}`), nil)
	var heard []bool
	var cancel func()
	cancel = store.Subscribe(func(s settings.Settings) {
		heard = append(heard, s.Behaviour.ShowFooterHints)
		if !s.Behaviour.ShowFooterHints {
			must(t, store.Set(settings.ShowFooterHints, true))
			return
		}
		cancel()
	})
	must(t, store.Set(settings.ShowFooterHints, false))
	must(t, store.Set(settings.ShowFooterHints, false))
	if !slices.Equal(heard, []bool{false, true}) {
		t.Errorf("heard %v", heard)
	}
}

func TestAgentDir(t *testing.T) {
	t.Setenv("HOME", "/users/dev")
	for in, want := range map[string]string{
		"":              "/users/dev/.pi/agent",
		"~":             "/users/dev",
		"~/agent":       "/users/dev/agent",
		"~other":        "~other",
		"/srv/pi":       "/srv/pi",
		"relative/path": "relative/path",
	} {
		t.Setenv("PI_CODING_AGENT_DIR", in)
		if got := settings.AgentDir(); filepath.ToSlash(got) != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	data, err := json.Marshal(settings.Default())
	must(b, err)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		settings.Parse(data)
	}
}

func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		`{"schemaVersion":5}`, `{"schemaVersion":3,"keymaps":{"cancel":"q"}}`, `{"a":1,"a":2}`, "\ufeff{}", `{"schemaVersion":1e400}`,
		`{"schemaVersion":5,"behaviour":{"showFooterHints":false,"x":[]},"notifications":{"channels":["osc9",{"type":"command","command":"c"}]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, notices := settings.Parse(data)
		if len(got.Notifications.Channels) == 0 || got.SchemaVersion != 5 {
			t.Fatalf("incomplete settings %+v", got)
		}
		if _, ok := got.Keymaps.Lookup(settings.ContextMain, "enter"); !ok && len(notices) > 0 {
			t.Fatal("no default keymaps")
		}
		if len(notices) > 0 && notices[0].Kind == settings.NoticeInvalid && len(data)%16 > 0 {
			return // most inputs: the disk would make this slow
		}
		path := fileWith(t, string(data))
		store := settings.Open(path, nil)
		err := store.Toggle(settings.ShowFooterHints)
		usable := !slices.ContainsFunc(notices, func(n settings.Notice) bool { return n.Kind != settings.NoticeKeymaps })
		if (err == nil) != usable {
			t.Fatalf("notices %v, but saving gave %v", notices, err)
		}
		if err != nil {
			if content(t, path) != string(data) {
				t.Fatal("a bad file was changed")
			}
			return
		}
		again, more := settings.Parse([]byte(content(t, path)))
		if !reflect.DeepEqual(again, got.With(settings.ShowFooterHints, !got.Behaviour.ShowFooterHints)) || len(more) != len(notices) {
			t.Fatalf("saved %+v, read %+v", got, again)
		}
	})
}

func Example() {
	dir, _ := os.MkdirTemp("", "agent")
	defer os.RemoveAll(dir)

	store := settings.Open(settings.Path(dir), nil)
	current, notices := store.Load()
	fmt.Println(current.Behaviour.ShowFooterHints, len(notices))

	defer store.Subscribe(func(s settings.Settings) {
		fmt.Println("now", s.Behaviour.ShowFooterHints)
	})()
	if err := store.Set(settings.ShowFooterHints, false); err != nil {
		fmt.Println(err)
	}
	// Output:
	// true 0
	// now false
}

func ExampleParse() {
	_, notices := settings.Parse([]byte(`{"schemaVersion": 5, "keymaps": {}}`))
	fmt.Println(notices[0].Kind, "-", notices[0].Text)
	// Output: keymaps - No keys for global. Default keymaps are used for this session. Fix the settings file and run /reload.
}
