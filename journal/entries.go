package journal

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// The customType of every entry this library writes. [TypeAnswer] is the only
// one the model sees.
const (
	TypePayload        = "ask:payload"
	TypeRequest        = "ask:history-request"
	TypeQueued         = "ask:queued"
	TypeCompleted      = "ask:history-completed"
	TypeQueueCompleted = "ask:queue-completed"
	TypeDismissed      = "ask:pending-dismissed"
	TypeAnswer         = "ask:background-answer"
)

// The values of [Dismissed.Delivery].
const (
	DeliverFollowUp = "followUp" // the outcome goes to the agent as a user message
	DeliverNone     = "none"     // nothing is sent: the form was cancelled
)

// Data is the content of an entry of this library: one of [Payload],
// [Request], [Queued], [Completed], [QueueCompleted], [Dismissed] and
// [Answer].
type Data interface {
	// Entry returns the entry to append. It holds a copy: what happens to the
	// value later does not change it.
	Entry() Entry
}

// Payload keeps the input of one ask_user call, with labels prepared and
// previews loaded but not normalised. It is the first entry of every valid
// call.
type Payload struct {
	ToolCallID string
	Timestamp  time.Time // stored in milliseconds
	Params     ask.Payload
}

// Request opens a journal key: it says which questions were put to the user.
type Request struct {
	RequestID  string
	ToolCallID string
	Title      string // trimmed, "" when there is none
	Background bool
	CreatedAt  time.Time // stored in UTC with milliseconds
	Questions  []ask.Question
}

// Queued puts a background form into the queue.
type Queued struct {
	RequestID  string
	ToolCallID string // "" when not known
	Params     ask.Payload
	// PresentSingleAsMulti keeps what the setting did to this form when it was
	// queued.
	PresentSingleAsMulti bool
}

// Outcome is how a request ended: with a Result, or with an Error. Its JSON is
// {requestId, result?, error?}.
type Outcome struct {
	RequestID string      `json:"requestId"`
	Result    *ask.Result `json:"result,omitempty"`
	Error     string      `json:"error,omitempty"`
}

// Completed saves the outcome of a request. Without a result and without an
// error it is written with the error "unknown error".
type Completed struct{ Outcome }

// QueueCompleted is the queue's own note of a [Completed] background request.
type QueueCompleted struct{ Outcome }

// Dismissed marks an interrupted call as dealt with.
type Dismissed struct {
	ToolCallID string
	RequestID  string // "" when the call has no journal request
	// Delivery is [DeliverFollowUp], [DeliverNone], or "" in entries of older
	// versions.
	Delivery string
	// Result is set only when there is no journal request that could keep it.
	Result *ask.Result
}

// Answer is the message that brings the outcome of a background form to the
// model. Only the Outcome is used by this library when the message is read.
type Answer struct {
	Outcome
	// Content is a JSON string, or an array of text and image blocks.
	Content json.RawMessage
}

// prefix begins every customType of this library.
const prefix = "ask:"

const unknownError = "unknown error"

// stored gives an outcome the form in which it is written: never without both
// result and error.
func (o Outcome) stored() Outcome {
	if o.Result == nil && o.Error == "" {
		o.Error = unknownError
	}
	o.Result = storedResult(o.Result)
	return o
}

// storedResult gives a result that was put together by hand what it lacks;
// without a mode, a type or a list it would be no result when it is read.
func storedResult(r *ask.Result) *ask.Result {
	if r == nil {
		return nil
	}
	c := *r
	if c.Mode == "" {
		c.Mode = ask.Submit
	}
	c.Questions = slices.Clone(c.Questions)
	for i := range c.Questions {
		c.Questions[i].Type = storedType(c.Questions[i].Type)
	}
	if c.Elaboration != nil {
		e := *c.Elaboration
		e.Items = slices.Clone(e.Items)
		for i := range e.Items {
			q := &e.Items[i].Question
			q.Type, q.Options = storedType(q.Type), storedOptions(q.Options)
		}
		c.Elaboration = &e
	}
	return &c
}

// storedParams replaces missing lists by empty ones.
func storedParams(p ask.Payload) ask.Payload {
	questions := make([]ask.Question, len(p.Questions))
	for i, q := range p.Questions {
		q.Options = storedOptions(q.Options)
		questions[i] = q
	}
	p.Questions = questions
	return p
}

// storedQuestions gives questions that were not normalised the label and type
// that every question of a request has.
func storedQuestions(questions []ask.Question) []ask.Question {
	list := make([]ask.Question, len(questions))
	for i, q := range questions {
		if q.Label == "" {
			q.Label = "Q" + strconv.Itoa(i+1)
		}
		q.Type, q.Options = storedType(q.Type), storedOptions(q.Options)
		list[i] = q
	}
	return list
}

func storedType(t ask.Type) ask.Type {
	if t == "" {
		return ask.Single
	}
	return t
}

func storedOptions(options []ask.Option) []ask.Option {
	if options == nil {
		return []ask.Option{}
	}
	return options
}

const (
	entryVersion  = 1
	payloadSource = "tool"
	isoMillis     = "2006-01-02T15:04:05.000Z"
)

// The shapes of the data as they stand in the session.
type (
	payloadJSON struct {
		Version       int         `json:"version"`
		Timestamp     int64       `json:"timestamp"`
		Source        string      `json:"source"`
		SourceEntryID string      `json:"sourceEntryId"`
		Params        ask.Payload `json:"params"`
	}
	requestJSON struct {
		Version    int            `json:"version"`
		RequestID  string         `json:"requestId"`
		ToolCallID string         `json:"toolCallId"`
		Title      string         `json:"title,omitempty"`
		Background bool           `json:"background"`
		CreatedAt  string         `json:"createdAt"`
		Questions  []ask.Question `json:"questions"`
	}
	queuedJSON struct {
		Version              int         `json:"version"`
		RequestID            string      `json:"requestId"`
		ToolCallID           string      `json:"toolCallId,omitempty"`
		Params               ask.Payload `json:"params"`
		PresentSingleAsMulti bool        `json:"presentSingleAsMulti"`
	}
	completedJSON struct {
		Version int `json:"version"`
		Outcome
	}
	dismissedJSON struct {
		ToolCallID string      `json:"toolCallId"`
		RequestID  string      `json:"requestId,omitempty"`
		Delivery   string      `json:"delivery,omitempty"`
		Result     *ask.Result `json:"result,omitempty"`
	}
)

// Entry implements [Data].
func (p Payload) Entry() Entry {
	return custom(TypePayload, payloadJSON{entryVersion, p.Timestamp.UnixMilli(), payloadSource, p.ToolCallID, storedParams(p.Params)})
}

// Entry implements [Data].
func (r Request) Entry() Entry {
	return custom(TypeRequest, requestJSON{
		entryVersion, r.RequestID, r.ToolCallID, r.Title, r.Background,
		r.CreatedAt.UTC().Format(isoMillis), storedQuestions(r.Questions),
	})
}

// Entry implements [Data].
func (q Queued) Entry() Entry {
	return custom(TypeQueued, queuedJSON{entryVersion, q.RequestID, q.ToolCallID, storedParams(q.Params), q.PresentSingleAsMulti})
}

// Entry implements [Data].
func (c Completed) Entry() Entry {
	return custom(TypeCompleted, completedJSON{entryVersion, c.stored()})
}

// Entry implements [Data].
func (c QueueCompleted) Entry() Entry {
	return custom(TypeQueueCompleted, c.stored())
}

// Entry implements [Data].
func (d Dismissed) Entry() Entry {
	d.Result = storedResult(d.Result)
	return custom(TypeDismissed, dismissedJSON(d))
}

// Entry implements [Data].
func (a Answer) Entry() Entry {
	content := bytes.Clone(a.Content)
	if len(content) == 0 {
		content = json.RawMessage(`""`)
	}
	return Entry{Type: "custom_message", CustomType: TypeAnswer, Content: content, Display: true, Details: encode(a.stored())}
}

func custom(customType string, data any) Entry {
	return Entry{Type: "custom", CustomType: customType, Data: encode(data)}
}

// encode writes v as one line of JSON. The values passed here hold nothing that
// cannot be encoded; should that ever change, the entry has no data, and the
// store refuses it.
func encode(v any) json.RawMessage {
	raw, err := ask.Marshal(v)
	if err != nil {
		return nil
	}
	return raw
}

// Decode returns the content of an entry of this library, or nil for every
// other entry, for an entry of an unknown version and for one whose data do
// not have the right shape. Unknown extra fields are allowed. The texts of
// [Payload.Params] and [Queued.Params] are not validated here: that is
// ask.Normalize's job.
func Decode(e Entry) Data {
	switch {
	case e.Type == "custom_message" && e.CustomType == TypeAnswer:
		var o Outcome
		if !decode(e.Details, outcomeShape, &o) || o.empty() {
			return nil
		}
		return Answer{o, e.Content}
	case e.Type != "custom":
		return nil
	}
	switch e.CustomType {
	case TypePayload:
		var d payloadJSON
		if decode(e.Data, payloadShape, &d) && d.Version == entryVersion && d.Source == payloadSource {
			return Payload{d.SourceEntryID, time.UnixMilli(d.Timestamp).UTC(), d.Params}
		}
	case TypeRequest:
		var d requestJSON
		if !decode(e.Data, requestShape, &d) || d.Version != entryVersion {
			return nil
		}
		created, err := time.Parse(time.RFC3339Nano, d.CreatedAt)
		if err != nil {
			return nil
		}
		return Request{d.RequestID, d.ToolCallID, d.Title, d.Background, created.UTC(), d.Questions}
	case TypeQueued:
		var d queuedJSON
		if decode(e.Data, queuedShape, &d) && d.Version == entryVersion {
			return Queued{d.RequestID, d.ToolCallID, d.Params, d.PresentSingleAsMulti}
		}
	case TypeCompleted:
		var d completedJSON
		if decode(e.Data, completedShape, &d) && d.Version == entryVersion && !d.empty() {
			return Completed{d.Outcome}
		}
	case TypeQueueCompleted:
		var o Outcome
		if decode(e.Data, outcomeShape, &o) && !o.empty() {
			return QueueCompleted{o}
		}
	case TypeDismissed:
		var d dismissedJSON
		if decode(e.Data, dismissedShape, &d) {
			return Dismissed(d)
		}
	}
	return nil
}

// empty reports whether the outcome says nothing; such an entry is ignored.
func (o Outcome) empty() bool { return o.Result == nil && o.Error == "" }
