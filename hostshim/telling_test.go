package hostshim_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// The ways in which an answer reaches the agent, as a host in another process
// sees them.
func TestServeTellsTheAgent(t *testing.T) {
	t.Run("at the end of a turn", func(t *testing.T) {
		r := connect(t)
		if _, ok := (<-r.execute("c", inBackground(single))).(toolResult); !ok {
			t.Fatal("the call has failed")
		}
		raw, err := r.try("turn/boundary", map[string]any{"gen": 1})
		if err != nil || string(raw) != `{"continue":false,"entries":[]}` {
			t.Errorf("nothing is ready: %s %v", raw, err)
		}
		r.seen("Where to keep")
		r.press(1, "2", "enter")
		r.until("the outcome in the session", func() bool {
			return len(r.entries) > 0 && r.entries[len(r.entries)-1]["customType"] == "ask:queue-completed"
		})
		raw, err = r.try("turn/boundary", map[string]any{"gen": 1})
		must(t, err)
		var out struct {
			Entries []struct {
				CustomType, Content string
				Display             bool
				Details             struct{ RequestID string }
			}
			Continue bool
		}
		must(t, json.Unmarshal(raw, &out))
		if len(out.Entries) != 1 || !out.Continue {
			t.Fatalf("the boundary brings %s", raw)
		}
		if e := out.Entries[0]; e.CustomType != "ask:background-answer" || !e.Display || !strings.Contains(e.Content, "Postgres") || e.Details.RequestID == "" {
			t.Errorf("the message is %s", raw)
		}
	})
	t.Run("while it is idle", func(t *testing.T) {
		r := connect(t)
		r.gives("agent/state", map[string]any{"idle": true})
		r.fail(nil, "message/deliver")
		if _, ok := (<-r.execute("c", inBackground(single))).(toolResult); !ok {
			t.Fatal("the call has failed")
		}
		r.seen("Where to keep")
		r.press(1, "2", "enter")
		r.called("message/deliver", 1)
		p := r.params("message/deliver")
		if m := p["message"].(map[string]any); p["wake"] != true || m["customType"] != "ask:background-answer" || !strings.Contains(m["content"].(string), "Postgres") {
			t.Errorf("delivered %v", p)
		}
	})
	t.Run("about a call that was lost", func(t *testing.T) {
		r := serveTo(t)
		r.call("initialize", map[string]any{"protocol": 1, "agentDir": t.TempDir()})
		r.gives("session/branch", map[string]any{"leaf": "a", "entries": []any{map[string]any{"id": "a", "type": "message",
			"message": map[string]any{"role": "assistant", "stopReason": "toolUse", "content": []any{
				map[string]any{"type": "toolCall", "id": "lost", "name": "ask_user", "arguments": json.RawMessage(single)}}}}}})
		r.fail(nil, "message/user")
		r.call("session/start", map[string]any{"gen": 1, "reason": "resume", "mode": "tui", "editorReady": true})
		r.seen("Where to keep")
		r.press(1, "2", "enter")
		r.called("message/user", 1)
		p := r.params("message/user")
		block := p["content"].([]any)[0].(map[string]any)
		if p["followUp"] != true || block["type"] != "text" || block["text"] != "DB: Postgres" {
			t.Errorf("said %v", p)
		}
	})
}

// params are those of the first call of a method that was left unanswered.
func (r *remote) params(method string) map[string]any {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held[method][0].Params.(map[string]any)
}
