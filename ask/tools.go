package ask

import (
	_ "embed"
	"encoding/json"
	"slices"
)

// Names of the two tools.
const (
	ToolAsk  = "ask_user"
	ToolWait = "wait_for_answers"
)

//go:embed schema/input.json
var inputSchema string

//go:embed schema/output.json
var outputSchema string

// InputSchema is the JSON Schema of the arguments of ask_user.
func InputSchema() json.RawMessage { return json.RawMessage(inputSchema) }

// OutputSchema is the JSON Schema of the details of ask_user: a [Result] or a
// [Receipt].
func OutputSchema() json.RawMessage { return json.RawMessage(outputSchema) }

// Tool is what a host registers for one tool.
type Tool struct {
	Name         string          `json:"name"`
	Label        string          `json:"label"`
	Description  string          `json:"description"`
	Snippet      string          `json:"snippet"`
	Guidelines   []string        `json:"guidelines"`
	ModelOnly    bool            `json:"modelOnly"` // not to be called from code
	Parameters   json.RawMessage `json:"parameters"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
}

// Tools describes ask_user and wait_for_answers, in this order.
func Tools() []Tool {
	return []Tool{{
		Name:  ToolAsk,
		Label: "Ask User",
		Description: "Shows the user a form of single-choice, multi-choice or preview questions and returns structured answers. " +
			"For decisions that depend on preferences, missing requirements or one of several valid directions: ask, then use the answers instead of guessing.",
		Snippet:      "Ask the user a short structured form when the next step depends on their choice",
		Guidelines:   slices.Clone(askGuidelines[:]),
		Parameters:   InputSchema(),
		OutputSchema: OutputSchema(),
	}, {
		Name:  ToolWait,
		Label: "Wait for Answers",
		Description: "Waits until all outstanding background ask_user forms are finished and returns the results that were not delivered yet. " +
			"No timeout. Aborting the wait leaves the forms queued.",
		Snippet: "Wait until the pending ask_user forms are answered",
		Guidelines: []string{
			"Call wait_for_answers when independent work is used up or before a dependent step; an empty result means that earlier answers are already in the conversation.",
		},
		ModelOnly:  true,
		Parameters: json.RawMessage(`{"type":"object","properties":{}}`),
	}}
}

// askGuidelines are the bullets that tell the agent how to use ask_user; each
// names the tool, since hosts mix the bullets of all tools.
var askGuidelines = [...]string{
	"Call ask_user before decisions about scope, tone, naming, UX, architecture or direction that the request leaves open.",
	"With several valid directions, use ask_user with 1-3 short questions instead of picking one silently.",
	"In ask_user, one decision per question: stable id, non-empty prompt, value and label on every option, no filler options.",
	"In ask_user, mark a well-founded preference with recommended: true and give the reason in description.",
	"In ask_user, use type preview only when every option has preview text or a previewFile; descriptions do not count.",
	"After an ask_user note or elaboration, clarify and then prefer another structured ask_user form to choices in prose.",
	"Once answers narrow the branch, bundle the next 2-3 related decisions into one ask_user form; go one by one only if a question depends on the previous answer.",
	"Set background: true on ask_user when independent work can go on; the receipt is neither an answer nor an approval.",
	"Background ask_user forms open by themselves, first in first out; an answer arrives as a message at the next turn boundary or wakes an idle agent.",
	"While an ask_user form is pending do only independent work: do not guess the answer and do not take a dependent, approving or irreversible step.",
	"A cancelled, waiting or clarification outcome of ask_user is not approval.",
}
