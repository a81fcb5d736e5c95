package queue

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

func payload(prompt string) ask.Payload {
	return ask.Payload{Questions: []ask.Question{{ID: "q", Prompt: prompt, Options: []ask.Option{{Value: "a", Label: "A"}}}}}
}

func failedWith(id, text string) journal.Outcome { return journal.Outcome{RequestID: id, Error: text} }

func message(role, tool, details string, isError bool) journal.Entry {
	return journal.Entry{Type: "message", Message: json.RawMessage(fmt.Sprintf(
		`{"role":%q,"toolName":%q,"toolCallId":"w","isError":%v,"content":[],"details":%s}`, role, tool, isError, details))}
}

func TestFactsOfABranch(t *testing.T) {
	queued := journal.Queued{RequestID: "r1", ToolCallID: "c1", Params: payload("One?")}.Entry()
	done := journal.Completed{Outcome: failedWith("r1", "x")}.Entry()
	raw := func(customType, data string) journal.Entry {
		return journal.Entry{Type: "custom", CustomType: customType, Data: json.RawMessage(data)}
	}
	told := `{"status":"complete","requestIds":["r1"],"results":[{"requestId":"r1","error":"x"}]}`
	for _, c := range []struct {
		name   string
		branch []journal.Entry
		want   string
	}{
		{"nothing", nil, ""},
		{"queued", []journal.Entry{queued}, "r1 One? waiting"},
		{"queued twice: the first counts", []journal.Entry{queued, journal.Queued{RequestID: "r1", Params: payload("Two?")}.Entry()}, "r1 One? waiting"},
		{"the journal's completion is enough", []journal.Entry{queued, done}, "r1 One? error x"},
		{"the queue's completion is enough", []journal.Entry{queued, journal.QueueCompleted{Outcome: failedWith("r1", "y")}.Entry()}, "r1 One? error y"},
		{"the last completion counts", []journal.Entry{queued, done, journal.QueueCompleted{Outcome: failedWith("r1", "y")}.Entry()}, "r1 One? error y"},
		{"a completion before its request", []journal.Entry{done, queued}, "r1 One? waiting"},
		{"a completion of another request", []journal.Entry{queued, journal.Completed{Outcome: failedWith("r2", "x")}.Entry()}, "r1 One? waiting"},
		{"parameters that are no form", []journal.Entry{journal.Queued{RequestID: "r1", Params: payload(" ")}.Entry()}, ""},
		{"no id", []journal.Entry{journal.Queued{Params: payload("One?")}.Entry()}, ""},
		{"unknown version", []journal.Entry{raw(journal.TypeQueued, strings.Replace(string(queued.Data), `"version":1`, `"version":2`, 1))}, ""},
		{"an unknown field", []journal.Entry{raw(journal.TypeQueued, strings.Replace(string(queued.Data), `{`, `{"new":[1],`, 1))}, "r1 One? waiting"},
		{"a completion that says nothing", []journal.Entry{queued, raw(journal.TypeQueueCompleted, `{"requestId":"r1","error":""}`)}, "r1 One? waiting"},
		{"a completion of the wrong shape", []journal.Entry{queued, raw(journal.TypeQueueCompleted, `{"requestId":"r1","result":{"cancelled":"no"}}`)}, "r1 One? waiting"},
		{"told by a message", []journal.Entry{queued, done, journal.Answer{Outcome: failedWith("r1", "x")}.Entry()}, "r1 One? error x told"},
		{"told by a wait", []journal.Entry{queued, done, message("toolResult", waitTool, told, false)}, "r1 One? error x told"},
		{"a wait that failed", []journal.Entry{queued, done, message("toolResult", waitTool, told, true)}, "r1 One? error x"},
		{"a wait that only waited for it", []journal.Entry{queued, done, message("toolResult", waitTool, `{"status":"complete","requestIds":["r1"],"results":[]}`, false)}, "r1 One? error x"},
		{"a wait result of the wrong shape", []journal.Entry{queued, done, message("toolResult", waitTool, strings.Replace(told, "complete", "half", 1), false)}, "r1 One? error x"},
		{"somebody who quotes a wait", []journal.Entry{queued, done, message("user", waitTool, told, false)}, "r1 One? error x"},
		{"another tool with such details", []journal.Entry{queued, done, message("toolResult", "my_"+waitTool, told, false)}, "r1 One? error x"},
		{"compaction changes nothing", []journal.Entry{queued, {Type: "compaction"}, done}, "r1 One? error x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, r := range requestsOf(c.branch) {
				line := r.id + " " + r.form.Questions[0].Prompt + " waiting"
				if r.outcome != nil {
					line = r.id + " " + r.form.Questions[0].Prompt + " error " + r.outcome.Error
				}
				if r.delivered {
					line += " told"
				}
				got = append(got, line)
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzFacts: whatever a session holds, reading it neither panics nor depends on
// anything but the session.
func FuzzFacts(f *testing.F) {
	queued := journal.Queued{RequestID: "r1", Params: payload("One?")}.Entry()
	f.Add([]byte(queued.Data), []byte(`{"requestId":"r1","error":"x"}`), []byte(`{"role":"toolResult","toolName":"wait_for_answers","details":{"status":"complete","requestIds":[],"results":[{}]}}`))
	f.Fuzz(func(t *testing.T, queued, outcome, msg []byte) {
		branch := []journal.Entry{
			{Type: "custom", CustomType: journal.TypeQueued, Data: queued},
			{Type: "custom", CustomType: journal.TypeCompleted, Data: outcome},
			{Type: "custom", CustomType: journal.TypeQueueCompleted, Data: outcome},
			{Type: "custom", CustomType: journal.TypeDismissed, Data: outcome},
			{Type: "custom_message", CustomType: journal.TypeAnswer, Details: outcome},
			{Type: "message", Message: msg},
		}
		load := func(p ask.Payload) (ask.Form, bool) {
			form, err := ask.Normalize(p)
			return form, err == nil
		}
		first, second := fmt.Sprintf("%+v", requestsOf(branch)), fmt.Sprintf("%+v", requestsOf(branch))
		if len(first) != len(second) {
			t.Errorf("two readings differ:\n%s\n%s", first, second)
		}
		planRecovery(branch, load)
	})
}
