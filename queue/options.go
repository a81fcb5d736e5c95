package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// Surface shows a form to a person.
type Surface interface {
	// Open shows form and blocks until it has ended. It returns the result, or
	// an error when the form could not be shown; both are recorded. A
	// cancelled result means that the person dismissed the form.
	//
	// When ctx ends, Open closes the form and returns; [context.Cause] tells
	// why, for example [ErrAnsweredElsewhere]. When the form has lost its
	// place on the screen, Open keeps it in memory and returns [ErrSlotLost];
	// it is called again with the same flow once the place is free, and then
	// shows the same form again. Opens never overlap, but they run in
	// different goroutines.
	Open(ctx context.Context, form ask.Form, flow *Flow) (ask.Result, error)
}

// Host is what the agent host lets a [Manager] do. Every field may be nil. The
// functions are called without locks held and may call the Manager, except
// Close; they may be called from several goroutines at once.
type Host struct {
	// Idle reports whether the agent does nothing at all: no run, no tool, no
	// compaction, and it was not just aborted. Nil means never, so that
	// answers are only delivered by TurnEnd.
	Idle func() bool
	// Deliver hands over an answer message for the session. With wake it
	// starts a turn of the agent, and the host must report itself busy when
	// Deliver returns; without it the message is recorded at once and nothing
	// starts. An error means that the host did neither. Nil refuses.
	Deliver func(ctx context.Context, message journal.Entry, wake bool) error
	// SendUser sends a message in the user's name: the outcome of a form whose
	// tool call was lost. An idle agent starts a turn; a busy one gets it as a
	// follow-up. Nil refuses.
	SendUser func(ctx context.Context, content []ask.Block, followUp bool) error
	// Abort stops the agent's current operation. It is called once for each
	// form that a person cancelled.
	Abort func()
	// AwaitEditor blocks until the place of forms is free, or ctx ends. Forms
	// that open by themselves after a restart, and forms that lost their
	// place, wait for it. Nil means that the place is always free.
	AwaitEditor func(ctx context.Context) error
	// Notice shows a message to the person.
	Notice func(Notice)
	// Status shows how many questions are pending; "" clears the line.
	Status func(text string)
	// Working hides and shows the sign that the agent is working, around forms
	// that the agent waits for.
	Working func(shown bool)
	// Emit publishes an event on the host's bus; see [Manager.Submit] for the
	// way back. Payloads are JSON. The channels are pi-agent-ask:started,
	// :completed, :submit-result and herdr:blocked.
	Emit func(channel string, payload json.RawMessage)
}

// Notice is a message for the person.
type Notice struct {
	// Kind is "saveFailed", "recoveryOpened", "recoveryDismissed",
	// "recoveryFailed" or "dismissFailed".
	Kind  string
	Error bool // an error rather than information
	Text  string
}

// Options configure a [Manager]. The zero value of every field is a default.
type Options struct {
	Host Host
	// Dir is the directory against which preview files are resolved; "" is the
	// working directory of the process.
	Dir string
	// PresentSingleAsMulti is asked for each new form; nil means false.
	PresentSingleAsMulti func() bool
	// Lock is the input lock; nil means one of the Manager's own. Pass the
	// same Lock to every Manager that shares a screen.
	Lock *Lock
	// NewID makes request ids; nil makes random UUIDs.
	NewID func() string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

func (o *Options) defaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	if out.Lock == nil {
		out.Lock = &Lock{}
	}
	if out.NewID == nil {
		out.NewID = uuid.NewString
	}
	if out.Now == nil {
		out.Now = time.Now
	}
	if out.PresentSingleAsMulti == nil {
		out.PresentSingleAsMulti = func() bool { return false }
	}
	return out
}

// Call is one call of ask_user.
type Call struct {
	// ID is the host's id of the tool call; it links the form to the session.
	// A Go program that asks on its own may leave it empty.
	ID string
	// Payload is the input, with labels prepared (see ask.Prepare) and nothing
	// else changed.
	Payload ask.Payload
	// RequestID is "" for a new form. Enqueue with the id of an earlier
	// receipt writes nothing and returns the current receipt.
	RequestID string
	// InLine, if set, is called once the form is recorded and has its place:
	// a call that is made from then on cannot overtake it.
	InLine func()
}

func (c Call) inLine() {
	if c.InLine != nil {
		c.InLine()
	}
}

// Errors of asking and waiting.
var (
	// ErrNotInteractive: the Manager has no Surface. Calls are recorded as
	// cancelled; waiting is refused.
	ErrNotInteractive = errors.New("needs an interactive terminal")
	// ErrInterrupted: the call was aborted while its form was open. What the
	// model is told is [ask.InterruptedText].
	ErrInterrupted = errors.New(ask.InterruptedText) //lint:ignore ST1005 the text is the tool's answer
	// ErrNotOpened: the call was aborted while another form was open.
	ErrNotOpened = errors.New("The form was interrupted before it opened.") //lint:ignore ST1005 the text is the tool's error message
	// ErrWaitInterrupted: the wait was aborted, or the session changed. The
	// forms stay queued.
	ErrWaitInterrupted = errors.New("Waiting for answers was interrupted.") //lint:ignore ST1005 the text is the tool's error message
	// ErrWaiting: there can be one wait at a time.
	ErrWaiting = errors.New("wait_for_answers is already running.") //lint:ignore ST1005 the text is the tool's error message
	// ErrSessionEnded: the form or call belongs to a session, or a branch of
	// it, that is no longer the present one.
	ErrSessionEnded = errors.New("the session changed or was closed")
)

// Errors between a [Surface] and a [Manager].
var (
	// ErrSlotLost is returned by a Surface whose form lost its place.
	ErrSlotLost = errors.New("the form lost its place on the screen")
	// ErrAnsweredElsewhere is the cause with which the context of Open ends
	// when an event from outside has answered or cancelled the form.
	ErrAnsweredElsewhere = errors.New("the form was answered elsewhere")
	// ErrCancelledElsewhere is an [ErrAnsweredElsewhere] that cancels the form.
	ErrCancelledElsewhere = fmt.Errorf("%w: it was cancelled", ErrAnsweredElsewhere)
)
