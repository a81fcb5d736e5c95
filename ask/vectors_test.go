package ask_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/asktest"
)

// vector is one case of an ask vector file.
type vector struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind"`
	Input    json.RawMessage `json:"input"`
	Expected json.RawMessage `json:"expected"`
}

// The kinds that this package runs; the others belong to packages that draw,
// notify or read the clipboard.
var vectorKinds = map[string]func(*testing.T, vector){
	"prepare":        runPrepare,
	"validate":       runValidate,
	"normalize":      runNormalize,
	"flow":           runFlow,
	"nonTui":         runNonTUI,
	"format":         runFormat,
	"backgroundText": runBackgroundText,
	"previewFile":    runPreviewFile,
	"envelope":       runEnvelope,
	"renderCall":     runRenderCall,
	"renderResult":   runRenderResult,
	"remoteSubmit":   runRemoteSubmit,
}

func TestVectors(t *testing.T) {
	for _, file := range asktest.Files(t, asktest.Ask) {
		var content struct{ Cases []vector }
		if err := json.Unmarshal(file.Data, &content); err != nil {
			t.Fatalf("%s: %v", file.Name, err)
		}
		for _, v := range content.Cases {
			run, ours := vectorKinds[v.Kind]
			if !ours {
				continue
			}
			t.Run(file.Name+"/"+v.ID, func(t *testing.T) { run(t, v) })
		}
	}
}

// read decodes a part of a vector.
func read[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("reading the vector: %v", err)
	}
	return v
}

// sameJSON compares as JSON: order of names does not matter, absence does.
func sameJSON(t *testing.T, what string, got any, want json.RawMessage) {
	t.Helper()
	raw, err := ask.Marshal(got)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	var g, w any
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if !reflect.DeepEqual(fill(w), g) {
		t.Errorf("%s:\n got %s\nwant %s", what, raw, want)
	}
}

// fill puts the constant instruction where a vector has its stand-in.
func fill(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = fill(v[k])
		}
	case []any:
		for i := range v {
			v[i] = fill(v[i])
		}
	case string:
		if v == "<instruction>" {
			return instruction
		}
	}
	return v
}

const instruction = "Reply to the user's notes first, directly and briefly, using the question and option context given here. A note asks for clarification; it is not an answer. If a choice is still open after that, ask again about the affected questions only."

// formOf decodes and normalises; the error is that of either.
func formOf(payload json.RawMessage, multi bool) (ask.Form, error) {
	p, err := ask.Decode(payload)
	if err != nil {
		return ask.Form{}, err
	}
	f, err := ask.Normalize(p)
	if multi && err == nil {
		f = f.PresentSinglesAsMulti()
	}
	return f, err
}

func mustForm(t testing.TB, payload json.RawMessage, multi bool) ask.Form {
	t.Helper()
	f, err := formOf(payload, multi)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func runPrepare(t *testing.T, v vector) {
	in := read[struct{ Payload json.RawMessage }](t, v.Input)
	want := read[struct{ Payload json.RawMessage }](t, v.Expected)
	before := string(in.Payload)
	got := ask.Prepare(in.Payload)
	sameJSON(t, "payload", got, want.Payload)
	if string(in.Payload) != before {
		t.Errorf("the input was changed: %s", in.Payload)
	}
}

func runValidate(t *testing.T, v vector) {
	in := read[struct{ Payload json.RawMessage }](t, v.Input)
	want := read[struct {
		IssuePaths []string
		Title      string
	}](t, v.Expected)
	_, err := formOf(in.Payload, false)
	checkIssues(t, err, want.IssuePaths, want.Title)
}

func checkIssues(t *testing.T, err error, paths []string, title string) {
	t.Helper()
	if len(paths) == 0 {
		if err != nil {
			t.Errorf("unexpected error: %v", err)
		}
		return
	}
	invalid, ok := err.(*ask.InvalidInput)
	if !ok {
		t.Fatalf("got error %v, want an *InvalidInput", err)
	}
	var got []string
	for _, issue := range invalid.Issues {
		got = append(got, issue.Path)
	}
	if !reflect.DeepEqual(got, paths) {
		t.Errorf("issue paths:\n got %q\nwant %q", got, paths)
	}
	r := invalid.Result()
	textLines := strings.Split(r.AgentText(), "\n")
	if textLines[0] != "Invalid ask_user payload:" || len(textLines) != len(paths)+1 {
		t.Fatalf("agent text: %q", textLines)
	}
	for i, path := range paths {
		if !strings.HasPrefix(textLines[i+1], "- "+path+": ") {
			t.Errorf("line %q does not name %s", textLines[i+1], path)
		}
	}
	if r.Title != title || !r.Cancelled || r.Mode != ask.Submit || r.Error.Kind != "invalid_input" {
		t.Errorf("invalid result: %+v", r)
	}
}

func runNormalize(t *testing.T, v vector) {
	in := read[struct {
		Payload              json.RawMessage
		PresentSingleAsMulti bool
	}](t, v.Input)
	want := read[struct {
		Title     string
		Questions json.RawMessage
		RowLabels [][]string
	}](t, v.Expected)
	f := mustForm(t, in.Payload, in.PresentSingleAsMulti)
	if f.Title != want.Title {
		t.Errorf("title %q, want %q", f.Title, want.Title)
	}
	sameJSON(t, "questions", f.Questions, want.Questions)
	for i, q := range f.Questions {
		var rows []string
		for _, o := range q.Options {
			rows = append(rows, o.Label)
		}
		if rows = append(rows, ask.CustomRowLabel); !reflect.DeepEqual(rows, want.RowLabels[i]) {
			t.Errorf("rows %q, want %q", rows, want.RowLabels[i])
		}
	}
}

func runFlow(t *testing.T, v vector) {
	in := read[struct {
		Payload              json.RawMessage
		PresentSingleAsMulti bool
		Ops                  []op
	}](t, v.Input)
	want := read[struct {
		DraftAnswers, Position, Result, ImageBlocks json.RawMessage
		Summary, Transcript                         string
	}](t, v.Expected)
	p := newPlayer(mustForm(t, in.Payload, in.PresentSingleAsMulti))
	p.play(in.Ops)
	sameJSON(t, "draftAnswers", p.drafts, want.DraftAnswers)
	if !p.finished {
		t.Fatal("the ops did not end the form")
	}
	r := p.drafts.Result(p.ending)
	sameJSON(t, "result", r, want.Result)
	sameText(t, "summary", r.AgentText(), want.Summary)
	sameText(t, "transcript", r.Transcript(), want.Transcript)
	sameJSON(t, "imageBlocks", r.ImageBlocks(), want.ImageBlocks)
}

func sameText(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func runNonTUI(t *testing.T, v vector) {
	in := read[struct {
		Payload              json.RawMessage
		PresentSingleAsMulti bool
	}](t, v.Input)
	want := read[struct {
		ContentFirstLine string
		QuestionLines    []string
		Details          json.RawMessage
	}](t, v.Expected)
	r, text := ask.NotInteractive(mustForm(t, in.Payload, in.PresentSingleAsMulti))
	if first, _, _ := strings.Cut(text, "\n"); first != want.ContentFirstLine {
		t.Errorf("first line %q", first)
	}
	if !strings.Contains(text, "\n"+strings.Join(want.QuestionLines, "\n")+"\n") {
		t.Errorf("question lines missing in %q", text)
	}
	sameJSON(t, "details", r, want.Details)
}

func runFormat(t *testing.T, v vector) {
	in := read[struct{ Result ask.Result }](t, v.Input)
	want := read[struct {
		Summary, Transcript string
		ImageBlocks         json.RawMessage
	}](t, v.Expected)
	sameText(t, "summary", in.Result.AgentText(), want.Summary)
	sameText(t, "transcript", in.Result.Transcript(), want.Transcript)
	sameJSON(t, "imageBlocks", in.Result.ImageBlocks(), want.ImageBlocks)
}

func runBackgroundText(t *testing.T, v vector) {
	in := read[struct {
		RequestID string
		Result    *ask.Result
		Error     string
	}](t, v.Input)
	want := read[struct{ Text string }](t, v.Expected)
	sameText(t, "text", ask.BackgroundText(in.RequestID, in.Result, in.Error), want.Text)
}

// op is one step of a flow vector.
type op struct {
	Op        string
	N         int
	Delta     int
	Question  string
	Option    string
	Text      string
	Images    []ask.Image
	Action    string
	Confirmed bool
}

// player plays ops on drafts, with just as much of a form around them as the
// ops need: which tab and row are active and what the open editor is for.
type player struct {
	drafts        *ask.Drafts
	tab, row      int
	editing       string // "custom", "note", "optionNote"
	question, opt int    // of the editor
	ending        ask.Ending
	finished      bool
}

func newPlayer(f ask.Form) *player { return &player{drafts: ask.NewDrafts(f)} }

func (p *player) play(ops []op) {
	for _, o := range ops {
		p.step(o)
	}
}

func (p *player) step(o op) {
	switch o.Op {
	case "digit":
		p.digit(o.N)
	case "toggle":
		p.toggle(p.row)
	case "confirm":
		p.confirm()
	case "option":
		rows := len(p.drafts.Form().Questions[p.tab].Options) + 1
		p.row = (p.row + o.Delta + rows) % rows
	case "tab":
		tabs := len(p.drafts.Form().Questions) + 1
		p.tab, p.row = (p.tab+o.Delta+tabs)%tabs, 0
	case "changeType":
		if !p.drafts.TypeNeedsConfirm(p.tab) || o.Confirmed {
			p.drafts.ChangeType(p.tab)
		}
	case "finish":
		p.end(map[string]ask.Ending{"submit": ask.Submitted, "elaborate": ask.Elaborated, "cancel": ask.Cancelled}[o.Action])
	default:
		p.editor(o)
	}
}

func (p *player) editor(o op) {
	switch o.Op {
	case "openInput":
		p.open("custom", p.position(o.Question), 0)
	case "questionNote":
		p.open("note", p.position(o.Question), 0)
	case "optionNote":
		q := p.position(o.Question)
		for j, option := range p.drafts.Form().Questions[q].Options {
			if option.Value == o.Option {
				p.open("optionNote", q, j)
			}
		}
	case "images":
		switch p.editing {
		case "custom":
			p.drafts.SetCustomImages(p.question, o.Images)
		case "note":
			p.drafts.SetNoteImages(p.question, o.Images)
		case "optionNote":
			p.drafts.SetOptionNoteImages(p.question, p.opt, o.Images)
		}
	case "saveNote":
		if p.editing == "optionNote" {
			p.drafts.SaveOptionNote(p.question, p.opt, o.Text)
		} else {
			p.drafts.SaveNote(p.question, o.Text)
		}
	case "saveInput":
		p.drafts.SaveCustom(p.question, o.Text)
	case "submitInput":
		if p.drafts.SaveCustom(p.question, o.Text) && !p.multi(p.question) {
			p.tab, p.row = p.question+1, 0
		}
	default:
		panic(fmt.Sprintf("unknown op %q", o.Op))
	}
}

func (p *player) open(editing string, question, opt int) {
	p.editing, p.question, p.opt = editing, question, opt
}

func (p *player) position(id string) int {
	for i, q := range p.drafts.Form().Questions {
		if q.ID == id {
			return i
		}
	}
	panic("unknown question " + id)
}

func (p *player) multi(q int) bool { return p.drafts.Form().Questions[q].Shown() == ask.Multi }

func (p *player) end(e ask.Ending) {
	if !p.finished {
		p.ending, p.finished = e, true
	}
}

func (p *player) onReview() bool { return p.tab == len(p.drafts.Form().Questions) }

func (p *player) digit(n int) {
	switch {
	case p.onReview():
		p.end([]ask.Ending{ask.Submitted, ask.Elaborated, ask.Cancelled}[n-1])
	case n > len(p.drafts.Form().Questions[p.tab].Options) || p.multi(p.tab):
		p.toggle(n - 1)
	default:
		p.drafts.Pick(p.tab, n-1)
		p.tab, p.row = p.tab+1, 0
	}
}

func (p *player) toggle(row int) {
	switch custom := row == len(p.drafts.Form().Questions[p.tab].Options); {
	case custom && p.multi(p.tab) && p.drafts.At(p.tab).HasCustom():
		p.drafts.FlipCustom(p.tab)
	case custom:
		p.open("custom", p.tab, 0)
	default:
		p.drafts.Toggle(p.tab, row)
	}
}

func (p *player) confirm() {
	switch options := len(p.drafts.Form().Questions[p.tab].Options); {
	case p.row == options:
		p.open("custom", p.tab, 0)
	default:
		p.drafts.Pick(p.tab, p.row)
		p.tab, p.row = p.tab+1, 0
	}
}
