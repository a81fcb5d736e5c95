package queue_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

// markup is a card as text, with the style of each piece.
func markup(card [][]ask.Span) string {
	var b strings.Builder
	for _, line := range card {
		for _, s := range line {
			role := string(s.Role)
			if s.Bold {
				role += "*"
			}
			fmt.Fprintf(&b, "<%s>%s", role, s.Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func cardQuestions(q ...ask.ResultQuestion) []ask.ResultQuestion { return q }

func TestCard(t *testing.T) {
	store := ask.ResultQuestion{ID: "store", Label: "Store", Prompt: "Where to keep the data?", Type: ask.Single}
	extras := ask.ResultQuestion{ID: "extras", Label: "Extras", Prompt: "Which extras?", Type: ask.Single, PresentedType: ask.Multi}
	image := []ask.Image{{ID: "i", MimeType: "image/png", Data: "AA=="}}
	for _, c := range []struct {
		name  string
		o     journal.Outcome
		width int
		want  string
	}{
		{"answers of every kind", journal.Outcome{RequestID: "r1", Result: &ask.Result{Title: "Setup", Mode: ask.Submit,
			Questions: cardQuestions(store, extras, ask.ResultQuestion{ID: "x", Prompt: "Anything else?"}, ask.ResultQuestion{ID: "y", Prompt: "Why?"}),
			Answers: map[string]ask.Answer{
				"store":  {Values: []string{"pg"}, Labels: []string{"Postgres"}, Indices: []int{2}, Note: "must be free", NoteImages: image},
				"extras": {Values: []string{"ci", "Fuzzing"}, Labels: []string{"CI", "Fuzzing"}, Indices: []int{1}, CustomText: "Fuzzing", OptionNotes: map[string]string{"ci": "on Linux"}, CustomImages: image},
				"y":      {Note: "later"},
			}}}, 30, `
<accent>──────────────────────────────
<accent*>Setup<success> · ✓ Answers received

<text> Where to keep the data?
<muted>     Note: must be free [1
<muted>     image]
<success>   → Postgres

<text> Which extras?
<success>   → CI
<muted>     Note: on Linux
<text>   → Fuzzing [1 image]

<text> Anything else?
<dim>   → unanswered

<text> Why?
<dim>   → unanswered
<muted>     Note: later

<dim>Note: some answers were given
<dim>on questions presented as
<dim>multi-select (the user's
<dim>choice).

<accent>──────────────────────────────
`},
		{"an image alone, no title", journal.Outcome{RequestID: "r1", Result: &ask.Result{Mode: ask.Submit, Questions: cardQuestions(store),
			Answers: map[string]ask.Answer{"store": {CustomImages: image}}}}, 40, `
<accent>────────────────────────────────────────
<success*>✓ Answers received

<text> Where to keep the data?
<text>   → [1 image]

<accent>────────────────────────────────────────
`},
		{"cancelled", journal.Outcome{RequestID: "r1", Result: &ask.Result{Title: "Setup", Cancelled: true, Mode: ask.Submit}}, 60, `
<warning*>? Questions cancelled<muted> · Setup
<muted>No approval given.
`},
		{"clarification", journal.Outcome{RequestID: "r1", Result: &ask.Result{Title: "Setup", Mode: ask.Elaborate, Questions: cardQuestions(store),
			Answers: map[string]ask.Answer{"store": {Values: []string{"pg"}, Labels: []string{"Postgres"}, Indices: []int{2}}}}}, 60, `
<warning*>? Clarification requested<muted> · Setup

<>User asked to elaborate on question "Where to keep the
<>data?" (current answer: "Postgres")
`},
		{"failed", journal.Outcome{RequestID: "r1", Error: "no \x1b[31mscreen"}, 60, `
<error*>! Question form failed
<>no ␛[31mscreen
`},
		{"a long title gives way to the status", journal.Outcome{RequestID: "r1", Result: &ask.Result{Title: strings.Repeat("long ", 20), Mode: ask.Submit}}, 40, `
<accent>────────────────────────────────────────
<accent*>long long long lon…<success> · ✓ Answers received

<accent>────────────────────────────────────────
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := markup(queue.Card(c.o, c.width, nil)); got != c.want[1:] {
				t.Errorf("got\n%swant\n%s", got, c.want[1:])
			}
		})
	}
}

func TestEveryLineOfACardFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ a-z\n\t]{0,80}`), rapid.Just(strings.Repeat("漢字", 30)), rapid.Just("\x1b]0;x\x07\u202e"))
		q := ask.ResultQuestion{ID: "q", Label: text.Draw(t, "label"), Prompt: text.Draw(t, "prompt"), Type: ask.Multi}
		o := journal.Outcome{RequestID: "r", Result: &ask.Result{Title: text.Draw(t, "title"), Mode: ask.Submit, Questions: cardQuestions(q),
			Answers: map[string]ask.Answer{"q": {Values: []string{"a", "x"}, Labels: []string{text.Draw(t, "option"), text.Draw(t, "free")}, Indices: []int{1},
				Note: text.Draw(t, "note"), OptionNotes: map[string]string{"a": text.Draw(t, "option note")}}}}}
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			o.Result.Cancelled = true
		case 1:
			o.Result.Mode = ask.Elaborate
		case 2:
			o.Error = text.Draw(t, "error")
		}
		width := rapid.IntRange(-1, 60).Draw(t, "width")
		var widths display.WidthFunc
		for _, line := range queue.Card(o, width, nil) {
			n, whole := 0, ""
			for _, s := range line {
				n += widths.Width(s.Text)
				whole += s.Text
			}
			if n > max(width, 1) || whole != display.Visible(whole) || strings.ContainsAny(whole, "\n\t") {
				t.Fatalf("width %d: %q", width, whole)
			}
		}
	})
}
