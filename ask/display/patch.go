package display

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/rivo/uniseg"
)

// patchedWidth is the width of a cluster by the rule of terminals, and of
// hosts that imitate them, that give cells to some characters inside a
// cluster, where width tables count the first character alone:
//
//   - spacing marks of Indic and South-East Asian scripts, Thai and Lao AM and
//     the halfwidth voiced sound marks take one cell each;
//   - a few marks (see takesCell) do so because old width tables have them as
//     letters;
//   - a skin tone makes its emoji two cells wide, and stands alone, with two
//     cells more, when another mark keeps it from its emoji.
//
// Without the rule, lines with such text can be wider for the host than they
// are for us.
func patchedWidth(cluster string) int {
	first, n := utf8.DecodeRuneInString(cluster)
	if n == len(cluster) && first < 0x300 {
		return 0
	}
	total := 1
	if !takesCell(first) {
		total = max(uniseg.StringWidth(cluster[:n]), displaywidth.String(cluster[:n]))
	}
	afterMark := n < len(cluster) && unicode.Is(unicode.M, first)
	for _, r := range cluster[n:] {
		switch {
		case takesCell(r):
			total++
			afterMark = false
		case isSkinTone(r) && (afterMark || total == 0):
			total += 2
			afterMark = false
		case isSkinTone(r):
			total = max(total, 2)
		case unicode.Is(unicode.M, r):
			afterMark = true
		}
	}
	if isSkinTone(first) {
		total = max(total, 2)
	}
	return total
}

func isSkinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

// takesCell reports whether r takes a cell of its own although it belongs to
// the cluster of the character before it.
func takesCell(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r == 0x1734, r == 0x302e, r == 0x302f: // spacing by name only
		return false
	case r == 0x0e33, r == 0x0eb3: // Thai and Lao vowel AM
		return true
	case r >= 0xff00 && r <= 0xffef: // halfwidth voiced sound marks
		return true
	case r == 0x065f, r == 0x0f7f, r == 0x102b, r == 0x102c, r == 0x1031,
		r >= 0x1033 && r <= 0x1035, r == 0x1038, r >= 0x103a && r <= 0x103e:
		return true // marks that old width tables have as letters
	case r == 0x1171e: // spacing since Unicode 16
		return true
	}
	return unicode.Is(unicode.Mc, r)
}
