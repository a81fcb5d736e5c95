package hostshim

import (
	"context"
	"errors"
	"fmt"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

// AbortError is the error of a tool call that was aborted.
type AbortError struct{ Err error }

func (e *AbortError) Error() string { return e.Err.Error() }

// Unwrap returns the error that the model is to see.
func (e *AbortError) Unwrap() error { return e.Err }

// Execute runs a tool call until it has a result: for ask_user in front until a
// person has answered. The outcome is saved when Execute returns.
//
// An error's text is what the model is to see. It is an [*AbortError] when ctx
// ended, and [ErrStale] when the session did.
func (e *Extension) Execute(ctx context.Context, c Call) (ask.ToolResult, error) {
	r, err := e.at(c.Gen)
	if err != nil {
		return ask.ToolResult{}, err
	}
	var out ask.ToolResult
	switch c.Name {
	case ask.ToolAsk:
		out, err = e.ask(ctx, r, c)
	case ask.ToolWait:
		if c.inLine != nil {
			c.inLine()
		}
		out, err = e.wait(ctx, r)
	default:
		err = fmt.Errorf("hostshim: there is no tool %q", c.Name)
	}
	if errors.Is(err, queue.ErrSessionEnded) {
		err = ErrStale
	}
	return out, err
}

func (e *Extension) ask(ctx context.Context, r *running, c Call) (ask.ToolResult, error) {
	result, err := e.asked(ctx, r, c)
	var bad *ask.InvalidInput
	switch {
	case errors.As(err, &bad):
		return bad.Envelope(), nil
	case err != nil && ctx.Err() != nil:
		return ask.ToolResult{}, &AbortError{err}
	}
	return result, err
}

// asked runs ask_user; a payload that cannot become a form is an error.
func (e *Extension) asked(ctx context.Context, r *running, c Call) (ask.ToolResult, error) {
	params, err := ask.LoadPreviews(ask.Prepare(c.Params), c.Cwd, nil)
	if err != nil {
		return ask.ToolResult{}, err
	}
	payload, err := ask.Decode(params)
	if err != nil {
		return ask.ToolResult{}, err
	}
	if _, err := e.at(c.Gen); err != nil {
		return ask.ToolResult{}, err // reading files may have taken longer than the branch
	}
	call := queue.Call{ID: c.ID, Payload: payload, InLine: c.inLine}
	switch {
	case r.mode != modeTUI:
		return e.askNobody(ctx, r, call)
	case payload.Background:
		receipt, err := r.manager.Enqueue(ctx, call)
		if err != nil {
			return ask.ToolResult{}, err
		}
		return receipt.Envelope(), nil
	}
	result, err := r.manager.Ask(ctx, call)
	text := result.AgentText()
	switch {
	case errors.Is(err, queue.ErrInterrupted):
		text = ask.InterruptedText
	case err != nil:
		return ask.ToolResult{}, err
	}
	return ask.Envelope(result.RequestID, text, result), nil
}

// askNobody answers a call in a mode in which no form can be shown.
func (e *Extension) askNobody(ctx context.Context, r *running, call queue.Call) (ask.ToolResult, error) {
	form, err := ask.Normalize(call.Payload)
	if err != nil {
		return ask.ToolResult{}, err
	}
	if e.singleAsMulti() {
		form = form.PresentSinglesAsMulti()
	}
	result, text := ask.NotInteractive(form)
	if call.Payload.Background {
		var receipt ask.Receipt // names the request that was recorded
		receipt, err = r.manager.Enqueue(ctx, call)
		result.RequestID = receipt.RequestID
	} else {
		result, err = r.manager.Ask(ctx, call)
	}
	if !errors.Is(err, queue.ErrNotInteractive) {
		return ask.ToolResult{}, err
	}
	return ask.Envelope(result.RequestID, text, result), nil
}

func (e *Extension) wait(ctx context.Context, r *running) (ask.ToolResult, error) {
	answers, err := r.manager.Wait(ctx)
	if errors.Is(err, queue.ErrWaitInterrupted) {
		return ask.ToolResult{}, &AbortError{err}
	}
	if err != nil {
		return ask.ToolResult{}, err
	}
	return ask.ToolResult{Content: answers.Content(), Details: answers, StructuredContent: answers}, nil
}
