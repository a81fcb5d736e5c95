package hostshim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

// Names of the tools.
const (
	ToolAsk  = "ask_user"
	ToolWait = "wait_for_answers"
)

// AbortError is the error of a tool call that was aborted.
type AbortError struct{ Err error }

func (e *AbortError) Error() string { return e.Err.Error() }

// Unwrap returns the error that the model is to see.
func (e *AbortError) Unwrap() error { return e.Err }

// Execute runs a tool call until it has a result. Its error is what the model
// is to see; it is an [*AbortError] when the call was aborted.
func (e *Extension) Execute(ctx context.Context, c Call) (ask.ToolResult, error) {
	r, err := e.at(c.Gen)
	if err != nil {
		return ask.ToolResult{}, err
	}
	switch c.Name {
	case ToolAsk:
		return e.ask(ctx, r, c)
	case ToolWait:
		return e.wait(ctx, r)
	}
	return ask.ToolResult{}, fmt.Errorf("hostshim: there is no tool %q", c.Name)
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
	call := queue.Call{ID: c.ID, Payload: payload}
	if payload.Background && r.mode == modeTUI {
		receipt, err := r.manager.Enqueue(ctx, call)
		if err != nil {
			return ask.ToolResult{}, err
		}
		return receipt.Envelope(), nil
	}
	result, err := r.manager.Ask(ctx, call)
	text := result.AgentText()
	switch {
	case errors.Is(err, queue.ErrNotInteractive):
		form, normErr := ask.Normalize(payload)
		if normErr != nil {
			return ask.ToolResult{}, normErr
		}
		_, text = ask.NotInteractive(form)
	case err != nil:
		return ask.ToolResult{}, err
	case result.Cancelled && ctx.Err() != nil:
		text = ask.InterruptedText
	}
	return ask.Envelope(result.RequestID, text, result), nil
}

func (e *Extension) wait(ctx context.Context, r *running) (ask.ToolResult, error) {
	answers, err := r.manager.Wait(ctx)
	switch {
	case errors.Is(err, queue.ErrNotInteractive):
		return ask.ToolResult{}, errors.New("wait_for_answers needs interactive TUI mode.") //lint:ignore ST1005 the text is the tool's error message
	case errors.Is(err, queue.ErrWaitInterrupted):
		return ask.ToolResult{}, &AbortError{err}
	case err != nil:
		return ask.ToolResult{}, err
	}
	return ask.ToolResult{Content: answers.Content(), Details: answers, StructuredContent: answers}, nil
}

// raw is v as JSON; v is a type of ours, which always encodes.
func raw(v any) json.RawMessage {
	out, err := ask.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return out
}
