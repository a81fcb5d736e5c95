package ui

import (
	"strconv"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
)

// minWidth is the narrowest layout; narrower screens see it cut.
const minWidth = 20

// Styles by role.
var (
	accent    = paint.Style{Fg: "accent"}
	title     = paint.Style{Fg: "accent", Bold: true}
	plain     = paint.Style{Fg: "text"}
	success   = paint.Style{Fg: "success"}
	muted     = paint.Style{Fg: "muted"}
	warning   = paint.Style{Fg: "warning"}
	dim       = paint.Style{Fg: "dim"}
	noteStyle = paint.Style{Fg: "syntaxString"}
	area      = paint.Style{Fg: "text", Bg: "selectedBg"}
)

// line is one row of the frame and what a click on it means.
type line struct {
	row paint.Row
	hit hit
}

// hit names what a line belongs to.
type hit struct {
	kind  hitKind
	index int
}

type hitKind uint8

const (
	hitNothing hitKind = iota
	hitRow             // an option, or the free-text row
	hitAction          // a Review action
	hitTabs            // the tab strip
	hitPane            // the preview pane
)

// part is a piece of the body, h lines high. It draws any of its lines, so
// that only what can be seen is built.
type part struct {
	h    int
	draw func(from, to int)
}

// cursor is a place in the body, row -1 for none.
type cursor struct{ row, col int }

// body is what scrolls: parts one under the other.
type body struct {
	parts    []part
	from, to int // the focus: these lines are to be visible, from the first on
	cursor   cursor
	pane     pane
}

func (b *body) add(p part) {
	if p.h > 0 {
		b.parts = append(b.parts, p)
	}
}

func (b *body) height() int {
	h := 0
	for _, p := range b.parts {
		h += p.h
	}
	return h
}

// scroll is what PageUp and PageDown move.
type scroll struct {
	follow              bool // the focus pulls the viewport along
	body, list, preview int
}

// metrics is what scrolling needs to know of the last layout.
type metrics struct {
	bodyTotal, bodyRows int
	paneFrom            int // the first line of the box's text in the body
	paneTotal, paneRows int
	paneVisible         bool // as much of its text as fits the viewport
}

// layoutCache holds the last frame and the wrapped texts it was made of.
type layoutCache struct {
	frame               paint.Frame
	lines               []line
	spans               []paint.Span // arena of the frame's rows
	tabs                []tabHit
	metrics             metrics
	texts               textCache
	editor              editorPicture
	lastTab, lastOption int
}

// Frame returns the picture of the form, never higher than the rows it was
// given. It is valid until the next message.
func (s *State) Frame() paint.Frame { return s.lay.frame }

// row builds a row in the arena.
func (s *State) row(spans ...paint.Span) paint.Row {
	at := len(s.lay.spans)
	s.lay.spans = append(s.lay.spans, spans...)
	return paint.Row(s.lay.spans[at:len(s.lay.spans):len(s.lay.spans)])
}

func (s *State) put(spans ...paint.Span) {
	s.lay.lines = append(s.lay.lines, line{row: s.row(spans...)})
}

func (s *State) putHit(h hit, spans ...paint.Span) {
	s.lay.lines = append(s.lay.lines, line{row: s.row(spans...), hit: h})
}

// relayout draws the form anew after a message.
func (s *State) relayout() {
	if s.size.width <= 0 || s.size.rows <= 0 {
		return
	}
	l := &s.lay
	l.lines, l.spans, l.tabs = l.lines[:0], l.spans[:0], l.tabs[:0]
	l.editor.ok = false
	if l.lastTab != s.tab || l.lastOption != s.option {
		s.scroll.preview = 0
		l.lastTab, l.lastOption = s.tab, s.option
	}
	w := max(s.size.width, minWidth)
	if s.opt.SettingsOnly {
		l.frame = paint.Frame{Width: s.size.width, CursorRow: paint.NoCursor, CursorCol: paint.NoCursor}
		s.layOverlay(w)
		return
	}
	c := s.chrome(w)
	c.fit(s.size.rows)

	b := s.body(w, c.bodyRows)
	total := b.height()
	rows := min(total, c.bodyRows)
	s.follow(&b, total, rows)

	s.drawTop(c)
	top := len(l.lines)
	s.drawBody(&b, w, rows, total)
	s.drawBottom(c, w)

	cur := cursor{paint.NoCursor, paint.NoCursor}
	if r := b.cursor.row - s.scroll.body; b.cursor.row >= 0 && r >= 0 && r < rows {
		cur = cursor{top + r, b.cursor.col}
	}
	l.frame = paint.Frame{Width: s.size.width, CursorRow: cur.row, CursorCol: cur.col, Rows: l.frame.Rows[:0]}
	for i := range l.lines {
		l.frame.Rows = append(l.frame.Rows, l.lines[i].row)
	}
	l.metrics = metrics{
		bodyTotal: total, bodyRows: rows,
		paneFrom: b.pane.from + 1, paneTotal: b.pane.total, paneRows: b.pane.rows,
	}
	if p := &l.metrics; p.paneRows > 0 {
		from, to := max(p.paneFrom, s.scroll.body), min(p.paneFrom+p.paneRows, s.scroll.body+rows)
		p.paneVisible = to-from >= min(p.paneRows, rows)
	}
	if s.overlay != nil {
		s.layOverlay(w)
	}
}

// follow moves the viewport so that the focus is inside.
func (s *State) follow(b *body, total, rows int) {
	sc := &s.scroll
	if sc.follow {
		sc.body = into(sc.body, b.from, b.to, rows)
	}
	sc.body = max(min(sc.body, total-rows), 0)
}

// into returns the first line of a viewport of rows lines that shows lines
// from to to, moved as little as possible; when they do not fit, from wins.
func into(top, from, to, rows int) int {
	if to > top+rows {
		top = to - rows
	}
	if from < top {
		top = from
	}
	return top
}

// drawBody draws the visible lines of the body and the position sign.
func (s *State) drawBody(b *body, w, rows, total int) {
	skip, left := s.scroll.body, rows
	first := len(s.lay.lines)
	for _, p := range b.parts {
		if left <= 0 {
			break
		}
		if skip >= p.h {
			skip -= p.h
			continue
		}
		n := min(p.h-skip, left)
		p.draw(skip, skip+n)
		left -= n
		skip = 0
	}
	if rows < total && len(s.lay.lines) > first {
		at, text := len(s.lay.lines)-1, position(s.scroll.body, rows, total)
		if b.cursor.row == s.scroll.body+rows-1 && b.cursor.col >= w-len(text)-1 {
			at-- // the sign must not hide what is being typed
		}
		if at >= first {
			s.sign(at, w, text)
		}
	}
}

// position is the position sign of a viewport.
func position(top, rows, total int) string {
	return itoa(top+1) + "-" + itoa(min(top+rows, total)) + "/" + itoa(total)
}

// sign puts a position sign at the right end of a line, up to column end.
func (s *State) sign(i, end int, text string) {
	l := &s.lay.lines[i]
	room := end - len(text)
	kept, used := s.cutRow(l.row, room-1)
	kept = append(kept, paint.Span{Text: blanks(room - used)}, paint.Span{Text: text, Style: dim})
	l.row = kept
}

// cutRow returns a copy of row cut to width columns and the columns used.
func (s *State) cutRow(row paint.Row, width int) (out paint.Row, used int) {
	for _, sp := range row {
		w := s.opt.Width.Width(sp.Text)
		if used+w > width {
			tail := "…"
			if strings.Trim(sp.Text, " ") == "" {
				tail = ""
			}
			sp.Text = s.opt.Width.Cut(sp.Text, width-used, tail)
			w = s.opt.Width.Width(sp.Text)
			if sp.Text != "" {
				out = append(out, sp)
			}
			return out, used + w
		}
		out = append(out, sp)
		used += w
	}
	return out, used
}

const blankRun = "                                                                                                                                                                                                                                                                "

// blanks returns n blanks.
func blanks(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(blankRun) {
		return blankRun[:n]
	}
	return strings.Repeat(" ", n)
}

const small = "0123456789"

func itoa(n int) string {
	if n >= 0 && n < 10 {
		return small[n : n+1]
	}
	return strconv.Itoa(n)
}

// page scrolls the preview pane if it is shown and longer than its space, else
// the body, by a page less one line. The focus stays where it is.
func (s *State) page(dir int) {
	m := s.lay.metrics
	if m.paneVisible && s.scrollPane(dir*max(m.paneRows-1, 1)) {
		return
	}
	s.scrollBody(dir * max(m.bodyRows-1, 1))
}

// scrollBy scrolls by lines instead of pages.
func (s *State) scrollBy(lines int) {
	if !s.lay.metrics.paneVisible || !s.scrollPane(lines) {
		s.scrollBody(lines)
	}
}

// scrollPane reports whether the preview moved.
func (s *State) scrollPane(by int) bool {
	m := s.lay.metrics
	to := max(min(s.scroll.preview+by, m.paneTotal-m.paneRows), 0)
	moved := to != s.scroll.preview
	s.scroll.preview = to
	return moved
}

func (s *State) scrollBody(by int) {
	m := s.lay.metrics
	s.scroll.follow = false
	to := s.scroll.body + by
	if at := m.paneFrom + m.paneRows - m.bodyRows; m.paneRows > 0 && s.scroll.body < at && to >= at {
		to = at // stop where the preview is in view
	}
	s.scroll.body = max(min(to, m.bodyTotal-m.bodyRows), 0)
}
