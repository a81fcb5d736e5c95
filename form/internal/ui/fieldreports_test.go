package ui_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rivo/uniseg"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/files"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/ui"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// What went wrong for people with forms like this one, as steps on ours.

const (
	oneStore = `{"questions":[{"id":"db","prompt":"Which store?","options":[{"value":"pg","label":"Postgres"},{"value":"lite","label":"SQLite"}]}]}`
	twoXY    = `{"questions":[{"id":"a","prompt":"First?","options":[{"value":"x","label":"X"},{"value":"y","label":"Y"}]},
		{"id":"b","prompt":"Second?","options":[{"value":"x","label":"X"},{"value":"y","label":"Y"}]}]}`
	pickAny = `{"questions":[{"id":"m","type":"multi","prompt":"Pick any","options":[{"value":"a","label":"Alpha"},{"value":"b","label":"Beta"},{"value":"c","label":"Gamma"}]}]}`
)

func open(t testing.TB, payload string, opt ...ui.Options) *host {
	t.Helper()
	return newHost(t, normalize(t, []byte(payload)), append(opt, ui.Options{})[0])
}

// numbered is a payload with questions of one kind and numbered options.
func numbered(questions, options int) string {
	var q []string
	for i := range questions {
		var o []string
		for j := range options {
			o = append(o, fmt.Sprintf(`{"value":"o%d","label":"Option %d"}`, j+1, j+1))
		}
		q = append(q, fmt.Sprintf(`{"id":"q%d","label":"Q%d","prompt":"Question %d?","options":[%s]}`, i+1, i+1, i+1, strings.Join(o, ",")))
	}
	return `{"questions":[` + strings.Join(q, ",") + `]}`
}

func longPreview() string {
	var lines []string
	for i := range 65 {
		lines = append(lines, fmt.Sprintf("line %02d", i+1))
	}
	return `{"questions":[{"id":"p","type":"preview","prompt":"Which layout?","options":[{"value":"l","label":"Left","preview":"` +
		strings.Join(lines, `\n`) + `"},{"value":"r","label":"Right","preview":"one line"}]}]}`
}

// has fails unless every text is on the screen.
func (h *host) has(texts ...string) *host {
	h.t.Helper()
	all := strings.Join(h.text(), "\n")
	for _, text := range texts {
		if !strings.Contains(all, text) {
			h.t.Fatalf("%q is not on the screen:\n%s", text, all)
		}
	}
	return h
}

func (h *host) lacks(texts ...string) *host {
	h.t.Helper()
	all := strings.Join(h.text(), "\n")
	for _, text := range texts {
		if strings.Contains(all, text) {
			h.t.Fatalf("%q is on the screen:\n%s", text, all)
		}
	}
	return h
}

// answer is the answer that submitting now would give.
func (h *host) answer(id string) ask.Answer {
	h.t.Helper()
	return h.state.Drafts().Result(ask.Submitted).Answers[id]
}

func (h *host) ended(want bool) *host {
	h.t.Helper()
	if h.state.Ended() != want {
		h.t.Fatalf("ended: %v", !want)
	}
	return h
}

// values fails unless the question's answer is these values.
func (h *host) values(id string, want ...string) *host {
	h.t.Helper()
	if got := h.answer(id).Values; !slices.Equal(got, want) {
		h.t.Fatalf("%s is answered with %q, not %q", id, got, want)
	}
	return h
}

func TestTypingForTenMinutesIsNoTimeOut(t *testing.T) {
	h := open(t, oneStore).steps("3", "text:long thou", "wait:600000").ended(false)
	h.steps("text:ght", "enter", "1", "1").ended(true).values("db", "long thought")
}

func TestOneEscapeThrowsNothingAway(t *testing.T) {
	for name, steps := range map[string][]string{
		"an answer":       {"1"},
		"only a note":     {"n", "text:why", "enter"},
		"an unsaved text": {"3", "text:draft"},
	} {
		t.Run(name, func(t *testing.T) {
			leave := "esc"
			if name == "an unsaved text" {
				leave = "ctrl+c"
			}
			h := open(t, twoXY).steps(steps...).steps(leave).ended(false).has("Repeat the same action to discard")
			if h.state.Drafts().Empty() && name != "an unsaved text" {
				t.Fatal("the answers are gone")
			}
			h.steps(leave).ended(true)
			if !h.state.Result().Cancelled || !h.state.StopAgent() {
				t.Fatal("the form was not cancelled")
			}
		})
	}
	open(t, twoXY).steps("1", "esc").has("Repeat the same").steps("tab").lacks("Repeat the same").steps("esc").ended(false)
	off := settings.Default()
	off.Behaviour.ConfirmDismissWhenDirty = false
	open(t, twoXY, ui.Options{Settings: off}).steps("1", "esc").ended(true)
}

func TestEveryLineOfALongPreviewCanBeReached(t *testing.T) {
	for _, size := range []string{"size:100x24", "size:80x24", "size:60x12", "size:40x10", "size:60x10"} {
		t.Run(size, func(t *testing.T) {
			h := open(t, longPreview()).steps(size)
			h.has("/") // a position sign says that there is more
			seen := map[string]bool{}
			for range 80 {
				for _, l := range h.text() {
					if i := strings.Index(l, "line "); i >= 0 {
						seen[l[i:i+7]] = true
					}
				}
				h.steps("pageDown")
			}
			if len(seen) != 65 {
				t.Fatalf("%d of 65 lines were ever shown", len(seen))
			}
			if h.state.Option() != 0 || !h.state.Drafts().Empty() {
				t.Fatal("scrolling moved the cursor or answered")
			}
			h.steps("up").has("❯ 1. ( ) Left")
		})
	}
}

func TestALongPreviewPushesNothingOffTheScreen(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {60, 10}, {100, 12}, {42, 10}} {
		h := open(t, longPreview())
		h.resize(size[0], size[1])
		h.has("Which layout?", "❯ 1. ( ) Left", "question type", "←")
		if n := len(h.text()); n > size[1] {
			t.Fatalf("%d lines at %v", n, size)
		}
	}
}

func TestDigitsInATextAreText(t *testing.T) {
	h := open(t, oneStore).steps("3", "text:15:00", "enter")
	h.values("db", "15:00")
	for _, key := range []string{"n", "shift+n"} {
		h := open(t, oneStore).steps(key, "text:15:00", "enter")
		if h.state.Drafts().Answered(0) {
			t.Fatalf("digits of the note of %s became an answer", key)
		}
		h.has("Note: 15:00")
	}
	h = open(t, oneStore).steps("3", "1") // the editor is empty, and still an editor
	if _, text, _ := h.state.Editing(); text != "1" {
		t.Fatalf("the text is %q", text)
	}
}

func TestKeysTypedBeforeTheFormOpenedAreNoAnswer(t *testing.T) {
	guarded := ui.Options{Quiet: 300 * time.Millisecond, Max: time.Second}
	h := open(t, oneStore, guarded).steps("1", "enter", "enter", "paste:1\n", "esc", "ctrl+c").ended(false).has("· 1.")
	if h.state.Tab() != 0 || !h.state.Drafts().Empty() {
		t.Fatal("early keys reached the form")
	}
	h.steps("wait:300").has("❯ 1.").steps("1").values("db", "pg")

	h = open(t, oneStore, guarded)
	for range 17 { // a letter every 60 ms
		h.steps("x", "wait:60")
	}
	if !h.state.Ready() {
		t.Fatal("a burst of keys holds the form closed")
	}
}

func TestFreeTextStaysWithItsQuestion(t *testing.T) {
	h := open(t, twoXY).steps("3", "text:aaa", "esc", "tab", "3")
	if q, text, open := h.state.Editing(); !open || q != 1 || text != "" {
		t.Fatalf("the editor of question %d holds %q", q, text)
	}
	h.steps("shift+tab").has("aaa")
	h.values("a", "aaa")
}

func TestAMultiSelectCanBeSent(t *testing.T) {
	h := open(t, pickAny).has("Space toggle", "Enter continue").steps("space", "down", "enter")
	h.has("Review answers", "→ Alpha").steps("enter").ended(true).values("m", "a")
}

func TestAnEmptyMultiSelectIsShownAsUnanswered(t *testing.T) {
	h := open(t, pickAny).steps("enter").has("→ unanswered").steps("enter").ended(true)
	r := h.state.Result()
	if len(r.Answers) != 0 || !strings.Contains(r.AgentText(), "(no answer)") {
		t.Fatalf("%+v\n%s", r.Answers, r.AgentText())
	}
}

func TestTheFirstTickDoesNotSend(t *testing.T) {
	auto := settings.Default()
	auto.Behaviour.AutoSubmitWhenAnsweredWithoutNotes = true
	open(t, pickAny, ui.Options{Settings: auto}).steps("1").ended(false).values("m", "a").steps("enter").ended(true)
}

func TestAListTallerThanTheScreen(t *testing.T) {
	h := open(t, numbered(1, 40)).steps("size:80x12")
	for i := range 45 {
		h.steps("down")
		row := min(i+2, 41)
		h.has(fmt.Sprintf("❯ %d. ", row))
		if row == 41 {
			break // the free-text editor is open
		}
		h.has("/43")
	}
	h.has("Type answer...").steps("esc", "9").values("q1", "o9")
}

func TestTwentyQuestionsCanBeSubmitted(t *testing.T) {
	for _, size := range []string{"size:100x40", "size:60x15", "size:20x6"} {
		h := open(t, numbered(20, 2)).steps(size)
		for range 20 {
			h.has("←", "→").steps("1")
		}
		h.has("☰").steps("enter").ended(true)
		if r := h.state.Result(); len(r.Answers) != 20 || r.Questions[19].ID != "q20" {
			t.Fatalf("%d answers", len(r.Answers))
		}
	}
}

func TestManyQuestionsAndOptionsAreAccepted(t *testing.T) {
	open(t, numbered(12, 15)).has("15. ( ) Option 15", "16. ( ) Type your own")
}

func TestResizingThroughEverySizeLosesNothing(t *testing.T) {
	for _, payload := range []string{longPreview(), twoXY} {
		h := open(t, payload).steps("3", "text:kept", "size:80x24")
		before := strings.Join(h.text(), "\n")
		h.resize(0, 0)
		for w := range 40 {
			for rows := range 12 {
				h.resize((w*17)%40+1, (rows*5)%12+1)
			}
		}
		h.resize(80, 24)
		if after := strings.Join(h.text(), "\n"); after != before {
			t.Fatalf("before\n%s\nafter\n%s", before, after)
		}
	}
}

func TestWideAndJoinedCharactersKeepTheBorders(t *testing.T) {
	labels := []string{"資料庫 v2", "👩‍🍳 chef", "🏳️‍🌈", "e\u0301"}
	var options []string
	for i, l := range labels {
		options = append(options, fmt.Sprintf(`{"value":"v%d","label":"%s","description":"%s","preview":"%s"}`, i, l, l+l, l+"\\n"+l))
	}
	payload := `{"questions":[{"id":"w","label":"資料","type":"preview","prompt":"` + strings.Join(labels, " ") + `","options":[` + strings.Join(options, ",") + `]}]}`
	for _, width := range []int{40, 100} {
		h := open(t, payload)
		h.resize(width, 30)
		for range labels {
			for _, l := range h.text() {
				if strings.HasSuffix(l, "│") && display.WidthFunc(nil).Width(l) != width {
					t.Errorf("a border moved: %q", l)
				}
				if n := max(uniseg.StringWidth(l), display.WidthFunc(nil).Width(l)); n > width {
					t.Errorf("%d columns: %q", n, l)
				}
			}
			h.steps("down")
		}
	}
	h := open(t, oneStore).steps("n", "text:", "paste:"+strings.Join(labels, "")+"한글")
	for _, want := range []string{"한", "", "e\u0301"} { // one backspace for each cluster
		h.steps("backspace")
		if _, text, _ := h.state.Editing(); want != "" && !strings.HasSuffix(text, want) && want != "e\u0301" {
			t.Fatalf("after a backspace: %q", text)
		}
	}
	if _, text, _ := h.state.Editing(); text != "資料庫 v2👩‍🍳 chef🏳️‍🌈" {
		t.Fatalf("three backspaces left %q", text)
	}
	h.steps("left", "backspace")
	if _, text, _ := h.state.Editing(); text != "資料庫 v2👩‍🍳 che🏳️‍🌈" {
		t.Fatalf("the cursor stopped inside a cluster: %q", text)
	}
}

func TestSquareBracketsAreText(t *testing.T) {
	h := open(t, `{"questions":[{"id":"b","label":"[tab]","type":"preview","prompt":"Fix [blue]what[-]?","options":[
		{"value":"x","label":"Fix [red] alert","description":"[[wiki]] [::b]bold[-]","preview":"[\"a\"] []string{\"x\"}"}]}]}`)
	h.has("[tab]", "Fix [blue]what[-]?", "Fix [red] alert", "[[wiki]] [::b]", `["a"] []string{"x"}`)
	h.steps("n", "text:[done]", "enter").has("Note: [done]").steps("1").has("→ Fix [red] alert", "Note: [done]")
	if a := h.answer("b"); a.Labels[0] != "Fix [red] alert" || a.OptionNotes["x"] != "[done]" {
		t.Fatalf("%+v", a)
	}
}

func TestAPasteKeepsItsLinesAndPressesNoKey(t *testing.T) {
	h := open(t, oneStore).steps("3", "paste:a\r\n\tb\n\nc\r", "enter").ended(false)
	if got := h.answer("db").CustomText; got != "a\n    b\n\nc" {
		t.Fatalf("%q", got)
	}
	h = open(t, oneStore).steps("3", "paste:x\x1b\x031\r1").ended(false)
	if h.state.View() != ui.AnswerEditor || h.state.Drafts().Answered(0) {
		t.Fatal("a paste pressed keys")
	}
	long := strings.Repeat("0123456789", 10_000)
	h = open(t, oneStore).steps("3", "paste:"+long, "enter")
	if got := h.answer("db").CustomText; got != long {
		t.Fatalf("%d bytes of %d were kept", len(got), len(long))
	}
	open(t, oneStore).steps("paste:1\r1\r").ended(false).values("db")
}

func TestEscapesFromOutsideNeverReachTheTerminal(t *testing.T) {
	evil := "ok\x1b]52;c;ZXZpbA==\x07\u202e\u009b31m\x00"
	p := ask.Payload{Title: evil, Questions: []ask.Question{{ID: "q", Label: evil, Prompt: "\x1b[2J\x1b[?1003hHi" + evil, Type: ask.Preview,
		Options: []ask.Option{{Value: "v", Label: evil, Description: evil, Preview: evil}}}}}
	f, err := ask.Normalize(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, steps := range [][]string{nil, {"n", "paste:" + evil}, {"n", "paste:" + evil, "enter", "1"}, {"?"}, {"2", "text:@x"}} {
		h := newHost(t, f, ui.Options{SettingsPath: evil, Notices: []settings.Notice{{Text: evil}}, PasteImageLabels: []string{evil}, PasteImageKeys: []settings.Key{"ctrl+v"}})
		h.items = []files.Item{{Name: evil, Path: evil, Value: evil}}
		h.steps(steps...)
		for _, l := range h.grid().Text() {
			if i := strings.IndexFunc(l, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x202e }); i >= 0 {
				t.Fatalf("after %q: %q", steps, l)
			}
		}
	}
	if got := newHost(t, f, ui.Options{}).steps("1").answer("q").Labels[0]; got != strings.TrimSpace(evil) && got != evil {
		t.Fatalf("the data was changed: %q", got)
	}
}

func TestComposedLettersArriveOnce(t *testing.T) {
	h := open(t, oneStore).steps("3")
	for _, k := range []ui.Key{{Text: "你"}, {ID: "é", Text: "é"}, {Text: "e\u0301"}, {ID: "a", Text: "a"}} {
		h.apply(k)
	}
	if _, text, _ := h.state.Editing(); text != "你ée\u0301a" {
		t.Fatalf("%q", text)
	}
}

func TestOldFileListsNeverReplaceNewerOnes(t *testing.T) {
	h := open(t, oneStore)
	h.hold = true
	h.items = []files.Item{{Value: "old", Name: "old", Path: "old"}}
	h.steps("3", "text:@o", "text:l")
	var tokens []int
	for _, e := range h.effects {
		if f, ok := e.(ui.FindFiles); ok {
			tokens = append(tokens, f.Token)
		}
	}
	list := func(token int, name string) {
		h.apply(ui.FilesFound{Token: token, Items: []files.Item{{Value: name, Name: name, Path: name}}})
	}
	list(tokens[2], "newest")
	list(tokens[0], "oldest")
	list(tokens[1], "older")
	h.has("→ newest").lacks("older", "oldest")
	h.steps("esc").lacks("newest")
	if h.state.View() != ui.AnswerEditor {
		t.Fatal("Esc closed more than the list")
	}
	list(tokens[2], "late")
	h.lacks("late")
}

func TestAnArrowKeyChangesFewCells(t *testing.T) {
	h := open(t, numbered(4, 9)).steps("size:100x30")
	before := h.ansi()
	for range 8 {
		h.steps("down")
		after := h.ansi()
		changed := 0
		for i := range after {
			if i >= len(before) || after[i] != before[i] {
				changed++
			}
		}
		if changed > 2 {
			t.Fatalf("%d lines changed", changed)
		}
		before = after
	}
}

func TestTypedTextIsNeverDeclined(t *testing.T) {
	for _, last := range []string{"enter", "esc"} {
		h := open(t, oneStore).steps("3", "text:four", "shift+enter", "text:lines", last)
		if last == "esc" {
			h.steps("tab")
		}
		h.has("❯ 1. Submit", "→ four").steps("1", "1").ended(true)
		if r := h.state.Result(); r.Cancelled || r.Answers["db"].CustomText != "four\nlines" {
			t.Fatalf("%+v", r)
		}
	}
}

func TestAPickAfterTypingLeavesOneAnswer(t *testing.T) {
	h := open(t, oneStore).steps("3", "text:own", "enter", "shift+tab", "1")
	h.has("→ Postgres").lacks("→ own").steps("enter").ended(true).values("db", "pg")
	if text := h.state.Result().AgentText(); strings.Contains(text, "own") {
		t.Fatal(text)
	}
}

func TestASettingsChangeSendsNoSecondNotification(t *testing.T) {
	h := open(t, oneStore)
	h.hold = true
	h.apply(ui.Mounted{})
	h.apply(ui.Shown{})
	h.apply(ui.Settings{Settings: settings.Default()})
	if len(h.effects) > 0 {
		t.Fatalf("%v", h.effects)
	}
}

func TestALowFormLeavesTheScreenAlone(t *testing.T) {
	h := open(t, twoXY).steps("size:80x60")
	if n := len(h.text()); n > 14 {
		t.Fatalf("a small form takes %d lines", n)
	}
}
