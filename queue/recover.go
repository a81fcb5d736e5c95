package queue

import (
	"fmt"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// recover does the part of a plan that needs no person: what was lost is sent
// again, and what was saved is settled.
func (m *Manager) recover(g *generation, p plan) {
	for _, f := range p.resend {
		m.sendFollowUp(g, f)
	}
	for _, c := range p.settle {
		fx := effects{gen: g}
		m.mu.Lock()
		if !m.current(g) {
			m.mu.Unlock()
			return
		}
		m.dismiss(c, *c.outcome, false, &fx)
		m.mu.Unlock()
		m.do(fx)
	}
}

// reopen shows the form of a call that was interrupted.
func (m *Manager) reopen(g *generation, c *calledAsk, t *ticket) {
	defer t.release()
	form := m.present(c.form)
	m.notice(Notice{Kind: "recoveryOpened", Text: fmt.Sprintf("An earlier form is still unanswered (%d question(s)); it is opened again.", len(form.Questions))})
	m.working(false)
	defer m.working(true)
	if !t.wait(g.ctx, g.ctx) {
		return
	}
	end := m.show(g.ctx, g, m.newFlow(form, sourceResume, c.id))
	switch {
	case end.how == sessionEnded:
	case end.failure != "":
		m.notice(Notice{Kind: "recoveryFailed", Error: true, Text: "The unanswered form could not be opened: " + end.failure})
	default:
		end.result.RequestID = c.requestID
		m.record(g, &held{call: c, outcome: journal.Outcome{RequestID: c.requestID, Result: end.result}})
	}
}

// saveRecovered saves the outcome of a recovered call and, once it is saved,
// settles the call. Without a journal request the dismissal itself keeps it.
func (m *Manager) saveRecovered(h *held, fx *effects) error {
	if h.call.requestID == "" {
		return m.dismiss(h.call, h.outcome, true, fx)
	}
	if err := m.append(journal.Completed{Outcome: h.outcome}); err != nil {
		return err
	}
	m.dismiss(h.call, h.outcome, true, fx)
	return nil
}

// dismiss marks a call as dealt with and plans the message that tells the
// agent. reopened says that a person has just ended its form. The lock is held.
func (m *Manager) dismiss(c *calledAsk, o journal.Outcome, reopened bool, fx *effects) error {
	d := journal.Dismissed{ToolCallID: c.id, RequestID: c.requestID, Delivery: journal.DeliverNone}
	if wakes(o) {
		d.Delivery = journal.DeliverFollowUp
	}
	if c.requestID == "" {
		d.Result = o.Result
	}
	if err := m.append(d); err != nil {
		if c.requestID != "" {
			fx.notices = append(fx.notices, Notice{Kind: "dismissFailed", Error: true,
				Text: fmt.Sprintf("A finished form could not be marked as finished; that is made up for at the next start: %v", err)})
		}
		return err
	}
	switch {
	case wakes(o):
		fx.send = append(fx.send, followUp{c.id, o})
	case reopened:
		fx.notices = append(fx.notices, Notice{Kind: "recoveryDismissed", Text: "The reopened form was dismissed."})
	}
	return nil
}

// sendFollowUp tells the agent the outcome of a call that no longer exists, as
// a message of the user. If it fails, the next start finds the message missing
// and sends it again.
func (m *Manager) sendFollowUp(g *generation, f followUp) {
	if m.host.SendUser == nil || g.ctx.Err() != nil {
		return
	}
	content := []ask.Block{{Type: ask.TextBlock, Text: outcomeText(f.outcome)}}
	if f.outcome.Result != nil {
		content = append(content, f.outcome.Result.ImageBlocks()...)
	}
	_ = m.host.SendUser(g.ctx, content, !m.idle())
}
