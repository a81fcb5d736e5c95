package dialogue

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// The commands, as they are typed. Some have a short form.
const (
	cmdNext      = "next"
	cmdBack      = "back"
	cmdGo        = "go"
	cmdReview    = "review"
	cmdText      = "text"
	cmdNote      = "note"
	cmdPreview   = "preview"
	cmdType      = "type"
	cmdClear     = "clear"
	cmdSubmit    = "submit"
	cmdElaborate = "elaborate"
	cmdCancel    = "cancel"
	cmdHelp      = "help"
)

// longForm returns the command that a word stands for.
func longForm(word string) string {
	switch word {
	case "n":
		return cmdNext
	case "b":
		return cmdBack
	case "g":
		return cmdGo
	case "r":
		return cmdReview
	case "p":
		return cmdPreview
	case "t":
		return cmdType
	case "h", "?":
		return cmdHelp
	}
	return word
}

// command runs a line that is a number, several numbers, or a command.
func (d *dialogue) command(text string) {
	armed, open := d.armed, d.preview
	d.armed, d.preview = "", nil
	switch {
	case text == "" && open != nil:
		d.readOn(open)
		return
	case text == "":
		d.reread = true
		return
	}
	if numbers, ok := parseNumbers(text); ok {
		d.choose(numbers)
		return
	}
	words := strings.Fields(strings.ToLower(text))
	switch name := longForm(words[0]); {
	case len(words) == 1 && d.plain(name, armed):
	case d.withNumber(name, strings.Join(words[1:], " ")):
	default:
		d.unknown(text)
	}
}

// plain runs a command that stands alone; ok is false when there is none of
// that name.
func (d *dialogue) plain(name, armed string) (ok bool) {
	switch name {
	case cmdNext:
		d.next()
	case cmdBack:
		d.back()
	case cmdReview:
		d.goTo(len(d.questions()))
	case cmdText, cmdType, cmdClear:
		d.onQuestion(name, armed)
	case cmdSubmit, cmdElaborate:
		d.finish(name)
	case cmdCancel:
		d.cancel(armed == cmdCancel)
	case cmdHelp:
		d.help()
	default:
		return false
	}
	return true
}

// onQuestion runs a command that only questions know.
func (d *dialogue) onQuestion(name, armed string) {
	if d.onReview() {
		d.out.say(fmt.Sprintf("The review has no %s. Go to a question first, for example with go 1.", name))
		return
	}
	switch name {
	case cmdText:
		d.writeAnswer()
	case cmdType:
		d.changeType(armed == cmdType)
	case cmdClear:
		d.clear()
	}
}

// withNumber runs a command that takes a number; ok is false when there is none
// of that name.
func (d *dialogue) withNumber(name, arg string) (ok bool) {
	n, _ := parseNumber(arg)
	switch name {
	case cmdGo:
		d.jump(n, arg)
	case cmdNote:
		d.note(n, arg)
	case cmdPreview:
		d.openPreview(n)
	default:
		return false
	}
	return true
}

func (d *dialogue) next() {
	if d.onReview() {
		d.out.say("This is the review, the last step. " + reviewHint)
		return
	}
	d.goTo(d.at + 1)
}

func (d *dialogue) back() {
	if d.at == 0 {
		d.out.say("This is the first question. Type next to go on.")
		return
	}
	d.goTo(d.at - 1)
}

func (d *dialogue) jump(n int, arg string) {
	switch count := len(d.questions()); {
	case n >= 1 && n <= count:
		d.goTo(n - 1)
	case longForm(arg) == cmdReview:
		d.goTo(count)
	default:
		d.out.say(fmt.Sprintf("Type go and the number of a question, 1 to %d, for example go 1.", count))
	}
}

// finish submits or elaborates, on the review only.
func (d *dialogue) finish(name string) {
	switch {
	case !d.onReview():
		d.out.say(fmt.Sprintf("Type review first. It reads your answers, and there you can type %s.", name))
	case name == cmdSubmit:
		d.end(ask.Submitted)
	default:
		d.end(ask.Elaborated)
	}
}

// cancel ends the form, after a second time where there is something to lose.
// Other than on the screen, where the warning stays in sight, anything typed in
// between calls for a new warning.
func (d *dialogue) cancel(again bool) {
	if !again && !d.drafts.Empty() && d.opt.Behaviour().ConfirmDismissWhenDirty {
		d.armed = cmdCancel
		d.out.say("Type cancel again to discard your answers and notes. Anything else keeps them.")
		return
	}
	d.end(ask.Cancelled)
}

// changeType shows the question as its other type, after a second time where
// that clears choices.
func (d *dialogue) changeType(again bool) {
	if !again && d.drafts.TypeNeedsConfirm(d.at) {
		d.armed = cmdType
		d.out.say("This clears the selected options of this question. Type type again to go on. Anything else keeps them.")
		return
	}
	was := d.question().Shown()
	d.drafts.ChangeType(d.at)
	d.out.say(fmt.Sprintf("Now shown as %s (was %s).", d.question().Shown(), was))
	d.reread = true
}

// unknown explains what to do instead.
func (d *dialogue) unknown(text string) {
	what := d.out.quote(text) + " is not known here. "
	if d.onReview() {
		d.out.say(what + reviewHint)
		return
	}
	d.out.say(fmt.Sprintf("%s%s To write an answer of your own, type text first. Type help for all commands.", what, d.choiceHint()))
}

// parseNumbers reads numbers that are separated by blanks or commas; each counts
// once. ok is false when the text is something else.
func parseNumbers(text string) (numbers []int, ok bool) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || ask.IsBlank(string(r)) })
	for _, f := range fields {
		n, ok := parseNumber(f)
		if !ok {
			return nil, false
		}
		if !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	return numbers, len(numbers) > 0
}

// parseNumber reads a number without a sign; one that is too large for any list
// is a large number.
func parseNumber(s string) (n int, ok bool) {
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		n = 1 << 30
	}
	return n, s != ""
}

// help lists the commands that there are in this place.
func (d *dialogue) help() {
	if d.onReview() {
		d.helpLines(
			"submit: send the answers.",
			"elaborate: have your notes answered first; you are asked again after that.",
			"back or b: go back to the last question.",
			"go 2 or g 2: go to question 2.",
		)
	} else {
		d.helpLines(
			d.choiceHint(),
			"text: write an answer of your own, or change it.",
			"note: write a note on the question, or change it.",
			"note 2: write a note on option 2, or change it.",
			"preview 2 or p 2: read the preview of option 2, if it has one.",
			"type or t: switch between one choice and any number of choices.",
			"clear: choose nothing here.",
			"next or n: go to the next question; after the last one comes the review.",
			"back or b: go to the question before.",
			"go 2 or g 2: go to question 2.",
			"review or r: go to the review, where you submit.",
		)
	}
	d.helpLines(
		"cancel: end the form without an answer.",
		"An empty line: read this again.",
		"Text and notes are typed at the prompt Text, as many lines as you like. A line with only a dot ends them; two dots stand for a dot.",
		"Ctrl+C or the end of the input stops the form; nothing is sent then.",
	)
	if d.opt.SettingsPath != "" {
		d.helpLines("Settings are in the file " + d.out.inline(d.opt.SettingsPath))
	}
}

func (d *dialogue) helpLines(lines ...string) {
	for _, l := range lines {
		d.out.say(l)
	}
}
