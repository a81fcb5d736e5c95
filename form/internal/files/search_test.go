package files

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/junegunn/fzf/src/algo"
	"github.com/junegunn/fzf/src/util"
	"pgregory.net/rapid"
)

// pathGen draws paths that look like each other, so that queries match many.
func pathGen() *rapid.Generator[string] {
	part := rapid.OneOf(
		rapid.SampledFrom([]string{"a", "ab", "form", "Form", "reForm", ".x", "a-b", "a_b.go", "äÖ", "İi", "x y", "1a2"}),
		rapid.StringMatching(`[abxAB._-]{1,6}`),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(part, 1, 4).Draw(t, "parts"), "/")
	})
}

func listOf(paths []string) *view {
	l := newList(10_000)
	l.add(paths...)
	return l.view(false)
}

// Leaving out what cannot get into the answer must not change the answer.
func TestShortAnswerIsTheBeginOfTheLongOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := listOf(rapid.SliceOfNDistinct(pathGen(), 1, 80, rapid.ID).Draw(t, "paths"))
		query := rapid.OneOf(rapid.StringMatching(`[abformxy./-]{0,4}`), rapid.SampledFrom([]string{"", "ä", "İ", "Ö"})).Draw(t, "query")
		long, err := v.search(context.Background(), "", query, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		short, err := v.search(context.Background(), "", query, rapid.IntRange(1, 20).Draw(t, "most"))
		if err != nil || !slices.Equal(short, long[:len(short)]) || len(short) < min(8, len(long)) {
			t.Fatalf("short %v\nlong %v, %v", short, long, err)
		}
	})
}

// fzf finds the same entries, whatever it thinks of their order.
func TestSameMatchesAsFzf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := listOf(rapid.SliceOfNDistinct(pathGen(), 1, 40, rapid.ID).Draw(t, "paths"))
		query := rapid.StringMatching(`[abformxy.-]{1,4}`).Draw(t, "query")
		hits, err := v.search(context.Background(), "", query, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		found := map[int32]bool{}
		for _, h := range hits {
			found[h.at] = true
		}
		for i, e := range v.entries {
			chars := util.ToChars([]byte(strings.TrimSuffix(e.key, "/")))
			result, _ := algo.FuzzyMatchV1(true, false, true, &chars, []rune(query), false, nil)
			if want := result.Start >= 0; found[int32(i)] != want {
				t.Fatalf("%q matches %q: %v, fzf says %v", query, e.path, !want, want)
			}
		}
	})
}

func TestSearchEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := listOf([]string{"a"}).search(ctx, "", "a", 1); err != context.Canceled {
		t.Fatalf("error %v", err)
	}
}

func TestFuzzyScore(t *testing.T) {
	// The better one first; both match.
	tests := []struct{ query, better, worse string }{
		{"view", "user-view.go", "userview.go"},
		{"view", "UserView.go", "Userview.go"},
		{"9", "form9", "19"},
		{"abc", "xabc", "a-b-c"},
		{"abc", "a-b-c", "axbxc"},
		{"abc", "xaxxabxc", "xaxxxbxxxc"},
		{"fb", "foo-bar", "fxxxxxxb"},
	}
	for _, tt := range tests {
		v := listOf([]string{tt.better, tt.worse})
		better, ok1 := fuzzy(&v.entries[0], 0, tt.query)
		worse, ok2 := fuzzy(&v.entries[1], 0, tt.query)
		if !ok1 || !ok2 || better <= worse {
			t.Errorf("%q: %s has %d (%v), %s has %d (%v)", tt.query, tt.better, better, ok1, tt.worse, worse, ok2)
		}
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("̾/a", "", "\xcc/")
	f.Add("src/Main.go\x00a b/İ\xff", "mg", "src/")
	f.Fuzz(func(t *testing.T, paths, query, below string) {
		v := listOf(strings.Split(paths, "\x00"))
		below = below[:strings.LastIndexByte(below, '/')+1]
		hits, err := v.search(t.Context(), below, query, 5)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			if p := v.entries[h.at].path; !strings.HasPrefix(p, below) || !usable(p) {
				t.Fatalf("%q is not below %q", p, below)
			}
		}
	})
}

func FuzzSplit(f *testing.F) {
	f.Add("a\x00b c\x00", uint8(1))
	f.Add("\x00\x00x", uint8(3))
	f.Fuzz(func(t *testing.T, output string, size uint8) {
		var got, paths []string
		var rest []byte
		for piece := range slices.Chunk([]byte(output), int(size)+1) {
			paths, rest = split(paths[:0], rest, piece)
			got = append(got, paths...)
		}
		want := strings.Split(output, "\x00")
		if string(rest) != want[len(want)-1] {
			t.Fatalf("rest %q of %q", rest, output)
		}
		want = slices.DeleteFunc(want[:len(want)-1], func(s string) bool { return s == "" })
		got = slices.DeleteFunc(got, func(s string) bool { return s == "" })
		if !slices.Equal(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}
