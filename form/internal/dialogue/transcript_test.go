package dialogue_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/dialogue"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Each file in testdata is a whole dialogue: the form, the options, what is
// typed, then what is on the paper of a teletype in the end, and the result.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := sections(string(raw))
			paper, result := play(t, parts)
			if *update {
				rewrite(t, file, parts, paper, result)
				return
			}
			if want := parts["transcript"]; paper != want {
				t.Errorf("transcript is\n%s\nwant\n%s", paper, want)
			}
			if want := parts["result"]; result != want {
				t.Errorf("result is\n%s\nwant\n%s", result, want)
			}
		})
	}
}

// play runs the dialogue of a file.
func play(t *testing.T, parts map[string]string) (paper, result string) {
	t.Helper()
	var o struct {
		dialogue.Options
		Settings map[settings.Setting]bool
	}
	if text := parts["options"]; text != "" {
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
	}
	now := settings.Default()
	for name, on := range o.Settings {
		now = now.With(name, on)
	}
	o.Behaviour = func() settings.Behaviour { return now.Behaviour }
	var out bytes.Buffer
	ending, drafts, err := dialogue.Run(context.Background(), teletype(&out, parts["input"]), &out, parseForm(t, parts["form"]), &o.Options)
	if err != nil && !errors.Is(err, dialogue.ErrInputEnded) {
		t.Fatal(err)
	}
	r := drafts.Result(ending)
	encoded, jerr := ask.Marshal(r)
	if jerr != nil {
		t.Fatal(jerr)
	}
	text := r.AgentText()
	if err != nil {
		text = ask.InterruptedText
	}
	return out.String(), text + "\n" + string(encoded) + "\n"
}

func parseForm(t testing.TB, text string) ask.Form {
	t.Helper()
	p, err := ask.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	f, err := ask.Normalize(p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// teletype gives the input a line at a time and prints each, as the echo of a
// terminal does.
func teletype(out io.Writer, input string) io.Reader {
	return &echo{out, strings.SplitAfter(input, "\n")}
}

type echo struct {
	out   io.Writer
	lines []string
}

func (e *echo) Read(b []byte) (int, error) {
	if len(e.lines) == 0 || e.lines[0] == "" {
		return 0, io.EOF
	}
	n := copy(b, e.lines[0])
	_, _ = e.out.Write(b[:n])
	if e.lines[0] = e.lines[0][n:]; e.lines[0] == "" {
		e.lines = e.lines[1:]
	}
	return n, nil
}

const mark = "-- "

var order = []string{"form", "options", "input", "transcript", "result"}

// sections reads a file of parts that start with a line "-- name --".
func sections(text string) map[string]string {
	parts, name := map[string]string{}, "comment"
	for _, l := range strings.SplitAfter(text, "\n") {
		if rest, ok := strings.CutPrefix(l, mark); ok && strings.HasSuffix(rest, " --\n") {
			name = strings.TrimSuffix(rest, " --\n")
			continue
		}
		parts[name] += l
	}
	return parts
}

func rewrite(t *testing.T, file string, parts map[string]string, paper, result string) {
	t.Helper()
	parts["transcript"], parts["result"] = paper, result
	out := parts["comment"]
	for _, name := range order {
		if parts[name] != "" {
			out += mark + name + " --\n" + parts[name]
		}
	}
	if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
}
