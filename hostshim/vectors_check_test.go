package hostshim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim/hosttest"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

// This file compares what has happened in a step with what the vector says, in
// the vectors' names for things.

func requestOf(m hostshim.Message) string {
	var d struct{ RequestID string }
	if err := json.Unmarshal(m.Details, &d); err != nil {
		panic(err)
	}
	return d.RequestID
}

// symbol is the vectors' name of a request.
func (p *player) symbol(id string) string {
	if name := p.symbols[p.callOf[id]]; name != "" {
		return name
	}
	return id
}

// uuid is the request that the vectors call so.
func (p *player) uuid(symbol string) string {
	for id, call := range p.callOf {
		if p.symbols[call] == symbol {
			return id
		}
	}
	return symbol
}

// takeSent takes note of messages that the host has still to record.
func (p *player) takeSent() {
	delivered, users := p.Delivered(), p.Users()
	for _, d := range delivered[p.gotWakes:] {
		p.sent = append(p.sent, map[string]any{"request": p.symbol(requestOf(d.Message)), "via": "idle", "triggerTurn": d.Wake})
		if d.Wake {
			p.wakes = append(p.wakes, d.Message)
		}
	}
	p.follows = append(p.follows, users[p.gotUsers:]...)
	p.gotWakes, p.gotUsers = len(delivered), len(users)
}

// check compares a step with what it must and must not have done.
func (p *player) check(want map[string]json.RawMessage) (wrong []string) {
	p.takeSent()
	have := map[string]any{"open": p.openName(), "sent": orEmpty(p.sent), "agentAborts": 0, "continue": p.cont}
	var users []map[string]any
	notices := []string{}
	for _, line := range p.takeLog() {
		kind, text, _ := strings.Cut(line, " ")
		switch {
		case kind == "abort":
			have["agentAborts"] = have["agentAborts"].(int) + 1
		case kind == "notice" && strings.HasSuffix(text, " elsewhere."): // of the screen, not of the queue
		case kind == "notice":
			notices = append(notices, noticeKind(text))
		case kind == "user":
			users = append(users, p.describeUser())
		}
	}
	have["notices"], have["followUps"], have["pending"] = notices, orEmpty(users), p.pending()
	idle, _ := p.Idle(context.Background(), p.Gen())
	have["agent"] = map[bool]string{true: "idle", false: "busy"}[idle || p.compacting]
	if !p.dead { // else nobody is there to get them
		p.outcomes(have)
	}
	p.mu.Lock()
	have["appended"], have["herdr"], have["submitResult"] = p.describe(p.appended, want["appended"]), append([]bool{}, p.herdr...), p.reply
	p.mu.Unlock()
	if p.dead {
		have["crashed"] = true
	}
	for key, value := range map[string]string{"appended": "[]", "sent": "[]", "herdr": "[]", "agentAborts": "0", "notices": "[]",
		"followUps": "[]", "wait": "null", "receipt": "null", "toolError": "null", "submitResult": "null", "crashed": "null"} {
		if _, given := want[key]; !given {
			want[key] = json.RawMessage(value)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
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

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func orEmpty(list []map[string]any) []map[string]any { return append([]map[string]any{}, list...) }

// takeLog returns what was logged since it was last called.
func (p *player) takeLog() []string {
	log := p.Log()[p.logged:]
	p.logged += len(log)
	for _, line := range log {
		if text, ok := strings.CutPrefix(line, "status"); ok {
			p.status = text
		}
	}
	return log
}

func (p *player) pending() (n int) {
	if text := strings.TrimPrefix(p.status, " "); text != "" {
		if _, err := fmt.Sscanf(text, "Questions pending: %d", &n); err != nil {
			panic("status line: " + text)
		}
	}
	return n
}

// noticeKind is what the vectors call a notice.
func noticeKind(text string) string {
	for start, kind := range map[string]string{
		"An earlier form is still unanswered":           "recoveryOpened",
		"The reopened form was dismissed.":              "recoveryDismissed",
		"The unanswered form could not be opened":       "recoveryFailed",
		"An answer could not be saved yet":              "saveFailed",
		"The answer could not be saved":                 "saveFailed",
		"A finished form could not be marked as finish": "dismissFailed",
	} {
		if strings.HasPrefix(text, start) {
			return kind
		}
	}
	return text
}

// openName is what the vectors call the open form, nil without one.
func (p *player) openName() any {
	if p.dead || p.Form() == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	call := strings.TrimPrefix(p.flow.ID, "tool:")
	switch {
	case p.flow.Source == "ask:resume":
		return "recovery:" + call
	case !p.background[call]:
		return "fg:" + call
	}
	return p.symbols[call]
}

// describeUser finds out which call a follow-up belongs to: the one whose
// dismissal came last, since all forms of the vectors have the same answers.
func (p *player) describeUser() map[string]any {
	var calls []string
	branch, _ := p.session.Branch(context.Background()) // a session in memory does not fail
	for _, e := range branch {
		if d, ok := journal.Decode(e).(journal.Dismissed); ok && d.Delivery == journal.DeliverFollowUp {
			calls = append(calls, d.ToolCallID)
		}
	}
	users := p.Users()
	u := users[len(users)-1]
	m := map[string]any{"call": calls[len(calls)-1], "deliverAs": nil}
	if u.FollowUp {
		m["deliverAs"] = "followUp"
	}
	return m
}

// describe lists entries with the fields that the vector asks for.
func (p *player) describe(entries []journal.Entry, want json.RawMessage) []map[string]any {
	var asked []map[string]any
	if want != nil {
		if err := json.Unmarshal(want, &asked); err != nil {
			panic(err)
		}
	}
	list := []map[string]any{}
	for i, e := range entries {
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
		all := map[string]any{"request": p.symbol(d.RequestID), "call": d.ToolCallID + d.SourceEntryID, "delivery": d.Delivery,
			"outcome": outcomeName(d.Result, d.Error), "carriesResult": d.Result != nil, "background": d.Background}
		m := map[string]any{"entry": e.CustomType}
		if i < len(asked) {
			for key := range asked[i] {
				if key != "entry" {
					m[key] = all[key]
				}
			}
		}
		list = append(list, m)
	}
	return list
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

// outcomes adds what tool calls gave back in this step.
func (p *player) outcomes(have map[string]any) {
	for id, c := range p.calls {
		var now any = "pending"
		ended := false
		select {
		case <-c.Done():
			ended = true
		default:
		}
		wait := id[0] == 'w' // as the vectors name them
		switch {
		case p.told[id] == "ended" || p.told[id] == "pending" && !ended:
			continue
		case ended && wait:
			now = p.waitOutcome(c)
		case ended:
			p.callOutcome(c, have)
		}
		p.told[id] = "pending"
		if ended {
			p.told[id] = "ended"
		}
		if wait {
			have["wait"] = now
		}
	}
}

func (p *player) callOutcome(c *hosttest.Call, have map[string]any) {
	result, err := c.Wait()
	if err != nil {
		if strings.Contains(err.Error(), errDisk.Error()) {
			have["toolError"] = "append"
		}
		return
	}
	switch d := result.Details.(type) {
	case ask.Receipt:
		have["receipt"] = map[string]any{"requestId": p.symbol(d.RequestID), "pendingRequests": d.PendingRequests}
	case ask.Result:
		if d.Error != nil {
			have["toolError"] = d.Error.Kind
		}
	}
}

func (p *player) waitOutcome(c *hosttest.Call) any {
	result, err := c.Wait()
	if err != nil {
		for text, kind := range map[string]string{"needs interactive TUI mode.": "nonTui", "is already running.": "busy", "was interrupted.": "interrupted"} {
			if strings.HasSuffix(err.Error(), text) {
				return map[string]any{"error": kind}
			}
		}
		return map[string]any{"error": err.Error()}
	}
	answers := result.Details.(queue.Answers)
	ids, results := []string{}, []string{}
	for _, id := range answers.RequestIDs {
		ids = append(ids, p.symbol(id))
	}
	for _, o := range answers.Results {
		results = append(results, p.symbol(o.RequestID))
	}
	return map[string]any{"status": answers.Status, "requestIds": ids, "results": results}
}

func (p *player) checkFinal(t *testing.T, statuses map[string]string, delivered *[]string) {
	branch, err := p.session.Branch(context.Background())
	must(t, err)
	if statuses != nil {
		got := map[string]string{}
		for _, r := range journal.Records(branch) {
			got[p.symbol(r.RequestID)] = string(r.Status)
		}
		if !reflect.DeepEqual(got, statuses) {
			t.Errorf("journal at the end: got %v, want %v", got, statuses)
		}
	}
	if delivered != nil {
		got := p.deliveries(branch)
		if want := slices.Sorted(slices.Values(*delivered)); !slices.Equal(got, want) {
			t.Errorf("delivered at the end: got %v, want %v", got, want)
		}
	}
}

// deliveries are the requests that were brought to the agent on a branch, as
// often as that has happened.
func (p *player) deliveries(branch []journal.Entry) []string {
	ids := []string{}
	for _, e := range branch {
		if e.CustomType == journal.TypeAnswer {
			ids = append(ids, p.symbol(requestOf(hostshim.Message{Details: e.Details})))
		}
		var m struct {
			Role, ToolName string
			IsError        bool
			Details        struct {
				Results []struct{ RequestID string }
			}
		}
		if e.Type != "message" || json.Unmarshal(e.Message, &m) != nil || m.Role != "toolResult" || m.ToolName != ask.ToolWait || m.IsError {
			continue
		}
		for _, r := range m.Details.Results {
			ids = append(ids, p.symbol(r.RequestID))
		}
	}
	slices.Sort(ids)
	return ids
}
