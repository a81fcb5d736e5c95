package display_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "ship it", "ship it"},
		{"layout stays", "a\n\tb", "a\n\tb"},
		{"escape sequence", "\x1b[2J\x1b]52;c;ZXZpbA==\a", "␛[2J␛]52;c;ZXZpbA==␇"},
		{"NUL and carriage return", "a\x00b\r\n", "a␀b␍\n"},
		{"unit separator", "\x1f", "␟"},
		{"delete", "\x7f", "␡"},
		{"eight bit control", "a\u009b31m", "a<U+009B>31m"},
		{"edges of C1", "\u0080\u009f\u00a0", "<U+0080><U+009F>\u00a0"},
		{"bidi marks", "\u061c\u200e\u200f", "<U+061C><U+200E><U+200F>"},
		{"bidi embedding and isolates", "\u202a\u202e\u2066\u2069", "<U+202A><U+202E><U+2066><U+2069>"},
		{"line and paragraph separator", "\u2028\u2029", "<U+2028><U+2029>"},
		{"neighbours stay", "\u2027\u202f\u2065\u206a\u200d", "\u2027\u202f\u2065\u206a\u200d"},
		{"not UTF-8", "a\xffb\xe4\xb8", "a\ufffdb\ufffd\ufffd"},
		{"lone surrogate", "\xed\xa0\x80", "\ufffd\ufffd\ufffd"},
		{"replacement character itself", "\ufffd", "\ufffd"},
		{"byte order mark", "\ufeffa", "<U+FEFF>a"},
		{"hidden tag text", "a\U000e0041\U000e007f", "a<U+E0041><U+E007F>"},
		{"flag of Scotland", "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F!", "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F!"},
		{"tags behind a flag", "🏴\U000E0061", "🏴<U+E0061>"},
		{"joined emoji", "👩‍🍳🏳️‍🌈", "👩‍🍳🏳️‍🌈"},
	} {
		if got := display.Visible(c.in); got != c.want {
			t.Errorf("%s: Visible(%+q) = %+q, want %+q", c.name, c.in, got, c.want)
		}
	}
}

func TestVisibleCopiesNothingWithoutNeed(t *testing.T) {
	for _, s := range []string{"plain text\nwith\ttabs", "資料庫 👩‍🍳 \ufffd", ""} {
		if n := testing.AllocsPerRun(10, func() { display.Visible(s); measure.Width("plain ASCII") }); n != 0 {
			t.Errorf("%q: %v allocations", s, n)
		}
	}
}

func TestVisibleIsSafeAndSettled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hostileText().Draw(t, "text")
		got := display.Visible(s)
		if !utf8.ValidString(got) {
			t.Fatalf("Visible(%+q) is not UTF-8: %+q", s, got)
		}
		for _, r := range got {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e {
				t.Fatalf("Visible(%+q) holds %U", s, r)
			}
		}
		if again := display.Visible(got); again != got {
			t.Fatalf("twice differs: %+q, %+q", got, again)
		}
	})
}

func TestOneLine(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"newlines are blanks", "a\nb\n\nc", "a b  c"},
		{"tab stops count from the start", "a\nb\tc", "a b c"},
		{"carriage return is seen", "a\r\nb", "a␍ b"},
		{"plain", "Target", "Target"},
	} {
		if got := measure.OneLine(c.in); got != c.want {
			t.Errorf("%s: OneLine(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestExpandTabs(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"start", "\tx", "    x"},
		{"to the next stop", "ab\tx", "ab  x"},
		{"at a stop", "abcd\tx", "abcd    x"},
		{"wide characters count two", "資\tx", "資  x"},
		{"marks count nothing", "e\u0301\tx", "e\u0301   x"},
		{"two in a row", "a\t\tx", "a       x"},
		{"each line anew", "abc\n\tx", "abc\n    x"},
	} {
		if got := measure.ExpandTabs(c.in); got != c.want {
			t.Errorf("%s: ExpandTabs(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("\x1b]0;title\a\u202e\xff", 7)
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = 1 + (width&0x7fffffff)%200
		for _, line := range measure.Wrap(display.Visible(s), width) {
			if w := measure.Width(line); w > width || strings.ContainsRune(line, '\t') {
				t.Fatalf("%+q is %d columns, asked for %d", line, w, width)
			}
		}
	})
}

func ExampleVisible() {
	fmt.Println(display.Visible("ok\x1b]52;c;ZXZpbA==\a \u202egnp.exe"))
	// Output: ok␛]52;c;ZXZpbA==␇ <U+202E>gnp.exe
}

func ExampleWidthFunc_OneLine() {
	var widths display.WidthFunc
	fmt.Println(widths.OneLine("Deploy\nnow"))
	// Output: Deploy now
}
