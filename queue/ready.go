package queue

import "github.com/pi-agent-ask/pi-agent-ask/journal"

// The functions of this file decide over the list of requests and nothing
// else. The list is in queue order, and so is what they return.

// nextToOpen is the first request that still has to be answered, or nil.
func nextToOpen(list []*request) *request {
	for _, r := range list {
		if r.waiting() {
			return r
		}
	}
	return nil
}

// pending counts the requests without a completion on the branch.
func pending(list []*request) int {
	n := 0
	for _, r := range list {
		if r.outcome == nil {
			n++
		}
	}
	return n
}

// readySet is what can be brought to the agent by message: completed, saved,
// not delivered, not claimed, and not what a wait is going to return.
func readySet(list []*request, covered map[string]bool) []*request {
	var ready []*request
	for _, r := range list {
		if r.outcome != nil && !r.unsaved && !r.settled() && !covered[r.id] {
			ready = append(ready, r)
		}
	}
	return ready
}

// idleSet is the part of the ready set that goes to an idle agent: everything
// up to and including the first outcome that starts a turn.
func idleSet(ready []*request) []*request {
	for i, r := range ready {
		if wakes(*r.outcome) {
			return ready[:i+1]
		}
	}
	return ready
}

// cover adds to covered what a wait has to wait for, and reports whether all
// of it is completed and saved.
func cover(list []*request, covered map[string]bool) (complete bool) {
	complete = true
	for _, r := range list {
		if !r.settled() {
			covered[r.id] = true
		}
		if covered[r.id] && (r.outcome == nil || r.unsaved) {
			complete = false
		}
	}
	return complete
}

// collect is the result of a wait for covered: its ids, and the requests whose
// outcomes the agent has not got in another way meanwhile.
func collect(list []*request, covered map[string]bool) (ids []string, results []*request) {
	ids = []string{}
	for _, r := range list {
		if !covered[r.id] {
			continue
		}
		ids = append(ids, r.id)
		if !r.settled() {
			results = append(results, r)
		}
	}
	return ids, results
}

// release drops the claims that a look at the branch has made pointless: those
// of a boundary or a wait always (recorded by now, or never), those of an idle
// wake only when the branch shows the message, because a host starts the turn
// before it records what started it.
func release(list []*request) {
	for _, r := range list {
		if r.claim != byIdle || r.delivered {
			r.claim = unclaimed
		}
	}
}

// wakes reports whether an outcome may start a turn of an idle agent.
func wakes(o journal.Outcome) bool { return o.Result == nil || !o.Result.Cancelled }
