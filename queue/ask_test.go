package queue_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

// ends is a surface that ends every form in the same way.
func ends(e ask.Ending) screenFunc {
	return func(_ context.Context, form ask.Form, flow *queue.Flow) (ask.Result, error) {
		d := ask.NewDrafts(form)
		d.Toggle(0, 0)
		d.SaveNote(0, "because")
		d.SetNoteImages(0, []ask.Image{{ID: "i", MimeType: "image/png", Data: "SECRETBYTES"}})
		return d.Result(e), nil
	}
}

func types(store journal.Store) (list []string) {
	branch, err := store.Branch(ctx)
	if err != nil {
		panic(err)
	}
	for _, e := range branch {
		list = append(list, strings.TrimPrefix(e.CustomType, "ask:"))
	}
	return list
}

func TestAskSavesBeforeItReturns(t *testing.T) {
	store := journal.NewMemory()
	m := queue.New(store, ends(ask.Submitted), nil)
	defer m.Close()
	result, err := m.Ask(ctx, queue.Call{ID: "c1", Payload: question("c1")})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"payload", "history-request", "history-completed"}; !slices.Equal(types(store), want) {
		t.Errorf("entries %v, want %v", types(store), want)
	}
	branch, _ := store.Branch(ctx)
	saved, ok := journal.Decode(branch[2]).(journal.Completed)
	if !ok || result.RequestID == "" || saved.RequestID != result.RequestID || saved.Result.RequestID != result.RequestID {
		t.Errorf("request ids: result %q, saved %+v", result.RequestID, saved)
	}
	if len(result.RequestID) != 36 || result.RequestID[14] != '4' {
		t.Errorf("request id %q is no random UUID", result.RequestID)
	}
}

func TestAskErrors(t *testing.T) {
	gone := screenFunc(func(context.Context, ask.Form, *queue.Flow) (ask.Result, error) {
		return ask.Result{}, errors.New("no terminal")
	})
	mute := screenFunc(func(context.Context, ask.Form, *queue.Flow) (ask.Result, error) {
		return ask.Result{}, errors.New("")
	})
	wild := screenFunc(func(context.Context, ask.Form, *queue.Flow) (ask.Result, error) { panic("oh no") })
	aborted, cancel := context.WithCancel(ctx)
	cancel()
	for _, c := range []struct {
		name    string
		ctx     context.Context
		surface queue.Surface
		payload ask.Payload
		want    string
		saved   string // outcome in the journal
	}{
		{"invalid payload", ctx, gone, ask.Payload{}, "Invalid ask_user payload:\n- questions: ask at least one question", ""},
		{"surface fails", ctx, gone, question("c"), "queue: the form could not be shown: no terminal", "error"},
		{"surface fails without a word", ctx, mute, question("c"), "queue: the form could not be shown: unknown error", "error"},
		{"surface panics", ctx, wild, question("c"), "queue: the form could not be shown: panic: oh no", "error"},
		{"aborted before", aborted, gone, question("c"), "The form was interrupted before it opened.", "error"},
		{"nobody is there", ctx, nil, question("c"), "needs an interactive terminal", "cancel"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := journal.NewMemory()
			m := queue.New(store, c.surface, nil)
			defer m.Close()
			_, err := m.Ask(c.ctx, queue.Call{Payload: c.payload})
			if err == nil || err.Error() != c.want {
				t.Errorf("got error %v, want %s", err, c.want)
			}
			branch, _ := store.Branch(ctx)
			saved := ""
			if len(branch) > 0 {
				saved = readNode(branch[len(branch)-1]).outcome
			}
			if saved != c.saved {
				t.Errorf("saved outcome %q, want %q", saved, c.saved)
			}
		})
	}
}

func TestNobodyIsThere(t *testing.T) {
	var called []string
	host := queue.Host{
		Deliver: func(context.Context, journal.Entry, bool) error { called = append(called, "deliver"); return nil },
		Idle:    func() bool { return true },
		Emit:    func(channel string, _ json.RawMessage) { called = append(called, channel) },
		Status:  func(string) { called = append(called, "status") },
		Abort:   func() { called = append(called, "abort") },
	}
	store := journal.NewMemory()
	m := queue.New(store, nil, &queue.Options{Host: host})
	defer m.Close()
	result, err := m.Ask(ctx, queue.Call{ID: "c1", Payload: question("c1")})
	if !errors.Is(err, queue.ErrNotInteractive) || !result.Cancelled || result.RequestID == "" || len(result.Questions) != 1 {
		t.Errorf("ask: %+v, %v", result, err)
	}
	receipt, err := m.Enqueue(ctx, queue.Call{ID: "c2", Payload: question("c2")})
	if !errors.Is(err, queue.ErrNotInteractive) || receipt.RequestID == "" {
		t.Errorf("enqueue: %+v, %v", receipt, err)
	}
	if _, err := m.Wait(ctx); !errors.Is(err, queue.ErrNotInteractive) || err.Error() != "wait_for_answers needs interactive TUI mode." {
		t.Errorf("wait: %v", err)
	}
	entries, _, err := m.TurnEnd(ctx, nil)
	if err != nil || entries != nil || m.Settled(ctx) != nil || m.Resume(ctx) != nil {
		t.Errorf("boundary: %v, %v", entries, err)
	}
	want := []string{"payload", "history-request", "history-completed", "payload", "history-request", "history-completed"}
	if !slices.Equal(types(store), want) || len(called) > 0 {
		t.Errorf("entries %v, calls of the host %v", types(store), called)
	}
}

func TestPreviewFilesAreSavedAsText(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plan.txt"), []byte("the plan\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	payload := question("c1")
	payload.Questions[0].Options[0].PreviewFile = "plan.txt"
	store := journal.NewMemory()
	var shown string
	surface := screenFunc(func(_ context.Context, form ask.Form, _ *queue.Flow) (ask.Result, error) {
		shown = form.Questions[0].Options[0].Preview
		return ask.NewDrafts(form).Result(ask.Submitted), nil
	})
	m := queue.New(store, surface, &queue.Options{Dir: dir})
	defer m.Close()
	if _, err := m.Ask(ctx, queue.Call{ID: "c1", Payload: payload}); err != nil {
		t.Fatal(err)
	}
	branch, _ := store.Branch(ctx)
	saved := journal.Decode(branch[0]).(journal.Payload).Params.Questions[0].Options[0]
	if shown != "the plan" || saved.Preview != "the plan\n" || saved.PreviewFile != "" {
		t.Errorf("shown %q, saved %+v", shown, saved)
	}
	payload.Questions[0].Options[0].PreviewFile = "nowhere.txt"
	var invalid *ask.InvalidInput
	if _, err := m.Enqueue(ctx, queue.Call{Payload: payload}); !errors.As(err, &invalid) || invalid.Issues[0].Path != "questions[0].options[0].previewFile" {
		t.Errorf("missing file: %v", err)
	}
	if n := len(types(store)); n != 3 {
		t.Errorf("the refused call has left %d entries", n-3)
	}
}

func TestTheSettingIsFrozenWhenAFormIsQueued(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		store, multi := journal.NewMemory(), true
		screen := &lastForm{}
		options := &queue.Options{PresentSingleAsMulti: func() bool { return multi }}
		m := queue.New(store, screen, options)
		if _, err := m.Enqueue(ctx, queue.Call{Payload: question("c1")}); err != nil {
			t.Fatal(err)
		}
		pause()
		m.Close()
		multi = false
		m = queue.New(store, screen, options)
		if err := m.Resume(ctx); err != nil {
			t.Fatal(err)
		}
		pause()
		if got := screen.form.Questions[0].Shown(); got != ask.Multi {
			t.Errorf("the restored form is presented as %s", got)
		}
		m.Close()
	})
}

// lastForm keeps forms open and remembers the last one.
type lastForm struct{ form ask.Form }

func (s *lastForm) Open(ctx context.Context, form ask.Form, _ *queue.Flow) (ask.Result, error) {
	s.form = form
	<-ctx.Done()
	return ask.Result{}, ctx.Err()
}

func TestEnqueueWithAKnownIDReturnsTheReceipt(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		first := r.asked("c1", true).receipt
		r.asked("c2", true)
		entries := len(r.branch())
		again, err := r.proc.manager.Enqueue(ctx, queue.Call{ID: "c1", Payload: question("c1"), RequestID: first.RequestID})
		if err != nil || again.RequestID != "r1" || again.PendingRequests != 2 || !slices.Equal(again.QuestionIDs, []string{"q"}) {
			t.Errorf("got %+v, %v", again, err)
		}
		if n := len(r.branch()); n != entries {
			t.Errorf("%d entries were written", n-entries)
		}
	})
}

func TestAppendsThatFail(t *testing.T) {
	for _, c := range []struct {
		name       string
		background bool
		failures   []string
		left       []string // entries
	}{
		{"payload", false, []string{journal.TypePayload}, nil},
		{"request", true, []string{journal.TypeRequest}, []string{"payload"}},
		{"queued", true, []string{journal.TypeQueued}, []string{"payload", "history-request", "history-completed"}},
		{"queued and its error", true, []string{journal.TypeQueued, journal.TypeCompleted}, []string{"payload", "history-request"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, r *rig) {
				r.failures = c.failures
				r.ids++
				run := r.ask("c1", c.background, question("c1"))
				pause()
				if !errors.Is(run.err, errDisk) || !run.done {
					t.Errorf("error %v", run.err)
				}
				if got := types(r.store()); !slices.Equal(got, c.left) {
					t.Errorf("entries %v, want %v", got, c.left)
				}
				r.wantOpen(t, "")
			})
		})
	}
}

func TestAForegroundAnswerThatCannotBeSavedIsNotHandedOut(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		c := r.asked("c1", false)
		r.failures = []string{journal.TypeCompleted, journal.TypeCompleted}
		r.answer(t, "submit")
		if c.err == nil || c.err.Error() != "The answer could not be saved: "+errDisk.Error() || len(c.result.Answers) > 0 {
			t.Errorf("got %v, %v", c.result.Answers, c.err)
		}
		if got := r.take().notices; !slices.Equal(got, []string{"saveFailed"}) {
			t.Errorf("notices %v", got)
		}
	})
}

func TestAbortsOfAForegroundCall(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		open := r.asked("c1", false)
		second, third := r.asked("c2", false), r.asked("c3", false)
		second.cancel()
		pause()
		if !errors.Is(second.err, queue.ErrNotOpened) {
			t.Errorf("waiting call: %v", second.err)
		}
		open.cancel()
		pause()
		if open.err != nil || !open.result.Cancelled {
			t.Errorf("open call: %+v, %v", open.result, open.err)
		}
		r.wantOpen(t, "fg:c3")
		got := r.take()
		if got.aborts != 0 {
			t.Errorf("an abort was answered with %d aborts", got.aborts)
		}
		for _, e := range got.events {
			if e.channel == "pi-agent-ask:completed" {
				t.Error("an aborted form was reported as completed")
			}
		}
		r.answer(t, "cancel")
		if got := r.take(); got.aborts != 1 || third.err != nil || !third.result.Cancelled {
			t.Errorf("cancelled call: %d aborts, %v", got.aborts, third.err)
		}
	})
}

func TestASessionChangeEndsForegroundCallsWithoutATrace(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		open, waiting := r.asked("c1", false), r.asked("c2", false)
		entries := len(r.branch())
		if err := r.proc.manager.Restore(ctx); err != nil {
			t.Fatal(err)
		}
		pause()
		if !errors.Is(open.err, queue.ErrSessionEnded) || !errors.Is(waiting.err, queue.ErrSessionEnded) {
			t.Errorf("got %v and %v", open.err, waiting.err)
		}
		if n := len(r.branch()); n != entries {
			t.Errorf("%d entries were written", n-entries)
		}
		if got := r.take(); !slices.Equal(got.herdr, []bool{true, false}) {
			t.Errorf("blocked signals %v", got.herdr)
		}
	})
}

func TestCancelledOutcomesHoldNoImages(t *testing.T) {
	store := journal.NewMemory()
	m := queue.New(store, screenFunc(func(_ context.Context, form ask.Form, flow *queue.Flow) (ask.Result, error) {
		r, err := ends(ask.Submitted)(ctx, form, flow)
		r.Cancelled = true // a surface that forgets to take them out
		return r, err
	}), nil)
	defer m.Close()
	result, err := m.Ask(ctx, queue.Call{Payload: question("c1")})
	branch, _ := store.Branch(ctx)
	if err != nil || strings.Contains(string(branch[2].Data), "SECRETBYTES") || result.Answers["q"].NoteImages != nil {
		t.Errorf("%v: %s", err, branch[2].Data)
	}
	if result.Answers["q"].Note != "because" {
		t.Errorf("the drafts are gone: %+v", result.Answers)
	}
}

func TestTheWorkingSignIsHiddenWhileTheAgentWaitsForAForm(t *testing.T) {
	var signs []bool
	host := queue.Host{Working: func(shown bool) { signs = append(signs, shown) }}
	for _, surface := range []screenFunc{ends(ask.Submitted), func(context.Context, ask.Form, *queue.Flow) (ask.Result, error) { panic("x") }} {
		signs = nil
		m := queue.New(journal.NewMemory(), surface, &queue.Options{Host: host})
		_, _ = m.Ask(ctx, queue.Call{Payload: question("c1")})
		if !slices.Equal(signs, []bool{false, true}) {
			t.Errorf("signs %v", signs)
		}
		signs = nil
		if _, err := m.Enqueue(ctx, queue.Call{Payload: question("c2")}); err != nil {
			t.Fatal(err)
		}
		m.Close()
		if signs != nil {
			t.Errorf("a background form changes the sign: %v", signs)
		}
	}
}
