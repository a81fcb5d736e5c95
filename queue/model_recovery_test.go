package queue_test

import "slices"

// The part of the model that deals with the end of a session: restarts, moves to
// another branch, and calls which a crash has interrupted.

func (m *model) dismiss(h *heldOutcome, reopened bool) bool {
	switch {
	case !m.add("dismissed", h.request, h.call, h.outcome):
		if h.request != "" {
			m.say("notice", "dismissFailed")
		}
		return false
	case h.outcome != "cancel":
		m.sendUser(m.userName(h.call, h.outcome))
	case reopened:
		m.say("notice", "recoveryDismissed")
	}
	return true
}

// userName tells messages of the user apart: by the call that they name, which
// those about a failure do not.
func (m *model) userName(call, outcome string) string {
	switch {
	case outcome == "error" && m.unqueued[call]:
		return diskFull
	case outcome == "error":
		return ""
	}
	return call
}

const diskFull = "disk"

func (m *model) sendUser(call string) {
	if m.mute || m.life == 0 {
		return
	}
	m.say("user", call, m.busy || m.compacting)
	m.sends, m.busy = append(m.sends, call), true
}

// requestOf is the newest request of a call.
func (m *model) requestOf(call string) string {
	for _, n := range slices.Backward(m.path) {
		if n.kind == "request" && n.call == call {
			return n.request
		}
	}
	return ""
}

// recover does what a start after a crash does before any form opens.
func (m *model) recover() {
	after := func(i int, call string, kinds ...string) bool {
		return slices.ContainsFunc(m.path[i+1:], func(n *node) bool { return n.call == call && slices.Contains(kinds, n.kind) })
	}
	for i, n := range m.path {
		if n.kind == "dismissed" && n.outcome != "cancel" && !after(i, m.userName(n.call, n.outcome), "user") {
			m.sendUser(m.userName(n.call, n.outcome))
		}
	}
	var saved []*heldOutcome
	for i, n := range slices.Backward(m.path) {
		if n.kind != "assistant" || after(i, n.call, "result", "dismissed", "queued") {
			continue
		}
		h := &heldOutcome{call: n.call, request: m.requestOf(n.call)}
		for _, d := range m.path {
			if d.kind == "done" && d.request == h.request {
				h.outcome = d.outcome
			}
		}
		if h.outcome != "" && h.request != "" {
			saved = append(saved, h)
			continue
		}
		if !slices.ContainsFunc(m.held, func(o *heldOutcome) bool { return o.call == n.call && m.has(o.anchor) }) {
			m.await = append(m.await, "recovery:"+n.call)
		}
		break
	}
	for _, h := range slices.Backward(saved) {
		m.dismiss(h, false)
	}
}

// restart begins a new generation; resume deals with interrupted calls.
func (m *model) restart(resume bool) {
	if m.open != "" && m.life != 0 {
		m.say("herdr", false)
	}
	if m.waiting {
		m.say("wait", "interrupted")
	}
	m.claims, m.open, m.line, m.await, m.waiting, m.fg = map[string]string{}, "", nil, nil, false, ""
	for _, h := range m.held {
		h.noted = slices.ContainsFunc(m.path, func(n *node) bool { return n.kind == "done" && n.request == h.request })
	}
	if resume {
		m.recover()
	}
	m.idle()
	if _, next := m.pending(); next != "" {
		m.await = append(m.await, "queue")
	}
	m.pump()
}
