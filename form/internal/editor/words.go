package editor

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind sorts characters for the word moves: a word is a run of letters, digits
// and underscores or a run of anything else that is not blank.
type kind int

const (
	blank kind = iota
	letter
	mark
)

func kindOf(s string) kind {
	r, _ := utf8.DecodeRuneInString(s)
	switch {
	case isBlank(s):
		return blank
	case isWordRune(r):
		return letter
	}
	return mark
}

func isWordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// isBlank reports whether s starts with a blank, tab or newline, or another
// character that looks like one.
func isBlank(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsSpace(r)
}

// wordLeft is the start of the word before p, wordRight the end of the word
// after it. Beyond the ends of a line they stop at the newline.
func (e *Editor) wordLeft(p position) position {
	if p.off == 0 {
		return e.stepLeft(p)
	}
	l := &e.lines[p.line]
	var run kind
	for p.off > 0 {
		at := l.prev(p.off)
		k := kindOf(l.text[at:])
		if run != blank && k != run {
			break
		}
		run, p.off = k, at
	}
	return p
}

func (e *Editor) wordRight(p position) position {
	l := &e.lines[p.line]
	if p.off == len(l.text) {
		return e.stepRight(p)
	}
	var run kind
	for p.off < len(l.text) {
		k := kindOf(l.text[p.off:])
		if run != blank && k != run {
			break
		}
		run, p.off = k, l.next(p.off)
	}
	return p
}

// jumpTo moves the cursor to the next place after it where text stands.
func (e *Editor) jumpTo(text string) {
	start := e.stepRight(e.cur)
	for i := start.line; i < len(e.lines); i++ {
		l := &e.lines[i]
		for off := start.off; off < len(l.text); {
			n := strings.Index(l.text[off:], text)
			if n < 0 {
				break
			}
			if at := off + n; l.snap(at) == at {
				e.moveTo(position{i, at})
				return
			}
			off += n + 1
		}
		start.off = 0
	}
}
