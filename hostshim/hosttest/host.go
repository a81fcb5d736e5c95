// Package hosttest is an agent host in memory, for tests of what is built on
// package hostshim: a session tree, a screen on which a test presses keys, an
// agent that does as it is told, and a log of everything that happened.
//
//	h := hosttest.New(hostshim.Info{})
//	defer h.Close()
//	h.Start("startup")
//	call := h.Call("ask_user", "call-1", `{"questions":[…]}`)
//	h.NextForm().Press("1", "enter")
//	result, err := call.Wait()
//
// Methods that wait give up after ten seconds and panic, with the log.
package hosttest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// patience is how long a method waits for what a test says will happen.
const patience = 10 * time.Second

// Host is a host with one extension. It implements [hostshim.Host] and all the
// powers that a host may have, but for a file list. It is safe for concurrent
// use; the exported fields are set before Start.
type Host struct {
	// Mode of the sessions; "" is "tui".
	Mode string
	// Hook is called at the beginning of each method that the extension calls
	// and that can fail, with the method's name and the type of an entry, as in
	// "AppendEntry ask:queued". Its error becomes the method's.
	Hook func(ctx context.Context, method string) error
	// OnEvent is called for each event on the bus.
	OnEvent func(Event)
	// OnAppend is called after each entry that the extension, or the host on
	// its behalf, has appended.
	OnAppend func(journal.Entry)
	// Image is what the clipboard holds; nil is an empty one.
	Image *ask.Image
	// Manual leaves it to the test to record what a real host records only
	// later, if at all: results of tool calls, messages that wake the agent,
	// and messages in the user's name. See the methods Record….
	Manual bool

	ext    *hostshim.Extension
	calls  sync.WaitGroup
	ownDir string // made by the first setting that is changed; removed by Close

	mu      sync.Mutex
	changed chan struct{} // closed at every change
	gen     uint64
	session *journal.Memory
	busy    bool
	dead    bool
	running []*Call
	taken   bool // something else has the place of forms
	stack   []*Form
	forms   map[int]*Form
	fresh   []*Form // not yet returned by NextForm
	log     []string
	events  []Event

	delivered []Delivery
	users     []UserMessage
}

// Event is an event on the host's bus.
type Event struct {
	Channel string
	Data    json.RawMessage
}

// Delivery is a message that was delivered.
type Delivery struct {
	Message hostshim.Message
	Wake    bool // it woke the agent
}

// UserMessage is a message in the user's name.
type UserMessage struct {
	Content  []ask.Block
	FollowUp bool // the agent was busy
}

// New returns a host with an empty session. Without an AgentDir the settings
// are the default ones, and changes last until Close; without a Guard forms
// take keys at once.
func New(info hostshim.Info) *Host { return Reopen(info, journal.NewMemory()) }

// Reopen returns a host that goes on with the session of another one, as after
// the death of its process.
func Reopen(info hostshim.Info, session *journal.Memory) *Host {
	ownDir := ""
	if info.AgentDir == "" {
		ownDir = filepath.Join(os.TempDir(), "pi-agent-ask-hosttest-"+uuid.NewString())
		info.AgentDir = ownDir
	}
	if info.Guard == 0 {
		info.Guard = -1
	}
	if info.Theme == nil {
		info.Theme = &form.Theme{NoColor: true}
	}
	h := &Host{Mode: "tui", ownDir: ownDir, session: session, changed: make(chan struct{}), forms: map[int]*Form{}}
	h.ext = hostshim.New(h, info)
	return h
}

// Extension is the extension in this host.
func (h *Host) Extension() *hostshim.Extension { return h.ext }

// Session is the session.
func (h *Host) Session() *journal.Memory { return h.session }

// Gen is the present generation.
func (h *Host) Gen() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.gen
}

// next counts the generation up.
func (h *Host) next() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gen++
	return h.gen
}

// Start starts a session. The native editor is in its place unless TakeSlot
// was called.
func (h *Host) Start(reason string) error {
	gen := h.next()
	h.mu.Lock()
	ready := !h.taken
	h.mu.Unlock()
	return h.ext.Start(context.Background(), hostshim.Start{Gen: gen, Reason: reason, Mode: h.Mode, EditorReady: ready})
}

// Tree moves the leaf to an entry and tells the extension; "" is the root.
func (h *Host) Tree(entry string) error {
	gen := h.next() // from here on the host refuses what belongs to the old branch
	if err := h.session.MoveTo(entry); err != nil {
		return err
	}
	return h.ext.Tree(context.Background(), gen)
}

// Shutdown ends the session.
func (h *Host) Shutdown() error { return h.ext.Shutdown(context.Background(), h.next()) }

// Close ends everything and waits for the tool calls.
func (h *Host) Close() {
	h.ext.Close()
	h.calls.Wait()
	if h.ownDir != "" {
		_ = os.RemoveAll(h.ownDir)
	}
}

// note logs what happened and wakes those who wait.
func (h *Host) note(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.dead {
		return
	}
	h.log = append(h.log, fmt.Sprintf(format, args...))
	h.wake()
}

// woken wakes those who wait.
func (h *Host) woken() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wake()
}

// wake wakes those who wait; the lock is held.
func (h *Host) wake() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// until waits until done reports true; it is called with the lock held.
func (h *Host) until(what string, done func() bool) {
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		h.mu.Lock()
		ok, changed := done(), h.changed
		log := strings.Join(h.log, "\n\t")
		h.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-late.C:
			panic("hosttest: waited in vain for " + what + "; what happened:\n\t" + log)
		}
	}
}

// WaitLog waits until this line is in the log.
func (h *Host) WaitLog(line string) { h.WaitLogs(1, line) }

// WaitLogs waits until this line is in the log n times.
func (h *Host) WaitLogs(n int, line string) {
	h.until(fmt.Sprintf("the line %q, %d time(s)", line, n), func() bool {
		found := 0
		for _, l := range h.log {
			if l == line {
				found++
			}
		}
		return found >= n
	})
}

// Log is what happened, oldest first:
//
//	append ask:queued      an entry was appended
//	open 1 ask             a form was opened, by its number and kind
//	close 1                and closed
//	event herdr:blocked    an event on the bus
//	deliver true           an answer message was delivered, and woke the agent
//	user                   a message in the user's name was sent
//	abort                  the agent was stopped
//	notice, status, working, terminal   with what was shown
func (h *Host) Log() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.log)
}

// Events are the events on the bus, oldest first; with channels, only those.
func (h *Host) Events(channels ...string) []Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []Event
	for _, e := range h.events {
		if len(channels) == 0 || slices.Contains(channels, e.Channel) {
			found = append(found, e)
		}
	}
	return found
}

// UserMessages are the texts sent in the user's name.
func (h *Host) UserMessages() (texts []string) {
	for _, m := range h.Users() {
		texts = append(texts, m.Content[0].Text)
	}
	return texts
}

// Users are the messages sent in the user's name, oldest first.
func (h *Host) Users() []UserMessage {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.users)
}

// Delivered are the messages that were delivered outside of a turn's end,
// oldest first.
func (h *Host) Delivered() []Delivery {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.delivered)
}

// Entries are the entries of the branch with this custom type.
func (h *Host) Entries(customType string) []journal.Entry {
	branch, _ := h.session.Branch(context.Background()) // a session in memory does not fail
	return slices.DeleteFunc(slices.Clone(branch), func(e journal.Entry) bool { return e.CustomType != customType })
}
