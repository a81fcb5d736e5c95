package hostshim

import (
	"encoding/json"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// Channels of the host's event bus.
const (
	ChannelStarted      = "pi-agent-ask:started"
	ChannelCompleted    = "pi-agent-ask:completed"
	ChannelSubmit       = "pi-agent-ask:submit"
	ChannelSubmitResult = "pi-agent-ask:submit-result"
	ChannelBlocked      = "herdr:blocked"
)

// ProtocolVersion is the version of the protocol that [Serve] speaks.
const ProtocolVersion = 1

// Manifest is everything that a host registers before an engine runs.
type Manifest struct {
	Protocol int               `json:"protocol"`
	Tools    []ManifestTool    `json:"tools"`
	Commands []ManifestCommand `json:"commands"`
	// MessageTypes are the custom messages that the host draws with rows of
	// the engine.
	MessageTypes []string `json:"messageTypes"`
	// Outcomes are the entry types after which the session file is synced.
	Outcomes []string          `json:"outcomes"`
	Channels map[string]string `json:"channels"`
}

// ManifestTool is one tool, in the words of the host's tool API.
type ManifestTool struct {
	Name         string          `json:"name"`
	Label        string          `json:"label"`
	Description  string          `json:"description"`
	Snippet      string          `json:"promptSnippet"`
	Guidelines   []string        `json:"promptGuidelines"`
	Exposure     string          `json:"exposure"` // "direct" or "model-only"
	Parameters   json.RawMessage `json:"parameters"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
}

// ManifestCommand is one slash command.
type ManifestCommand struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// NewManifest returns the manifest of this engine.
func NewManifest() Manifest {
	m := Manifest{
		Protocol:     ProtocolVersion,
		Commands:     []ManifestCommand{{"ask-settings", "Show and change the ask settings"}},
		MessageTypes: []string{journal.TypeAnswer},
		Outcomes:     []string{journal.TypeCompleted, journal.TypeQueueCompleted, journal.TypeDismissed},
		Channels: map[string]string{
			"started": ChannelStarted, "completed": ChannelCompleted, "submit": ChannelSubmit,
			"submitResult": ChannelSubmitResult, "blocked": ChannelBlocked,
		},
	}
	for _, t := range ask.Tools() {
		exposure := "direct"
		if t.ModelOnly {
			exposure = "model-only"
		}
		m.Tools = append(m.Tools, ManifestTool{
			Name: t.Name, Label: t.Label, Description: t.Description, Snippet: t.Snippet, Guidelines: t.Guidelines,
			Exposure: exposure, Parameters: t.Parameters, OutputSchema: t.OutputSchema,
		})
	}
	return m
}
