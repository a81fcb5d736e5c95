// Package hostshim adapts the ask tools to an agent host: the pi coding agent
// through its TypeScript shim, or anything else that can do what [Host] asks.
//
//	err := hostshim.Serve(ctx, os.Stdin, os.Stdout) // be the engine of a host in another process
//	ext := hostshim.New(host, info)                 // or wire a host of your own, in Go
//
// Everything that is decided is decided here and in package queue; a host only
// carries. Messages that belong to a session carry its generation, a number
// that the host counts up with every session change; what belongs to an older
// one is refused with [ErrStale].
package hostshim

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
	"github.com/pi-agent-ask/pi-agent-ask/form"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// ErrStale means that a message belongs to a session that is over.
var ErrStale = errors.New("hostshim: the session has changed")

// Host is what the extension needs of an agent host. A host may also implement
// [Notifier], [Bus], [TerminalWriter], [form.Clipboard] and [form.FileLister].
//
// All methods are called from several goroutines at once. They may call the
// [Extension], but not Start, Tree, Shutdown or Close. A context ends when the
// answer is of no use any more, at the latest with the session. A gen that is
// not the present one is answered with [ErrStale], or ignored where there is no
// error. Package hosttest has a host in memory.
type Host interface {
	Session
	Agent
	Screen
}

// Session is the host's session file.
type Session interface {
	// AppendEntry adds an entry of type "custom" as a child of the leaf and
	// returns its id. It is on disk when AppendEntry returns; with an error it
	// does not exist.
	AppendEntry(ctx context.Context, gen uint64, customType string, data json.RawMessage) (id string, err error)
	// Branch returns the entries from the root to the leaf. If after is not ""
	// and still on the branch, only those behind it may be returned; Complete
	// then is true.
	Branch(ctx context.Context, gen uint64, after string) (Branch, error)
}

// Branch is a branch, or its end.
type Branch struct {
	Leaf    string          `json:"leaf"`
	Entries []journal.Entry `json:"entries"`
	// Complete says that what came before the asked-for entry is as it was;
	// without it Entries is the whole branch.
	Complete bool `json:"complete"`
}

// Agent is the host's agent.
type Agent interface {
	// Idle reports whether nothing runs: no turn, no tool, no compaction.
	Idle(ctx context.Context, gen uint64) (bool, error)
	// Abort stops the current operation.
	Abort(ctx context.Context, gen uint64) error
	// Deliver adds a message to the session. With wake it starts a turn: Idle
	// reports false when Deliver returns.
	Deliver(ctx context.Context, gen uint64, m Message, wake bool) error
	// SendUser sends a message in the user's name, as a follow-up if the agent
	// is busy.
	SendUser(ctx context.Context, gen uint64, content []ask.Block, followUp bool) error
}

// Message is a message of the session that the model sees: an entry of type
// "custom_message". Content is a JSON string or a list of blocks; the model does
// not see Details.
type Message struct {
	CustomType string          `json:"customType"`
	Content    json.RawMessage `json:"content"`
	Display    bool            `json:"display"`
	Details    json.RawMessage `json:"details,omitempty"`
}

// Screen is the place where the host shows one form at a time.
type Screen interface {
	// OpenForm mounts a form, under a number that stays the same when it is
	// mounted again. It returns when the form is mounted; from then on, or from
	// inside OpenForm, the host tells what happens to the form through
	// [Extension.Form]. An error means that the form cannot be shown.
	OpenForm(ctx context.Context, gen uint64, f FormSlot) error
	// ShowFrame shows a picture of a form. It is called by one goroutine for
	// each form and may block while the host is busy: pictures that were drawn
	// over meanwhile are never sent.
	ShowFrame(f Frame)
	// CloseForm gives the place back. It is called as well for a form that was
	// not mounted, because OpenForm failed or its context ended.
	CloseForm(ctx context.Context, f FormEnd) error
}

// FormSlot says which form is to be mounted.
type FormSlot struct {
	Number int    `json:"form"`
	Kind   string `json:"kind"` // "ask" or "settings"
	// Frame is a first picture, so that the place is never empty; nil if it is
	// not known yet how large the place is. ShowFrame gives it again when the
	// host has told that the form is mounted.
	Frame *Frame `json:"frame,omitempty"`
}

// FormEnd says which form is to be closed.
type FormEnd struct {
	Number int `json:"form"`
	// Elsewhere says that nobody at the form has ended it: an event answered or
	// cancelled it, or its call was aborted. A person may just be typing, and
	// means the form: a host whose own editor gets the keys next drops those
	// that come before a pause of 300 ms, for 2 s at most.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// Frame is a picture of a form, drawn for a size.
type Frame struct {
	Number int      `json:"form"`
	Seq    int      `json:"seq"`
	Cols   int      `json:"cols"`
	Rows   int      `json:"rows"`
	Lines  []string `json:"lines"`
}

// Notifier shows short texts to the person.
type Notifier interface {
	Notify(gen uint64, text string, isError bool)
	// Status shows how many questions are pending; "" clears it.
	Status(gen uint64, text string)
	// Working shows and hides the sign that the agent works.
	Working(gen uint64, shown bool)
}

// Bus publishes events to other programs in the host.
type Bus interface {
	Emit(gen uint64, channel string, data json.RawMessage)
}

// TerminalWriter writes bytes that draw nothing to the terminal, such as a
// bell.
type TerminalWriter interface {
	WriteTerminal(data []byte) error
}

// Info describes a host. Zero values are defaults.
type Info struct {
	// AgentDir is the folder whose extensions folder holds the settings file.
	AgentDir string
	// Theme of the forms; nil is a theme for the terminal.
	Theme *form.Theme
	// PasteImageKeys are the host's keys for attaching an image;
	// see [form.Options].
	PasteImageKeys []string
	// CursorMarker is put into frames at the cursor.
	CursorMarker string
	// Width is how many columns the host's screen gives to a cluster; nil is
	// [display.ClusterWidth].
	Width display.WidthFunc
	// Cols and Rows are the room that a form has, in cells, as far as it is known
	// before the first one is mounted.
	Cols, Rows int
	// Guard is the quiet gap without key presses after which a form that just
	// opened takes keys: 0 is 300 ms, negative is off.
	Guard time.Duration
}

// Call is one tool call.
type Call struct {
	Gen uint64 `json:"gen"`
	ID  string `json:"callId"`
	// Name is ask_user or wait_for_answers.
	Name string `json:"name"`
	// Params are the arguments as the model gave them.
	Params json.RawMessage `json:"params"`
	// Cwd is the folder at which relative preview files start.
	Cwd string `json:"cwd"`

	inLine func() // the call has its place: the next one may begin
}

// Start is the start of a session.
type Start struct {
	// Gen is greater than that of anything before; the first is 1.
	Gen uint64 `json:"gen"`
	// Reason is startup, reload, new, resume or fork. Interrupted calls are
	// recovered after startup, resume and fork.
	Reason string `json:"reason"`
	// Mode is "tui" where forms can be shown, anything else where they cannot.
	Mode string `json:"mode"`
	Cwd  string `json:"cwd"`
	// EditorReady says that the native editor is in its place already.
	EditorReady bool `json:"editorReady"`
	// Branch is the branch now; if it is nil, Start asks the host for it.
	Branch *Branch `json:"-"`
}
