package dialogue

import (
	"bufio"
	"io"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
)

// page writes lines of at most so many columns. Whatever it is given, what it
// writes holds no control character but newlines. Errors stay until flush.
type page struct {
	out     *bufio.Writer
	columns int
	measure display.WidthFunc
}

// hangMin is the least room beside a lead.
const hangMin = 8

func newPage(out io.Writer, columns int, measure display.WidthFunc) *page {
	return &page{bufio.NewWriter(out), columns, measure}
}

// blank writes an empty line.
func (p *page) blank() { p.out.WriteByte('\n') }

// say writes one paragraph of our own words. Foreign parts of it go through
// inline, so that no line of theirs stands where ours do.
func (p *page) say(text string) { p.hang("", text) }

// hang writes a text with every line but the first set in as far as the lead
// before it is wide, or a little if that leaves too little room.
func (p *page) hang(lead, text string) {
	text = display.Visible(text)
	indent := p.measure.Width(lead)
	if indent > 0 && p.columns-indent < hangMin {
		lead, text, indent = "", lead+text, min(2, p.columns-1)
	}
	for _, l := range p.measure.Wrap(text, p.columns-indent) {
		p.line(lead + l)
		lead = strings.Repeat(" ", indent)
	}
}

// hard writes lines that were made by cut.
func (p *page) hard(lines []string) {
	indent := strings.Repeat(" ", min(2, p.columns-1))
	for _, l := range lines {
		p.line(indent + l)
	}
}

// cut breaks a text into lines without moving anything within them.
func (p *page) cut(text string) (lines []string) {
	room := p.columns - min(2, p.columns-1)
	for l := range strings.SplitSeq(display.Visible(text), "\n") {
		lines = append(lines, p.measure.HardWrap(p.measure.ExpandTabs(l), room)...)
	}
	return lines
}

// line writes one line that fits. Blanks at its end say nothing.
func (p *page) line(s string) {
	p.out.WriteString(strings.TrimRight(s, " "))
	p.out.WriteByte('\n')
}

// inline makes a foreign text part of a line of ours.
func (p *page) inline(text string) string { return p.measure.OneLine(text) }

// quote shows what the user typed, in an error.
func (p *page) quote(text string) string {
	const most = 400 // bytes; more never fits the columns below
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return `"` + p.measure.Cut(p.inline(text), 40, "…") + `"`
}

// prompt writes a prompt, without an end, and everything before it.
func (p *page) prompt(s string) error {
	p.out.WriteString(s)
	return p.out.Flush()
}

func (p *page) flush() error { return p.out.Flush() }
