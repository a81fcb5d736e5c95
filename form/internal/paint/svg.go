package paint

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// The measures of a picture, in pixels.
const (
	svgCellWidth  = 8.4
	svgCellHeight = 18
	svgFontSize   = 14
	svgMargin     = 12
)

// SVG returns the grid as a self-contained picture: monospaced text on a dark
// background, in the colours of the theme.
func (g *Grid) SVG(theme Theme) string {
	var b strings.Builder
	w := float64(g.width)*svgCellWidth + 2*svgMargin
	h := g.height*svgCellHeight + 2*svgMargin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d" `+
		`font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="%d">`+"\n",
		w, h, w, h, svgFontSize)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", svgBackground)
	for y := range g.height {
		g.svgLine(&b, &theme, y)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

const (
	svgBackground = "#14171c"
	svgForeground = "#d8dce2"
)

// svgLine writes one line: its backgrounds first, so that they cover no text.
func (g *Grid) svgLine(b *strings.Builder, theme *Theme, y int) {
	line := g.cells[y*g.width : (y+1)*g.width]
	end := g.visibleEnd(line, y)
	for x := 0; x < end; {
		n := sameStyle(line[x:end])
		if _, bg := svgColors(theme, g.styles[line[x].style]); bg != "" {
			fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n",
				svgX(x), svgMargin+y*svgCellHeight, float64(n)*svgCellWidth, svgCellHeight, bg)
		}
		x += n
	}
	for x := 0; x < end; {
		n := textRun(line[x:end])
		var text strings.Builder
		for _, c := range line[x : x+n] {
			text.WriteString(c.text)
		}
		if strings.Trim(text.String(), " ") != "" {
			style := g.styles[line[x].style]
			fg, _ := svgColors(theme, style)
			weight := ""
			if style.Bold {
				weight = ` font-weight="bold"`
			}
			fmt.Fprintf(b, `<text x="%.1f" y="%d" textLength="%.1f" xml:space="preserve" fill="%s"%s>`,
				svgX(x), svgMargin+y*svgCellHeight+svgFontSize, float64(n)*svgCellWidth, fg, weight)
			_ = xml.EscapeText(b, []byte(text.String()))
			b.WriteString("</text>\n")
		}
		x += n
	}
}

func svgX(x int) float64 { return svgMargin + float64(x)*svgCellWidth }

// sameStyle returns how many cells at the start of line share a style.
func sameStyle(line []cell) int {
	n := 1
	for n < len(line) && line[n].style == line[0].style {
		n++
	}
	return n
}

// textRun returns how many cells at the start of line make one piece of text:
// narrow ones of one style, or a single wide cluster, which is placed by itself
// because fonts disagree about its width.
func textRun(line []cell) int {
	if line[0].width != 1 {
		return min(len(line), max(1, int(line[0].width)))
	}
	n := 1
	for n < len(line) && line[n].style == line[0].style && line[n].width == 1 {
		n++
	}
	return n
}

// svgColors returns the colours of a style; bg is "" for the picture's own.
func svgColors(theme *Theme, s Style) (fg, bg string) {
	fgColor, bgColor := theme.pair(s)
	fg, bg = fgColor.parseRaw().hex(), bgColor.parseRaw().hex()
	if s.Inverse {
		fg, bg = bg, fg
		if fg == "" {
			fg = svgBackground
		}
		if bg == "" {
			bg = svgForeground
		}
	}
	if fg == "" {
		fg = svgForeground
	}
	return fg, bg
}

// hex is the colour as #rrggbb, "" for the default.
func (k ink) hex() string {
	rgb := k.rgb
	switch k.kind {
	case inkPalette:
		rgb = paletteRGB(k.index)
	case inkDefault, inkRaw:
		return ""
	}
	return fmt.Sprintf("#%02x%02x%02x", rgb[0], rgb[1], rgb[2])
}
