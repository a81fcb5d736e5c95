package journal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/journal/journaltest"
)

func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), session)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReportOfADamagedSession(t *testing.T) {
	custom := func(id, parent, typ, data string) string {
		return `{"type":"custom","id":"` + id + `","parentId":` + parent + `,"timestamp":"2026-08-03T14:00:00.000Z","customType":"` + typ + `","data":` + data + "}\n"
	}
	path := write(t, head+
		custom("a", "null", journal.TypeRequest, string(request("r1", "a", "b").Data))+
		custom("b", `"a"`, journal.TypeRequest, string(request("r2", "a").Data))+
		custom("c", `"b"`, journal.TypeCompleted, string(completed("r1", answers(nil), "").Data))+
		custom("d", `"c"`, journal.TypeCompleted, `{"version":9}`)+
		"garbage\x1b[31m\n"+
		custom("b", `"d"`, "x", "1")+
		custom("e\\u001b", `"f"`, "x", "1")+
		custom("f", `"e\u001b"`, "x", "1")+
		custom("g", `"b"`, "x", `"`+"\xff"+`"`)+
		custom("h", `"nobody"`, "x", "1")+
		custom("i", `"g"`, "x", "1")+
		`{"type":"custom","id":"j"`)
	before, _ := os.ReadFile(path)
	r, err := journal.Verify(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `session "s1", version 3: 12 lines, 10 entries, 7 on the branch
  2 "ask:history-request"
  2 "ask:history-completed", 1 of them skipped (unknown version or shape)
  2 skipped
  1 waiting
  open request "r2"
damaged: line 6 (byte 1390): not valid JSON; the line is left as it is and skipped
duplicate: line 7 (byte 1403): the id "b" was used before; entries that follow belong to the later one
cycle: line 8 (byte 1510): the parent "f" is a descendant of this entry: a cycle; the branch starts here
bad-text: line 10 (byte 1736): invalid UTF-8; it is read with U+FFFD in its place
no-parent: line 11 (byte 1845): the parent "nobody" is not in the file; the branch starts here
torn: line 13 (byte 2064): the last line was not finished (25 bytes)
`
	if got := r.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Error("the file was changed")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("files %v", left)
	}
}

func TestReportOfAHopelessFileIsShort(t *testing.T) {
	path := write(t, head+strings.Repeat("x\n", 5000))
	r, err := journal.Verify(path)
	if err != nil || len(r.Problems) != 1001 || r.Problems[1000].Detail != "4000 more problems from here on" || r.Clean() {
		t.Errorf("%d problems, the last is %v; %v", len(r.Problems), r.Problems[len(r.Problems)-1], err)
	}
}

func TestOpenRequestsOfALongSession(t *testing.T) {
	path := write(t, string(journaltest.Session(3<<20, 7)))
	open, err := journal.OpenRequests(path)
	records, err2 := journal.ReadRecords(path)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	var want []string
	for _, r := range records {
		if r.Status == journal.Waiting {
			want = append(want, r.RequestID)
		}
	}
	var got []string
	for _, r := range open {
		got = append(got, r.RequestID)
	}
	if len(got) < 1 || strings.Join(got, " ") != strings.Join(want, " ") || got[0] != "r7" {
		t.Errorf("open %v, want %v", got, want)
	}
	for e, err := range journal.Scan(path) {
		if e.CustomType == "" || err != nil {
			t.Errorf("%+v %v", e, err)
		}
		break // the rest is not read
	}
}

// A line of 200 MB is passed by with a notice. (The file has a hole, so that
// it costs no disk.)
func TestLineOf200MB(t *testing.T) {
	if journal.RaceDetector {
		t.Skip("takes a minute with the race detector")
	}
	start := head + line("a", "null", 1) + `{"type":"message","id":"b","parentId":"a","timestamp":"2026-08-03T14:00:00.000Z","message":{"role":"user","content":"`
	path := write(t, start)
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt([]byte(`"}}`+"\n"+line("c", "b", 3)), int64(len(start)+200<<20)); err != nil {
		t.Skip(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := journal.OpenFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if p := f.Problems(); len(p) != 1 || p[0].Kind != journal.TooLong || len(notes(t, f)) != 2 {
		t.Errorf("problems %v, notes %v", p, notes(t, f))
	}
	if r, err := journal.Verify(path); err != nil || r.Clean() {
		t.Errorf("%v %v", r, err)
	}
}
