package queue_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

// What has gone wrong for users of other tools, as tests. The numbers are those
// of the project's list of field reports.

func (r *rig) dismissals() (n int) {
	for _, e := range r.branch() {
		if e.CustomType == journal.TypeDismissed {
			n++
		}
	}
	return n
}

func (r *rig) userMessages(text string) (n int) {
	for _, e := range r.branch() {
		if m, ok := journal.ReadMessage(e); ok && m.Role == "user" && strings.Contains(m.Text, text) {
			n++
		}
	}
	return n
}

func TestV16KilledWhileTheFormIsOpen(t *testing.T) {
	for _, how := range []string{"submit", "cancel"} {
		t.Run(how, func(t *testing.T) {
			inBubble(t, func(t *testing.T, r *rig) {
				r.asked("c1", false)
				r.wantOpen(t, "fg:c1")
				r.stop(true)
				r.resume(true)
				r.wantOpen(t, "recovery:c1")
				r.answer(t, how)
				if sent := r.recordFollowUp(); sent != (how == "submit") {
					t.Errorf("follow-up sent: %v", sent)
				}
				if r.dismissals() != 1 {
					t.Errorf("%d dismissals, want 1", r.dismissals())
				}
				r.resume(true)
				r.wantOpen(t, "")
				if len(r.sends) > 0 || r.dismissals() != 1 {
					t.Error("the third start tells the agent again")
				}
			})
		})
	}
}

func TestV17AnOrdinaryMessageDoesNotLoseThePendingForm(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.asked("c1", false)
		r.stop(true)
		r.resume(true)
		r.wantOpen(t, "recovery:c1")
		r.userMessage("never mind, what is the time?")
		r.settle(t)
		r.wantOpen(t, "recovery:c1")
		r.resume(true)
		r.wantOpen(t, "recovery:c1")
		r.answer(t, "submit")
		r.recordFollowUp()
		if n := r.userMessages("c1: A"); n != 1 {
			t.Errorf("the answer is in the transcript %d times", n)
		}
	})
}

func TestV18AnswerRecordedThenCrash(t *testing.T) {
	for _, dies := range []string{journal.TypeCompleted, journal.TypeQueueCompleted, journal.TypeAnswer} {
		t.Run(dies, func(t *testing.T) {
			inBubble(t, func(t *testing.T, r *rig) {
				r.asked("c1", true)
				r.settle(t)
				r.dieAfter = dies
				r.answer(t, "submit")
				r.recordWake()
				r.stop(true)
				r.resume(true)
				r.recordWake()
				r.wantTold(t, "r1", 1)
				r.resume(true)
				r.settle(t)
				r.recordWake()
				r.wantTold(t, "r1", 1)
			})
		})
	}
}

func TestV19DiskFull(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.asked("c1", true)
		r.failures = []string{journal.TypeCompleted, journal.TypeCompleted, journal.TypeQueueCompleted}
		r.answer(t, "submit")
		if got := r.take().notices; !slices.Equal(got, []string{"saveFailed"}) {
			t.Errorf("notices: %v", got)
		}
		r.settle(t) // still full
		if len(r.wakes) > 0 {
			t.Fatal("an answer that is not saved was delivered")
		}
		r.settle(t) // half of it
		if len(r.wakes) > 0 {
			t.Fatal("an answer that is half saved was delivered")
		}
		r.settle(t)
		r.recordWake()
		r.wantTold(t, "r1", 1)
		r.wantOpen(t, "")
		if got := r.take().notices; len(got) > 0 {
			t.Errorf("told again of the same answer: %v", got)
		}
	})
}

func TestV20TwoManagersInOneProcessShareTheLock(t *testing.T) {
	// Two processes on one file are the business of the file store; two
	// sessions on one screen are ours.
	inBubble(t, func(t *testing.T, r *rig) {
		lock := &queue.Lock{}
		screen := &countingScreen{}
		var managers []*queue.Manager
		var done sync.WaitGroup
		for range 4 {
			m := queue.New(journal.NewMemory(), screen, &queue.Options{Lock: lock})
			managers = append(managers, m)
			for range 25 {
				done.Go(func() {
					if _, err := m.Ask(ctx, queue.Call{Payload: question("x")}); err != nil {
						t.Error(err)
					}
				})
			}
		}
		done.Wait()
		for _, m := range managers {
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
		if screen.opened != 100 || screen.most != 1 {
			t.Errorf("%d forms, up to %d at once", screen.opened, screen.most)
		}
	})
}

// countingScreen answers at once and counts how many forms are open.
type countingScreen struct {
	mu                sync.Mutex
	now, most, opened int
}

func (s *countingScreen) Open(_ context.Context, form ask.Form, _ *queue.Flow) (ask.Result, error) {
	s.mu.Lock()
	s.now++
	s.opened++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
	}()
	return ask.NewDrafts(form).Result(ask.Submitted), nil
}

func TestV21NotTwiceAfterCompactionOrRestart(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.asked("c1", true)
		r.answer(t, "submit")
		before, _ := r.store().Leaf()
		r.turnEnd(t)
		r.wantTold(t, "r1", 1)
		r.record(journal.Entry{Type: "compaction"})
		for range 2 { // reload, then resume
			if err := r.proc.manager.Restore(ctx); err != nil {
				t.Fatal(err)
			}
			r.resume(true)
			r.settle(t)
			r.turnEnd(t)
			if len(r.wakes) > 0 {
				t.Fatal("delivered again")
			}
		}
		r.wantTold(t, "r1", 1)
		if err := r.store().MoveTo(before); err != nil {
			t.Fatal(err)
		}
		r.resume(true) // a fork before the delivery
		r.recordWake()
		r.wantTold(t, "r1", 1)
	})
}

func TestV22AnsweredElsewhere(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		var cause error
		var late bool
		surface := screenFunc(func(ctx context.Context, form ask.Form, flow *queue.Flow) (ask.Result, error) {
			<-ctx.Done()
			cause = context.Cause(ctx)
			d := ask.NewDrafts(form)
			d.Toggle(0, 1)
			late = flow.Complete(d.Result(ask.Submitted)) // the key that comes too late
			return d.Result(ask.Submitted), nil
		})
		var replies []string
		m := queue.New(journal.NewMemory(), surface, &queue.Options{Host: queue.Host{Emit: func(channel string, payload json.RawMessage) {
			if channel == "pi-agent-ask:submit-result" {
				replies = append(replies, string(payload))
			}
		}}})
		defer m.Close()
		event := json.RawMessage(`{"version":1,"requestId":"s","flowId":"tool:c1","response":{"kind":"answer","answers":{"q":{"values":["a"]}}}}`)
		go func() {
			pause()
			m.Submit(event)
			m.Submit(event)
		}()
		result, err := m.Ask(ctx, queue.Call{ID: "c1", Payload: question("c1")})
		pause()
		if err != nil || !slices.Equal(result.Answers["q"].Values, []string{"a"}) {
			t.Errorf("result %v, error %v", result.Answers, err)
		}
		if cause != queue.ErrAnsweredElsewhere {
			t.Errorf("the form was closed because of %v", cause)
		}
		if late {
			t.Error("the late key counted")
		}
		if len(replies) != 2 || !strings.Contains(replies[0], `"ok":true`) || !strings.Contains(replies[1], "flow_not_found") {
			t.Errorf("replies: %q", replies)
		}
	})
}

// screenFunc is a surface made of one function.
type screenFunc func(context.Context, ask.Form, *queue.Flow) (ask.Result, error)

func (f screenFunc) Open(ctx context.Context, form ask.Form, flow *queue.Flow) (ask.Result, error) {
	return f(ctx, form, flow)
}

func TestV33BackgroundDoesNotBlock(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		if c := r.asked("c1", true); !c.done || c.err != nil {
			t.Errorf("the background call has not returned: %v", c.err)
		}
		if c := r.asked("c2", false); c.done {
			t.Error("the foreground call did not wait for its answer")
		}
	})
}

func TestV39SeveralOpenRequestsKeepTheirAnswers(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		for _, call := range []string{"c1", "c2", "c3"} {
			r.asked(call, true)
		}
		r.answer(t, "submit")
		r.stop(true)
		r.resume(true)
		r.wantOpen(t, "r2")
		r.answer(t, "elaborate")
		r.wantOpen(t, "r3")
		r.answer(t, "submit")
		r.wantOpen(t, "")
		for r.recordWake() {
			r.turnEnd(t)
			r.settle(t)
		}
		var order []string
		for _, e := range r.branch() {
			if e.CustomType == journal.TypeAnswer {
				order = append(order, answerID(e)+" "+readNode(e).outcome)
			}
		}
		if want := []string{"r1 submit", "r2 elaborate", "r3 submit"}; !slices.Equal(order, want) {
			t.Errorf("got %v, want %v", order, want)
		}
	})
}

func TestV41TheOldSurfaceIsDead(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.userMessage("hello")
		root, _ := r.store().Leaf()
		r.asked("c1", true)
		queued, _ := r.store().Leaf()
		old := r.proc.form
		if err := r.store().MoveTo(root); err != nil {
			t.Fatal(err)
		}
		if err := r.proc.manager.Restore(ctx); err != nil {
			t.Fatal(err)
		}
		r.wantOpen(t, "")
		entries := len(r.branch())
		if old.flow.Complete(ask.NewDrafts(old.form).Result(ask.Submitted)) {
			t.Error("an answer of the old surface was taken")
		}
		pause()
		if got := r.take(); len(r.branch()) != entries || len(got.sent) > 0 || got.aborts > 0 {
			t.Error("the old surface has left a trace")
		}
		if err := r.store().MoveTo(queued); err != nil {
			t.Fatal(err)
		}
		if err := r.proc.manager.Restore(ctx); err != nil {
			t.Fatal(err)
		}
		r.wantOpen(t, "r1")
	})
}

func TestV41TheQueueNoticesAMoveThatNobodyTold(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.userMessage("hello")
		root, _ := r.store().Leaf()
		r.asked("c1", true)
		if err := r.store().MoveTo(root); err != nil {
			t.Fatal(err)
		}
		r.answer(t, "submit")
		if n := len(r.branch()); n != 1 {
			t.Errorf("the answer was written to another branch: %d entries", n)
		}
		r.wantOpen(t, "")
	})
}

func TestV44OtherTurnsDoNotTouchTheOpenForm(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.asked("c1", true)
		form := r.proc.form
		r.turnEnd(t)
		r.settle(t)
		r.userMessage("a background job has ended")
		for range 3 {
			if err := r.proc.manager.TurnStart(ctx); err != nil {
				t.Fatal(err)
			}
			r.turnEnd(t)
			r.settle(t)
		}
		if r.proc.form != form {
			t.Fatal("the form was closed or opened again")
		}
		r.answer(t, "ui_error")
		r.wantOpen(t, "")
	})
}
