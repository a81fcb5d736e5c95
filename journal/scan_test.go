package journal

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// scanned is what the quick way finds: the ids of our entries, oldest first.
func scanned(t testing.TB, text []byte, maxLine, read int) ([]Entry, error) {
	r := bytes.NewReader(text)
	if _, err := findHeader(r, maxLine); err != nil {
		return nil, err
	}
	var found []Entry
	s := backScan{r: r, size: int64(len(text)), max: maxLine, read: read}
	if err := s.run(func(e Entry) bool { found = append(found, e); return true }); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(found)
	return found, nil
}

// decoded is the same by decoding every line.
func decoded(text []byte, maxLine int) ([]Entry, error) {
	l, err := readAll(bytes.NewReader(text), maxLine)
	if err != nil {
		return nil, err
	}
	var found []Entry
	for _, e := range l.tree.branch {
		if ours(e) {
			found = append(found, e)
		}
	}
	return found, nil
}

func compareScan(t testing.TB, text []byte, maxLine int) int {
	t.Helper()
	full, err2 := decoded(text, maxLine)
	for _, read := range []int{0, 100} { // the second so that lines lie across reads
		quick, err := scanned(t, text, maxLine, read)
		if (err == nil) != (err2 == nil) || !slices.EqualFunc(quick, full, sameEntry) {
			t.Fatalf("quick: %d entries, %v; full: %d entries, %v\n%v\n%v\n%.2000q", len(quick), err, len(full), err2, quick, full, text)
		}
	}
	return len(full)
}

const testHead = `{"type":"session","version":3,"id":"s1","timestamp":"2026-08-03T14:00:00.000Z","cwd":"/p"}` + "\n"

// randomSession is a session that could hardly be worse: forks, roots in the
// middle, parents that are missing or late, duplicate ids, long lines, damage,
// members in every order, and sometimes no newline at the end.
func randomSession(r *rand.Rand, n int) []byte {
	var b bytes.Buffer
	b.WriteString(testHead)
	rare := 12 << r.IntN(8)
	ids := []string{"a", "b", "zz", strings.Repeat("long", 200)}
	for i := range n {
		id, parent := fmt.Sprint("e", i), fmt.Sprint("e", i-1)
		switch r.IntN(rare) {
		case 0:
			id = ids[r.IntN(len(ids))]
		case 1:
			parent = ids[r.IntN(len(ids))]
		case 2:
			parent = fmt.Sprint("e", r.IntN(n))
		}
		link := fmt.Sprintf(`"id":%q,"parentId":%q,"timestamp":"2026-08-03T14:00:00.000Z"`, id, parent)
		if i == 0 || r.IntN(8*rare) == 0 {
			link = fmt.Sprintf(`"id":%q,"parentId":null,"timestamp":"2026-08-03T14:00:00.000Z"`, id)
		}
		text := strings.Repeat("x", r.IntN(60)) + `\n\"ask:queued\"`
		if r.IntN(30) == 0 {
			text = strings.Repeat("y", r.IntN(6000))
		}
		kind := r.IntN(6)
		if r.IntN(rare) == 0 {
			kind = r.IntN(12)
		}
		line := []string{
			`{"type":"message",` + link + `,"message":{"role":"user","content":"` + text + `"}}`,
			`{"type":"custom",` + link + `,"customType":"ask:x","data":"` + text + `"}`,
			`{"type":"custom","customType":"ask:y","data":"` + text + `",` + link + `}`,
			`{"type":"custom","customType":"a\u0073k:z","data":1,` + link + `}`,
			`{"type":"custom_message","customType":"ask:background-answer","content":"",` + link + `}`,
			`{"type":"custom","customType":"other","data":"` + text + `",` + link + `}`,
			`{"type":"message",` + link + `,"id":"twice","type":"custom","customType":"ask:w"}`,
			"", " ", testHead[:len(testHead)-1], `{"type":"message"}`, `[1]`,
		}[kind]
		if r.IntN(2*rare) == 0 && len(line) > 0 {
			bad := []byte(line)
			bad[r.IntN(len(bad))] = byte(r.IntN(256))
			line = string(bad)
		}
		b.WriteString(line + "\n")
	}
	text := b.Bytes()
	if r.IntN(3) == 0 {
		text = text[:len(text)-1-r.IntN(min(100, len(text)-1))]
	}
	return text
}

func TestQuickPathFindsWhatAFullDecodeFinds(t *testing.T) {
	found := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		found += compareScan(t, randomSession(r, 1+r.IntN(60)), 4000)
	}
	// Over the borders of what is read at once.
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 2))
		found += compareScan(t, randomSession(r, 12_000), 4000)
	}
	if found < 3000 {
		t.Errorf("only %d entries compared", found)
	}
}

// FuzzQuickPath changes sessions byte by byte: the quick way, which looks at the
// heads of most lines only, and a full decode of every line must agree.
func FuzzQuickPath(f *testing.F) {
	for seed := range uint64(6) {
		f.Add(randomSession(rand.New(rand.NewPCG(seed, 3)), 12))
	}
	for _, s := range []string{"", "\n", testHead, testHead[:30], "x\n" + testHead + `{"type":"message","id":"a","parentId":null}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) { compareScan(t, text, headSize) })
}
