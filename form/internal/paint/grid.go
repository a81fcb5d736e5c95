package paint

import (
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
)

// Grid is a picture as terminal cells. The zero Grid is empty and ready to
// use; keep one and fill it again for the next frame, its memory is reused. A
// Grid must not be used by two goroutines at once.
type Grid struct {
	// Marker, if not empty, is put into [Grid.Lines] right before the cursor's
	// cell, for hosts that place the hardware cursor by such a mark. It must
	// take no columns.
	Marker string

	width, height int
	cells         []cell
	styles        []Style // what cell.style points into; [0] is the zero Style
	last          uint16  // the style that was looked up last
	cursorX       int
	cursorY       int

	seqs     []string // what switches to each style, for seqTheme and seqDepth
	seqTheme Theme
	seqDepth Depth

	after []byte // scratch space of BlitExact
	out   []byte // scratch space of Lines
	marks []int
}

// cell is one column of one line. A cluster that is w columns wide is one cell
// with its text, followed by w-1 cells of width 0.
type cell struct {
	text  string
	width uint8
	style uint16
}

var blank = cell{text: " ", width: 1}

// Beyond these a cluster is no longer drawn as it is: no script needs it, and
// a terminal would have to lay out megabytes in one cell.
const (
	maxKeptStyles   = 64 // styles are kept from frame to frame up to so many
	maxClusterBytes = 128
	maxClusterWidth = 8
)

// Cell is one column of a [Grid] as [Grid.At] shows it.
type Cell struct {
	Text  string // one grapheme cluster, "" for the rest of a wide one
	Width int    // in columns, 0 for the rest of a wide cluster
	Style Style
}

// Size returns the number of columns and lines.
func (g *Grid) Size() (width, height int) { return g.width, g.height }

// Cursor returns the column and line of the cursor; ok is false without one.
func (g *Grid) Cursor() (x, y int, ok bool) { return g.cursorX, g.cursorY, g.cursorX >= 0 }

// At returns the cell in column x of line y, the zero Cell outside of the grid.
func (g *Grid) At(x, y int) Cell {
	if x < 0 || y < 0 || x >= g.width || y >= g.height {
		return Cell{}
	}
	c := g.cells[y*g.width+x]
	return Cell{Text: c.text, Width: int(c.width), Style: g.styles[c.style]}
}

// Fill replaces the grid's content by the frame, which may be of another size.
// The widths of clusters come from widths (nil for the default). The cursor's
// cell is shown inverse. Nothing a frame holds makes a line longer than its
// width.
func (g *Grid) Fill(f Frame, widths display.WidthFunc) {
	g.width, g.height = max(0, f.Width), len(f.Rows)
	if g.width == 0 {
		g.height = 0
	}
	if n := g.width * g.height; cap(g.cells) < n {
		g.cells = make([]cell, n)
	} else {
		clear(g.cells[min(n, len(g.cells)):]) // let go of old text
		g.cells = g.cells[:n]
	}
	if n := len(g.styles); n == 0 || n > maxKeptStyles {
		g.styles = append(g.styles[:0], Style{})
		g.seqs = g.seqs[:0]
	}
	g.last = 0
	for y := range g.height {
		g.fillRow(g.cells[y*g.width:(y+1)*g.width], f.Rows[y], widths)
	}
	g.setCursor(f.CursorCol, f.CursorRow)
}

func (g *Grid) fillRow(cells []cell, row Row, widths display.WidthFunc) {
	x := 0
	for i := range row {
		if x >= len(cells) {
			break
		}
		style := g.styleIndex(row[i].Style)
		text := row[i].Text
		n := 0
		for n < len(text) && x+n < len(cells) && text[n] >= 0x20 && text[n] < 0x7f {
			n++
		}
		if n == len(text) || x+n == len(cells) && isASCII(text[n:]) {
			for i := range n {
				cells[x+i] = cell{text: text[i : i+1], width: 1, style: style}
			}
			x += n
			continue
		}
		x = fillForeign(cells, x, oneLine(text), style, widths)
	}
	for ; x < len(cells); x++ {
		cells[x] = blank
	}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// oneLine makes text safe once more, for the case that a layout forgot to.
func oneLine(text string) string {
	text = display.Visible(text)
	if strings.ContainsAny(text, "\n\t") {
		text = strings.NewReplacer("\n", " ", "\t", " ").Replace(text)
	}
	return text
}

// fillForeign puts text from column x on and returns the next free column.
func fillForeign(cells []cell, x int, text string, style uint16, widths display.WidthFunc) int {
	start, head := 0, -1 // offset of the current cluster; column of the one before it
	for cluster, width := range widths.Clusters(text) {
		at := start
		start += len(cluster)
		if len(cluster) > maxClusterBytes || width > maxClusterWidth {
			cluster, width = "\ufffd", 1
		}
		switch {
		case width == 0:
			// Such a cluster joins the cell before it, as long as that stays small.
			if head >= 0 {
				if c := &cells[head]; at >= len(c.text) && start-at+len(c.text) <= maxClusterBytes &&
					text[at-len(c.text):at] == c.text {
					c.text = text[at-len(c.text) : start]
				}
			}
			continue
		case x+width > len(cells):
			// Half a wide cluster cannot be shown.
			for ; x < len(cells); x++ {
				cells[x] = cell{text: " ", width: 1, style: style}
			}
			return x
		}
		head = x
		cells[x] = cell{text: cluster, width: uint8(width), style: style}
		for i := 1; i < width; i++ {
			cells[x+i] = cell{style: style}
		}
		x += width
	}
	return x
}

// styleIndex returns the index of s in the grid's table of styles.
func (g *Grid) styleIndex(s Style) uint16 {
	if g.styles[g.last] == s {
		return g.last
	}
	for i := range g.styles {
		if g.styles[i] == s {
			g.last = uint16(i)
			return g.last
		}
	}
	if len(g.styles) > 0xffff {
		return 0
	}
	g.styles = append(g.styles, s)
	g.last = uint16(len(g.styles) - 1)
	return g.last
}

func (g *Grid) setCursor(x, y int) {
	g.cursorX, g.cursorY = NoCursor, NoCursor
	if x < 0 || y < 0 || x >= g.width || y >= g.height {
		return
	}
	line := g.cells[y*g.width : (y+1)*g.width]
	x = headOf(line, x)
	g.cursorX, g.cursorY = x, y
	style := g.styles[line[x].style]
	style.Inverse = true
	index := g.styleIndex(style)
	for end := x + max(1, int(line[x].width)); x < end; x++ {
		line[x].style = index
	}
}

// headOf returns the column where the cluster that covers column x starts.
func headOf(line []cell, x int) int {
	for x > 0 && line[x].width == 0 {
		x--
	}
	return x
}
