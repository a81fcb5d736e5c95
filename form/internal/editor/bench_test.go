package editor

import (
	"strings"
	"testing"
)

const megabyte = 1 << 20

// bigTexts are pastes of 1 MB.
var bigTexts = []struct{ name, text string }{
	{"many lines", strings.Repeat("a line of plain text, as it comes from a log\n", megabyte/45)},
	{"one line of prose", strings.Repeat("lorem ipsum dolor sit amet, consectetur ", megabyte/40)},
	{"one word", strings.Repeat("x", megabyte)},
	{"newlines only", strings.Repeat("\n", megabyte)},
	{"one line of Han", strings.Repeat("資料庫測試", megabyte/15)},
	{"one line of Thai", strings.Repeat("กำลังทดสอบ ", megabyte/31)},
	{"one line of emoji", strings.Repeat("👩‍🍳 ", megabyte/12)},
}

func BenchmarkPaste1MB(b *testing.B) {
	for _, c := range bigTexts {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e := New(nil)
				e.View(80, 10)
				e.Paste(c.text)
				e.View(80, 10)
			}
		})
	}
}

// One key is one character typed and the view after it; the start of a line is
// the worst place, since all rows behind it can move.
func BenchmarkKeyAfter1MB(b *testing.B) {
	for _, place := range []string{"end", "home"} {
		for _, c := range bigTexts {
			b.Run(place+"/"+c.name, func(b *testing.B) {
				e := New(nil)
				e.View(80, 10)
				e.Paste(c.text)
				e.Key(place, "")
				b.ReportAllocs()
				for b.Loop() {
					e.Key("", "a")
					e.View(80, 10)
				}
			})
		}
	}
}

func BenchmarkKey(b *testing.B) {
	for _, c := range []struct{ name, text, key string }{
		{"typing", "a short answer of two or three lines, as people write them in a form", "x"},
		{"typing Han", "資料庫測試資料庫測試資料庫測試資料庫測試資料庫測試", "試"},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := New(nil)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%100 == 0 {
					e.SetText(c.text)
				}
				e.Key("", c.key)
				e.View(60, 10)
			}
		})
	}
}
