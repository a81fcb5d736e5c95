package queue

import (
	"slices"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// askTool is the name under which hosts record calls that open a form.
const askTool = "ask_user"

// plan is what a session that was interrupted needs, in the order in which it
// is done.
type plan struct {
	resend []followUp   // sent before, but not in the transcript
	settle []*calledAsk // answered and saved, but the agent was never told
	open   *calledAsk   // the newest call that still needs an answer, or nil
}

// followUp is an outcome for the agent in the form of a user message.
type followUp struct {
	callID  string
	outcome journal.Outcome
}

// calledAsk is an interrupted call of ask_user.
type calledAsk struct {
	id        string
	requestID string           // of its newest journal request, "" without one
	outcome   *journal.Outcome // the saved outcome, nil if there is none
	form      ask.Form         // only of the call to open
}

// planRecovery decides what to do about the calls of a branch that were
// interrupted. load turns recorded parameters into a form and reports whether
// they can be used.
func planRecovery(branch []journal.Entry, load func(ask.Payload) (ask.Form, bool)) plan {
	h := history{branch: branch}
	h.read()
	p := plan{resend: h.lostFollowUps()}
	for i := len(branch) - 1; i >= 0 && p.open == nil; i-- {
		m, ok := journal.ReadMessage(branch[i])
		if !ok || m.Role != "assistant" || m.StopReason != "toolUse" {
			continue
		}
		for _, call := range slices.Backward(m.ToolCalls) {
			if call.Name != askTool || call.ID == "" || h.resolved(call.ID, i) {
				continue
			}
			c := h.call(call.ID, i)
			if c.outcome != nil {
				p.settle = append(p.settle, c)
				continue
			}
			if c.form, ok = h.form(call, i, load); ok {
				p.open = c
				break
			}
		}
	}
	slices.Reverse(p.settle)
	return p
}

// history is a branch, taken apart once.
type history struct {
	branch   []journal.Entry
	data     []journal.Data             // per entry, nil for foreign ones
	results  []journal.Message          // per entry; only user messages and tool results
	requests map[string]bool            // request ids seen so far
	outcomes map[string]journal.Outcome // by request id, the last one
}

func (h *history) read() {
	h.data = make([]journal.Data, len(h.branch))
	h.results = make([]journal.Message, len(h.branch))
	h.requests = map[string]bool{}
	h.outcomes = map[string]journal.Outcome{}
	for i, e := range h.branch {
		if m, ok := journal.ReadMessage(e); ok && m.Role != "assistant" {
			h.results[i] = m
			continue
		}
		h.data[i] = journal.Decode(e)
		switch d := h.data[i].(type) {
		case journal.Request:
			h.requests[d.RequestID] = true
		case journal.Completed:
			if h.requests[d.RequestID] {
				h.outcomes[d.RequestID] = withoutRequestID(d.Outcome)
			}
		}
	}
}

// resolved reports whether something after the assistant message at index i
// has already dealt with a call.
func (h *history) resolved(callID string, i int) bool {
	for j := i + 1; j < len(h.branch); j++ {
		if m := h.results[j]; m.Role == "toolResult" && m.ToolCallID == callID {
			return true
		}
		switch d := h.data[j].(type) {
		case journal.Dismissed:
			if d.ToolCallID == callID {
				return true
			}
		case journal.Queued:
			if d.ToolCallID != callID && (d.ToolCallID != "" || d.RequestID != callID) {
				continue
			}
			if _, ok := queuedForm(d); ok {
				return true
			}
		}
	}
	return false
}

// call is what the journal knows about a call of the assistant message at i.
func (h *history) call(callID string, i int) *calledAsk {
	c := &calledAsk{id: callID}
	for j := len(h.branch) - 1; j > i; j-- {
		if d, ok := h.data[j].(journal.Request); ok && d.ToolCallID == callID {
			c.requestID = d.RequestID
			break
		}
	}
	if o, ok := h.outcomes[c.requestID]; ok && c.requestID != "" {
		c.outcome = &o
	}
	return c
}

// form finds usable parameters of a call: the saved ones, newest first, else
// the recorded arguments.
func (h *history) form(call journal.ToolCall, i int, load func(ask.Payload) (ask.Form, bool)) (ask.Form, bool) {
	for j := len(h.branch) - 1; j > i; j-- {
		d, ok := h.data[j].(journal.Payload)
		if !ok || d.ToolCallID != call.ID {
			continue
		}
		if form, err := ask.Normalize(d.Params); err == nil {
			return form, true
		}
	}
	payload, err := ask.Decode(call.Arguments)
	if err != nil {
		return ask.Form{}, false
	}
	return load(payload)
}

// lostFollowUps lists the dismissals whose message to the agent is not in the
// transcript. The transcript decides; entries of older versions, which do not
// say that something was to be sent, are left alone.
func (h *history) lostFollowUps() []followUp {
	var lost []followUp
	for i := range h.branch {
		d, ok := h.data[i].(journal.Dismissed)
		if !ok || d.Delivery != journal.DeliverFollowUp {
			continue
		}
		o, saved := h.outcomes[d.RequestID]
		if !saved {
			o = journal.Outcome{RequestID: d.RequestID, Result: d.Result}
		}
		if o.Result == nil && o.Error == "" || h.saidAfter(i, outcomeText(o)) {
			continue
		}
		lost = append(lost, followUp{d.ToolCallID, o})
	}
	return lost
}

// saidAfter reports whether a user message after index i contains text.
func (h *history) saidAfter(i int, text string) bool {
	for _, m := range h.results[i+1:] {
		if m.Role == "user" && strings.Contains(m.Text, text) {
			return true
		}
	}
	return false
}

// outcomeText is how the outcome of a recovered call is put to the agent.
func outcomeText(o journal.Outcome) string {
	if o.Error != "" || o.Result == nil {
		return failedText + o.Error
	}
	return o.Result.AgentText()
}

const failedText = "The form failed: "
