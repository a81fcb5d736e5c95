package settings

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// SchemaVersion is the version of the file format that this package writes.
const SchemaVersion = 5

// Settings is one complete configuration. Values are never changed in place:
// share and copy them freely, but treat Notifications.Channels as read-only.
type Settings struct {
	SchemaVersion int           `json:"schemaVersion"`
	Behaviour     Behaviour     `json:"behaviour"`
	Keymaps       Keymaps       `json:"keymaps"`
	Notifications Notifications `json:"notifications"`
}

// Behaviour holds the switches of the form.
type Behaviour struct {
	// AutoSubmitWhenAnsweredWithoutNotes submits on the Review tab by itself
	// once every question is answered and there are no notes. Default false.
	AutoSubmitWhenAnsweredWithoutNotes bool `json:"autoSubmitWhenAnsweredWithoutNotes"`
	// ConfirmDismissWhenDirty asks for the same cancel or dismiss action twice
	// before answers or drafts are thrown away. Default true.
	ConfirmDismissWhenDirty bool `json:"confirmDismissWhenDirty"`
	// DoublePressReviewShortcuts makes 1, 2 and 3 on the Review tab act only
	// when pressed twice. Default true.
	DoublePressReviewShortcuts bool `json:"doublePressReviewShortcuts"`
	// PresentSingleAsMulti opens new single-select questions as multi-select.
	// It never changes an open form. Default false.
	PresentSingleAsMulti bool `json:"presentSingleAsMulti"`
	// ShowFooterHints shows the key hints at the bottom. Default true.
	ShowFooterHints bool `json:"showFooterHints"`
}

// Notifications says how the user is called when a form waits.
type Notifications struct {
	// Enabled is true by default.
	Enabled bool `json:"enabled"`
	// Channels are used in this order. Default: the bell.
	Channels []Channel `json:"channels"`
}

// Default returns the settings of a user who changed nothing.
func Default() Settings {
	return Settings{
		SchemaVersion: SchemaVersion,
		Behaviour: Behaviour{
			ConfirmDismissWhenDirty:    true,
			DoublePressReviewShortcuts: true,
			ShowFooterHints:            true,
		},
		Keymaps:       DefaultKeymaps(),
		Notifications: Notifications{Enabled: true, Channels: []Channel{{Kind: ChannelBell}}},
	}
}

// Setting is the dotted name of one of the switches that can be flipped while
// a form is open.
type Setting string

// The switches, in the order of the settings overlay.
const (
	AutoSubmit                 Setting = "behaviour.autoSubmitWhenAnsweredWithoutNotes"
	ConfirmDismissWhenDirty    Setting = "behaviour.confirmDismissWhenDirty"
	DoublePressReviewShortcuts Setting = "behaviour.doublePressReviewShortcuts"
	NotificationsEnabled       Setting = "notifications.enabled"
	ShowFooterHints            Setting = "behaviour.showFooterHints"
	PresentSingleAsMulti       Setting = "behaviour.presentSingleAsMulti"
)

// Get returns the value of a switch, false for an unknown name.
func (s Settings) Get(name Setting) bool {
	p := s.field(name)
	return p != nil && *p
}

// With returns a copy in which the switch has the given value. An unknown name
// changes nothing.
func (s Settings) With(name Setting, value bool) Settings {
	if p := s.field(name); p != nil {
		*p = value
	}
	return s
}

// field returns the place of a switch, nil for an unknown name.
func (s *Settings) field(name Setting) *bool {
	switch name {
	case AutoSubmit:
		return &s.Behaviour.AutoSubmitWhenAnsweredWithoutNotes
	case ConfirmDismissWhenDirty:
		return &s.Behaviour.ConfirmDismissWhenDirty
	case DoublePressReviewShortcuts:
		return &s.Behaviour.DoublePressReviewShortcuts
	case NotificationsEnabled:
		return &s.Notifications.Enabled
	case ShowFooterHints:
		return &s.Behaviour.ShowFooterHints
	case PresentSingleAsMulti:
		return &s.Behaviour.PresentSingleAsMulti
	}
	return nil
}

// ChannelKind names a way to notify.
type ChannelKind string

// The kinds of channels.
const (
	ChannelBell    ChannelKind = "bell"    // rings the terminal bell
	ChannelOSC9    ChannelKind = "osc9"    // desktop notification of iTerm2, Windows Terminal and others
	ChannelOSC777  ChannelKind = "osc777"  // desktop notification of urxvt, Ghostty and others
	ChannelCommand ChannelKind = "command" // runs a command
)

// Channel is one way to notify. In JSON it is "bell", "osc9", "osc777" or
// {"type":"command","command":text}.
type Channel struct {
	Kind    ChannelKind
	Command string // for ChannelCommand, never blank in a valid channel
}

// MarshalJSON writes the channel as the settings file holds it.
func (c Channel) MarshalJSON() ([]byte, error) {
	if c.Kind != ChannelCommand {
		return encode(string(c.Kind))
	}
	return encode(struct {
		Type    ChannelKind `json:"type"`
		Command string      `json:"command"`
	}{c.Kind, c.Command})
}

// UnmarshalJSON reads one channel; anything that is none is an error. Names of
// fields must match exactly, further fields are ignored.
func (c *Channel) UnmarshalJSON(data []byte) error {
	var name string
	if json.Unmarshal(data, &name) == nil {
		switch kind := ChannelKind(name); kind {
		case ChannelBell, ChannelOSC9, ChannelOSC777:
			*c = Channel{Kind: kind}
			return nil
		}
		return fmt.Errorf("unknown notification channel %q", name)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return fmt.Errorf("a notification channel is neither a name nor an object: %w", err)
	}
	var kind, command string
	if json.Unmarshal(fields["type"], &kind) != nil || ChannelKind(kind) != ChannelCommand {
		return fmt.Errorf("a notification channel object needs the type %q", ChannelCommand)
	}
	if json.Unmarshal(fields["command"], &command) != nil || ask.TrimSpace(command) == "" {
		return fmt.Errorf("a command channel needs a command")
	}
	*c = Channel{Kind: ChannelCommand, Command: command}
	return nil
}

// encode is json.Marshal without HTML escaping.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
