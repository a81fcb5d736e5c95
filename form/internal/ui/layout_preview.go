package ui

import (
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
)

// pane is where the preview box stands in the body and what it holds.
type pane struct {
	from, rows, total int // rows are text lines that can be seen
}

// previewBody is a question with a preview pane, beside or below the list.
// Where the screen is low, list and pane scroll on their own and only then
// the whole body does.
func (s *State) previewBody(b *body, w, rows int) {
	custom := s.option == s.customRow()
	beside := w >= wide && !custom
	listW := w
	if beside {
		listW = s.leftColumn(w)
	}
	t := s.questionText(w, listW)
	s.head(b, t, w, rows)
	top := b.height()
	noteFocus := b.to > 0
	l := s.optionList(t, listW, rows, false, b, top)
	detail := s.activeDetail(t, w, rows)

	room := rows - top - detail.h
	switch {
	case custom:
		b.add(part{l.h, func(from, to int) { s.drawList(t, l, from, to) }})
	case beside:
		s.besidePane(b, t, l, w, listW, top, room)
	default:
		s.stackedPane(b, t, l, w, top, room)
	}
	at := b.height()
	b.add(detail)
	if noteFocus {
		return
	}
	s.focusRow(b, top, l, rows)
	if s.editorRow() >= 0 {
		e := s.editorLayout(detailIndent, w, rows)
		b.cursor = cursor{at + e.cursor.row, e.cursor.col}
		s.focusCursor(b, at, rows)
	}
}

// activeDetail is the detail of the active row, below list and pane.
func (s *State) activeDetail(t *questionText, w, rows int) part {
	row := s.option
	if e := s.editorRow(); e >= 0 {
		row = e
	}
	return s.rowDetail(t, row, w, rows)
}

// leftColumn is the width of the list beside a pane.
func (s *State) leftColumn(w int) int {
	longest := len("1. ( ) Type your own")
	for i := range s.question().Options {
		o := &s.question().Options[i]
		n := s.opt.Width.Width(firstBytes(o.Label)) + len("1. ( ) ")
		if i >= 9 {
			n += len(itoa(i+1)) - 1
		}
		longest = max(longest, n)
		if o.Description != "" {
			longest = max(longest, 3+s.opt.Width.Width(firstBytes(o.Description)))
		}
		if o.Recommended != nil && *o.Recommended {
			longest = max(longest, 3+len(recommended))
		}
		if longest >= 34 {
			break
		}
	}
	return min(max(longest+4, 22), max(22, min(34, w*34/100)))
}

// firstBytes is as much of a text as can matter for a column.
func firstBytes(text string) string { return text[:min(len(text), 200)] }

// besidePane puts the box to the right of the list.
func (s *State) besidePane(b *body, t *questionText, l *list, w, listW, top, room int) {
	x := listW + 2
	p := s.paneText(w - x - 2)
	need := max(l.h, p.height()+2)
	h := need
	if need > room {
		h = max(room, min(need, minPane))
	}
	boxH := min(p.height()+2, h)
	first := s.listWindow(l, min(h, l.h))
	b.pane = pane{top, boxH - 2, p.height()}
	s.scroll.preview = max(min(s.scroll.preview, p.height()-(boxH-2)), 0)
	b.add(part{h, func(from, to int) {
		at := len(s.lay.lines)
		s.drawList(t, l, first+from, min(first+to, l.h))
		for len(s.lay.lines)-at < to-from {
			s.put()
		}
		if l.h > h && from == 0 && to == h {
			s.sign(len(s.lay.lines)-1, listW, position(first, h, l.h))
		}
		for i := from; i < min(to, boxH); i++ {
			s.beside(&s.lay.lines[at+i-from], x, s.boxLine(p, w-x, boxH, i))
		}
	}})
	l.from, l.to = l.from-first, l.to-first
}

// stackedPane puts the box below the list.
func (s *State) stackedPane(b *body, t *questionText, l *list, w, top, room int) {
	p := s.paneText(w - 2)
	need := p.height() + 2
	listH, boxH := l.h, need
	if least := min(need, minPane); l.h+1+need > room {
		boxH = max(least, min(need, room/2), room-1-l.h)
		listH = min(l.h, room-1-boxH)
		if room < minWindow+1+least {
			// Too low for both: the body scrolls, from the active row to the box.
			boxH = least
			listH = min(l.h, max(minWindow, l.to-l.from))
		}
	}
	first := s.listWindow(l, listH)
	b.pane = pane{top + listH + 1, boxH - 2, p.height()}
	s.scroll.preview = max(min(s.scroll.preview, p.height()-(boxH-2)), 0)
	b.add(part{listH, func(from, to int) {
		s.drawList(t, l, first+from, first+to)
		if l.h > listH && to == listH {
			s.sign(len(s.lay.lines)-1, w, position(first, listH, l.h))
		}
	}})
	l.from, l.to = l.from-first, l.to-first
	b.add(s.blankPart())
	b.add(part{boxH, func(from, to int) {
		for i := from; i < to; i++ {
			s.lay.lines = append(s.lay.lines, line{row: s.boxLine(p, w, boxH, i), hit: hit{kind: hitPane}})
		}
	}})
}

// listWindow moves the list's own viewport so that the active row is inside.
func (s *State) listWindow(l *list, rows int) (first int) {
	s.scroll.list = into(s.scroll.list, l.from, l.to, rows)
	s.scroll.list = max(min(s.scroll.list, l.h-rows), 0)
	return s.scroll.list
}

// beside appends the box's row to a list row, at column x.
func (s *State) beside(l *line, x int, box paint.Row) {
	kept, used := s.cutRow(l.row, x-2)
	kept = append(kept, paint.Span{Text: blanks(x - used)})
	l.row = append(kept, box...)
}

// boxLine is line i of a preview box h lines high and w columns wide.
func (s *State) boxLine(p *paneText, w, h, i int) paint.Row {
	inner := w - 2
	switch i {
	case 0:
		return s.row(paint.Span{Text: "┌", Style: accent}, paint.Span{Text: s.lay.texts.rule(inner), Style: accent}, paint.Span{Text: "┐", Style: accent})
	case h - 1:
		return s.boxBottom(p, inner, h)
	}
	text, st := p.line(s.scroll.preview + i - 1)
	return s.row(paint.Span{Text: "│", Style: accent}, paint.Span{Text: text, Style: st},
		paint.Span{Text: blanks(inner - s.opt.Width.Width(text))}, paint.Span{Text: "│", Style: accent})
}

func (s *State) boxBottom(p *paneText, inner, h int) paint.Row {
	if p.height() <= h-2 {
		return s.row(paint.Span{Text: "└", Style: accent}, paint.Span{Text: s.lay.texts.rule(inner), Style: accent}, paint.Span{Text: "┘", Style: accent})
	}
	at := position(s.scroll.preview, h-2, p.height())
	lead := inner - len(at) - 4
	if lead < 0 {
		at = s.opt.Width.Cut(at, max(inner-4, 0), "")
		lead = max(inner-len(at)-4, 0)
	}
	return s.row(paint.Span{Text: "└", Style: accent}, paint.Span{Text: s.lay.texts.rule(lead), Style: accent},
		paint.Span{Text: " "}, paint.Span{Text: at, Style: dim}, paint.Span{Text: " "}, paint.Span{Text: "──┘", Style: accent})
}

// line is one line of the box's content.
func (p *paneText) line(i int) (string, paint.Style) {
	switch n := len(p.label); {
	case i < n:
		return p.label[i], accent
	case i < n+len(p.about):
		return p.about[i-n], muted
	case i == n+len(p.about):
		return "", dim
	case i-n-len(p.about)-1 < len(p.text):
		return p.text[i-n-len(p.about)-1], plain
	}
	return "", plain
}
