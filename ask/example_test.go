package ask_test

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"testing/fstest"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

const setup = `{"title": "Setup", "questions": [
	{"id": "store", "label": "Store", "prompt": "Where to keep data?", "options": [
		{"value": "sqlite", "label": "SQLite"}, {"value": "pg", "label": "Postgres"}]},
	{"id": "extras", "label": "Extras", "prompt": "Which extras?", "type": "multi", "options": [
		{"value": "ci", "label": "CI"}, {"value": "docs", "label": "Docs"}, {"value": "lint", "label": "Lint"}]}]}`

func setupForm() ask.Form {
	payload, err := ask.Decode([]byte(setup))
	if err != nil {
		panic(err)
	}
	form, err := ask.Normalize(payload)
	if err != nil {
		panic(err)
	}
	return form
}

func Example() {
	drafts := ask.NewDrafts(setupForm())
	drafts.Pick(0, 1)
	drafts.Toggle(1, 2)
	drafts.Toggle(1, 0)
	drafts.SaveCustom(1, "Fuzzing")
	drafts.SaveNote(1, "all of them in CI")
	fmt.Println(drafts.Result(ask.Submitted).AgentText())
	// Output:
	// Store: Postgres
	// Extras: CI, Lint, Fuzzing
	// Extras note: all of them in CI
}

func ExampleNormalize() {
	form, err := ask.Normalize(ask.Payload{Questions: []ask.Question{{
		ID: "tone", Prompt: "Which tone?",
		Options: []ask.Option{{Value: "dry", Label: "Dry"}, {Value: "warm", Label: "Warm"}},
	}}})
	fmt.Println(form.Questions[0].Label, form.Questions[0].Type, err)
	// Output: Q1 single <nil>
}

func ExampleNormalize_issues() {
	_, err := ask.Normalize(ask.Payload{Questions: []ask.Question{
		{ID: "a", Prompt: "A?", Options: []ask.Option{{Value: "x", Label: "X"}}},
		{ID: "a", Prompt: "B?", Type: "grid"},
	}})
	fmt.Println(err)
	// Output:
	// Invalid ask_user payload:
	// - questions[1].type: question 2 has the unknown type "grid"; use single, multi or preview
	// - questions[1].id: question 2 repeats the id "a"
	// - questions[1].options: question 2 has no options
}

func ExampleDecode() {
	_, err := ask.Decode([]byte(`{"questions": [{"id": "a", "prompt": "A?", "options": [{"text": "X"}, "Y"]}]}`))
	fmt.Println(err)
	// Output:
	// Invalid ask_user payload:
	// - questions[0].options[0].value: question 1, option 1 has no value
	// - questions[0].options[0].label: question 1, option 1 has no label
	// - questions[0].options[1]: expected an option such as {"value": "a", "label": "A"}, found a string
}

func ExamplePrepare() {
	fmt.Printf("%s\n", ask.Prepare([]byte(`{"questions":[{"options":[{"value":"dry_run"}]}]}`)))
	// Output: {"questions":[{"options":[{"value":"dry_run","label":"Dry run"}]}]}
}

// files is an ask.FS in memory.
type files struct{ fstest.MapFS }

func (f files) Stat(name string) (fs.FileInfo, error) { return f.MapFS.Stat(name[1:]) }

func (f files) Open(name string) (io.ReadCloser, error) { return f.MapFS.Open(name[1:]) }

func ExampleLoadPreviews() {
	disk := files{fstest.MapFS{"project/wide.txt": {Data: []byte("|  |  |\n")}}}
	params, err := ask.LoadPreviews([]byte(`{"questions":[{"id":"a","prompt":"A?","options":[{"value":"w","label":"W","previewFile":"wide.txt"}]}]}`), "/project", disk)
	fmt.Printf("%s %v\n", params, err)
	// Output: {"questions":[{"id":"a","prompt":"A?","options":[{"value":"w","label":"W","preview":"|  |  |\n"}]}]} <nil>
}

func ExampleDrafts_ChangeType() {
	drafts := ask.NewDrafts(setupForm())
	drafts.ChangeType(0) // single is now presented as multi
	drafts.Toggle(0, 0)
	drafts.Toggle(0, 1)
	fmt.Println(drafts.TypeNeedsConfirm(0), drafts.NextType(0))
	fmt.Println(drafts.Result(ask.Submitted).Transcript())
	// Output:
	// true single
	// ✓ Store: SQLite, Postgres
	// ? Extras: (no answer)
	//   Note: some answers were given on questions presented as multi-select (the user's choice).
}

func ExampleDrafts_Result() {
	drafts := ask.NewDrafts(setupForm())
	drafts.Pick(0, 1)
	drafts.SaveOptionNote(0, 0, "locks?")
	fmt.Println(drafts.Result(ask.Elaborated).AgentText())
	fmt.Println(drafts.Result(ask.Cancelled).AgentText())
	// Output:
	// User asked to elaborate on question "Where to keep data?" option "SQLite" (current answer: "Postgres") with note "locks?"
	// The user cancelled the form; nothing was approved.
}

func ExampleNotInteractive() {
	_, text := ask.NotInteractive(ask.Form{Questions: setupForm().Questions[:1]})
	fmt.Println(text)
	// Output:
	// Needs user input: ask_user requires interactive TUI mode.
	// Ask these questions in the chat instead, or repeat the call in interactive TUI mode:
	// 1. Store: Where to keep data?
	//    - SQLite [sqlite]
	//    - Postgres [pg]
	//    - Type your own [custom]
	// details.questions lists the pending questions; details.answers is empty because nobody has answered.
}

func ExampleBackgroundText() {
	drafts := ask.NewDrafts(setupForm())
	drafts.Pick(0, 0)
	result := drafts.Result(ask.Submitted)
	fmt.Println(ask.BackgroundText("r1", &result, ""))
	fmt.Println(ask.BackgroundText("r2", nil, "the terminal went away"))
	// Output:
	// Background answer [r1] — Setup:
	// Questions:
	// - [store] Store: Where to keep data?
	// - [extras] Extras: Which extras?
	// Response:
	// Store [store]: SQLite
	// Extras [extras]: (no answer)
	// Background answer [r2]:
	// The form failed: the terminal went away
}

func ExampleEnvelope() {
	drafts := ask.NewDrafts(setupForm())
	drafts.Pick(0, 0)
	result := drafts.Result(ask.Submitted)
	fmt.Println(ask.Envelope("r1", result.AgentText(), result).Content[0].Text)
	fmt.Println(ask.NewReceipt("r2", setupForm(), 3).QuestionIDs)
	// Output:
	// ask_user [r1]
	// Store: SQLite
	// Extras: (no answer)
	// [store extras]
}

func ExampleCallRow() {
	for _, s := range ask.CallRow([]byte(setup)) {
		fmt.Printf("%s %q\n", s.Role, s.Text)
	}
	// Output:
	// toolTitle "ask_user "
	// muted "2 question(s)"
	// dim " (Store, Extras)"
}

func ExampleResultRow() {
	fmt.Println(ask.ResultRow([]byte(`{"cancelled":true,"mode":"submit","questions":[],"answers":{}}`), nil))
	// Output: [{warning false Cancelled}]
}

func ExampleParseSubmit() {
	drafts := ask.NewDrafts(setupForm())
	submission, err := ask.ParseSubmit([]byte(`{"version":1,"requestId":"b-1","flowId":"tool:1",
		"response":{"kind":"answer","answers":{"extras":{"values":["lint","ci"]}}}}`))
	if err == nil && submission.FlowID != "tool:1" {
		err = ask.FlowNotFound()
	}
	var ending ask.Ending
	if err == nil {
		ending, err = submission.Apply(drafts)
	}
	reply, _ := json.Marshal(submission.Reply(err))
	fmt.Printf("%s\n%s\n", reply, drafts.Result(ending).AgentText())
	// Output:
	// {"version":1,"requestId":"b-1","flowId":"tool:1","ok":true}
	// Store: (no answer)
	// Extras: CI, Lint
}

func ExampleMarshal() {
	raw, err := ask.Marshal(ask.Result{Mode: ask.Submit, Title: "a < b"})
	fmt.Printf("%s %v\n", raw, err)
	// Output: {"title":"a < b","cancelled":false,"mode":"submit","questions":[],"answers":{}} <nil>
}
