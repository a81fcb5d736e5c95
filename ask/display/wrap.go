package display

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks text into lines of at most width columns at whitespace. It is
// [WidthFunc.WrapText] for drawing: where that rule makes a line wider than
// width, because the indent alone leaves no room or a blank line is longer,
// the indent is cut to width - 1 and the blank line to width. Width below 1
// counts as 1.
func (f WidthFunc) Wrap(text string, width int) []string {
	return f.wrap(text, max(width, 1), true)
}

// WrapText breaks text by the word wrapping rule of the ask contract:
//
//   - lines are split at newlines, an empty line stays empty and a line of
//     whitespace stays as it is;
//   - leading whitespace is the indent, repeated on each continuation;
//   - words are joined by single blanks while they fit width minus indent,
//     which is at least 1;
//   - a longer word is cut into pieces, each of them a line of its own.
//
// A line can be wider than width if its indent is, see [WidthFunc.Wrap].
// A cluster wider than the room for a word is drawn as blanks.
func (f WidthFunc) WrapText(text string, width int) []string {
	return f.wrap(text, max(width, 1), false)
}

func (f WidthFunc) wrap(text string, width int, fit bool) []string {
	lines := make([]string, 0, 1+len(text)/(width+1))
	for {
		line, rest, more := strings.Cut(text, "\n")
		lines = f.wrapLine(lines, line, width, fit)
		if !more {
			return lines
		}
		text = rest
	}
}

func (f WidthFunc) wrapLine(lines []string, line string, width int, fit bool) []string {
	body := line[spaceLen(line):]
	if body == "" {
		if fit {
			line = f.Cut(line, width, "")
		}
		return append(lines, line)
	}
	indent := line[:len(line)-len(body)]
	if fit {
		indent = f.Cut(indent, width-1, "")
	}
	room := max(1, width-f.Width(indent))
	out := filler{lines: lines, indent: indent, room: room}
	for body != "" {
		n := wordLen(body)
		f.addWord(&out, body[:n])
		body = body[n:]
		body = body[spaceLen(body):]
	}
	out.flush()
	return out.lines
}

// filler collects the words of one line. As long as the words of a row stand
// in the text as they are drawn, with one blank between them, the row is a
// slice of the text and costs no copy.
type filler struct {
	lines  []string
	indent string
	room   int
	row    []byte
	used   int
}

func (o *filler) flush() {
	if o.used == 0 && len(o.row) == 0 {
		return
	}
	o.lines = append(o.lines, o.indent+string(o.row))
	o.row, o.used = o.row[:0], 0
}

func (f WidthFunc) addWord(o *filler, word string) {
	w := f.Width(word)
	if w > o.room {
		o.flush()
		for _, piece := range f.HardWrap(word, o.room) {
			o.lines = append(o.lines, o.indent+piece)
		}
		return
	}
	if len(o.row) > 0 {
		if o.used+1+w <= o.room {
			o.row = append(append(o.row, ' '), word...)
			o.used += 1 + w
			return
		}
		o.flush()
	}
	o.row = append(o.row, word...)
	o.used = w
}

// HardWrap cuts one line into pieces of at most width columns without moving
// or dropping anything in between: inner blanks stay. Pieces end at cluster
// borders; a cluster wider than width is drawn as blanks. The empty line is one
// empty piece. Width below 1 counts as 1.
func (f WidthFunc) HardWrap(line string, width int) []string {
	width = max(width, 1)
	if len(line) <= width && isASCII(line) {
		return []string{line}
	}
	pieces := make([]string, 0, 1+len(line)/width)
	start, used := 0, 0
	for at := 0; at < len(line); {
		n, w := f.first(line[at:])
		if used+w > width && at > start {
			pieces = append(pieces, line[start:at])
			start, used = at, 0
		}
		at += n
		if used += w; w > width {
			pieces = append(pieces, strings.Repeat(" ", width))
			start, used = at, 0
		}
	}
	if start < len(line) || len(pieces) == 0 {
		pieces = append(pieces, line[start:])
	}
	return pieces
}

// spaceLen returns the length in bytes of the whitespace at the start of s.
func spaceLen(s string) int {
	for i, r := range s {
		if !isSpace(r) {
			return i
		}
	}
	return len(s)
}

// wordLen returns the length in bytes of s up to its first whitespace.
func wordLen(s string) int {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c == ' ' || c >= 0x09 && c <= 0x0d {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if isSpace(r) {
			return i
		}
		i += n
	}
	return len(s)
}
