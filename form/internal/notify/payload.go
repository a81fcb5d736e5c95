package notify

import (
	"strings"
	"unicode/utf8"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
)

// Constant parts of a payload.
const (
	Event = "question.waiting"
	Title = "pi-agent-ask"

	messagePrefix = "Question waiting: "
	messageUnits  = 120
)

// Payload is what is announced. Its JSON is the one of the conformance cases.
type Payload struct {
	Event   string `json:"event"`
	Title   string `json:"title"`
	Message string `json:"message"`
}

// NewPayload announces the question that a form opens with: by the label that
// its author gave it, else by its prompt. The message is one line of at most
// 120 UTF-16 units and holds no control character.
func NewPayload(q ask.Question) Payload {
	subject := q.Prompt
	if q.AuthorLabel && !ask.IsBlank(q.Label) {
		subject = q.Label
	}
	// A unit is never more than three bytes, so nothing of a longer subject
	// can be part of the message.
	message := messagePrefix + oneLine(subject, 3*messageUnits)
	return Payload{Event: Event, Title: Title, Message: shorten(message, messageUnits)}
}

// oneLine collapses runs of whitespace to one blank, trims, and puts stand-ins
// in place of characters that steer a terminal. Applied twice it does no more
// than once. It stops reading s after atLeast bytes of result.
func oneLine(s string, atLeast int) string {
	var b strings.Builder
	gap := false
	for at, r := range s {
		if b.Len() > atLeast {
			break
		}
		if ask.IsBlank(string(r)) {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		b.WriteString(s[at : at+size])
	}
	return display.Visible(b.String())
}

// shorten cuts s to the given number of UTF-16 units, the last of which is then
// an ellipsis. A character of two units is never cut in half.
func shorten(s string, units int) string {
	used, cut := 0, 0
	for at, r := range s {
		if used <= units-1 {
			cut = at // what comes before fits beside the ellipsis
		}
		if used += width16(r); used > units {
			return s[:cut] + "…"
		}
	}
	return s
}

// width16 is the number of UTF-16 units of a character.
func width16(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}
