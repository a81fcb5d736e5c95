package queue_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// shortKinds are the model's words for entry types.
var shortKinds = map[string]string{journal.TypePayload: "payload", journal.TypeRequest: "request", journal.TypeQueued: "queued",
	journal.TypeCompleted: "done", journal.TypeQueueCompleted: "queuedone", journal.TypeDismissed: "dismissed", journal.TypeAnswer: "answer"}

// readNode puts an entry into the model's words. Junk counts as other.
func readNode(e journal.Entry) *node {
	var d struct {
		RequestID, ToolCallID, SourceEntryID, Error string
		Version                                     int
		Delivery                                    string
		Result                                      *ask.Result
	}
	n := &node{kind: shortKinds[e.CustomType]}
	raw := e.Data
	if n.kind == "answer" {
		raw = e.Details
	}
	switch {
	case e.Type == "message":
		return messageNode(e)
	case n.kind == "" || json.Unmarshal(raw, &d) != nil || d.Version == 2:
		return &node{kind: "other"}
	}
	n.request, n.call = d.RequestID, d.ToolCallID+d.SourceEntryID
	n.outcome = outcomeName(d.Result, d.Error)
	switch n.kind {
	case "done", "queuedone", "answer":
		if n.outcome == "" {
			return &node{kind: "other"}
		}
	case "dismissed":
		if d.Delivery == "none" {
			n.outcome = "cancel"
		}
	}
	return n
}

func messageNode(e journal.Entry) *node {
	var m struct {
		Role, ToolCallID string
		IsError          bool
		Content          []struct{ Type, ID, Name, Text string }
		Details          struct{ Results []struct{ RequestID string } }
	}
	if err := json.Unmarshal(e.Message, &m); err != nil {
		panic(err)
	}
	switch m.Role {
	case "assistant":
		return &node{kind: "assistant", call: m.Content[0].ID}
	case "user":
		return &node{kind: "user", call: nameOf(m.Content[0].Text)}
	}
	n := &node{kind: "result", call: m.ToolCallID}
	for _, r := range m.Details.Results {
		n.results = append(n.results, r.RequestID)
	}
	return n
}

func nodesOf(branch []journal.Entry) []*node {
	var nodes []*node
	for _, e := range branch {
		nodes = append(nodes, readNode(e))
	}
	for _, n := range nodes {
		if n.kind == "dismissed" && n.outcome == "" {
			n.outcome = outcomeIn(nodes, n.request)
		}
	}
	return nodes
}

// outcomeIn is the outcome that a branch has for a request.
func outcomeIn(nodes []*node, request string) (outcome string) {
	for _, n := range nodes {
		if n.request == request && (n.kind == "done" || n.kind == "queuedone") {
			outcome = n.outcome
		}
	}
	return outcome
}

func (m *model) outcomeOf(request string) string { return outcomeIn(m.path, request) }

func (m *model) callOf(request string) string {
	for _, n := range m.path {
		if n.kind == "queued" && n.request == request {
			return n.call
		}
	}
	return ""
}

func nodeText(nodes []*node) string {
	var b strings.Builder
	for _, n := range nodes {
		if n.kind != "other" {
			fmt.Fprintln(&b, " ", *n)
		}
	}
	return b.String()
}

func sameNodes(a, b []*node) bool {
	return slices.EqualFunc(a, b, func(x, y *node) bool {
		return x.kind == y.kind && x.request == y.request && x.call == y.call && x.outcome == y.outcome && slices.Equal(x.results, y.results)
	})
}

// reorder gives the nodes of a step in which the order is not defined the order
// that the session has.
func (m *model) reorder(session []*node) {
	if len(session) != len(m.path) {
		return
	}
	m.path = slices.Clone(m.path)
	for i, want := range session {
		for j := i; j < len(m.path); j++ {
			if sameNodes([]*node{want}, m.path[j:j+1]) {
				moved := m.path[j]
				m.path = slices.Insert(slices.Delete(m.path, j, j+1), i, moved)
				break
			}
		}
	}
}
