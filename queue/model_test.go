package queue_test

import (
	"fmt"
	"slices"
	"strings"
)

// model says what the queue has to do. It knows nothing of goroutines, JSON or
// the store: a session is a list of nodes, and every operation is one step.
// A background form goes by its request id, a foreground form by "fg:" and its
// call, a recovered one by "recovery:" and its call.
type model struct {
	path                     []*node           // the branch
	busy, compacting, editor bool              // the host
	wakes, sends             []string          // sent, but not recorded yet
	claims                   map[string]string // by request: boundary, wait or idle
	open                     string            // the open form
	line, await              []string          // who waits for the input lock, and for the editor before that
	waiting                  bool
	covered                  map[string]bool // by the wait
	held                     []*heldOutcome
	fg, fgRequest            string          // the foreground call that is under way
	fail                     []string        // entry types whose next append fails
	life                     int             // appends until the process dies, -1 for never
	unqueued                 map[string]bool // calls whose queued entry could not be written
	mute                     bool            // the process is ending: nothing is sent any more
	did                      []string        // what others can see of this step
}

// node is an entry of the session, as far as it matters.
type node struct {
	kind, request, call string
	outcome             string   // submit, elaborate, cancel or error
	results             []string // of a wait
}

type heldOutcome struct {
	request, call, outcome string
	anchor                 *node
	noted, told            bool
}

// fact is what the branch says about a background request.
type fact struct {
	id, outcome       string
	delivered, unsure bool // unsure: not all of the outcome is saved
}

func (m *model) say(what ...any) { m.did = append(m.did, strings.TrimSpace(fmt.Sprintln(what...))) }

// add appends an entry of the library and reports whether that worked.
func (m *model) add(kind, request, call, outcome string) bool {
	if i := slices.Index(m.fail, kind); i >= 0 && m.life != 0 {
		m.fail = slices.Delete(m.fail, i, i+1)
		return false
	}
	if m.life == 0 {
		return false
	}
	m.life = max(m.life-1, -1)
	m.path = append(m.path, &node{kind: kind, request: request, call: call, outcome: outcome})
	m.say("append", kind, request, call, outcome)
	return true
}

func (m *model) has(anchor *node) bool { return anchor == nil || slices.Contains(m.path, anchor) }

func (m *model) facts() (list []*fact) {
	at := map[string]*fact{}
	for _, n := range m.path {
		f := at[n.request]
		switch {
		case n.kind == "queued" && f == nil:
			f = &fact{id: n.request}
			at[f.id], list = f, append(list, f)
		case (n.kind == "done" || n.kind == "queuedone") && f != nil:
			f.outcome = n.outcome
		case n.kind == "answer" && f != nil:
			f.delivered = true
		}
		for _, id := range n.results {
			if at[id] != nil {
				at[id].delivered = true
			}
		}
	}
	for _, h := range m.held {
		if f := at[h.request]; f != nil && m.has(h.anchor) {
			f.unsure = true
		}
	}
	return list
}

func (m *model) settled(f *fact) bool {
	return f.outcome != "" && (f.delivered || m.claims[f.id] != "")
}

func (m *model) ready() []*fact {
	return slices.DeleteFunc(m.facts(), func(f *fact) bool {
		return f.outcome == "" || f.unsure || m.settled(f) || m.waiting
	})
}

// pending counts the requests without completion; next is the first of them
// that the queue can open.
func (m *model) pending() (n int, next string) {
	for _, f := range slices.Backward(m.facts()) {
		if f.outcome == "" {
			n++
			if !f.unsure {
				next = f.id
			}
		}
	}
	return n, next
}

// pump lets the queue stand in line and opens whoever is first.
func (m *model) pump() {
	if m.life == 0 {
		return
	}
	if m.editor {
		if len(m.await) > 0 && m.await[0] != "queue" {
			m.say("notice", "recoveryOpened")
		}
		m.line, m.await = append(m.line, m.await...), nil
	}
	_, next := m.pending()
	if next != "" && !slices.Contains(append(m.await, m.line...), "queue") && !background(m.open) {
		m.line = append(m.line, "queue")
	}
	if m.open != "" || len(m.line) == 0 {
		return
	}
	m.open, m.line = m.line[0], m.line[1:]
	if m.open == "queue" {
		m.open = next
	}
	m.say("herdr", true)
}

func background(form string) bool { return form != "" && !strings.Contains(form, ":") }

// idle delivers to an idle agent.
func (m *model) idle() {
	for _, f := range m.ready() {
		if m.busy || m.compacting || m.life == 0 {
			return
		}
		m.say("sent", f.id, "idle", f.outcome != "cancel")
		if m.claims[f.id] = "idle"; f.outcome != "cancel" {
			m.busy, m.wakes = true, append(m.wakes, f.id)
		} else if !m.add("answer", f.id, "", f.outcome) {
			delete(m.claims, f.id)
		}
	}
}

func (m *model) boundary(drop bool) (cont bool) {
	for _, f := range m.ready() {
		m.claims[f.id] = "boundary"
		cont = cont || f.outcome != "cancel"
		m.say("sent", f.id, "boundary", false)
		if !drop {
			m.add("answer", f.id, "", f.outcome)
		}
	}
	return cont
}

func (m *model) reconcile() {
	m.flush()
	for _, f := range m.facts() {
		if m.claims[f.id] != "idle" || f.delivered {
			delete(m.claims, f.id)
		}
	}
	m.finishWait()
}

// finishWait ends the wait when everything it covers is saved.
func (m *model) finishWait() {
	var ids, results []string
	for _, f := range m.facts() {
		if !m.waiting || !m.settled(f) && (f.outcome == "" || f.unsure) {
			return
		}
		m.covered[f.id] = m.covered[f.id] || !m.settled(f)
		if m.covered[f.id] {
			ids = append(ids, f.id)
		}
		if !m.settled(f) {
			results = append(results, f.id)
		}
	}
	if m.waiting {
		for _, id := range results {
			m.claims[id] = "wait"
		}
		m.waiting = false
		m.say("wait", ids, results)
	}
}

// save writes what is missing of an outcome and reports whether nothing is.
func (m *model) save(h *heldOutcome) bool {
	if !h.noted && h.request != "" && !m.add("done", h.request, "", h.outcome) {
		return false
	}
	if h.noted = h.request != ""; h.call == "" {
		return m.add("queuedone", h.request, "", h.outcome)
	}
	return m.dismiss(h, true) || h.request != ""
}

// flush tries to save what is held.
func (m *model) flush() {
	m.held = slices.DeleteFunc(m.held, func(h *heldOutcome) bool {
		if !m.has(h.anchor) || m.save(h) {
			return m.has(h.anchor)
		}
		if !h.told {
			m.say("notice", "saveFailed")
		}
		h.told = true
		return false
	})
	m.finishWait()
}

// end ends the open form with an outcome.
func (m *model) end(outcome string) {
	form := m.open
	_, call, _ := strings.Cut(form, ":")
	m.say("herdr", false)
	if outcome == "cancel" {
		m.say("abort")
		m.abort()
	}
	h := &heldOutcome{request: form, outcome: outcome, anchor: m.path[len(m.path)-1]}
	if !background(form) {
		h.call, h.request = call, m.requestOf(call)
	}
	switch {
	case strings.HasPrefix(form, "fg:"):
		m.endCall(outcome)
	case h.call != "" && outcome == "error":
		m.say("notice", "recoveryFailed")
	default:
		m.held = append(m.held, h)
		m.flush()
	}
	m.open = ""
	m.pump()
	if !strings.HasPrefix(form, "fg:") {
		m.idle()
	}
}

// abort stops what the agent is doing, but not the form that is just ending.
func (m *model) abort() {
	if m.waiting {
		m.waiting = false
		m.say("wait", "interrupted")
		m.idle()
	}
	if i := slices.Index(m.line, "fg:"+m.fg); i >= 0 {
		m.line = slices.Delete(m.line, i, i+1)
		m.endCall("error")
	}
}

// endCall saves the outcome of the foreground call, with a second try.
func (m *model) endCall(outcome string) {
	saved := m.add("done", m.fgRequest, "", outcome)
	if saved = saved || m.add("done", m.fgRequest, "", outcome); !saved {
		m.say("notice", "saveFailed")
	}
	m.fg = ""
}
