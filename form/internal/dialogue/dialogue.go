// Package dialogue asks the questions of a form one line after the other, for
// screen readers, dumb terminals and scripts. It writes plain lines only: no
// colour, no cursor movement, no control characters.
//
//	ending, drafts, err := dialogue.Run(ctx, tty, tty, form, nil)
//	result := drafts.Result(ending)
//
// A line is either a choice or command, or text, and never both. At the prompts
// "Choice:" and "Review:" lines are numbers and commands. Free text and notes
// are typed at the prompt "Text:" only, where every line is taken as it is until
// a line that holds nothing but a dot. What may be typed is said with each
// question, and an empty line reads the question again.
//
// Nothing depends on time, and no line but submit, elaborate or cancel ends a
// form, the setting for automatic submission aside.
package dialogue

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// ErrInputEnded means that the input ended before the form did.
var ErrInputEnded = errors.New("the input ended before the form was submitted or cancelled")

// Options change how a dialogue is laid out and behaves. Nil and the zero value
// mean the defaults.
type Options struct {
	// Columns is where lines are wrapped; below 1 is 80.
	Columns int
	// PageLines is the length of one page of a preview; below 1 is 20.
	PageLines int
	// Width measures text; nil is [display.ClusterWidth].
	Width display.WidthFunc
	// Behaviour returns the switches in force. It is called on the goroutine
	// of Run after each line. Nil takes those of [settings.Default].
	Behaviour func() settings.Behaviour
	// Notices are told before the first question.
	Notices []string
	// SettingsPath is told by help; "" for none.
	SettingsPath string
	// Waiting is called once, when the first question was shown and Run is
	// about to wait for a line.
	Waiting func()
}

// Run asks the questions of f, which comes from [ask.Normalize], until the user
// submits, asks to elaborate or cancels. The drafts hold what was entered, in
// the case of an error too; then the ending is [ask.Cancelled].
//
// Errors are [ErrInputEnded], the context's error, or that of in or out. When
// ctx ends, Run returns as soon as out has taken two lines; a goroutine that
// waits in in.Read lasts until that call returns, so close in to end it. Nothing is read ahead if in gives
// one line per call, as terminals do, and a buffer's worth if it gives more.
func Run(ctx context.Context, in io.Reader, out io.Writer, f ask.Form, o *Options) (ask.Ending, *ask.Drafts, error) {
	d := newDialogue(out, f, o)
	if len(f.Questions) == 0 {
		return ask.Cancelled, d.drafts, errors.New("dialogue: a form needs a question; use ask.Normalize")
	}
	lines := readLines(in)
	defer lines.close()
	d.open()
	for first := true; !d.ended; first = false {
		if err := d.out.prompt(d.prompt()); err != nil {
			return ask.Cancelled, d.drafts, fmt.Errorf("write a question: %w", err)
		}
		if first && d.opt.Waiting != nil {
			d.opt.Waiting()
		}
		l, err := lines.next(ctx)
		switch {
		case ctx.Err() != nil:
			d.leave("Interrupted. Nothing was sent.")
			return ask.Cancelled, d.drafts, ctx.Err()
		case errors.Is(err, io.EOF):
			d.leave("The input ended. Nothing was sent.")
			return ask.Cancelled, d.drafts, ErrInputEnded
		case err != nil:
			return ask.Cancelled, d.drafts, fmt.Errorf("read an answer: %w", err)
		}
		d.take(l)
	}
	// What was decided stands, even if nobody can be told.
	d.out.flush()
	return d.ending, d.drafts, nil
}

// leave says last words behind a prompt that was not answered.
func (d *dialogue) leave(words string) {
	d.out.blank()
	d.out.say(words)
	d.out.flush()
}

// dialogue is the state of one form: a line changes it and makes it write.
type dialogue struct {
	opt    Options
	out    *page
	drafts *ask.Drafts

	at      int     // the question; the number of questions means the review
	reread  bool    // read out the place before the next prompt
	armed   string  // the command that takes effect if it comes again
	text    *entry  // open while text is typed
	preview *reader // open while a preview has more pages

	ended  bool
	ending ask.Ending
}

func newDialogue(out io.Writer, f ask.Form, o *Options) *dialogue {
	d := &dialogue{drafts: ask.NewDrafts(f), reread: true}
	if o != nil {
		d.opt = *o
	}
	if d.opt.Columns < 1 {
		d.opt.Columns = 80
	}
	if d.opt.PageLines < 1 {
		d.opt.PageLines = 20
	}
	if d.opt.Behaviour == nil {
		d.opt.Behaviour = func() settings.Behaviour { return settings.Default().Behaviour }
	}
	d.out = newPage(out, d.opt.Columns, d.opt.Width)
	return d
}

// open greets the user and asks the first question.
func (d *dialogue) open() {
	f := d.drafts.Form()
	if f.Title != "" {
		d.out.say("Form: " + d.out.inline(f.Title))
	}
	if n := len(f.Questions); n > 1 {
		d.out.say(fmt.Sprintf("%d questions, then a review. Nothing is sent before you submit it there.", n))
	} else {
		d.out.say("1 question, then a review. Nothing is sent before you submit it there.")
	}
	for _, n := range d.opt.Notices {
		d.out.say("Notice: " + d.out.inline(n))
	}
	d.settle()
}

func (d *dialogue) prompt() string {
	switch {
	case d.text != nil:
		return "Text: "
	case d.onReview():
		return "Review: "
	}
	return "Choice: "
}

// take lets one line happen.
func (d *dialogue) take(l line) {
	if d.text != nil {
		d.typed(l)
	} else {
		d.command(ask.TrimSpace(l.text))
	}
	d.settle()
}

// settle follows every line: the form may complete by itself, or a place is
// read out.
func (d *dialogue) settle() {
	switch {
	case d.ended || d.text != nil:
	case d.onReview() && d.autoSubmit():
		d.out.say("Every question is answered and there are no notes.")
		d.end(ask.Submitted)
	case d.reread && d.onReview():
		d.showReview()
	case d.reread:
		d.showQuestion()
	}
	d.reread = d.reread && d.text != nil
}

// autoSubmit reports whether the user wants a form like this one to complete
// without a look at the review.
func (d *dialogue) autoSubmit() bool {
	if !d.opt.Behaviour().AutoSubmitWhenAnsweredWithoutNotes {
		return false
	}
	for q := range d.questions() {
		if !d.drafts.Answered(q) || d.drafts.HasNotes(q) {
			return false
		}
	}
	return true
}

func (d *dialogue) end(e ask.Ending) {
	d.ended, d.ending = true, e
	d.out.say([...]string{
		ask.Submitted:  "Submitted.",
		ask.Elaborated: "Sent. Your notes are answered first.",
		ask.Cancelled:  "Cancelled.",
	}[e])
}

// goTo changes the place; places that do not exist are refused by the caller.
func (d *dialogue) goTo(at int) {
	d.at, d.reread = at, true
}

func (d *dialogue) questions() []ask.Question { return d.drafts.Form().Questions }
func (d *dialogue) question() *ask.Question   { return &d.questions()[d.at] }
func (d *dialogue) onReview() bool            { return d.at == len(d.questions()) }

// ownRow is the number of the free-text row of the question.
func (d *dialogue) ownRow() int { return len(d.question().Options) + 1 }
