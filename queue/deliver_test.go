package queue_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

func TestTheAnswerMessage(t *testing.T) {
	for _, c := range []struct {
		name    string
		end     ask.Ending
		content string
	}{
		{"with an image", ask.Submitted, `[{"type":"text","text":"Background answer [r1] — About c1:\nQuestions:\n- [q] Pick: Which one for c1?\nResponse:\n` +
			`Pick [q]: A\nPick [q] note: because [1 image]"},{"type":"text","text":"Image for [q] Which one for c1? — question note:"},` +
			`{"type":"image","mimeType":"image/png","data":"SECRETBYTES"}]`},
		{"cancelled", ask.Cancelled, `"Background answer [r1] — About c1:\nQuestions:\n- [q] Pick: Which one for c1?\nResponse:\nThe user cancelled the form; nothing was approved."`},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, _ *rig) {
				store := journal.NewMemory()
				m := queue.New(store, ends(c.end), &queue.Options{NewID: func() string { return "r1" }})
				if _, err := m.Enqueue(ctx, queue.Call{ID: "c1", Payload: question("c1")}); err != nil {
					t.Fatal(err)
				}
				pause()
				foreign := []journal.Entry{{Type: "custom", CustomType: "other:a"}, {Type: "custom", CustomType: "other:b"}}
				entries, cont, err := m.TurnEnd(ctx, foreign)
				if err != nil || len(entries) != 3 || cont != (c.end == ask.Submitted) {
					t.Fatalf("%d entries, continue %v, %v", len(entries), cont, err)
				}
				if entries[0].CustomType != "other:a" || entries[1].CustomType != "other:b" {
					t.Error("the entries of others are not in front")
				}
				e := entries[2]
				if e.Type != "custom_message" || e.CustomType != "ask:background-answer" || !e.Display || string(e.Content) != c.content {
					t.Errorf("message %s %s %v\n got %s\nwant %s", e.Type, e.CustomType, e.Display, e.Content, c.content)
				}
				branch, _ := store.Branch(ctx)
				if saved := branch[len(branch)-1]; string(saved.Data) != string(e.Details) {
					t.Errorf("details %s\ncompletion %s", e.Details, saved.Data)
				}
				var details map[string]map[string]any
				_ = json.Unmarshal(e.Details, &details)
				if _, has := details["result"]["requestId"]; has {
					t.Error("the result of a background form repeats the request id")
				}
				m.Close()
			})
		})
	}
}

func TestARefusedDeliveryIsTriedAtTheNextOccasion(t *testing.T) {
	inBubble(t, func(t *testing.T, _ *rig) {
		var tries int
		m := queue.New(journal.NewMemory(), ends(ask.Submitted), &queue.Options{Host: queue.Host{
			Idle: func() bool { return true },
			Deliver: func(context.Context, journal.Entry, bool) error {
				if tries++; tries == 2 {
					panic("a host with a bug")
				}
				return errors.New("not now")
			}}})
		defer m.Close()
		if err := m.Restore(ctx); err != nil {
			t.Fatal(err)
		}
		pause()
		if _, err := m.Enqueue(ctx, queue.Call{Payload: question("c1")}); err != nil {
			t.Fatal(err)
		}
		pause()
		if tries != 1 {
			t.Errorf("%d tries for one occasion", tries)
		}
		_ = m.Settled(ctx)
		_ = m.Idle(ctx)
		if tries != 3 {
			t.Errorf("%d tries for three occasions", tries)
		}
		if entries, _, err := m.TurnEnd(ctx, nil); err != nil || len(entries) != 1 {
			t.Errorf("the boundary got %d answers, %v", len(entries), err)
		}
	})
}

// A host may run the whole turn inside of Deliver, and the turn may ask.
func TestAHostThatRunsTheTurnInsideDeliver(t *testing.T) {
	inBubble(t, func(t *testing.T, _ *rig) {
		store := journal.NewMemory()
		var m *queue.Manager
		busy := false
		var asked []string
		host := queue.Host{Idle: func() bool { return !busy }}
		host.Deliver = func(_ context.Context, e journal.Entry, wake bool) error {
			busy = true
			if err := m.TurnStart(ctx); err != nil {
				return err
			}
			if _, err := store.Append(ctx, e); err != nil {
				return err
			}
			if len(asked) == 0 {
				r, err := m.Ask(ctx, queue.Call{Payload: question("inner")})
				if err != nil {
					return err
				}
				asked = append(asked, r.Title)
			}
			_, _, err := m.TurnEnd(ctx, nil)
			busy = false
			return errors.Join(err, m.Settled(ctx))
		}
		m = queue.New(store, ends(ask.Submitted), &queue.Options{Host: host})
		defer m.Close()
		for range 3 {
			if _, err := m.Enqueue(ctx, queue.Call{Payload: question("outer")}); err != nil {
				t.Fatal(err)
			}
		}
		pause()
		branch, _ := store.Branch(ctx)
		told := deliveries(branch)
		if len(told) != 3 || !slices.Equal(asked, []string{"About inner"}) {
			t.Errorf("told %v, asked %v", told, asked)
		}
		for id, n := range told {
			if n != 1 {
				t.Errorf("%s was told %d times", id, n)
			}
		}
	})
}

func TestCancelledAnswersGoFirstAndOneAnswerWakes(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.agent.compacting = true
		for i, how := range []string{"cancel", "submit", "cancel", "submit"} {
			r.asked(string(rune('a'+i)), true)
			r.answer(t, how)
		}
		r.agent.compacting = false
		r.take()
		r.settle(t)
		var sent []string
		for _, s := range r.take().sent {
			sent = append(sent, s.request)
		}
		if !slices.Equal(sent, []string{"r1", "r2"}) || !r.agent.busy {
			t.Errorf("sent to the idle agent: %v", sent)
		}
		if err := r.proc.manager.TurnStart(ctx); err != nil {
			t.Fatal(err)
		}
		boundary, cont := r.turnEnd(t)
		if len(boundary) != 2 || boundary[0].request != "r3" || boundary[1].request != "r4" || !cont {
			t.Errorf("at the first boundary: %v, %v", boundary, cont)
		}
		r.recordWake()
		for _, id := range []string{"r1", "r2", "r3", "r4"} {
			r.wantTold(t, id, 1)
		}
	})
}

func TestTheStatusLine(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		for i, want := range []string{"Questions pending: 1", "Questions pending: 2"} {
			r.asked(string(rune('a'+i)), true)
			if r.status != want {
				t.Errorf("got %q, want %q", r.status, want)
			}
		}
		r.answer(t, "submit")
		r.answer(t, "submit")
		if r.status != "" {
			t.Errorf("at the end: %q", r.status)
		}
	})
}

func TestASessionThatCannotBeReadIsAnError(t *testing.T) {
	m := queue.New(brokenStore{}, ends(ask.Submitted), nil)
	defer m.Close()
	_, enqueue := m.Enqueue(ctx, queue.Call{Payload: question("c1")})
	_, _, boundary := m.TurnEnd(ctx, nil)
	_, wait := m.Wait(ctx)
	for name, err := range map[string]error{"resume": m.Resume(ctx), "turn start": m.TurnStart(ctx), "settled": m.Settled(ctx),
		"idle": m.Idle(ctx), "turn end": boundary, "ask": asked(m), "enqueue": enqueue, "wait": wait} {
		if !errors.Is(err, errDisk) || !strings.HasPrefix(err.Error(), "queue: read the session: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type brokenStore struct{}

func (brokenStore) Append(context.Context, journal.Entry) (journal.Entry, error) {
	return journal.Entry{}, errDisk
}
func (brokenStore) Branch(context.Context) ([]journal.Entry, error) { return nil, errDisk }
func (brokenStore) Leaf() (string, uint64)                          { return "", 0 }
