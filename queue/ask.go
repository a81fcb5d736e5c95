package queue

import (
	"context"
	"fmt"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// Ask shows a form now and blocks until a person has answered it; other forms
// that were asked for earlier come first. The result is saved before Ask
// returns.
//
//   - A payload that cannot become a form: an [*ask.InvalidInput]; nothing is
//     recorded.
//   - No surface: the cancelled result, together with [ErrNotInteractive].
//   - ctx ends while the form is open: the cancelled result, together with
//     [ErrInterrupted]. A person's cancellation is no error.
//   - ctx ends before the form has opened: [ErrNotOpened].
//   - The session changes or closes: [ErrSessionEnded]; nothing is recorded.
//
// Every other error says that the form could not be shown or its result could
// not be saved.
func (m *Manager) Ask(ctx context.Context, call Call) (ask.Result, error) {
	params, form, err := m.prepare(call.Payload)
	if err != nil {
		return ask.Result{}, err
	}
	form = m.present(form)
	m.mu.Lock()
	g, err := m.sync(ctx)
	if err != nil {
		m.mu.Unlock()
		return ask.Result{}, err
	}
	fx := m.flush(g)
	id, err := m.open(call, params, form, false)
	if err != nil || m.surface == nil {
		m.mu.Unlock()
		m.do(fx)
		if err != nil {
			return ask.Result{}, err
		}
		return m.notInteractive(id, form)
	}
	t := m.opt.Lock.take()
	m.tasks.Add(1)
	m.mu.Unlock()
	defer m.tasks.Done()
	defer t.release()
	call.inLine()
	m.do(fx)
	return m.askNow(ctx, g, t, m.newFlow(form, sourceTool, call.ID), id)
}

// askNow waits for the input lock, shows the form and saves the result.
func (m *Manager) askNow(ctx context.Context, g *generation, t *ticket, f *Flow, id string) (ask.Result, error) {
	if !t.wait(g.ctx, ctx) {
		if g.ctx.Err() != nil {
			return ask.Result{}, fmt.Errorf("queue: %w", ErrSessionEnded)
		}
		if err := m.saveTwice(g, journal.Outcome{RequestID: id, Error: ErrNotOpened.Error()}); err != nil {
			return ask.Result{}, err
		}
		return ask.Result{}, ErrNotOpened
	}
	m.working(false)
	end := m.show(ctx, g, f)
	m.working(true)
	switch end.how {
	case sessionEnded:
		return ask.Result{}, fmt.Errorf("queue: %w", ErrSessionEnded)
	case failed:
		if err := m.saveTwice(g, journal.Outcome{RequestID: id, Error: end.failure}); err != nil {
			return ask.Result{}, err
		}
		return ask.Result{}, fmt.Errorf("queue: the form could not be shown: %s", end.failure)
	}
	end.result.RequestID = id
	if err := m.saveTwice(g, journal.Outcome{RequestID: id, Result: end.result}); err != nil {
		return ask.Result{}, err
	}
	if end.how == interrupted {
		return *end.result, ErrInterrupted
	}
	return *end.result, nil
}

// Enqueue records a form for later and returns at once. The form opens by
// itself when its turn comes; its outcome reaches the agent through
// [Manager.TurnEnd], [Manager.Wait] or [Host].Deliver, whichever is first.
//
// A payload that cannot become a form gives an [*ask.InvalidInput], and nothing
// is recorded. Without a surface the error is [ErrNotInteractive], and the
// receipt names the request under which the cancelled outcome is recorded.
func (m *Manager) Enqueue(ctx context.Context, call Call) (ask.Receipt, error) {
	params, form, err := m.prepare(call.Payload)
	if err != nil {
		return ask.Receipt{}, err
	}
	form = m.present(form)
	m.mu.Lock()
	g, err := m.sync(ctx)
	if err != nil {
		m.mu.Unlock()
		return ask.Receipt{}, err
	}
	fx := m.flush(g)
	receipt, err := m.enqueue(g, call, params, form)
	m.mu.Unlock()
	call.inLine()
	m.do(fx)
	if err == nil && m.surface == nil {
		_, err = m.notInteractive(receipt.RequestID, form)
	}
	return receipt, err
}

// enqueue appends what makes a form part of the queue. The lock is held.
func (m *Manager) enqueue(g *generation, call Call, params ask.Payload, form ask.Form) (ask.Receipt, error) {
	if known := g.find(call.RequestID); known != nil {
		return ask.NewReceipt(known.id, known.form, pending(g.requests)), nil
	}
	id, err := m.open(call, params, form, true)
	if err != nil || m.surface == nil {
		return ask.NewReceipt(id, form, 0), err
	}
	queued := journal.Queued{RequestID: id, ToolCallID: call.ID, Params: params, PresentSingleAsMulti: changedTypes(form)}
	if err := m.append(queued); err != nil {
		err = fmt.Errorf("queue: the form could not be saved: %w", err)
		// The first error is the one to report; this only closes the key.
		_ = m.append(journal.Completed{Outcome: journal.Outcome{RequestID: id, Error: err.Error()}})
		return ask.Receipt{}, err
	}
	g.requests = append(g.requests, &request{id: id, callID: call.ID, form: form})
	m.pump(g)
	return ask.NewReceipt(id, form, pending(g.requests)), nil
}

// open appends the first two entries of every valid call and returns the new
// request id. The lock is held.
func (m *Manager) open(call Call, params ask.Payload, form ask.Form, background bool) (id string, err error) {
	now := m.opt.Now()
	err = m.append(journal.Payload{ToolCallID: call.ID, Timestamp: now, Params: params})
	if err == nil {
		id = m.opt.NewID()
		err = m.append(journal.Request{RequestID: id, ToolCallID: call.ID, Title: form.Title,
			Background: background, CreatedAt: now, Questions: form.Questions})
	}
	if err != nil {
		return "", fmt.Errorf("queue: the questions could not be saved: %w", err)
	}
	return id, nil
}

// notInteractive records and returns the outcome of a call that nobody can
// answer.
func (m *Manager) notInteractive(id string, form ask.Form) (ask.Result, error) {
	result, _ := ask.NotInteractive(form)
	result.RequestID = id
	m.mu.Lock()
	g := m.gen
	m.mu.Unlock()
	if err := m.saveTwice(g, journal.Outcome{RequestID: id, Result: &result}); err != nil {
		return ask.Result{}, err
	}
	return result, ErrNotInteractive
}

// prepare checks a payload and loads its preview files. params is what is
// saved, form is what is shown.
func (m *Manager) prepare(p ask.Payload) (params ask.Payload, form ask.Form, err error) {
	if !namesFiles(p) {
		form, err = ask.Normalize(p)
		return p, form, err
	}
	raw, err := ask.Marshal(p)
	if err == nil {
		raw, err = ask.LoadPreviews(raw, m.opt.Dir, nil)
	}
	if err == nil {
		params, err = ask.Decode(raw)
	}
	if err == nil {
		form, err = ask.Normalize(params)
	}
	return params, form, err
}

func namesFiles(p ask.Payload) bool {
	for _, q := range p.Questions {
		for _, o := range q.Options {
			if !ask.IsBlank(o.PreviewFile) {
				return true
			}
		}
	}
	return false
}

// present applies the setting for single-choice questions.
func (m *Manager) present(form ask.Form) ask.Form {
	if m.opt.PresentSingleAsMulti() {
		return form.PresentSinglesAsMulti()
	}
	return form
}

// changedTypes reports whether a question is presented as another type.
func changedTypes(form ask.Form) bool {
	for _, q := range form.Questions {
		if q.Shown() != q.Type {
			return true
		}
	}
	return false
}
