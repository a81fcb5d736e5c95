package ui

import (
	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
)

const (
	reviewWide    = 64 // from here on the actions stand beside the answers
	actionColumns = 14
)

// reviewText is the list of answers as Review shows it.
type reviewText struct {
	version, width int
	elaborate, ok  bool
	rows           []paint.Row
}

// reviewBody lays out the Review tab.
func (s *State) reviewBody(b *body, w int) {
	if w < reviewWide {
		rows := s.reviewRows(w)
		b.add(part{len(rows), func(from, to int) {
			for _, r := range rows[from:to] {
				s.put(r...)
			}
		}})
		b.add(s.blankPart())
		at := b.height()
		b.add(part{len(ReviewActions), func(from, to int) {
			for i := from; i < to; i++ {
				s.putHit(hit{hitAction, i}, s.actionSpans(i)...)
			}
		}})
		b.from, b.to = at+s.action, at+len(ReviewActions)
		return
	}
	x := actionColumns + 2
	rows := s.reviewRows(w - x)
	b.add(part{max(len(rows), len(ReviewActions)), func(from, to int) {
		for i := from; i < to; i++ {
			var right paint.Row
			if i < len(rows) {
				right = rows[i]
			}
			if i >= len(ReviewActions) {
				s.put(append([]paint.Span{{Text: blanks(x)}}, right...)...)
				continue
			}
			left := s.actionSpans(i)
			used := 2 + len(left[1].Text) + len(left[2].Text)
			s.putHit(hit{hitAction, i}, append(append(left, paint.Span{Text: blanks(x - used)}), right...)...)
		}
	}})
	b.from, b.to = s.action, s.action+1
}

func (s *State) actionSpans(i int) []paint.Span {
	st := plain
	if i == s.action {
		st = accent
	}
	return []paint.Span{s.pointer(i == s.action), {Text: itoa(i+1) + ". ", Style: st}, {Text: ReviewActions[i], Style: st}}
}

// reviewRows are the answers, wrapped; they are kept until something changes.
func (s *State) reviewRows(w int) []paint.Row {
	r := &s.lay.texts.review
	elaborate := s.action == actionElaborate
	if r.ok && r.version == s.version && r.width == w && r.elaborate == elaborate {
		return r.rows
	}
	c := reviewWriter{s: s, w: w}
	c.add(paint.Span{Text: " "}, paint.Span{Text: "Review answers", Style: accent})
	for q := range s.form.Questions {
		c.add()
		c.text(questionIndent, s.form.Questions[q].Label, plain)
		c.question(q, elaborate)
	}
	*r = reviewText{version: s.version, width: w, elaborate: elaborate, ok: true, rows: c.rows}
	return r.rows
}

// reviewWriter collects the rows of Review.
type reviewWriter struct {
	s    *State
	w    int
	rows []paint.Row
}

func (c *reviewWriter) add(spans ...paint.Span) { c.rows = append(c.rows, paint.Row(spans)) }

func (c *reviewWriter) text(indent int, text string, st paint.Style) {
	for _, l := range c.s.opt.Width.Wrap(c.s.safe(text), max(c.w-indent, 1)) {
		c.add(paint.Span{Text: blanks(indent)}, paint.Span{Text: l, Style: st})
	}
}

// answer is one "→ …" line with its continuation.
func (c *reviewWriter) answer(text string, st paint.Style) {
	for i, l := range c.s.opt.Width.Wrap(c.s.safe(text), max(c.w-reviewIndent, 1)) {
		lead := paint.Span{Text: "     "}
		if i == 0 {
			lead = paint.Span{Text: "   → ", Style: st}
		}
		c.add(lead, paint.Span{Text: l, Style: st})
	}
}

// note is a note, hanging under its first word.
func (c *reviewWriter) note(label, text string) {
	label = c.s.opt.Width.OneLine(label)
	hang := reviewIndent + c.s.opt.Width.Width(label) + 1
	if c.w-hang < 4 {
		c.text(reviewIndent, label, noteStyle)
		c.text(reviewIndent, text, muted)
		return
	}
	for i, l := range c.s.opt.Width.Wrap(c.s.safe(text), c.w-hang) {
		if i == 0 {
			c.add(paint.Span{Text: blanks(reviewIndent)}, paint.Span{Text: label, Style: noteStyle}, paint.Span{Text: " "}, paint.Span{Text: l, Style: muted})
			continue
		}
		c.add(paint.Span{Text: blanks(hang)}, paint.Span{Text: l, Style: muted})
	}
}

// question writes what is known of one question.
func (c *reviewWriter) question(q int, elaborate bool) {
	d := c.s.drafts.At(q)
	answered := c.s.drafts.Answered(q)
	if d == nil || !answered && (!elaborate || !c.s.drafts.HasNotes(q)) {
		c.answer("unanswered", dim)
		return
	}
	if d.Note != "" || len(d.NoteImages) > 0 {
		c.note("Note:", withMarker(d.Note, d.NoteImages))
	}
	st := success
	if len(d.Selected) == 0 {
		st = plain
	}
	for _, sel := range d.Selected {
		c.answer(sel.Label, st)
		if n := d.OptionNote(sel.Value); n.Text != "" || len(n.Images) > 0 {
			c.note("Note:", withMarker(n.Text, n.Images))
		}
	}
	if d.CustomSelected && d.HasCustom() {
		c.answer(withMarker(d.CustomText, d.CustomImages), st)
	}
	if elaborate {
		c.unselectedNotes(q, d)
	}
}

func (c *reviewWriter) unselectedNotes(q int, d *ask.Draft) {
	for _, o := range c.s.form.Questions[q].Options {
		if n := d.OptionNote(o.Value); !d.IsSelected(o.Value) && (n.Text != "" || len(n.Images) > 0) {
			c.note(o.Label+" Note:", withMarker(n.Text, n.Images))
		}
	}
}
