package queue_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

// logged is a host, a store and a screen that write down what happens.
type logged struct {
	*journal.Memory
	mu   sync.Mutex
	log  []string
	bus  func(channel string, payload string)
	open func(ctx context.Context, form ask.Form, flow *queue.Flow) (ask.Result, error)
}

func (l *logged) say(what ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log = append(l.log, strings.TrimSpace(fmt.Sprintln(what...)))
}

func (l *logged) Append(ctx context.Context, e journal.Entry) (journal.Entry, error) {
	l.say("append", strings.TrimPrefix(e.CustomType, "ask:"))
	return l.Memory.Append(ctx, e)
}

func (l *logged) Open(ctx context.Context, form ask.Form, flow *queue.Flow) (ask.Result, error) {
	l.say("open", flow.ID())
	r, err := l.open(ctx, form, flow)
	l.say("closed")
	return r, err
}

func (l *logged) manager() *queue.Manager {
	l.Memory = journal.NewMemory()
	return queue.New(l, l, &queue.Options{Host: queue.Host{
		Abort: func() { l.say("abort") },
		Emit: func(channel string, payload json.RawMessage) {
			name := channel[strings.Index(channel, ":")+1:]
			var fields struct{ Active, OK *bool }
			_ = json.Unmarshal(payload, &fields)
			switch {
			case fields.Active != nil:
				l.say(name, *fields.Active)
			case fields.OK != nil:
				l.say(name, *fields.OK)
			default:
				l.say(name)
			}
			if l.bus != nil {
				l.bus(name, string(payload))
			}
		},
	}})
}

const submitA = `{"version":1,"requestId":"s","flowId":"tool:c1","response":{"kind":"answer","answers":{"q":{"values":["a"]}}}}`

func TestOrderOfACancelledForm(t *testing.T) {
	for _, from := range []string{"the person", "another program"} {
		t.Run(from, func(t *testing.T) {
			inBubble(t, func(t *testing.T, _ *rig) {
				l := &logged{}
				m := l.manager()
				l.open = func(ctx context.Context, form ask.Form, flow *queue.Flow) (ask.Result, error) {
					pause()
					if from == "the person" {
						r := ask.NewDrafts(form).Result(ask.Cancelled)
						flow.Complete(r)
						return r, nil
					}
					m.Submit([]byte(`{"version":1,"requestId":"s","flowId":"tool:c1","response":{"kind":"cancel"}}`))
					<-ctx.Done()
					return ask.Result{}, ctx.Err()
				}
				defer m.Close()
				if _, err := m.Ask(ctx, queue.Call{ID: "c1", Payload: question("c1")}); err != nil {
					t.Fatal(err)
				}
				want := []string{"append payload", "append history-request", "blocked true", "open tool:c1", "started", "completed",
					"closed", "blocked false", "abort", "append history-completed"}
				got := slices.DeleteFunc(slices.Clone(l.log), func(s string) bool { return strings.HasPrefix(s, "submit-result") })
				if i := slices.Index(got, "started"); i == 3 { // the form opens at the same time
					got[3], got[4] = got[4], got[3]
				}
				if !slices.Equal(got, want) {
					t.Errorf("got  %v\nwant %v", got, want)
				}
			})
		})
	}
}

func TestEventPayloads(t *testing.T) {
	inBubble(t, func(t *testing.T, _ *rig) {
		l := &logged{}
		events := map[string]map[string]any{}
		l.bus = func(name, payload string) {
			var fields map[string]any
			if err := json.Unmarshal([]byte(payload), &fields); err != nil {
				t.Error(err)
			}
			events[name] = fields
		}
		l.open = ends(ask.Submitted)
		m := l.manager()
		payload := question("c1")
		payload.Title = "  <Setup> "
		payload.Questions[0].Options[0].PreviewFile = " "
		if _, err := m.Ask(ctx, queue.Call{ID: "c1", Payload: payload}); err != nil {
			t.Fatal(err)
		}
		m.Close()
		done := events["completed"]
		if done["flowId"] != "tool:c1" || done["toolCallId"] != "c1" || done["source"] != "tool" || done["version"] != 1.0 {
			t.Errorf("completed: %v", done)
		}
		result := done["result"].(map[string]any)
		if _, has := result["requestId"]; has || result["title"] != "<Setup>" {
			t.Errorf("result in the event: %v", result)
		}
		if blocked := events["blocked"]; len(blocked) != 1 {
			t.Errorf("the last blocked signal says more than it should: %v", blocked)
		}
	})
}

func TestASubmitFromInsideTheStartedListener(t *testing.T) {
	inBubble(t, func(t *testing.T, _ *rig) {
		l := &logged{}
		m := l.manager()
		l.bus = func(name, _ string) {
			if name == "started" {
				m.Submit([]byte(submitA))
				panic("and then the listener fails")
			}
		}
		l.open = func(ctx context.Context, _ ask.Form, _ *queue.Flow) (ask.Result, error) {
			<-ctx.Done()
			return ask.Result{}, ctx.Err()
		}
		r, err := m.Ask(ctx, queue.Call{ID: "c1", Payload: question("c1")})
		if err != nil || !slices.Equal(r.Answers["q"].Labels, []string{"A"}) || !slices.Equal(r.Answers["q"].Indices, []int{1}) {
			t.Errorf("got %+v, %v", r.Answers, err)
		}
		m.Close()
		if i, j := slices.Index(l.log, "started"), slices.Index(l.log, "completed"); i < 0 || j < i {
			t.Errorf("order of events: %v", l.log)
		}
	})
}

func TestRefusedSubmits(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.asked("c1", true)
		r.asked("c2", true)
		event := func(flow, response string) string {
			return `{"version":1,"requestId":"s","flowId":"` + flow + `","response":` + response + `}`
		}
		for _, c := range []struct{ name, event, want string }{
			{"no JSON", `{`, "invalid_request"},
			{"no object", `[]`, "invalid_request"},
			{"queued, but not open", event("tool:c2", `{"kind":"cancel"}`), "flow_not_found"},
			{"no such option", event("tool:c1", `{"kind":"answer","answers":{"q":{"values":["x"]}}}`), "invalid_answer"},
			{"no such question", event("tool:c1", `{"kind":"answer","answers":{"constructor":{}}}`), "invalid_answer"},
			{"fine", event("tool:c1", `{"kind":"answer","answers":{}}`), "<nil>"},
			{"too late", event("tool:c1", `{"kind":"cancel"}`), "flow_not_found"},
		} {
			r.take()
			r.proc.manager.Submit(json.RawMessage(c.event))
			var replies []string
			for _, e := range r.take().events {
				if e.channel == "pi-agent-ask:submit-result" {
					replies = append(replies, fmt.Sprint(e.payload["error"]))
				}
			}
			if !slices.Equal(replies, []string{c.want}) {
				t.Errorf("%s: replies %v, want %s", c.name, replies, c.want)
			}
		}
		r.wantOpen(t, "r2")
	})
}

func TestARemoteCancelKeepsWhatWasEntered(t *testing.T) {
	inBubble(t, func(t *testing.T, _ *rig) {
		l := &logged{}
		m := l.manager()
		l.open = func(ctx context.Context, form ask.Form, flow *queue.Flow) (ask.Result, error) {
			d := ask.NewDrafts(form)
			d.Toggle(0, 1)
			flow.Present(func() *ask.Drafts { return d })
			m.Submit([]byte(`{"version":1,"requestId":"s","flowId":"tool:c1","response":{"kind":"cancel"}}`))
			return ask.Result{}, ctx.Err()
		}
		r, err := m.Ask(ctx, queue.Call{ID: "c1", Payload: question("c1")})
		if err != nil || !r.Cancelled || !slices.Equal(r.Answers["q"].Values, []string{"b"}) {
			t.Errorf("got %+v, %v", r, err)
		}
		m.Close()
	})
}

func TestAnAnswerWhileTheFormHasLostItsPlaceWins(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.asked("c1", true)
		r.editor = make(chan struct{})
		r.answer(t, "slot_replaced")
		if r.proc.form != nil {
			t.Fatal("the form did not wait for its place")
		}
		r.take()
		r.proc.manager.Submit([]byte(submitA))
		pause()
		close(r.editor)
		pause()
		got := r.take()
		if r.proc.form != nil || !slices.Equal(got.herdr, []bool{false}) || len(got.appended) != 2 {
			t.Errorf("signals %v, entries %d", got.herdr, len(got.appended))
		}
	})
}

func TestAFormThatLosesItsPlaceIsTheSameFlow(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.asked("c1", true)
		flow := r.proc.form.flow
		started := len(r.take().events)
		r.answer(t, "slot_replaced")
		r.answer(t, "slot_replaced")
		if r.proc.form == nil || r.proc.form.flow != flow {
			t.Error("another flow")
		}
		if got := r.take(); started != 1 || len(got.events) > 0 || len(got.herdr) > 0 {
			t.Errorf("events %v, signals %v", got.events, got.herdr)
		}
	})
}

func TestFlowsWithoutACallHaveIDsOfTheirOwn(t *testing.T) {
	inBubble(t, func(t *testing.T, _ *rig) {
		l := &logged{}
		var ids []string
		l.open = func(_ context.Context, form ask.Form, flow *queue.Flow) (ask.Result, error) {
			ids = append(ids, flow.ID())
			return ask.NewDrafts(form).Result(ask.Submitted), nil
		}
		m := l.manager()
		for range 2 {
			if err := asked(m); err != nil {
				t.Fatal(err)
			}
		}
		m.Close()
		if !strings.HasPrefix(ids[0], "flow:") || ids[0] == ids[1] {
			t.Errorf("ids %v", ids)
		}
	})
}
