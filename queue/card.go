package queue

import (
	"slices"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// Card draws a delivered outcome for the person who gave it: the lines of the
// transcript in place of the model's text, without ids. Every line fits width
// columns, as measured by widths; nil takes the built-in tables. The host puts
// them on the background of role customMessageBg.
func Card(o journal.Outcome, width int, widths display.WidthFunc) [][]ask.Span {
	c := card{width: max(width, 1), widths: widths}
	title := ""
	if o.Result != nil {
		title = widths.OneLine(ask.TrimSpace(o.Result.Title))
	}
	switch r := o.Result; {
	case o.Error != "" || r == nil:
		c.head("! Question form failed", ask.RoleError, title)
		c.text("", failure(errorText(o.Error)), "")
	case r.Cancelled:
		c.head("? Questions cancelled", ask.RoleWarning, title)
		c.text("", "No approval given.", ask.RoleMuted)
	case r.Mode == ask.Elaborate:
		c.head("? Clarification requested", ask.RoleWarning, title)
		c.empty()
		c.text("", r.AgentText(), "")
	default:
		c.accepted(*r, title)
	}
	return c.lines
}

type errorText string

func (e errorText) Error() string { return string(e) }

// card collects lines.
type card struct {
	width  int
	widths display.WidthFunc
	lines  [][]ask.Span
}

func (c *card) empty() { c.lines = append(c.lines, []ask.Span{}) }

// head is a status and the title behind it.
func (c *card) head(status string, role ask.Role, title string) {
	status = c.widths.Cut(status, c.width, "…")
	line := []ask.Span{{Role: role, Bold: true, Text: status}}
	if title != "" {
		line = c.cutInto(line, ask.Span{Role: ask.RoleMuted, Text: " · " + title})
	}
	c.lines = append(c.lines, line)
}

// cutInto adds as much of a span as the line has room for.
func (c *card) cutInto(line []ask.Span, s ask.Span) []ask.Span {
	room := c.width
	for _, before := range line {
		room -= c.widths.Width(before.Text)
	}
	if s.Text = c.widths.Cut(s.Text, room, "…"); s.Text == "" {
		return line
	}
	return append(line, s)
}

// text adds foreign text behind lead; continuations are indented like it.
func (c *card) text(lead, text string, role ask.Role) {
	if indent := c.widths.Width(lead); indent >= c.width {
		lead = ""
	}
	indent := c.widths.Width(lead)
	for i, line := range c.widths.Wrap(display.Visible(text), c.width-indent) {
		if i > 0 {
			lead = blanks(indent)
		}
		c.lines = append(c.lines, []ask.Span{{Role: role, Text: lead + line}})
	}
}

func blanks(n int) string { return string(slices.Repeat([]byte{' '}, n)) }

func (c *card) rule() {
	line := slices.Repeat([]rune{'─'}, c.width)
	c.lines = append(c.lines, []ask.Span{{Role: ask.RoleAccent, Text: string(line)}})
}

const received = "✓ Answers received"

// accepted shows the answers as the form's review does.
func (c *card) accepted(r ask.Result, title string) {
	c.rule()
	if title == "" {
		c.lines = append(c.lines, []ask.Span{{Role: ask.RoleSuccess, Bold: true, Text: c.widths.Cut(received, c.width, "…")}})
	} else {
		// The status is worth more than the end of a long title.
		room := c.width - c.widths.Width(" · "+received)
		line := []ask.Span{{Role: ask.RoleAccent, Bold: true, Text: c.widths.Cut(title, max(room, min(8, c.width)), "…")}}
		c.lines = append(c.lines, c.cutInto(line, ask.Span{Role: ask.RoleSuccess, Text: " · " + received}))
	}
	for _, q := range r.Questions {
		c.empty()
		c.text(" ", q.Prompt, ask.RoleText)
		c.answer(r.Answers[q.ID])
	}
	if note := r.CompactNote(); note != "" {
		c.empty()
		c.text("", note, ask.RoleDim)
	}
	c.empty()
	c.rule()
}

const (
	arrow  = "   → "
	noted  = "     "
	noteAt = noted + "Note: "
)

func (c *card) answer(a ask.Answer) {
	note := withMarker(a.Note, a.NoteImages)
	rows := answerRows(a)
	if len(rows) == 0 {
		c.text(arrow, "unanswered", ask.RoleDim)
	}
	if note != "" {
		c.noteText(note)
	}
	if len(rows) == 1 && rows[0].note == "" {
		role := ask.RoleSuccess
		if rows[0].custom {
			role = ask.RoleText
		}
		c.text(arrow, rows[0].label, role)
		return
	}
	for _, row := range rows {
		role := ask.RoleSuccess
		if row.custom {
			role = ask.RoleText
		}
		c.text(arrow, row.label, role)
		if row.note != "" {
			c.noteText(row.note)
		}
	}
}

func (c *card) noteText(note string) {
	if c.widths.Width(noteAt) >= c.width {
		c.text("", "Note: "+note, ask.RoleMuted)
		return
	}
	c.text(noted, "Note: "+note, ask.RoleMuted)
}

// answerRow is one chosen option, or the free text.
type answerRow struct {
	label, note string
	custom      bool
}

// answerRows lists what was chosen. Labels are paired with options by position,
// because free text may read like an option.
func answerRows(a ask.Answer) []answerRow {
	var rows []answerRow
	marker := ask.ImageMarker(a.CustomImages)
	for i, label := range a.Labels {
		row := answerRow{label: label, custom: i >= len(a.Indices)}
		switch {
		case row.custom && marker != "":
			row.label, marker = label+" "+marker, ""
		case !row.custom && i < len(a.Values):
			row.note = withMarker(a.OptionNotes[a.Values[i]], a.OptionNoteImages[a.Values[i]])
		}
		rows = append(rows, row)
	}
	if marker != "" {
		rows = append(rows, answerRow{label: marker, custom: true})
	}
	return rows
}

// withMarker is a note with the sign of its images.
func withMarker(note string, images []ask.Image) string {
	marker := ask.ImageMarker(images)
	if note == "" || marker == "" {
		return note + marker
	}
	return note + " " + marker
}
