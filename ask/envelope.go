package ask

import "slices"

// ToolResult is what a tool call gives back to the host. StructuredContent
// equals Details.
type ToolResult struct {
	Content           []Block `json:"content"`
	Details           any     `json:"details"`
	StructuredContent any     `json:"structuredContent"`
}

func newToolResult(content []Block, details any) ToolResult {
	return ToolResult{Content: content, Details: details, StructuredContent: details}
}

// Envelope is the tool result of a valid call that is not a receipt. The text
// is that of the outcome, [Result.AgentText] for one that a user gave,
// [InterruptedText], or the second value of [NotInteractive]; the request id is
// put in front of it and into the details. Images follow as blocks.
func Envelope(requestID, text string, r Result) ToolResult {
	r.RequestID = requestID
	return newToolResult(content(requestID, text, r.ImageBlocks()), r)
}

func content(requestID, text string, images []Block) []Block {
	first := Block{Type: TextBlock, Text: "ask_user [" + requestID + "]\n" + text}
	return append([]Block{first}, images...)
}

// Envelope is the tool result of a payload that cannot become a form. It has no
// request id, since nothing was saved.
func (e *InvalidInput) Envelope() ToolResult {
	r := e.Result()
	return newToolResult([]Block{{Type: TextBlock, Text: r.AgentText()}}, r)
}

// Receipt is what a background call gives back at once: neither an answer nor
// an approval.
type Receipt struct {
	Status          string   `json:"status"` // always "queued"
	RequestID       string   `json:"requestId"`
	QuestionIDs     []string `json:"questionIds"`
	PendingRequests int      `json:"pendingRequests"` // this one included
}

// NewReceipt is the receipt of a form that was queued under a request id, with
// pending forms now in the queue.
func NewReceipt(requestID string, f Form, pending int) Receipt {
	ids := make([]string, len(f.Questions))
	for i, q := range f.Questions {
		ids[i] = q.ID
	}
	return Receipt{Status: statusQueued, RequestID: requestID, QuestionIDs: ids, PendingRequests: pending}
}

const statusQueued = "queued"

// MarshalJSON encodes a missing list as an empty one.
func (r Receipt) MarshalJSON() ([]byte, error) {
	type plain Receipt
	r.QuestionIDs = nonNil(r.QuestionIDs)
	return Marshal(plain(r))
}

// Envelope is the tool result that carries the receipt.
func (r Receipt) Envelope() ToolResult {
	r.QuestionIDs = slices.Clone(r.QuestionIDs)
	return newToolResult([]Block{{Type: TextBlock, Text: r.AgentText()}}, r)
}
