package ui

import (
	"fmt"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// committed follows every command: the form may complete by itself, or the
// free-text editor may open by itself.
func (s *State) committed() []Effect {
	s.scroll.follow = true
	if s.autoSubmit() || s.ended {
		return nil
	}
	if !s.noAutoOpen && !s.onReview() && !s.editing() && s.option == s.customRow() && !s.hasCustom(s.tab) {
		return s.openAnswer()
	}
	s.noAutoOpen = false
	return nil
}

// autoSubmit completes the form on Review once everything is answered and
// there are no notes, if the user wants that.
func (s *State) autoSubmit() bool {
	if !s.settings.Behaviour.AutoSubmitWhenAnsweredWithoutNotes || !s.onReview() {
		return false
	}
	for q := range s.form.Questions {
		if !s.drafts.Answered(q) || s.drafts.HasNotes(q) {
			return false
		}
	}
	s.end(ask.Submitted)
	return true
}

// goTab changes the tab, wrapping over the questions and Review.
func (s *State) goTab(to int) {
	n := len(s.form.Questions) + 1
	s.tab = ((to % n) + n) % n
	s.option, s.action = 0, 0
	s.scroll = scroll{follow: true}
	s.armed = leaveNone
	s.typePending, s.typeNotice, s.configNotice = false, "", ""
	s.reviewArmed = 0
	s.view = Navigate
	if s.onReview() {
		s.view = Review
	}
}

// nextTab goes on to the next question, or to Review after the last one.
func (s *State) nextTab() { s.goTab(min(s.tab+1, len(s.form.Questions))) }

func (s *State) move(by int) {
	if s.onReview() {
		s.action = min(max(s.action+by, 0), len(ReviewActions)-1)
		return
	}
	to := min(max(s.option+by, 0), s.customRow())
	if to != s.option {
		s.option = to
		s.scroll.preview = 0
	}
}

// confirm is Enter on a row: it answers and goes on.
func (s *State) confirm() {
	switch {
	case s.option == s.customRow():
		s.openAnswer()
	case s.question().Shown() == ask.Multi:
		s.nextTab()
	default:
		s.drafts.Pick(s.tab, s.option)
		s.changed()
		s.nextTab()
	}
}

// choose is a digit on a row: it picks and goes on, or ticks.
func (s *State) choose() {
	if s.option != s.customRow() && s.question().Shown() != ask.Multi {
		s.confirm()
		return
	}
	s.toggle()
}

// toggle is Space on a row: it picks, clears or ticks and stays.
func (s *State) toggle() {
	if s.onReview() {
		return
	}
	if s.option != s.customRow() {
		s.drafts.Toggle(s.tab, s.option)
		s.changed()
		return
	}
	if s.question().Shown() == ask.Multi && s.hasCustom(s.tab) {
		s.drafts.FlipCustom(s.tab)
		s.changed()
		return
	}
	s.openAnswer()
}

// changeType shows the question as its other type; a change that would lose
// answers waits for a second press.
func (s *State) changeType() {
	if s.onReview() {
		return
	}
	if s.drafts.TypeNeedsConfirm(s.tab) && !s.typePending {
		s.typePending, s.typeNotice = true, ""
		return
	}
	was := s.question().Shown()
	s.drafts.ChangeType(s.tab)
	s.changed()
	s.typePending = false
	s.typeNotice = fmt.Sprintf("Now shown as %s (was %s).", s.question().Shown(), was)
}

// leave cancels or dismisses the form. While there is something to lose, the
// same way out must be taken twice.
func (s *State) leave(how leave) []Effect {
	s.clearTypePending()
	s.reviewArmed = 0
	s.scroll.follow = true
	if s.settings.Behaviour.ConfirmDismissWhenDirty && s.dirty() && s.armed != how {
		s.armed = how
		return nil
	}
	s.stopAgent = true
	return s.end(ask.Cancelled)
}

// runAction runs an action of the Review tab.
func (s *State) runAction(action int) []Effect {
	s.reviewArmed = 0
	switch action {
	case actionSubmit:
		return s.end(ask.Submitted)
	case actionElaborate:
		return s.end(ask.Elaborated)
	}
	s.stopAgent = true
	return s.end(ask.Cancelled)
}
