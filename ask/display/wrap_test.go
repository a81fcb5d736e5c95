package display_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask/asktest"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
)

func TestWrapVectors(t *testing.T) {
	seen := 0
	for _, file := range asktest.Files(t, asktest.Ask) {
		var doc struct {
			Cases []struct {
				ID, Kind string
				Input    json.RawMessage
				Expected json.RawMessage
			}
		}
		if err := json.Unmarshal(file.Data, &doc); err != nil {
			t.Fatalf("%s: %v", file.Name, err)
		}
		for _, c := range doc.Cases {
			if c.Kind != "wrapText" {
				continue
			}
			seen++
			t.Run(file.Name+"/"+c.ID, func(t *testing.T) {
				var in struct {
					Text  string
					Width int
				}
				var want struct{ Lines []string }
				if err := json.Unmarshal(c.Input, &in); err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(c.Expected, &want); err != nil {
					t.Fatal(err)
				}
				if got := measure.WrapText(in.Text, in.Width); !reflect.DeepEqual(got, want.Lines) {
					t.Errorf("WrapText(%q, %d)\n got %q\nwant %q", in.Text, in.Width, got, want.Lines)
				}
			})
		}
	}
	if seen == 0 {
		t.Error("no wrapText vectors found")
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name, in string
		width    int
		want     []string
	}{
		{"greedy", "ship it on friday maybe", 10, []string{"ship it on", "friday", "maybe"}},
		{"empty text is one line", "", 10, []string{""}},
		{"trailing newline", "a\n", 10, []string{"a", ""}},
		{"indent repeats", "Top\n\n   deep words here", 10, []string{"Top", "", "   deep", "   words", "   here"}},
		{"runs of blanks collapse", "a    b \t c  ", 20, []string{"a b c"}},
		{"collapse after rows that did not", "a b  c d", 20, []string{"a b c d"}},
		{"blank line stays", "   ", 20, []string{"   "}},
		{"long word stands alone", "go supercalifragilistic on", 8, []string{"go", "supercal", "ifragili", "stic", "on"}},
		{"long word with an indent", "  abcdefgh ij", 6, []string{"  abcd", "  efgh", "  ij"}},
		{"wide words", "資料庫 測試", 6, []string{"資料庫", "測試"}},
		{"wide word is broken", "資料庫", 5, []string{"資料", "庫"}},
		{"wide character in one column", "a資", 1, []string{"a", " "}},
		{"ideographic blank splits", "a\u3000b", 10, []string{"a b"}},
		{"zero width blank does not split", "a\u200bb", 10, []string{"a\u200bb"}},
		{"width below one", "ab", 0, []string{"a", "b"}},
	} {
		if got := measure.WrapText(c.in, c.width); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: WrapText(%q, %d)\n got %q\nwant %q", c.name, c.in, c.width, got, c.want)
		}
		if got := measure.Wrap(c.in, c.width); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: Wrap(%q, %d)\n got %q\nwant %q", c.name, c.in, c.width, got, c.want)
		}
	}
}

func TestWrapWhereTheIndentIsTooWide(t *testing.T) {
	for _, c := range []struct {
		name, in string
		width    int
		rule     []string
		drawn    []string
	}{
		{"indent leaves no room", "     ab", 3, []string{"     a", "     b"}, []string{" ab"}},
		{"blank line is longer", "      ", 3, []string{"      "}, []string{"   "}},
		{"a tab is blanks", "\tab cd", 7, []string{"\tab cd"}, []string{"    ab", "    cd"}},
		{"a wide character stays to be seen", "   資", 4, []string{"    "}, []string{"  資"}},
		{"one column", "  a b", 1, []string{"  a", "  b"}, []string{"a", "b"}},
	} {
		if got := measure.WrapText(c.in, c.width); !reflect.DeepEqual(got, c.rule) {
			t.Errorf("%s: WrapText = %q, want %q", c.name, got, c.rule)
		}
		if got := measure.Wrap(c.in, c.width); !reflect.DeepEqual(got, c.drawn) {
			t.Errorf("%s: Wrap = %q, want %q", c.name, got, c.drawn)
		}
	}
}

// A blank and a variation selector are wider together than apart.
func TestWrapOfAWordThatJoinsWithTheBlankBefore(t *testing.T) {
	for _, text := range []string{"a \ufe0f", "ab \ufe0fc d", " \ufe0fbb"} {
		for width := 1; width < 6; width++ {
			for _, line := range measure.Wrap(text, width) {
				if w := measure.Width(line); w > width {
					t.Errorf("Wrap(%+q, %d) gave %+q of %d columns", text, width, line, w)
				}
			}
		}
	}
}

func TestHardWrap(t *testing.T) {
	for _, c := range []struct {
		name, in string
		width    int
		want     []string
	}{
		{"fits", "a  b", 4, []string{"a  b"}},
		{"keeps inner blanks", "ab    cd", 3, []string{"ab ", "   ", "cd"}},
		{"empty", "", 3, []string{""}},
		{"wide character moves on", "a資b", 2, []string{"a", "資", "b"}},
		{"wide character in one column", "a資b", 1, []string{"a", " ", "b"}},
		{"emoji stay whole", "👩‍🍳👩‍🍳", 3, []string{"👩‍🍳", "👩‍🍳"}},
		{"marks stay with their letter", "e\u0301e\u0301", 1, []string{"e\u0301", "e\u0301"}},
		{"width below one", "ab", -1, []string{"a", "b"}},
	} {
		if got := measure.HardWrap(c.in, c.width); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: HardWrap(%q, %d) = %q, want %q", c.name, c.in, c.width, got, c.want)
		}
	}
}

func BenchmarkWidth(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"ascii", strings.Repeat("plain words ", 8)},
		{"han", strings.Repeat("資料庫測試", 10)},
		{"emoji", strings.Repeat("👩‍🍳 x ", 10)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				measure.Width(c.text)
			}
		})
	}
}

func BenchmarkWrap(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"prompt", "Which of the two database engines should the new service use, given the limits?"},
		{"1MB", strings.Repeat("lorem ipsum dolor sit amet, consectetur ", 1<<20/40)},
		{"1MB one word", strings.Repeat("x", 1<<20)},
		{"1MB han", strings.Repeat("資料庫測試", 1<<20/15)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				measure.Wrap(c.text, 80)
			}
		})
	}
}

func BenchmarkVisible(b *testing.B) {
	text := strings.Repeat("a line of plain text\n", 1<<20/21)
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		display.Visible(text)
	}
}

func ExampleWidthFunc_Wrap() {
	var widths display.WidthFunc
	fmt.Println(strings.Join(widths.Wrap("  ship it on friday maybe", 12), "\n"))
	// Output:
	//   ship it on
	//   friday
	//   maybe
}

func ExampleWidthFunc_HardWrap() {
	var widths display.WidthFunc
	fmt.Printf("%q\n", widths.HardWrap("if  x { y() }", 8))
	// Output: ["if  x { " "y() }"]
}
