package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// in runs the command inside the test.
func in(t *testing.T, stdin io.Reader, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, streams{stdin, &out, &errs})
	return out.String(), errs.String(), code
}

var blanks = strings.Repeat(" ", 64<<10)

// endless is as many blanks as anybody reads.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, blanks)
	e.read += n
	return n, nil
}

func TestAPayloadWithoutEndIsNotReadToTheEnd(t *testing.T) {
	var e endless
	out, errs, code := in(t, &e, "run")
	if code != exitInvalid || !strings.Contains(errs, "payload: it is larger than 64 MiB; shorten it") || !strings.Contains(out, `"invalid_input"`) {
		t.Errorf("exit %d, stderr %q, stdout %.200q", code, errs, out)
	}
	if e.read > maxPayload+1<<20 {
		t.Errorf("%d bytes were read", e.read)
	}
}

func TestAPayloadOf100MB(t *testing.T) {
	name := filepath.Join(t.TempDir(), "big.json")
	if err := os.WriteFile(name, []byte(`{"questions": [`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, 100<<20); err != nil {
		t.Fatal(err)
	}
	out, _, code := in(t, nil, "validate", name)
	if code != exitInvalid || !strings.Contains(out, "larger than 64 MiB") {
		t.Errorf("exit %d: %.200s", code, out)
	}
}

func TestTenThousandQuestions(t *testing.T) {
	var p ask.Payload
	for i := range 10_000 {
		p.Questions = append(p.Questions, ask.Question{
			ID: fmt.Sprint("q", i), Prompt: "Which one?", Options: []ask.Option{{Value: "a", Label: "A"}},
		})
	}
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	out, _, code := in(t, bytes.NewReader(raw), "validate")
	var f struct{ Questions []any }
	if err := json.Unmarshal([]byte(out), &f); code != exitOK || err != nil || len(f.Questions) != 10_000 {
		t.Fatalf("exit %d, %v, %d questions", code, err, len(f.Questions))
	}
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("shift+tab\nframe\nshift+tab\n1\nframe\nctrl+c\nctrl+c\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := in(t, bytes.NewReader(raw), "drive", "--payload", "-", "--script", script, "--size", "60x20")
	if code != exitCancelled || !strings.Contains(out, "/") || !strings.Contains(out, "☒ Q10000") {
		t.Errorf("exit %d, %s, %.2000s", code, errs, out)
	}
}

func TestByteOrderMarks(t *testing.T) {
	const payload = `{"questions": [{"id": "a", "prompt": "p?", "options": [{"value": "a", "label": "A"}]}]}`
	for _, tt := range []struct {
		name, text string
		code       int
		want       string
	}{
		{"UTF-8", "\xef\xbb\xbf" + payload, exitOK, `"prompt": "p?"`},
		{"UTF-16, as PowerShell writes it", "\xff\xfe{\x00", exitInvalid, "it is UTF-16 text; save it as UTF-8"},
		{"UTF-16, the other way round", "\xfe\xff\x00{", exitInvalid, "it is UTF-16 text; save it as UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if out, _, code := in(t, strings.NewReader(tt.text), "validate"); code != tt.code || !strings.Contains(out, tt.want) {
				t.Errorf("exit %d: %s", code, out)
			}
		})
	}
}

func TestLookingAtSettingsWritesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PI_CODING_AGENT_DIR", dir)
	for _, sub := range []string{"path", "show", "check"} {
		if _, errs, code := in(t, nil, "settings", sub); code != exitOK {
			t.Errorf("settings %s: exit %d, %s", sub, code, errs)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("there is now %v (%v)", left, err)
	}
}

// answered writes a session file with one answered and one open question.
func answered(t *testing.T) (session string) {
	t.Helper()
	session = filepath.Join(t.TempDir(), "session.jsonl")
	store, err := journal.OpenFile(session, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := ask.Normalize(ask.Payload{Questions: []ask.Question{{
		ID: "store", Prompt: "Where should the data live?", Options: []ask.Option{{Value: "pg", Label: "Postgres"}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	drafts := ask.NewDrafts(f)
	drafts.Pick(0, 0)
	result := drafts.Result(ask.Submitted)
	for _, d := range []journal.Data{
		journal.Request{RequestID: "r1", ToolCallID: "c1", Questions: f.Questions},
		journal.Completed{Outcome: journal.Outcome{RequestID: "r1", Result: &result}},
		journal.Request{RequestID: "r2", ToolCallID: "c2", Questions: f.Questions},
	} {
		if _, err := store.Append(t.Context(), d.Entry()); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return session
}

func TestJournalOfASession(t *testing.T) {
	session := answered(t)
	before, err := os.ReadFile(session)
	if err != nil {
		t.Fatal(err)
	}
	out, errs, code := in(t, nil, "journal", "records", session)
	var records []journal.Record
	if err := json.Unmarshal([]byte(out), &records); err != nil || code != exitOK || len(records) != 2 {
		t.Fatalf("exit %d, %v, %s\n%s", code, err, errs, out)
	}
	if records[0].Status != journal.Answered || records[1].Status != journal.Waiting {
		t.Errorf("statuses %q and %q", records[0].Status, records[1].Status)
	}
	if out, _, code := in(t, nil, "journal", "verify", session); code != exitOK || !strings.Contains(out, "no problems") {
		t.Errorf("exit %d: %s", code, out)
	}
	md := filepath.Join(t.TempDir(), "answers.md")
	if out, errs, code := in(t, nil, "journal", "export", session, md); code != exitOK || !strings.Contains(out, "2 question(s) written to") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	if text, err := os.ReadFile(md); err != nil || !strings.Contains(string(text), "Postgres") {
		t.Errorf("%v: %s", err, text)
	}
	if after, err := os.ReadFile(session); err != nil || !bytes.Equal(before, after) {
		t.Error("the session file was changed")
	}
}

func TestJournalOfASessionWithATornEnd(t *testing.T) {
	session := answered(t)
	text, err := os.ReadFile(session)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(session, text[:len(text)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _, code := in(t, nil, "journal", "verify", session); code != exitInvalid || !strings.Contains(out, "torn") {
		t.Errorf("verify: exit %d: %s", code, out)
	}
	out, _, code := in(t, nil, "journal", "records", session)
	var records []journal.Record
	if err := json.Unmarshal([]byte(out), &records); err != nil || code != exitOK || len(records) != 1 {
		t.Errorf("records: exit %d, %v: %s", code, err, out)
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, fmt.Errorf("no space left on device") }

func TestAResultThatStdoutDoesNotTakeGoesToStderr(t *testing.T) {
	f, err := ask.Normalize(ask.Payload{Questions: []ask.Question{{ID: "a", Prompt: "p?", Options: []ask.Option{{Value: "v", Label: "L"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	d := ask.NewDrafts(f)
	d.Pick(0, 0)
	err = deliver(d.Result(ask.Submitted), false, false, streams{nil, full{}, &errs})
	if err == nil || !strings.Contains(err.Error(), "no space left on device") || !strings.Contains(errs.String(), `"values": [`) {
		t.Errorf("error %v, stderr %s", err, &errs)
	}
}
