// Package paint turns rows of styled text into cells, and cells into what a
// form's three ways to run need: ANSI lines, a tcell screen, or a picture.
//
//	var g paint.Grid                       // keep it: its memory is reused
//	g.Fill(frame, nil)                     // rows -> cells
//	lines := g.Lines(paint.Dark(), depth)  // cells -> ANSI, or Blit, Text, SVG
//
// Text in a frame has already been made safe (no control characters); a grid
// checks this once more, because a single escape that slips through would
// reach the terminal.
package paint

import "github.com/pi-agent-ask/pi-agent-ask/ask"

// Style is how text looks, in roles rather than colours; a [Theme] gives each
// role its colour. The empty role is the terminal's own colour.
type Style struct {
	Fg, Bg        ask.Role
	Bold, Inverse bool
}

// Span is text in one style. Text is a single line of visible characters.
type Span struct {
	Text  string
	Style Style
}

// Row is one line of the screen, from its first column on. A row may be
// shorter than the frame; what is wider is cut off.
type Row []Span

// Frame is a whole picture, Width columns wide and len(Rows) lines high.
// CursorRow and CursorCol name the cell of the text cursor, -1 for none
// (mind that the zero values name the top left cell; see [NoCursor]).
type Frame struct {
	Width                int
	Rows                 []Row
	CursorRow, CursorCol int
}

// NoCursor is the value of CursorRow and CursorCol in a frame without a cursor.
const NoCursor = -1
