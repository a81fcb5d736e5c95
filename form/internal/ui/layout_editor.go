package ui

import (
	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/editor"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
)

const (
	popupRows    = 5
	popupNames   = 32 // columns of the name in the file list
	editorShare  = 30 // percent of the screen's rows that the text may take
	editorRows   = 5  // but at least so many
	editorMargin = 2  // blank columns around the text
)

// editorPicture is the open editor with its popup and image marker.
type editorPicture struct {
	part   part
	cursor cursor // in the part
	ok     bool
}

// editorPart adds the open editor to the body and gives it the focus.
func (s *State) editorPart(b *body, indent, w, rows int) {
	e := s.editorLayout(indent, w, rows)
	at := b.height()
	b.add(e.part)
	b.cursor = cursor{at + e.cursor.row, e.cursor.col}
	s.focusCursor(b, at, rows)
}

// editorLayout lays the open editor out, once for each frame.
func (s *State) editorLayout(indent, w, rows int) editorPicture {
	if s.lay.editor.ok {
		return s.lay.editor
	}
	room := max(editorRows, s.size.rows*editorShare/100)
	room = max(min(room, rows-1-s.popupHeight(rows)), 1)
	v := s.edit.View(max(w-indent-editorMargin, 1), room)
	var lines []paint.Row
	for i, text := range v.Lines {
		lines = append(lines, s.editorLine(&v, i, text, indent, w))
	}
	lines = s.popupLines(lines, indent, w, s.popupRoom(rows))
	if marker := ask.ImageMarker(s.images()); marker != "" {
		lines = append(lines, s.row(paint.Span{Text: blanks(indent)}, paint.Span{Text: marker, Style: muted}))
	}
	s.lay.editor = editorPicture{
		part: part{len(lines), func(from, to int) {
			for _, l := range lines[from:to] {
				s.lay.lines = append(s.lay.lines, line{row: l})
			}
		}},
		cursor: cursor{v.CursorRow, indent + 1 + v.CursorCol},
		ok:     true,
	}
	return s.lay.editor
}

// editorLine is one line of the text, with a sign where lines are hidden.
func (s *State) editorLine(v *editor.View, i int, text string, indent, w int) paint.Row {
	sign := ""
	if i == 0 && v.Above > 0 {
		sign = "↑ " + itoa(v.Above)
	}
	if i == len(v.Lines)-1 && v.Below > 0 {
		sign = "↓ " + itoa(v.Below)
	}
	room := w - indent - 1 - s.opt.Width.Width(sign)
	at := len(s.lay.spans)
	add := func(text string, st paint.Style) {
		s.lay.spans = append(s.lay.spans, paint.Span{Text: text, Style: st})
	}
	add(blanks(indent), paint.Style{})
	add(" ", area)
	st := area
	if s.edit.Empty() {
		text, st = "Add a note...", paint.Style{Fg: "muted", Bg: "selectedBg"}
		if s.view == AnswerEditor {
			text = "Type answer..."
		}
	}
	if sign != "" {
		text = s.opt.Width.Cut(text, max(room-1, 0), "")
	}
	add(text, st)
	add(blanks(room-s.opt.Width.Width(text)), area)
	if sign != "" {
		add(sign, paint.Style{Fg: "dim", Bg: "selectedBg"})
	}
	return paint.Row(s.lay.spans[at:len(s.lay.spans):len(s.lay.spans)])
}

// popupRoom is how many files are listed at once: fewer on a low screen, so
// that the text, the current file and the counter stay visible.
func (s *State) popupRoom(rows int) int { return max(min(popupRows, rows-2), 1) }

func (s *State) popupHeight(rows int) int {
	n, room := len(s.popup.items), s.popupRoom(rows)
	if n > room {
		return room + 1
	}
	return n
}

// popupLines appends the file list: the current entry marked, names left,
// paths right, a counter when there are more than fit.
func (s *State) popupLines(lines []paint.Row, indent, w, room int) []paint.Row {
	p := &s.popup
	first := max(min(p.index-room/2, len(p.items)-room), 0)
	inner := max(w-indent-1, 1)
	names := min(popupNames, max(inner/2, 8))
	for i := first; i < min(first+room, len(p.items)); i++ {
		lead, st, pathStyle := "  ", area, paint.Style{Fg: "muted", Bg: "selectedBg"}
		if i == p.index {
			lead, st = "→ ", paint.Style{Fg: "accent", Bg: "selectedBg"}
			pathStyle = st
		}
		name := s.opt.Width.Cut(s.opt.Width.OneLine(p.items[i].Name), names-1, "…")
		path := s.opt.Width.Cut(s.opt.Width.OneLine(p.items[i].Path), max(inner-2-names-1, 0), "…")
		gap := names - s.opt.Width.Width(name)
		rest := inner - 2 - names - s.opt.Width.Width(path)
		lines = append(lines, s.row(paint.Span{Text: blanks(indent)}, paint.Span{Text: " ", Style: area},
			paint.Span{Text: lead, Style: st}, paint.Span{Text: name, Style: st}, paint.Span{Text: blanks(gap), Style: area},
			paint.Span{Text: path, Style: pathStyle}, paint.Span{Text: blanks(rest), Style: area}))
	}
	if len(p.items) > room {
		count := "(" + itoa(p.index+1) + "/" + itoa(len(p.items)) + ")"
		lines = append(lines, s.row(paint.Span{Text: blanks(indent)}, paint.Span{Text: "   ", Style: area},
			paint.Span{Text: count, Style: paint.Style{Fg: "muted", Bg: "selectedBg"}}, paint.Span{Text: blanks(inner - 2 - len(count)), Style: area}))
	}
	return lines
}
