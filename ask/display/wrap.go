package display

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks text, which has been through [Visible], into lines of at most
// width columns at whitespace. It is [WidthFunc.WrapText] for drawing: tabs are
// expanded first, a blank line is cut to width, and an indent that leaves less
// than the two columns of a wide character is cut so that it does. Width below 1
// counts as 1.
func (f WidthFunc) Wrap(text string, width int) []string {
	return f.wrap(f.ExpandTabs(text), max(width, 1), true)
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
		indent = f.Cut(indent, width-2, "")
	}
	taken := f.Width(indent)
	row := filler{measure: f, line: line, indent: indent, room: max(1, width-taken), lines: lines}
	row.width = taken + row.room
	for at := len(line) - len(body); at < len(line); {
		end := at + wordLen(line[at:])
		row.add(at, end)
		at = end + spaceLen(line[end:])
	}
	row.flush()
	return row.lines
}

// filler collects the words of one source line into rows. As long as the words
// of a row stand in the line with single blanks between them, the row is a
// slice of the line and needs no copy.
type filler struct {
	measure WidthFunc
	line    string
	indent  string
	room    int // columns for words
	width   int // columns for indent and words
	lines   []string

	start, end int    // the row is line[start:end],
	copied     []byte // unless it had to be put together here
	used       int    // columns of the row
	joins      bool   // a word of the row can join with the blank before it
}

// add puts the word line[from:to] into the row, or into a new one.
func (o *filler) add(from, to int) {
	word := o.line[from:to]
	w := o.measure.Width(word)
	if w > o.room {
		o.flush()
		for _, piece := range o.measure.HardWrap(word, o.room) {
			o.joins = startsOdd(piece)
			o.emit(o.indent + piece)
		}
		o.start, o.end, o.joins = to, to, false
		return
	}
	if o.end > o.start && o.used+1+w > o.room {
		o.flush()
	}
	o.joins = o.joins || startsOdd(word)
	if o.end == o.start {
		o.start, o.end, o.used = from, to, w
		return
	}
	if len(o.copied) == 0 && o.line[o.end:from] != " " {
		o.copied = append(o.copied, o.line[o.start:o.end]...)
	}
	if len(o.copied) > 0 {
		o.copied = append(append(o.copied, ' '), word...)
	}
	o.end = to
	o.used += 1 + w
}

// flush ends the row.
func (o *filler) flush() {
	if o.end == o.start {
		return
	}
	switch {
	case len(o.copied) > 0:
		o.emit(o.indent + string(o.copied))
	case o.start == len(o.indent): // the first row still has its indent before it
		o.emit(o.line[:o.end])
	default:
		o.emit(o.indent + o.line[o.start:o.end])
	}
	o.start, o.copied, o.joins = o.end, o.copied[:0], false
}

// emit adds one finished row. A word that starts with a mark joins with the
// blank before it, and the two can be wider together than apart.
func (o *filler) emit(row string) {
	if o.joins && o.measure.Width(row) > o.width {
		o.lines = append(o.lines, o.measure.HardWrap(row, o.width)...)
		return
	}
	o.lines = append(o.lines, row)
}

// startsOdd reports whether s may start with a character that joins with the
// one before it.
func startsOdd(s string) bool {
	n, _ := plainRune(s)
	return n == 0
}

// HardWrap cuts one line into pieces of at most width columns without moving
// or dropping anything in between: inner blanks stay. Pieces end at cluster
// borders; a cluster wider than width is drawn as blanks. The empty line is one
// empty piece. The line has been through [Visible] and [WidthFunc.ExpandTabs].
// Width below 1 counts as 1.
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
