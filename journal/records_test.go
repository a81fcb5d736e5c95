package journal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

var asked = time.Date(2026, 8, 3, 14, 0, 0, 0, time.UTC)

func question(id string) ask.Question {
	return ask.Question{ID: id, Label: "L " + id, Prompt: "P " + id + "?", Type: ask.Single,
		Options: []ask.Option{{Value: "x", Label: "X"}, {Value: "y", Label: "Y"}}}
}

func request(id string, questions ...string) journal.Entry {
	r := journal.Request{RequestID: id, ToolCallID: "c", Title: "T", CreatedAt: asked}
	for _, q := range questions {
		r.Questions = append(r.Questions, question(q))
	}
	return r.Entry()
}

func completed(id string, r *ask.Result, failure string) journal.Entry {
	return journal.Completed{Outcome: journal.Outcome{RequestID: id, Result: r, Error: failure}}.Entry()
}

func answers(a map[string]ask.Answer) *ask.Result { return &ask.Result{Mode: ask.Submit, Answers: a} }

var picked = ask.Answer{Values: []string{"x"}, Labels: []string{"X"}, Indices: []int{1}}

// The status table: the first condition that applies decides.
func TestStatusOfAQuestion(t *testing.T) {
	image := []ask.Image{{ID: "i", MimeType: "image/png", Data: "AA=="}}
	item := func(id string) []ask.Item {
		return []ask.Item{{Target: ask.Target{Kind: "question"}, Note: "why?",
			Question: ask.ItemQuestion{ID: id, Type: ask.Single, Options: []ask.Option{}}}}
	}
	elaborate := func(affected []string, items []ask.Item) *ask.Result {
		return &ask.Result{Mode: ask.Elaborate, Answers: map[string]ask.Answer{"a": picked},
			Continuation: &ask.Continuation{Strategy: "refine_only", AffectedQuestionIDs: affected},
			Elaboration:  &ask.Elaboration{NextAction: "clarify_then_reask", Items: items}}
	}
	for _, c := range []struct {
		name   string
		result *ask.Result
		err    string
		want   journal.Status
	}{
		{"form failed", nil, "no tty", journal.Failed},
		{"form failed, with a result", answers(map[string]ask.Answer{"a": picked}), "no tty", journal.Failed},
		{"cancelled", &ask.Result{Cancelled: true}, "", journal.Cancelled},
		{"cancelled with a draft", &ask.Result{Cancelled: true, Answers: map[string]ask.Answer{"a": picked}}, "", journal.Cancelled},
		{"elaborate, affected", elaborate([]string{"a"}, item("b")), "", journal.Clarification},
		{"elaborate, note on it", elaborate(nil, item("a")), "", journal.Clarification},
		{"elaborate without notes", elaborate(nil, nil), "", journal.Clarification},
		{"elaborate, notes on others", elaborate([]string{"b"}, item("b")), "", journal.Answered},
		{"option chosen", answers(map[string]ask.Answer{"a": picked}), "", journal.Answered},
		{"own text", answers(map[string]ask.Answer{"a": {CustomText: "t"}}), "", journal.Answered},
		{"picture", answers(map[string]ask.Answer{"a": {CustomImages: image}}), "", journal.Answered},
		{"blank text", answers(map[string]ask.Answer{"a": {CustomText: " \u2003\n"}}), "", journal.Skipped},
		{"note only", answers(map[string]ask.Answer{"a": {Note: "n", NoteImages: image}}), "", journal.Skipped},
		{"nothing", answers(nil), "", journal.Skipped},
	} {
		records := journal.Records([]journal.Entry{request("r", "a"), completed("r", c.result, c.err)})
		if len(records) != 1 || records[0].Status != c.want || records[0].Error != c.err {
			t.Errorf("%s: %+v, want %s", c.name, records, c.want)
		}
	}
	if r := journal.Records([]journal.Entry{request("r", "a")}); r[0].Status != journal.Waiting || r[0].Mode != "" || r[0].Answer != nil {
		t.Errorf("no outcome: %+v", r)
	}
}

func TestRecordsOfABranch(t *testing.T) {
	shown := answers(map[string]ask.Answer{"a": picked, "b": {Note: "n"}})
	shown.Questions = []ask.ResultQuestion{{ID: "a", Type: ask.Single, PresentedType: ask.Multi}}
	branch := []journal.Entry{
		completed("r2", answers(nil), ""),           // before its request: the request is what counts
		completed("nobody", answers(nil), ""),       // without one: ignored
		request("r1", "old"),                        // replaced below, keeps its place
		request("r2", "c"),                          //
		request("r1", "a", "b"),                     //
		completed("r1", &ask.Result{}, "first try"), // the last one wins
		completed("r1", shown, ""),
		{Type: "custom", CustomType: journal.TypeCompleted, Data: json.RawMessage(`{"version":2,"requestId":"r1","error":"newer"}`)},
		{Type: "custom", CustomType: journal.TypeRequest, Data: json.RawMessage(`{"version":1,"requestId":"r9"}`)},
		{Type: "custom", CustomType: "other", Data: json.RawMessage(`{}`)},
		{Type: "message", CustomType: journal.TypeCompleted, Data: completed("r1", nil, "no custom entry").Data},
	}
	got := journal.Records(branch)
	raw, err := ask.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	options := `"required":false,"options":[{"value":"x","label":"X"},{"value":"y","label":"Y"}]}`
	want := `[{"requestId":"r1","questionId":"a","title":"T","background":false,"question":{"id":"a","label":"L a","prompt":"P a?","type":"single","presentedType":"multi",` + options +
		`,"status":"answered","mode":"submit","answer":{"values":["x"],"labels":["X"],"indices":[1]},"createdAt":"2026-08-03T14:00:00.000Z"},` +
		`{"requestId":"r1","questionId":"b","title":"T","background":false,"question":{"id":"b","label":"L b","prompt":"P b?","type":"single",` + options +
		`,"status":"skipped","mode":"submit","answer":{"values":[],"labels":[],"indices":[],"note":"n"},"createdAt":"2026-08-03T14:00:00.000Z"},` +
		`{"requestId":"r2","questionId":"c","title":"T","background":false,"question":{"id":"c","label":"L c","prompt":"P c?","type":"single",` + options +
		`,"status":"skipped","mode":"submit","createdAt":"2026-08-03T14:00:00.000Z"}]`
	if string(raw) != want {
		t.Errorf("got\n%s\nwant\n%s", raw, want)
	}
	if raw, _ := ask.Marshal(journal.Records(nil)); string(raw) != "[]" {
		t.Errorf("no records: %s", raw)
	}
}

func TestSelectingRecords(t *testing.T) {
	records := journal.Records([]journal.Entry{request("r1", "a", "b"), request("r2", "a")})
	key := func(r, q string) journal.Key { return journal.Key{RequestID: r, QuestionID: q} }
	for _, c := range []struct {
		name string
		keys []journal.Key
		want []int
		err  string
	}{
		{"everything", nil, []int{0, 1, 2}, ""},
		{"in journal order, each once", []journal.Key{key("r2", "a"), key("r1", "b"), key("r2", "a")}, []int{1, 2}, ""},
		{"an empty selection", []journal.Key{}, nil, "nothing selected: pass at least one key, or none at all for everything"},
		{"an unknown key", []journal.Key{key("r1", "a"), key("r2", "b")}, nil, "no such question on this branch: r2 / b"},
	} {
		got, err := journal.Select(records, c.keys)
		if c.err != "" {
			if err == nil || err.Error() != c.err || got != nil {
				t.Errorf("%s: %v, %v", c.name, got, err)
			}
			continue
		}
		var keys, want []journal.Key
		for _, r := range got {
			keys = append(keys, r.Key)
		}
		for _, i := range c.want {
			want = append(want, records[i].Key)
		}
		if err != nil || !slices.Equal(keys, want) {
			t.Errorf("%s: %v, %v", c.name, keys, err)
		}
	}
}

func TestImagesOfARecord(t *testing.T) {
	image := func(id string) []ask.Image { return []ask.Image{{ID: id, MimeType: "image/png", Data: id + "=="}} }
	r := answers(map[string]ask.Answer{
		"a": {Values: []string{"y"}, Labels: []string{"Y"}, Indices: []int{2}, CustomImages: image("1"), NoteImages: image("2"),
			OptionNoteImages: map[string][]ask.Image{"y": append(image("3"), image("1")...)}},
		"b": {CustomImages: image("4")},
	})
	records := journal.Records([]journal.Entry{request("r", "a", "b"), completed("r", r, "")})
	raw, _ := ask.Marshal(records[0].ImageBlocks())
	want := `[{"type":"text","text":"Image for [a] P a? — custom answer:"},{"type":"image","mimeType":"image/png","data":"1=="},` +
		`{"type":"text","text":"Image for [a] P a? — question note:"},{"type":"image","mimeType":"image/png","data":"2=="},` +
		`{"type":"text","text":"Image for [a] P a? — option note for Y:"},{"type":"image","mimeType":"image/png","data":"3=="}]`
	if string(raw) != want {
		t.Errorf("got\n%s\nwant\n%s", raw, want)
	}
	cancelled := *r
	cancelled.Cancelled = true
	for name, e := range map[string]journal.Entry{"cancelled": completed("r", &cancelled, ""), "failed": completed("r", r, "no tty")} {
		if blocks := journal.Records([]journal.Entry{request("r", "a"), e})[0].ImageBlocks(); len(blocks) > 0 {
			t.Errorf("%s: %v", name, blocks)
		}
	}
	elaborated := &ask.Result{Mode: ask.Elaborate, Elaboration: &ask.Elaboration{NextAction: "clarify", Items: []ask.Item{
		{Target: ask.Target{Kind: "question"}, Question: ask.ItemQuestion{ID: "b", Prompt: "P b?", Type: ask.Single, Options: []ask.Option{}}, Images: image("5")},
		{Target: ask.Target{Kind: "question"}, Question: ask.ItemQuestion{ID: "a", Prompt: "P a?", Type: ask.Single, Options: []ask.Option{}}, Images: image("6")}}}}
	records = journal.Records([]journal.Entry{request("r", "a"), completed("r", elaborated, "")})
	if b := records[0].ImageBlocks(); len(b) != 2 || b[1].Data != "6==" {
		t.Errorf("elaborated: %v", b)
	}
}

func TestMarkdownHoldsForeignTextFast(t *testing.T) {
	nasty := "a ```` b\n## Question 9\n```\n\x1b[31m</details>"
	q := question("a")
	q.Prompt = nasty
	req := journal.Request{RequestID: "r", Title: nasty, CreatedAt: asked, Background: true, Questions: []ask.Question{q}}
	image := []ask.Image{{ID: "1", MimeType: "image/png", Data: "iVBORw0="}, {ID: "2", MimeType: "x) [y", Data: "AA=="}, {ID: "3", MimeType: "a/b", Data: "](z"}}
	r := answers(map[string]ask.Answer{"a": {Values: []string{"x", nasty}, Labels: []string{"X", nasty}, Indices: []int{1}, CustomText: nasty,
		CustomImages: image, Note: nasty, OptionNotes: map[string]string{"x": "n"}, OptionNoteImages: map[string][]ask.Image{"y": image[:1]}}})
	text := string(journal.Markdown(journal.Records([]journal.Entry{req.Entry(), completed("r", r, "")})))
	if n := strings.Count(text, "\n`````text\n"+nasty+"\n`````\n"); n != 4 {
		t.Errorf("%d fenced blocks, want 4 (title, prompt, answer, note)\n%s", n, text)
	}
	rest := strings.ReplaceAll(text, "\n`````text\n"+nasty+"\n`````\n", "")
	for _, want := range []string{"## Question 1\n", "- Status: answered\n", "**Answer**\n\n```text\nX\n```\n",
		"![Answer, image 1](data:image/png;base64,iVBORw0=)\n", "```text\ndata:x) [y;base64,AA==\n```", "```text\ndata:a/b;base64,](z\n```",
		"**Note on the option**\n\n```text\nX\n```\n\n**Note**\n\n```text\nn\n```\n", "![Note, image 1](data:image/png;base64,iVBORw0=)"} {
		if !strings.Contains(rest, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(rest, "## Question 9") || strings.Contains(rest, "\x1b") {
		t.Errorf("foreign text outside of a fence:\n%s", text)
	}
}

func TestExportMakesANewFileOnly(t *testing.T) {
	dir := t.TempDir()
	records := journal.Records([]journal.Entry{request("r", "a")})
	path := filepath.Join(dir, "out.md")
	if err := journal.Export(path, records); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 || string(text) != string(journal.Markdown(records)) {
		t.Errorf("mode %v, text %q", info.Mode(), text)
	}
	for _, p := range []string{path, filepath.Join(dir, "gone", "out.md"), dir} {
		if err := journal.Export(p, nil); err == nil || !strings.Contains(err.Error(), p) {
			t.Errorf("%s: %v", p, err)
		}
	}
	if after, _ := os.ReadFile(path); string(after) != string(text) {
		t.Error("an existing file was changed")
	}
}

// A session that pi 1.6.0 wrote: messages, a fork, a compaction, entries of
// other extensions, ids behind the data.
func TestSessionWrittenByPi(t *testing.T) {
	const pi = "testdata/pi-1.6.0.jsonl"
	const id = "3f0c3f8e-6a53-4d0e-9f2e-0a5f7e1c9b01"
	records, err := journal.ReadRecords(pi)
	if err != nil || len(records) != 1 || records[0].Status != journal.Answered || records[0].RequestID != id || records[0].Answer.Labels[0] != "Postgres" {
		t.Errorf("records %+v, %v", records, err)
	}
	if open, err := journal.OpenRequests(pi); err != nil || len(open) != 0 {
		t.Errorf("open %v, %v", open, err)
	}
	report, err := journal.Verify(pi)
	if err != nil || !report.Clean() || report.Entries != 12 || report.Branch != 11 || report.Version != 3 {
		t.Errorf("report %+v, %v", report, err)
	}
	text, _ := os.ReadFile(pi)
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := journal.OpenFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	branch, _ := f.Branch(t.Context())
	if got := journal.Records(branch); len(got) != 1 || got[0].Status != journal.Answered || got[0].Key != records[0].Key {
		t.Errorf("records of the store %+v", got)
	}
	var calls []journal.ToolCall
	var said []string
	for _, e := range branch {
		if m, ok := journal.ReadMessage(e); ok {
			calls = append(calls, m.ToolCalls...)
			said = append(said, m.Role+": "+m.Text)
			if m.Role == "toolResult" && (m.ToolCallID != "call_1" || m.ToolName != "ask_user" || m.IsError || string(m.Details) != "{}") {
				t.Errorf("tool result %+v", m)
			}
		}
	}
	want := []string{"user: Set up the store, please.", "assistant: First a question.", "toolResult: ask_user [" + id + "]\nQ1: Postgres"}
	if !slices.Equal(said, want) || len(calls) != 1 || calls[0].ID != "call_1" || calls[0].Name != "ask_user" || !json.Valid(calls[0].Arguments) {
		t.Errorf("messages %q, calls %+v", said, calls)
	}
	add(t, f, request("r2", "a"))
	after, _ := os.ReadFile(path)
	if !strings.HasPrefix(string(after), string(text)) {
		t.Error("lines of the host have changed")
	}
}

func TestMessagesOfOddShapes(t *testing.T) {
	for message, want := range map[string]journal.Message{
		`{"role":"user","content":"a"}`:            {Role: "user", Text: "a"},
		`{"role":"user"}`:                          {Role: "user"},
		`{"role":"user","content":{"a":1}}`:        {Role: "user"},
		`{"role":"user","content":[1,{"type":5}]}`: {Role: "user"},
		`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","data":"x"},{"type":"text","text":"b"}]}`: {Role: "user", Text: "a\nb"},
	} {
		got, ok := journal.ReadMessage(journal.Entry{Type: "message", Message: json.RawMessage(message)})
		if !ok || got.Role != want.Role || got.Text != want.Text || got.ToolCalls != nil {
			t.Errorf("%s: %+v %v", message, got, ok)
		}
	}
	for _, e := range []journal.Entry{{Type: "message"}, {Type: "message", Message: json.RawMessage(`[]`)}, {Type: "message", Message: json.RawMessage(`{}`)},
		{Type: "custom", Message: json.RawMessage(`{"role":"user"}`)}} {
		if m, ok := journal.ReadMessage(e); ok {
			t.Errorf("%+v is no message: %+v", e, m)
		}
	}
}
