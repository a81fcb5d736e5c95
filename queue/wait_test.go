package queue_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

func TestWaitTexts(t *testing.T) {
	result := ask.Result{Title: "Setup", Mode: ask.Submit, Questions: []ask.ResultQuestion{{ID: "q", Label: "Pick", Prompt: "Which?", Type: ask.Single}},
		Answers: map[string]ask.Answer{"q": {Values: []string{"a"}, Labels: []string{"A"}, Indices: []int{1},
			NoteImages: []ask.Image{{ID: "i", MimeType: "image/png", Data: "AA=="}}}}}
	for _, c := range []struct {
		name    string
		answers queue.Answers
		want    []string // per block
	}{
		{"nothing", queue.Answers{}, []string{"No background answers are outstanding; the earlier ones are already in the conversation."}},
		{"two and an image", queue.Answers{Results: []journal.Outcome{{RequestID: "r1", Result: &result}, {RequestID: "r2", Error: "no screen"}}},
			[]string{"Background answer [r1] — Setup:\nQuestions:\n- [q] Pick: Which?\nResponse:\nPick [q]: A\nPick [q] note: [1 image]\n\n" +
				"Background answer [r2]:\nThe form failed: no screen", "Image for [q] Which? — question note:", "image/png AA=="}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, b := range c.answers.Content() {
				got = append(got, strings.TrimSpace(b.Text+b.MimeType+" "+b.Data))
			}
			if strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestWaitIsStructuredAsTheToolSays(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		answers, err := r.proc.manager.Wait(ctx)
		raw, _ := ask.Marshal(answers)
		if err != nil || string(raw) != `{"status":"complete","requestIds":[],"results":[]}` {
			t.Errorf("%s, %v", raw, err)
		}
	})
}

func TestWaitForThreeDays(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.asked("c1", true)
		store := &countingStore{Memory: r.session}
		began := time.Now()
		w := r.wait("w1")
		pause()
		before := store.calls()
		time.Sleep(72 * time.Hour)
		pause()
		if w.done || store.calls() != before {
			t.Fatalf("something woke up: done %v", w.done)
		}
		r.answer(t, "submit")
		if !w.done || w.err != nil || len(w.answers.Results) != 1 {
			t.Fatalf("the wait did not end: %+v", w)
		}
		if d := time.Since(began); d != 72*time.Hour {
			t.Errorf("timers have run: %v", d-72*time.Hour)
		}
	})
}

// countingStore counts what is done with a session.
type countingStore struct{ *journal.Memory }

func (s *countingStore) calls() int {
	branch, _ := s.Branch(ctx)
	return len(branch)
}

func TestASecondWaitIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.asked("c1", true)
		first := r.wait("w1")
		pause()
		if _, err := r.proc.manager.Wait(ctx); !errors.Is(err, queue.ErrWaiting) || err.Error() != "wait_for_answers is already running." {
			t.Errorf("got %v", err)
		}
		r.answer(t, "submit")
		if !first.done || first.err != nil {
			t.Errorf("the first wait was disturbed: %v", first.err)
		}
	})
}

func TestAnInterruptedWaitLeavesEverythingAsItIs(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.asked("c1", true)
		r.asked("c2", true)
		w := r.wait("w1")
		pause()
		r.answer(t, "submit")
		form, entries := r.proc.form, len(r.branch())
		r.take()
		w.cancel()
		pause()
		if !errors.Is(w.err, queue.ErrWaitInterrupted) || w.err.Error() != "Waiting for answers was interrupted." {
			t.Errorf("got %v", w.err)
		}
		if got := r.take(); r.proc.form != form || len(r.branch()) != entries || len(got.herdr) > 0 || got.aborts > 0 {
			t.Error("the interruption has had effects")
		}
		r.settle(t) // what it covered is delivered in another way
		r.recordWake()
		r.wantTold(t, "r1", 1)
		done, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := r.proc.manager.Wait(done); !errors.Is(err, queue.ErrWaitInterrupted) {
			t.Errorf("a wait that was aborted before: %v", err)
		}
	})
}

func TestACancelledFormDuringAWaitTravelsAsContext(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.asked("c1", true)
		r.asked("c2", true)
		w := r.wait("w1")
		pause()
		r.answer(t, "cancel")
		if !errors.Is(w.err, queue.ErrWaitInterrupted) {
			t.Fatalf("wait: %+v, %v", w.answers, w.err)
		}
		if got := r.take(); got.aborts != 1 {
			t.Errorf("%d aborts", got.aborts)
		}
		sent, cont := r.turnEnd(t)
		if len(sent) != 1 || sent[0].request != "r1" || cont {
			t.Errorf("sent %v, continue %v", sent, cont)
		}
		r.wantOpen(t, "r2")
	})
}

func TestFormsQueuedDuringAWaitJoinIt(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.asked("c1", true)
		w := r.wait("w1")
		pause()
		r.asked("c2", true)
		r.answer(t, "elaborate")
		if w.done {
			t.Fatal("the wait did not wait for the second form")
		}
		r.answer(t, "ui_error")
		if got := fmt.Sprint(w.answers.RequestIDs); got != "[r1 r2]" || w.answers.Results[1].Error != "the screen is gone" {
			t.Errorf("got %s, %+v", got, w.answers.Results)
		}
	})
}

func TestAWaitDoesNotEndBeforeTheAnswerIsSaved(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.asked("c1", true)
		w := r.wait("w1")
		pause()
		r.failures = []string{journal.TypeQueueCompleted}
		r.answer(t, "submit")
		if w.done {
			t.Fatal("an answer was handed out that is not saved")
		}
		if err := r.proc.manager.TurnStart(ctx); err != nil {
			t.Fatal(err)
		}
		pause()
		if !w.done || len(w.answers.Results) != 1 {
			t.Errorf("the wait did not end when the answer was saved: %+v", w)
		}
	})
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		r.resume(true)
		r.asked("c1", true)
		r.asked("c2", true)
		fg := r.asked("c3", false)
		w := r.wait("w1")
		pause()
		entries := len(r.branch())
		m := r.proc.manager
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		pause()
		if !errors.Is(fg.err, queue.ErrSessionEnded) || !errors.Is(w.err, queue.ErrWaitInterrupted) {
			t.Errorf("got %v and %v", fg.err, w.err)
		}
		if got := r.take(); fmt.Sprint(got.herdr) != "[true false]" || len(r.branch()) != entries {
			t.Errorf("signals %v, %d new entries", got.herdr, len(r.branch())-entries)
		}
		m.Submit([]byte(`{}`))
		if got := r.take(); len(got.events) > 0 {
			t.Errorf("a closed queue answers: %v", got.events)
		}
		for name, err := range map[string]error{"again": m.Close(), "ask": asked(m), "restore": m.Restore(ctx), "settled": m.Settled(ctx)} {
			if name != "again" && !errors.Is(err, queue.ErrSessionEnded) || name == "again" && err != nil {
				t.Errorf("%s after Close: %v", name, err)
			}
		}
	})
}

func asked(m *queue.Manager) error {
	_, err := m.Ask(ctx, queue.Call{Payload: question("x")})
	return err
}

func TestCloseTellsOfAnswersThatAreNotSaved(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.asked("c1", true)
		r.failures = []string{journal.TypeCompleted, journal.TypeCompleted}
		r.answer(t, "submit")
		if err := r.proc.manager.Close(); !errors.Is(err, errDisk) {
			t.Errorf("got %v", err)
		}
	})
}
