package display

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Visible returns s with every character that could steer a terminal, reorder
// a line or hide text replaced by a stand-in that can be seen:
//
//	U+0000-U+001F but newline and tab   the control picture, U+2400 + code
//	U+007F                              U+2421
//	U+0080-U+009F, bidi controls,
//	U+2028, U+2029                      <U+202E>
//	U+FEFF, tag characters U+E0000...   <U+E0041>, flags of regions excepted
//	bytes that are not UTF-8            U+FFFD
//
// Newlines and tabs are layout and stay. Without anything to replace, s itself
// is returned and nothing is allocated.
func Visible(s string) string {
	at := nextHidden(s, 0)
	if at == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	start := 0
	for at < len(s) {
		b.WriteString(s[start:at])
		r, n := utf8.DecodeRuneInString(s[at:])
		writeStandIn(&b, r)
		start = at + n
		at = nextHidden(s, start)
	}
	b.WriteString(s[start:])
	return b.String()
}

func writeStandIn(b *strings.Builder, r rune) {
	switch {
	case r < 0x20:
		b.WriteRune(0x2400 + r)
	case r == 0x7f:
		b.WriteRune(0x2421)
	case r == utf8.RuneError:
		b.WriteRune(utf8.RuneError)
	default:
		fmt.Fprintf(b, "<U+%04X>", r)
	}
}

// nextHidden returns the offset, not before from, of the next character that
// needs a stand-in, or len(s).
func nextHidden(s string, from int) int {
	for i := from; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < 0x20 && c != '\n' && c != '\t' || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || isHidden(r) {
			return i
		}
		if r == blackFlag {
			n += regionFlagTags(s[i+n:])
		}
		i += n
	}
	return len(s)
}

// isHidden reports whether r, above ASCII, needs a stand-in.
func isHidden(r rune) bool {
	switch {
	case r < 0xa0:
		return true
	case r < 0x61c:
		return false
	case r == 0x61c, r == 0x200e, r == 0x200f, r == 0xfeff:
		return true
	case r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return r >= 0xe0000 && r <= 0xe007f
}

const blackFlag = 0x1f3f4

// regionFlags are the only sequences of tag characters in general use: the
// flags of England, Scotland and Wales. Any other run of tag characters is text
// that a reader cannot see.
var regionFlags = [...]string{
	"\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",
	"\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F",
	"\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F",
}

// regionFlagTags returns the length of the tag sequence at the start of s that
// makes a black flag the flag of a region, or 0.
func regionFlagTags(s string) int {
	for _, tags := range regionFlags {
		if strings.HasPrefix(s, tags) {
			return len(tags)
		}
	}
	return 0
}

// ExpandTabs replaces every tab by blanks up to the next multiple of four
// columns of its line. Without a tab, s itself is returned.
func (f WidthFunc) ExpandTabs(s string) string {
	if strings.IndexByte(s, '\t') < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	column := 0
	for len(s) > 0 {
		switch stop := strings.IndexAny(s, "\t\n"); {
		case stop < 0:
			b.WriteString(s)
			return b.String()
		case s[stop] == '\n':
			b.WriteString(s[:stop+1])
			s, column = s[stop+1:], 0
		default:
			b.WriteString(s[:stop])
			column += f.Width(s[:stop])
			blanks := TabStop - column%TabStop
			b.WriteString("    "[:blanks])
			s, column = s[stop+1:], column+blanks
		}
	}
	return b.String()
}

// TabStop is the distance of the tab stops in columns.
const TabStop = 4

// OneLine returns s as it is drawn in one-line places such as tab names and
// titles: [Visible], every newline one blank, tabs expanded.
func (f WidthFunc) OneLine(s string) string {
	s = Visible(s)
	if strings.IndexByte(s, '\n') >= 0 {
		s = strings.ReplaceAll(s, "\n", " ")
	}
	return f.ExpandTabs(s)
}
