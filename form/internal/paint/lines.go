package paint

import "strings"

// Lines returns the grid as ANSI lines. Every line stands alone: it starts in
// the default style and ends in it. Blanks at the end of a line that look like
// an empty screen are left out.
func (g *Grid) Lines(theme Theme, depth Depth) []string {
	sgr := g.sequences(&theme, depth)
	out, marks := g.out[:0], g.marks[:0]
	for y := range g.height {
		line := g.cells[y*g.width : (y+1)*g.width]
		current, now := uint16(0), reset
		for x, end := 0, g.visibleEnd(line, y); x < end; x++ {
			c := &line[x]
			if c.width == 0 {
				continue
			}
			if c.style != current {
				current = c.style
				if sgr[current] != now { // without colour many styles are one
					now = sgr[current]
					out = append(out, now...)
				}
			}
			if g.Marker != "" && x == g.cursorX && y == g.cursorY {
				out = append(out, g.Marker...)
			}
			out = append(out, c.text...)
		}
		if now != reset {
			out = append(out, reset...)
		}
		marks = append(marks, len(out))
	}
	g.out, g.marks = out, marks

	// One string for all lines: cheaper than one each.
	all := string(out)
	lines := make([]string, len(marks))
	from := 0
	for i, to := range marks {
		lines[i] = all[from:to]
		from = to
	}
	return lines
}

const reset = "\x1b[0m"

// visibleEnd returns the column after the last cell of a line that can be told
// from an empty screen.
func (g *Grid) visibleEnd(line []cell, y int) int {
	end := len(line)
	for end > 0 {
		c := line[end-1]
		if c.text != " " || end-1 == g.cursorX && y == g.cursorY {
			break
		}
		if s := &g.styles[c.style]; s.Bg != "" || s.Inverse {
			break
		}
		end--
	}
	return end
}

// sequences returns, for every style of the grid, the sequence that switches
// to it from any other style.
func (g *Grid) sequences(theme *Theme, depth Depth) []string {
	if *theme != g.seqTheme || depth != g.seqDepth {
		g.seqs = g.seqs[:0]
		g.seqTheme, g.seqDepth = *theme, depth
	}
	if len(g.seqs) == 0 {
		g.seqs = append(g.seqs, reset)
	}
	var buf [128]byte
	for i := len(g.seqs); i < len(g.styles); i++ {
		s := &g.styles[i]
		b := append(buf[:0], "\x1b[0"...)
		if s.Bold {
			b = append(b, ";1"...)
		}
		if s.Inverse {
			b = append(b, ";7"...)
		}
		fg, bg := theme.pair(*s)
		fgInk, bgInk := fg.parse().reduce(depth), bg.parse().reduce(depth)
		b = bgInk.appendSGR(fgInk.appendSGR(b, 30), 40)
		b = append(b, 'm')
		if fgInk.kind == inkRaw {
			b = append(b, fg...)
		}
		if bgInk.kind == inkRaw {
			b = append(b, bg...)
		}
		g.seqs = append(g.seqs, string(b))
	}
	return g.seqs
}

// Text returns the grid as plain lines without trailing blanks.
func (g *Grid) Text() []string {
	lines := make([]string, g.height)
	var b strings.Builder
	for y := range lines {
		b.Reset()
		for _, c := range g.cells[y*g.width : (y+1)*g.width] {
			b.WriteString(c.text)
		}
		lines[y] = strings.TrimRight(b.String(), " ")
	}
	return lines
}
