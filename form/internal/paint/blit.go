package paint

import (
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
)

// Blit puts the grid on a screen, its upper left cell at column x of line y.
// It neither clears the rest of the screen nor shows it: the caller does. Only
// cells that differ from the screen's are touched.
func (g *Grid) Blit(screen tcell.Screen, x, y int, theme Theme) {
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
			putCell(screen, x+col, y+row, c, style)
		}
	}
}

// putCell puts one cluster. tcell measures clusters by itself, and what it
// measures otherwise than the grid would shift the rest of the line: of such a
// cluster only the first character is shown, or a stand-in, padded to its width.
func putCell(screen tcell.Screen, x, y int, c *cell, style tcell.Style) {
	width := int(c.width)
	if width == 1 && len(c.text) == 1 || uniseg.StringWidth(c.text) == width {
		screen.Put(x, y, c.text, style)
		return
	}
	_, n := utf8.DecodeRuneInString(c.text)
	text := c.text[:n]
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
