package ask

// Type is the kind of a question.
type Type string

// The three kinds of question. An absent type means Single.
const (
	Single  Type = "single"  // one choice
	Multi   Type = "multi"   // any number of choices
	Preview Type = "preview" // one choice; every option carries text for the preview pane
)

// Payload is the input of one ask_user call, as the model or a Go host writes
// it. It is raw: nothing is trimmed or checked until [Normalize].
type Payload struct {
	Title      string     `json:"title,omitempty"`
	Background bool       `json:"background,omitempty"`
	Questions  []Question `json:"questions"`
}

// Question is one decision. In a [Payload] everything but ID, Prompt and
// Options may be zero; in a [Form] it is normalised: texts trimmed, Label and
// Type always set.
type Question struct {
	ID     string `json:"id" validate:"notblank"`
	Label  string `json:"label,omitempty"`
	Prompt string `json:"prompt" validate:"notblank"`
	// Type is the type the author requested.
	Type Type `json:"type,omitempty" validate:"omitempty,oneof=single multi preview"`
	// PresentedType is set only while the question is shown as another type
	// than the requested one. See [Question.Shown].
	PresentedType Type     `json:"presentedType,omitempty"`
	Required      bool     `json:"required"`
	Options       []Option `json:"options" validate:"min=1,dive"`

	// AuthorLabel reports whether Label came from the author rather than
	// from the question's position (set by [Normalize]).
	AuthorLabel bool `json:"-"`
}

// Shown is the type the question is presented and handled as.
func (q Question) Shown() Type {
	if q.PresentedType != "" {
		return q.PresentedType
	}
	return q.Type
}

// Option is one choice of a question.
type Option struct {
	Value       string `json:"value" validate:"notblank"`
	Label       string `json:"label" validate:"notblank"`
	Description string `json:"description,omitempty"`
	Preview     string `json:"preview,omitempty"`
	PreviewFile string `json:"previewFile,omitempty"`
	// Recommended is presentation only and never preselects; nil means not given.
	Recommended *bool `json:"recommended,omitempty"`
}

// CustomRowLabel is the label of the free-text row that every question has
// after its options.
const CustomRowLabel = "Type your own"

// Form is a validated, normalised payload: what a person is shown.
type Form struct {
	Title     string     `json:"title,omitempty"`
	Questions []Question `json:"questions"`
}
