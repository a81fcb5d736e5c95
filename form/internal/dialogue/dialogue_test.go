package dialogue_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/dialogue"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

const twoQuestions = `{"questions": [
	{"id": "store", "label": "Store", "prompt": "Where to keep data?", "options": [
		{"value": "sqlite", "label": "SQLite"}, {"value": "pg", "label": "Postgres"}]},
	{"id": "extras", "label": "Extras", "prompt": "Which extras?", "type": "multi", "options": [
		{"value": "ci", "label": "CI"}, {"value": "docs", "label": "Docs"}]}]}`

func Example() {
	form, err := ask.Normalize(ask.Payload{Questions: []ask.Question{{
		ID: "store", Label: "Store", Prompt: "Where to keep data?",
		Options: []ask.Option{{Value: "sqlite", Label: "SQLite"}, {Value: "pg", Label: "Postgres"}},
	}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	typed := strings.NewReader("2\nsubmit\n")
	ending, drafts, err := dialogue.Run(context.Background(), typed, os.Stdout, form, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	result := drafts.Result(ending)
	fmt.Println(result.AgentText())
	// Output:
	// 1 question, then a review. Nothing is sent before you submit it there.
	//
	// Question 1 of 1: Store. Choose one.
	//   Where to keep data?
	// 1. SQLite
	// 2. Postgres
	// 3. Type your own
	// Type one number, 1 to 3.
	// Commands: next, review, text, note, note 1, type, clear, cancel, help.
	// Choice: Chosen: 2 Postgres.
	//
	// Review answers: 1 of 1 answered.
	// 1. Store:
	//    Postgres
	// Type submit to send the answers, elaborate to have your notes answered first, go
	// 1 to change an answer, cancel, or help.
	// Review: Submitted.
	// Store: Postgres
}

// run runs a dialogue to its end and returns what was written.
func run(t testing.TB, f ask.Form, in io.Reader, o *dialogue.Options) (string, ask.Ending, *ask.Drafts, error) {
	t.Helper()
	var out bytes.Buffer
	ending, drafts, err := dialogue.Run(context.Background(), in, &out, f, o)
	return out.String(), ending, drafts, err
}

func TestContextEndsAWaitingDialogue(t *testing.T) {
	in, typist := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	var out bytes.Buffer
	o := dialogue.Options{Waiting: cancel}
	ending, drafts, err := dialogue.Run(ctx, in, &out, parseForm(t, twoQuestions), &o)
	if !errors.Is(err, context.Canceled) || ending != ask.Cancelled || !drafts.Empty() {
		t.Errorf("got ending %v, error %v", ending, err)
	}
	if !strings.HasSuffix(out.String(), "Choice: \nInterrupted. Nothing was sent.\n") {
		t.Errorf("last words are missing: %q", out.String())
	}
	// Closing the input ends the goroutine that reads; goleak watches.
	if err := typist.Close(); err != nil {
		t.Error(err)
	}
}

func TestContextThatEndedBeforeAnythingIsTyped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err := dialogue.Run(ctx, strings.NewReader("1\nreview\nsubmit\n"), io.Discard, parseForm(t, twoQuestions), nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v", err)
	}
}

func TestInputThatBreaks(t *testing.T) {
	broken := errors.New("line noise")
	in := io.MultiReader(strings.NewReader("1\nreview\nsubmit"), iotest.ErrReader(broken))
	_, ending, drafts, err := run(t, parseForm(t, twoQuestions), in, nil)
	if !errors.Is(err, broken) || ending != ask.Cancelled {
		t.Errorf("an unfinished line before a broken input must not count: ending %v, error %v", ending, err)
	}
	if !drafts.Answered(0) {
		t.Error("the answers so far are lost")
	}
}

func TestOutputThatBreaks(t *testing.T) {
	broken := errors.New("no paper")
	_, _, err := dialogue.Run(context.Background(), strings.NewReader("1\n"), failing{broken}, parseForm(t, twoQuestions), nil)
	if !errors.Is(err, broken) {
		t.Errorf("got error %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestFormWithoutQuestions(t *testing.T) {
	if _, _, _, err := run(t, ask.Form{}, strings.NewReader(""), nil); err == nil {
		t.Error("no error")
	}
}

// What stands behind the last line of the form belongs to whoever reads next.
func TestNothingIsReadBehindTheForm(t *testing.T) {
	in := &echo{io.Discard, strings.SplitAfter("review\nsubmit\nls\n", "\n")}
	if _, _, _, err := run(t, parseForm(t, twoQuestions), in, nil); err != nil {
		t.Fatal(err)
	}
	if rest := strings.Join(in.lines, ""); rest != "ls\n" {
		t.Errorf("left is %q", rest)
	}
}

func TestVeryLongLines(t *testing.T) {
	long := strings.Repeat("y", 1_000_000)
	tooLong := strings.Repeat("z", 3<<20)
	for _, c := range []struct{ name, typed, want, said string }{
		{"as a command", long + "\ntext\nok\n.\nreview\nsubmit\n", "ok", `"` + strings.Repeat("y", 39) + `…" is not known`},
		{"as text", "text\n" + long + "\n.\nreview\nsubmit\n", long, "Chosen: 3 your text."},
		{"as text, too long", "text\n" + tooLong + "\n.\nreview\nsubmit\n", tooLong[:1<<20], "longer than 1 MiB"},
		{"too much text", "text\n" + strings.Repeat(tooLong[:1<<20-1]+"\n", 5) + ".\nreview\nsubmit\n",
			strings.TrimSuffix(strings.Repeat(tooLong[:1<<20-1]+"\n", 4), "\n"), "longer than 4 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, ending, drafts, err := run(t, parseForm(t, twoQuestions), strings.NewReader(c.typed), nil)
			if err != nil || ending != ask.Submitted {
				t.Fatal(ending, err)
			}
			got := drafts.At(0).CustomText
			if len(got) != len(c.want) || got != c.want {
				t.Errorf("the text has %d bytes, want %d", len(got), len(c.want))
			}
			if !strings.Contains(out, c.said) {
				t.Errorf("%q is not said", c.said)
			}
		})
	}
}

func TestTypedTextIsCleaned(t *testing.T) {
	for _, c := range []struct{ name, typed, want string }{
		{"outer blanks", "  \n\n  a \n\n", "a"},
		{"inner blanks and lines stay", "a  b\n\n   c", "a  b\n\n   c"},
		{"dots", "..\n...\n. .", ".\n...\n. ."},
		{"arrow keys", "a\x1b[Ab\x1b[1;5Dc\x1b[", "abc"},
		{"marks of a paste", "\x1b[200~a\x1b[201~", "a"},
		{"a lone escape", "a\x1bb", "ab"},
		{"control characters", "a\x00\x07\x7f\u0085b", "ab"},
		{"tabs", "\ta\tb", "a   b"},
		{"not UTF-8", "a\xff\xc3", "a\ufffd"},
		{"letters of the world", "ź 資料 👩‍🍳", "ź 資料 👩‍🍳"},
		{"DOS line ends", "a\r\nb\r", "a\nb"},
	} {
		_, _, drafts, err := run(t, parseForm(t, twoQuestions), strings.NewReader("text\n"+c.typed+"\n.\nreview\nsubmit\n"), nil)
		if err != nil {
			t.Fatal(c.name, err)
		}
		got := ""
		if at := drafts.At(0); at != nil {
			got = at.CustomText
		}
		if got != c.want {
			t.Errorf("%s: %q became %q, want %q", c.name, c.typed, got, c.want)
		}
	}
}

func TestCommandsIgnoreCaseAndBlanks(t *testing.T) {
	typed := "\ufeff 2 \n 1 ,\t2\n  Review\nGO  1\nG 2\nB\nN\nR\n SUBMIT \n"
	_, ending, drafts, err := run(t, parseForm(t, twoQuestions), strings.NewReader(typed), nil)
	if err != nil || ending != ask.Submitted || drafts.Committed(0) != 1 || drafts.Committed(1) != 2 {
		t.Errorf("ending %v, error %v, %d and %d chosen", ending, err, drafts.Committed(0), drafts.Committed(1))
	}
}

// A number that is typed twice on one line counts once, and a wrong one makes
// the whole line void.
func TestNumbersOnOneLine(t *testing.T) {
	for typed, want := range map[string]int{"1 1": 1, "1,2": 2, "1, 2": 2, "1 9": 0, "1 x": 0, ",": 0, "1,,2,": 2} {
		_, _, drafts, err := run(t, parseForm(t, twoQuestions), strings.NewReader("n\n"+typed+"\nreview\nsubmit\n"), nil)
		if err != nil || drafts.Committed(1) != want {
			t.Errorf("%q: %d chosen, want %d (%v)", typed, drafts.Committed(1), want, err)
		}
	}
}

func TestSettingsChangeWhileTheFormIsOpen(t *testing.T) {
	now, asked := settings.Default(), 0
	o := dialogue.Options{Behaviour: func() settings.Behaviour {
		if asked++; asked > 1 {
			now = now.With(settings.AutoSubmit, true)
		}
		return now.Behaviour
	}}
	out, ending, _, err := run(t, parseForm(t, twoQuestions), strings.NewReader("1\n1\nreview\nhelp\n"), &o)
	if err != nil || ending != ask.Submitted {
		t.Errorf("ending %v, error %v:\n%s", ending, err, out)
	}
}

// Whatever the width, no line but those with a prompt is wider, and nothing
// but newlines controls the terminal.
func TestEveryWidth(t *testing.T) {
	raw, err := os.ReadFile("testdata/hostile.txt")
	if err != nil {
		t.Fatal(err)
	}
	parts := sections(string(raw))
	f := parseForm(t, parts["form"])
	f.Questions[0].Options[0].Preview = "資料\tx\x1b[31m" + strings.Repeat("wide ", 30)
	typed := parts["input"] + "go 1\np 1\nnote 1\n資料庫資料庫 \u202e\n.\nreview\nhelp\nback\nhelp\n"
	typed = strings.Replace(typed, "submit\n", "", 1) + "review\nsubmit\n"
	for columns := 1; columns <= 100; columns++ {
		out, _, _, err := run(t, f, strings.NewReader(typed), &dialogue.Options{Columns: columns})
		if err != nil {
			t.Fatal(err)
		}
		checkPlain(t, out)
		for l := range strings.SplitSeq(out, "\n") {
			for _, p := range []string{"Choice: ", "Review: ", "Text: "} {
				for strings.HasPrefix(l, p) {
					l = l[len(p):]
				}
			}
			if w := display.WidthFunc(nil).Width(l); w > columns {
				t.Fatalf("at %d columns a line has %d: %q", columns, w, l)
			}
		}
	}
}

func checkPlain(t testing.TB, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Fatal("the output is not UTF-8")
	}
	if s := strings.ReplaceAll(out, "\n", " "); strings.Contains(s, "\t") || display.Visible(s) != s {
		t.Fatalf("the output holds control characters: %q", s)
	}
}
