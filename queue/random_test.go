package queue_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

// opsVariable makes the random test longer: a number of operations.
const opsVariable = "PI_AGENT_ASK_QUEUE_OPS"

// op is one random operation; what a and b mean depends on its kind, and on
// what is possible at that moment.
type op struct {
	Kind string
	A, B int
}

// opWeights says how often each kind is drawn.
var opWeights = map[string]int{
	"enqueue": 10, "nested": 2, "ask": 5, "result": 12, "wait": 5, "submit": 14, "elaborate": 3, "cancel": 4, "ui_error": 2,
	"remote": 4, "remote_cancel": 2, "remote_bad": 1, "abort": 2, "turn_start": 6, "turn_end": 10, "drop": 2, "settled": 7,
	"record_wake": 7, "record_follow_up": 4, "compact": 2, "compacted": 3, "editor": 3, "slot": 3, "mark": 5, "tree": 3,
	"fork": 1, "reload": 1, "crash": 2, "restart": 1, "fail": 3, "die": 3, "junk": 1, "again": 1,
}

func opGenerator() *rapid.Generator[op] {
	var kinds []string
	for kind, n := range opWeights {
		kinds = append(kinds, slices.Repeat([]string{kind}, n)...)
	}
	slices.Sort(kinds)
	kinds = slices.Insert(kinds, 0, "pass") // what operations shrink to
	return rapid.Custom(func(t *rapid.T) op {
		return op{rapid.SampledFrom(kinds).Draw(t, "kind"), rapid.IntRange(0, 9).Draw(t, "a"), rapid.IntRange(0, 9).Draw(t, "b")}
	})
}

// TestRandomOperations plays random operations on a Manager and on the model,
// and compares everything that can be seen after each. A failing sequence is
// shrunk and kept in testdata/rapid.
func TestRandomOperations(t *testing.T) {
	total := 51_200
	if s := os.Getenv(opsVariable); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("%s: %v", opsVariable, err)
		}
		total = n
	}
	ops := rapid.SliceOfN(opGenerator(), 40, 160) // 80 on the average
	if testing.Short() || raceDetector {
		total /= 10
	}
	played, runs := 0, 0
	for played < total {
		rapid.Check(t, func(rt *rapid.T) {
			list := ops.Draw(rt, "ops")
			var failure string
			synctest.Test(t, func(*testing.T) { failure = playRandom(list, &played) })
			runs++
			if failure != "" {
				rt.Fatalf("%s\nin %v", failure, slices.DeleteFunc(list, func(o op) bool { return o.Kind == "pass" }))
			}
		})
		if t.Failed() {
			return
		}
	}
	t.Logf("%d operations in %d runs", played, runs)
}

// random is a rig with the model beside it.
type random struct {
	*rig
	m     *model
	marks []mark
	step  []string // what was said by the real thing, besides its trace
	lost  bool     // the open form has lost its place
	calls int
	waits map[string][]string // results of waits that are not recorded
	loose bool                // the order of appends is not defined in this step
	fresh bool                // the session has changed in this step
	check invariants
}

type mark struct {
	leaf string
	path []*node
}

func playRandom(ops []op, played *int) string {
	r := &random{rig: newRig(), m: &model{claims: map[string]string{}, unqueued: map[string]bool{}, life: -1, editor: true}, waits: map[string][]string{}}
	r.boot(true)
	_ = r.proc.manager.Resume(context.Background())
	synctest.Wait()
	defer func() {
		r.stop(true)
		synctest.Wait()
	}()
	r.record(journal.Entry{Type: "custom", CustomType: "foreign"})
	r.m.path = append(r.m.path, &node{kind: "other"})
	for i, o := range ops {
		*played++
		r.step, r.m.did, r.loose = nil, nil, false
		r.check.herdr = r.check.herdr && o.Kind != "crash" // nobody hears the dead
		r.play(o)
		synctest.Wait()
		if wrong := r.compare(); wrong != "" {
			return fmt.Sprintf("operation %d %v: %s", i, o, wrong)
		}
		if wrong := r.check.after(r.m, o, r.proc.dead); wrong != "" {
			return fmt.Sprintf("operation %d %v: invariant broken: %s", i, o, wrong)
		}
		if r.fresh { // tool calls do not outlive the session
			r.runs, r.fresh = map[string]*run{}, false
		}
		if r.proc.dead {
			r.m.life = -1
			r.m.path = nodesOf(r.branch())
			r.m.did, r.step = nil, nil
			r.check.herdr = false
			r.restart(o.A, true)
			synctest.Wait()
			if wrong := r.compare(); wrong != "" {
				return fmt.Sprintf("operation %d %v, start after the crash: %s", i, o, wrong)
			}
			if wrong := r.check.after(r.m, op{Kind: "crash"}, false); wrong != "" {
				return fmt.Sprintf("operation %d %v, start after the crash: invariant broken: %s", i, o, wrong)
			}
		}
	}
	if got, want := nodesOf(r.branch()), r.m.path; !sameNodes(got, want) {
		return fmt.Sprintf("the session at the end:\n got %s\nwant %s", nodeText(got), nodeText(want))
	}
	return ""
}

// play carries out one operation on both.
func (r *random) play(o op) {
	m, ctx := r.m, context.Background()
	manager := r.proc.manager
	switch o.Kind {
	case "pass":
	case "enqueue", "nested", "ask":
		r.call(o.Kind)
	case "again":
		r.enqueueAgain()
	case "result":
		r.result(false)
	case "wait":
		r.waitOp()
	case "submit", "elaborate", "cancel", "ui_error":
		r.endForm(o.Kind)
	case "remote", "remote_cancel", "remote_bad":
		r.remote(o.Kind)
	case "abort":
		r.abort()
	case "turn_start":
		r.recordWaits()
		r.agent.busy, m.busy = true, true
		_ = manager.TurnStart(ctx)
		m.reconcile()
	case "turn_end", "drop":
		sent, cont, _ := r.boundary(o.Kind == "drop")
		for _, s := range sent {
			r.step = append(r.step, fmt.Sprintln("sent", s.request, s.via, s.wake))
		}
		r.step = append(r.step, fmt.Sprintln("cont", cont))
		m.say("cont", m.boundary(o.Kind == "drop"))
	case "settled":
		r.recordWaits()
		r.agent.busy, m.busy = false, false
		_ = manager.Settled(ctx)
		m.reconcile()
		m.idle()
	case "record_wake":
		if r.recordWake() {
			id := m.wakes[0]
			m.wakes = m.wakes[1:]
			m.add("answer", id, "", m.outcomeOf(id))
		}
	case "record_follow_up":
		if r.recordFollowUp() {
			m.path = append(m.path, &node{kind: "user", call: m.sends[0]})
			m.sends = m.sends[1:]
		}
	default:
		r.playHost(o)
	}
}

// playHost carries out operations that come from outside of the agent's run.
func (r *random) playHost(o op) {
	m := r.m
	switch o.Kind {
	case "compact":
		r.agent.compacting, m.compacting = true, true
	case "compacted":
		r.agent.compacting, m.compacting = false, false
		r.other()
		_ = r.proc.manager.Idle(context.Background())
		m.flush()
		m.idle()
	case "editor":
		r.setEditor(true)
		m.pump()
	case "slot":
		if o.A < 4 {
			r.setEditor(false)
		}
		if r.proc.form != nil {
			r.lost = !m.editor
			r.end(endings["slot_replaced"])
		}
	case "mark":
		leaf, _ := r.store().Leaf()
		r.marks = append(r.marks, mark{leaf, slices.Clone(m.path)})
	case "tree", "fork":
		r.move(o)
	case "reload":
		r.loose = true
		r.dropWakes()
		m.flush()
		_ = r.proc.manager.Restore(context.Background())
		m.restart(false)
		r.lost = false
	case "crash", "restart":
		r.restart(o.A, o.Kind == "crash")
	case "fail":
		if len(m.fail) == 0 && m.life < 0 {
			kind := []string{"payload", "request", "queued", "done", "queuedone", "dismissed", "answer", "done"}[o.A%8]
			m.fail, r.failures = []string{kind}, []string{longKinds[kind]}
		}
	case "die":
		if m.life < 0 && len(m.fail) == 0 {
			m.life, r.life = o.A+1, o.A+1
		}
	case "junk":
		r.junk(o.A)
	default:
		panic("unknown operation " + o.Kind)
	}
}

var longKinds = map[string]string{"payload": journal.TypePayload, "request": journal.TypeRequest, "queued": journal.TypeQueued,
	"done": journal.TypeCompleted, "queuedone": journal.TypeQueueCompleted, "dismissed": journal.TypeDismissed, "answer": journal.TypeAnswer}

// other records an entry that means nothing to the queue.
func (r *random) other() {
	r.record(journal.Entry{Type: "compaction"})
	r.m.path = append(r.m.path, &node{kind: "other"})
}

// junk records an entry that looks like one of ours and is not.
func (r *random) junk(i int) {
	junk := []journal.Entry{
		{Type: "custom", CustomType: journal.TypeQueued, Data: json.RawMessage(`{"version":2,"requestId":"r1","params":{}}`)},
		{Type: "custom", CustomType: journal.TypeQueueCompleted, Data: json.RawMessage(`{"requestId":"r1","result":7}`)},
		{Type: "custom", CustomType: journal.TypeCompleted, Data: json.RawMessage(`{"version":1,"requestId":"r1"}`)},
		{Type: "custom_message", CustomType: journal.TypeAnswer, Content: json.RawMessage(`"x"`), Details: json.RawMessage(`{"requestId":"r1"}`)},
		{Type: "custom", CustomType: "somebody:else", Data: json.RawMessage(`{"requestId":"r1"}`)},
	}
	r.record(junk[i%len(junk)])
	r.m.path = append(r.m.path, &node{kind: "other"})
}

// payloadFor is a form whose texts name the call, so that they can be told
// apart.
func payloadFor(call string) ask.Payload {
	p := question(call)
	p.Questions[0].Label = call
	return p
}

func (r *random) call(kind string) {
	m := r.m
	if kind == "ask" && m.fg != "" {
		return
	}
	r.calls++
	r.ids++
	call, id := fmt.Sprintf("c%d", r.calls), r.nextID()
	if kind != "nested" {
		r.assistant("ask_user", call, payloadFor(call))
		m.path = append(m.path, &node{kind: "assistant", call: call})
	}
	m.busy = true
	r.rig.ask(call, kind != "ask", payloadFor(call))
	m.flush()
	if !m.add("payload", "", call, "") || !m.add("request", id, call, "") {
		return
	}
	if kind == "ask" {
		m.fg, m.fgRequest = call, id
		m.line = append(m.line, "fg:"+call)
	} else if !m.add("queued", id, call, "") {
		m.add("done", id, "", "error")
		m.unqueued[call] = true
	}
	m.pump()
}

// enqueueAgain repeats a call with the request id of a known form.
func (r *random) enqueueAgain() {
	facts := r.m.facts()
	if len(facts) == 0 {
		return
	}
	id := facts[len(facts)/2].id
	r.m.flush()
	receipt, err := r.proc.manager.Enqueue(context.Background(), queue.Call{Payload: question("again"), RequestID: id})
	n, _ := r.m.pending()
	r.step = append(r.step, fmt.Sprintln("again", receipt.RequestID, receipt.PendingRequests, err))
	r.m.say("again", id, n, nil)
}

// recordWaits records the results of waits, as every host does before the next
// turn starts or the run is over.
func (r *random) recordWaits() {
	for _, id := range sortedRuns(r.runs) { // a copy: recording takes calls away
		if c := r.runs[id]; c.wait && c.done {
			r.result(true)
		}
	}
}

// result records the tool result of a call that has ended.
func (r *random) result(wait bool) {
	for _, id := range sortedRuns(r.runs) {
		c := r.runs[id]
		if !c.done || wait && !c.wait {
			continue
		}
		n := &node{kind: "result", call: id}
		if c.wait && c.err == nil {
			n.results = r.waits[id]
		}
		r.toolResult(id)
		r.m.path = append(r.m.path, n)
		return
	}
}

func sortedRuns(runs map[string]*run) []string {
	var ids []string
	for id := range runs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func (r *random) waitOp() {
	m := r.m
	r.calls++
	call := fmt.Sprintf("w%d", r.calls)
	m.busy = true
	second := m.waiting
	r.rig.wait(call)
	if second {
		m.say("wait", "busy")
		return
	}
	m.flush()
	m.waiting, m.covered = true, map[string]bool{}
	m.finishWait()
}

func (r *random) endForm(kind string) {
	m := r.m
	if r.proc.form == nil {
		return
	}
	r.loose = kind == "cancel"
	r.settleFaults(kind == "cancel")
	end := endings[kind]
	if kind == "ui_error" {
		// All failures read alike, since their texts do not name the call.
		end = func(*openForm) (ask.Result, error) { return ask.Result{}, queue.ErrNotOpened }
	}
	r.end(end)
	m.end(strings.TrimPrefix(kind, "ui_"))
}

// settleFaults takes planned faults back where it is not defined which append
// comes first, and so which one would fail.
func (r *random) settleFaults(aborts bool) {
	if aborts && r.m.fg != "" {
		r.m.fail, r.failures = nil, nil
		r.m.life, r.life = -1, 0
	}
}

func (r *random) remote(kind string) {
	m := r.m
	_, call, _ := strings.Cut(m.open, ":")
	if background(m.open) {
		call = m.callOf(m.open)
	}
	response := map[string]string{"remote": `{"kind":"answer","answers":{"q":{"values":["a"]}}}`, "remote_cancel": `{"kind":"cancel"}`,
		"remote_bad": `{"kind":"answer","answers":{"q":{"values":["a","b"]}}}`}[kind]
	reply := "true"
	switch {
	case m.open == "":
		reply = string(ask.CodeFlowNotFound)
	case kind == "remote_bad":
		reply = string(ask.CodeInvalidAnswer)
	default:
		r.loose = kind == "remote_cancel"
		r.settleFaults(r.loose)
	}
	r.proc.manager.Submit(json.RawMessage(`{"version":1,"requestId":"s","flowId":"tool:` + call + `","response":` + response + `}`))
	if m.life != 0 {
		m.say("reply", reply)
	}
	if reply == "true" {
		r.lost = false
		m.end(map[string]string{"remote": "submit", "remote_cancel": "cancel"}[kind])
	}
}

func (r *random) abort() {
	m := r.m
	r.loose = true
	r.settleFaults(true)
	r.cancelRuns()
	m.abort()
	if m.fg != "" && m.open == "fg:"+m.fg {
		m.say("herdr", false)
		m.endCall("cancel")
		m.open, r.lost = "", false
		m.pump()
	}
}

func (r *random) setEditor(ready bool) {
	if ready == r.m.editor {
		return
	}
	r.mu.Lock()
	if ready {
		close(r.editor)
		r.lost = false
	} else {
		r.editor = make(chan struct{})
	}
	r.mu.Unlock()
	r.m.editor = ready
}

// move goes to an earlier leaf, in the same process or in a new one.
func (r *random) move(o op) {
	if len(r.marks) == 0 {
		return
	}
	to := r.marks[o.A%len(r.marks)]
	if o.Kind == "fork" {
		r.shutDown()
	}
	if err := r.store().MoveTo(to.leaf); err != nil {
		panic(err)
	}
	r.m.path = slices.Clone(to.path)
	if o.Kind == "fork" {
		r.start(true)
		return
	}
	r.dropWakes()
	_ = r.proc.manager.Restore(context.Background())
	r.m.restart(false)
	r.lost = false
}

// dropWakes forgets messages that the host was about to record: the session
// changes only when the run that they started has been given up.
func (r *random) dropWakes() {
	r.wakes, r.m.wakes, r.sends, r.m.sends = nil, nil, nil, nil
	r.fresh = true
}

func (r *random) restart(reason int, crash bool) {
	if crash {
		r.stop(true)
	} else {
		r.shutDown()
	}
	r.start(reason%4 != 0)
}

func (r *random) shutDown() {
	r.m.mute, r.m.waiting = true, false // nobody gets the result of a wait any more
	r.m.flush()
	r.stop(false)
	r.m.mute = false
	if r.m.open != "" {
		r.m.say("herdr", false)
		r.m.open = ""
	}
}

// start boots a new process; startup, resume and fork recover, reload and new
// do not.
func (r *random) start(recovers bool) {
	m := r.m
	m.held, m.wakes, m.sends, m.fail, m.life = nil, nil, nil, nil, -1
	m.busy, m.compacting, m.open, m.waiting = false, false, "", false
	r.failures, r.life, r.lost, r.waits = nil, 0, false, map[string][]string{}
	manager := r.boot(true).manager
	if recovers {
		_ = manager.Resume(context.Background())
	} else {
		_ = manager.Restore(context.Background())
	}
	m.restart(recovers)
}

// compare says how the step differs from the model, "" if it does not.
func (r *random) compare() string {
	got, want := group(r.said(r.take())), group(r.m.did)
	if len(r.broken) > 0 {
		return fmt.Sprint("invariant broken: ", r.broken)
	}
	if r.proc.dead {
		// The process has died on the way: what is written was to be written.
		return missing(got["append"], want["append"])
	}
	for _, kind := range []string{"append", "sent", "cont", "herdr", "notice", "user", "abort", "wait", "reply", "again"} {
		if r.loose {
			slices.Sort(got[kind])
			slices.Sort(want[kind])
		}
		if !slices.Equal(got[kind], want[kind]) {
			return fmt.Sprintf("%s:\n got %q\nwant %q", kind, got[kind], want[kind])
		}
	}
	if r.loose {
		r.m.reorder(nodesOf(r.branch()))
	}
	if open := r.openName(); open != r.m.open && !(r.lost && open == "") {
		return fmt.Sprintf("open form: got %q, want %q", open, r.m.open)
	}
	pending, _ := r.m.pending()
	status := ""
	if pending > 0 {
		status = fmt.Sprintf("Questions pending: %d", pending)
	}
	if r.status != status {
		return fmt.Sprintf("status: got %q, want %q", r.status, status)
	}
	if r.agent.busy != r.m.busy {
		return fmt.Sprintf("busy: got %v, want %v", r.agent.busy, r.m.busy)
	}
	return ""
}

func group(lines []string) map[string][]string {
	g := map[string][]string{}
	for _, line := range lines {
		line = strings.Join(strings.Fields(line), " ")
		kind, rest, _ := strings.Cut(line, " ")
		g[kind] = append(g[kind], rest)
	}
	return g
}

func missing(got, want []string) string {
	for _, line := range got {
		if !slices.Contains(want, line) {
			return fmt.Sprintf("append before the crash: got %q, want one of %q", line, want)
		}
	}
	return ""
}

var callName = regexp.MustCompile(`c\d+`)

// nameOf is the model's name of a message of the user.
func nameOf(text string) string {
	if strings.Contains(text, errDisk.Error()) {
		return diskFull
	}
	return callName.FindString(text)
}

// said puts a trace into the words of the model.
func (r *random) said(t trace) []string {
	lines := slices.Clone(r.step)
	for _, e := range t.appended {
		n := readNode(e)
		if n.kind == "answer" && !sameOutcome(r.branch(), e) {
			lines = append(lines, "append the details of an answer differ from its completion") // invariant 31
		}
		if n.kind == "dismissed" && n.outcome == "" {
			n.outcome = outcomeIn(nodesOf(r.branch()), n.request)
		}
		lines = append(lines, fmt.Sprintln("append", n.kind, n.request, n.call, n.outcome))
	}
	for _, s := range t.sent {
		lines = append(lines, fmt.Sprintln("sent", s.request, s.via, s.wake))
	}
	for _, active := range t.herdr {
		lines = append(lines, fmt.Sprintln("herdr", active))
	}
	for _, n := range t.notices {
		lines = append(lines, fmt.Sprintln("notice", n))
	}
	for _, u := range t.users {
		lines = append(lines, fmt.Sprintln("user", nameOf(u.text), u.followUp))
	}
	for range t.aborts {
		lines = append(lines, "abort")
	}
	for _, e := range t.events {
		if e.channel != "pi-agent-ask:submit-result" {
			continue
		}
		reply := e.payload["error"]
		if reply == nil {
			reply = e.payload["ok"]
		}
		lines = append(lines, fmt.Sprintln("reply", reply))
	}
	return append(lines, r.waitEnds()...)
}

// waitEnds tells of the waits that have ended in this step.
func (r *random) waitEnds() (lines []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range sortedRuns(r.runs) {
		c := r.runs[id]
		if _, told := r.waits[id]; !c.wait || !c.done || told {
			continue
		}
		var results []string
		for _, o := range c.answers.Results {
			results = append(results, o.RequestID)
		}
		r.waits[id] = results
		switch outcome := waitOutcome(c).(map[string]any); outcome["error"] {
		case nil:
			lines = append(lines, fmt.Sprintln("wait", c.answers.RequestIDs, results))
		default:
			lines = append(lines, fmt.Sprintln("wait", outcome["error"]))
		}
	}
	return lines
}
