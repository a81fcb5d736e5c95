package hostshim_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/rivo/uniseg"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim"
)

// hostile is text that would break a screen.
const hostile = "a \x1b[31mred\x1b]0;title\a \u202eright to left\u2066 \x00 \u009b1m tab\there \u2028 \xff\xc3 漢字かな交じり文 👨‍👩‍👧‍👦🇩🇪 e\u0301\u0301 \r\nnext   line\n\n        deep indent wordthatismuchtoolongforanyreasonablewidthofacolumn"

func rows(t *testing.T) map[string]hostshim.Row {
	t.Helper()
	encode := func(v any) json.RawMessage {
		raw, err := ask.Marshal(v)
		must(t, err)
		return raw
	}
	question := map[string]any{"id": "q", "label": hostile, "prompt": hostile, "type": "single"}
	result := map[string]any{"title": hostile, "cancelled": false, "mode": "submit", "questions": []any{question},
		"answers": map[string]any{"q": map[string]any{"values": []string{"a", "b"}, "labels": []string{hostile, "x"}, "indices": []int{1, 2}, "note": hostile}}}
	blocks := []ask.Block{{Type: ask.TextBlock, Text: hostile}, {Type: "image", MimeType: "image/png", Data: "AA=="}}
	return map[string]hostshim.Row{
		"call":                   {Kind: "call", Args: encode(map[string]any{"questions": []any{question, question}})},
		"incomplete call":        {Kind: "call", Args: json.RawMessage(`{"questions":7}`)},
		"call without args":      {Kind: "call"},
		"result":                 {Kind: "result", Details: encode(result), Content: blocks},
		"error":                  {Kind: "result", Details: json.RawMessage(`{}`), Content: blocks},
		"receipt":                {Kind: "result", Details: json.RawMessage(`{"status":"queued","requestId":"r","questionIds":["q"],"pendingRequests":1}`), Content: blocks},
		"answer":                 {Kind: "answer", Details: encode(map[string]any{"requestId": "r", "result": result})},
		"failed answer":          {Kind: "answer", Details: encode(map[string]any{"requestId": "r", "error": hostile})},
		"wait call":              {Kind: "waitCall"},
		"wait":                   {Kind: "wait", Content: blocks},
		"wait without an answer": {Kind: "wait"},
	}
}

func TestRowsFitEveryWidth(t *testing.T) {
	var widths display.WidthFunc
	for name, row := range rows(t) {
		for width := range 121 {
			row.Width = width
			lines := hostshim.RenderRow(row)
			if len(lines) == 0 {
				t.Fatalf("%s: no lines", name)
			}
			for _, line := range lines {
				text := ""
				for _, s := range line {
					text += s.Text
				}
				if widths.Width(text) > max(width, 1) || uniseg.StringWidth(text) > max(width, 1) {
					t.Fatalf("%s at width %d: %q is too wide", name, width, text)
				}
				if i := strings.IndexFunc(text, unicode.IsControl); i >= 0 || text != display.Visible(text) {
					t.Fatalf("%s at width %d: %q steers the terminal", name, width, text)
				}
			}
		}
	}
}

func TestRowsThatTheHostDraws(t *testing.T) {
	for _, row := range []hostshim.Row{
		{Kind: "unknown"}, {Kind: "answer"}, {Kind: "answer", Details: json.RawMessage(`{"requestId":"r"}`)},
		{Kind: "answer", Details: json.RawMessage(`{"requestId":7,"error":"x"}`)}, {Kind: "answer", Details: json.RawMessage(`[`)},
	} {
		if lines := hostshim.RenderRow(row); lines != nil {
			t.Errorf("%+v gives %v", row, lines)
		}
	}
}
