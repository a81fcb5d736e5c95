package editor

import (
	"slices"
	"sort"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
)

// line is one line of the text, without its newline. Most lines of most texts
// are plain and fit one row: they need no layout.
type line struct {
	text string
	lay  *layout // nil: printable ASCII that fits one row
}

// layout is the soft wrap of one line.
type layout struct {
	cells []cell // the clusters; nil if the text is printable ASCII
	rows  []row  // at least one
}

// cell is one grapheme cluster as it is drawn: stand-ins have the width of the
// stand-in. The width of a tab depends on its column and is not stored.
type cell struct {
	bytes uint32
	width uint8
	kind  cellKind
}

// cellKind tells the cells at which rows can end.
type cellKind uint8

const (
	inWord cellKind = iota
	space
	tab
)

// row is where a visual row starts.
type row struct {
	off  int // byte in the line
	cell int // the same place in cells; equal to off in ASCII text
}

func (l *line) rowCount() int {
	if l.lay == nil {
		return 1
	}
	return len(l.lay.rows)
}

func (l *line) row(i int) row {
	if l.lay == nil {
		return row{}
	}
	return l.lay.rows[i]
}

// rowEnd is the byte after the last one of row i.
func (l *line) rowEnd(i int) int {
	if i+1 < l.rowCount() {
		return l.lay.rows[i+1].off
	}
	return len(l.text)
}

// rowAt is the row that shows the byte off; a border between two rows belongs
// to the second one.
func (l *line) rowAt(off int) int {
	if l.lay == nil {
		return 0
	}
	rows := l.lay.rows
	return sort.Search(len(rows), func(i int) bool { return rows[i].off > off }) - 1
}

// find returns the cell that holds the byte off and the byte it starts at.
func (l *line) find(off int) (index, start int) {
	if l.lay == nil || l.lay.cells == nil {
		return off, off
	}
	r := l.lay.rows[l.rowAt(off)]
	index, start = r.cell, r.off
	for index < len(l.lay.cells) {
		next := start + int(l.lay.cells[index].bytes)
		if next > off {
			break
		}
		index, start = index+1, next
	}
	return index, start
}

// next is the cluster border after off, prev the one before it.
func (l *line) next(off int) int {
	if off >= len(l.text) {
		return len(l.text)
	}
	index, start := l.find(off)
	return start + l.size(index)
}

func (l *line) prev(off int) int {
	index, start := l.find(off)
	if start < off || index == 0 {
		return start
	}
	return start - l.size(index-1)
}

// snap moves an offset inside a cluster to the end of the cluster.
func (l *line) snap(off int) int {
	if off >= len(l.text) {
		return len(l.text)
	}
	if _, start := l.find(off); start == off {
		return off
	}
	return l.next(off)
}

// size is the length in bytes of a cell.
func (l *line) size(index int) int {
	if l.lay == nil || l.lay.cells == nil {
		return 1
	}
	return int(l.lay.cells[index].bytes)
}

// widthAt is the number of columns of the cell that starts at byte off and is
// drawn at column col, in rows of room columns.
func (l *line) widthAt(index, off, col, room int) int {
	if l.lay == nil || l.lay.cells == nil {
		return 1
	}
	return l.lay.cells[index].columns(col, room)
}

func (c cell) columns(col, room int) int {
	if c.kind == tab {
		return min(display.TabStop-col%display.TabStop, room)
	}
	return min(int(c.width), room)
}

// flow lays lines out in rows of room columns.
type flow struct {
	measure display.WidthFunc
	room    int
}

// lay lays out a new line.
func (f flow) lay(text string) line {
	l := line{text: text}
	if !isPlain(text) {
		l.lay = &layout{cells: f.cells(nil, text, len(text))}
	}
	f.wrap(&l, 0)
	return l
}

// edit replaces text[from:to] of a line, laying out again what can change.
func (f flow) edit(l *line, from, to int, ins string) {
	text := l.text[:from] + ins + l.text[to:]
	switch {
	case l.lay != nil && l.lay.cells != nil:
		f.editCells(l, text, from, to, len(ins))
	case isPlain(ins):
		l.text = text
		f.wrap(l, from)
	default:
		*l = f.lay(text)
	}
}

// editCells finds the clusters of text, which differs from that of the line in
// [from, to). Where a cluster ends depends on what follows it up to the next
// cluster, so the search starts one cluster early and goes on until it meets an
// old border.
func (f flow) editCells(l *line, text string, from, to, inserted int) {
	first, start := l.find(from)
	if first > 0 {
		first--
		start -= l.size(first)
	}
	last, old := l.find(to)
	if old < to {
		old += l.size(last)
		last++
	}
	moved := from + inserted - to
	var fresh []cell
	at := start
	for at < len(text) {
		for old+moved < at {
			old += l.size(last)
			last++
		}
		if at == old+moved {
			break
		}
		fresh = f.cells(fresh, text[at:], 1)
		at += int(fresh[len(fresh)-1].bytes)
	}
	if at == len(text) {
		last = len(l.lay.cells)
	}
	l.lay.cells = slices.Replace(l.lay.cells, first, last, fresh...)
	l.text = text
	f.wrap(l, start)
}

// cells appends the clusters of the text, until at least limit bytes are done.
func (f flow) cells(to []cell, text string, limit int) []cell {
	if to == nil {
		to = make([]cell, 0, limit/3+1)
	}
	for at := 0; at < limit; {
		n := display.NextCluster(text[at:])
		c := cell{bytes: uint32(n), width: 1}
		if n > 1 || text[at] < 0x20 || text[at] > 0x7e {
			c.width = uint8(min(f.measure.Width(display.Visible(text[at:at+n])), 255))
		}
		switch {
		case text[at] == '\t':
			c.kind = tab
		case text[at] == ' ' && n == 1:
			c.kind = space
		}
		to = append(to, c)
		at += n
	}
	return to
}

// wrap finds the rows of a line whose text and cells are right.
//
// Rows end after blanks and tabs. The blank that does not fit any more hangs in
// the column kept free for the cursor. A word that is longer than a row is
// broken where the row ends. The text before the byte from is as it was at the
// last call, so most rows before it are right; where a row ends can depend on
// the row after the next one at most.
func (f flow) wrap(l *line, from int) {
	plain := l.lay == nil || l.lay.cells == nil
	if plain && len(l.text) <= f.room {
		l.lay = nil
		return
	}
	if l.lay == nil {
		l.lay = &layout{}
	}
	rows := append(l.lay.rows[:0], row{})
	if from > 0 && len(l.lay.rows) > 0 {
		rows = l.lay.rows[:max(0, l.rowAt(from)-3)+1]
	}
	if plain {
		l.lay.rows = wrapPlain(rows, l.text, f.room)
	} else {
		l.lay.rows = wrapCells(rows, l.lay.cells, f.room)
	}
}

// wrapPlain wraps printable ASCII, one byte being one column, from the last row
// given.
func wrapPlain(rows []row, text string, room int) []row {
	start, wordEnd := rows[len(rows)-1].off, 0
	for ; ; rows = append(rows, row{start, start}) {
		end := start + room
		if end >= len(text) {
			return rows
		}
		switch {
		case text[end] == ' ':
			start = end + 1
		case end < wordEnd: // inside a word that is longer than a row
			start = end
		default:
			if blank := strings.LastIndexByte(text[start:end], ' '); blank >= 0 {
				start += blank + 1
				break
			}
			wordEnd = len(text)
			if n := strings.IndexByte(text[end:], ' '); n >= 0 {
				wordEnd = end + n
			}
			start = end
		}
	}
}

// wrapCells is wrapPlain for cells of any width.
func wrapCells(rows []row, cells []cell, room int) []row {
	off, i := rows[len(rows)-1].off, rows[len(rows)-1].cell
	col := 0
	var stop row // the place after the last blank of the row, if stopCol > 0
	stopCol := 0
	for ; i < len(cells); i++ {
		c := cells[i]
		w := c.columns(col, room)
		if c.kind == inWord && col+w <= room {
			col += w
			off += int(c.bytes)
			continue
		}
		if col+w > room {
			if c.kind == space {
				off++
				rows = append(rows, row{off, i + 1})
				col, stopCol = 0, 0
				continue
			}
			if c.kind == inWord && stopCol > 0 {
				rows = append(rows, stop)
				col -= stopCol
				stopCol = 0
			}
			if col+w > room {
				rows = append(rows, row{off, i})
				col, stopCol = 0, 0
				w = c.columns(0, room)
			}
		}
		col += w
		off += int(c.bytes)
		if c.kind != inWord {
			stop, stopCol = row{off, i + 1}, col
		}
	}
	return rows
}

// isPlain reports whether text is printable ASCII only.
func isPlain(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < 0x20 || text[i] > 0x7e {
			return false
		}
	}
	return true
}
