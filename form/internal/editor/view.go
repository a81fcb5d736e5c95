package editor

import "github.com/pi-agent-ask/pi-agent-ask/ask/display"

// View is the part of the text that is drawn.
type View struct {
	// Lines are the rows, at least one, safe to draw and no wider than asked.
	Lines []string
	// CursorRow is the index of the row of the cursor, CursorCol its column in
	// it, always below the width.
	CursorRow, CursorCol int
	// CursorCluster is the text of the cursor cell: what stands at the column
	// of the cursor, or a blank behind the end of the row.
	CursorCluster string
	// Above and Below count the rows that are not shown.
	Above, Below int
}

// View returns at most maxRows rows of width columns, with the cursor among
// them; both are at least 1. The window moves only as far as the cursor needs.
func (e *Editor) View(width, maxRows int) View {
	e.setWidth(width)
	maxRows = max(maxRows, 1)
	e.page = maxRows
	cursor := e.above + e.line().rowAt(e.cur.off)
	e.top = max(min(e.top, cursor, e.rows-maxRows), cursor-maxRows+1, 0)
	shown := min(maxRows, e.rows-e.top)
	v := View{
		Lines:     make([]string, 0, shown),
		CursorRow: cursor - e.top,
		Above:     e.top,
		Below:     e.rows - e.top - shown,
	}
	line, row := e.rowFrom(e.top)
	for len(v.Lines) < shown {
		v.Lines = append(v.Lines, e.draw(line, row))
		if row++; row == e.lines[line].rowCount() {
			line, row = line+1, 0
		}
	}
	v.CursorCol, v.CursorCluster = e.cursorCell()
	return v
}

// Height returns the number of rows of the whole text at a width in columns.
func (e *Editor) Height(width int) int {
	e.setWidth(width)
	return e.rows
}

// draw returns one row as it is drawn.
func (e *Editor) draw(lineIndex, rowInLine int) string {
	l := &e.lines[lineIndex]
	text := l.text[l.row(rowInLine).off:l.rowEnd(rowInLine)]
	if l.lay == nil || l.lay.cells == nil {
		return text[:min(len(text), e.width)] // the blank at its end can be too much
	}
	text = e.flow.measure.ExpandTabs(display.Visible(text))
	// A stand-in can be wider than the row, and can join with what follows it.
	return e.flow.measure.Cut(text, e.width, "")
}

// cursorCell returns the column and the text of the cursor cell.
func (e *Editor) cursorCell() (col int, cluster string) {
	l := e.line()
	col = min(e.column(), e.width-1)
	end := l.rowEnd(l.rowAt(e.cur.off))
	for off := e.cur.off; off < end && l.text[off] != '\t'; off = l.next(off) {
		cluster = e.flow.measure.Cut(display.Visible(l.text[off:l.next(off)]), e.width-col, "")
		if e.flow.measure.Width(cluster) > 0 { // one that has no width has no cell
			return col, cluster
		}
	}
	return col, " "
}
