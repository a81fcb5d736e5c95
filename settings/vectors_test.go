package settings_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask/asktest"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// tree returns a value as plain JSON.
func tree(t testing.TB, v any) any {
	t.Helper()
	data, ok := v.([]byte)
	if !ok {
		var err error
		if data, err = json.Marshal(v); err != nil {
			t.Fatal(err)
		}
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return out
}

// at follows a dotted path.
func at(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// checkPaths compares the values at dotted paths.
func checkPaths(t *testing.T, what string, got any, want map[string]any) {
	t.Helper()
	for path, value := range want {
		if have := at(got, path); !reflect.DeepEqual(have, value) {
			t.Errorf("%s: %s is %v, want %v", what, path, have, value)
		}
	}
}

func kinds(notices []settings.Notice) []string {
	out := []string{}
	for _, n := range notices {
		out = append(out, string(n.Kind))
	}
	slices.Sort(out)
	return out
}

// configFile is a settings file as the vectors describe it.
type configFile struct {
	File       json.RawMessage
	Text       *string
	Absent     bool
	Unreadable bool
	Symlink    bool
	Mode       string
	SaveFails  bool
}

// put creates the file and returns its path and its content.
func (c configFile) put(t *testing.T) (path string, content []byte) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "extensions", "pi-agent-ask.json")
	if c.Absent {
		return path, nil
	}
	must(t, os.Mkdir(filepath.Dir(path), 0o755))
	if c.Unreadable {
		must(t, os.Mkdir(path, 0o755))
		return path, nil
	}
	content = []byte(c.File)
	if c.Text != nil {
		content = []byte(*c.Text)
	}
	mode := uint64(0o644)
	if c.Mode != "" {
		var err error
		mode, err = strconv.ParseUint(c.Mode, 8, 32)
		must(t, err)
	}
	real := path
	if c.Symlink {
		must(t, os.Mkdir(filepath.Join(dir, "dotfiles"), 0o755))
		real = filepath.Join(dir, "dotfiles", "ask.json")
		must(t, os.Symlink("../dotfiles/ask.json", path))
	}
	must(t, os.WriteFile(real, content, 0o644))
	must(t, os.Chmod(real, fs.FileMode(mode)))
	return path, content
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestConfigVectors(t *testing.T) {
	for _, file := range asktest.Files(t, asktest.Settings) {
		var vectors struct {
			ConfigCases []struct {
				configFile
				ID            string
				Loaded        map[string]any
				Notice        *string
				KeymapError   *keymapFault
				FileUnchanged bool
				FileAfterHas  map[string]any
			}
		}
		must(t, json.Unmarshal(file.Data, &vectors))
		for _, c := range vectors.ConfigCases {
			t.Run(file.Name+"/"+c.ID, func(t *testing.T) {
				path, before := c.put(t)
				got, notices := settings.Open(path, nil).Load()

				want := tree(t, settings.Default())
				for path, value := range c.Loaded {
					section, field := path[:strings.LastIndexByte(path, '.')], path[strings.LastIndexByte(path, '.')+1:]
					at(want, section).(map[string]any)[field] = value
				}
				if have := tree(t, got); !reflect.DeepEqual(have, want) {
					t.Errorf("loaded %v\nwant   %v", have, want)
				}
				wantKinds := []string{}
				if c.Notice != nil {
					wantKinds = append(wantKinds, *c.Notice)
				}
				if have := kinds(notices); !slices.Equal(have, wantKinds) {
					t.Errorf("notices %v, want %v", notices, wantKinds)
				}
				if c.KeymapError != nil && len(notices) == 1 {
					checkKeymapFault(t, notices[0], c.KeymapError)
				}
				if c.Unreadable {
					return
				}
				after, err := os.ReadFile(path)
				must(t, err)
				if c.FileUnchanged && string(after) != string(before) {
					t.Errorf("the file became %s", after)
				}
				if c.FileAfterHas != nil {
					checkPaths(t, "file", tree(t, after), c.FileAfterHas)
				}
			})
		}
	}
}

// overlay plays the settings overlay: it sets what the user presses.
type overlay struct {
	t     *testing.T
	store *settings.Store
	fails atomic.Bool
	save  sync.WaitGroup

	guard settings.ResetGuard
	now   time.Time
}

// do plays one press, or what happens between two. The save runs on its own,
// as in a form.
func (o *overlay) do(action string) {
	verb, arg, _ := strings.Cut(action, ":")
	switch verb {
	case "toggle":
		o.guard.Disarm()
		o.save.Go(func() { o.store.Toggle(settings.Setting(arg)) })
	case "reset":
		if o.guard.Press(o.now) {
			o.save.Go(func() { o.store.Reset() })
		}
	case "wait":
		ms, err := strconv.Atoi(arg)
		must(o.t, err)
		o.now = o.now.Add(time.Duration(ms) * time.Millisecond)
	case "edit":
		must(o.t, os.WriteFile(o.store.Path(), []byte(arg), 0o644))
	case "allowSave":
		o.fails.Store(false)
	default:
		o.t.Fatalf("unknown action %q", action)
	}
}

func TestSaveVectors(t *testing.T) {
	for _, file := range asktest.Files(t, asktest.Settings) {
		var vectors struct {
			SaveCases []struct {
				ID         string
				Before     configFile
				Actions    []string
				Concurrent bool
				Expect     struct {
					FileText     *string
					FileHas      map[string]any
					Applied      map[string]any
					Notices      []string
					ResetArmed   bool
					StillSymlink bool
					Mode         string
				}
			}
		}
		must(t, json.Unmarshal(file.Data, &vectors))
		for _, c := range vectors.SaveCases {
			t.Run(file.Name+"/"+c.ID, func(t *testing.T) {
				path, _ := c.Before.put(t)
				o := &overlay{t: t, now: time.Unix(0, 0)}
				o.fails.Store(c.Before.SaveFails)
				o.store = settings.Open(path, settings.Troubled(func(operation, _ string) error {
					if operation == "write" && o.fails.Load() {
						return syscall.ENOSPC
					}
					return nil
				}))
				o.store.Load()
				for _, action := range c.Actions {
					o.do(action)
					if !c.Concurrent {
						o.save.Wait()
					}
				}
				o.save.Wait()

				want := c.Expect
				slices.Sort(want.Notices)
				if have := kinds(o.store.Notices()); !slices.Equal(have, want.Notices) {
					t.Errorf("notices %v, want %v", have, want.Notices)
				}
				checkPaths(t, "applied", tree(t, o.store.Current()), want.Applied)
				if armed := o.guard.Armed(o.now); armed != want.ResetArmed {
					t.Errorf("reset armed: %v", armed)
				}
				if info, err := os.Lstat(path); want.StillSymlink && (err != nil || info.Mode()&fs.ModeSymlink == 0) {
					t.Errorf("the link is gone: %v, %v", info, err)
				}
				if c.Before.Unreadable {
					return
				}
				after, err := os.ReadFile(path)
				must(t, err)
				if want.FileText != nil && string(after) != *want.FileText {
					t.Errorf("the file is %q, want %q", after, *want.FileText)
				}
				if want.FileHas != nil {
					checkPaths(t, "file", tree(t, after), want.FileHas)
				}
				if info, err := os.Stat(path); want.Mode != "" && (err != nil || fmt.Sprintf("%04o", info.Mode().Perm()) != want.Mode) {
					t.Errorf("mode %v, %v; want %s", info.Mode(), err, want.Mode)
				}
			})
		}
	}
}
