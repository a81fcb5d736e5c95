package journal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/journal/journaltest"
)

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		os.Exit(child())
	}
	goleak.VerifyTestMain(m)
}

const session = "s.jsonl"

// open opens a session on a disk in memory.
func open(t testing.TB, disk journal.FS) *journal.File {
	t.Helper()
	f, err := journal.OpenFile(session, &journal.FileOptions{FS: disk, Cwd: "/project"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// note is an entry of some other program.
func note(n int) journal.Entry {
	return journal.Entry{Type: "custom", CustomType: "note", Data: fmt.Appendf(nil, `{"n":%d}`, n)}
}

func add(t testing.TB, s journal.Store, e journal.Entry) journal.Entry {
	t.Helper()
	e, err := s.Append(context.Background(), e)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// notes lists the numbers of the notes on the branch.
func notes(t testing.TB, s journal.Store) []int {
	t.Helper()
	branch, err := s.Branch(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	list := []int{}
	for i, e := range branch {
		if i > 0 && e.ParentID == "" {
			t.Fatalf("entry %d of the branch has no parent", i)
		}
		var d struct{ N int }
		if e.CustomType == "note" && json.Unmarshal(e.Data, &d) == nil {
			list = append(list, d.N)
		}
	}
	return list
}

func kinds(problems []journal.Problem) []journal.ProblemKind {
	list := []journal.ProblemKind{}
	for _, p := range problems {
		list = append(list, p.Kind)
	}
	return list
}

const head = `{"type":"session","version":3,"id":"s1","timestamp":"2026-08-03T14:00:00.000Z","cwd":"/project"}` + "\n"

// line is one note as it stands in a file.
func line(id, parent string, n int) string {
	if parent != "null" {
		parent = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"custom","id":"%s","parentId":%s,"timestamp":"2026-08-03T14:00:00.000Z","customType":"note","data":{"n":%d}}`+"\n", id, parent, n)
}

func TestNewFileStartsWithTheHeaderOfASession(t *testing.T) {
	disk := journaltest.NewMem()
	f := open(t, disk)
	if id, gen := f.Leaf(); id != "" || gen != 0 {
		t.Errorf("leaf %q, generation %d", id, gen)
	}
	var h struct {
		Type, ID, Timestamp, Cwd string
		Version                  int
	}
	text := disk.Bytes(session)
	if err := json.Unmarshal(text, &h); err != nil || h.Type != "session" || h.Version != 3 || h.ID == "" || h.Cwd != "/project" || text[len(text)-1] != '\n' {
		t.Errorf("header %s: %+v %v", text, h, err)
	}
}

func TestEntriesAreLinesThatOtherProgramsCanRead(t *testing.T) {
	disk := journaltest.NewMem()
	f := open(t, disk)
	a := add(t, f, journal.Entry{Type: "custom", CustomType: "x", Data: json.RawMessage("{\n \"<&>\": [1,\n 2] }")})
	b := add(t, f, journal.Entry{Type: "custom_message", CustomType: "y", Content: json.RawMessage(`"hi"`), Details: json.RawMessage(`{}`)})
	lines := strings.Split(string(disk.Bytes(session)), "\n")
	stamp := `"timestamp":"` + a.Timestamp.Format("2006-01-02T15:04:05.000Z") + `"`
	if want := `{"type":"custom","id":"` + a.ID + `","parentId":null,` + stamp + `,"customType":"x","data":{"<&>":[1,2]}}`; lines[1] != want {
		t.Errorf("got  %s\nwant %s", lines[1], want)
	}
	stamp = `"timestamp":"` + b.Timestamp.Format("2006-01-02T15:04:05.000Z") + `"`
	if want := `{"type":"custom_message","id":"` + b.ID + `","parentId":"` + a.ID + `",` + stamp + `,"customType":"y","content":"hi","details":{},"display":false}`; lines[2] != want {
		t.Errorf("got  %s\nwant %s", lines[2], want)
	}
}

func TestReopenedFileGoesOnAtItsLastEntry(t *testing.T) {
	disk := journaltest.NewMem()
	f := open(t, disk)
	var last journal.Entry
	for n := range 5 {
		last = add(t, f, note(n))
	}
	f.Close()
	f = open(t, disk)
	if id, _ := f.Leaf(); id != last.ID {
		t.Errorf("leaf %q, want %q", id, last.ID)
	}
	if got := add(t, f, note(5)); got.ParentID != last.ID {
		t.Errorf("parent %q, want %q", got.ParentID, last.ID)
	}
	if got := notes(t, f); !slices.Equal(got, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("notes %v", got)
	}
}

// What both stores do when the leaf moves.
func TestMovingToAnAncestorStartsANewBranch(t *testing.T) {
	for name, s := range map[string]interface {
		journal.Store
		MoveTo(string) error
	}{"file": open(t, journaltest.NewMem()), "memory": journal.NewMemory()} {
		t.Run(name, func(t *testing.T) {
			a := add(t, s, note(1))
			b := add(t, s, note(2))
			before, _ := s.Branch(context.Background())
			steps := []struct {
				to   string
				want []int
				gen  uint64
			}{{a.ID, []int{1}, 1}, {b.ID, []int{1, 2}, 2}, {"", []int{}, 3}, {a.ID, []int{1}, 4}}
			for _, step := range steps {
				if err := s.MoveTo(step.to); err != nil {
					t.Fatal(err)
				}
				if id, gen := s.Leaf(); id != step.to || gen != step.gen || !slices.Equal(notes(t, s), step.want) {
					t.Errorf("after moving to %q: leaf %q, generation %d, notes %v", step.to, id, gen, notes(t, s))
				}
			}
			if c := add(t, s, note(3)); c.ParentID != a.ID || !slices.Equal(notes(t, s), []int{1, 3}) {
				t.Errorf("child of %q, notes %v", c.ParentID, notes(t, s))
			}
			if _, gen := s.Leaf(); gen != 4 {
				t.Errorf("appending changed the generation to %d", gen)
			}
			if err := s.MoveTo("nowhere"); !errors.Is(err, journal.ErrNoEntry) {
				t.Errorf("move to an unknown entry: %v", err)
			}
			if len(before) != 2 || before[1].ID != b.ID {
				t.Error("a branch that was handed out has changed")
			}
		})
	}
}

func TestEntriesThatCannotBeStoredAreRefused(t *testing.T) {
	disk := journaltest.NewMem()
	f := open(t, disk)
	done, cancel := context.WithCancel(context.Background())
	cancel()
	before := string(disk.Bytes(session))
	for name, e := range map[string]journal.Entry{
		"no type":             {},
		"a second header":     {Type: "session"},
		"broken data":         {Type: "custom", CustomType: "x", Data: json.RawMessage(`{"a":`)},
		"two values":          {Type: "custom", CustomType: "x", Data: json.RawMessage(`1 2`)},
		"invalid UTF-8":       {Type: "custom", CustomType: "x", Data: json.RawMessage("\"\xff\"")},
		"own type, no data":   {Type: "custom", CustomType: journal.TypeQueued},
		"invalid custom type": {Type: "custom", CustomType: "\xff", Data: json.RawMessage(`1`)},
	} {
		for kind, s := range map[string]journal.Store{"file": f, "memory": journal.NewMemory()} {
			if _, err := s.Append(context.Background(), e); !errors.Is(err, journal.ErrEntry) {
				t.Errorf("%s, %s: %v", kind, name, err)
			}
			if _, err := s.Append(done, note(1)); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, context is done: %v", kind, err)
			}
		}
	}
	small, err := journal.OpenFile("other.jsonl", &journal.FileOptions{FS: disk, MaxLine: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	long := journal.Entry{Type: "custom", CustomType: "x", Data: json.RawMessage(`"` + strings.Repeat("x", 1000) + `"`)}
	if _, err := small.Append(context.Background(), long); !errors.Is(err, journal.ErrTooLarge) {
		t.Errorf("long line: %v", err)
	}
	if got := string(disk.Bytes(session)); got != before {
		t.Errorf("the file has changed to %q", got)
	}
}

func TestClosedStoreRefusesEverything(t *testing.T) {
	f := open(t, journaltest.NewMem())
	add(t, f, note(1))
	if err := errors.Join(f.Close(), f.Close()); err != nil {
		t.Error(err)
	}
	_, err := f.Append(context.Background(), note(2))
	_, err2 := f.Branch(context.Background())
	for _, err := range []error{err, err2, f.MoveTo("")} {
		if !errors.Is(err, journal.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

// Files as crashes, other programs and bad disks leave them.
func TestOpeningFilesThatAreNotWhole(t *testing.T) {
	a, b, c := line("a", "null", 1), line("b", "a", 2), line("c", "b", 3)
	late := strings.Replace(c, "}}\n", "", 1) // cut in the middle
	for _, x := range []struct {
		name  string
		text  string
		notes []int
		kinds []journal.ProblemKind
		file  string // what the file is afterwards; "" when it does not change
		err   error
	}{
		{name: "nothing wrong", text: head + a + b, notes: []int{1, 2}},
		{name: "torn tail", text: head + a + b + late, notes: []int{1, 2}, kinds: []journal.ProblemKind{journal.TornTail}, file: head + a + b},
		{name: "tail of zeros", text: head + a + "\x00\x00\x00", notes: []int{1}, kinds: []journal.ProblemKind{journal.TornTail}, file: head + a},
		{name: "only the last newline missing", text: head + a + strings.TrimSpace(b), notes: []int{1, 2}, file: head + a + b},
		{name: "torn header", text: head[:20], notes: []int{}, kinds: []journal.ProblemKind{journal.TornTail}, file: "new"},
		{name: "header without newline", text: strings.TrimSpace(head), notes: []int{}, file: head},
		{name: "empty", text: "", notes: []int{}, file: "new"},
		{name: "damage in the middle", text: head + a + "{\"type\":\"custom\",\"id\n" + c, notes: []int{3}, kinds: []journal.ProblemKind{journal.Damaged, journal.NoParent}},
		{name: "damage behind the links", text: head + a + strings.Replace(b, `"data"`, `data`, 1) + c, notes: []int{1, 3}, kinds: []journal.ProblemKind{journal.Damaged}},
		{name: "damage in the last line", text: head + a + strings.Replace(b, `"data"`, `data`, 1), notes: []int{1}, kinds: []journal.ProblemKind{journal.Damaged}},
		{name: "half a line joined with a whole one", text: head + a + late + c + line("d", "a", 4), notes: []int{1, 4}, kinds: []journal.ProblemKind{journal.Damaged, journal.NoParent}},
		{name: "blank lines and CRLF", text: head + "\n" + a + " \r\n" + strings.TrimSpace(b) + "\r\n", notes: []int{1, 2}},
		{name: "damage before the header", text: "???\n" + head + a, notes: []int{1}, kinds: []journal.ProblemKind{journal.Damaged}},
		{name: "second header", text: head + a + head + b, notes: []int{1, 2}, kinds: []journal.ProblemKind{journal.Damaged}},
		{name: "invalid UTF-8 in a text", text: head + a + strings.Replace(b, `{"n":2}`, "{\"n\":2,\"t\":\"\xff\"}", 1), notes: []int{1, 2}, kinds: []journal.ProblemKind{journal.BadText}},
		{name: "missing parent", text: head + a + line("b", "x", 2), notes: []int{2}, kinds: []journal.ProblemKind{journal.NoParent}},
		{name: "cycle", text: head + line("a", "b", 1) + b, notes: []int{1, 2}, kinds: []journal.ProblemKind{journal.LateParent}},
		{name: "entry that is its own parent", text: head + line("a", "a", 1), notes: []int{1}, kinds: []journal.ProblemKind{journal.LateParent}},
		{name: "duplicate id", text: head + a + b + line("a", "b", 3) + line("c", "a", 4), notes: []int{1, 2, 3, 4}, kinds: []journal.ProblemKind{journal.DuplicateID}},
		{name: "id of a wrong type", text: head + a + "{\"type\":\"custom\",\"id\":5}\n" + b, notes: []int{1, 2}, kinds: []journal.ProblemKind{journal.Damaged}},
		{name: "line that is too long", text: head + a + strings.Replace(b, `{"n":2}`, `"`+strings.Repeat("x", 5000)+`"`, 1) + c, notes: []int{1, 3}, kinds: []journal.ProblemKind{journal.TooLong}},
		{name: "some text", text: "hello\nworld\n", err: journal.ErrNotSession},
		{name: "some text without newline", text: "hello", err: journal.ErrNotSession},
		{name: "entries without header", text: a + b, err: journal.ErrNotSession},
		{name: "old version", text: strings.Replace(head, `"version":3,`, "", 1) + a, err: journal.ErrVersion},
		{name: "future version", text: strings.Replace(head, `"version":3`, `"version":4`, 1) + a, err: journal.ErrVersion},
	} {
		t.Run(x.name, func(t *testing.T) {
			disk := journaltest.NewMem()
			disk.Set(session, []byte(x.text))
			f, err := journal.OpenFile(session, &journal.FileOptions{FS: disk, MaxLine: 4000})
			if x.err != nil {
				if !errors.Is(err, x.err) || string(disk.Bytes(session)) != x.text {
					t.Errorf("error %v, file %q", err, disk.Bytes(session))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if got := notes(t, f); !slices.Equal(got, x.notes) {
				t.Errorf("notes %v, want %v", got, x.notes)
			}
			if got := kinds(f.Problems()); !slices.Equal(got, x.kinds) {
				t.Errorf("problems %v, want %v", f.Problems(), x.kinds)
			}
			text := string(disk.Bytes(session))
			switch x.file {
			case "":
				x.file = x.text
				fallthrough
			default:
				if text != x.file {
					t.Errorf("the file is now %q", text)
				}
			case "new":
				if strings.Count(text, "\n") != 1 {
					t.Errorf("the file is now %q", text)
				}
			}
			if want := []journal.ProblemKind{journal.TornTail}; slices.Equal(x.kinds, want) {
				if got := string(disk.Bytes(session + ".torn-1")); got != x.text[len(x.text)-len(got):] || got == "" {
					t.Errorf("moved aside: %q", got)
				}
			}
			add(t, f, note(9))
			if got := notes(t, f); !slices.Equal(got, append(x.notes, 9)) {
				t.Errorf("after an append: %v", got)
			}
			f.Close()
			again, err := journal.OpenFile(session, &journal.FileOptions{FS: disk, MaxLine: 4000})
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			if got := notes(t, again); !slices.Equal(got, append(x.notes, 9)) || slices.Contains(kinds(again.Problems()), journal.TornTail) {
				t.Errorf("opened again: %v, %v", got, again.Problems())
			}
		})
	}
}

func TestFileThatVanishesIsNoticed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, session)
	f, err := journal.OpenFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	first := add(t, f, note(1))
	text, _ := os.ReadFile(path)
	header := text[:strings.IndexByte(string(text), '\n')+1]
	blank := string(header) + strings.Repeat("\n", len(text)-len(header))
	foreign := strings.Replace(string(text), first.ID, "elsewere", 1)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := f.Append(context.Background(), note(2)); !errors.Is(err, journal.ErrChanged) {
			t.Fatalf("append to nowhere: %v", err)
		}
	}
	if got := notes(t, f); !slices.Equal(got, []int{1}) {
		t.Errorf("notes %v", got)
	}
	// Another file at the same place is not ours either, a copy of it is.
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		text string
		ok   bool
	}{{head, false}, {head + line("a", "null", 7) + line("b", "a", 8), false}, {blank, false}, {foreign, false}, {string(text), true}} {
		if err := os.WriteFile(path, []byte(step.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Append(context.Background(), note(3)); (err == nil) != step.ok || err != nil && !errors.Is(err, journal.ErrChanged) {
			t.Errorf("append to %.200q: %v", step.text, err)
		}
	}
	if got := notes(t, f); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("notes %v", got)
	}
	// The same while the file is open.
	other := filepath.Join(t.TempDir(), "other")
	if err := errors.Join(os.WriteFile(other, []byte(head), 0o600), os.Rename(other, path)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Append(context.Background(), note(4)); !errors.Is(err, journal.ErrChanged) {
		t.Errorf("append to a file that was replaced: %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != head {
		t.Errorf("the other file is now %q", got)
	}
}

// pi knows nothing of the lock. What it writes meanwhile stays whole and is
// known afterwards; the branch of this store goes on.
func TestLinesOfAnotherProgramAreTakenIn(t *testing.T) {
	disk := journaltest.NewMem()
	f := open(t, disk)
	a := add(t, f, note(1))
	other, _ := disk.Open(session, os.O_RDWR, 0)
	_, _ = other.Write([]byte(line("x1", a.ID, 7)))
	if b := add(t, f, note(2)); b.ParentID != a.ID {
		t.Errorf("parent %q", b.ParentID)
	}
	if err := f.MoveTo("x1"); err != nil || !slices.Equal(notes(t, f), []int{1, 7}) {
		t.Errorf("move to the other program's entry: %v, %v", err, notes(t, f))
	}
	_, _ = other.Write([]byte(`{"type":"custom","id":"x2"`))
	if _, err := f.Append(context.Background(), note(3)); !errors.Is(err, journal.ErrBusy) {
		t.Errorf("append into the middle of a line: %v", err)
	}
	_, _ = other.Write([]byte(`,"parentId":null,"customType":"note","data":{"n":8}}` + "\n"))
	add(t, f, note(3))
	if got := notes(t, f); !slices.Equal(got, []int{1, 7, 3}) {
		t.Errorf("notes %v", got)
	}
	disk.Set(session, []byte(head))
	if _, err := f.Append(context.Background(), note(4)); err != nil {
		t.Errorf("the handle still has the old file: %v", err)
	}
	_ = other.Truncate(10)
	if _, err := f.Append(context.Background(), note(5)); !errors.Is(err, journal.ErrChanged) {
		t.Errorf("append to a file that got shorter: %v", err)
	}
}

func TestSecondWriterInTheSameProcessIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), session)
	link := filepath.Join(t.TempDir(), "link.jsonl")
	f, err := journal.OpenFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	for _, p := range []string{path, link} {
		if _, err := journal.OpenFile(p, nil); !errors.Is(err, journal.ErrBusy) {
			t.Errorf("second writer: %v", err)
		}
	}
	f.Close()
	if f, err = journal.OpenFile(link, nil); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestStoresAreSafeForConcurrentUse(t *testing.T) {
	for name, s := range map[string]journal.Store{"file": open(t, journaltest.NewMem()), "memory": journal.NewMemory()} {
		var wg sync.WaitGroup
		for w := range 4 {
			wg.Go(func() {
				for n := range 50 {
					if _, err := s.Append(context.Background(), note(w*50+n)); err != nil {
						t.Error(err)
					}
					branch, _ := s.Branch(context.Background())
					for i := 1; i < len(branch); i++ {
						if branch[i].ParentID != branch[i-1].ID {
							t.Errorf("%s: entry %d is no child of the one before", name, i)
						}
					}
					s.Leaf()
				}
			})
		}
		wg.Wait()
		if got := len(notes(t, s)); got != 200 {
			t.Errorf("%s: %d notes", name, got)
		}
	}
}
