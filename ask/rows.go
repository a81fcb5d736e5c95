package ask

import (
	"encoding/json"
	"fmt"

	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
)

// CallRow is the transcript row of an ask_user call. The arguments may be
// incomplete, as they are while the model is still writing them.
func CallRow(args json.RawMessage) []Span {
	var labels labelList
	n := 0
	if json.Valid(args) {
		d := document(args)
		if questions, ok := d.field(d.root(), "questions"); ok {
			for _, q := range d.elements(questions) {
				n++
				labels.add(d, q, n)
			}
		}
	}
	row := []Span{
		{Role: RoleToolTitle, Bold: true, Text: "ask_user "},
		{Role: RoleMuted, Text: fmt.Sprintf("%d question(s)", n)},
	}
	if n > 0 {
		row = append(row, Span{Role: RoleDim, Text: " (" + labels.cut() + ")"})
	}
	return row
}

// labelList joins labels until they fill the space that they have.
type labelList struct {
	joined string
	full   bool
}

const labelColumns = 50

func (l *labelList) add(d document, question span, n int) {
	if l.full {
		return
	}
	label := ""
	if s, ok := d.field(question, "label"); ok && d.isString(s) {
		label = TrimSpace(d.unquote(s))
	}
	if label == "" {
		label = fmt.Sprintf("Q%d", n)
	}
	if l.joined != "" {
		l.joined += ", "
	}
	var widths display.WidthFunc
	l.joined += widths.OneLine(label)
	l.full = widths.Width(l.joined) > labelColumns
}

func (l *labelList) cut() string {
	var widths display.WidthFunc
	return widths.Cut(l.joined, labelColumns, "…")
}

// ResultRow is the transcript row of the result of an ask_user call. Details
// that are missing or unreadable are those of a call that the host refused; its
// row is the text of the first content block.
func ResultRow(details json.RawMessage, content []Block) []Span {
	text, role := resultRow(details, content)
	if text = display.Visible(text); text == "" {
		return nil
	}
	return []Span{{Role: role, Text: text}}
}

func resultRow(details json.RawMessage, content []Block) (string, Role) {
	var head struct {
		Status          string   `json:"status"`
		QuestionIDs     []string `json:"questionIds"`
		PendingRequests int      `json:"pendingRequests"`
		Cancelled       *bool    `json:"cancelled"`
	}
	if err := json.Unmarshal(details, &head); err == nil {
		if head.Status == statusQueued {
			return fmt.Sprintf("%d question(s) queued · %d form(s) pending", len(head.QuestionIDs), head.PendingRequests), ""
		}
		var r Result
		if err := json.Unmarshal(details, &r); err == nil && head.Cancelled != nil {
			if r.Error != nil || r.Cancelled {
				return r.Transcript(), RoleWarning
			}
			return r.Transcript(), ""
		}
	}
	if len(content) == 0 {
		return "", ""
	}
	return content[0].Text, ""
}
