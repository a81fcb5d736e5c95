package queue

import (
	"encoding/json"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// The channels of the host's bus.
const (
	channelStarted   = "pi-agent-ask:started"
	channelCompleted = "pi-agent-ask:completed"
	channelReply     = "pi-agent-ask:submit-result"
	channelBlocked   = "herdr:blocked"
)

// Submit takes a pi-agent-ask:submit event: another program answers or cancels
// the open form. Every event is answered by exactly one event on
// pi-agent-ask:submit-result, until the Manager is closed. A refused event
// changes nothing. Submit may be called from inside Host.Emit.
func (m *Manager) Submit(event json.RawMessage) {
	s, err := ask.ParseSubmit(event)
	m.mu.Lock()
	flow, closed := m.flow, m.closed
	m.mu.Unlock()
	if closed {
		return
	}
	if err == nil {
		err = submit(flow, s)
	}
	m.emit(channelReply, s.Reply(err))
}

func submit(flow *Flow, s ask.Submission) error {
	if flow == nil || flow.id != s.FlowID || !flow.active() {
		return ask.FlowNotFound()
	}
	drafts := flow.entered()
	end, err := s.Apply(drafts)
	if err != nil {
		return err
	}
	cause := ErrAnsweredElsewhere
	if end == ask.Cancelled {
		cause = ErrCancelledElsewhere
	}
	if !flow.complete(drafts.Result(end), cause) {
		return ask.FlowNotFound()
	}
	return nil
}

type startedEvent struct {
	Version    int                     `json:"version"`
	FlowID     string                  `json:"flowId"`
	ToolCallID string                  `json:"toolCallId,omitempty"`
	Source     string                  `json:"source"`
	Title      string                  `json:"title,omitempty"`
	Questions  []ask.PresentedQuestion `json:"questions"`
	CreatedAt  int64                   `json:"createdAt"`
}

type completedEvent struct {
	Version     int        `json:"version"`
	FlowID      string     `json:"flowId"`
	ToolCallID  string     `json:"toolCallId,omitempty"`
	Source      string     `json:"source"`
	Result      ask.Result `json:"result"`
	CompletedAt int64      `json:"completedAt"`
}

func (f *Flow) emitStarted() {
	f.manager.emit(channelStarted, startedEvent{1, f.id, f.callID, f.source, f.form.Title, f.form.Presented(), millis(f.manager.opt.Now())})
}

func (f *Flow) emitCompleted(r ask.Result) {
	f.manager.emit(channelCompleted, completedEvent{1, f.id, f.callID, f.source, r, millis(f.manager.opt.Now())})
}

func millis(t time.Time) int64 { return t.UnixMilli() }

// emitBlocked tells that somebody waits for a person, and that this is over.
// It says nothing about the form.
func (m *Manager) emitBlocked(active bool) {
	label := ""
	if active {
		label = "Waiting for user response"
	}
	m.emit(channelBlocked, struct {
		Active bool   `json:"active"`
		Label  string `json:"label,omitempty"`
	}{active, label})
}

// emit publishes an event. What listeners do wrong is their own business.
func (m *Manager) emit(channel string, payload any) {
	if m.host.Emit == nil {
		return
	}
	raw, err := ask.Marshal(payload)
	if err != nil {
		return
	}
	_ = guard(func() { m.host.Emit(channel, raw) })
}
