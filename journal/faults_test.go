package journal_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/journal/journaltest"
)

// run opens a session, appends notes 0 to 5, trying each one up to three
// times, and returns those that were reported as saved. The leaf moves once.
func run(t *testing.T, disk journal.FS) (saved []int, failures int) {
	t.Helper()
	var f *journal.File
	for f == nil {
		var err error
		if f, err = journal.OpenFile(session, &journal.FileOptions{FS: disk}); err != nil {
			if failures++; failures > 100 {
				t.Fatal(err)
			}
		}
	}
	defer f.Close()
	var first journal.Entry
	for n := range 6 {
		if n == 4 && first.ID != "" {
			if err := f.MoveTo(first.ID); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			e, err := f.Append(context.Background(), note(n))
			if err != nil {
				failures++
				continue
			}
			if n == 0 {
				first = e
			}
			saved = append(saved, n)
			break
		}
	}
	want := saved
	if first.ID != "" {
		want = slices.DeleteFunc(slices.Clone(saved), func(n int) bool { return 1 <= n && n <= 3 })
	}
	if got := notes(t, f); !slices.Equal(got, want) {
		t.Errorf("in memory: %v, want %v", got, want)
	}
	return saved, failures
}

// everyNote lists the notes of all branches, in file order.
func everyNote(t *testing.T, disk *journaltest.Mem) []int {
	t.Helper()
	var list []int
	for l := range lines(disk.Bytes(session)) {
		var n int
		if _, err := fmt.Sscanf(after(l, `"data":{"n":`), "%d", &n); err == nil {
			list = append(list, n)
		}
	}
	return list
}

// Every kind of failure, at the first, second, third … operation, until the
// run passes without one: what was reported as saved is there, in order and
// once; what was not is not.
func TestFailuresOfTheDiskLoseNothing(t *testing.T) {
	everyKind := func(journaltest.Op) bool { return true }
	only := func(kind string) func(journaltest.Op) bool {
		return func(op journaltest.Op) bool { return op.Kind == kind }
	}
	for _, x := range []struct {
		name  string
		hits  func(journaltest.Op) bool
		err   error
		times int // in a row
	}{
		{"EIO", everyKind, syscall.EIO, 1},
		{"EIO twice", everyKind, syscall.EIO, 2},
		{"EIO five times", everyKind, syscall.EIO, 5},
		{"disk full", only("write"), syscall.ENOSPC, 1},
		{"disk full after half a line", only("write"), &journaltest.Partial{N: 40, Err: syscall.ENOSPC}, 1},
		{"disk full after half a line, twice", only("write"), &journaltest.Partial{N: 40, Err: syscall.ENOSPC}, 2},
		{"write without its last byte", only("write"), &journaltest.Partial{N: 1 << 20, Err: syscall.EIO}, 1},
		{"short write without an error", only("write"), &journaltest.Partial{N: 40, Err: nil}, 1},
		{"failed fsync", only("sync"), syscall.EIO, 1},
		{"failed fsync, twice", only("sync"), syscall.EIO, 2},
		{"half a line that cannot be taken back", func(op journaltest.Op) bool { return op.Kind == "write" || op.Kind == "truncate" },
			&journaltest.Partial{N: 40, Err: syscall.ENOSPC}, 2},
	} {
		t.Run(x.name, func(t *testing.T) {
			for k := 1; k < 1000; k++ {
				disk := journaltest.NewMem()
				seen := 0
				saved, failures := run(t, &journaltest.Faulty{Disk: disk, Before: func(op journaltest.Op) error {
					if !x.hits(op) {
						return nil
					}
					if seen++; seen < k || seen >= k+x.times {
						return nil
					}
					if half, ok := x.err.(*journaltest.Partial); ok && op.Kind != "write" {
						return half.Err
					}
					return x.err
				}})
				if got := everyNote(t, disk); !whole(got, saved, x.times) {
					t.Errorf("operation %d: the file has %v, saved were %v", k, got, saved)
				}
				if x.times < 3 && len(saved) != 6 {
					t.Errorf("operation %d: only %v could be saved with three tries each", k, saved)
				}
				disk.PowerCut()
				if got := everyNote(t, disk); !whole(got, saved, x.times) {
					t.Errorf("operation %d: after a power cut the file has %v, saved were %v", k, got, saved)
				}
				f := open(t, disk)
				if p := f.Problems(); len(p) > 0 {
					t.Errorf("operation %d: %v", k, p)
				}
				f.Close()
				if failures == 0 && seen < k {
					return
				}
			}
			t.Error("the run never passed")
		})
	}
}

// whole reports whether a file holds what was saved. After many failures in a
// row the process can end before the last note, never confirmed, was taken
// back.
func whole(got, saved []int, failures int) bool {
	if failures > 2 && len(got) == len(saved)+1 {
		got = got[:len(saved)]
	}
	return slices.Equal(got, saved)
}

func TestAFullDiskSaysSo(t *testing.T) {
	disk := journaltest.NewMem()
	full := false
	f := open(t, &journaltest.Faulty{Disk: disk, Before: func(op journaltest.Op) error {
		if full && op.Kind == "write" {
			return &journaltest.Partial{N: 5, Err: syscall.ENOSPC}
		}
		return nil
	}})
	add(t, f, note(1))
	full = true
	for range 3 {
		if _, err := f.Append(context.Background(), note(2)); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("append to a full disk: %v", err)
		}
	}
	full = false
	add(t, f, note(2))
	if got := everyNote(t, disk); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("notes %v", got)
	}
}

func TestReadOnlyFileIsRefused(t *testing.T) {
	disk := journaltest.NewMem()
	_, err := journal.OpenFile(session, &journal.FileOptions{FS: &journaltest.Faulty{Disk: disk, Before: func(op journaltest.Op) error {
		if op.Kind == "open" {
			return syscall.EROFS
		}
		return nil
	}}})
	if !errors.Is(err, syscall.EROFS) {
		t.Errorf("error %v", err)
	}
}

// When the torn tail cannot be kept anywhere it is not cut off either.
func TestTornTailIsOnlyCutOffOnceItIsKept(t *testing.T) {
	torn := head + line("a", "null", 1) + `{"type":"custom","id":"b"`
	for _, kind := range []string{"open", "read", "write", "sync", "syncdir", "truncate"} {
		disk := journaltest.NewMem()
		disk.Set(session, []byte(torn))
		side := func(op journaltest.Op) bool {
			return op.Name != session || op.Kind == "truncate" || op.Kind == "read" && op.N > 4
		}
		_, err := journal.OpenFile(session, &journal.FileOptions{FS: &journaltest.Faulty{Disk: disk, Before: func(op journaltest.Op) error {
			if op.Kind == kind && side(op) {
				return syscall.EIO
			}
			return nil
		}}})
		if !errors.Is(err, syscall.EIO) || string(disk.Bytes(session)) != torn {
			t.Errorf("%s fails: error %v, file %q", kind, err, disk.Bytes(session))
		}
		f := open(t, disk) // and the next start succeeds
		if got := kinds(f.Problems()); !slices.Equal(got, []journal.ProblemKind{journal.TornTail}) {
			t.Errorf("%s fails: then %v", kind, f.Problems())
		}
		f.Close()
	}
}

// A store with failures, moves, crashes and power cuts in any order beside a
// plain model of it.
func TestFileBehavesLikeItsModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		disk := journaltest.NewMem()
		failIn := -1
		faulty := &journaltest.Faulty{Disk: disk, Before: func(op journaltest.Op) error {
			if failIn--; failIn != 0 {
				return nil
			}
			return &journaltest.Partial{N: rapid.IntRange(0, 200).Draw(rt, "bytes"), Err: io.ErrUnexpectedEOF}
		}}
		openAgain := func() *journal.File {
			failIn = -1
			f, err := journal.OpenFile(session, &journal.FileOptions{FS: faulty})
			if err != nil {
				rt.Fatal(err)
			}
			return f
		}
		f := openAgain()
		type entry struct {
			id, parent string
			n          int
		}
		model := map[string]entry{}
		var order []string
		leaf := ""
		check := func() {
			var want, got []int
			for id := leaf; id != ""; id = model[id].parent {
				want = append(want, model[id].n)
			}
			slices.Reverse(want)
			branch, err := f.Branch(context.Background())
			if err != nil {
				rt.Fatal(err)
			}
			for _, e := range branch {
				got = append(got, model[e.ID].n)
			}
			if id, _ := f.Leaf(); !slices.Equal(got, want) || id != leaf {
				rt.Fatalf("branch %v, leaf %s; want %v, %s", got, id, want, leaf)
			}
		}
		reopen := func() {
			f = openAgain()
			leaf = ""
			if len(order) > 0 {
				leaf = order[len(order)-1]
			}
		}
		n := 0
		rt.Repeat(map[string]func(*rapid.T){
			"append": func(*rapid.T) {
				n++
				e, err := f.Append(context.Background(), note(n))
				if err == nil {
					model[e.ID] = entry{e.ID, leaf, n}
					order = append(order, e.ID)
					leaf = e.ID
				} else if failIn > 0 {
					rt.Fatal(err)
				}
			},
			"fail": func(r *rapid.T) { failIn = rapid.IntRange(1, 8).Draw(r, "operations from now") },
			"move": func(r *rapid.T) {
				to := ""
				if len(order) > 0 {
					to = rapid.SampledFrom(order).Draw(r, "to")
				}
				if err := f.MoveTo(to); err != nil {
					rt.Fatal(err)
				}
				leaf = to
			},
			"close":     func(*rapid.T) { f.Close(); reopen() },
			"power cut": func(*rapid.T) { disk.PowerCut(); reopen() },
			"":          func(*rapid.T) { check() },
		})
	})
}
