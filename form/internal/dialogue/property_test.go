package dialogue_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/dialogue"
)

// Whatever is chosen, typed and noted, in whatever order: the result is that of
// the same entries made in the model directly.
func TestSameResultAsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := randomForm(t)
		s := script{t: t, model: ask.NewDrafts(f)}
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			s.step()
		}
		word := rapid.SampledFrom([]string{"submit", "elaborate", "cancel\ncancel"}).Draw(t, "end")
		want := map[string]ask.Ending{"submit": ask.Submitted, "elaborate": ask.Elaborated, "cancel\ncancel": ask.Cancelled}[word]
		s.typed("review", word)

		ending, drafts, err := dialogue.Run(t.Context(), strings.NewReader(s.lines.String()), io.Discard, f, nil)
		if err != nil || ending != want {
			t.Fatalf("ending %v, error %v after\n%s", ending, err, s.lines.String())
		}
		got, wanted := marshal(t, drafts.Result(ending)), marshal(t, s.model.Result(want))
		if !bytes.Equal(got, wanted) {
			t.Fatalf("result\n%s\nwant\n%s\nafter\n%s", got, wanted, s.lines.String())
		}
	})
}

func marshal(t *rapid.T, r ask.Result) []byte {
	b, err := ask.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func randomForm(t *rapid.T) ask.Form {
	p := ask.Payload{}
	for i := range rapid.IntRange(1, 3).Draw(t, "questions") {
		q := ask.Question{ID: fmt.Sprint("q", i), Prompt: "Which?", Type: rapid.SampledFrom([]ask.Type{ask.Single, ask.Multi, ask.Preview}).Draw(t, "type")}
		for j := range rapid.IntRange(1, 4).Draw(t, "options") {
			q.Options = append(q.Options, ask.Option{Value: fmt.Sprint("v", j), Label: fmt.Sprint("Label ", j), Preview: "text"})
		}
		p.Questions = append(p.Questions, q)
	}
	f, err := ask.Normalize(p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// script writes lines for a dialogue and does the same to a model.
type script struct {
	t     *rapid.T
	model *ask.Drafts
	lines strings.Builder
}

func (s *script) typed(lines ...string) {
	for _, l := range lines {
		s.lines.WriteString(l + "\n")
	}
}

// step does one random thing to a random question.
func (s *script) step() {
	questions := s.model.Form().Questions
	q := rapid.IntRange(0, len(questions)-1).Draw(s.t, "question")
	opt := rapid.IntRange(0, len(questions[q].Options)-1).Draw(s.t, "option")
	text := rapid.SampledFrom([]string{"Redis", "submit", "two\n\nlines", "1 2", "..", "note"}).Draw(s.t, "text")
	multi := questions[q].Shown() == ask.Multi
	s.typed(fmt.Sprint("go ", q+1))
	switch rapid.SampledFrom([]string{"choose", "own", "text", "empty text", "note", "option note", "no note", "type", "noise", "clear"}).Draw(s.t, "action") {
	case "choose":
		s.typed(fmt.Sprint(opt + 1))
		s.model.Pick(q, opt)
		if multi {
			s.model.Toggle(q, opt)
		}
	case "own":
		s.typed(fmt.Sprint(len(questions[q].Options) + 1))
		if multi && s.model.At(q).HasCustom() {
			s.model.FlipCustom(q)
			return
		}
		s.typed(text, ".")
		s.model.SaveCustom(q, dots(text))
	case "text":
		s.typed("text", text, ".")
		s.model.SaveCustom(q, dots(text))
	case "empty text":
		s.typed("text", "", " ", ".")
		s.model.SaveCustom(q, "")
	case "note":
		s.typed("note", text, ".")
		s.model.SaveNote(q, dots(text))
	case "option note":
		s.typed(fmt.Sprint("note ", opt+1), text, ".")
		s.model.SaveOptionNote(q, opt, dots(text))
	case "no note":
		s.typed(fmt.Sprint("note ", opt+1), "", ".")
		s.model.SaveOptionNote(q, opt, "")
	case "type":
		s.typed("type")
		if s.model.TypeNeedsConfirm(q) {
			s.typed("type")
		}
		s.model.ChangeType(q)
	case "noise":
		s.typed("help", "", "p 1", "99", "Redis", "submit", "n", "b")
		if !s.model.Empty() {
			s.typed("cancel", "note 99")
		}
	case "clear":
		s.clear(q)
	}
}

func (s *script) clear(q int) {
	s.typed("clear")
	at := s.model.At(q)
	if at == nil {
		return
	}
	own := at.CustomSelected
	for _, o := range s.model.Form().Questions[q].Options {
		if i := strings.TrimPrefix(o.Value, "v"); at.IsSelected(o.Value) {
			s.model.Toggle(q, int(i[0]-'0'))
		}
	}
	if own && s.model.Form().Questions[q].Shown() == ask.Multi {
		s.model.FlipCustom(q)
	} else if own {
		s.model.SaveCustom(q, "")
	}
}

// dots is a text as the dialogue stores it.
func dots(text string) string {
	if text == ".." {
		return "."
	}
	return text
}
