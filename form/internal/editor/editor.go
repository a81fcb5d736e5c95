// Package editor is the multi-line text editor of the ask form: text, cursor,
// kill ring, undo and a window of soft-wrapped rows. It knows nothing of
// terminals; the form forwards keys and draws the rows.
//
// The two calls most people need:
//
//	used := e.Key("ctrl+w", "")  // a key press; false: not an editing key
//	view := e.View(80, 10)       // what to draw
//
// The stored text is always the real one; only what is drawn has stand-ins for
// control characters. The cursor is always at the border of a grapheme cluster.
// An Editor is not safe for concurrent use.
package editor

import (
	"slices"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
)

// firstWidth is the width in columns before the first View or Height.
const firstWidth = 80

// position is a place in the text: a line and a byte in it.
type position struct{ line, off int }

// Editor holds one text and its cursor. The zero value is not usable, call
// [New].
type Editor struct {
	flow  flow
	width int // columns of the last View or Height
	page  int // rows of the last View

	lines []line // at least one
	cur   position
	goal  int // column that up and down aim at, -1: that of the cursor
	rows  int // visual rows of all lines
	above int // visual rows of the lines before that of the cursor
	top   int // first visual row of the window

	undo  history
	kills killRing
	last  action // what the previous key did
	jump  bool   // the next character is a place to jump to
}

// action is what a key press did, as far as the next one depends on it.
type action int

const (
	other action = iota
	typing
	erasing
	killing
	yanking
)

// New returns an empty editor that measures text with width; nil is the default
// measure of package display.
func New(width display.WidthFunc) *Editor {
	e := &Editor{flow: flow{measure: width}}
	e.setWidth(firstWidth)
	e.SetText("")
	return e
}

// SetText replaces the text, puts the cursor at its end and empties the undo
// history. The kill ring stays. The text is stored as it is.
func (e *Editor) SetText(text string) {
	e.lines = nil
	e.rows, e.above, e.top, e.goal = 0, 0, 0, -1
	for part := range strings.SplitSeq(text, "\n") {
		e.lines = append(e.lines, e.flow.lay(part))
	}
	for i := range e.lines {
		e.rows += e.lines[i].rowCount()
	}
	e.cur = position{}
	e.moveTo(e.end())
	e.undo = history{}
	e.last, e.jump = other, false
}

// Text returns the whole text.
func (e *Editor) Text() string {
	return e.slice(position{}, e.end())
}

// Empty reports whether the text has length 0.
func (e *Editor) Empty() bool { return len(e.lines) == 1 && e.lines[0].text == "" }

func (e *Editor) line() *line { return &e.lines[e.cur.line] }

// before and after are the text of the line of the cursor on its two sides.
func (e *Editor) before() string { return e.line().text[:e.cur.off] }
func (e *Editor) after() string  { return e.line().text[e.cur.off:] }

func (e *Editor) end() position {
	last := len(e.lines) - 1
	return position{last, len(e.lines[last].text)}
}

// slice returns the text between two positions.
func (e *Editor) slice(from, to position) string {
	if from.line == to.line {
		return e.lines[from.line].text[from.off:to.off]
	}
	var b strings.Builder
	size := to.off - from.off
	for i := from.line; i < to.line; i++ {
		size += len(e.lines[i].text) + 1
	}
	b.Grow(size)
	b.WriteString(e.lines[from.line].text[from.off:])
	for i := from.line + 1; i <= to.line; i++ {
		b.WriteByte('\n')
		text := e.lines[i].text
		if i == to.line {
			text = text[:to.off]
		}
		b.WriteString(text)
	}
	return b.String()
}

// replace puts ins in the place of the text between two positions and the
// cursor behind it. It is the only place where the text changes.
func (e *Editor) replace(from, to position, ins string) {
	e.moveTo(position{from.line, 0})
	before := 0
	for i := from.line; i <= to.line; i++ {
		before += e.lines[i].rowCount()
	}
	newlines := strings.Count(ins, "\n")
	target := position{from.line, from.off + len(ins)}
	if newlines == 0 && from.line == to.line {
		e.flow.edit(&e.lines[from.line], from.off, to.off, ins)
	} else {
		text := e.lines[from.line].text[:from.off] + ins + e.lines[to.line].text[to.off:]
		e.resize(from.line, to.line+1, newlines+1)
		i := from.line
		for part := range strings.SplitSeq(text, "\n") {
			e.lines[i] = e.flow.lay(part)
			i++
		}
		if newlines > 0 {
			target = position{from.line + newlines, len(ins) - strings.LastIndexByte(ins, '\n') - 1}
		}
	}
	e.rows -= before
	for i := from.line; i <= from.line+newlines; i++ {
		e.rows += e.lines[i].rowCount()
	}
	e.moveTo(target)
}

// resize makes lines[from:to] n lines long. It moves the lines behind only once,
// which counts when a paste has a million of them.
func (e *Editor) resize(from, to, n int) {
	more := n - (to - from)
	if more <= 0 {
		e.lines = slices.Delete(e.lines, from, from-more)
		return
	}
	size := len(e.lines)
	e.lines = append(e.lines, make([]line, more)...)
	copy(e.lines[to+more:], e.lines[to:size])
}

// moveTo puts the cursor at p, or at the next cluster border.
func (e *Editor) moveTo(p position) {
	for i := e.cur.line; i < p.line; i++ {
		e.above += e.lines[i].rowCount()
	}
	for i := p.line; i < e.cur.line; i++ {
		e.above -= e.lines[i].rowCount()
	}
	e.cur = position{p.line, e.lines[p.line].snap(p.off)}
	e.goal = -1
}

// change is replace with an entry in the undo history.
func (e *Editor) change(from, to position, ins string, what action) {
	removed := e.slice(from, to)
	if removed == "" && ins == "" {
		return
	}
	e.undo.add(edit{at: from, removed: removed, inserted: ins, cursor: e.cur, what: what}, e.last == what)
	e.replace(from, to, ins)
	e.last = what
}

// setWidth lays the text out for a width in columns. The last column is kept
// free, so that the cursor can stand behind a full row.
func (e *Editor) setWidth(width int) {
	width = max(width, 1)
	if width == e.width {
		return
	}
	e.width = width
	e.flow.room = max(width-1, 1)
	e.rows, e.above = 0, 0
	for i := range e.lines {
		if i == e.cur.line {
			e.above = e.rows
		}
		e.flow.wrap(&e.lines[i], 0)
		e.rows += e.lines[i].rowCount()
	}
	e.goal = -1
}

// step returns the positions one cluster after and before p; a newline counts
// as one. The ends of the text stay.
func (e *Editor) stepRight(p position) position {
	l := &e.lines[p.line]
	switch {
	case p.off < len(l.text):
		p.off = l.next(p.off)
	case p.line+1 < len(e.lines):
		p = position{p.line + 1, 0}
	}
	return p
}

func (e *Editor) stepLeft(p position) position {
	switch {
	case p.off > 0:
		p.off = e.lines[p.line].prev(p.off)
	case p.line > 0:
		p = position{p.line - 1, len(e.lines[p.line-1].text)}
	}
	return p
}
