package hostshim

import (
	"encoding/json"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

// Row is a row of the host's transcript that is to be drawn.
type Row struct {
	// Kind is "call" or "result" of ask_user, "waitCall" or "wait" (its
	// result) of wait_for_answers, or "answer": a message of the type
	// ask:background-answer.
	Kind string `json:"kind"`
	// Width of the screen in columns; below 1 counts as 1, above 4096 as 4096.
	Width int `json:"width"`
	// Args are the arguments of a call, as far as they have come in.
	Args json.RawMessage `json:"args,omitempty"`
	// Details and Content are those of a tool result or a message.
	Details json.RawMessage `json:"details,omitempty"`
	Content []ask.Block     `json:"content,omitempty"`
}

// RenderRow draws a row of the transcript: lines of spans, none wider than
// Width. An unknown kind, or details of an answer that cannot be read, gives
// no lines: the host then draws the row its own way.
func RenderRow(r Row) [][]ask.Span {
	width := min(max(r.Width, 1), maxCells)
	switch r.Kind {
	case "call":
		return wrapSpans(ask.CallRow(r.Args), width)
	case "result":
		return wrapSpans(ask.ResultRow(r.Details, r.Content), width)
	case "answer":
		var o journal.Outcome
		if json.Unmarshal(r.Details, &o) != nil || o.RequestID == "" || o.Result == nil && o.Error == "" {
			return nil
		}
		return queue.Card(o, width, nil)
	case "waitCall":
		return wrapSpans([]ask.Span{{Role: ask.RoleToolTitle, Bold: true, Text: ask.ToolWait}}, width)
	case "wait":
		var texts []string
		for _, b := range r.Content {
			if b.Type == "text" {
				texts = append(texts, b.Text)
			}
		}
		return wrapSpans([]ask.Span{{Text: strings.Join(texts, "\n")}}, width)
	}
	return nil
}

// wrapSpans breaks spans into lines. A line of one span is wrapped at words,
// one of several is cut where it is full.
func wrapSpans(spans []ask.Span, width int) [][]ask.Span {
	var widths display.WidthFunc
	lines := [][]ask.Span{nil}
	for _, s := range spans {
		for i, text := range strings.Split(widths.ExpandTabs(display.Visible(s.Text)), "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			last := &lines[len(lines)-1]
			*last = append(*last, ask.Span{Role: s.Role, Bold: s.Bold, Text: text})
		}
	}
	var out [][]ask.Span
	for _, l := range lines {
		if len(l) == 1 {
			for _, text := range widths.Wrap(l[0].Text, width) {
				out = append(out, []ask.Span{{Role: l[0].Role, Bold: l[0].Bold, Text: text}})
			}
			continue
		}
		out = append(out, fillLines(l, width)...)
	}
	return out
}

// fillLines cuts a line of several spans into lines of at most width columns.
func fillLines(spans []ask.Span, width int) [][]ask.Span {
	var widths display.WidthFunc
	out := [][]ask.Span{{}}
	used := 0
	for _, s := range spans {
		rest := s.Text
		for rest != "" {
			room := width - used
			piece := rest
			if widths.Width(rest) > room {
				piece = widths.Cut(rest, room, "")
			}
			rest = rest[len(piece):]
			if piece == "" && used == 0 {
				piece, rest = " ", rest[display.NextCluster(rest):] // wider than the screen
			}
			if piece != "" {
				last := &out[len(out)-1]
				*last = append(*last, ask.Span{Role: s.Role, Bold: s.Bold, Text: piece})
				used += widths.Width(piece)
			}
			if rest != "" {
				out, used = append(out, []ask.Span{}), 0
			}
		}
	}
	return out
}
