package hostshim_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
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
