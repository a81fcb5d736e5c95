package editor

import (
	"strings"
	"unicode/utf8"
)

// Key handles one key press and reports whether it is an editing key. id is a
// canonical key id such as "left", "ctrl+w" or "shift+enter"; text is what the
// key types and can be any text without control characters: é, 世, 😀. Enter,
// Esc and Tab belong to the form: Key returns false for them and for all keys
// it does not know.
func (e *Editor) Key(id, text string) bool {
	if e.jump {
		e.jump = false
		if id == "ctrl+]" {
			return true
		}
		if text = typed(id, text); text != "" {
			e.jumpTo(text)
			e.last = other
			return true
		}
	}
	if e.moveKey(id) {
		e.last = other
		return true
	}
	if e.editKey(id) {
		return true
	}
	if text = typed(id, text); text != "" {
		e.change(e.cur, e.cur, text, typing)
		return true
	}
	return false
}

// moveKey handles the keys that change no text.
func (e *Editor) moveKey(id string) bool {
	switch id {
	case "left", "ctrl+b":
		e.moveTo(e.stepLeft(e.cur))
	case "right", "ctrl+f":
		e.moveTo(e.stepRight(e.cur))
	case "alt+left", "ctrl+left", "alt+b":
		e.moveTo(e.wordLeft(e.cur))
	case "alt+right", "ctrl+right", "alt+f":
		e.moveTo(e.wordRight(e.cur))
	case "home", "ctrl+a":
		e.moveTo(position{e.cur.line, 0})
	case "end", "ctrl+e":
		e.moveTo(position{e.cur.line, len(e.line().text)})
	case "up":
		e.moveRows(-1)
	case "down":
		e.moveRows(1)
	case "pageUp":
		e.moveRows(-max(1, e.page))
	case "pageDown":
		e.moveRows(max(1, e.page))
	case "ctrl+]":
		e.jump = true
	default:
		return false
	}
	return true
}

// editKey handles the keys that change the text.
func (e *Editor) editKey(id string) bool {
	switch id {
	case "shift+enter", "ctrl+j", "alt+enter":
		e.change(e.cur, e.cur, "\n", other)
	case "backspace", "shift+backspace":
		e.change(e.stepLeft(e.cur), e.cur, "", erasing)
	case "delete", "ctrl+d":
		e.change(e.cur, e.stepRight(e.cur), "", erasing)
	case "ctrl+w", "alt+backspace":
		e.kill(e.wordLeft(e.cur), e.cur)
	case "alt+d", "alt+delete":
		e.kill(e.cur, e.wordRight(e.cur))
	case "ctrl+u":
		from := position{e.cur.line, 0}
		if from == e.cur {
			from = e.stepLeft(e.cur)
		}
		e.kill(from, e.cur)
	case "ctrl+k":
		to := position{e.cur.line, len(e.line().text)}
		if to == e.cur {
			to = e.stepRight(e.cur)
		}
		e.kill(e.cur, to)
	case "ctrl+y":
		e.yank()
	case "alt+y":
		e.yankNext()
	case "ctrl+-", "ctrl+_":
		e.undoEdit()
		e.last = other
	default:
		return false
	}
	return true
}

// Repeats reports whether a key acts again while it is held down: one that
// moves, deletes or types does. A character that was a place to jump to is no
// text.
func (e *Editor) Repeats(id, text string) bool {
	switch id {
	case "shift+enter", "ctrl+j", "alt+enter", "ctrl+b", "ctrl+f", "alt+b", "alt+f", "ctrl+d", "alt+d", "ctrl+w", "ctrl+u", "ctrl+k":
		return true
	}
	switch id[strings.LastIndexByte(id, '+')+1:] {
	case "up", "down", "left", "right", "home", "end", "pageUp", "pageDown", "backspace", "delete":
		return true
	}
	return e.last == typing && typed(id, text) != ""
}

// typed is the text a key inserts, or "". Keys with ctrl, alt or super type
// nothing. A host that gives no text for a plain character key is served too.
func typed(id, text string) string {
	rest := strings.TrimPrefix(id, "shift+")
	if strings.HasPrefix(rest, "ctrl+") || strings.HasPrefix(rest, "alt+") || strings.HasPrefix(rest, "super+") {
		return ""
	}
	switch {
	case text != "":
	case rest == "space":
		return " "
	case utf8.RuneCountInString(id) == 1:
		text = id
	case len(rest) == 1 && rest[0] >= 'a' && rest[0] <= 'z':
		text = strings.ToUpper(rest)
	}
	return clean(text)
}

// BackslashNewline turns the backslash directly before the cursor into a
// newline. It reports false, and does nothing, if there is none; the form calls
// it before it takes Enter as submit.
func (e *Editor) BackslashNewline() bool {
	if !strings.HasSuffix(e.before(), `\`) {
		return false
	}
	e.change(position{e.cur.line, e.cur.off - 1}, e.cur, "\n", other)
	return true
}

// moveRows moves the cursor by visual rows, keeping the column it started from.
// Above the first row it goes to the start of the text, below the last one to
// the end.
func (e *Editor) moveRows(by int) {
	at := e.above + e.line().rowAt(e.cur.off)
	goal := e.goal
	if goal < 0 {
		goal = e.column()
	}
	switch to := at + by; {
	case to < 0 && at == 0:
		e.moveTo(position{})
	case to >= e.rows && at == e.rows-1:
		e.moveTo(e.end())
	default:
		line, row := e.rowFrom(min(max(to, 0), e.rows-1))
		e.moveTo(position{line, e.offsetAt(line, row, goal)})
	}
	e.goal = goal
}

// rowFrom finds the line of a visual row, and the row in it, walking from the
// line of the cursor.
func (e *Editor) rowFrom(row int) (line, inLine int) {
	line, first := e.cur.line, e.above
	for first > row {
		line--
		first -= e.lines[line].rowCount()
	}
	for first+e.lines[line].rowCount() <= row {
		first += e.lines[line].rowCount()
		line++
	}
	return line, row - first
}

// column is the column of the cursor in its row.
func (e *Editor) column() int {
	l := e.line()
	r := l.row(l.rowAt(e.cur.off))
	col, off := 0, r.off
	for index := r.cell; off < e.cur.off; index++ {
		col += l.widthAt(index, off, col, e.flow.room)
		off += l.size(index)
	}
	return col
}

// offsetAt is the byte of the cluster at a column of a row. Behind the last
// cluster it is the end of the line, or the last cluster if the line goes on in
// the next row.
func (e *Editor) offsetAt(line, rowInLine, goal int) int {
	l := &e.lines[line]
	r, end := l.row(rowInLine), l.rowEnd(rowInLine)
	col, off := 0, r.off
	for index := r.cell; off < end; index++ {
		next := off + l.size(index)
		if next >= end && end < len(l.text) {
			break
		}
		if col += l.widthAt(index, off, col, e.flow.room); col > goal {
			break
		}
		off = next
	}
	return off
}
