package ui

import (
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

const (
	overlayWidth    = 72
	overlayMinWidth = 26
	overlayTitle    = "pi-agent-ask"
	overlayLines    = 3  // that are to be seen of what scrolls
	minMargin       = 4  // columns beside the overlay in which the form shows
	overlayNarrow   = 40 // below so many inner columns rows are set apart
)

// OverlayState is what the settings overlay shows, for drivers and tests.
type OverlayState struct {
	Focus   int // 1-based row
	Values  map[settings.Setting]bool
	Armed   bool
	Notices []settings.Notice
}

// Overlay returns the state of the settings overlay, nil while it is closed.
func (s *State) Overlay() *OverlayState {
	o := s.overlay
	if o == nil {
		return nil
	}
	out := &OverlayState{Focus: o.focus + 1, Values: map[settings.Setting]bool{}, Armed: o.reset.Armed(s.instant()), Notices: o.notices}
	for _, r := range overlayRows[:resetRow] {
		out.Values[r.setting] = s.overlayValue(r.setting)
	}
	return out
}

// layOverlay draws the settings overlay over the form, growing the frame when
// the form is lower than the overlay.
func (s *State) layOverlay(w int) {
	width := min(overlayWidth, max(w-2, overlayMinWidth))
	width = min(width, w)
	rows := max(s.size.rows*90/100, min(s.size.rows, 5))
	d := overlayDrawing{s: s, inner: width - 2}
	d.content()
	for len(d.footer) > 0 && rows-2-len(d.footer) < overlayLines {
		d.footer = d.footer[1:] // its blank line first, then the hint
		if len(d.footer) > 1 {
			d.footer = d.footer[:1]
		}
	}
	h := min(len(d.rows)+len(d.footer)+2, rows)
	view := max(h-2-len(d.footer), 1)
	o := s.overlay
	if o.focus == 0 {
		d.from = min(d.from, max(d.to-view, 0))
	}
	o.top = max(min(into(o.top, d.from, d.to, view), len(d.rows)-view), 0)

	f := paint.Frame{Width: width, CursorRow: paint.NoCursor, CursorCol: paint.NoCursor}
	f.Rows = append(f.Rows, d.edge("╭", "╮", ""))
	shown := d.rows[o.top:min(o.top+view, len(d.rows))]
	for _, r := range shown {
		f.Rows = append(f.Rows, d.framed(r))
	}
	for _, r := range d.footer {
		f.Rows = append(f.Rows, d.framed(r))
	}
	at := ""
	if len(shown) < len(d.rows) {
		at = position(o.top, view, len(d.rows))
	}
	f.Rows = append(f.Rows, d.edge("╰", "╯", at))

	s.lay.frame = s.cover(s.lay.frame, f)
}

// cover puts a picture into the middle of a frame, which grows when it is too
// low.
func (s *State) cover(base, top paint.Frame) paint.Frame {
	for len(base.Rows) < min(len(top.Rows)+2, s.size.rows) {
		base.Rows = append(base.Rows, nil)
	}
	base.CursorRow, base.CursorCol = paint.NoCursor, paint.NoCursor
	x, y := max((s.size.width-top.Width)/2, 0), max((len(base.Rows)-len(top.Rows))/2, 0)
	for i, r := range top.Rows {
		if y+i >= len(base.Rows) {
			break
		}
		under := base.Rows[y+i]
		if x < minMargin {
			under = nil // slivers of the form would only confuse
		}
		row, used := s.sliceRow(under, 0, x)
		row = append(row, paint.Span{Text: blanks(x - used)})
		row = append(row, r...)
		right, _ := s.sliceRow(under, x+top.Width, s.size.width)
		base.Rows[y+i] = append(row, right...)
	}
	return base
}

// sliceRow returns the columns from to to of a row and how many they are. A
// wide character cut by an edge becomes blanks.
func (s *State) sliceRow(row paint.Row, from, to int) (out paint.Row, used int) {
	x := 0
	for _, sp := range row {
		var text strings.Builder
		for cluster, w := range s.opt.Width.Clusters(sp.Text) {
			switch {
			case x >= from && x+w <= to:
				text.WriteString(cluster)
			case x < to && x+w > from:
				text.WriteString(blanks(min(x+w, to) - max(x, from)))
			}
			x += w
		}
		if text.Len() > 0 {
			out = append(out, paint.Span{Text: text.String(), Style: sp.Style})
		}
	}
	return out, max(min(x, to)-from, 0)
}

// overlayDrawing collects the overlay's lines: those that scroll, and the
// footer that stays.
type overlayDrawing struct {
	s            *State
	inner        int
	rows, footer []paint.Row
	from, to     int // the focused row
}

func (d *overlayDrawing) add(spans ...paint.Span) { d.rows = append(d.rows, paint.Row(spans)) }

func (d *overlayDrawing) content() {
	f := d.s.opt.Width
	d.add(d.centred(overlayTitle, accent)...)
	d.add()
	d.text("Keymaps and notification channels are set in this file:", muted)
	d.path()
	d.add()
	d.listRows()
	d.add()
	about := overlayRows[d.s.overlay.focus].about
	lines := d.text(about, muted)
	for longest := d.longestAbout(); lines < longest; lines++ {
		d.add()
	}
	for _, n := range d.s.overlay.notices {
		d.add()
		d.text(d.s.safe(n.Text), paint.Style{Fg: "error"})
	}
	d.footer = append(d.footer, nil)
	k := d.s.settings.Keymaps
	hint := settings.Label(k.Keys(settings.ContextSettingsModal, settings.ActionToggle)...) + " to change · " +
		settings.Label(k.Keys(settings.ContextSettingsModal, settings.ActionClose)...) + " to close"
	for _, l := range f.Wrap(f.OneLine(hint), d.inner-2) {
		d.footer = append(d.footer, paint.Row{{Text: " "}, {Text: l, Style: dim}})
	}
}

// text adds a wrapped text and returns its height.
func (d *overlayDrawing) text(text string, st paint.Style) int {
	lines := d.s.opt.Width.Wrap(text, d.inner-2)
	for _, l := range lines {
		d.add(paint.Span{Text: " "}, paint.Span{Text: l, Style: st})
	}
	return len(lines)
}

func (d *overlayDrawing) longestAbout() int {
	longest := 0
	for _, r := range overlayRows {
		longest = max(longest, len(d.s.opt.Width.Wrap(r.about, d.inner-2)))
	}
	return longest
}

func (d *overlayDrawing) centred(text string, st paint.Style) []paint.Span {
	return []paint.Span{{Text: blanks((d.inner - d.s.opt.Width.Width(text)) / 2)}, {Text: text, Style: st}}
}

// path adds the path of the settings file, cut where it does not fit.
func (d *overlayDrawing) path() {
	f := d.s.opt.Width
	for _, l := range f.HardWrap(f.OneLine(d.s.opt.SettingsPath), max(d.inner-2, 1)) {
		d.add(d.centred(l, accent)...)
	}
}

func (d *overlayDrawing) listRows() {
	for i, r := range overlayRows {
		if r.section != "" {
			if i > 0 {
				d.add()
			}
			d.add(paint.Span{Text: " "}, paint.Span{Text: r.section, Style: accent})
		}
		from := len(d.rows)
		if i == resetRow {
			d.resetRow()
		} else {
			d.settingRow(i, r)
		}
		if i == d.s.overlay.focus {
			d.from, d.to = from, len(d.rows)
		}
		if d.inner < overlayNarrow && i != resetRow {
			d.add()
		}
	}
}

func (d *overlayDrawing) settingRow(i int, r overlayRow) {
	focused := i == d.s.overlay.focus
	state := "off"
	if d.s.overlayValue(r.setting) {
		state = "on"
	}
	st, lead := muted, "  "
	label := plain
	if focused {
		st, lead = paint.Style{Fg: "accent", Bg: "selectedBg"}, "❯ "
	}
	room := d.inner - 2 - len("[off] ") - 1
	for n, l := range d.s.opt.Width.Wrap(r.label, max(room, 1)) {
		if n > 0 {
			d.add(paint.Span{Text: "  "}, paint.Span{Text: l, Style: label})
			continue
		}
		gap := d.inner - 2 - display.WidthFunc(nil).Width(l) - len(state) - 2 - 1
		d.add(paint.Span{Text: lead, Style: accent}, paint.Span{Text: l, Style: label}, paint.Span{Text: blanks(gap)},
			paint.Span{Text: "[", Style: dim}, paint.Span{Text: state, Style: st}, paint.Span{Text: "]", Style: dim})
	}
}

func (d *overlayDrawing) resetRow() {
	text := "[reset all]"
	if d.s.overlay.reset.Armed(d.s.instant()) {
		text = "[confirm reset]"
	}
	st := muted
	spans := d.centred(text, st)
	if d.s.overlay.focus == resetRow {
		spans = d.centred("❯ "+text, paint.Style{Fg: "accent", Bg: "selectedBg"})
	}
	d.add(spans...)
}

// framed puts a line between the borders.
func (d *overlayDrawing) framed(r paint.Row) paint.Row {
	kept, used := d.s.cutRow(r, d.inner)
	out := paint.Row{{Text: "│", Style: muted}}
	out = append(out, kept...)
	return append(out, paint.Span{Text: blanks(d.inner - used)}, paint.Span{Text: "│", Style: muted})
}

func (d *overlayDrawing) edge(left, right, at string) paint.Row {
	if at == "" {
		return paint.Row{{Text: left + d.s.lay.texts.rule(d.inner) + right, Style: muted}}
	}
	lead := max(d.inner-len(at)-4, 0)
	return paint.Row{{Text: left + d.s.lay.texts.rule(lead), Style: muted}, {Text: " "}, {Text: at, Style: dim}, {Text: " "}, {Text: "──" + right, Style: muted}}
}
