package display

import (
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// NextCluster returns the length in bytes of the first grapheme cluster of s,
// or 0 for the empty string.
func NextCluster(s string) int {
	if s == "" {
		return 0
	}
	if n, _ := plainCluster(s); n > 0 {
		return n
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
	return len(cluster)
}

// plainCluster recognises the clusters of everyday text without table look-ups:
// one character of a script whose characters stand alone, followed by another
// such character or by the end. It returns n = 0 for everything else.
func plainCluster(s string) (n, width int) {
	n, width = plainRune(s)
	if n == 0 || n == len(s) {
		return n, width
	}
	if next, _ := plainRune(s[n:]); next == 0 && !breaksBefore(s[n]) {
		return 0, 0
	}
	return n, width
}

// breaksBefore reports whether a cluster always ends before the byte c: control
// characters stand alone.
func breaksBefore(c byte) bool { return c < 0x20 || c == 0x7f }

// plainRune returns the length and width of the first character of s if it is
// of a kind that never joins with a neighbour of the same kinds: printable
// ASCII, letters of common alphabets, kana, Han and Hangul syllables. Otherwise
// n is 0.
func plainRune(s string) (n, width int) {
	if c := s[0]; c < utf8.RuneSelf {
		if isPrintable(c) {
			return 1, 1
		}
		return 0, 0
	}
	r, n := utf8.DecodeRuneInString(s)
	if width = plainWidth(r); width == 0 {
		return 0, 0
	}
	return n, width
}

// plainWidth is the width of the letters plainRune knows, 0 for other runes.
// The order of the ranges is that of the code points.
func plainWidth(r rune) int {
	switch {
	case r < 0xc0:
		return 0
	case r < 0x2b0: // Latin-1 letters to IPA extensions
		return 1
	case r < 0x2010:
		switch {
		case r >= 0x3b1 && r <= 0x3ff, r >= 0x400 && r <= 0x482, // Greek, Cyrillic
			r >= 0x5d0 && r <= 0x5ea, r >= 0x620 && r <= 0x64a, // Hebrew, Arabic
			r >= 0x904 && r <= 0x939, r >= 0xe01 && r <= 0xe2e: // Devanagari, Thai
			return 1
		}
		return 0
	case r <= 0x2027: // dashes, quotation marks, bullet, ellipsis
		return 1
	case r >= 0x2500 && r <= 0x257f: // box drawing
		return 1
	case r < 0x3001:
		return 0
	case r <= 0x3029, r >= 0x3041 && r <= 0x3096, r >= 0x30a1 && r <= 0x30fa: // kana
		return 2
	case r >= 0x3400 && r <= 0x4dbf, r >= 0x4e00 && r <= 0x9fff: // Han
		return 2
	case r >= 0xac00 && r <= 0xd7a3: // Hangul syllables
		return 2
	case r >= 0xff01 && r <= 0xff5e: // fullwidth forms
		return 2
	}
	return 0
}

func isPrintable(c byte) bool { return c >= 0x20 && c < 0x7f }

// isASCII reports whether s is printable ASCII only, so that its length is its
// width.
func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isPrintable(s[i]) {
			return false
		}
	}
	return true
}

// isSpace is the whitespace of the ask contract. It has no U+0085 and no
// U+200B, other than unicode.IsSpace, and it has U+FEFF.
func isSpace(r rune) bool {
	switch {
	case r == ' ', r >= 0x09 && r <= 0x0d:
		return true
	case r < 0xa0:
		return false
	case r == 0xa0, r == 0x1680, r >= 0x2000 && r <= 0x200a, r == 0x2028, r == 0x2029,
		r == 0x202f, r == 0x205f, r == 0x3000, r == 0xfeff:
		return true
	}
	return false
}
