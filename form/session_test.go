package form_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
	"github.com/pi-agent-ask/pi-agent-ask/form"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// clipboardFunc and listerFunc are hosts' own parts.
type clipboardFunc func(context.Context) (ask.Image, error)

func (f clipboardFunc) ReadImage(ctx context.Context) (ask.Image, error) { return f(ctx) }

type listerFunc func(context.Context, string) ([]form.FileItem, error)

func (f listerFunc) Suggest(ctx context.Context, query string) ([]form.FileItem, error) {
	return f(ctx, query)
}

// inline opens the golden form and closes it at the end of the test, when
// nothing of it may run any more.
func inline(t *testing.T, o *form.Options) *form.Inline {
	t.Helper()
	before := goleak.IgnoreCurrent()
	in := form.NewInline(goldenForm(t), o)
	t.Cleanup(func() {
		in.Close()
		in.Close()
		if err := goleak.Find(before); err != nil {
			t.Error(err)
		}
	})
	return in
}

func press(in *form.Inline, ids ...string) {
	for _, id := range ids {
		text := ""
		if len([]rune(id)) == 1 {
			text = id
		}
		in.Key(id, text)
	}
}

func shows(in *form.Inline, text string) bool {
	return strings.Contains(strings.Join(in.Text(80, 40), "\n"), text)
}

// until waits for something that happens beside the form.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

func storeWith(t *testing.T, content string) (*settings.Store, string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pi-agent-ask.json")
	if content != "" {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return settings.Open(name, nil), name
}

func TestAnEditOfTheSettingsFileReachesAnOpenForm(t *testing.T) {
	store, name := storeWith(t, `{"schemaVersion":5,"notifications":{"enabled":false}}`)
	in := inline(t, &form.Options{Settings: store})
	var changed atomic.Int32
	in.OnChange(func() { changed.Add(1) })
	if !shows(in, "T question type") {
		t.Fatal("no hints at the start")
	}
	// The watcher may not be there yet: write until it sees a change.
	for i := 0; shows(in, "T question type"); i++ {
		if i == 100 {
			t.Fatal("the edit does not arrive")
		}
		if err := os.WriteFile(name, []byte(`{"schemaVersion":5,"behaviour":{"showFooterHints":false},"notifications":{"enabled":false}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	if changed.Load() == 0 {
		t.Error("the host was not told")
	}
}

func TestASettingIsSaved(t *testing.T) {
	store, name := storeWith(t, "")
	in := inline(t, &form.Options{Settings: store})
	press(in, "?", "down", "enter")
	in.Settle()
	if data, err := os.ReadFile(name); err != nil || !strings.Contains(string(data), `"confirmDismissWhenDirty": false`) {
		t.Fatalf("%v\n%s", err, data)
	}
	press(in, "esc", "1", "esc")
	if out := in.Outcome(); !out.Result.Cancelled || !out.StopAgent || out.Interrupted {
		t.Fatalf("%+v", out)
	}
}

func TestASettingThatCannotBeSavedIsTakenBack(t *testing.T) {
	// The name leaves no room for that of a temporary file beside it.
	name := filepath.Join(t.TempDir(), strings.Repeat("x", 250))
	if err := os.WriteFile(name, []byte(`{"schemaVersion":5,"notifications":{"enabled":false}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	in := inline(t, &form.Options{Settings: settings.Open(name, nil)})
	press(in, "?", "enter")
	in.Settle()
	if !shows(in, "[off]") || !shows(in, "Could not save the settings") {
		t.Fatalf("%s", strings.Join(in.Text(80, 40), "\n"))
	}
	press(in, "esc", "1")
	if shows(in, "Could not save") {
		t.Error("the notice stays after a tab change")
	}
}

func TestSettingsWithoutAFileLastAsLongAsTheForm(t *testing.T) {
	in := inline(t, nil)
	press(in, "?", "enter")
	in.Settle()
	if !shows(in, "[on]") || !shows(in, "(this form only)") {
		t.Fatalf("%s", strings.Join(in.Text(80, 40), "\n"))
	}
}

func TestASlowImageForAClosedEditorIsDropped(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	in := inline(t, &form.Options{Clipboard: clipboardFunc(func(context.Context) (ask.Image, error) {
		close(started)
		<-release
		return ask.Image{ID: "i", MimeType: "image/png", Data: "AA=="}, nil
	})})
	press(in, "3", "x", "ctrl+v")
	<-started
	if !shows(in, "Reading the clipboard") {
		t.Error("nothing is said while the clipboard is read")
	}
	press(in, "esc", "enter")
	close(release)
	in.Settle()
	if shows(in, "[1 image]") || !shows(in, "x") {
		t.Fatalf("%s", strings.Join(in.Text(80, 40), "\n"))
	}
}

func TestAnImageIsAttached(t *testing.T) {
	in := inline(t, &form.Options{Clipboard: clipboardFunc(func(context.Context) (ask.Image, error) {
		return ask.Image{ID: "i", MimeType: "image/png", Data: "AA=="}, nil
	})})
	press(in, "3", "ctrl+v")
	in.Settle()
	if !shows(in, "[1 image]") || !shows(in, "Ctrl+Alt+D: remove last image") {
		t.Fatalf("%s", strings.Join(in.Text(80, 40), "\n"))
	}
}

func TestAClipboardReadEndsWithTheForm(t *testing.T) {
	in := inline(t, &form.Options{Clipboard: clipboardFunc(func(ctx context.Context) (ask.Image, error) {
		<-ctx.Done()
		return ask.Image{}, ctx.Err()
	})})
	press(in, "3", "ctrl+v")
	in.Close() // would wait for ever
	if !in.Outcome().Interrupted {
		t.Error("a closed form is not interrupted")
	}
}

func TestAHostsBrokenPartsDoNotTakeTheFormDown(t *testing.T) {
	in := inline(t, &form.Options{
		Clipboard: clipboardFunc(func(context.Context) (ask.Image, error) { panic("clipboard") }),
		Files:     listerFunc(func(context.Context, string) ([]form.FileItem, error) { panic("files") }),
		Edit:      func(context.Context, string) (string, error) { panic("editor") },
	})
	press(in, "3", "a", "ctrl+v")
	in.Settle()
	if !shows(in, "No way to read images") {
		t.Fatalf("%s", strings.Join(in.Text(80, 40), "\n"))
	}
	press(in, " ", "@", "x", "ctrl+g", "tab")
	in.Settle()
	press(in, "enter")
	if in.Outcome().Result.Answers["env"].CustomText != "a @x" {
		t.Fatalf("%+v", in.Outcome().Result)
	}
}

func TestANewerFileSearchEndsTheOlderOne(t *testing.T) {
	var mu sync.Mutex
	ended := map[string]bool{}
	in := inline(t, &form.Options{Files: listerFunc(func(ctx context.Context, query string) ([]form.FileItem, error) {
		if query == "ab" {
			return []form.FileItem{{Value: "abc", Name: "abc", Path: "abc"}}, nil
		}
		<-ctx.Done()
		mu.Lock()
		ended[query] = true
		mu.Unlock()
		return []form.FileItem{{Value: "old", Name: "old", Path: "old"}}, nil
	})})
	press(in, "3", "@", "a", "b")
	in.Settle()
	if !ended[""] || !ended["a"] || !shows(in, "→ abc") || shows(in, "old") {
		t.Fatalf("%v\n%s", ended, strings.Join(in.Text(80, 40), "\n"))
	}
}

func TestADraftFromTheUsersEditorComesBack(t *testing.T) {
	in := inline(t, &form.Options{Edit: func(_ context.Context, draft string) (string, error) {
		if draft == "fail" {
			return "", errors.New("no editor")
		}
		return draft + "\nmore", nil
	}})
	press(in, "3", "x", "ctrl+g")
	in.Settle()
	if s := in.Snapshot(); s.EditorText != "x\nmore" {
		t.Fatalf("%q", s.EditorText)
	}
}

func TestOneNotificationForEachForm(t *testing.T) {
	var bells atomic.Int32
	store, _ := storeWith(t, `{"schemaVersion":5,"notifications":{"enabled":true,"channels":["bell"]}}`)
	in := inline(t, &form.Options{Settings: store, Terminal: func(b []byte) error {
		if string(b) == "\a" {
			bells.Add(1)
		}
		return nil
	}})
	in.Mounted()
	in.Shown()
	until(t, "no bell", func() bool { return bells.Load() > 0 })
	in.Mounted()
	in.Shown()
	press(in, "?", "enter", "esc")
	in.Settle()
	in.Shown()
	in.Close()
	if n := bells.Load(); n != 1 {
		t.Errorf("%d notifications", n)
	}
}

func TestAFailingChannelIsSkipped(t *testing.T) {
	var sent atomic.Int32
	store, _ := storeWith(t, `{"schemaVersion":5,"notifications":{"enabled":true,"channels":["osc9","bell"]}}`)
	in := inline(t, &form.Options{Settings: store, Terminal: func(b []byte) error {
		if sent.Add(1) == 1 {
			return errors.New("gone")
		}
		return nil
	}})
	in.Shown()
	until(t, "the second channel was not tried", func() bool { return sent.Load() == 2 })
	press(in, "1")
	if in.Snapshot().Tab != "checks" {
		t.Error("the failure reached the form")
	}
}

func TestConcurrentUseOfAnInlineForm(t *testing.T) {
	store, name := storeWith(t, "")
	in := form.NewInline(goldenForm(t), &form.Options{Settings: store, Guard: time.Millisecond,
		Clipboard: clipboardFunc(func(context.Context) (ask.Image, error) { return ask.Image{ID: "i"}, nil })})
	in.OnChange(func() {})
	var all sync.WaitGroup
	for _, use := range []func(){
		func() { press(in, "down", "space", "3", "@", "a", "ctrl+v", "esc", "tab", "t", "?", "enter", "esc") },
		func() { in.Lines(80, 24) },
		func() { in.Text(20, 6) },
		func() { in.Paste("text"); in.Click(3, 8); in.Wheel(true) },
		func() { in.Mounted(); in.Shown(); _ = in.Ready() },
		func() { _ = in.Outcome(); in.Read(func(d *ask.Drafts) { _ = d.Empty() }) },
		func() {
			_ = os.WriteFile(name, []byte(`{"schemaVersion":5,"behaviour":{"showFooterHints":false}}`), 0o600)
		},
	} {
		all.Go(func() {
			for range 60 {
				use()
			}
		})
	}
	all.Go(func() { time.Sleep(20 * time.Millisecond); in.Close() })
	all.Wait()
	in.Close()
	select {
	case <-in.Done():
	default:
		t.Error("the form has not ended")
	}
	_ = in.Lines(80, 24)
}

func TestAHeldKeyTypesAndAnswersOnce(t *testing.T) {
	in := inline(t, nil)
	press(in, "1")
	for range 5 {
		in.Repeat("1", "1")
	}
	if s := in.Snapshot(); s.Tab != "checks" {
		t.Fatalf("a held digit ran on to %s", s.Tab)
	}
	press(in, "n", "x")
	in.Repeat("x", "x")
	in.Repeat("x", "x")
	if !shows(in, "xxx") {
		t.Fatalf("%s", strings.Join(in.Text(80, 40), "\n"))
	}
}

func TestTheGuardOpensByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := form.NewInline(goldenForm(t), &form.Options{Guard: 300 * time.Millisecond})
		defer in.Close()
		var changed atomic.Int32
		in.OnChange(func() { changed.Add(1) })
		in.Mounted()
		press(in, "1")
		time.Sleep(time.Hour) // nothing was shown yet
		if in.Ready() {
			t.Fatal("ready before the first frame")
		}
		in.Shown()
		time.Sleep(299 * time.Millisecond)
		synctest.Wait()
		if press(in, "1"); in.Ready() || in.Snapshot().Tab != "env" {
			t.Fatal("ready too early")
		}
		time.Sleep(301 * time.Millisecond)
		synctest.Wait()
		if !in.Ready() || changed.Load() == 0 {
			t.Fatalf("ready: %v, changes: %d", in.Ready(), changed.Load())
		}
		if press(in, "1"); in.Snapshot().Tab != "checks" {
			t.Fatal("the key does not count")
		}
	})
}

func TestTheResetExpiresByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := form.NewInline(goldenForm(t), nil)
		defer in.Close()
		var changed atomic.Int32
		in.OnChange(func() { changed.Add(1) })
		press(in, "?", "up", "enter")
		if !shows(in, "[confirm reset]") {
			t.Fatal("not armed")
		}
		time.Sleep(2001 * time.Millisecond)
		synctest.Wait()
		if !shows(in, "[reset all]") || changed.Load() == 0 {
			t.Fatalf("still armed; %d changes", changed.Load())
		}
	})
}

func TestAnswersFromElsewhereCloseTheForm(t *testing.T) {
	in := inline(t, nil)
	press(in, "2")
	d := ask.NewDrafts(goldenForm(t))
	d.Pick(0, 0)
	in.Answer(d, ask.Submit)
	<-in.Done()
	press(in, "1", "enter")
	if out := in.Outcome(); out.Result.Cancelled || out.Result.Answers["env"].Values[0] != "lab" || out.StopAgent {
		t.Fatalf("%+v", out)
	}
	again := inline(t, nil)
	again.Answer(nil, "")
	if out := again.Outcome(); !out.Result.Cancelled {
		t.Fatalf("%+v", out)
	}
	aborted := inline(t, nil)
	aborted.Abort()
	if out := aborted.Outcome(); !out.Interrupted || out.StopAgent || out.Text() != ask.InterruptedText {
		t.Fatalf("%+v", out)
	}
}

func TestKeysBesideCloseDoNoHarm(t *testing.T) {
	for range 50 {
		in := form.NewInline(goldenForm(t), &form.Options{Guard: -1, Terminal: func([]byte) error { return nil }})
		in.Lines(80, 24)
		var busy sync.WaitGroup
		for range 4 {
			busy.Go(func() {
				for _, k := range []string{"n", "ctrl+v", "@", "esc", "?", "enter", "esc"} {
					in.Key(k, "")
					in.Shown()
				}
			})
		}
		busy.Go(in.Close)
		busy.Wait()
		in.Settle()
		in.Close()
	}
}

// exploding is a host's width function with a fault.
func exploding(cluster string) int {
	if cluster == "💥" {
		panic("no width for that")
	}
	return 1
}

type explodingFiles struct{}

func (explodingFiles) Suggest(context.Context, string) ([]form.FileItem, error) {
	return []form.FileItem{{Value: "x", Name: "💥", Path: "x"}}, nil
}

// A fault in a goroutine of the form must not take the host down, nor leave
// the form locked, nor look like an answer.
func TestAPanicInsideEndsTheFormWithAnError(t *testing.T) {
	for name, cause := range map[string]func(*form.Inline){
		"in a key":   func(in *form.Inline) { in.Key("", "💥") },
		"in a paste": func(in *form.Inline) { in.Paste("💥") },
		"beside it":  func(in *form.Inline) { in.Key("", "@") },
	} {
		t.Run(name, func(t *testing.T) {
			in := form.NewInline(goldenForm(t), &form.Options{Guard: -1, Width: exploding, Files: explodingFiles{}})
			defer in.Close()
			in.Lines(80, 24)
			in.Key("3", "3") // the free-text row
			cause(in)
			in.Settle()
			select {
			case <-in.Done():
			case <-time.After(10 * time.Second):
				t.Fatal("the form goes on")
			}
			o := in.Outcome()
			if o.Err == nil || !strings.Contains(o.Err.Error(), "no width for that") || !o.Result.Cancelled {
				t.Errorf("the outcome is %+v", o)
			}
			in.Lines(80, 24)
		})
	}
}

func TestAFormThatHasEndedIsDrawnInAnySize(t *testing.T) {
	broken := false
	in := form.NewInline(goldenForm(t), &form.Options{Guard: -1, Width: func(s string) int {
		if broken {
			panic("no width for that")
		}
		return display.ClusterWidth(s)
	}})
	defer in.Close()
	in.Lines(80, 24)
	in.Key("escape", "")
	<-in.Done()
	for _, line := range in.Text(40, 5) {
		if w := display.WidthFunc(display.ClusterWidth).Width(line); w > 40 {
			t.Errorf("%d columns: %q", w, line)
		}
	}
	broken = true
	in.Text(37, 9)
	if o := in.Outcome(); o.Err != nil || !o.Result.Cancelled || o.Interrupted {
		t.Errorf("the outcome is %+v", o)
	}
}
