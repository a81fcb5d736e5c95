package main

import (
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

// quick answers every form with its first option.
type quick struct{}

func (quick) Open(_ context.Context, f ask.Form, _ *queue.Flow) (ask.Result, error) {
	d := ask.NewDrafts(f)
	d.Toggle(0, 0)
	return d.Result(ask.Submitted), nil
}

// TestGoesOnFromEveryPoint runs the agent to its end, and again from every
// beginning of that session, as if it had been killed there.
func TestGoesOnFromEveryPoint(t *testing.T) {
	whole := finish(t, nil)
	for i := range whole {
		finish(t, whole[:i])
	}
}

func finish(t *testing.T, begun []journal.Entry) []journal.Entry {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	session := journal.NewMemory(begun...)
	if err := newAgent(session, quick{}, io.Discard, time.Microsecond).run(ctx); err != nil {
		t.Fatalf("begun with %d entries: %v", len(begun), err)
	}
	branch, _ := session.Branch(ctx)
	told := map[string]int{} // by prompt-free question id
	for _, e := range branch {
		m, _ := journal.ReadMessage(e)
		count(told, e.Details)
		if m.Role == "toolResult" && !m.IsError {
			count(told, m.Details)
			var waited struct{ Results []json.RawMessage }
			_ = json.Unmarshal(m.Details, &waited)
			for _, o := range waited.Results {
				count(told, o)
			}
		}
		if m.Role == "user" && m.Text != "" {
			told[map[string]string{"Q1: SQLite": "store", "Q1: MIT": "licence", "Q1: tests": "ci"}[m.Text]]++
		}
	}
	for _, id := range []string{"store", "licence", "ci"} {
		if told[id] != 1 {
			t.Errorf("begun with %d entries: the answer to %s was told %d times", len(begun), id, told[id])
		}
	}
	return branch
}

// count adds the questions that a result, or an outcome with one, answers.
func count(told map[string]int, raw json.RawMessage) {
	var d struct {
		Answers map[string]json.RawMessage
		Result  struct{ Answers map[string]json.RawMessage }
	}
	_ = json.Unmarshal(raw, &d)
	for id := range d.Answers {
		told[id]++
	}
	for id := range d.Result.Answers {
		told[id]++
	}
}
