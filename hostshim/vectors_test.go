package hostshim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/asktest"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim/hosttest"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

type scenario struct {
	ID, Title string
	Steps     []struct {
		Do     json.RawMessage
		Expect map[string]json.RawMessage
	}
	Final *struct {
		Journal   map[string]string
		Delivered *[]string
	}
}

type step struct {
	Ev, Reason, Mode, Call, CrashAfter, To, Mark, Entry, Outcome string
	EditorReady                                                  *bool
	Background, Invalid, Nested, DropProposal, Bad               bool
	FailAppend                                                   []string
	Fields                                                       struct {
		Request, Call, Outcome string
		Version                int
		Malformed              bool
	}
}

// TestQueueVectors plays the vectors of the queue through the whole extension:
// real forms on which keys are pressed, and a host that sees what pi sees. There
// is none that cannot be played: an event or a field that the player does not
// know fails the test. Each is played twice, with a new extension for each
// start and, as far as nothing crashes, with one that goes on.
func TestQueueVectors(t *testing.T) {
	for _, file := range asktest.Files(t, asktest.Queue) {
		var content struct{ Scenarios []scenario }
		if err := json.Unmarshal(file.Data, &content); err != nil {
			t.Fatalf("%s: %v", file.Name, err)
		}
		if len(content.Scenarios) == 0 {
			t.Errorf("%s has no scenarios", file.Name)
		}
		for _, s := range content.Scenarios {
			for _, keep := range []bool{false, true} {
				how := map[bool]string{false: "/each start anew", true: "/one extension"}[keep]
				t.Run(file.Name+"/"+s.ID+how, func(t *testing.T) {
					agentDir := noFolder(t)
					synctest.Test(t, func(t *testing.T) { playScenario(t, s, agentDir, keep) })
				})
			}
		}
	}
}

// player plays a scenario on a host in memory.
type player struct {
	*hosttest.Host
	session *journal.Memory

	agentDir string
	keep     bool // the extension is kept from one start to the next
	dead     bool
	mode     string
	marks    map[string]string

	symbols    map[string]string // the vectors' names of requests, by tool call
	callOf     map[string]string // the tool call of a request
	background map[string]bool
	valid      int
	calls      map[string]*hosttest.Call
	told       map[string]string // what the vector knows about a call
	compacting bool
	breaks     atomic.Bool // measuring text panics: the open form fails

	mu       sync.Mutex
	fail     []string // types of entries whose next append fails
	dieAfter string

	// What has happened in the present step:
	appended []journal.Entry
	herdr    []bool
	reply    any
	sent     []map[string]any
	cont     *bool

	flow     struct{ ID, Source string } // of the form that opened last
	status   string
	logged   int
	wakes    []hostshim.Message // delivered, not recorded
	follows  []hosttest.UserMessage
	gotWakes int
	gotUsers int
}

var errDisk = errors.New("no space left on device")

// noFolder is a path at which there is no folder and can be none: a folder that
// is watched keeps a bubble of goroutines from coming to rest.
func noFolder(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	return filepath.Join(file, "folder")
}

func playScenario(t *testing.T, s scenario, agentDir string, keep bool) {
	p := &player{agentDir: agentDir, session: journal.NewMemory(), keep: keep, dead: true, marks: map[string]string{}, symbols: map[string]string{},
		callOf: map[string]string{}, background: map[string]bool{}, calls: map[string]*hosttest.Call{}, told: map[string]string{}}
	defer func() {
		if p.Host != nil {
			p.Close()
		}
	}()
	for i, st := range s.Steps {
		var do step
		in := json.NewDecoder(bytes.NewReader(st.Do))
		in.DisallowUnknownFields()
		if err := in.Decode(&do); err != nil {
			t.Fatalf("step %d: %v: the step cannot be played", i+1, err)
		}
		p.mu.Lock()
		p.fail, p.dieAfter = slices.Clone(do.FailAppend), do.CrashAfter
		p.appended, p.herdr, p.reply, p.sent, p.cont = nil, nil, nil, nil, nil
		p.mu.Unlock()
		if err := p.play(do); err != nil {
			t.Fatalf("step %d %s: %v", i+1, do.Ev, err)
		}
		synctest.Wait()
		if len(p.fail) > 0 {
			t.Errorf("step %d %s: an append that was to fail did not happen: %v", i+1, do.Ev, p.fail)
		}
		if do.Mark != "" {
			p.marks[do.Mark], _ = p.session.Leaf()
		}
		for _, wrong := range p.check(st.Expect) {
			t.Errorf("step %d %s: %s", i+1, do.Ev, wrong)
		}
		if t.Failed() {
			t.Fatalf("%s; what happened:\n\t%s", s.Title, strings.Join(p.Log(), "\n\t"))
		}
	}
	if s.Final != nil {
		p.checkFinal(t, s.Final.Journal, s.Final.Delivered)
	}
}

func (p *player) play(do step) error {
	switch do.Ev {
	case "start":
		return p.start(do)
	case "shutdown":
		return p.Shutdown()
	case "crash":
		p.kill()
	case "tree":
		return p.Tree(p.marks[do.To])
	case "editor_ready":
		p.FreeSlot()
	case "prompt":
		p.Busy(true)
		p.RecordUser([]ask.Block{{Type: ask.TextBlock, Text: "go on"}})
	case "call":
		return p.call(do)
	case "tool_result":
		c := p.calls[do.Call]
		if c == nil {
			return fmt.Errorf("there is no call %s", do.Call)
		}
		p.RecordResult(c)
	case "wait":
		p.Busy(true)
		p.calls[do.Call] = p.Call(ask.ToolWait, do.Call, `{}`)
	case "turn_start":
		p.Busy(true)
		return p.TurnStart()
	case "turn_end", "before_settle":
		return p.boundary(do.DropProposal)
	case "settled":
		return p.Settled()
	case "record_wake":
		return p.recordWake()
	case "record_follow_up":
		p.takeSent()
		if len(p.follows) == 0 {
			return errors.New("there is no follow-up to record")
		}
		p.RecordUser(p.follows[0].Content)
		p.follows = p.follows[1:]
	case "abort_agent":
		for _, c := range p.calls {
			c.Abort()
		}
	case "compact_start":
		p.compacting = true
		p.Busy(true)
	case "compact_end":
		p.compacting = false
		p.Busy(false)
		p.record(journal.Entry{Type: "compaction"})
		return p.Extension().Idle(context.Background(), p.Gen())
	case "submit":
		return p.press("1", "enter")
	case "elaborate":
		return p.press("shift+n", "text:why?", "enter", "tab", "down", "enter")
	case "cancel":
		return p.press("esc")
	case "ui_error":
		p.breaks.Store(true)
		defer p.breaks.Store(false)
		f := p.Form()
		if f == nil {
			return errors.New("no form is open")
		}
		f.Resize(hosttest.Cols-1, hosttest.Rows) // has it drawn anew
		synctest.Wait()
	case "slot_replaced":
		p.TakeSlot()
		synctest.Wait()
		p.FreeSlot()
	case "remote_submit":
		p.remote(do)
	case "retry":
		return p.TurnStart()
	case "foreign_entry":
		p.foreignEntry(do)
	default:
		return fmt.Errorf("the event %q cannot be played", do.Ev)
	}
	return nil
}

// start starts a session: with a new extension, or, as far as possible, with
// the one that is there.
func (p *player) start(do step) error {
	if do.Mode != "" {
		p.mode = do.Mode
	}
	if p.Host != nil && !p.dead {
		if err := p.Shutdown(); err != nil {
			return err
		}
	}
	if p.dead || !p.keep {
		if p.Host != nil {
			p.takeLog()
			p.Close()
		}
		p.open()
	}
	p.dead, p.compacting = false, false
	p.Mode = "tui"
	if p.mode != "" {
		p.Mode = p.mode
	}
	p.Busy(false)
	p.takeSent()
	p.wakes, p.follows = nil, nil
	p.calls = map[string]*hosttest.Call{}
	if do.EditorReady != nil && !*do.EditorReady {
		p.TakeSlot()
	}
	return p.Start(do.Reason)
}

// open makes a host that goes on with the session.
func (p *player) open() {
	h := hosttest.Reopen(hostshim.Info{AgentDir: p.agentDir, Width: func(cluster string) int {
		if p.breaks.Load() {
			panic("the width of " + cluster)
		}
		return display.ClusterWidth(cluster)
	}}, p.session)
	h.Manual = true
	h.Hook = p.hook
	h.OnEvent = p.event
	h.OnAppend = func(e journal.Entry) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.appended = append(p.appended, e)
		if r, ok := journal.Decode(e).(journal.Request); ok {
			p.callOf[r.RequestID] = r.ToolCallID
		}
		if p.dieAfter != "" && e.CustomType == p.dieAfter {
			p.dieAfter, p.dead = "", true
			h.Kill()
		}
	}
	p.Host, p.logged, p.gotWakes, p.gotUsers, p.status = h, 0, 0, 0, ""
}

func (p *player) kill() {
	p.dead = true
	p.Kill()
}

func (p *player) hook(_ context.Context, method string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.fail, strings.TrimPrefix(method, "AppendEntry ")); i >= 0 {
		p.fail = slices.Delete(p.fail, i, i+1)
		return errDisk
	}
	return nil
}

func (p *player) event(e hosttest.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var fields struct {
		Active         bool
		FlowID, Source string
		OK             bool
		Error          any
	}
	if err := json.Unmarshal(e.Data, &fields); err != nil {
		panic(err)
	}
	switch e.Channel {
	case hostshim.ChannelBlocked:
		p.herdr = append(p.herdr, fields.Active)
	case hostshim.ChannelStarted:
		p.flow.ID, p.flow.Source = fields.FlowID, fields.Source
	case hostshim.ChannelSubmitResult:
		p.reply = fields.Error
		if fields.OK {
			p.reply = "ok"
		}
	}
}

// vectorQuestion is the payload of a call with one question, named after it.
func vectorQuestion(call string) ask.Payload {
	return ask.Payload{Title: "About " + call, Questions: []ask.Question{{ID: "q", Label: "Pick", Prompt: "Which one for " + call + "?",
		Options: []ask.Option{{Value: "a", Label: "A"}, {Value: "b", Label: "B"}}}}}
}

func (p *player) call(do step) error {
	payload := vectorQuestion(do.Call)
	payload.Background = do.Background
	if do.Invalid {
		payload.Questions[0].Options = nil
	} else {
		p.valid++
		p.symbols[do.Call] = fmt.Sprint("r", p.valid)
	}
	p.background[do.Call] = do.Background
	raw, err := ask.Marshal(payload)
	if err != nil {
		return err
	}
	p.Busy(true)
	make := p.Call
	if do.Nested {
		make = p.Nested
	}
	if do.CrashAfter == "assistant" {
		h := p.Host // dies at the first thing that is wanted of it
		h.Hook = func(context.Context, string) error { p.kill(); return errDisk }
	}
	p.calls[do.Call] = make(ask.ToolAsk, do.Call, string(raw))
	return nil
}

func (p *player) boundary(drop bool) error {
	messages, more, err := p.Extension().Boundary(context.Background(), p.Gen())
	if len(messages) == 0 {
		return err
	}
	p.cont = &more
	for _, m := range messages {
		p.sent = append(p.sent, map[string]any{"request": p.symbol(requestOf(m)), "via": "boundary"})
		if !drop {
			p.RecordMessage(m)
		}
	}
	return err
}

func (p *player) recordWake() error {
	p.takeSent()
	if len(p.wakes) == 0 {
		return errors.New("there is no wake to record")
	}
	p.RecordMessage(p.wakes[0])
	p.wakes = p.wakes[1:]
	return nil
}

// press presses keys in the form that is open.
func (p *player) press(keys ...string) error {
	f := p.Form()
	if f == nil {
		return errors.New("no form is open")
	}
	press(f, keys...)
	return nil
}

func (p *player) remote(do step) {
	response := `{"kind":"answer","answers":{"q":{"values":["a"]}}}`
	switch {
	case do.Bad:
		response = `{"kind":"answer","answers":{"q":{"values":["nope"]}}}`
	case do.Outcome == "cancel":
		response = `{"kind":"cancel"}`
	case do.Outcome == "elaborate":
		response = `{"kind":"answer","mode":"elaborate","answers":{"q":{"note":"why?"}}}`
	}
	p.Submit(fmt.Sprintf(`{"version":1,"requestId":"s","flowId":"tool:%s","response":%s}`, do.Call, response))
}

func (p *player) record(e journal.Entry) {
	if _, err := p.session.Append(context.Background(), e); err != nil {
		panic(err)
	}
}

func (p *player) foreignEntry(do step) {
	f := do.Fields
	f.Request = p.uuid(f.Request)
	form, err := ask.Normalize(vectorQuestion(f.Call))
	if err != nil {
		panic(err)
	}
	outcome := journal.Outcome{RequestID: f.Request}
	if f.Outcome != "" {
		d, how := ask.NewDrafts(form), ask.Cancelled
		if f.Outcome != "cancel" {
			d.Toggle(0, 0)
			how = ask.Submitted
		}
		r := d.Result(how)
		outcome.Result = &r
	}
	var e journal.Entry
	switch do.Entry {
	case journal.TypeQueued:
		e = journal.Queued{RequestID: f.Request, ToolCallID: f.Call, Params: vectorQuestion(f.Call)}.Entry()
	case journal.TypeQueueCompleted:
		e = journal.QueueCompleted{Outcome: outcome}.Entry()
	case journal.TypeCompleted:
		e = journal.Completed{Outcome: outcome}.Entry()
	case journal.TypeRequest:
		e = journal.Request{RequestID: f.Request, ToolCallID: f.Call, Questions: form.Questions}.Entry()
	case journal.TypeDismissed:
		e = journal.Dismissed{ToolCallID: f.Call, RequestID: f.Request}.Entry()
	default:
		panic("foreign entry of type " + do.Entry)
	}
	if f.Version != 0 {
		e.Data = bytes.Replace(e.Data, []byte(`"version":1`), fmt.Appendf(nil, `"version":%d`, f.Version), 1)
	}
	if f.Malformed {
		e.Data = json.RawMessage(`{"requestId":7,"result":"yes"}`)
	}
	p.record(e)
}
