package display_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
)

// measure is the default measure.
var measure display.WidthFunc

// testdata/host-widths.tsv holds strings with the width one host measures:
// "=" lines are texts people write, where we must agree, ">" lines are oddities,
// where we must not be narrower.
func TestDefaultWidthAgainstAHost(t *testing.T) {
	data, err := os.ReadFile("testdata/host-widths.tsv")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for line := range strings.Lines(string(data)) {
		field := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		host, err := strconv.Atoi(field[1])
		if err != nil {
			t.Fatal(err)
		}
		var s string
		if err := json.Unmarshal([]byte(field[2]), &s); err != nil {
			t.Fatal(err)
		}
		seen[field[0]]++
		got := measure.Width(s)
		if got < host || field[0] == "=" && got != host {
			t.Errorf("Width(%+q) = %d, the host measures %d", s, got, host)
		}
	}
	if seen["="] < 40 || seen[">"] < 300 {
		t.Errorf("the table holds %v cases", seen)
	}
}

func TestFastPathsAgreeWithTheTables(t *testing.T) {
	var plain []string
	for r := rune(0x20); r < 0x10000; r++ {
		if r >= 0xd800 && r < 0xe000 {
			continue
		}
		s := string(r)
		if got, want := measure.Width(s), display.ClusterWidth(s); got != want {
			t.Errorf("Width(%+q) = %d, tables say %d", s, got, want)
		}
		if r%97 == 0 || r < 0x80 {
			plain = append(plain, s)
		}
	}
	for _, a := range plain {
		for _, b := range plain {
			want, _, _, _ := uniseg.FirstGraphemeClusterInString(a+b, -1)
			if got := display.NextCluster(a + b); got != len(want) {
				t.Fatalf("first cluster of %+q has %d bytes, want %d", a+b, got, len(want))
			}
		}
	}
}

func TestOwnWidthFunc(t *testing.T) {
	wide := display.WidthFunc(func(cluster string) int {
		if cluster == "é" {
			return -3
		}
		return 5
	})
	if got := wide.Width("aé世"); got != 1+0+5 {
		t.Errorf("Width = %d, want 6: ASCII is one column and negative widths are none", got)
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		name, in string
		width    int
		tail     string
		want     string
	}{
		{"fits", "Target", 6, "…", "Target"},
		{"one column short", "Target", 5, "…", "Targ…"},
		{"only the tail fits", "Target", 1, "…", "…"},
		{"tail does not fit", "Target", 2, "...", "Ta"},
		{"no room", "Target", 0, "…", ""},
		{"wide character fits", "資料庫", 6, "…", "資料庫"},
		{"wide character would straddle", "資料庫", 4, "…", "資…"},
		{"joined emoji stay whole", "👩‍🍳👩‍🍳", 3, "…", "👩‍🍳…"},
		{"marks stay with their letter", "e\u0301e\u0301e\u0301", 2, "…", "e\u0301…"},
		{"marks after the last column", "abe\u0301", 3, "…", "abe\u0301"},
		{"no tail", "abcdef", 3, "", "abc"},
		{"empty", "", 3, "…", ""},
	} {
		if got := measure.Cut(c.in, c.width, c.tail); got != c.want {
			t.Errorf("%s: Cut(%q, %d) = %q, want %q", c.name, c.in, c.width, got, c.want)
		}
	}
}

// hostileText draws text of the kinds that break terminal layouts.
func hostileText() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"a", "word", " ", "  ", "\t", "\n", "\r", "資料", "한글", "é", "e\u0301", "\u0301", "\u0489",
		"👩‍🍳", "🏳️‍🌈", "\u200d", "\ufe0f", "\ufe0e", "🇩🇪", "🇩", "1️⃣", "\u20e3", "☝🏽", "🏽", "မြန်မာ", "ေ", "\u103b",
		"ｶﾞ", "ﾞ", "กำ", "क्षि", "\u0600", "\x00", "\x1b[31m", "\u009b", "\u202e", "\u2066", "\u200b", "\u00ad", "\ufeff",
		"\u00a0", "\u3000", "\u2028", "\U000e0041", "🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",
		"\xed\xa0\x80", "\xff", "\xe4\xb8", "ﷺ", "⸻", "\u1160", "각", "𠀀", "\u0e33", "verylongwordthatmustbebroken",
	})
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 9).Draw(t, "free") == 0 {
			return rapid.String().Draw(t, "text")
		}
		return strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "pieces"), "")
	})
}

func TestNoLineIsWiderThanAsked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := hostileText().Draw(t, "text")
		width := rapid.IntRange(1, 200).Draw(t, "width")
		if rapid.Bool().Draw(t, "narrow") {
			width = 1 + width%12
		}
		f := measure
		if rapid.IntRange(0, 3).Draw(t, "measure") == 0 {
			f = func(cluster string) int { return len(cluster) % 4 }
		}
		check := func(what string, lines ...string) {
			for _, line := range lines {
				if w := f.Width(line); w > width {
					t.Fatalf("%s gave %+q, %d columns for width %d", what, line, w, width)
				}
			}
		}
		seen := display.Visible(text)
		expanded := f.ExpandTabs(seen)
		check("Wrap", f.Wrap(seen, width)...)
		check("Cut", f.Cut(f.OneLine(text), width, "…"))
		for line := range strings.SplitSeq(expanded, "\n") {
			pieces := f.HardWrap(line, width)
			check("HardWrap", pieces...)
			if f == nil && width >= 8 && strings.Join(pieces, "") != line {
				t.Fatalf("HardWrap(%+q, %d) lost text: %+q", line, width, pieces)
			}
		}
		if strings.ContainsAny(f.OneLine(text), "\n\t") {
			t.Fatalf("OneLine(%+q) holds layout", text)
		}
	})
}

func TestWrapKeepsEveryWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := display.Visible(hostileText().Draw(t, "text"))
		text = strings.ReplaceAll(text, "⸻", "") // three columns: can be wider than the room
		width := rapid.IntRange(8, 80).Draw(t, "width")
		strip := func(s string) string {
			return strings.Map(func(r rune) rune {
				if strings.ContainsRune("\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff", r) || r >= 0x2000 && r <= 0x200a {
					return -1
				}
				return r
			}, s)
		}
		if got := strip(strings.Join(measure.Wrap(text, width), "")); got != strip(text) {
			t.Fatalf("Wrap(%+q, %d) drew %+q", text, width, got)
		}
	})
}

func TestClustersAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hostileText().Draw(t, "text")
		var all strings.Builder
		sum := 0
		for cluster, width := range measure.Clusters(s) {
			if cluster == "" || width < 0 {
				t.Fatalf("cluster %q of width %d in %+q", cluster, width, s)
			}
			all.WriteString(cluster)
			sum += width
		}
		if all.String() != s || sum != measure.Width(s) {
			t.Fatalf("clusters of %+q: %+q, %d columns, Width says %d", s, all.String(), sum, measure.Width(s))
		}
	})
}

func ExampleWidthFunc_Cut() {
	var widths display.WidthFunc
	fmt.Println(widths.Cut("資料庫 v2", 6, "…"))
	// Output: 資料…
}

func ExampleWidthFunc_Clusters() {
	var widths display.WidthFunc
	for cluster, width := range widths.Clusters("a世👩‍🍳") {
		fmt.Println(cluster, width)
	}
	// Output:
	// a 1
	// 世 2
	// 👩‍🍳 2
}

func ExampleWidthFunc_Width() {
	var widths display.WidthFunc
	fmt.Println(widths.Width("한글 ok"))
	// Output: 7
}
