package queue_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/asktest"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

type scenario struct {
	ID    string
	Title string
	Steps []struct {
		Do     step
		Expect expectation
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

// expectation keeps what is given apart from what is not.
type expectation map[string]json.RawMessage

func TestVectors(t *testing.T) {
	for _, file := range asktest.Files(t, asktest.Queue) {
		var content struct{ Scenarios []scenario }
		if err := json.Unmarshal(file.Data, &content); err != nil {
			t.Fatalf("%s: %v", file.Name, err)
		}
		if len(content.Scenarios) == 0 {
			t.Errorf("%s has no scenarios", file.Name)
		}
		for _, s := range content.Scenarios {
			t.Run(file.Name+"/"+s.ID, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { playScenario(t, s) })
			})
		}
	}
}

// player plays a scenario and remembers what the checks of a step need.
type player struct {
	*rig
	marks map[string]string
	mode  string
	// of the present step:
	sent     []sentMessage
	cont     *bool
	finished map[string]bool // runs whose end was seen in an earlier step
}

func playScenario(t *testing.T, s scenario) {
	p := &player{rig: newRig(), marks: map[string]string{}, finished: map[string]bool{}}
	for i, st := range s.Steps {
		p.sent, p.cont = nil, nil
		p.failures = slices.Clone(st.Do.FailAppend)
		p.dieAfter = st.Do.CrashAfter
		if err := p.play(st.Do); err != nil {
			t.Fatalf("step %d %s: %v", i+1, st.Do.Ev, err)
		}
		synctest.Wait()
		if len(p.failures) > 0 {
			t.Errorf("step %d %s: an append that was to fail did not happen: %v", i+1, st.Do.Ev, p.failures)
		}
		if st.Do.Mark != "" {
			p.marks[st.Do.Mark], _ = p.store().Leaf()
		}
		for _, wrong := range append(p.check(st.Expect), p.broken...) {
			t.Errorf("step %d %s: %s", i+1, st.Do.Ev, wrong)
		}
		if t.Failed() {
			break
		}
	}
	if s.Final != nil {
		p.checkFinal(t, s.Final.Journal, s.Final.Delivered)
	}
	p.stop(true)
	p.cancelRuns()
	synctest.Wait()
}

func (p *player) play(do step) error {
	ctx := context.Background()
	switch do.Ev {
	case "start":
		return p.start(do)
	case "shutdown":
		p.stop(false)
	case "crash":
		p.stop(true)
		p.runs = map[string]*run{} // nobody is there to get their results
	case "tree":
		if err := p.store().MoveTo(p.marks[do.To]); err != nil {
			return err
		}
		return p.proc.manager.Restore(ctx)
	case "editor_ready":
		close(p.editor)
	case "prompt":
		p.agent.busy = true
		p.userMessage("go on")
	case "call":
		p.callStep(do)
	case "tool_result":
		p.toolResult(do.Call)
	case "wait":
		p.assistant("wait_for_answers", do.Call, map[string]any{})
		p.wait(do.Call)
	case "turn_start":
		p.agent.busy = true
		return p.proc.manager.TurnStart(ctx)
	case "turn_end", "before_settle":
		sent, cont, err := p.boundary(do.DropProposal)
		if sent != nil {
			p.sent, p.cont = sent, &cont
		}
		return err
	case "settled":
		p.agent.busy = false
		return p.proc.manager.Settled(ctx)
	case "record_wake":
		if !p.recordWake() {
			return errors.New("there is no wake to record")
		}
	case "record_follow_up":
		if !p.recordFollowUp() {
			return errors.New("there is no follow-up to record")
		}
	case "abort_agent":
		p.cancelRuns()
	case "compact_start":
		p.agent.compacting = true
	case "compact_end":
		p.agent.compacting = false
		p.record(journal.Entry{Type: "compaction"})
		return p.proc.manager.Idle(ctx)
	case "submit", "elaborate", "cancel", "ui_error":
		if !p.end(endings[do.Ev]) {
			return errors.New("no form is open")
		}
	case "slot_replaced":
		p.end(endings[do.Ev])
	case "remote_submit":
		p.remoteSubmit(do)
	case "retry":
		return p.proc.manager.TurnStart(ctx)
	case "foreign_entry":
		p.foreignEntry(do)
	default:
		return fmt.Errorf("unknown event %q", do.Ev)
	}
	return nil
}

func (p *player) start(do step) error {
	p.stop(false)
	if do.Mode != "" {
		p.mode = do.Mode
	}
	p.editor = make(chan struct{})
	if do.EditorReady == nil || *do.EditorReady {
		close(p.editor)
	}
	m := p.boot(p.mode != "rpc").manager
	switch do.Reason {
	case "startup", "resume", "fork":
		return m.Resume(context.Background())
	}
	return m.Restore(context.Background())
}

func (p *player) callStep(do step) {
	payload := question(do.Call)
	if do.Invalid {
		payload.Questions[0].Options = nil
	} else {
		p.ids++
	}
	p.agent.busy = true
	if !do.Nested {
		p.assistant("ask_user", do.Call, payload)
	}
	if do.CrashAfter == "assistant" {
		p.dieAfter = ""
		p.proc.dead = true
		return
	}
	p.ask(do.Call, do.Background, payload)
}

func (p *player) remoteSubmit(do step) {
	response := `{"kind":"answer","answers":{"q":{"values":["a"]}}}`
	switch {
	case do.Bad:
		response = `{"kind":"answer","answers":{"q":{"values":["nope"]}}}`
	case do.Outcome == "cancel":
		response = `{"kind":"cancel"}`
	case do.Outcome == "elaborate":
		response = `{"kind":"answer","mode":"elaborate","answers":{"q":{"note":"why?"}}}`
	}
	p.proc.manager.Submit(json.RawMessage(fmt.Sprintf(`{"version":1,"requestId":"s","flowId":"tool:%s","response":%s}`, do.Call, response)))
}

func (p *player) foreignEntry(do step) {
	f := do.Fields
	form, _ := ask.Normalize(question(f.Call))
	outcome := journal.Outcome{RequestID: f.Request}
	if f.Outcome != "" {
		r := ask.NewDrafts(form).Result(ask.Cancelled)
		if f.Outcome != "cancel" {
			d := ask.NewDrafts(form)
			d.Toggle(0, 0)
			r = d.Result(ask.Submitted)
		}
		outcome.Result = &r
	}
	var e journal.Entry
	switch do.Entry {
	case journal.TypeQueued:
		e = journal.Queued{RequestID: f.Request, ToolCallID: f.Call, Params: question(f.Call)}.Entry()
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
		e.Data = bytes.Replace(e.Data, []byte(`"version":1`), []byte(fmt.Sprintf(`"version":%d`, f.Version)), 1)
	}
	if f.Malformed {
		e.Data = json.RawMessage(`{"requestId":7,"result":"yes"}`)
	}
	p.record(e)
}

// check compares a step with what it must and must not have done.
func (p *player) check(want expectation) (wrong []string) {
	got := p.take()
	have := map[string]any{
		"appended":    describe(got.appended),
		"sent":        describeSent(append(got.sent, p.sent...)),
		"herdr":       append([]bool{}, got.herdr...),
		"agentAborts": got.aborts,
		"notices":     append([]string{}, got.notices...),
		"followUps":   p.describeUsers(got.users),
		"open":        nil,
		"pending":     p.pending(got.status),
		"agent":       map[bool]string{true: "busy", false: "idle"}[p.agent.busy],
		"continue":    p.cont,
		"crashed":     nil,
	}
	if open := p.openName(); open != "" {
		have["open"] = open
	}
	if p.proc == nil || p.proc.dead {
		have["crashed"] = true
	}
	p.runsOf(got, have)
	defaults := map[string]string{"appended": "[]", "sent": "[]", "herdr": "[]", "agentAborts": "0", "notices": "[]", "followUps": "[]",
		"wait": "null", "receipt": "null", "toolError": "null", "submitResult": "null", "crashed": "null"}
	for key, value := range defaults {
		if _, given := want[key]; !given {
			want[key] = json.RawMessage(value)
		}
	}
	if string(want["crashed"]) == "null" && have["crashed"] != nil && p.proc == nil {
		have["crashed"] = nil // shut down in an orderly way
	}
	for _, key := range sortedKeys(want) {
		if key == "appended" {
			have[key] = onlyAsked(have[key].([]map[string]any), want[key])
		}
		raw, err := json.Marshal(have[key])
		if err != nil {
			panic(err)
		}
		if !sameJSON(raw, want[key]) {
			wrong = append(wrong, fmt.Sprintf("%s:\n got %s\nwant %s", key, raw, want[key]))
		}
	}
	return wrong
}

func sortedKeys(m expectation) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// describe lists entries with every field that a vector may ask for.
func describe(entries []journal.Entry) []map[string]any {
	list := []map[string]any{}
	for _, e := range entries {
		var d struct {
			RequestID, ToolCallID, SourceEntryID, Delivery string
			Background                                     *bool
			Result                                         *ask.Result
			Error                                          string
		}
		raw := e.Data
		if e.CustomType == journal.TypeAnswer {
			raw = e.Details
		}
		if err := json.Unmarshal(raw, &d); err != nil {
			panic(err)
		}
		m := map[string]any{"entry": e.CustomType, "request": d.RequestID, "call": d.ToolCallID + d.SourceEntryID,
			"delivery": d.Delivery, "outcome": outcomeName(d.Result, d.Error), "carriesResult": d.Result != nil}
		if d.Background != nil {
			m["background"] = *d.Background
		}
		list = append(list, m)
	}
	return list
}

// onlyAsked leaves the fields that the vector compares.
func onlyAsked(have []map[string]any, want json.RawMessage) []map[string]any {
	var asked []map[string]any
	if err := json.Unmarshal(want, &asked); err != nil {
		panic(err)
	}
	out := []map[string]any{}
	for i, h := range have {
		m := map[string]any{"entry": h["entry"]}
		if i < len(asked) {
			for key := range asked[i] {
				m[key] = h[key]
			}
		}
		out = append(out, m)
	}
	return out
}

func outcomeName(r *ask.Result, failure string) string {
	switch {
	case failure != "":
		return "error"
	case r == nil:
		return ""
	case r.Cancelled:
		return "cancel"
	}
	return string(r.Mode)
}

func describeSent(sent []sentMessage) []map[string]any {
	list := []map[string]any{}
	for _, s := range sent {
		m := map[string]any{"request": s.request, "via": s.via}
		if s.via == "idle" {
			m["triggerTurn"] = s.wake
		}
		list = append(list, m)
	}
	return list
}

// describeUsers finds out which call a follow-up belongs to: the one whose
// dismissal came last, since all forms of the vectors have the same answers.
func (p *player) describeUsers(users []sentUser) []map[string]any {
	list := []map[string]any{}
	for _, u := range users {
		call := ""
		for _, e := range p.branch() {
			var d struct{ ToolCallID, Delivery string }
			if e.CustomType == journal.TypeDismissed && json.Unmarshal(e.Data, &d) == nil && d.Delivery == "followUp" {
				call = d.ToolCallID
			}
		}
		m := map[string]any{"call": call, "deliverAs": nil}
		if u.followUp {
			m["deliverAs"] = "followUp"
		}
		list = append(list, m)
	}
	return list
}

func (p *player) pending(status string) int {
	n := 0
	if status != "" {
		if _, err := fmt.Sscanf(status, "Questions pending: %d", &n); err != nil {
			panic("status line: " + status)
		}
	}
	return n
}

// runsOf adds what tool calls gave back in this step, and the answer to a
// remote submission.
func (p *player) runsOf(got trace, have map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.proc != nil && p.proc.dead {
		p.runs = map[string]*run{}
	}
	for id, c := range p.runs {
		switch {
		case c.wait && !c.done && !p.finished[id]:
			p.finished[id] = true // reported once as pending
			have["wait"] = "pending"
		case c.wait && c.done && !p.finished[id+" done"]:
			p.finished[id], p.finished[id+" done"] = true, true
			have["wait"] = waitOutcome(c)
		case !c.wait && c.done && !p.finished[id]:
			p.finished[id] = true
			p.callOutcome(id, c, have)
		}
	}
	for _, e := range got.events {
		if e.channel == "pi-agent-ask:submit-result" {
			have["submitResult"] = "ok"
			if e.payload["ok"] != true {
				have["submitResult"] = e.payload["error"]
			}
		}
	}
}

func (p *player) callOutcome(id string, c *run, have map[string]any) {
	var invalid *ask.InvalidInput
	switch {
	case errors.As(c.err, &invalid):
		have["toolError"] = "invalid_input"
	case errors.Is(c.err, errDisk):
		have["toolError"] = "append"
	case c.err == nil && p.calls[id]:
		have["receipt"] = map[string]any{"requestId": c.receipt.RequestID, "pendingRequests": c.receipt.PendingRequests}
	}
}

func waitOutcome(c *run) any {
	switch {
	case errors.Is(c.err, queue.ErrNotInteractive):
		return map[string]any{"error": "nonTui"}
	case errors.Is(c.err, queue.ErrWaiting):
		return map[string]any{"error": "busy"}
	case errors.Is(c.err, queue.ErrWaitInterrupted):
		return map[string]any{"error": "interrupted"}
	case c.err != nil:
		return map[string]any{"error": c.err.Error()}
	}
	results := []string{}
	for _, o := range c.answers.Results {
		results = append(results, o.RequestID)
	}
	return map[string]any{"status": c.answers.Status, "requestIds": c.answers.RequestIDs, "results": results}
}

func (p *player) checkFinal(t *testing.T, statuses map[string]string, delivered *[]string) {
	if statuses != nil {
		got := map[string]string{}
		for _, r := range journal.Records(p.branch()) {
			got[r.RequestID] = string(r.Status)
		}
		if !reflect.DeepEqual(got, statuses) {
			t.Errorf("journal at the end: got %v, want %v", got, statuses)
		}
	}
	if delivered != nil {
		got := deliveries(p.branch())
		want := slices.Sorted(slices.Values(*delivered))
		if ids := sortedIDs(got); !slices.Equal(ids, want) {
			t.Errorf("delivered at the end: got %v, want %v", ids, want)
		}
	}
}

// deliveries counts, independently of the queue's own reading, how often each
// request was brought to the agent on a branch.
func deliveries(branch []journal.Entry) map[string]int {
	n := map[string]int{}
	for _, e := range branch {
		if e.CustomType == journal.TypeAnswer {
			n[answerID(e)]++
		}
		if e.Type != "message" || !strings.Contains(string(e.Message), `"wait_for_answers"`) {
			continue
		}
		var m struct {
			Role    string
			IsError bool
			Details struct {
				Results []struct{ RequestID string }
			}
		}
		if json.Unmarshal(e.Message, &m) != nil || m.Role != "toolResult" || m.IsError {
			continue
		}
		for _, r := range m.Details.Results {
			n[r.RequestID]++
		}
	}
	return n
}

func sortedIDs(n map[string]int) []string {
	ids := []string{}
	for id := range n {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
