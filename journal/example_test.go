package journal_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

var databases = []ask.Option{{Value: "sqlite", Label: "SQLite"}, {Value: "pg", Label: "Postgres"}}

// A host without a session of its own keeps one in a file.
func ExampleOpenFile() {
	dir := must(os.MkdirTemp("", "journal"))
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "session.jsonl")
	ctx := context.Background()

	store := must(journal.OpenFile(path, nil))
	for _, p := range store.Problems() {
		fmt.Println("tell the user:", p)
	}
	must(store.Append(ctx, journal.Request{
		RequestID: "r1", CreatedAt: time.Now(),
		Questions: []ask.Question{{ID: "db", Label: "DB", Prompt: "Which database?", Type: ask.Single, Options: databases}},
	}.Entry())) // on the disk from here on
	store.Close()

	store = must(journal.OpenFile(path, nil)) // after a restart
	defer store.Close()
	for _, e := range must(store.Branch(ctx)) {
		if r, ok := journal.Decode(e).(journal.Request); ok {
			fmt.Println(r.RequestID, r.Questions[0].Prompt)
		}
	}
	// Output: r1 Which database?
}

func ExampleRecords() {
	ctx := context.Background()
	store := journal.NewMemory()
	must(store.Append(ctx, journal.Request{RequestID: "r1", CreatedAt: time.Unix(0, 0), Questions: []ask.Question{
		{ID: "db", Label: "DB", Prompt: "Which database?", Type: ask.Single, Options: databases},
		{ID: "ci", Label: "CI", Prompt: "Run tests where?", Type: ask.Single, Options: []ask.Option{{Value: "gh", Label: "GitHub"}}},
	}}.Entry()))
	must(store.Append(ctx, journal.Completed{Outcome: journal.Outcome{RequestID: "r1", Result: &ask.Result{
		Mode: ask.Submit, Answers: map[string]ask.Answer{"db": {Values: []string{"pg"}, Labels: []string{"Postgres"}, Indices: []int{1}}},
	}}}.Entry()))

	records := journal.Records(must(store.Branch(ctx)))
	for _, r := range records {
		fmt.Println(r.QuestionID, r.Status)
	}
	_, err := journal.Select(records, []journal.Key{{RequestID: "r1", QuestionID: "os"}})
	fmt.Println(err)
	// Output:
	// db answered
	// ci skipped
	// no such question on this branch: r1 / os
}

func ExampleMemory_MoveTo() {
	ctx := context.Background()
	store := journal.NewMemory()
	first := must(store.Append(ctx, journal.Entry{Type: "message"}))
	must(store.Append(ctx, journal.Entry{Type: "message"}))
	if err := store.MoveTo(first.ID); err != nil {
		panic(err)
	}
	other := must(store.Append(ctx, journal.Entry{Type: "message"}))
	_, generation := store.Leaf()
	fmt.Println(other.ParentID == first.ID, len(must(store.Branch(ctx))), generation)
	// Output: true 2 1
}

func ExampleMarkdown() {
	fmt.Printf("%s", journal.Markdown(journal.Records([]journal.Entry{journal.Request{
		RequestID: "r1", CreatedAt: time.Unix(0, 0),
		Questions: []ask.Question{{ID: "db", Label: "DB", Prompt: "Which database?", Type: ask.Single, Options: databases}},
	}.Entry()})))
	// Output:
	// # Questions and answers
	//
	// ## Question 1
	//
	// - Status: waiting
	// - Asked: 1970-01-01T00:00:00.000Z
	//
	// **Key**
	//
	// ```text
	// r1 / db
	// ```
	//
	// **Question**
	//
	// ```text
	// Which database?
	// ```
	//
	// **Options**
	//
	// ```text
	// 1. SQLite [sqlite]
	// 2. Postgres [pg]
	// ```
}

func ExampleExport() {
	dir := must(os.MkdirTemp("", "journal"))
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "answers.md")
	records := must(journal.ReadRecords("testdata/pi-1.6.0.jsonl"))
	fmt.Println(journal.Export(path, records))
	fmt.Println(journal.Export(path, records) != nil) // a new file only
	// Output:
	// <nil>
	// true
}

func ExampleOpenRequests() {
	open := must(journal.OpenRequests("testdata/pi-1.6.0.jsonl"))
	fmt.Println(len(open), "requests are open")
	// Output: 0 requests are open
}

func ExampleScan() {
	for e, err := range journal.Scan("testdata/pi-1.6.0.jsonl") { // newest first
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.CustomType)
	}
	// Output:
	// ask:background-answer
	// ask:history-completed
	// ask:history-request
	// ask:payload
}

func ExampleVerify() {
	report := must(journal.Verify("testdata/pi-1.6.0.jsonl"))
	fmt.Println(report.Entries, "entries,", report.Branch, "on the branch, clean:", report.Clean())
	// Output: 12 entries, 11 on the branch, clean: true
}
