package queue_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// invariants holds the rules of the queue against what the model was told, which
// has been found equal to what happened. It shares no code with the model. The
// numbers are those of the specification. Rules 1 and 16 are watched by the
// rig; 5 by the status line; 31 where messages are read; 9, 10, 17, 18,
// 21, 30, 32 and 34 by the comparison with the model alone.
type invariants struct {
	herdr bool // the last signal
	open  string
}

func (c *invariants) after(m *model, o op, dead bool) string {
	said := group(m.did)
	if dead {
		return branchRules(m.path)
	}
	for _, check := range []func() string{
		func() string { return branchRules(m.path) },
		func() string { return c.blocked(said["herdr"], m.open) },
		func() string { return c.opening(m) },
		func() string { return sending(m, said) },
		func() string { return aborting(o, said["abort"], m) },
		func() string { return waitRules(m, said["wait"]) },
	} {
		if wrong := check(); wrong != "" {
			return wrong
		}
	}
	return ""
}

// branchRules are the rules that a session must keep at any moment.
func branchRules(path []*node) string {
	seen := map[string]map[string]int{} // request → kind → number
	calls := map[string]int{}           // kind and call
	outcome := map[string]string{}
	users := map[string]int{}
	for _, n := range path {
		at := seen[n.request]
		if at == nil {
			at = map[string]int{}
			seen[n.request] = at
		}
		switch n.kind {
		case "request":
			if calls["payload "+n.call] == 0 {
				return "4: a request without its payload: " + n.request
			}
		case "queued":
			if at["request"] == 0 || at["queued"] > 0 {
				return "4: queued without its request, or twice: " + n.request
			}
		case "done", "queuedone":
			if before, ok := outcome[n.request]; ok && before != n.outcome {
				return "29: two different completions of " + n.request
			}
			if n.kind == "queuedone" && at["done"] == 0 {
				return "29: the queue's completion is before the journal's: " + n.request
			}
			outcome[n.request] = n.outcome
		case "answer":
			if _, ok := outcome[n.request]; !ok {
				return "6: an answer message before the completion of " + n.request
			}
			at["told"]++
		case "user":
			if users[n.call]++; n.call != "" && n.call != diskFull && users[n.call] > 1 {
				return "36: two follow-ups of " + n.call
			}
		}
		for _, id := range n.results {
			if seen[id] != nil {
				seen[id]["told"]++
			}
		}
		at[n.kind]++
		calls[n.kind+" "+n.call]++
		if at["told"] > 1 {
			return "7: told twice: " + n.request
		}
	}
	return ""
}

// blocked: the signal alternates, and is on exactly while a form is open.
func (c *invariants) blocked(signals []string, open string) string {
	for _, s := range signals {
		if c.herdr == (s == "true") {
			return "26: the blocked signal does not alternate"
		}
		c.herdr = s == "true"
	}
	if c.herdr != (open != "") {
		return "26: the blocked signal and the open form disagree"
	}
	return ""
}

// opening: what opens is queued and not completed, and the first of its kind.
func (c *invariants) opening(m *model) string {
	before := c.open
	c.open = m.open
	if m.open == "" || m.open == before {
		return ""
	}
	if _, call, ok := strings.Cut(m.open, ":"); ok {
		if request := m.requestOf(call); strings.HasPrefix(m.open, "recovery:") && m.outcomeOf(request) != "" {
			return "37: the recovered form has a saved outcome: " + call
		}
		return ""
	}
	for _, n := range m.path {
		if n.kind != "queued" || m.outcomeOf(n.request) != "" || m.heldHere(n.request) {
			continue
		}
		if n.request != m.open {
			return "2: " + m.open + " has overtaken " + n.request
		}
		return ""
	}
	return "3: a form is open for a request that is not waiting: " + m.open
}

func (m *model) heldHere(request string) bool {
	return slices.ContainsFunc(m.held, func(h *heldOutcome) bool { return h.request == request && m.has(h.anchor) })
}

// sending: what goes out is in queue order, and wakes only for a real answer.
func sending(m *model, said map[string][]string) string {
	last, woken, answers := -1, false, 0
	for _, line := range said["sent"] {
		var id, via string
		var wake bool
		if _, err := fmt.Sscan(line, &id, &via, &wake); err != nil {
			return err.Error()
		}
		cancelled := m.outcomeOf(id) == "cancel"
		place := slices.IndexFunc(m.path, func(n *node) bool { return n.kind == "queued" && n.request == id })
		switch {
		case wake && cancelled:
			return "11: a cancelled outcome wakes the agent: " + id
		case place <= last:
			return "14: the answers are not in queue order"
		case woken:
			return "15: something was sent after a wake"
		}
		if last, woken = place, wake; !cancelled {
			answers++
		}
	}
	if cont := said["cont"]; len(cont) > 0 && (cont[0] == "true") != (answers > 0) {
		return "11, 12: the boundary asks for a model request without an answer, or does not with one"
	}
	return ""
}

// aborting: one abort for a cancellation by a person, none for anything else.
func aborting(o op, aborts []string, m *model) string {
	if n := len(aborts); n > 1 || n == 1 && o.Kind != "cancel" && o.Kind != "remote_cancel" {
		return fmt.Sprintf("25: %d aborts after %s", n, o.Kind)
	}
	return ""
}

// waitRules: results are among the ids, in order, and nothing is left waiting.
func waitRules(m *model, ends []string) string {
	for _, end := range ends {
		ids, results, ok := strings.Cut(end, "] [")
		if !ok {
			continue
		}
		list := strings.Fields(strings.Trim(ids, "[]"))
		next := 0
		for _, id := range strings.Fields(strings.Trim(results, "[]")) {
			i := slices.Index(list[next:], id)
			if i < 0 {
				return "22: the results of a wait are not a part of its ids"
			}
			next += i + 1
		}
		for _, id := range list {
			if m.outcomeOf(id) == "" {
				return "23: a wait has returned before the end of " + id
			}
		}
		order := -1
		for _, id := range list {
			place := slices.IndexFunc(m.path, func(n *node) bool { return n.kind == "queued" && n.request == id })
			if place < order {
				return "24: the ids of a wait are not in queue order"
			}
			order = place
		}
	}
	return ""
}

// sameOutcome compares an answer message with the completion that it tells of.
func sameOutcome(branch []journal.Entry, answer journal.Entry) bool {
	var told journal.Outcome
	if json.Unmarshal(answer.Details, &told) != nil {
		return false
	}
	for _, e := range slices.Backward(branch) {
		var saved journal.Outcome
		if e.CustomType == journal.TypeQueueCompleted && json.Unmarshal(e.Data, &saved) == nil && saved.RequestID == told.RequestID {
			return string(e.Data) == string(answer.Details)
		}
	}
	return true // only the journal's own completion is on this branch
}
