package ui

import (
	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
)

// tabHit is where a tab stands in the strip.
type tabHit struct{ tab, from, to int }

// tabStrip draws the tabs: all of them, or as many around the active one as
// fit.
func (s *State) tabStrip(w int) paint.Row {
	from, to := s.shownTabs(w - 5)
	at := len(s.lay.spans)
	add := func(text string, st paint.Style) {
		s.lay.spans = append(s.lay.spans, paint.Span{Text: text, Style: st})
	}
	add(" ← ", dim)
	x := 3
	for tab := from; tab < to; tab++ {
		if tab > from {
			add(" ", paint.Style{})
			x++
		}
		n := s.name(tab)
		if over := s.tabWidth(tab) - (w - 5); over > 0 {
			n.text = s.opt.Width.Cut(n.text, n.width-over, "…")
		}
		open, closing := " ", " "
		st := s.tabStyle(tab)
		if tab == s.tab && s.opt.Brackets {
			open, closing = "[", "]"
		}
		add(open, st)
		add(s.tabMark(tab), st)
		add(n.text, st)
		add(closing, st)
		width := 2 + s.opt.Width.Width(s.tabMark(tab)) + s.opt.Width.Width(n.text)
		s.lay.tabs = append(s.lay.tabs, tabHit{tab, x, x + width})
		x += width
	}
	add(" →", dim)
	return paint.Row(s.lay.spans[at:len(s.lay.spans):len(s.lay.spans)])
}

func (s *State) tabMark(tab int) string {
	switch {
	case tab == len(s.form.Questions):
		return "☰ "
	case s.drafts.Answered(tab):
		return "☒ "
	}
	return "☐ "
}

// tabWidth is the width of a whole tab, the blanks around it included.
func (s *State) tabWidth(tab int) int {
	return 2 + s.opt.Width.Width(s.tabMark(tab)) + s.name(tab).width
}

func (s *State) tabStyle(tab int) paint.Style {
	switch {
	case tab == s.tab:
		return area
	case tab == len(s.form.Questions) || s.drafts.Answered(tab):
		return success
	}
	return muted
}

// shownTabs grows from the active tab to both sides in turn, first toward the
// side with more tabs, by whole tabs while they fit.
func (s *State) shownTabs(room int) (from, to int) {
	n := len(s.form.Questions) + 1
	from, to = s.tab, s.tab+1
	room -= s.tabWidth(s.tab)
	right := n-to >= from
	blocked := 0
	for blocked < 2 && (from > 0 || to < n) {
		next := to
		if !right {
			next = from - 1
		}
		if next < 0 || next >= n || 1+s.tabWidth(next) > room {
			blocked++
		} else {
			blocked = 0
			room -= 1 + s.tabWidth(next)
			from, to = min(from, next), max(to, next+1)
		}
		right = !right
	}
	return from, to
}

// mark is the choice mark of a row.
func mark(t ask.Type, chosen bool) string {
	switch {
	case t == ask.Multi && chosen:
		return "[x] "
	case t == ask.Multi:
		return "[ ] "
	case chosen:
		return "(•) "
	}
	return "( ) "
}
