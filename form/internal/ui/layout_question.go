package ui

import (
	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
)

const (
	detailIndent   = 5 // under a row
	questionIndent = 1
	reviewIndent   = 5
	wide           = 90 // from here on a preview stands beside the list
	minPane        = 5  // a preview box with three lines of text
	minWindow      = 3  // an option list that scrolls beside or above a preview
)

// body lays out what scrolls, knowing how many rows there are for it.
func (s *State) body(w, rows int) body {
	b := body{cursor: cursor{row: paint.NoCursor}}
	switch {
	case s.onReview():
		s.reviewBody(&b, w)
	case s.question().Shown() == ask.Preview:
		s.previewBody(&b, w, rows)
	default:
		s.listBody(&b, w, rows)
	}
	return b
}

// lines makes a part of lines in one style.
func (s *State) linesPart(indent int, st paint.Style, lines []string) part {
	return part{len(lines), func(from, to int) {
		for _, l := range lines[from:to] {
			s.put(paint.Span{Text: blanks(indent)}, paint.Span{Text: l, Style: st})
		}
	}}
}

func (s *State) blankPart() part { return part{1, func(int, int) { s.put() }} }

// head is the prompt with the question's note or its editor, and a blank line.
func (s *State) head(b *body, t *questionText, w, rows int) {
	b.add(s.linesPart(questionIndent, plain, t.prompt))
	if s.view == QuestionNoteEditor {
		s.editorPart(b, questionIndent, w, rows)
	} else if d := s.drafts.At(s.tab); d != nil && (d.Note != "" || len(d.NoteImages) > 0) {
		b.add(s.notePart(detailKey{s.tab, -1, ""}, "Note:", withMarker(d.Note, d.NoteImages), questionIndent, w))
	}
	b.add(s.blankPart())
}

// notePart is "Note: …", hanging under its first word.
func (s *State) notePart(key detailKey, label, text string, indent, w int) part {
	key.label = label
	hang := indent + s.opt.Width.Width(label) + 1
	beside := w-hang >= 4
	if !beside {
		hang = indent
	}
	lines := s.detail(key, w, func() []string { return s.opt.Width.Wrap(s.safe(text), max(w-hang, 1)) })
	h := len(lines)
	var above []string
	if !beside {
		above = s.opt.Width.Wrap(label, max(w-indent, 1))
		h += len(above)
	}
	return part{h, func(from, to int) {
		for i := from; i < to; i++ {
			switch {
			case i < len(above):
				s.put(paint.Span{Text: blanks(indent)}, paint.Span{Text: above[i], Style: noteStyle})
			case beside && i == 0:
				s.put(paint.Span{Text: blanks(indent)}, paint.Span{Text: label, Style: noteStyle},
					paint.Span{Text: " "}, paint.Span{Text: lines[0], Style: muted})
			default:
				s.put(paint.Span{Text: blanks(hang)}, paint.Span{Text: lines[i-len(above)], Style: muted})
			}
		}
	}}
}

// listBody is a question without a preview pane.
func (s *State) listBody(b *body, w, rows int) {
	t := s.questionText(w, w)
	s.head(b, t, w, rows)
	top := b.height()
	l := s.optionList(t, w, rows, true, b, top)
	b.add(part{l.h, func(from, to int) { s.drawList(t, l, from, to) }})
	if b.to > 0 {
		return // the question note's editor has the focus
	}
	s.focusRow(b, top, l, rows)
}

// focusRow makes the active row the focus. The first row keeps the whole prompt
// as long as the row's first line is visible, else as much as there is room for.
func (s *State) focusRow(b *body, top int, l *list, rows int) {
	b.from, b.to = top+l.from, top+l.to
	switch {
	case s.option == 0 && b.from < rows:
		b.from = 0
	case s.option == 0:
		b.from = min(b.from, max(b.to-rows, 0))
	}
	if b.cursor.row >= 0 && s.editing() {
		s.focusCursor(b, b.from, rows)
	}
}

// focusCursor makes the open editor the focus, or where that is too high the
// cursor's line with the file list, and as much of what is above, from line
// from on, as there is room for.
func (s *State) focusCursor(b *body, from, rows int) {
	e := &s.lay.editor
	b.to = b.cursor.row - e.cursor.row + e.part.h
	if b.to-b.cursor.row > rows {
		b.to = b.cursor.row + 1 + s.popupHeight(rows)
	}
	b.from = min(max(from, b.to-rows), b.cursor.row)
}

// list is the measured option list: where each row's detail stands and which
// lines belong to the active row.
type list struct {
	h        int
	from, to int
	details  []rowDetail // by row, ascending
}

// rowDetail is what stands under a row.
type rowDetail struct {
	row  int
	part part
}

// optionList measures the rows with their details; at is where the list
// stands in the body.
func (s *State) optionList(t *questionText, w, rows int, details bool, b *body, at int) *list {
	l := &list{h: t.sum}
	if details {
		l.details = s.rowDetails(t, w, rows)
	}
	y, next := 0, 0
	for row := range t.rows {
		from := y
		y += t.rows[row].height()
		if next < len(l.details) && l.details[next].row == row {
			p := l.details[next].part
			if s.editing() && s.editorRow() == row {
				e := s.editorLayout(detailIndent, w, rows)
				b.cursor = cursor{at + y + e.cursor.row, e.cursor.col}
			}
			y += p.h
			next++
		}
		if row == s.option {
			l.from, l.to = from, y
		}
	}
	l.h = y
	return l
}

// editorRow is the row whose editor is open, -1 for none.
func (s *State) editorRow() int {
	switch s.view {
	case AnswerEditor:
		return s.customRow()
	case OptionNoteEditor:
		return s.editOpt
	}
	return -1
}

// rowDetails collects what stands under the rows of the active question.
func (s *State) rowDetails(t *questionText, w, rows int) []rowDetail {
	d := s.drafts.At(s.tab)
	open := s.editorRow()
	if d == nil && open < 0 {
		return nil
	}
	var out []rowDetail
	add := func(row int) {
		if p := s.rowDetail(t, row, w, rows); p.h > 0 {
			out = append(out, rowDetail{row, p})
		}
	}
	noted := map[int]bool{}
	if open >= 0 {
		noted[open] = true
	}
	if d != nil {
		for _, n := range d.OptionNotes {
			if i, ok := t.index[n.Value]; ok {
				noted[i] = true
			}
		}
		noted[s.customRow()] = true
	}
	for row := range t.rows {
		if noted[row] {
			add(row)
		}
	}
	return out
}

// rowDetail is the first that applies: an editor, the saved free text, a note.
func (s *State) rowDetail(t *questionText, row, w, rows int) part {
	if row == s.editorRow() {
		return s.editorLayout(detailIndent, w, rows).part
	}
	d := s.drafts.At(s.tab)
	if d == nil {
		return part{}
	}
	if row == s.customRow() {
		if !d.HasCustom() {
			return part{}
		}
		lines := s.detail(detailKey{s.tab, row, ""}, w, func() []string {
			return s.opt.Width.Wrap(s.safe(withMarker(d.CustomText, d.CustomImages)), w-detailIndent)
		})
		return s.linesPart(detailIndent, muted, lines)
	}
	n := s.optionNote(s.tab, row)
	if n.Text == "" && len(n.Images) == 0 {
		return part{}
	}
	return s.notePart(detailKey{q: s.tab, row: row}, "Note:", withMarker(n.Text, n.Images), detailIndent, w)
}

// drawList draws lines from to to of the option list.
func (s *State) drawList(t *questionText, l *list, from, to int) {
	y, next := 0, 0
	d := s.drafts.At(s.tab)
	for row := range t.rows {
		if y >= to {
			return
		}
		r := &t.rows[row]
		h := r.height()
		if y+h > from {
			s.drawRow(t, row, d, max(from-y, 0), min(to-y, h))
		}
		y += h
		if next < len(l.details) && l.details[next].row == row {
			p := l.details[next].part
			if y+p.h > from && y < to {
				p.draw(max(from-y, 0), min(to-y, p.h))
			}
			y += p.h
			next++
		}
	}
}

// chosen reports whether a row is part of the answer.
func (s *State) chosen(row int, d *ask.Draft) bool {
	if d == nil {
		return false
	}
	if row == s.customRow() {
		return d.CustomSelected && d.HasCustom()
	}
	return d.IsSelected(s.question().Options[row].Value)
}

// drawRow draws lines from to to of one row: label lines, then subtitle lines.
func (s *State) drawRow(t *questionText, row int, d *ask.Draft, from, to int) {
	r := &t.rows[row]
	chosen, active := s.chosen(row, d), row == s.option
	st := plain
	switch {
	case chosen:
		st = success
	case active:
		st = accent
	}
	at := hit{hitRow, row}
	for i := from; i < to; i++ {
		switch {
		case i == 0:
			s.putHit(at, s.pointer(active), paint.Span{Text: r.num, Style: st},
				paint.Span{Text: mark(s.question().Shown(), chosen), Style: st}, paint.Span{Text: r.label[0], Style: st})
		case i < len(r.label):
			s.putHit(at, paint.Span{Text: "  "}, paint.Span{Text: r.label[i], Style: st})
		case i == len(r.label) && r.recommended:
			s.putHit(at, paint.Span{Text: "     "}, paint.Span{Text: recommended, Style: warning},
				paint.Span{Text: r.sub[0][len(recommended):], Style: muted})
		default:
			s.putHit(at, paint.Span{Text: "     "}, paint.Span{Text: r.sub[i-len(r.label)], Style: muted})
		}
	}
}

// pointer marks the active row; a dot until keys count.
func (s *State) pointer(active bool) paint.Span {
	switch {
	case !active:
		return paint.Span{Text: "  "}
	case !s.guard.ready():
		return paint.Span{Text: "· "}
	}
	return paint.Span{Text: "❯ "}
}
