package ui

import (
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// chrome is what is drawn around the body. It shrinks so that the body keeps
// some lines even on a low screen.
type chrome struct {
	rule     string
	title    string
	tabs     paint.Row
	notices  []string
	image    []string
	review   []string // the Review tab's own hint
	hints    []string
	bodyRows int

	noTop, noTabs, noBottom                       bool
	blankTitle, blankTabs, blankReview, blankHint bool
}

func (s *State) chrome(w int) *chrome {
	c := &chrome{rule: s.lay.texts.rule(w), tabs: s.tabStrip(w)}
	c.title = s.lay.texts.title(s, w)
	c.blankTitle, c.blankTabs = c.title != "", true
	for _, n := range s.notices() {
		c.notices = append(c.notices, s.opt.Width.Wrap(n.Text, w-1)...)
	}
	if s.editing() {
		c.image = s.opt.Width.Wrap(s.imageLine(), w-1)
	}
	if s.onReview() && s.settings.Behaviour.DoublePressReviewShortcuts {
		c.review = s.opt.Width.Wrap(s.reviewHint(), w-2)
		c.blankReview = true
	}
	if s.settings.Behaviour.ShowFooterHints {
		c.hints = s.hints(w)
	}
	c.blankHint = len(c.notices)+len(c.image)+len(c.hints) > 0
	return c
}

// height is what the chrome takes of the rows.
func (c *chrome) height() int {
	h := len(c.notices) + len(c.image) + len(c.review) + len(c.hints)
	for _, on := range []bool{!c.noTop, !c.noTabs, !c.noBottom, c.title != "", c.blankTitle, c.blankTabs, c.blankReview, c.blankHint} {
		if on {
			h++
		}
	}
	return h
}

// fit gives up parts of the chrome, the least needed first, until the body
// has three lines; on the lowest screens until it has one.
func (c *chrome) fit(rows int) {
	for _, drop := range []struct {
		body int
		do   func()
	}{
		{3, func() { c.blankTitle = false }},
		{3, func() { c.blankHint = false }},
		{3, func() { c.blankReview = false }},
		{3, func() { c.blankTabs = false }},
		{3, func() { c.title = "" }},
		{3, func() { c.hints = first(c.hints) }},
		{3, func() { c.image = nil }},
		{3, func() { c.notices = first(c.notices) }},
		{2, func() { c.review = nil }},
		{1, func() { c.noBottom = true }},
		{1, func() { c.noTop = true }},
		{1, func() { c.notices = nil }},
		{1, func() { c.hints = nil }},
		{1, func() { c.noTabs = true }},
	} {
		if rows-c.height() < drop.body {
			drop.do()
		}
	}
	c.bodyRows = max(rows-c.height(), 0)
}

func first(lines []string) []string { return lines[:min(len(lines), 1)] }

func (s *State) drawTop(c *chrome) {
	if !c.noTop {
		s.put(paint.Span{Text: c.rule, Style: accent})
	}
	if c.title != "" {
		s.put(paint.Span{Text: " "}, paint.Span{Text: c.title, Style: title})
	}
	if c.blankTitle {
		s.put()
	}
	if !c.noTabs {
		s.lay.lines = append(s.lay.lines, line{row: c.tabs, hit: hit{kind: hitTabs}})
	}
	if c.blankTabs {
		s.put()
	}
}

func (s *State) drawBottom(c *chrome, w int) {
	if c.blankReview {
		s.put()
	}
	for _, l := range c.review {
		s.put(paint.Span{Text: " "}, paint.Span{Text: l, Style: dim})
	}
	if c.blankHint {
		s.put()
	}
	for _, l := range c.notices {
		s.put(paint.Span{Text: l, Style: warning})
	}
	for _, l := range c.image {
		s.put(paint.Span{Text: l, Style: warning})
	}
	for _, l := range c.hints {
		s.put(paint.Span{Text: l, Style: dim})
	}
	if !c.noBottom {
		s.put(paint.Span{Text: c.rule, Style: accent})
	}
}

// Notice is a line in the footer that tells the user something.
type Notice struct{ Kind, Text string }

const (
	dirtyText       = "Repeat the same action to discard your answers and drafts."
	typeConfirmText = "This clears the selected options of this question. Press the type key again to go on."
)

// notices are the active notices in the order in which they are drawn.
func (s *State) notices() []Notice {
	var out []Notice
	if s.armed != leaveNone {
		out = append(out, Notice{"dirty", dirtyText})
	}
	if s.typePending {
		out = append(out, Notice{"typeConfirm", typeConfirmText})
	} else if s.typeNotice != "" {
		out = append(out, Notice{"typeChanged", s.typeNotice})
	}
	if s.clip.kind != "" {
		out = append(out, Notice{s.clip.kind, s.clip.text})
	}
	if s.configNotice != "" {
		out = append(out, Notice{"config", s.opt.Width.OneLine(s.configNotice)})
	}
	return out
}

// Notices are the notices in the footer.
func (s *State) Notices() []Notice { return s.notices() }

func (s *State) imageLine() string {
	keys := "Paste image"
	if len(s.opt.PasteImageLabels) > 0 {
		keys = s.opt.Width.OneLine(strings.Join(s.opt.PasteImageLabels, "/"))
	}
	text := keys + ": attach image"
	if len(s.images()) > 0 {
		text += " · Ctrl+Alt+D: remove last image"
	}
	return text
}

func (s *State) reviewHint() string {
	if s.reviewArmed == 0 {
		return "Double-press 1, 2 or 3 to run a review action."
	}
	return itoa(s.reviewArmed) + " again: " + ReviewActions[s.reviewArmed-1]
}

// hints are the key hints, broken only between hints. The first line starts
// with a blank.
func (s *State) hints(w int) []string {
	key := hintKey{width: w, view: s.view, multi: !s.onReview() && s.question().Shown() == ask.Multi}
	return s.lay.texts.hints(key, func() []string {
		var lines []string
		cur := " "
		for i, h := range s.hintTexts(key.multi) {
			h = s.opt.Width.OneLine(h)
			switch {
			case i == 0:
				cur += h
			case s.opt.Width.Width(cur)+3+s.opt.Width.Width(h) <= w:
				cur += " · " + h
			default:
				lines = append(lines, s.opt.Width.Cut(cur, w, "…"))
				cur = h
			}
		}
		return append(lines, s.opt.Width.Cut(cur, w, "…"))
	})
}

func (s *State) hintTexts(multi bool) []string {
	k := s.settings.Keymaps
	label := func(c settings.Context, a settings.Action) string { return settings.Label(k.Keys(c, a)...) }
	set := label(settings.ContextGlobal, settings.ActionSettings) + " settings"
	switch {
	case s.view == AnswerEditor:
		return []string{label(settings.ContextEditor, settings.ActionSubmit) + " submit", label(settings.ContextEditor, settings.ActionClose) + " close", set}
	case s.editing():
		return []string{label(settings.ContextNoteEditor, settings.ActionSave) + " save", label(settings.ContextNoteEditor, settings.ActionClose) + " close", set}
	case s.onReview():
		return []string{"1..3 actions", label(settings.ContextMain, settings.ActionConfirm) + " confirm", label(settings.ContextMain, settings.ActionCancel) + " cancel", set}
	}
	var out []string
	confirm := " confirm"
	if multi {
		out = append(out, label(settings.ContextMain, settings.ActionToggle)+" toggle")
		confirm = " continue"
	}
	return append(out,
		label(settings.ContextMain, settings.ActionChangeQuestionType)+" question type",
		label(settings.ContextMain, settings.ActionConfirm)+confirm,
		label(settings.ContextMain, settings.ActionOptionNote)+"/"+label(settings.ContextMain, settings.ActionQuestionNote)+" note",
		label(settings.ContextMain, settings.ActionCancel)+" dismiss",
		set)
}
