//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// entry is one line of a session file.
type entry struct {
	Type       string          `json:"type"`
	ID         string          `json:"id"`
	ParentID   string          `json:"parentId"`
	CustomType string          `json:"customType"`
	Data       json.RawMessage `json:"data"`
	Details    json.RawMessage `json:"details"`
	Message    struct {
		Role       string          `json:"role"`
		StopReason string          `json:"stopReason"`
		ToolName   string          `json:"toolName"`
		ToolCallID string          `json:"toolCallId"`
		IsError    bool            `json:"isError"`
		Details    json.RawMessage `json:"details"`
		Content    json.RawMessage `json:"content"`
	} `json:"message"`
}

// String is the entry in one word: what it is, and of which tool.
func (e entry) String() string {
	switch {
	case e.CustomType != "":
		return e.CustomType
	case e.Type != "message":
		return e.Type
	case e.Message.Role == "toolResult" && e.Message.IsError:
		return "error " + e.Message.ToolName
	case e.Message.Role == "toolResult":
		return "result " + e.Message.ToolName
	case e.Message.Role == "assistant":
		var parts []struct{ Type, Name string }
		_ = json.Unmarshal(e.Message.Content, &parts)
		for _, p := range parts {
			if p.Type == "toolCall" {
				return "call " + p.Name
			}
		}
		if e.Message.StopReason == "aborted" {
			return "aborted"
		}
	}
	return e.Message.Role
}

// session is what a session file holds, in the order of the file.
type session []entry

// sessionFile is the newest session file of the box.
func (b *box) sessionFile() string {
	files, _ := filepath.Glob(filepath.Join(b.agentDir, "sessions", "*", "*.jsonl"))
	newest := ""
	for _, f := range files {
		if filepath.Base(f) > filepath.Base(newest) {
			newest = f
		}
	}
	return newest
}

// session reads the newest session file.
func (b *box) session() session { return readSession(b.t, b.sessionFile()) }

func readSession(t testing.TB, path string) session {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var s session
	for line := range bytes.Lines(text) {
		var e entry
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // still being written
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		s = append(s, e)
	}
	return s
}

// branch is the way from the root to the last entry of the file.
func (s session) branch() session {
	if len(s) == 0 {
		return nil
	}
	byID := map[string]entry{}
	for _, e := range s {
		byID[e.ID] = e
	}
	var out session
	for e, ok := s[len(s)-1], true; ok; e, ok = byID[e.ParentID] {
		out = append(session{e}, out...)
		if e.ParentID == "" {
			break
		}
	}
	return out
}

// story is the conversation and our entries in words; what pi notes about
// itself is left out.
func (s session) story() string {
	var words []string
	for _, e := range s {
		if e.Type == "message" || e.CustomType != "" {
			words = append(words, e.String())
		}
	}
	return strings.Join(words, ", ")
}

// of returns the entries with this word.
func (s session) of(word string) session {
	var out session
	for _, e := range s {
		if e.String() == word {
			out = append(out, e)
		}
	}
	return out
}

// holds waits until the newest session has n entries with a word.
func (b *box) holds(n int, word string) session {
	b.t.Helper()
	var s session
	b.until("the session has "+word, func() bool {
		s = b.session()
		return len(s.of(word)) >= n
	})
	if got := len(s.of(word)); got != n {
		b.t.Fatalf("the session has %q %d times, want %d: %s", word, got, n, s.story())
	}
	return s
}

// at reads a value out of JSON by its path: at(data, "result.answers.db.values.0").
func at(data []byte, path string) any {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return nil
	}
	for key := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			i := 0
			for _, c := range key {
				i = i*10 + int(c-'0')
			}
			if i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}
