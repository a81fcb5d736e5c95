package paint

import (
	"strconv"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
)

// Blit puts the grid on a screen, its upper left cell at column x of line y.
// It neither clears the rest of the screen nor shows it: the caller does. Only
// cells that differ from the screen's are touched. A cluster that tcell
// measures otherwise than the grid is shown as something of its width, see
// [Grid.BlitExact].
func (g *Grid) Blit(screen tcell.Screen, x, y int, theme Theme) {
	g.blit(screen, x, y, theme, func(int, int, *cell, tcell.Style) bool { return false })
}

// BlitExact is Blit for a screen whose terminal belongs to the caller, from
// its upper left cell on. Clusters that tcell measures otherwise than the grid
// would shift the rest of their lines: their cells are left blank, and what
// draws them comes back, to be written to the terminal after the screen was
// shown. It moves nothing and changes no style for what follows.
func (g *Grid) BlitExact(screen tcell.Screen, theme Theme) (after []byte) {
	sgr := g.sequences(&theme, screenDepth(screen))
	g.after = g.after[:0]
	g.blit(screen, 0, 0, theme, func(x, y int, c *cell, style tcell.Style) bool {
		// A dim blank looks like any blank, but tcell takes it for something
		// else: when the cluster goes, its cells are drawn anew.
		for i := range int(c.width) {
			screen.Put(x+i, y, " ", style.Dim(true))
		}
		g.after = append(g.after, "\x1b7\x1b["...)
		g.after = strconv.AppendInt(g.after, int64(y+1), 10)
		g.after = append(g.after, ';')
		g.after = strconv.AppendInt(g.after, int64(x+1), 10)
		g.after = append(append(append(g.after, 'H'), sgr[c.style]...), c.text...)
		g.after = append(g.after, "\x1b8"...)
		return true
	})
	return g.after
}

// blit puts the cells; odd takes those that tcell measures otherwise, if it
// wants to.
func (g *Grid) blit(screen tcell.Screen, x, y int, theme Theme, odd func(x, y int, c *cell, style tcell.Style) bool) {
	styles := g.tcellStyles(&theme, screenDepth(screen))
	for row := range g.height {
		line := g.cells[row*g.width : (row+1)*g.width]
		for col := range line {
			c := &line[col]
			if c.width == 0 {
				continue
			}
			style := styles[c.style]
			if text, was, _ := screen.Get(x+col, y+row); was == style && text == c.text {
				continue
			}
			if plain := c.width == 1 && len(c.text) == 1; plain || uniseg.StringWidth(c.text) == int(c.width) {
				screen.Put(x+col, y+row, c.text, style)
			} else if !odd(x+col, y+row, c, style) {
				putPadded(screen, x+col, y+row, c, style)
			}
		}
	}
}

// reviewSign is the one sign of the form whose width terminals do not agree
// on, and reviewStandIn what is shown where that cannot be helped.
const reviewSign, reviewStandIn = "☰", "≡"

// putPadded shows the first character of a cluster, or a stand-in, padded to
// the cluster's width.
func putPadded(screen tcell.Screen, x, y int, c *cell, style tcell.Style) {
	width := int(c.width)
	_, n := utf8.DecodeRuneInString(c.text)
	text := c.text[:n]
	if text == reviewSign {
		text = reviewStandIn
	}
	used := uniseg.StringWidth(text)
	if used < 1 || used > width {
		text, used = "\ufffd", 1
	}
	screen.Put(x, y, text, style)
	for ; used < width; used++ {
		screen.Put(x+used, y, " ", style)
	}
}

func screenDepth(screen tcell.Screen) Depth {
	switch n := screen.Colors(); {
	case n > 256:
		return TrueColor
	case n == 256:
		return ANSI256
	case n >= 8:
		return ANSI16
	}
	return Mono
}

func (g *Grid) tcellStyles(theme *Theme, depth Depth) []tcell.Style {
	styles := make([]tcell.Style, len(g.styles))
	for i := range g.styles {
		s := &g.styles[i]
		fg, bg := theme.pair(*s)
		styles[i] = tcell.StyleDefault.
			Foreground(fg.parseRaw().reduce(depth).tcell()).
			Background(bg.parseRaw().reduce(depth).tcell()).
			Bold(s.Bold).Reverse(s.Inverse)
	}
	return styles
}

func (k ink) tcell() tcell.Color {
	switch k.kind {
	case inkPalette:
		return tcell.PaletteColor(int(k.index))
	case inkRGB:
		return tcell.NewRGBColor(int32(k.rgb[0]), int32(k.rgb[1]), int32(k.rgb[2]))
	}
	return tcell.ColorDefault
}
