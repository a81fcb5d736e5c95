package dialogue

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// maxText bounds the memory of one text in bytes.
const maxText = 4 << 20

// entry is a text that is being typed.
type entry struct {
	old   string
	lines []string
	size  int
	save  func(text string)
}

// writeAnswer opens the free text of the question.
func (d *dialogue) writeAnswer() {
	old := ""
	if at := d.drafts.At(d.at); at != nil {
		old = at.CustomText
	}
	d.write("Your answer.", old, func(text string) {
		switch kept := d.drafts.SaveCustom(d.at, text); {
		case kept:
			d.sayChosen()
			if d.question().Shown() != ask.Multi {
				d.goTo(d.at + 1)
			}
		case old != "":
			d.out.say("Your text was removed.")
		default:
			d.out.say("No text was saved.")
		}
	})
}

// note opens a note: on the question when there is no argument, else on option
// n.
func (d *dialogue) note(n int, arg string) {
	if d.onReview() {
		d.out.say("Notes are written at a question. Go there first, for example with go 1.")
		return
	}
	q, at := d.question(), d.drafts.At(d.at)
	switch {
	case arg == "":
		old := ""
		if at != nil {
			old = at.Note
		}
		d.write("Your note on the question.", old, func(text string) {
			d.drafts.SaveNote(d.at, text)
			d.sayNote(text)
		})
	case n >= 1 && n <= len(q.Options):
		o := q.Options[n-1]
		about := fmt.Sprintf("Your note on option %d, %s.", n, d.out.inline(o.Label))
		d.write(about, at.OptionNote(o.Value).Text, func(text string) {
			d.drafts.SaveOptionNote(d.at, n-1, text)
			d.sayNote(text)
		})
	case n == d.ownRow():
		d.out.say("Your own text carries no note. Type note alone for a note on the question.")
	default:
		d.out.say(fmt.Sprintf("Type note alone for a note on the question, or note and the number of an option, 1 to %d. The note itself is typed after that.", len(q.Options)))
	}
}

func (d *dialogue) sayNote(text string) {
	if text == "" {
		d.out.say("There is no note.")
		return
	}
	d.out.say("The note is saved.")
}

// write opens a text.
func (d *dialogue) write(about, old string, save func(string)) {
	d.text = &entry{old: old, save: save}
	d.out.say(about)
	if old == "" {
		d.out.say("Type one or more lines. A line with only a dot ends the text.")
		return
	}
	d.out.say("So far it is:")
	d.out.hang("  ", old)
	d.out.say("Type the new text. A line with only a dot ends it. A dot at once keeps the text as it is; an empty line and a dot remove it.")
}

// typed takes one line of a text.
func (d *dialogue) typed(l line) {
	e := d.text
	switch ask.TrimSpace(l.text) {
	case ".":
		text := e.old
		if e.lines != nil {
			text = ask.TrimSpace(strings.Join(e.lines, "\n"))
		}
		d.text = nil
		e.save(text)
		return
	case "..":
		l.text = "."
	}
	if l.cut {
		d.out.say("This line is longer than 1 MiB. Its end was left out.")
	}
	if e.size+len(l.text) >= maxText {
		d.out.say("The text is longer than 4 MiB. This line was left out; type a dot to save the rest.")
		return
	}
	e.size += len(l.text) + 1
	e.lines = append(e.lines, d.out.measure.ExpandTabs(clean(l.text)))
}

// clean makes a typed line text: it drops control characters, whole key
// sequences such as that of an arrow key, and what is not UTF-8.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	var b strings.Builder
	for {
		at := strings.IndexFunc(s, isDropped)
		if at < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:at])
		_, n := utf8.DecodeRuneInString(s[at:])
		sequence := strings.HasPrefix(s[at:], "\x1b[")
		s = s[at+n:]
		if sequence {
			s = afterSequence(s[1:])
		}
	}
}

func isDropped(r rune) bool { return unicode.IsControl(r) && r != '\t' }

// afterSequence returns what follows the parameters and the final byte of a key
// sequence.
func afterSequence(s string) string {
	s = strings.TrimLeft(s, "0123456789;:<=>?")
	if s != "" && s[0] >= '@' && s[0] <= '~' {
		return s[1:]
	}
	return s
}
