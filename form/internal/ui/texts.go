package ui

import (
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
)

// textCache keeps what was wrapped, since only little changes between two
// frames. Everything in it follows from the form, the width and, for answers,
// the version of the state.
type textCache struct {
	ruleText   string
	titleText  string
	titleWidth int
	names      map[int]tabName
	hintKey    hintKey
	hintLines  []string
	question   questionText
	panes      []paneText
	details    map[detailKey]detailText
	review     reviewText
}

type hintKey struct {
	width int
	view  View
	multi bool
	on    bool // set in a real key, so that the zero value never matches
}

type tabName struct {
	text  string
	width int
}

func (c *textCache) rule(w int) string {
	if len(c.ruleText) != 3*w {
		c.ruleText = strings.Repeat("─", w)
	}
	return c.ruleText
}

func (c *textCache) title(s *State, w int) string {
	if c.titleWidth != w && s.form.Title != "" {
		c.titleText = s.opt.Width.Cut(s.opt.Width.OneLine(s.form.Title), w-1, "…")
		c.titleWidth = w
	}
	return c.titleText
}

func (c *textCache) hints(k hintKey, build func() []string) []string {
	k.on = true
	if c.hintKey != k {
		c.hintKey, c.hintLines = k, build()
	}
	return c.hintLines
}

// name is a tab's name on one line.
func (s *State) name(tab int) tabName {
	c := &s.lay.texts
	if n, ok := c.names[tab]; ok {
		return n
	}
	text := "Review"
	if tab < len(s.form.Questions) {
		text = s.opt.Width.OneLine(s.form.Questions[tab].Label)
	}
	if c.names == nil {
		c.names = map[int]tabName{}
	}
	n := tabName{text, s.opt.Width.Width(text)}
	c.names[tab] = n
	return n
}

// rowText is one row of a question, wrapped: the number, the label behind
// number and mark, and the subtitle.
type rowText struct {
	num         string
	label       []string
	sub         []string
	recommended bool
}

func (r *rowText) height() int { return len(r.label) + len(r.sub) }

// questionText is the active question, wrapped for a width.
type questionText struct {
	q, width, list int // list is the width of the option list
	prompt         []string
	rows           []rowText
	sum            int // height of all rows without details
	index          map[string]int
}

const recommended = "(recommended)"

func (s *State) questionText(w, list int) *questionText {
	t := &s.lay.texts.question
	if t.rows != nil && t.q == s.tab && t.width == w && t.list == list {
		return t
	}
	q := s.question()
	f := s.opt.Width
	*t = questionText{q: s.tab, width: w, list: list, index: make(map[string]int, len(q.Options))}
	t.prompt = f.Wrap(f.ExpandTabs(display.Visible(q.Prompt)), w-1)
	t.rows = make([]rowText, 0, len(q.Options)+1)
	for i, o := range q.Options {
		t.index[o.Value] = i
		t.rows = append(t.rows, s.rowText(i, o, list))
		t.sum += t.rows[i].height()
	}
	t.rows = append(t.rows, s.rowText(len(q.Options), ask.Option{Label: ask.CustomRowLabel}, list))
	t.sum += t.rows[len(q.Options)].height()
	return t
}

func (s *State) rowText(i int, o ask.Option, w int) rowText {
	f := s.opt.Width
	r := rowText{num: itoa(i+1) + ". ", recommended: o.Recommended != nil && *o.Recommended}
	// The number and the mark stand before the first word: wrap the label
	// behind a word of their width, then take that off again.
	lead := len(r.num) + len("( ) ")
	if lead < w-2 {
		r.label = f.Wrap(strings.Repeat("x", lead)+f.ExpandTabs(display.Visible(o.Label)), w-2)
		r.label[0] = r.label[0][lead:]
	} else {
		r.label = append([]string{""}, f.Wrap(f.ExpandTabs(display.Visible(o.Label)), w-2)...)
	}
	sub := f.ExpandTabs(display.Visible(o.Description))
	switch {
	case r.recommended && sub != "":
		sub = recommended + " | " + sub
	case r.recommended:
		sub = recommended
	}
	if sub != "" {
		r.sub = f.Wrap(sub, w-5)
	}
	return r
}

// paneText is the content of a preview box, wrapped for its inner width.
type paneText struct {
	q, option, width int
	label, about     []string
	text             []string
}

func (p *paneText) height() int { return len(p.label) + len(p.about) + 1 + len(p.text) }

// keptPanes is how many previews stay wrapped.
const keptPanes = 4

func (s *State) paneText(w int) *paneText {
	c := &s.lay.texts
	for i := range c.panes {
		if p := &c.panes[i]; p.q == s.tab && p.option == s.option && p.width == w {
			return p
		}
	}
	o := s.question().Options[s.option]
	f := s.opt.Width
	p := paneText{q: s.tab, option: s.option, width: w, label: f.Wrap(f.ExpandTabs(display.Visible(o.Label)), w)}
	if o.Description != "" {
		p.about = f.Wrap(f.ExpandTabs(display.Visible(o.Description)), w)
	}
	p.text = make([]string, 0, len(o.Preview)/w+16)
	for text, more := display.Visible(o.Preview), true; more; {
		var l string
		l, text, more = strings.Cut(text, "\n")
		p.text = s.appendPieces(p.text, l, w)
	}
	if len(c.panes) >= keptPanes {
		c.panes = append(c.panes[:0], c.panes[1:]...)
	}
	c.panes = append(c.panes, p)
	return &c.panes[len(c.panes)-1]
}

// appendPieces cuts a line into pieces of at most w columns. Previews are long
// and mostly plain: those need no measuring and no memory of their own.
func (s *State) appendPieces(out []string, l string, w int) []string {
	if !plainText(l) {
		return append(out, s.opt.Width.HardWrap(s.opt.Width.ExpandTabs(l), w)...)
	}
	for len(l) > w {
		out = append(out, l[:w])
		l = l[w:]
	}
	return append(out, l)
}

// plainText reports whether a text is printable ASCII, one column a byte.
func plainText(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// detailKey names a saved text under a question or a row.
type detailKey struct {
	q, row int // row -1 is the question itself
	label  string
}

type detailText struct {
	version, width int
	lines          []string
}

// detail wraps a saved text and remembers it until an answer changes.
func (s *State) detail(key detailKey, w int, build func() []string) []string {
	c := &s.lay.texts
	if d, ok := c.details[key]; ok && d.version == s.version && d.width == w {
		return d.lines
	}
	if c.details == nil || len(c.details) > 256 {
		c.details = map[detailKey]detailText{}
	}
	d := detailText{s.version, w, build()}
	c.details[key] = d
	return d.lines
}

// safe is foreign text ready to be wrapped.
func (s *State) safe(text string) string {
	return s.opt.Width.ExpandTabs(display.Visible(text))
}

// withMarker appends the image marker to a text.
func withMarker(text string, images []ask.Image) string {
	m := ask.ImageMarker(images)
	if text == "" || m == "" {
		return text + m
	}
	return text + " " + m
}
