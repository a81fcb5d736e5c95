package settings_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

const oldFile = "{\n  \"schemaVersion\": 5,\n  \"mine\": 1\n}\n"

// names lists a directory.
func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// Every operation of a save fails once, the first, the second and so on.
func TestASaveThatFailsAtAnyPointLeavesTheOldFile(t *testing.T) {
	var order []string
	for k := 0; ; k++ {
		path := fileWith(t, oldFile)
		count, failed := 0, ""
		armed := false
		store := settings.Open(path, settings.Troubled(func(operation, _ string) error {
			if !armed {
				return nil
			}
			count++
			if count == k+1 {
				failed = operation
				return &fs.PathError{Op: operation, Path: path, Err: syscall.EIO}
			}
			return nil
		}))
		store.Load()
		armed = true
		err := store.Set(settings.ShowFooterHints, false)
		if failed == "" {
			must(t, err)
			break
		}
		order = append(order, failed)
		saved := content(t, path) != oldFile
		switch {
		case failed == "syncdir": // the new file is there by then
			if err != nil || !saved {
				t.Errorf("%s: %v, saved: %v", failed, err, saved)
			}
		case err == nil || saved || store.Current().Behaviour.ShowFooterHints == false:
			t.Errorf("%s: %v, saved: %v, in force: %+v", failed, err, saved, store.Current().Behaviour)
		}
		var notice settings.Notice
		if errors.As(err, &notice) && notice.Kind == settings.NoticeSaveFailed && !strings.HasSuffix(notice.Text, " input/output error") {
			t.Errorf("%s: %v", failed, err)
		}
		if got := names(t, filepath.Dir(path)); len(got) != 1 {
			t.Errorf("%s: left behind %q", failed, got)
		}
		armed = false
		must(t, store.Set(settings.ShowFooterHints, false))
		if len(store.Notices()) > 0 || store.Current().Behaviour.ShowFooterHints {
			t.Errorf("%s: the next save does not help: %v", failed, store.Notices())
		}
	}
	want := []string{"resolve", "mkdir", "read", "stat", "create", "write", "chmod", "sync", "close", "rename", "syncdir"}
	if !slices.Equal(order, want) {
		t.Errorf("operations %q, want %q", order, want)
	}
}

const (
	saverVariable  = "SETTINGS_TEST_SAVER"  // path of the file to save
	switchVariable = "SETTINGS_TEST_SWITCH" // switch to toggle
	crashVariable  = "SETTINGS_TEST_CRASH"  // operation at which to die
)

// runSaver is what this test binary does as a second process.
func runSaver(path string) {
	crash := os.Getenv(crashVariable)
	store := settings.Open(path, settings.Troubled(func(operation, _ string) error {
		if operation == crash {
			os.Exit(9)
		}
		return nil
	}))
	times := savesPerProcess
	if crash != "" {
		times = 1
	}
	for range times {
		if err := store.Toggle(settings.Setting(os.Getenv(switchVariable))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// savesPerProcess is odd, so that every switch ends up turned over.
const savesPerProcess = 201

func saver(t *testing.T, path string, name settings.Setting, crash string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), saverVariable+"="+path, switchVariable+"="+string(name), crashVariable+"="+crash)
	return cmd
}

func TestAProcessThatDiesWhileSavingLeavesTheOldFile(t *testing.T) {
	for _, operation := range []string{"stat", "create", "write", "chmod", "sync", "close", "rename", "syncdir"} {
		path := fileWith(t, oldFile)
		err := saver(t, path, settings.ShowFooterHints, operation).Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 9 {
			t.Fatalf("%s: %v", operation, err)
		}
		if saved := content(t, path) != oldFile; saved != (operation == "syncdir") {
			t.Errorf("%s: saved: %v", operation, saved)
		}
		// What a dead process left is cleared away by a later save.
		for _, name := range names(t, filepath.Dir(path)) {
			past := time.Now().Add(-time.Hour)
			must(t, os.Chtimes(filepath.Join(filepath.Dir(path), name), past, past))
		}
		must(t, settings.Open(path, nil).Set(settings.AutoSubmit, true))
		if got := names(t, filepath.Dir(path)); len(got) != 1 {
			t.Errorf("%s: left behind %q", operation, got)
		}
	}
}

func TestTwoProcessesSaveAtOnce(t *testing.T) {
	path := fileWith(t, oldFile)
	switches := []settings.Setting{settings.ShowFooterHints, settings.AutoSubmit}
	var wg sync.WaitGroup
	for _, name := range switches {
		wg.Go(func() {
			if out, err := saver(t, path, name, "").CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		if _, notices := settings.Parse([]byte(content(t, path))); len(notices) > 0 {
			t.Fatalf("a torn file: %v", notices)
		}
	}
	got, _ := settings.Open(path, nil).Load()
	for _, name := range switches {
		if got.Get(name) == settings.Default().Get(name) {
			t.Errorf("a change of %s was lost", name)
		}
	}
	checkPaths(t, "file", tree(t, []byte(content(t, path))), map[string]any{"mine": 1.0})
	if got := names(t, filepath.Dir(path)); len(got) != 1 {
		t.Errorf("left behind %q", got)
	}
}

// Whatever lies in the file's place, loading and toggling end with a notice,
// and it stays.
func TestThingsThatAreNoSettingsFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs the special files of Unix")
	}
	link := func(to string) func(string) error { return func(path string) error { return os.Symlink(to, path) } }
	for _, c := range []struct {
		name   string
		make   func(path string) error
		reason string
	}{
		{"a directory", func(p string) error { return os.Mkdir(p, 0o755) }, "is a directory"},
		{"a FIFO", func(p string) error { return mkfifo(p) }, "not a regular file"},
		{"a device", link("/dev/zero"), "not a regular file"},
		{"a link to itself", link("pi-agent-ask.json"), "too many levels of symbolic links"},
		{"100 MB", func(p string) error {
			if err := os.WriteFile(p, nil, 0o644); err != nil {
				return err
			}
			return os.Truncate(p, 100<<20)
		}, "larger than 1024 KiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pi-agent-ask.json")
			must(t, c.make(path))
			before, err := os.Lstat(path)
			must(t, err)
			store := settings.Open(path, nil)
			_, notices := store.Load()
			want := "The settings file could not be read (" + c.reason + "). Defaults are used for this session."
			if len(notices) != 1 || notices[0].Text != want {
				t.Errorf("got %v, want %s", notices, want)
			}
			if err := store.Toggle(settings.ShowFooterHints); err == nil || !store.Current().Behaviour.ShowFooterHints {
				t.Errorf("toggled: %v", err)
			}
			if c.name != "100 MB" {
				if err := store.Reset(); err == nil {
					t.Error("it was replaced")
				}
			}
			if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) || after.Mode() != before.Mode() {
				t.Errorf("it is not what it was: %v", err)
			}
			if got := names(t, filepath.Dir(path)); len(got) != 1 {
				t.Errorf("left behind %q", got)
			}
		})
	}
}

func TestAReadOnlyFileIsNotReplaced(t *testing.T) {
	path := fileWith(t, oldFile)
	must(t, os.Chmod(path, 0o444))
	store := settings.Open(path, nil)
	var notice settings.Notice
	if err := store.Toggle(settings.ShowFooterHints); !errors.As(err, &notice) || notice.Kind != settings.NoticeSaveFailed {
		t.Errorf("got %v", err)
	}
	if content(t, path) != oldFile || !store.Current().Behaviour.ShowFooterHints {
		t.Error("something was applied")
	}
}

func TestSaveThroughLinks(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"real/a", "real/b", "home"} {
		must(t, os.MkdirAll(filepath.Join(dir, d), 0o755))
	}
	// home/ext is a link to a directory, whose file is a relative link seen
	// from the real place of that directory, to a file that is not there yet.
	must(t, os.Symlink("../real/a", filepath.Join(dir, "home", "ext")))
	must(t, os.Symlink("../b/second.json", filepath.Join(dir, "real", "a", "pi-agent-ask.json")))
	must(t, os.Symlink("third.json", filepath.Join(dir, "real", "b", "second.json")))
	store := settings.Open(filepath.Join(dir, "home", "ext", "pi-agent-ask.json"), nil)
	if _, notices := store.Load(); len(notices) > 0 {
		t.Fatal(notices)
	}
	must(t, store.Set(settings.ShowFooterHints, false))
	for name, link := range map[string]bool{"real/a/pi-agent-ask.json": true, "real/b/second.json": true, "real/b/third.json": false} {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil || (info.Mode()&fs.ModeSymlink != 0) != link {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	checkPaths(t, "file", tree(t, []byte(content(t, filepath.Join(dir, "real/b/third.json")))), map[string]any{"behaviour.showFooterHints": false})
}

func TestOddPaths(t *testing.T) {
	for _, name := range []string{"a[b]*?", "with blank", "ünï\u202e"} {
		path := filepath.Join(t.TempDir(), name, name+".json")
		store := settings.Open(path, nil)
		must(t, store.Set(settings.ShowFooterHints, false))
		stale := filepath.Join(filepath.Dir(path), "."+name+".json.123.tmp")
		must(t, os.WriteFile(stale, nil, 0o600))
		must(t, os.Chtimes(stale, time.Unix(1, 0), time.Unix(1, 0)))
		must(t, store.Set(settings.ShowFooterHints, true))
		if got := names(t, filepath.Dir(path)); len(got) != 1 {
			t.Errorf("left behind %q", got)
		}
	}
}

func TestModeIsKept(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o664} {
		path := fileWith(t, oldFile)
		must(t, os.Chmod(path, mode))
		must(t, settings.Open(path, nil).Toggle(settings.ShowFooterHints))
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s became %v, %v", strconv.FormatUint(uint64(mode), 8), info.Mode(), err)
		}
	}
}
