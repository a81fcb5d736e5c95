package files

import "strings"

// Points of a match. Letters in one piece always beat scattered ones.
const (
	pointsWhole    = 100_000 // the query in one piece
	pointsBoundary = 10_000  // of that piece, at the begin of a word
	pointsWord     = 40      // a scattered letter at the begin of a word
	pointsRow      = 30      // a letter right after the one before
	pointsGap      = 1       // lost for a letter in between
	maxGap         = 20
)

// fuzzy reports whether the letters of the query are in the key of an entry,
// in order, from an offset on, and how well they sit there.
//
// The algorithms of fzf would do, but their tables are variables of that
// package which somebody has to fill: no business of a library.
func fuzzy(e *entry, from int, query string) (int32, bool) {
	text := e.key[from:]
	if at := strings.Index(text, query); at >= 0 {
		score := int32(pointsWhole)
		// A later place counts if it begins a word.
		for first := at; ; {
			if begins(e, from+at) {
				return score + pointsBoundary - int32(min(at, 1000)), true
			}
			next := strings.Index(text[at+1:], query)
			if next < 0 {
				return score - int32(min(first, 1000)), true
			}
			at += 1 + next
		}
	}
	end := 0 // after the first place where all letters have come by
	for i := 0; i < len(query); i++ {
		at := strings.IndexByte(text[end:], query[i])
		if at < 0 {
			return 0, false
		}
		end += at + 1
	}
	return scattered(e, from, end, query), true
}

// scattered scores letters that end at an offset. Taken backwards from there
// they lie closer together than from the front.
func scattered(e *entry, from, end int, query string) int32 {
	var score int32
	next := -1
	at := from + end - 1
	for i := len(query) - 1; i >= 0; i-- {
		for e.key[at] != query[i] {
			at--
		}
		switch {
		case next == at+1:
			score += pointsRow
		case next >= 0:
			score -= pointsGap * int32(min(next-at-1, maxGap))
		}
		if begins(e, at) {
			score += pointsWord
		}
		next = at
		at--
	}
	return score
}

// begins reports whether a word begins at an offset of the key: after
// punctuation, or where capitals or digits begin.
func begins(e *entry, at int) bool {
	if at == 0 {
		return true
	}
	switch e.key[at-1] {
	case '/', '.', '-', '_', ' ', '(', '[', '@', '+':
		return true
	}
	if len(e.path) != len(e.key) {
		return false // an odd letter: offsets do not agree
	}
	before, here := e.path[at-1], e.path[at]
	return isUpper(here) && !isUpper(before) || isDigit(here) && !isDigit(before)
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
