package ask

import (
	"strings"
	"unicode/utf8"
)

// isSpace holds the contract's whitespace: U+0085 and U+200B are not in it,
// U+FEFF is.
func isSpace(r rune) bool {
	switch {
	case r >= 0x09 && r <= 0x0D, r == 0x20, r == 0xA0, r == 0x1680,
		r >= 0x2000 && r <= 0x200A, r == 0x2028, r == 0x2029,
		r == 0x202F, r == 0x205F, r == 0x3000, r == 0xFEFF:
		return true
	}
	return false
}

// TrimSpace cuts whitespace from both ends of s. Whitespace is U+0009-U+000D,
// U+0020, U+00A0, U+1680, U+2000-U+200A, U+2028, U+2029, U+202F, U+205F, U+3000
// and U+FEFF, a set that differs from that of [strings.TrimSpace]. Every
// "trimmed" text of this module uses it.
func TrimSpace(s string) string { return strings.TrimFunc(s, isSpace) }

// IsBlank reports whether s is empty or holds nothing but whitespace as
// [TrimSpace] defines it.
func IsBlank(s string) bool {
	for _, r := range s {
		if !isSpace(r) {
			return false
		}
	}
	return true
}

// trimPreview removes blank lines from both ends and whitespace from the end,
// and keeps the indentation of the first line that is left.
func trimPreview(s string) string {
	s = strings.TrimRightFunc(s, isSpace)
	for {
		line, rest, more := strings.Cut(s, "\n")
		if !more || !IsBlank(line) {
			return s
		}
		s = rest
	}
}

// quote writes s as a JSON string literal that escapes no more than JSON
// demands, which encoding/json cannot do: it also escapes U+2028 and U+2029.
func quote(s string) string {
	const hex = "0123456789abcdef"
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\b':
			b.WriteString(`\b`)
		case '\t':
			b.WriteString(`\t`)
		case '\n':
			b.WriteString(`\n`)
		case '\f':
			b.WriteString(`\f`)
		case '\r':
			b.WriteString(`\r`)
		default:
			if c < 0x20 {
				b.WriteString(`\u00`)
				b.WriteByte(hex[c>>4])
				b.WriteByte(hex[c&15])
				continue
			}
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// shorten cuts a text for use in an issue's message.
func shorten(s string) string {
	const most = 80 // characters
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return strings.ToValidUTF8(s, string(utf8.RuneError))
}
