package ask

// Mode says how a form ended: [Submit] or [Elaborate].
type Mode string

const (
	Submit    Mode = "submit"    // ordinary completion
	Elaborate Mode = "elaborate" // the user wants the agent to answer notes first
)

// Image is one attached picture. Data is plain base64 without a data URI prefix.
type Image struct {
	ID       string `json:"id"`
	MimeType string `json:"mimeType"`
	Data     string `json:"data"`
}

// Result is the outcome of a form; its JSON is the contract's AskResult.
type Result struct {
	// RequestID is the journal key, added by the tool layer ("" until then).
	RequestID    string            `json:"requestId,omitempty"`
	Title        string            `json:"title,omitempty"`
	Cancelled    bool              `json:"cancelled"`
	Error        *ResultError      `json:"error,omitempty"`
	Mode         Mode              `json:"mode"`
	Questions    []ResultQuestion  `json:"questions"`
	Answers      map[string]Answer `json:"answers"`
	Continuation *Continuation     `json:"continuation,omitempty"`
	Elaboration  *Elaboration      `json:"elaboration,omitempty"`
}

// ResultError is present only for invalid input.
type ResultError struct {
	Kind   string  `json:"kind"`
	Issues []Issue `json:"issues"`
}

// Issue is one fault of a payload. Path is a JavaScript-like path from the
// root of the payload, for example questions[0].options[1].value.
type Issue struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// ResultQuestion names one question in a [Result].
type ResultQuestion struct {
	ID            string `json:"id"`
	Label         string `json:"label"`
	Prompt        string `json:"prompt"`
	Type          Type   `json:"type"`
	PresentedType Type   `json:"presentedType,omitempty"`
}

// Answer is what was answered to one question. Values and Labels hold the
// selected options in declared order, then the free text if there is any.
// Indices are the 1-based positions of the selected options.
type Answer struct {
	Values           []string           `json:"values"`
	Labels           []string           `json:"labels"`
	Indices          []int              `json:"indices"`
	CustomText       string             `json:"customText,omitempty"`
	Note             string             `json:"note,omitempty"`
	OptionNotes      map[string]string  `json:"optionNotes,omitempty"`
	CustomImages     []Image            `json:"customImages,omitempty"`
	NoteImages       []Image            `json:"noteImages,omitempty"`
	OptionNoteImages map[string][]Image `json:"optionNoteImages,omitempty"`
}

// Continuation tells the agent which questions to ask again after an
// elaboration.
type Continuation struct {
	Strategy            string                   `json:"strategy"`
	AffectedQuestionIDs []string                 `json:"affectedQuestionIds"`
	PreservedAnswers    map[string]Answer        `json:"preservedAnswers"`
	QuestionStates      map[string]QuestionState `json:"questionStates"`
}

// QuestionState is one question's state in a [Continuation]: "answered",
// "needs_clarification" or "unanswered".
type QuestionState struct {
	Status string `json:"status"`
}

// Elaboration carries the user's notes when the mode is [Elaborate].
type Elaboration struct {
	Instruction string `json:"instruction"`
	NextAction  string `json:"nextAction"`
	Items       []Item `json:"items"`
}

// Item is one note of an [Elaboration], with everything that is needed to
// understand it.
type Item struct {
	Target   Target       `json:"target"`
	Question ItemQuestion `json:"question"`
	// Option and Selected are present for option notes only.
	Option   *Option `json:"option,omitempty"`
	Selected *bool   `json:"selected,omitempty"`
	Answered bool    `json:"answered"`
	Answer   *Answer `json:"answer,omitempty"`
	Note     string  `json:"note"`
	Images   []Image `json:"images,omitempty"`
}

// Target says what a note is about: Kind "question", or "option" with the
// option's value.
type Target struct {
	Kind        string `json:"kind"`
	OptionValue string `json:"optionValue,omitempty"`
}

// ItemQuestion is the full question of an [Item].
type ItemQuestion struct {
	ID            string   `json:"id"`
	Label         string   `json:"label"`
	Prompt        string   `json:"prompt"`
	Type          Type     `json:"type"`
	PresentedType Type     `json:"presentedType,omitempty"`
	Options       []Option `json:"options"`
}
