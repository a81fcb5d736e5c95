package queue

import (
	"bytes"
	"encoding/json"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// waitTool is the name under which hosts record the results of [Manager.Wait].
const waitTool = "wait_for_answers"

// request is one background form. The first group are facts of the branch, the
// second lives in memory only.
type request struct {
	id        string
	callID    string // the host's tool call id, "" when not known
	form      ask.Form
	outcome   *journal.Outcome // set once the branch holds a completion
	delivered bool             // the branch holds the message or wait result with it

	claim   claim
	unsaved bool // an outcome is known, but not all of it is on the branch yet
}

// claim marks an outcome that is on its way to the agent.
type claim string

const (
	unclaimed  claim = ""
	byBoundary claim = "boundary" // returned from TurnEnd, not seen on the branch yet
	byWait     claim = "wait"     // returned from Wait, not seen on the branch yet
	byIdle     claim = "idle"     // sent to an idle agent, not seen on the branch yet
)

// flowCallID is the tool call id that events about this request carry.
func (r *request) flowCallID() string {
	if r.callID == "" {
		return r.id
	}
	return r.callID
}

// settled reports whether the request is over for a wait: its outcome was, or
// is being, brought to the agent.
func (r *request) settled() bool {
	return r.outcome != nil && (r.delivered || r.claim != unclaimed)
}

// waiting reports whether somebody still has to answer.
func (r *request) waiting() bool { return r.outcome == nil && !r.unsaved }

// requestsOf reads the background requests of a branch, in queue order. It
// depends on nothing but the branch: entries that are malformed, of another
// version or of other programs change nothing.
func requestsOf(branch []journal.Entry) []*request {
	var list []*request
	known := map[string]*request{}
	for _, e := range branch {
		if !completionOrQueued(e) {
			continue
		}
		switch d := journal.Decode(e).(type) {
		case journal.Queued:
			if form, ok := queuedForm(d); ok && known[d.RequestID] == nil {
				r := &request{id: d.RequestID, callID: d.ToolCallID, form: form}
				known[r.id] = r
				list = append(list, r)
			}
		case journal.Completed:
			complete(known, d.Outcome)
		case journal.QueueCompleted:
			complete(known, d.Outcome)
		}
	}
	markDelivered(list, branch)
	return list
}

func completionOrQueued(e journal.Entry) bool {
	return e.CustomType == journal.TypeQueued || e.CustomType == journal.TypeCompleted || e.CustomType == journal.TypeQueueCompleted
}

// queuedForm is the form of a queued request, or false when the queue does not
// accept the entry.
func queuedForm(d journal.Queued) (ask.Form, bool) {
	form, err := ask.Normalize(d.Params)
	if err != nil || d.RequestID == "" {
		return ask.Form{}, false
	}
	if d.PresentSingleAsMulti {
		form = form.PresentSinglesAsMulti()
	}
	return form, true
}

// complete gives a request the outcome of a completion; the last one wins.
func complete(known map[string]*request, o journal.Outcome) {
	if r := known[o.RequestID]; r != nil {
		o = withoutRequestID(o)
		r.outcome = &o
	}
}

// markDelivered recomputes which requests the branch shows as delivered.
func markDelivered(list []*request, branch []journal.Entry) {
	delivered := deliveredIDs(branch)
	for _, r := range list {
		r.delivered = delivered[r.id]
	}
}

// deliveredIDs is the set of request ids that an answer message or the result
// of a successful wait has brought to the agent.
func deliveredIDs(branch []journal.Entry) map[string]bool {
	ids := map[string]bool{}
	for _, e := range branch {
		switch {
		case e.CustomType == journal.TypeAnswer:
			if a, ok := journal.Decode(e).(journal.Answer); ok {
				ids[a.RequestID] = true
			}
		case e.Type == "message" && bytes.Contains(e.Message, []byte(waitTool)):
			for _, id := range waitResults(e) {
				ids[id] = true
			}
		}
	}
	return ids
}

// waitResults lists the requests whose outcomes are in the result of a
// successful wait. What the result says it waited for proves nothing.
func waitResults(e journal.Entry) []string {
	m, ok := journal.ReadMessage(e)
	if !ok || m.Role != "toolResult" || m.ToolName != waitTool || m.IsError {
		return nil
	}
	var details struct {
		Status     *string           `json:"status"`
		RequestIDs []string          `json:"requestIds"`
		Results    []json.RawMessage `json:"results"`
	}
	if json.Unmarshal(m.Details, &details) != nil || details.Status == nil || *details.Status != waitComplete ||
		details.RequestIDs == nil || details.Results == nil {
		return nil
	}
	var ids []string
	for _, raw := range details.Results {
		// An outcome of a wait has the shape of an answer message's details.
		a, ok := journal.Decode(journal.Entry{Type: "custom_message", CustomType: journal.TypeAnswer, Details: raw}).(journal.Answer)
		if !ok {
			return nil
		}
		ids = append(ids, a.RequestID)
	}
	return ids
}

// withoutRequestID is the outcome as background requests keep it: the id is in
// the wrapper and not repeated in the result.
func withoutRequestID(o journal.Outcome) journal.Outcome {
	if o.Result != nil && o.Result.RequestID != "" {
		r := *o.Result
		r.RequestID = ""
		o.Result = &r
	}
	return o
}
