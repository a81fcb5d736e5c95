package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// cutDisk is a disk with one file: the first bytes of a longer text, and what
// was written behind them. It makes a cut of a large file cost nothing.
type cutDisk struct {
	text  []byte
	cut   int
	added []byte
	side  [][]byte
}

func (d *cutDisk) Open(name string, flag int, _ fs.FileMode) (Handle, error) {
	if flag&os.O_EXCL != 0 {
		d.side = append(d.side, nil)
		return &sideHandle{d: d, n: len(d.side) - 1}, nil
	}
	return d, nil
}

func (d *cutDisk) SyncDir(string) error              { return nil }
func (d *cutDisk) Lock(string) (func() error, error) { return func() error { return nil }, nil }
func (d *cutDisk) Sync() error                       { return nil }
func (d *cutDisk) Close() error                      { return nil }

func (d *cutDisk) Write(p []byte) (int, error) {
	d.added = append(d.added, p...)
	return len(p), nil
}

func (d *cutDisk) Truncate(size int64) error {
	if int(size) > d.cut {
		return errors.New("cut in the wrong place")
	}
	d.cut, d.added = int(size), nil
	return nil
}

func (d *cutDisk) ReadAt(p []byte, off int64) (n int, err error) {
	if off < int64(d.cut) {
		n = copy(p, d.text[off:d.cut])
	}
	if rest := off + int64(n) - int64(d.cut); n < len(p) && rest >= 0 && rest < int64(len(d.added)) {
		n += copy(p[n:], d.added[rest:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

type sideHandle struct {
	cutDisk
	d *cutDisk
	n int
}

func (h *sideHandle) Write(p []byte) (int, error) {
	h.d.side[h.n] = append(h.d.side[h.n], p...)
	return len(p), nil
}

// finishedFile is a session of at least 200 KB: answers, images, messages of
// the host, all kinds of text.
func finishedFile(t *testing.T) []byte {
	t.Helper()
	disk := &cutDisk{}
	f, err := OpenFile("s", &FileOptions{FS: disk, Cwd: "/project"})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 8, 3, 14, 0, 0, 0, time.UTC)
	for n := 0; len(disk.added) < 200<<10; n++ {
		id := fmt.Sprint("r", n)
		text := strings.Repeat("né \"quoted\" \\ \n 資料庫 👩‍🍳 \u2028 \x00 ", n%40)
		result := &ask.Result{Mode: ask.Submit, Answers: map[string]ask.Answer{"a": {CustomText: text,
			CustomImages: []ask.Image{{ID: "i", MimeType: "image/png", Data: strings.Repeat("iVBORw0K", n%7*100)}}}}}
		for _, e := range []Entry{
			Request{RequestID: id, ToolCallID: "c", CreatedAt: at, Questions: []ask.Question{{ID: "a", Prompt: text, Type: ask.Single}}}.Entry(),
			{Type: "message", Message: encode(map[string]any{"role": "user", "content": text})},
			Completed{Outcome{RequestID: id, Result: result}}.Entry(),
		} {
			if _, err := f.Append(context.Background(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
	return disk.added
}

// A file is cut at every byte, read, appended to and read again. What stands
// before the line that is cut is the same for all cuts of that line, so it is
// read once per line; whole files are opened at some cuts as well.
func TestFileCutAtEveryByte(t *testing.T) {
	text := finishedFile(t)
	step := 1
	if testing.Short() || RaceDetector {
		step = 61
	}
	l := newLoader(defaultMaxLine)
	start, opened := 0, 0
	for line := range strings.Lines(string(text)) {
		if start > 0 { // the header has a test of its own below
			for cut := start + 1; cut <= start+len(line); cut += step {
				checkCut(t, l, text, start, cut, start+len(line))
			}
		}
		for _, cut := range []int{start, start + 1, start + len(line)/2, start + len(line) - 2, start + len(line) - 1} {
			checkOpenedCut(t, text, cut)
			opened++
		}
		// Go on behind this line.
		if tail, err := l.read(&cutDisk{text: text, cut: start + len(line)}); err != nil || tail != nil {
			t.Fatal(err, tail)
		}
		start += len(line)
	}
	if start != len(text) || len(text) < 200<<10 || opened < 300 {
		t.Errorf("only %d of %d bytes, %d files", start, len(text), opened)
	}
}

// checkCut cuts the line that stands in [start, end). l has read what stands
// before it and is left as it was.
func checkCut(t *testing.T, l *loader, text []byte, start, cut, end int) {
	t.Helper()
	nodes, last, lines := len(l.tree.nodes), l.last, l.lines
	disk := &cutDisk{text: text, cut: cut}
	f := &File{path: "s", maxLine: defaultMaxLine, fs: disk, handle: disk, loaded: l}
	if err := f.readOn(l); err != nil {
		t.Fatalf("cut at %d: %v", cut, err)
	}
	want := nodes
	switch {
	case cut >= end-1: // whole, perhaps without its newline
		want++
	case len(disk.side) != 1 || string(disk.side[0]) != string(text[start:cut]):
		t.Fatalf("cut at %d: moved aside: %q", cut, disk.side)
	}
	l.tree.leaf, l.tree.branch = l.last, nil // as setLeaf does, without the path
	parent := l.tree.leafID()
	e, err := f.Append(context.Background(), Entry{Type: "custom", CustomType: "n", Data: []byte(`1`)})
	if err != nil || e.ParentID != parent || len(l.tree.nodes) != want+1 {
		t.Fatalf("cut at %d: appended %+v as entry %d, want %d: %v", cut, e, len(l.tree.nodes)-1, want, err)
	}
	undo := func() {
		for _, n := range l.tree.nodes[nodes:] {
			delete(l.tree.byID, n.ID)
		}
		l.tree.nodes, l.last, l.lines, l.end = l.tree.nodes[:nodes], last, lines, int64(start)
	}
	undo()
	tail, err := l.read(disk)
	if err != nil || tail != nil || len(l.problems.list) > 0 || len(l.tree.nodes) != want+1 {
		t.Fatalf("cut at %d: read again: %d entries, want %d: %v %v %v", cut, len(l.tree.nodes), want+1, l.problems.list, tail, err)
	}
	if got := l.tree.nodes[want]; got.ID != e.ID || got.parent != want-1 {
		t.Fatalf("cut at %d: the new entry is %+v", cut, got.Entry)
	}
	undo()
}

// checkOpenedCut opens a file that is cut, appends, and opens it again.
func checkOpenedCut(t *testing.T, text []byte, cut int) {
	t.Helper()
	disk := &cutDisk{text: text, cut: cut}
	want := -1 // entries: lines without the header
	for line := range strings.Lines(string(text[:cut])) {
		if _, kind, _ := decodeLine([]byte(line)); kind == goodLine || kind == headerLine {
			want++
		}
	}
	for _, added := range []int{0, 1} {
		f, err := OpenFile("s", &FileOptions{FS: disk})
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if got, _ := f.Branch(context.Background()); len(got) != max(want, 0)+added {
			t.Fatalf("cut at %d: %d entries, want %d", cut, len(got), max(want, 0)+added)
		}
		if _, err := f.Append(context.Background(), Entry{Type: "custom", CustomType: "n", Data: []byte(`1`)}); err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
}

func TestHeaderCutAtEveryByte(t *testing.T) {
	text := newHeader("s1", "/project", time.Unix(0, 0))
	for cut := range len(text) + 1 {
		checkOpenedCut(t, text, cut)
	}
}
