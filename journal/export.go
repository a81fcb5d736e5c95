package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// Export writes records as [Markdown] to a new file that only its owner can
// read. The folder must exist and the file must not.
func Export(path string, records []Record) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("journal: export: %w", err)
	}
	_, err = f.Write(Markdown(records))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		// It was made a moment ago and holds half of the text.
		return fmt.Errorf("journal: export to %s: %w", path, errors.Join(err, os.Remove(path)))
	}
	return nil
}

// Markdown is the text of an export: one section per record. Text of the agent
// and of the user stands in fenced blocks that it cannot break out of; images
// are data URIs beside their answer or note.
func Markdown(records []Record) []byte {
	var m markdown
	m.WriteString("# Questions and answers\n")
	for i, r := range records {
		fmt.Fprintf(&m, "\n## Question %d\n\n- Status: %s\n- Asked: %s\n", i+1, statusWords[r.Status], r.CreatedAt.UTC().Format(isoMillis))
		if r.Background {
			m.WriteString("- In the background: yes\n")
		}
		m.record(r)
	}
	return m.Bytes()
}

var statusWords = map[Status]string{
	Waiting:       "waiting",
	Answered:      "answered",
	Skipped:       "skipped (no answer)",
	Cancelled:     "cancelled (no approval; an answer below is a draft)",
	Clarification: "clarification wanted (no approval)",
	Failed:        "error (the form failed)",
}

type markdown struct{ bytes.Buffer }

func (m *markdown) record(r Record) {
	m.text("Key", r.RequestID+" / "+r.QuestionID)
	m.text("Form", r.Title)
	m.text("Question", r.Question.Prompt)
	var options []string
	for i, o := range r.Question.Options {
		options = append(options, fmt.Sprintf("%d. %s [%s]", i+1, o.Label, o.Value))
	}
	m.text("Options", strings.Join(options, "\n"))
	m.text("Error", r.Error)
	if r.Answer != nil {
		m.answer(r.Question, *r.Answer)
	}
	for _, item := range r.Elaboration {
		if item.Option != nil {
			m.text("Wants clarification of the option", item.Option.Label)
			m.note("Note", item.Note, item.Images)
			continue
		}
		m.note("Wants clarification of the question", item.Note, item.Images)
	}
}

func (m *markdown) answer(q ask.Question, a ask.Answer) {
	for _, label := range a.Labels {
		m.text("Answer", label)
	}
	m.images("Answer", a.CustomImages)
	m.note("Note on the question", a.Note, a.NoteImages)
	for _, o := range q.Options { // in declared order
		note, images := a.OptionNotes[o.Value], a.OptionNoteImages[o.Value]
		if note != "" || len(images) > 0 {
			m.text("Note on the option", o.Label)
			m.note("Note", note, images)
		}
	}
}

func (m *markdown) note(name, text string, images []ask.Image) {
	m.text(name, text)
	m.images(name, images)
}

// text writes foreign text under a name. Empty text is left out.
func (m *markdown) text(name, text string) {
	if text == "" {
		return
	}
	fence := strings.Repeat("`", max(3, longestRun(text)+1))
	fmt.Fprintf(m, "\n**%s**\n\n%stext\n%s\n%s\n", name, fence, text, fence)
}

// longestRun is the length of the longest run of backticks.
func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

func (m *markdown) images(name string, images []ask.Image) {
	for i, image := range images {
		if !isMimeType(image.MimeType) || !isBase64(image.Data) {
			m.text(fmt.Sprintf("%s, image %d, cannot be shown", name, i+1), "data:"+image.MimeType+";base64,"+image.Data)
			continue
		}
		fmt.Fprintf(m, "\n![%s, image %d](data:%s;base64,%s)\n", name, i+1, image.MimeType, image.Data)
	}
}

func isMimeType(s string) bool {
	kind, sub, ok := strings.Cut(s, "/")
	return ok && kind != "" && sub != "" && onlyBytes(kind+sub, "+-._")
}

func isBase64(s string) bool { return onlyBytes(s, "+/=") }

// onlyBytes reports whether s holds ASCII letters, digits and bytes of extra only.
func onlyBytes(s, extra string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9', 'a' <= c|0x20 && c|0x20 <= 'z':
		case strings.IndexByte(extra, c) < 0:
			return false
		}
	}
	return true
}
