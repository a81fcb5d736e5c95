package queue_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

// firstOption is a surface for examples: it takes the first option of every
// question. A real one is three lines around form.Run.
type firstOption struct{}

func (firstOption) Open(ctx context.Context, form ask.Form, flow *queue.Flow) (ask.Result, error) {
	answers := ask.NewDrafts(form)
	for q := range form.Questions {
		answers.Toggle(q, 0)
	}
	return answers.Result(ask.Submitted), nil
}

var storeQuestion = ask.Payload{Title: "Setup", Questions: []ask.Question{{
	ID: "store", Label: "Store", Prompt: "Where to keep the data?",
	Options: []ask.Option{{Value: "sqlite", Label: "SQLite"}, {Value: "pg", Label: "Postgres"}},
}}}

func ExampleManager_Ask() {
	m := queue.New(journal.NewMemory(), firstOption{}, nil)
	defer m.Close()
	result, err := m.Ask(context.Background(), queue.Call{Payload: storeQuestion})
	fmt.Println(result.AgentText(), err)
	// Output: Store: SQLite <nil>
}

func ExampleManager_Enqueue() {
	m := queue.New(journal.NewMemory(), firstOption{}, &queue.Options{NewID: func() string { return "r1" }})
	defer m.Close()
	receipt, err := m.Enqueue(context.Background(), queue.Call{Payload: storeQuestion})
	fmt.Println(receipt.RequestID, receipt.QuestionIDs, receipt.PendingRequests, err)
	// Output: r1 [store] 1 <nil>
}

func ExampleManager_Wait() {
	m := queue.New(journal.NewMemory(), firstOption{}, &queue.Options{NewID: func() string { return "r1" }})
	defer m.Close()
	_, _ = m.Enqueue(context.Background(), queue.Call{Payload: storeQuestion})
	answers, err := m.Wait(context.Background())
	fmt.Println(answers.RequestIDs, err)
	fmt.Println(answers.Content()[0].Text)
	// Output:
	// [r1] <nil>
	// Background answer [r1] — Setup:
	// Questions:
	// - [store] Store: Where to keep the data?
	// Response:
	// Store [store]: SQLite
}

func ExampleManager_TurnEnd() {
	ctx, session := context.Background(), journal.NewMemory()
	answered := make(chan string, 8)
	m := queue.New(session, firstOption{}, &queue.Options{Host: queue.Host{Status: func(text string) { answered <- text }}})
	defer m.Close()
	_, _ = m.Enqueue(ctx, queue.Call{Payload: storeQuestion})
	for text := range answered { // meanwhile the agent works
		if text == "" {
			break
		}
	}

	entries, goOn, _ := m.TurnEnd(ctx, nil)
	for _, e := range entries {
		_, _ = session.Append(ctx, e)
	}
	fmt.Println(len(entries), entries[0].CustomType, goOn)
	// Output: 1 ask:background-answer true
}

func ExampleManager_Resume() {
	ctx := context.Background()
	// The session of a process that died right after it had saved an answer.
	session := journal.NewMemory(
		journal.Queued{RequestID: "r1", Params: storeQuestion}.Entry(),
		journal.Completed{Outcome: journal.Outcome{RequestID: "r1", Error: "the terminal is gone"}}.Entry(),
	)
	told := make(chan journal.Entry, 1)
	m := queue.New(session, firstOption{}, &queue.Options{Host: queue.Host{
		Idle: func() bool { return true },
		Deliver: func(ctx context.Context, message journal.Entry, wake bool) error {
			told <- message
			return nil
		},
	}})
	defer m.Close()
	if err := m.Resume(ctx); err != nil {
		fmt.Println(err)
	}
	fmt.Println(string((<-told).Content))
	// Output: "Background answer [r1]:\nThe form failed: the terminal is gone"
}

func ExampleCard() {
	answers := firstOption{}
	form, _ := ask.Normalize(storeQuestion)
	result, _ := answers.Open(context.Background(), form, nil)
	for _, line := range queue.Card(journal.Outcome{RequestID: "r1", Result: &result}, 30, nil) {
		var text strings.Builder
		for _, span := range line {
			text.WriteString(span.Text)
		}
		fmt.Println(text.String())
	}
	// Output:
	// ──────────────────────────────
	// Setup · ✓ Answers received
	//
	//  Where to keep the data?
	//    → SQLite
	//
	// ──────────────────────────────
}
