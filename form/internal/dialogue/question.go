package dialogue

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// showQuestion reads out the question: what is asked, the options, what is
// chosen and noted so far, and what may be typed.
func (d *dialogue) showQuestion() {
	q, at := d.question(), d.drafts.At(d.at)
	d.out.blank()
	d.out.say(fmt.Sprintf("Question %d of %d: %s. %s", d.at+1, len(d.questions()), d.out.inline(q.Label), howMany(q.Shown())))
	d.out.hang("  ", q.Prompt)
	if at != nil {
		d.showNote("  ", "Your note: ", at.Note)
	}
	for i, o := range q.Options {
		lead := fmt.Sprintf("%d. ", i+1)
		label := o.Label
		if o.Recommended != nil && *o.Recommended {
			label += " (recommended)"
		}
		if at.IsSelected(o.Value) {
			label += " (chosen)"
		}
		d.out.hang(lead, label)
		indent := strings.Repeat(" ", len(lead)+2)
		if o.Description != "" {
			d.out.hang(indent, o.Description)
		}
		d.showNote(indent, "Your note: ", at.OptionNote(o.Value).Text)
	}
	d.showOwnRow(at)
	d.out.say(d.choiceHint())
	d.out.say("Commands: " + strings.Join(d.commands(), ", ") + ".")
}

// showOwnRow reads out the free-text row.
func (d *dialogue) showOwnRow(at *ask.Draft) {
	lead := fmt.Sprintf("%d. ", d.ownRow())
	label := ask.CustomRowLabel
	switch {
	case !at.HasCustom():
	case at.CustomSelected:
		label += " (chosen)"
	default:
		label += " (kept, not chosen)"
	}
	d.out.hang(lead, label)
	if at.HasCustom() {
		d.out.hang(strings.Repeat(" ", len(lead)+2), at.CustomText)
	}
}

func (d *dialogue) showNote(indent, lead, note string) {
	if note != "" {
		d.out.hang(indent+lead, note)
	}
}

func howMany(t ask.Type) string {
	switch t {
	case ask.Multi:
		return "Choose any number."
	case ask.Preview:
		return "Choose one. Options have previews."
	}
	return "Choose one."
}

// choiceHint says which numbers may be typed.
func (d *dialogue) choiceHint() string {
	q, own := d.question(), d.ownRow()
	switch q.Shown() {
	case ask.Multi:
		example := "1"
		if len(q.Options) > 1 {
			example = "1 2"
		}
		return fmt.Sprintf("Type numbers, 1 to %d, to switch them on or off, for example %s, and next when done.", own, example)
	case ask.Preview:
		return fmt.Sprintf("Type one number, 1 to %d. Type preview 1 to read the preview of option 1.", own)
	}
	return fmt.Sprintf("Type one number, 1 to %d.", own)
}

// commands lists what else makes sense here.
func (d *dialogue) commands() []string {
	c := []string{cmdNext}
	if d.at > 0 {
		c = append(c, cmdBack)
	}
	return append(c, cmdReview, cmdText, cmdNote, cmdNote+" 1", cmdType, cmdClear, cmdCancel, cmdHelp)
}

// choose chooses the rows with these numbers, all or none of them.
func (d *dialogue) choose(numbers []int) {
	if d.onReview() {
		d.out.say("The review takes no numbers. " + reviewHint)
		return
	}
	own := d.ownRow()
	for _, n := range numbers {
		if n < 1 || n > own {
			d.out.say(fmt.Sprintf("There is no such number here. %s", d.choiceHint()))
			return
		}
	}
	if d.question().Shown() == ask.Multi {
		d.toggle(numbers)
		return
	}
	switch {
	case len(numbers) > 1:
		d.out.say("This question takes one answer. Type one number, or type to allow several.")
	case numbers[0] == own:
		d.writeAnswer()
	default:
		d.drafts.Pick(d.at, numbers[0]-1)
		d.sayChosen()
		d.goTo(d.at + 1)
	}
}

// toggle switches rows of a multi-choice question.
func (d *dialogue) toggle(numbers []int) {
	own := d.ownRow()
	for _, n := range numbers {
		if n != own {
			d.drafts.Toggle(d.at, n-1)
		}
	}
	if !slices.Contains(numbers, own) {
		d.sayChosen()
		return
	}
	if !d.drafts.At(d.at).HasCustom() {
		if len(numbers) > 1 {
			d.sayChosen()
		}
		d.writeAnswer()
		return
	}
	d.drafts.FlipCustom(d.at)
	d.sayChosen()
}

// clear takes every choice back. Text of a multi-choice question is kept, as a
// row that is not chosen; on other questions there is no such row.
func (d *dialogue) clear() {
	at := d.drafts.At(d.at)
	if at == nil {
		d.sayChosen()
		return
	}
	custom := at.CustomSelected
	for _, s := range slices.Clone(at.Selected) {
		d.drafts.Toggle(d.at, s.Index-1)
	}
	switch {
	case custom && d.question().Shown() == ask.Multi:
		d.drafts.FlipCustom(d.at)
	case custom:
		d.drafts.SaveCustom(d.at, "")
	}
	d.sayChosen()
}

// sayChosen tells what is chosen now.
func (d *dialogue) sayChosen() {
	at := d.drafts.At(d.at)
	var names []string
	if at != nil {
		for _, s := range at.Selected {
			names = append(names, fmt.Sprintf("%d %s", s.Index, d.out.inline(s.Label)))
		}
		if at.CustomSelected {
			names = append(names, fmt.Sprintf("%d your text", d.ownRow()))
		}
	}
	if names == nil {
		d.out.say("Nothing is chosen.")
		return
	}
	d.out.say("Chosen: " + strings.Join(names, ", ") + ".")
}
