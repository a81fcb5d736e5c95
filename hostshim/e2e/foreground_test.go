//go:build unix

package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

const (
	stores   = `"options":[{"value":"pg","label":"Postgres"},{"value":"lite","label":"SQLite"}]`
	oneStore = `{"questions":[{"id":"db","prompt":"Which store?",` + stores + `}]}`
	answered = "ask:payload, ask:history-request, ask:history-completed, result ask_user, assistant"
	refused  = "call ask_user, result ask_user, assistant"
)

// foregroundCases are single calls of ask_user: what the user does, and what
// comes of it.
var foregroundCases = []struct {
	name, args string
	sees       string   // on the form
	keys       []string // then Submit is pressed in Review, unless over
	over       bool
	text       string            // what the model was told, without the line of the request id
	row        string            // in the transcript
	holds      map[string]string // by path in the details
	story      string
}{
	{
		name: "single", args: oneStore, sees: "2. ( ) SQLite", keys: []string{"Down", "Enter"},
		text: "Q1: SQLite", row: "✓ Q1: SQLite", story: "call ask_user, " + answered,
		holds: map[string]string{"answers.db.values.0": "lite", "answers.db.labels.0": "SQLite", "answers.db.indices.0": "2", "mode": "submit", "cancelled": "false"},
	},
	{
		name: "multi", sees: "3. [ ] Docs",
		args: `{"title":"Setup","questions":[{"id":"x","label":"Extras","type":"multi","prompt":"Which extras?","options":[` +
			`{"value":"ci","label":"CI"},{"value":"lint","label":"Lint"},{"value":"docs","label":"Docs"}]}]}`,
		keys: []string{"3", "1", "Enter"}, text: "Extras: CI, Docs", row: "✓ Extras: CI, Docs", story: "call ask_user, " + answered,
		holds: map[string]string{"title": "Setup", "answers.x.values.1": "docs", "answers.x.indices.0": "1"},
	},
	{
		name: "preview from text and from a file", sees: "second line of the file",
		args: `{"questions":[{"id":"l","type":"preview","prompt":"Which layout?","options":[` +
			`{"value":"f","label":"From file","previewFile":"layout.txt"},{"value":"t","label":"From text","preview":"typed preview"}]}]}`,
		keys: []string{"Enter"}, text: "Q1: From file", row: "✓ Q1: From file", story: "call ask_user, " + answered,
		holds: map[string]string{"questions.0.type": "preview"},
	},
	{
		name: "free text", args: oneStore, sees: "3. ( ) Type your own", keys: []string{"3", "my 2nd own", "Enter"},
		text: "Q1: my 2nd own", row: "✓ Q1: (wrote) my 2nd own", story: "call ask_user, " + answered,
		holds: map[string]string{"answers.db.customText": "my 2nd own", "answers.db.values.0": "my 2nd own"},
	},
	{
		name: "notes", args: oneStore, sees: "1. ( ) Postgres",
		keys: []string{"n", "why not", "Enter", "N", "be quick", "Enter", "Enter"},
		text: "Q1: Postgres\nQ1 note: be quick\nQ1 / Postgres note: why not", row: "Postgres note: why not", story: "call ask_user, " + answered,
		holds: map[string]string{"answers.db.note": "be quick", "answers.db.optionNotes.pg": "why not"},
	},
	{
		name: "elaborate", args: oneStore, sees: "1. ( ) Postgres", keys: []string{"Down", "n", "locks?", "Enter", "Tab", "2", "2"}, over: true,
		text: `User asked to elaborate on question "Which store?" option "SQLite" with note "locks?"`, row: "User asked to elaborate",
		holds: map[string]string{"mode": "elaborate", "elaboration.items.0.note": "locks?", "continuation.strategy": "refine_only"},
		story: "call ask_user, " + answered,
	},
	{
		name: "a label made of the value", sees: "1. ( ) In memory cache",
		args: `{"questions":[{"id":"c","prompt":"Which cache?","options":[{"value":"in-memory-cache"},{"value":"none","label":" "}]}]}`,
		keys: []string{"2"}, text: "Q1: None", row: "✓ Q1: None", story: "call ask_user, " + answered,
	},
	{
		name: "invalid input", over: true,
		args: `{"questions":[{"id":"a","prompt":"One?",` + stores + `},{"id":"a","prompt":"Two?",` + stores + `}]}`,
		text: `Invalid ask_user payload:` + "\n" + `- questions[1].id: question 2 repeats the id "a"`, row: "Invalid tool payload", story: refused,
		holds: map[string]string{"error.kind": "invalid_input", "error.issues.0.path": "questions[1].id", "cancelled": "true"},
	},
	{
		name: "a field is missing", over: true, args: `{"questions":[{"id":"a",` + stores + `}]}`,
		text: `Validation failed for tool "ask_user"`, row: "Validation failed", story: "call ask_user, error ask_user, assistant",
	},
	{
		name: "options mangled by the provider", over: true, args: `{"questions":[{"id":"a","prompt":"One?","options":[{"text":"A"},{}]}]}`,
		text: `options.1.value`, row: "Validation failed", story: "call ask_user, error ask_user, assistant",
	},
}

var requestLine = regexp.MustCompile(`^ask_user \[[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\]\n`)

func TestForeground(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		b := newBox(t, mode, newModel(t))
		b.write("layout.txt", "first line\nsecond line of the file\n", 0o644)
		b.startSized(100, 40).ready()
		var rows []string
		for _, c := range foregroundCases {
			if testing.Short() && c.name != "single" && c.name != "invalid input" {
				continue
			}
			b.sub(c.name, func() {
				pi, m := b.pi, b.model
				before := len(b.session())
				n := m.script(ask(c.args), say("Thanks for "+c.name+"."))
				pi.prompt("please ask: " + c.name)
				if c.sees != "" {
					pi.form(c.sees)
					pi.keys(c.keys...)
					if !c.over {
						pi.sees("❯ 1. Submit")
						pi.keys("Enter")
					}
				}
				told := m.request(n + 2)
				pi.sees("Thanks for "+c.name+".", c.row)
				b.until("the turn is saved", func() bool { return strings.HasSuffix(b.session().story(), "assistant") })
				s := b.session()[before:]
				result := s.of("result ask_user")
				text := told.result()
				if strings.Contains(c.story, "ask:payload") {
					if !requestLine.MatchString(text) {
						t.Errorf("the model is not told the request id: %q", text)
					}
					text = requestLine.ReplaceAllString(text, "")
				}
				if text != c.text && (len(result) > 0 || !strings.Contains(text, c.text)) {
					b.t.Errorf("the model was told %q, want %q", text, c.text)
				}
				if got := s.story(); !strings.HasSuffix(got, "user, "+c.story) {
					b.t.Errorf("session: %s; want at the end: user, %s", got, c.story)
				}
				for path, want := range c.holds {
					if got := fmt.Sprint(at(result[0].Message.Details, path)); got != want {
						b.t.Errorf("details %s = %s, want %s", path, got, want)
					}
				}
				rows = append(rows, c.row)
			})
		}
		b.quit()
		// The rows are the same after a restart, collapsed and expanded.
		pi := b.startSized(100, 200, "-c")
		pi.sees(rows...)
		pi.keys("C-o")
		pi.sees(rows...)
		pi.keys("C-o")
		pi.sees(rows...)
	})
}

func TestPreviewFileIsSavedAsText(t *testing.T) {
	parallel(t)
	m := newModel(t, ask(`{"questions":[{"id":"l","type":"preview","prompt":"Layout?","options":[{"value":"f","label":"F","previewFile":"l.txt"}]}]}`), say("Done."))
	b := newBox(t, "regular", m)
	b.write("l.txt", "the text\n", 0o644)
	pi := b.start("start")
	pi.form("the text")
	saved := b.session().of("ask:payload")[0].Data
	if strings.Contains(string(saved), "previewFile") || at(saved, "params.questions.0.options.0.preview") != "the text\n" {
		t.Errorf("payload: %s", saved)
	}
	pi.pick("1")
	pi.sees("Done.")
}

func TestCancelStopsTheAgent(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(oneStore))
		b := newBox(t, mode, m)
		pi := b.start("start")
		pi.form("Which store?")
		pi.keys("Esc")
		pi.loses("Which store?")
		pi.sees("Cancelled")
		b.holds(1, "aborted")
		m.stays(1)
		m.then(say("All right."))
		pi.prompt("go on")
		if got := requestLine.ReplaceAllString(m.request(2).result(), ""); got != "The user cancelled the form; nothing was approved." {
			t.Errorf("the model was told %q", got)
		}
		pi.sees("All right.")
		if got := b.session().story(); !strings.Contains(got, "ask:history-completed, result ask_user, aborted, user") {
			t.Errorf("session: %s", got)
		}
	})
}

func TestADirtyFormAsksBeforeItIsThrownAway(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(oneStore))
	b := newBox(t, "fullscreen", m)
	pi := b.start("start")
	pi.form("Which store?")
	pi.keys("Space", "C-c")
	pi.sees("Repeat the same action", "Which store?")
	pi.keys("C-c")
	pi.loses("Which store?")
	b.holds(1, "aborted")
}

// Two calls in one message: one form after the other, each result with its
// call.
func TestTwoCallsInOneMessage(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		slow(t)
		second := strings.Replace(oneStore, "Which store?", "Which mirror?", 1)
		m := newModel(t, ask(oneStore).and("ask_user", second), say("Both known."))
		b := newBox(t, mode, m)
		pi := b.start("start")
		pi.form("Which store?")
		pi.pick("1")
		pi.form("Which mirror?")
		pi.pick("2")
		told := m.request(2).Messages
		a, z := told[len(told)-2], told[len(told)-1]
		if !strings.HasSuffix(a.text(), "Q1: Postgres") || !strings.HasSuffix(z.text(), "Q1: SQLite") || a.ToolCallID == z.ToolCallID {
			t.Errorf("the model was told %q and %q", a.text(), z.text())
		}
		pi.sees("Both known.")
	})
}

// Code that the model writes gets the result as an object.
func TestCodemodeGetsTheStructuredResult(t *testing.T) {
	slow(t)
	parallel(t)
	code := `const r = await tools.ask_user(` + oneStore + `); return "values=" + r.answers.db.values.join() + " wait=" + ("wait_for_answers" in tools) + " id=" + (typeof r.requestId);`
	m := newModel(t, use("codemode", fmt.Sprintf(`{"code":%q}`, code)), say("Run."))
	b := newBox(t, "fullscreen", m)
	pi := b.start("--tools", "+codemode", "start")
	pi.form("Which store?")
	pi.keys("Down", "Enter", "Enter")
	if got := m.request(2).result(); !strings.Contains(got, "values=lite wait=false id=string") {
		t.Errorf("the code has returned %q", got)
	}
	pi.sees("Run.")
	if got := b.session().story(); !strings.Contains(got, "call codemode, ask:payload, ask:history-request, ask:history-completed, result codemode") {
		t.Errorf("session: %s", got)
	}
}

// The whole questions list as a string (some providers do that): accepted or
// refused with words, never an empty form.
func TestQuestionsAsAString(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(`{"questions":"[{\"id\":\"a\",\"prompt\":\"One?\"}]"}`), say("I see."))
	b := newBox(t, "regular", m)
	pi := b.start("start")
	if got := m.request(2).result(); !strings.Contains(got, "questions") || !strings.Contains(got, `Validation failed for tool "ask_user"`) {
		t.Errorf("the model was told %q", got)
	}
	pi.sees("I see.")
}

// What the model is offered: both tools, without a schema that providers
// mangle.
func TestToolsOfTheModel(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, say("Hello."))
	b := newBox(t, "regular", m)
	b.start("start").sees("Hello.")
	first := m.request(1)
	found := 0
	for _, tool := range first.Tools {
		if tool.Function.Name == "ask_user" || tool.Function.Name == "wait_for_answers" {
			found++
			if strings.Contains(string(tool.Function.Parameters), "anyOf") {
				t.Errorf("%s has anyOf: %s", tool.Function.Name, tool.Function.Parameters)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d of our tools are offered, want 2", found)
	}
	for _, text := range []string{"Ask the user a short structured form", "A cancelled, waiting or clarification outcome of ask_user is not approval."} {
		if !strings.Contains(first.raw, text) {
			t.Errorf("the system prompt lacks %q", text)
		}
	}
}
