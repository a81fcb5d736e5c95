package settings_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

func TestABurstOfChangesIsReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		changed := make(chan struct{}, 1)
		start := time.Now()
		var reads []time.Duration
		done := make(chan struct{})
		go func() {
			defer close(done)
			settings.Settle(ctx, changed, func() { reads = append(reads, time.Since(start)) })
		}()
		for range 5 { // five changes 50 ms apart, the last one after 200 ms
			changed <- struct{}{}
			time.Sleep(settings.SettleTime / 2)
		}
		time.Sleep(10*time.Second - time.Since(start))
		for range 100 { // and a flood of five seconds
			changed <- struct{}{}
			time.Sleep(settings.SettleTime / 2)
		}
		cancel()
		<-done
		want := []time.Duration{200*time.Millisecond + settings.SettleTime}
		if len(reads) == 0 || reads[0] != want[0] {
			t.Fatalf("reads at %v, want the first at %v", reads, want)
		}
		if flood := len(reads) - 1; flood < 4 || flood > 5 {
			t.Errorf("%d reads in a flood of 5 s: %v", flood, reads)
		}
	})
}

// watched runs a watch for the length of a test.
type watched struct {
	store   *settings.Store
	heard   chan settings.Settings
	noticed chan settings.Notice
}

func watch(t *testing.T, path string) watched {
	t.Helper()
	w := watched{heard: make(chan settings.Settings, 100), noticed: make(chan settings.Notice, 100)}
	w.store = settings.Open(path, &settings.Options{OnNotice: func(n settings.Notice) { w.noticed <- n }})
	w.store.Load()
	unsubscribe := w.store.Subscribe(func(s settings.Settings) { w.heard <- s })
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { w.store.Watch(ctx) })
	t.Cleanup(func() { cancel(); wg.Wait(); unsubscribe() })
	return w
}

// next waits for something that must come.
func next[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

// swap replaces a file as careful editors do.
func swap(t *testing.T, path, content string) {
	t.Helper()
	must(t, os.WriteFile(path+"~", []byte(content), 0o644))
	must(t, os.Rename(path+"~", path))
}

func TestEditsOfTheFileComeIntoForce(t *testing.T) {
	path := fileWith(t, `{"schemaVersion":5}`)
	w := watch(t, path)
	swap(t, path, `{"schemaVersion":5,"behaviour":{"showFooterHints":false}}`)
	if got := next(t, w.heard); got.Behaviour.ShowFooterHints {
		t.Errorf("heard %+v", got.Behaviour)
	}
	// An edit in place is seen too.
	must(t, os.WriteFile(path, []byte(`{"schemaVersion":5,"behaviour":{"presentSingleAsMulti":true}}`), 0o644))
	if got := next(t, w.heard); !got.Behaviour.ShowFooterHints || !got.Behaviour.PresentSingleAsMulti {
		t.Errorf("heard %+v", got.Behaviour)
	}
}

func TestABadEditKeepsTheSettings(t *testing.T) {
	path := fileWith(t, `{"schemaVersion":5,"behaviour":{"showFooterHints":false}}`)
	w := watch(t, path)
	for _, c := range []struct{ text, kind, want string }{
		{`{`, "invalid", "The settings file is invalid or has an unsupported version. The settings stay as they were; the file was not changed. Fix it."},
		{`{"schemaVersion":0}`, "migration", "The settings file could not be migrated. The settings stay as they were; the file was not changed. Fix it."},
	} {
		swap(t, path, c.text)
		if got := next(t, w.noticed); string(got.Kind) != c.kind || got.Text != c.want {
			t.Errorf("noticed %v", got)
		}
		if w.store.Current().Behaviour.ShowFooterHints || !slices.Equal(kinds(w.store.Notices()), []string{c.kind}) {
			t.Errorf("in force: %+v, %v", w.store.Current().Behaviour, w.store.Notices())
		}
	}
	swap(t, path, `{"schemaVersion":5}`)
	if got := next(t, w.heard); !got.Behaviour.ShowFooterHints || len(w.store.Notices()) > 0 {
		t.Errorf("after the repair: %+v, %v", got.Behaviour, w.store.Notices())
	}
}

func TestBadKeymapsInAnEditKeepTheKeymapsOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pi-agent-ask.json")
	mine, err := settings.DefaultKeymaps().With(settings.ContextMain, settings.ActionCancel, "q")
	must(t, err)
	data, err := mine.MarshalJSON()
	must(t, err)
	must(t, os.WriteFile(path, []byte(`{"schemaVersion":5,"keymaps":`+string(data)+`}`), 0o644))
	w := watch(t, path)
	swap(t, path, `{"schemaVersion":5,"keymaps":{},"behaviour":{"showFooterHints":false}}`)
	got := next(t, w.heard)
	if got.Behaviour.ShowFooterHints || got.Keymaps.Label(settings.ContextMain, settings.ActionCancel) != "Q" {
		t.Errorf("heard %+v", got)
	}
	want := "No keys for global. The keymaps stay as they were. Fix the settings file."
	if n := next(t, w.noticed); n.Text != want {
		t.Error(n)
	}
	must(t, w.store.Set(settings.AutoSubmit, true))
	if n := w.store.Notices(); len(n) != 1 || n[0].Text != want {
		t.Errorf("after a save: %v", n)
	}
	if label := w.store.Current().Keymaps.Label(settings.ContextMain, settings.ActionCancel); label != "Q" {
		t.Errorf("after a save cancel is %s", label)
	}
}

func TestOwnSavesAreNotHeardTwice(t *testing.T) {
	path := fileWith(t, `{"schemaVersion":5}`)
	w := watch(t, path)
	must(t, w.store.Set(settings.ShowFooterHints, false))
	next(t, w.heard)
	swap(t, path, `{"schemaVersion":5,"behaviour":{"autoSubmitWhenAnsweredWithoutNotes":true}}`)
	if got := next(t, w.heard); !got.Behaviour.AutoSubmitWhenAnsweredWithoutNotes {
		t.Errorf("heard its own save: %+v", got.Behaviour)
	}
}

func TestWatchFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"a", "b", "ext"} {
		must(t, os.Mkdir(filepath.Join(dir, d), 0o755))
	}
	for _, f := range []string{"a/x.json", "b/x.json"} {
		must(t, os.WriteFile(filepath.Join(dir, f), []byte(`{"schemaVersion":5}`), 0o644))
	}
	path := filepath.Join(dir, "ext", "pi-agent-ask.json")
	must(t, os.Symlink("../a/x.json", path))
	w := watch(t, path)
	swap(t, filepath.Join(dir, "a", "x.json"), `{"schemaVersion":5,"behaviour":{"showFooterHints":false}}`)
	if got := next(t, w.heard); got.Behaviour.ShowFooterHints {
		t.Errorf("heard %+v", got.Behaviour)
	}
	must(t, os.Symlink("../b/x.json", path+"~"))
	must(t, os.Rename(path+"~", path))
	if got := next(t, w.heard); !got.Behaviour.ShowFooterHints {
		t.Errorf("heard %+v", got.Behaviour)
	}
	swap(t, filepath.Join(dir, "b", "x.json"), `{"schemaVersion":5,"behaviour":{"presentSingleAsMulti":true}}`)
	if got := next(t, w.heard); !got.Behaviour.PresentSingleAsMulti {
		t.Errorf("heard %+v", got.Behaviour)
	}
}

func TestWatchSurvivesTheLossOfTheDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ext", "pi-agent-ask.json")
	w := watch(t, path)
	must(t, os.RemoveAll(filepath.Dir(path)))
	must(t, os.Mkdir(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(`{"schemaVersion":5,"behaviour":{"showFooterHints":false}}`), 0o644))
	if got := next(t, w.heard); got.Behaviour.ShowFooterHints {
		t.Errorf("heard %+v", got.Behaviour)
	}
	swap(t, path, `{"schemaVersion":5}`)
	if got := next(t, w.heard); !got.Behaviour.ShowFooterHints {
		t.Errorf("heard %+v", got.Behaviour)
	}
}
