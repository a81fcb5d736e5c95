package ask

import (
	"fmt"
	"strings"
)

// Fixed texts for the agent.
const (
	// CancelledText is the agent text of a form that the user dismissed.
	CancelledText = "The user cancelled the form; nothing was approved."
	// InterruptedText takes its place when the agent was aborted while the
	// form was open. The result is an ordinary cancelled one.
	InterruptedText = "The form was interrupted before the user answered; nothing was approved."
)

// AgentText is the result in words for the agent.
func (r Result) AgentText() string { return r.agentText(plainLabel) }

// Transcript is the result in words for the session's transcript.
func (r Result) Transcript() string {
	switch {
	case r.Error != nil:
		return "Invalid tool payload"
	case r.Cancelled:
		return "Cancelled"
	case r.Mode == Elaborate:
		return r.elaborateText()
	}
	var l lines
	for _, q := range r.Questions {
		a := r.Answers[q.ID]
		switch text := a.text(); {
		case text == "":
			l.add("? " + q.Label + ": (no answer)")
		case len(a.Indices) == 0:
			l.add("✓ " + q.Label + ": (wrote) " + text)
		default:
			l.add("✓ " + q.Label + ": " + text)
		}
		if note := joined(a.Note, a.NoteImages); note != "" {
			l.add("  note: " + note)
		}
		for _, n := range a.selectedNotes() {
			l.add("  " + n.label + " note: " + joined(n.text, n.images))
		}
	}
	if note := r.CompactNote(); note != "" {
		l.add("  " + note)
	}
	return l.text("Submitted")
}

func plainLabel(q ResultQuestion) string { return q.Label }

func (r Result) agentText(label func(ResultQuestion) string) string {
	switch {
	case r.Error != nil:
		return issueLines(r.Error.Issues)
	case r.Cancelled:
		return CancelledText
	case r.Mode == Elaborate:
		return r.elaborateText()
	}
	var l lines
	for _, q := range r.Questions {
		a, name := r.Answers[q.ID], label(q)
		text := a.text()
		if text == "" {
			text = "(no answer)"
		}
		l.add(name + ": " + text)
		if note := joined(a.Note, a.NoteImages); note != "" {
			l.add(name + " note: " + note)
		}
		for _, n := range a.selectedNotes() {
			l.add(name + " / " + n.label + " note: " + joined(n.text, n.images))
		}
	}
	if note := r.CompactNote(); note != "" {
		l.add(note)
	}
	return l.text("Submitted")
}

// elaborateText is the same for agent and transcript: the notes, or else the
// answers that the user wants to hear more about.
func (r Result) elaborateText() string {
	const start = "User asked to elaborate on question "
	var l lines
	if r.Elaboration != nil && len(r.Elaboration.Items) > 0 {
		for _, item := range r.Elaboration.Items {
			line := start + quote(item.Question.Prompt)
			if item.Option != nil {
				line += " option " + quote(item.Option.Label)
			}
			if item.Answer != nil {
				line += currentAnswer(*item.Answer)
			}
			l.add(line + " with note " + quote(joined(item.Note, item.Images)))
		}
		return l.text("")
	}
	for _, q := range r.Questions {
		if current := currentAnswer(r.Answers[q.ID]); current != "" {
			l.add(start + quote(q.Prompt) + current)
		}
	}
	return l.text("User asked to elaborate but left no notes and no answers")
}

func currentAnswer(a Answer) string {
	text := a.text()
	if text == "" {
		return ""
	}
	return " (current answer: " + quote(text) + ")"
}

// CompactNote is the line about questions that were answered as another type
// than the one asked for; "" when there were none.
func (r Result) CompactNote() string {
	changed, allMulti := false, true
	for _, q := range r.Questions {
		if q.PresentedType == "" || q.PresentedType == q.Type || !r.Answers[q.ID].committed() {
			continue
		}
		changed = true
		allMulti = allMulti && q.PresentedType == Multi
	}
	switch {
	case !changed:
		return ""
	case allMulti:
		return "Note: some answers were given on questions presented as multi-select (the user's choice)."
	}
	return "Note: some answers were given on questions presented with another type (the user's choice)."
}

// text is the answer on one line: labels, then the marker of its images. With
// several labels those that hold a comma or a newline are quoted, so that the
// list can be read in one way only.
func (a Answer) text() string {
	labels := a.Labels
	if len(labels) > 1 {
		labels = make([]string, len(a.Labels))
		for i, label := range a.Labels {
			if strings.ContainsAny(label, ",\n") {
				label = quote(label)
			}
			labels[i] = label
		}
	}
	return joined(strings.Join(labels, ", "), a.CustomImages)
}

// selectedNote is the note on one chosen option.
type selectedNote struct {
	value, label, text string
	images             []Image
}

// selectedNotes lists the notes on chosen options in declared order. Labels are
// paired by position: free text may equal an option's value.
func (a Answer) selectedNotes() []selectedNote {
	var notes []selectedNote
	for i, value := range a.Values {
		if i >= len(a.Indices) {
			break
		}
		n := selectedNote{value: value, label: value, text: a.OptionNotes[value], images: a.OptionNoteImages[value]}
		if i < len(a.Labels) {
			n.label = a.Labels[i]
		}
		if n.text != "" || len(n.images) > 0 {
			notes = append(notes, n)
		}
	}
	return notes
}

// ImageMarker stands for attached images wherever text is shown: "" for none,
// "[1 image]", "[2 images]".
func ImageMarker(images []Image) string {
	switch n := len(images); n {
	case 0:
		return ""
	case 1:
		return "[1 image]"
	default:
		return fmt.Sprintf("[%d images]", n)
	}
}

// joined puts the marker of images behind a text.
func joined(text string, images []Image) string {
	marker := ImageMarker(images)
	if text == "" || marker == "" {
		return text + marker
	}
	return text + " " + marker
}

// lines collects lines of text.
type lines []string

func (l *lines) add(line string) { *l = append(*l, line) }

// text joins the lines; without any it is the given text.
func (l lines) text(empty string) string {
	if len(l) == 0 {
		return empty
	}
	return strings.Join(l, "\n")
}

// NotInteractive is the answer to a call in a mode without a terminal form: a
// cancelled result that names the questions, and the text for the agent.
func NotInteractive(f Form) (Result, string) {
	var l lines
	l.add("Needs user input: ask_user requires interactive TUI mode.")
	l.add("Ask these questions in the chat instead, or repeat the call in interactive TUI mode:")
	for i, q := range f.Questions {
		l.add(fmt.Sprintf("%d. %s: %s", i+1, q.Label, q.Prompt))
		for _, o := range q.Options {
			l.add("   - " + o.Label + " [" + o.Value + "]")
		}
		l.add("   - " + CustomRowLabel + " [custom]")
	}
	l.add("details.questions lists the pending questions; details.answers is empty because nobody has answered.")
	return NewDrafts(f).Result(Cancelled), l.text("")
}

// BackgroundText is the text of an answer that arrives later or through
// wait_for_answers. It names every question in full, since the call may be long
// out of the agent's sight. A nil result means that the form failed; failure
// says why.
func BackgroundText(requestID string, r *Result, failure string) string {
	head := "Background answer [" + requestID + "]"
	if r == nil {
		if IsBlank(failure) {
			failure = "unknown error"
		}
		return head + ":\nThe form failed: " + failure
	}
	if title := TrimSpace(r.Title); title != "" {
		head += " — " + title
	}
	var l lines
	l.add(head + ":")
	l.add("Questions:")
	for _, q := range r.Questions {
		l.add("- [" + q.ID + "] " + q.Label + ": " + q.Prompt)
	}
	l.add("Response:")
	l.add(r.agentText(func(q ResultQuestion) string { return q.Label + " [" + q.ID + "]" }))
	return l.text("")
}

// AgentText is the receipt in words for the agent.
func (r Receipt) AgentText() string {
	return fmt.Sprintf("ask_user [%s] is queued, %d form(s) pending. This receipt is neither an answer nor an approval: go on with independent work and call wait_for_answers once an answer is needed.", r.RequestID, r.PendingRequests)
}
