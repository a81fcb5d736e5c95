package ask_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

var picture = ask.Image{ID: "i1", MimeType: "image/png", Data: "AA=="}

// threeTypes has one question of each type: single, multi, preview.
func threeTypes() ask.Form {
	options := func() []ask.Option {
		return []ask.Option{{Value: "a", Label: "A", Preview: "pa"}, {Value: "b", Label: "B", Preview: "pb", PreviewFile: ""}, {Value: "c", Label: "C", Preview: "pc"}}
	}
	f, err := ask.Normalize(ask.Payload{Title: "T", Questions: []ask.Question{
		{ID: "one", Prompt: "One?", Options: options()},
		{ID: "many", Prompt: "Many?", Type: ask.Multi, Options: options()},
		{ID: "seen", Prompt: "Seen?", Type: ask.Preview, Options: options()},
	}})
	if err != nil {
		panic(err)
	}
	return f
}

const (
	one  = 0 // the single question of threeTypes
	many = 1
	seen = 2
)

func values(d *ask.Draft) []string {
	out := []string{}
	if d != nil {
		for _, s := range d.Selected {
			out = append(out, s.Value)
		}
	}
	return out
}

func TestDrafts(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(d *ask.Drafts)
		want string // the drafts as JSON
	}{
		"picking does nothing on multi": {func(d *ask.Drafts) { d.Pick(many, 0) }, `{}`},
		"picking after typing keeps the text aside": {func(d *ask.Drafts) {
			d.SetCustomImages(one, []ask.Image{picture})
			d.SaveCustom(one, "own")
			d.Pick(one, 0)
		}, `{"one":{"selected":[{"value":"a","label":"A","index":1}],"customText":"own","customImages":[{"id":"i1","mimeType":"image/png","data":"AA=="}]}}`},
		"typing after picking drops the option": {func(d *ask.Drafts) {
			d.Pick(seen, 0)
			d.SaveCustom(seen, "own")
		}, `{"seen":{"selected":[],"customText":"own","customSelected":true}}`},
		"blank text clears text and nothing else": {func(d *ask.Drafts) {
			d.Toggle(many, 2)
			d.SaveCustom(many, "own")
			d.SaveCustom(many, "\ufeff\u3000")
		}, `{"many":{"selected":[{"value":"c","label":"C","index":3}]}}`},
		"blank text with an image stays chosen": {func(d *ask.Drafts) {
			d.SetCustomImages(one, []ask.Image{picture})
			d.SaveCustom(one, " ")
		}, `{"one":{"selected":[],"customSelected":true,"customImages":[{"id":"i1","mimeType":"image/png","data":"AA=="}]}}`},
		"the last image gone, nothing is chosen": {func(d *ask.Drafts) {
			d.SetCustomImages(one, []ask.Image{picture})
			d.SaveCustom(one, "")
			d.SetCustomImages(one, nil)
		}, `{}`},
		"flipping needs text and multi": {func(d *ask.Drafts) {
			d.FlipCustom(many)
			d.SaveCustom(one, "x")
			d.FlipCustom(one)
			d.SaveCustom(many, "y")
			d.FlipCustom(many)
		}, `{"one":{"selected":[],"customText":"x","customSelected":true},"many":{"selected":[],"customText":"y"}}`},
		"a note cleared and written again is the last": {func(d *ask.Drafts) {
			d.SaveOptionNote(many, 2, "c1")
			d.SaveOptionNote(many, 0, "a1")
			d.SaveOptionNote(many, 2, "c2")
			d.SaveOptionNote(many, 1, "b1")
			d.SaveOptionNote(many, 2, " ")
			d.SaveOptionNote(many, 2, "c3")
		}, `{"many":{"selected":[],"optionNotes":{"a":"a1","b":"b1","c":"c3"}}}`},
		"a note's image outlives its text": {func(d *ask.Drafts) {
			d.SetOptionNoteImages(many, 1, []ask.Image{picture})
			d.SaveOptionNote(many, 1, "x")
			d.SaveOptionNote(many, 1, "")
		}, `{"many":{"selected":[],"optionNoteImages":{"b":[{"id":"i1","mimeType":"image/png","data":"AA=="}]}}}`},
		"a draft without content goes": {func(d *ask.Drafts) {
			d.SaveNote(one, "n")
			d.SaveNote(one, "\n")
			d.SetNoteImages(many, []ask.Image{picture})
			d.SetNoteImages(many, nil)
			d.Toggle(seen, 1)
			d.Toggle(seen, 1)
		}, `{}`},
		"to a single choice with more than one answer": {func(d *ask.Drafts) {
			d.Toggle(many, 0)
			d.SaveCustom(many, "own")
			d.FlipCustom(many)
			d.Toggle(many, 1)
			d.SaveNote(many, "n")
			d.ChangeType(many)
		}, `{"many":{"selected":[],"customText":"own","customSelected":true,"note":"n"}}`},
		"to a single choice with one answer": {func(d *ask.Drafts) {
			d.SaveCustom(many, "own")
			d.FlipCustom(many)
			d.Toggle(many, 1)
			d.ChangeType(many)
		}, `{"many":{"selected":[{"value":"b","label":"B","index":2}],"customText":"own"}}`},
		"places that do not exist": {func(d *ask.Drafts) {
			for _, q := range []int{-1, 0, 3} {
				for _, o := range []int{-1, 3} {
					d.Pick(q, o)
					d.Toggle(q, o)
					d.SaveOptionNote(q, o, "x")
					d.SetOptionNoteImages(q, o, []ask.Image{picture})
				}
			}
			for _, q := range []int{-1, 3} {
				d.FlipCustom(q)
				d.SaveCustom(q, "x")
				d.SaveNote(q, "x")
				d.SetCustomImages(q, []ask.Image{picture})
				d.SetNoteImages(q, []ask.Image{picture})
				d.ChangeType(q)
				if d.At(q) != nil || d.Committed(q) != 0 || d.HasNotes(q) || d.NextType(q) != "" || d.TypeNeedsConfirm(q) {
					t.Errorf("question %d is there", q)
				}
			}
		}, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			d := ask.NewDrafts(threeTypes())
			c.do(d)
			sameJSON(t, "drafts", d, json.RawMessage(c.want))
			if d.Empty() != (c.want == "{}") {
				t.Errorf("Empty is %v", d.Empty())
			}
		})
	}
}

func TestDraftsAsJSONKeepTheOrder(t *testing.T) {
	d := ask.NewDrafts(threeTypes())
	d.SaveNote(seen, "<&>")
	d.SaveOptionNote(one, 2, "first")
	d.SaveOptionNote(one, 0, "second")
	raw, err := ask.Marshal(d)
	must(t, err)
	sameText(t, "drafts", string(raw), `{"one":{"selected":[],"optionNotes":{"c":"first","a":"second"}},"seen":{"selected":[],"note":"<&>"}}`)
}

func TestTypesByKey(t *testing.T) {
	d := ask.NewDrafts(threeTypes().PresentSinglesAsMulti())
	given := d.Form()
	for _, c := range []struct {
		q    int
		want []ask.Type // presented after each change; "" = as requested
	}{{one, []ask.Type{"", ask.Multi, ""}}, {many, []ask.Type{ask.Single, "", ask.Single}}, {seen, []ask.Type{ask.Multi, "", ask.Multi}}} {
		for i, want := range c.want {
			d.ChangeType(c.q)
			if got := d.Form().Questions[c.q].PresentedType; got != want {
				t.Errorf("question %d, change %d: %q, want %q", c.q, i, got, want)
			}
		}
	}
	if given.Questions[many].PresentedType != "" || given.Questions[one].PresentedType != ask.Multi {
		t.Error("a form that was handed out earlier has changed")
	}
}

func TestCancelledResultHasNoImages(t *testing.T) {
	d := ask.NewDrafts(threeTypes())
	d.SetCustomImages(one, []ask.Image{picture})
	d.SaveCustom(one, "")
	d.Toggle(many, 0)
	d.SetOptionNoteImages(many, 0, []ask.Image{picture})
	d.SetNoteImages(many, []ask.Image{picture})
	d.SetNoteImages(seen, []ask.Image{picture})
	r := d.Result(ask.Cancelled)
	sameJSON(t, "answers", r.Answers, json.RawMessage(`{"many":{"values":["a"],"labels":["A"],"indices":[1]}}`))
	if len(d.Result(ask.Submitted).Answers) != 3 {
		t.Error("the drafts have lost their images")
	}
}

func TestResultSharesNothingWithTheDrafts(t *testing.T) {
	d := ask.NewDrafts(threeTypes())
	images := []ask.Image{picture}
	d.SetNoteImages(one, images)
	images[0].ID = "changed"
	d.Toggle(many, 1)
	r := d.Result(ask.Elaborated)
	before, err := ask.Marshal(r)
	must(t, err)
	d.Toggle(many, 0)
	d.SetNoteImages(one, nil)
	sameJSON(t, "result afterwards", r, before)
	if r.Elaboration.Items[0].Images[0].ID != "i1" {
		t.Error("the caller's list was kept")
	}
	r.Elaboration.Items[0].Question.Options[0].Label = "changed"
	if d.Form().Questions[0].Options[0].Label != "A" {
		t.Error("the result can change the form")
	}
}

// randomDrafts enters anything in any order.
func randomDrafts(t *rapid.T) *ask.Drafts {
	f := threeTypes()
	if rapid.Bool().Draw(t, "multi") {
		f = f.PresentSinglesAsMulti()
	}
	d := ask.NewDrafts(f)
	texts := rapid.SampledFrom([]string{"", " ", "a", "x, y", "l1\nl2", "<&\u2028>", "\xff", "\x00\x1b", `"q"\`})
	images := rapid.SampledFrom([][]ask.Image{nil, {picture}, {picture, {ID: "i2", MimeType: "image/gif", Data: ""}}})
	for range rapid.IntRange(0, 25).Draw(t, "steps") {
		q, o := rapid.IntRange(-1, 3).Draw(t, "q"), rapid.IntRange(-1, 3).Draw(t, "o")
		text, list := texts.Draw(t, "text"), images.Draw(t, "images")
		ops := []func(){
			func() { d.Pick(q, o) }, func() { d.Toggle(q, o) }, func() { d.FlipCustom(q) },
			func() { d.SaveCustom(q, text) }, func() { d.SaveNote(q, text) }, func() { d.SaveOptionNote(q, o, text) },
			func() { d.SetCustomImages(q, list) }, func() { d.SetNoteImages(q, list) },
			func() { d.SetOptionNoteImages(q, o, list) }, func() { d.ChangeType(q) },
		}
		rapid.SampledFrom(ops).Draw(t, "op")()
	}
	return d
}

func TestAnyDraftsGiveLegalResults(t *testing.T) {
	schema := resolved(t, ask.OutputSchema())
	rapid.Check(t, func(t *rapid.T) {
		d := randomDrafts(t)
		for _, ending := range []ask.Ending{ask.Submitted, ask.Elaborated, ask.Cancelled} {
			r := d.Result(ending)
			if err := validates(schema, r); err != nil {
				t.Fatalf("%v", err)
			}
			checkAnswers(t, d, r)
			back := roundTrip(t, r)
			if got, want := back.AgentText(), strings.ToValidUTF8(r.AgentText(), "\uFFFD"); got != want {
				t.Fatalf("text after a round trip %q, before %q", got, want)
			}
			if (ending == ask.Cancelled) != r.Cancelled || r.Cancelled && len(r.ImageBlocks()) > 0 {
				t.Fatalf("ending %d: %+v", ending, r)
			}
		}
	})
}

// checkAnswers holds what must be true of any result.
func checkAnswers(t *rapid.T, d *ask.Drafts, r ask.Result) {
	for i, q := range d.Form().Questions {
		a, answered := r.Answers[q.ID]
		if answered && !slices.IsSorted(a.Indices) || len(a.Values) != len(a.Labels) {
			t.Fatalf("%s: %+v", q.ID, a)
		}
		if q.Shown() != ask.Multi && len(a.Values) > 1 {
			t.Fatalf("%s is %s and has %q", q.ID, q.Shown(), a.Values)
		}
		committed := len(a.Values) > 0 || len(a.CustomImages) > 0
		if !r.Cancelled && committed != d.Answered(i) {
			t.Fatalf("%s: answered %v, result %+v", q.ID, d.Answered(i), a)
		}
		for value := range a.OptionNotes {
			if !slices.Contains(values(d.At(i)), value) {
				t.Fatalf("%s: note on %s, which is not chosen", q.ID, value)
			}
		}
		if r.Continuation != nil {
			state := r.Continuation.QuestionStates[q.ID].Status
			want := map[bool]string{true: "answered", false: "unanswered"}[d.Answered(i)]
			if d.HasNotes(i) {
				want = "needs_clarification"
			}
			if state != want {
				t.Fatalf("%s: state %s, want %s", q.ID, state, want)
			}
		}
	}
}

func roundTrip(t *rapid.T, r ask.Result) ask.Result {
	raw, err := ask.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back ask.Result
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	return back
}

func TestOutputIsTheSameOnEveryRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := randomDrafts(t)
		everything := func() string {
			out := ""
			for _, ending := range []ask.Ending{ask.Submitted, ask.Elaborated, ask.Cancelled} {
				r := d.Result(ending)
				raw, err := ask.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				out += fmt.Sprintf("%s\n%s\n%s\n%s\n%v\n", raw, r.AgentText(), r.Transcript(), ask.BackgroundText("r", &r, ""), r.ImageBlocks())
			}
			return out
		}
		first := everything()
		for range 10 {
			if again := everything(); again != first {
				t.Fatalf("first\n%s\nthen\n%s", first, again)
			}
		}
	})
	d := ask.NewDrafts(threeTypes())
	for i := range 3 {
		d.Toggle(many, i)
		d.SaveOptionNote(many, i, fmt.Sprint(i))
	}
	r := d.Result(ask.Submitted)
	first := r.AgentText()
	for range 100 {
		if r.AgentText() != first {
			t.Fatal("text changes from run to run")
		}
	}
}

func TestReadingDraftsCostsNothing(t *testing.T) {
	d := ask.NewDrafts(threeTypes())
	d.Toggle(many, 1)
	d.SaveOptionNote(many, 1, "n")
	n := testing.AllocsPerRun(100, func() {
		for q := range 3 {
			if d.At(q) != nil && d.Form().Questions[q].ID == "" {
				t.Error("no id")
			}
			d.Committed(q)
			d.HasNotes(q)
			d.NextType(q)
			d.TypeNeedsConfirm(q)
			d.At(q).OptionNote("b")
			d.At(q).IsSelected("b")
		}
		d.Empty()
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestPresentedQuestions(t *testing.T) {
	f := threeTypes().PresentSinglesAsMulti()
	f.Questions = f.Questions[:1]
	f.Questions[0].Options = f.Questions[0].Options[:1]
	f.Questions[0].Options[0].PreviewFile = "secret/path"
	got := f.Presented()
	sameJSON(t, "questions", got, json.RawMessage(`[{"id":"one","label":"Q1","prompt":"One?","type":"multi","requestedType":"single","presentedType":"multi","required":false,"options":[{"value":"a","label":"A","preview":"pa"}]}]`))
	got[0].Options[0].Label = "changed"
	if f.Questions[0].Options[0].Label != "A" || reflect.DeepEqual(f, threeTypes()) {
		t.Error("the list shares options with the form")
	}
}

func BenchmarkResult(b *testing.B) {
	d := ask.NewDrafts(threeTypes())
	d.Pick(one, 1)
	d.Toggle(many, 0)
	d.Toggle(many, 2)
	d.SaveOptionNote(many, 2, "n")
	b.ReportAllocs()
	for b.Loop() {
		d.Result(ask.Elaborated).AgentText()
	}
}
