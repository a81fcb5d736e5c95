package queue_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

func normalized(p ask.Payload) []ask.Question {
	form, err := ask.Normalize(p)
	if err != nil {
		panic(err)
	}
	return form.Questions
}

// outcomeOf is an outcome for the form of payloadFor(call).
func outcomeOf(id, call string, e ask.Ending) journal.Outcome {
	form, _ := ask.Normalize(payloadFor(call))
	d := ask.NewDrafts(form)
	d.Toggle(0, 0)
	r := d.Result(e)
	return journal.Outcome{RequestID: id, Result: &r}
}

// TestWhichCallIsRecovered builds sessions by hand and starts on them.
func TestWhichCallIsRecovered(t *testing.T) {
	call := func(id string) func(*rig) {
		return func(r *rig) { r.assistant("ask_user", id, payloadFor(id)) }
	}
	entry := func(d journal.Data) func(*rig) { return func(r *rig) { r.record(d.Entry()) } }
	request := func(id, call string) func(*rig) {
		return entry(journal.Request{RequestID: id, ToolCallID: call, Questions: normalized(payloadFor(call))})
	}
	bad := payloadFor("c1")
	bad.Questions[0].Prompt = " "
	for _, c := range []struct {
		name    string
		session []func(*rig)
		open    string
		prompt  string
		sent    []string // follow-ups
	}{
		{"nothing", nil, "", "", nil},
		{"a call", []func(*rig){call("c1")}, "recovery:c1", "", nil},
		{"another tool", []func(*rig){func(r *rig) { r.assistant("write", "c1", payloadFor("c1")) }}, "", "", nil},
		{"a result of any tool", []func(*rig){call("c1"), func(r *rig) {
			r.message(map[string]any{"role": "toolResult", "toolCallId": "c1", "toolName": "x", "isError": true})
		}}, "", "", nil},
		{"a result before the call", []func(*rig){func(r *rig) {
			r.message(map[string]any{"role": "toolResult", "toolCallId": "c1"})
		}, call("c1")}, "recovery:c1", "", nil},
		{"a message that was cut short", []func(*rig){func(r *rig) {
			r.message(map[string]any{"role": "assistant", "stopReason": "aborted", "content": []any{
				map[string]any{"type": "toolCall", "id": "c1", "name": "ask_user", "arguments": payloadFor("c1")}}})
		}}, "", "", nil},
		{"saved parameters before arguments", []func(*rig){call("c1"), entry(journal.Payload{ToolCallID: "c1", Params: payloadFor("other")})},
			"recovery:c1", "Which one for other?", nil},
		{"older parameters when the newer are bad", []func(*rig){call("c1"), entry(journal.Payload{ToolCallID: "c1", Params: payloadFor("old")}),
			entry(journal.Payload{ToolCallID: "c1", Params: bad})}, "recovery:c1", "Which one for old?", nil},
		{"arguments that cannot be used", []func(*rig){call("c0"), func(r *rig) { r.assistant("ask_user", "c1", bad) }}, "recovery:c0", "", nil},
		{"arguments with a preview file that is gone", []func(*rig){func(r *rig) {
			p := payloadFor("c1")
			p.Questions[0].Options[0].PreviewFile = "/nowhere/at/all"
			r.assistant("ask_user", "c1", p)
		}}, "", "", nil},
		{"the last call of a message first", []func(*rig){func(r *rig) {
			r.message(map[string]any{"role": "assistant", "stopReason": "toolUse", "content": []any{
				map[string]any{"type": "toolCall", "id": "c1", "name": "ask_user", "arguments": payloadFor("c1")},
				map[string]any{"type": "toolCall", "id": "c2", "name": "ask_user", "arguments": payloadFor("c2")}}})
		}}, "recovery:c2", "", nil},
		{"a queued entry that the queue does not accept", []func(*rig){call("c1"), request("r1", "c1"),
			entry(journal.Queued{RequestID: "r1", ToolCallID: "c1", Params: bad})}, "recovery:c1", "", nil},
		{"saved outcomes are told in order, then an older call opens", []func(*rig){call("c1"), call("c2"), request("r2", "c2"),
			entry(journal.Completed{Outcome: outcomeOf("r2", "c2", ask.Submitted)}), call("c3"), request("r3", "c3"),
			entry(journal.Completed{Outcome: journal.Outcome{RequestID: "r3", Error: "no screen"}})},
			"recovery:c1", "", []string{"c2: A", "The form failed: no screen"}},
		{"only the newest request of a call counts", []func(*rig){call("c1"), request("r1", "c1"),
			entry(journal.Completed{Outcome: outcomeOf("r1", "c1", ask.Submitted)}), request("r2", "c1")}, "recovery:c1", "", nil},
		{"a follow-up that is missing", []func(*rig){call("c1"), request("r1", "c1"), entry(journal.Completed{Outcome: outcomeOf("r1", "c1", ask.Submitted)}),
			entry(journal.Dismissed{ToolCallID: "c1", RequestID: "r1", Delivery: journal.DeliverFollowUp})}, "", "", []string{"c1: A"}},
		{"a follow-up with the dismissal's own result", []func(*rig){call("c1"),
			entry(journal.Dismissed{ToolCallID: "c1", Delivery: journal.DeliverFollowUp, Result: outcomeOf("", "c1", ask.Submitted).Result})}, "", "", []string{"c1: A"}},
		{"a follow-up that is there", []func(*rig){call("c1"), entry(journal.Dismissed{ToolCallID: "c1", Delivery: journal.DeliverFollowUp,
			Result: outcomeOf("", "c1", ask.Submitted).Result}), func(r *rig) { r.userMessage("so: c1: A") }}, "", "", nil},
		{"a dismissal that sends nothing", []func(*rig){call("c1"), entry(journal.Dismissed{ToolCallID: "c1", Delivery: journal.DeliverNone})}, "", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, r *rig) {
				for _, step := range c.session {
					step(r)
				}
				r.resume(true)
				r.wantOpen(t, c.open)
				if c.prompt != "" && r.proc.form.form.Questions[0].Prompt != c.prompt {
					t.Errorf("prompt %q, want %q", r.proc.form.form.Questions[0].Prompt, c.prompt)
				}
				var sent []string
				for _, u := range r.sends {
					sent = append(sent, u.text)
				}
				if !slices.Equal(sent, c.sent) {
					t.Errorf("follow-ups %q, want %q", sent, c.sent)
				}
			})
		})
	}
}

func TestRecoveredFormsComeBeforeTheQueue(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.asked("c1", true)
		r.asked("c2", false)
		r.stop(true)
		r.editor = make(chan struct{})
		r.resume(true)
		r.wantOpen(t, "")
		close(r.editor)
		r.wantOpen(t, "recovery:c2")
		r.answer(t, "submit")
		r.wantOpen(t, "r1")
		r.asked("c3", true)
		r.answer(t, "submit")
		r.wantOpen(t, "r3")
	})
}

func TestAQueueThatWaitsForTheEditorIsNotOvertaken(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.asked("c1", true)
		r.stop(true)
		r.editor = make(chan struct{})
		r.resume(true)
		r.asked("c2", true)
		r.wantOpen(t, "")
		if got := r.take(); len(got.herdr) != 1 { // from the first process
			t.Errorf("signals %v", got.herdr)
		}
		close(r.editor)
		r.wantOpen(t, "r1")
	})
}

func TestARecoveredFormEndsWithItsSession(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.asked("c1", false)
		r.stop(true)
		r.resume(true)
		r.take()
		entries := len(r.branch())
		if err := r.proc.manager.Restore(ctx); err != nil {
			t.Fatal(err)
		}
		r.wantOpen(t, "")
		if got := r.take(); len(r.branch()) != entries || len(got.notices) > 0 || !slices.Equal(got.herdr, []bool{false}) {
			t.Errorf("notices %v, signals %v", got.notices, got.herdr)
		}
		r.resume(true)
		r.wantOpen(t, "recovery:c1")
	})
}

func TestARecoveredAnswerIsSavedBeforeItIsSent(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.asked("c1", false)
		r.stop(true)
		r.resume(true)
		r.failures = []string{journal.TypeCompleted}
		r.take()
		r.answer(t, "submit")
		got := r.take()
		if !slices.Equal(got.notices, []string{"saveFailed"}) || len(got.appended) > 0 || len(got.users) > 0 {
			t.Fatalf("notices %v, %d entries, messages %v", got.notices, len(got.appended), got.users)
		}
		r.agent.busy = true
		if err := r.proc.manager.TurnStart(ctx); err != nil {
			t.Fatal(err)
		}
		got = r.take()
		if len(got.appended) != 2 || len(got.users) != 1 || !got.users[0].followUp {
			t.Errorf("%d entries, messages %v", len(got.appended), got.users)
		}
	})
}

func TestAReloadKeepsAnAnswerThatIsNotSavedYet(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.userMessage("hello")
		root, _ := r.store().Leaf()
		r.asked("c1", true)
		queued, _ := r.store().Leaf()
		r.failures = []string{journal.TypeCompleted, journal.TypeCompleted}
		r.answer(t, "submit")
		if err := r.proc.manager.Restore(ctx); err != nil { // a reload
			t.Fatal(err)
		}
		r.wantOpen(t, "") // it was answered
		for _, leaf := range []string{root, queued} {
			if err := r.store().MoveTo(leaf); err != nil {
				t.Fatal(err)
			}
			if err := r.proc.manager.Restore(ctx); err != nil {
				t.Fatal(err)
			}
			r.wantOpen(t, "")
		}
		if n := types(r.store()); slices.Contains(n, "history-completed") {
			t.Fatalf("saved too early: %v", n)
		}
		r.settle(t)
		r.recordWake()
		r.wantTold(t, "r1", 1)
	})
}

func TestRecoveredTextsCarryImages(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		var content []ask.Block
		r.assistant("ask_user", "c1", payloadFor("c1"))
		var notices []queue.Notice
		m := queue.New(r.session, ends(ask.Submitted), &queue.Options{Host: queue.Host{
			SendUser: func(_ context.Context, blocks []ask.Block, followUp bool) error { content = blocks; return nil },
			Notice:   func(n queue.Notice) { notices = append(notices, n) },
		}})
		if err := m.Resume(ctx); err != nil {
			t.Fatal(err)
		}
		pause()
		m.Close()
		raw, _ := json.Marshal(content)
		if len(content) != 3 || content[0].Text != "c1: A\nc1 note: because [1 image]" || !strings.Contains(string(raw), "SECRETBYTES") {
			t.Errorf("content %s", raw)
		}
		want := queue.Notice{Kind: "recoveryOpened", Text: "An earlier form is still unanswered (1 question(s)); it is opened again."}
		if len(notices) != 1 || notices[0] != want {
			t.Errorf("notices %+v", notices)
		}
	})
}
