package hostshim_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim/hosttest"
)

// failing returns a host whose methods fail in a way, once fail is set.
func failing(t *testing.T, how func(ctx context.Context) error, methods ...string) (h *hosttest.Host, fail *atomic.Bool) {
	t.Helper()
	h, fail = hosttest.New(hostshim.Info{}), new(atomic.Bool)
	t.Cleanup(h.Close)
	h.Hook = func(ctx context.Context, method string) error {
		for _, m := range methods {
			if fail.Load() && strings.HasPrefix(method, m) {
				return how(ctx)
			}
		}
		return nil
	}
	must(t, h.Start("startup"))
	return h, fail
}

func panics(context.Context) error { panic("the host is broken") }

func hangs(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestHostThatPanics(t *testing.T) {
	for _, c := range []struct {
		method string
		err    string // of a call in front; "" if it has its result all the same
	}{
		{"OpenForm", "the host failed: the host is broken"},
		{"AppendEntry ask:payload", "the host failed: the host is broken"},
		{"AppendEntry ask:history-completed", "the host failed: the host is broken"},
		{"CloseForm", ""},
		{"Abort", ""},
		{"ShowFrame", ""},
	} {
		t.Run(c.method, func(t *testing.T) {
			h, fail := failing(t, panics, c.method)
			if c.method == "OpenForm" || c.method == "AppendEntry ask:payload" {
				fail.Store(true)
			}
			call := h.Call(ask.ToolAsk, "c", single)
			if !fail.Load() {
				f := h.NextForm()
				fail.Store(true)
				if c.method == "Abort" {
					f.Press("esc")
				}
				f.Press("1", "enter")
			}
			_, err := call.Wait()
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestAnswerThatCannotBeSavedIsKept(t *testing.T) {
	h, fail := failing(t, func(context.Context) error { return errors.New("disk full") }, "AppendEntry ask:queue-completed", "AppendEntry ask:history-completed")
	h.Busy(true)
	_, err := h.Call(ask.ToolAsk, "a", inBackground(single)).Wait()
	must(t, err)
	f := h.NextForm()
	fail.Store(true)
	f.Press("1", "enter")
	h.WaitLog("notice An answer could not be saved yet; it is kept and saved later: disk full")
	if n, _, _ := h.TurnEnd(); n != 0 {
		t.Error("an answer that is not saved was delivered")
	}
	fail.Store(false)
	must(t, h.Shutdown()) // the last occasion
	if len(h.Entries("ask:queue-completed")) != 1 {
		t.Errorf("the answer was lost: %q", h.Log())
	}
}

// A host that never answers keeps nobody from ending the extension.
func TestHostThatHangs(t *testing.T) {
	for _, method := range []string{"OpenForm", "CloseForm", "AppendEntry ask:payload", "AppendEntry ask:history-completed", "Branch", "Idle", "Deliver"} {
		t.Run(method, func(t *testing.T) {
			h, fail := failing(t, hangs, method)
			fail.Store(method == "OpenForm" || method == "AppendEntry ask:payload")
			call := h.Call(ask.ToolAsk, "a", inBackground(single))
			if !fail.Load() {
				_, err := call.Wait()
				must(t, err)
				f := h.NextForm()
				fail.Store(true)
				f.Press("1", "enter")
			}
			h.Extension().Close()
			_, _ = call.Wait()
			if err := h.Start("new"); !errors.Is(err, hostshim.ErrStale) {
				t.Errorf("a closed extension has started again: %v", err)
			}
		})
	}
	t.Run("while it shuts down", func(t *testing.T) {
		h, fail := failing(t, hangs, "CloseForm")
		h.Call(ask.ToolAsk, "a", single)
		h.NextForm()
		fail.Store(true)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := h.Extension().Shutdown(ctx, h.Gen()+1); err != nil {
			t.Error(err)
		}
	})
}

// What a form has started has ended when the extension is closed, also if the
// form itself ended a moment before.
func TestCloseWaitsForWhatFormsHaveStarted(t *testing.T) {
	agentDir := noFolder(t)
	synctest.Test(t, func(t *testing.T) {
		h := hosttest.New(hostshim.Info{AgentDir: agentDir, PasteImageKeys: []string{"alt+v"}})
		var ended atomic.Bool
		h.Hook = func(ctx context.Context, method string) error {
			if method == "ReadImage" {
				<-ctx.Done()
				time.Sleep(time.Second)
				ended.Store(true)
			}
			return nil
		}
		must(t, h.Start("startup"))
		call := h.Call(ask.ToolAsk, "a", single)
		h.NextForm().Press("3", "alt+v")
		synctest.Wait()
		call.Abort()
		synctest.Wait()
		h.Extension().Close()
		if !ended.Load() {
			t.Error("the clipboard is still being read")
		}
		h.Close()
	})
}

// An answer that is being saved while the leaf moves belongs to the old branch:
// it must not turn up on the new one.
func TestSavingWhileTheBranchChanges(t *testing.T) {
	saving, moved := make(chan struct{}), make(chan struct{})
	var first atomic.Bool
	h, fail := failing(t, func(context.Context) error {
		if first.CompareAndSwap(false, true) {
			close(saving)
			<-moved
		}
		return nil
	}, "AppendEntry ask:history-completed")
	fail.Store(true)
	call := h.Call(ask.ToolAsk, "a", single)
	h.NextForm().Press("1", "enter")
	<-saving
	done := make(chan error)
	gen := h.Gen()
	go func() { done <- h.Tree("") }()
	for h.Gen() == gen {
		runtime.Gosched()
	}
	close(moved)
	must(t, <-done)
	if _, err := call.Wait(); err == nil {
		t.Error("the call of the old branch has a result")
	}
	if len(h.Entries("ask:history-completed")) != 0 {
		t.Error("the answer turned up on another branch")
	}
}

// breakable returns a host whose measure of text panics, once broken is set:
// a fault inside of the form that is drawn.
func breakable(t *testing.T, agentDir string) (h *hosttest.Host, broken *atomic.Bool) {
	t.Helper()
	broken = new(atomic.Bool)
	h = hosttest.New(hostshim.Info{AgentDir: agentDir, Width: func(cluster string) int {
		if broken.Load() {
			panic("no such glyph")
		}
		return display.ClusterWidth(cluster)
	}})
	t.Cleanup(h.Close)
	must(t, h.Start("startup"))
	return h, broken
}

func TestFormThatPanics(t *testing.T) {
	const text = "panic in the form: no such glyph"
	for _, c := range []struct {
		name  string
		early bool // broken before the form is drawn for the first time
		do    func(*hosttest.Form)
	}{
		{"before it is seen", true, nil},
		{"while it is drawn", false, func(f *hosttest.Form) { f.Resize(70, 20) }},
		{"while a key is pressed", false, func(f *hosttest.Form) { f.Press("down") }},
		{"while text is pasted", false, func(f *hosttest.Form) { f.Press("3"); f.Paste("a\nb") }},
		{"in one of many things at once", false, func(f *hosttest.Form) {
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() { f.Press("3", "x", "esc"); f.Resize(40, 10); f.Type("text") })
			}
			all.Wait()
		}},
	} {
		for _, background := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, background %t", c.name, background), func(t *testing.T) {
				h, broken := breakable(t, "")
				payload := single
				if background {
					payload = inBackground(single)
				}
				broken.Store(c.early)
				call := h.Call(ask.ToolAsk, "a", payload)
				if c.do != nil {
					f := h.NextForm()
					broken.Store(true)
					c.do(f)
				}
				switch _, err := call.Wait(); {
				case background:
					must(t, err)
					h.WaitLog("deliver true") // a failure is no cancellation
					if answer := string(h.Entries("ask:background-answer")[0].Content); !strings.Contains(answer, text) {
						t.Errorf("the model reads %s", answer)
					}
				case err == nil || !strings.HasSuffix(err.Error(), text):
					t.Errorf("error %v", err)
				}
				completed := h.Entries("ask:history-completed")
				if len(completed) != 1 || !strings.Contains(string(completed[0].Data), `"error":"`+text) {
					t.Errorf("the journal says %v", completed)
				}
				if slices.Contains(h.Log(), "abort") || len(h.Events(hostshim.ChannelCompleted)) != 0 || len(h.Forms()) != 0 {
					t.Errorf("nobody has cancelled; forms %v, log %q", h.Forms(), h.Log())
				}
				// Nothing stays locked: the next form opens, and the settings do.
				broken.Store(false)
				next := h.Call(ask.ToolAsk, "b", single)
				f := h.NextForm()
				must(t, h.Extension().OpenSettings(context.Background(), h.Gen()))
				f.WaitText("ettings")
				f.Press("esc")
				f.Press("2", "enter")
				result, err := next.Wait()
				must(t, err)
				if !strings.HasSuffix(result.Content[0].Text, "DB: Postgres") {
					t.Errorf("the model reads %q", result.Content[0].Text)
				}
			})
		}
	}
}

// What a person has decided stands, whatever happens to the picture afterwards.
func TestFormThatPanicsWhenItHasEnded(t *testing.T) {
	agentDir := noFolder(t)
	for key, text := range map[string]string{"enter": "DB: SQLite", "esc": "The user cancelled the form; nothing was approved."} {
		for range 20 { // the picture and the result are a race
			synctest.Test(t, func(t *testing.T) {
				h, broken := breakable(t, agentDir)
				call := h.Call(ask.ToolAsk, "a", single)
				f := h.NextForm()
				if key == "enter" {
					f.Press("1")
				}
				synctest.Wait() // until all of it is drawn
				broken.Store(true)
				f.Press(key)
				result, err := call.Wait()
				must(t, err)
				if !strings.HasSuffix(result.Content[0].Text, text) {
					t.Errorf("the model reads %q", result.Content[0].Text)
				}
				if slices.Contains(h.Log(), "abort") != (key == "esc") {
					t.Errorf("log %q", h.Log())
				}
			})
		}
	}
}

func TestSettingsThatPanic(t *testing.T) {
	h, broken := breakable(t, "")
	done := make(chan error, 1)
	go func() { done <- h.Extension().OpenSettings(context.Background(), h.Gen()) }()
	f := h.NextForm()
	broken.Store(true)
	f.Resize(70, 20)
	if err := <-done; err == nil || err.Error() != "panic in the form: no such glyph" {
		t.Errorf("error %v", err)
	}
	f.WaitClosed()
	broken.Store(false)
	go func() { done <- h.Extension().OpenSettings(context.Background(), h.Gen()) }()
	h.NextForm().Press("esc")
	must(t, <-done)
}

// Two commands at once open one overlay.
func TestSettingsAreOpenedOnce(t *testing.T) {
	opening, open := make(chan struct{}), make(chan struct{})
	h := hosttest.New(hostshim.Info{})
	t.Cleanup(h.Close)
	h.Hook = func(_ context.Context, method string) error {
		if method == "OpenForm" {
			close(opening) // fails if there is a second one
			<-open
		}
		return nil
	}
	must(t, h.Start("startup"))
	done := make(chan error, 1)
	go func() { done <- h.Extension().OpenSettings(context.Background(), h.Gen()) }()
	<-opening
	must(t, h.Extension().OpenSettings(context.Background(), h.Gen()))
	close(open)
	h.NextForm().Press("esc")
	must(t, <-done)
	if n := count(h.Log(), "close 1"); n != 1 || slices.Contains(h.Log(), "open 2 settings") {
		t.Errorf("log %q", h.Log())
	}
}
