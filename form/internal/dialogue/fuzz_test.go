package dialogue_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/dialogue"
)

// Any bytes end, as an answer or as interrupted; the result has the shape of
// one, and the output stays plain.
func FuzzDialogue(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatal("no transcripts", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(sections(string(raw))["input"]), uint8(80))
	}
	f.Add([]byte("1\x00\xff\r\r\n\x1b[A\ntext\n.\r.\n\ncancel\ncancel"), uint8(1))
	schema := resultSchema(f)
	form := parseForm(f, twoQuestions)
	form.Questions[0].Options[0].Preview = "one\ntwo\nthree"
	f.Fuzz(func(t *testing.T, typed []byte, columns uint8) {
		o := dialogue.Options{Columns: int(columns), PageLines: 2}
		out, ending, drafts, err := run(t, form, bytes.NewReader(typed), &o)
		if err != nil && (!errors.Is(err, dialogue.ErrInputEnded) || ending != ask.Cancelled) {
			t.Fatalf("ending %v, error %v", ending, err)
		}
		checkPlain(t, out)
		encoded, err := ask.Marshal(drafts.Result(ending))
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(encoded, &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Fatalf("%v: %s", err, encoded)
		}
	})
}

func resultSchema(t testing.TB) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(ask.OutputSchema(), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
