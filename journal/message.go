package journal

import (
	"encoding/json"
	"strings"
)

// Message is what this library reads of an entry of type "message".
type Message struct {
	// Role is "user", "assistant", "toolResult" or another word of the host.
	Role string
	// StopReason of an assistant message; "toolUse" when tools were called.
	StopReason string
	// ToolCalls of an assistant message, in order.
	ToolCalls []ToolCall
	// ToolCallID, ToolName, IsError and Details are set for tool results.
	ToolCallID string
	ToolName   string
	IsError    bool
	Details    json.RawMessage
	// Text joins the text blocks of the content with one newline.
	Text string
}

// ToolCall is one tool call of an assistant message.
type ToolCall struct {
	ID        string
	Name      string
	Arguments json.RawMessage
}

// ReadMessage reads an entry of type "message". It reports false for every
// other entry and for a message without a role. Parts it does not know are
// left out.
func ReadMessage(e Entry) (Message, bool) {
	if e.Type != "message" {
		return Message{}, false
	}
	var raw struct {
		Role       string          `json:"role"`
		StopReason string          `json:"stopReason"`
		Content    json.RawMessage `json:"content"`
		ToolCallID string          `json:"toolCallId"`
		ToolName   string          `json:"toolName"`
		IsError    bool            `json:"isError"`
		Details    json.RawMessage `json:"details"`
	}
	if json.Unmarshal(e.Message, &raw) != nil || raw.Role == "" {
		return Message{}, false
	}
	m := Message{Role: raw.Role, StopReason: raw.StopReason, ToolCallID: raw.ToolCallID,
		ToolName: raw.ToolName, IsError: raw.IsError, Details: raw.Details}
	if json.Unmarshal(raw.Content, &m.Text) == nil {
		return m, true
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw.Content, &parts) != nil {
		return m, true
	}
	var texts []string
	for _, p := range parts {
		var part struct {
			Type      string          `json:"type"`
			Text      string          `json:"text"`
			ID        string          `json:"id"`
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if json.Unmarshal(p, &part) != nil {
			continue
		}
		switch part.Type {
		case "text":
			texts = append(texts, part.Text)
		case "toolCall":
			m.ToolCalls = append(m.ToolCalls, ToolCall{part.ID, part.Name, part.Arguments})
		}
	}
	m.Text = strings.Join(texts, "\n")
	return m, true
}
