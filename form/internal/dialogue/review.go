package dialogue

import (
	"fmt"
	"strings"
)

const reviewHint = "Type submit to send the answers, elaborate to have your notes answered first, go 1 to change an answer, cancel, or help."

// showReview reads out every answer and note, and what may be typed.
func (d *dialogue) showReview() {
	answered := 0
	for q := range d.questions() {
		if d.drafts.Answered(q) {
			answered++
		}
	}
	d.out.blank()
	d.out.say(fmt.Sprintf("Review answers: %d of %d answered.", answered, len(d.questions())))
	for q := range d.questions() {
		d.showAnswer(q)
	}
	d.out.say(reviewHint)
}

// showAnswer reads out one question of the review: its note, then the answers
// with theirs, then notes on options that are not chosen.
func (d *dialogue) showAnswer(q int) {
	question, at := d.questions()[q], d.drafts.At(q)
	lead := fmt.Sprintf("%d. ", q+1)
	indent := strings.Repeat(" ", len(lead))
	label := question.Label + ":"
	if !d.drafts.Answered(q) {
		label += " unanswered"
	}
	d.out.hang(lead, label)
	if at == nil {
		return
	}
	d.showNote(indent, "Note: ", at.Note)
	for _, s := range at.Selected {
		d.out.hang(indent, s.Label)
		d.showNote(indent+"  ", "Note: ", at.OptionNote(s.Value).Text)
	}
	if at.CustomSelected {
		d.out.hang(indent+"Your text: ", at.CustomText)
	}
	for _, o := range question.Options {
		if note := at.OptionNote(o.Value).Text; note != "" && !at.IsSelected(o.Value) {
			d.out.hang(indent, fmt.Sprintf("Note on %s, sent with elaborate only:", d.out.inline(o.Label)))
			d.out.hang(indent+"  ", note)
		}
	}
}
