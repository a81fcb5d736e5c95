package ask_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

func oneQuestion(options string) string {
	return `{"questions":[{"id":"a","prompt":"A?","options":` + options + `}]}`
}

const soundOption = `{"value":"x","label":"X"}`

// Payloads as models have been seen to send them.
func TestPayloadsOfTheWrongShape(t *testing.T) {
	for name, c := range map[string]struct {
		payload string
		paths   []string
		says    string // part of the first message
	}{
		"a list instead of an object": {`[]`, []string{"questions"}, `such as {"questions": [`},
		"a word":                      {`"hi"`, []string{"questions"}, "found a string"},
		"null":                        {`null`, []string{"questions"}, "found null"},
		"an empty object":             {`{}`, []string{"questions"}, "at least one"},
		"questions null":              {`{"questions":null}`, []string{"questions"}, "at least one"},
		"questions as JSON text":      {`{"questions":"[{\"id\":\"a\"}]"}`, []string{"questions"}, "remove the quotes"},
		"questions as one object":     {`{"questions":{"id":"a"}}`, []string{"questions"}, "a list of questions"},
		"a question as a string":      {`{"questions":["Which?"]}`, []string{"questions[0]"}, "a question such as"},
		"a question as null":          {`{"questions":[null]}`, []string{"questions[0]"}, "found null"},
		"options as a number":         {oneQuestion(`3`), []string{"questions[0].options"}, "found a number"},
		"options as an object":        {oneQuestion(`{"a":"A"}`), []string{"questions[0].options"}, "found an object"},
		"options null":                {oneQuestion(`null`), []string{"questions[0].options"}, "found null"},
		"no options at all":           {oneQuestion(`[]`), []string{"questions[0].options"}, "no options"},
		"options in every odd form": {oneQuestion(`[{"text":"A"},{},"A",null,` + soundOption + `]`),
			[]string{"questions[0].options[0].value", "questions[0].options[0].label",
				"questions[0].options[1].value", "questions[0].options[1].label",
				"questions[0].options[2]", "questions[0].options[3]"}, "has no value"},
		"numbers for texts": {`{"title":1,"questions":[{"id":2,"label":3,"prompt":4,"type":5,"options":[{"value":6,"label":7,"description":8,"preview":9,"previewFile":10}]}]}`,
			[]string{"title", "questions[0].type", "questions[0].id", "questions[0].label", "questions[0].prompt",
				"questions[0].options[0].value", "questions[0].options[0].label", "questions[0].options[0].description",
				"questions[0].options[0].preview", "questions[0].options[0].previewFile"}, "expected a string, found a number"},
		"words for booleans": {`{"background":"yes","questions":[{"id":"a","prompt":"A?","required":"no","options":[{"value":"x","label":"X","recommended":1}]}]}`,
			[]string{"background", "questions[0].required", "questions[0].options[0].recommended"}, "true or false"},
		"an empty type":                     {`{"questions":[{"id":"a","prompt":"A?","type":"","options":[` + soundOption + `]}]}`, []string{"questions[0].type"}, "empty string"},
		"type in capitals":                  {`{"questions":[{"id":"a","prompt":"A?","type":"Multi","options":[` + soundOption + `]}]}`, []string{"questions[0].type"}, `"Multi"`},
		"names in capitals are other names": {`{"Questions":[{"id":"a"}]}`, []string{"questions"}, "at least one"},
		"the last of two equal names counts": {`{"questions":[{"id":"a","prompt":"A?","options":[` + soundOption + `]}],"questions":[]}`,
			[]string{"questions"}, "at least one"},
		"three equal ids": {`{"questions":[` + strings.Repeat(`{"id":" a","prompt":"A?","options":[`+soundOption+`]},`, 2) + `{"id":"a","prompt":"A?","options":[` + soundOption + `]}]}`,
			[]string{"questions[1].id", "questions[2].id"}, "repeats"},
		"blank ids are not equal": {`{"questions":[` + strings.Repeat(`{"id":" ","prompt":"A?","options":[`+soundOption+`]},`, 1) + `{"id":"","prompt":"A?","options":[` + soundOption + `]}]}`,
			[]string{"questions[0].id", "questions[1].id"}, "has no id"},
		"an unknown type counts as single": {`{"questions":[{"id":"a","prompt":"A?","type":"grid","options":[` + soundOption + `]}]}`,
			[]string{"questions[0].type"}, `"grid"`},
		"preview with both, with neither, with a blank one": {`{"questions":[{"id":"a","prompt":"A?","type":"preview","options":[
			{"value":"1","label":"1","preview":"p","previewFile":"f"},{"value":"2","label":"2","description":"d"},{"value":"3","label":"3","preview":" ","previewFile":"f"}]}]}`,
			[]string{"questions[0].options[0].previewFile", "questions[0].options[1].preview"}, "both"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := formOf(json.RawMessage(c.payload), false)
			var invalid *ask.InvalidInput
			if !errors.As(err, &invalid) {
				t.Fatalf("got %v, want invalid input", err)
			}
			checkIssues(t, err, c.paths, "")
			if !strings.Contains(invalid.Issues[0].Message, c.says) {
				t.Errorf("%q does not say %q", invalid.Issues[0].Message, c.says)
			}
		})
	}
}

func TestNotJSON(t *testing.T) {
	for name, c := range map[string]struct{ raw, says string }{
		"nothing":         {``, "ends too early"},
		"half a file":     {"{\"questions\": [\n  {\"id\": \"a\"", "line 2"},
		"a missing comma": {"{\n \"title\": \"T\"\n \"questions\": []}", "line 3, column 2"},
		"two values":      {`{} {}`, "column 4"},
		"a raw NUL":       {"{\"title\":\"a\x00b\"}", "column 12"},
		"too deep":        {strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), "depth"},
	} {
		t.Run(name, func(t *testing.T) {
			raw := json.RawMessage(c.raw)
			_, err := ask.Decode(raw)
			if !errors.Is(err, ask.ErrNotJSON) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want ErrNotJSON that says %q", err, c.says)
			}
			if _, err := ask.LoadPreviews(raw, ".", nil); !errors.Is(err, ask.ErrNotJSON) {
				t.Errorf("LoadPreviews: %v", err)
			}
			if got := ask.Prepare(raw); !bytes.Equal(got, raw) {
				t.Errorf("Prepare changed it to %s", got)
			}
		})
	}
}

func TestDecodeKeepsForeignTextApartFromWhatIsNoText(t *testing.T) {
	f := mustForm(t, json.RawMessage(`{"title":"\ud800 \u0000 \u001b[2J <b>","x":[[{}]],"questions":[{"id":"constructor","prompt":"A?","label":null,"type":null,"required":null,"options":[{"value":"\u0000","label":"`+"\xff"+`","recommended":null,"description":null,"preview":null}]}]}`), false)
	sameText(t, "title", f.Title, "\uFFFD \x00 \x1b[2J <b>")
	sameText(t, "value", f.Questions[0].Options[0].Value, "\x00")
	sameText(t, "label", f.Questions[0].Options[0].Label, "\uFFFD")
	if f.Questions[0].Options[0].Recommended != nil || f.Questions[0].Type != ask.Single {
		t.Errorf("null is not absence: %+v", f.Questions[0])
	}
}

func TestNoSmallLimits(t *testing.T) {
	var options, questions []string
	for i := range 15 {
		options = append(options, fmt.Sprintf(`{"value":"v%d","label":"L"}`, i))
	}
	for i := range 12 {
		questions = append(questions, fmt.Sprintf(`{"id":"q%d","prompt":"?","options":[%s]}`, i, strings.Join(options, ",")))
	}
	f := mustForm(t, json.RawMessage(`{"questions":[`+strings.Join(questions, ",")+`]}`), false)
	if len(f.Questions) != 12 || len(f.Questions[11].Options) != 15 {
		t.Errorf("%d questions, %d options", len(f.Questions), len(f.Questions[11].Options))
	}
}

func TestHugePayloads(t *testing.T) {
	if testing.Short() {
		t.Skip("needs some hundred MB")
	}
	t.Run("100 MB of preview", func(t *testing.T) {
		const size = 100 << 20 / scale
		raw := make([]byte, 0, size+200)
		raw = append(raw, `{"questions":[{"id":"a","prompt":"A?","options":[{"value":"x","preview":"`...)
		for len(raw) < size {
			raw = append(raw, `0123456789\n`...)
		}
		raw = append(raw, `","label":"X"}]}]}`...)
		f := mustForm(t, raw, false)
		if n := len(f.Questions[0].Options[0].Preview); n < size*10/12 {
			t.Errorf("preview was cut to %d bytes", n)
		}
	})
	t.Run("10 000 questions with faults in each", func(t *testing.T) {
		raw := `{"questions":[` + strings.Repeat(`{"id":"a","prompt":"","options":[{}]},`, 9_999) + `{}]}`
		_, err := formOf(json.RawMessage(raw), false)
		var invalid *ask.InvalidInput
		if !errors.As(err, &invalid) || len(invalid.Issues) != 1*3+9_998*4+3 {
			t.Errorf("got %d issues", len(invalid.Issues))
		}
	})
	t.Run("20 MB of tiny questions", func(t *testing.T) {
		for _, tiny := range []string{"0,", "{},", `{"id":"a","prompt":"p","options":[{}]},`} {
			raw := append(append([]byte(`{"questions":[`), bytes.Repeat([]byte(tiny), (20<<20/scale+1<<20)/len(tiny))...), "0]}"...)
			_, err := formOf(raw, false)
			var invalid *ask.InvalidInput
			if !errors.As(err, &invalid) || invalid.Issues[0].Path != "questions" || !strings.Contains(invalid.Issues[0].Message, "100000") {
				t.Errorf("%s: %.100v", tiny, err)
			}
			ask.CallRow(raw)
		}
	})
	t.Run("an object of 200 000 names", func(t *testing.T) {
		var b strings.Builder
		for i := range 200_000 {
			fmt.Fprintf(&b, `"n%d":[],`, i)
		}
		if _, err := formOf(json.RawMessage("{"+b.String()+`"questions":[]}`), false); err == nil {
			t.Error("accepted without questions")
		}
	})
	t.Run("a value of 1 MB in a message", func(t *testing.T) {
		long := `{"value":"` + strings.Repeat("é", 1<<20) + `","label":"X"}`
		_, err := formOf(json.RawMessage(oneQuestion("["+long+","+long+"]")), false)
		if err == nil || len(err.Error()) > 1000 {
			t.Errorf("the message has %d bytes", len(fmt.Sprint(err)))
		}
	})
}

func TestPrepare(t *testing.T) {
	option := func(o string) string { return oneQuestion("[" + o + "]") }
	for name, c := range map[string]struct{ in, out string }{
		"absent":               {option(`{"value":"in-memory-cache"}`), option(`{"value":"in-memory-cache","label":"In memory cache"}`)},
		"runs of separators":   {option(`{"value":"use__Go--modules_v2"}`), option(`{"value":"use__Go--modules_v2","label":"Use Go modules v2"}`)},
		"blank":                {option(`{"label":" \t ","value":"dry_run"}`), option(`{"label":"Dry run","value":"dry_run"}`)},
		"capitals stay":        {option(`{"value":"HTTP_api"}`), option(`{"value":"HTTP_api","label":"HTTP api"}`)},
		"nothing left":         {option(`{"value":"-_-"}`), option(`{"value":"-_-"}`)},
		"nothing left, blank":  {option(`{"value":"-_-","label":""}`), option(`{"value":"-_-","label":""}`)},
		"null label":           {option(`{"value":"x-y","label":null}`), option(`{"value":"x-y","label":null}`)},
		"number label":         {option(`{"value":"x-y","label":1}`), option(`{"value":"x-y","label":1}`)},
		"layout and order":     {"{ \"b\" : 1e400 ,\n\"questions\" : [ { \"options\" : [ { \"value\" : \"a-b\" } ] , \"x\":1 } ] }\n", "{ \"b\" : 1e400 ,\n\"questions\" : [ { \"options\" : [ { \"value\" : \"a-b\" ,\"label\":\"A b\"} ] , \"x\":1 } ] }\n"},
		"escapes in the value": {option(`{"value":"a\u003cb\"c\ud800"}`), option(`{"value":"a\u003cb\"c\ud800","label":"A<b\"c` + "\uFFFD" + `"}`)},
		"other whitespace":     {option(`{"value":"a\u3000_\ufeffb\u0085c"}`), option(`{"value":"a\u3000_\ufeffb\u0085c","label":"A b` + "\u0085" + `c"}`)},
		"not an object":        {`[1]`, `[1]`},
		"questions is text":    {`{"questions":"[]"}`, `{"questions":"[]"}`},
		"options is an object": {`{"questions":[{"options":{"value":"a"}}]}`, `{"questions":[{"options":{"value":"a"}}]}`},
		"odd elements":         {`{"questions":[1,{"options":[2,null,{"value":"a"}]}]}`, `{"questions":[1,{"options":[2,null,{"value":"a","label":"A"}]}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			in := json.RawMessage(c.in)
			got := ask.Prepare(in)
			sameText(t, "arguments", string(got), c.out)
			sameText(t, "input afterwards", string(in), c.in)
			sameText(t, "prepared twice", string(ask.Prepare(got)), c.out)
		})
	}
}

func TestNormalizeDoesNotTouchThePayload(t *testing.T) {
	yes := true
	p := ask.Payload{Title: " T ", Questions: []ask.Question{{ID: " a ", Prompt: " p ", Options: []ask.Option{{Value: " v ", Label: " l ", Recommended: &yes}}}}}
	before, err := ask.Marshal(p)
	must(t, err)
	f, err := ask.Normalize(p)
	must(t, err)
	*f.Questions[0].Options[0].Recommended = false
	multi := f.PresentSinglesAsMulti()
	if f.Questions[0].Shown() != ask.Single || multi.Questions[0].Shown() != ask.Multi || multi.Questions[0].Type != ask.Single {
		t.Errorf("presentation: %+v, %+v", f.Questions[0], multi.Questions[0])
	}
	sameJSON(t, "payload afterwards", p, before)
}

func TestPreviewTrimming(t *testing.T) {
	for in, want := range map[string]string{
		"\n  body\n\n":              "  body",
		" \t\r\n\u3000\n  a\n\n b ": "  a\n\n b",
		"\n\n \t":                   "",
		"\tx\u00a0":                 "\tx",
		"\u0085":                    "\u0085",
	} {
		f, err := ask.Normalize(ask.Payload{Questions: []ask.Question{{ID: "a", Prompt: "p", Options: []ask.Option{{Value: "v", Label: "l", Preview: in}}}}})
		must(t, err)
		sameText(t, "preview", f.Questions[0].Options[0].Preview, want)
	}
}

// FuzzPayload sends bytes the way a tool call does: never a panic, and either
// an error or a form that could be answered.
func FuzzPayload(f *testing.F) {
	for _, seed := range []string{setup, `{"questions":[{"id":"a","prompt":"A?","options":[{"value":"x-y"}]}]}`, `{"questions":"[]"}`,
		oneQuestion(`[{"text":"A"},{},"A",null]`), `{"questions":[],"questions":[{}]}`, "{", `"\ud800"`, `[[[]]]`} {
		f.Add([]byte(seed))
	}
	schema := resolved(f, ask.OutputSchema())
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		prepared := ask.Prepare(raw)
		form, err := formOf(prepared, false)
		ask.CallRow(raw)
		if !bytes.Equal(raw, before) {
			t.Fatal("the input was changed")
		}
		var invalid *ask.InvalidInput
		switch {
		case errors.As(err, &invalid):
			if len(invalid.Issues) == 0 {
				t.Fatal("invalid without an issue")
			}
			must(t, validates(schema, invalid.Result()))
		case err != nil:
			if json.Valid(prepared) {
				t.Fatalf("no issues for JSON: %v", err)
			}
		default:
			if len(form.Questions) == 0 || len(form.Questions[0].Options) == 0 || ask.IsBlank(form.Questions[0].ID) {
				t.Fatalf("not a form: %+v", form)
			}
			d := ask.NewDrafts(form)
			d.Toggle(0, 0)
			must(t, validates(schema, d.Result(ask.Elaborated)))
		}
	})
}

func BenchmarkDecodeNormalize(b *testing.B) {
	raw := json.RawMessage(setup)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := formOf(raw, false); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPrepare(b *testing.B) {
	raw := json.RawMessage(strings.ReplaceAll(setup, `"label"`, `"other"`))
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		ask.Prepare(raw)
	}
}
