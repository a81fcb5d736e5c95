package hostshim_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// This file has hosts that answer late, wrongly or not at all.

var stale = &wireError{Code: -32010, Message: "the session has changed"}

// failed waits for a call and returns the code of its error, 0 for none.
func failed(call chan any) (code int, text string) {
	var e *wireError
	if err, ok := (<-call).(error); ok && errors.As(err, &e) {
		return e.Code, e.Message
	}
	return 0, ""
}

func TestServeOtherVersionsOfTheProtocol(t *testing.T) {
	r := rawEngine()
	for _, c := range []struct{ in, want string }{
		{`{"protocol":2}`, `"error":{"code":-32011,"message":"protocol 2 is not supported; the engine speaks 1","data":{"supported":[1]}}`},
		{`{"protocol":0}`, `"error":{"code":-32011`},
		{`{}`, `"error":{"code":-32011`},
		{`null`, `"error":{"code":-32011`},
		{`{"protocol":"1"}`, `"error":{"code":-32602`},
		{`{"protocol":1.5}`, `"error":{"code":-32602`},
		{`{"protocol":1,"agentDir":"/nonexistent"}`, `"result":{"protocol":1,"version":`}, // after all
	} {
		r.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + c.in + `}`)
		if got := r.hear(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1,`+c.want) {
			t.Errorf("initialize %s was answered with %s", c.in, got)
		}
	}
	r.say(`{"jsonrpc":"2.0","id":8,"method":"shutdown"}`)
	r.hear()
	must(t, <-r.ended)
}

func TestServeAFormThatIsRefused(t *testing.T) {
	for _, background := range []bool{false, true} {
		r := connect(t)
		r.fail(&wireError{Code: -32603, Message: "no screen"}, "form/open")
		payload := single
		if background {
			payload = inBackground(single)
		}
		call := r.execute("first", payload)
		if code, text := failed(call); background && code != 0 || !background && (code != -32001 || text != "the form could not be shown: no screen") {
			t.Errorf("the call has failed with %d %s", code, text)
		}
		r.called("form/close", 1) // also one that was not mounted
		r.until("the failure in the journal", func() bool {
			raw, _ := ask.Marshal(r.entries)
			return strings.Contains(string(raw), `"error":"no screen"`)
		})
		// The next form opens as if nothing had been.
		r.gives("form/open", map[string]any{})
		next := r.execute("second", single)
		r.called("form/open", 2)
		r.tell("form/mounted", map[string]any{"form": 2, "cols": 80, "rows": 24})
		r.seen("Where to keep")
		r.press(2, "2", "enter")
		if out, ok := (<-next).(toolResult); !ok || !strings.HasSuffix(out.Content[0].Text, "DB: Postgres") {
			t.Errorf("the next form: %+v", out)
		}
	}
}

func TestServeAHostThatAnswersLate(t *testing.T) {
	t.Run("the form was cancelled before it was mounted", func(t *testing.T) {
		r := connect(t)
		r.fail(nil, "form/open")
		call := r.execute("c", single)
		r.called("form/open", 1)
		r.tell("tool/cancel", map[string]any{"gen": 1, "callId": "c"})
		if out, ok := (<-call).(toolResult); !ok || !strings.HasSuffix(out.Content[0].Text, ask.InterruptedText) {
			t.Errorf("result %+v", out)
		}
		r.called("form/close", 1)
		r.reply("form/open", 0, map[string]any{}) // nobody waits for it
		r.tell("form/mounted", map[string]any{"form": 1, "cols": 80, "rows": 24})
		r.press(1, "1", "enter")
		r.call("turn/start", map[string]any{"gen": 1})
		if n := r.count("form/frame"); n != 0 {
			t.Errorf("%d pictures of a form that is closed", n)
		}
	})
	t.Run("the place is told before the form is said to be open", func(t *testing.T) {
		r := connect(t)
		r.fail(nil, "form/open")
		call := r.execute("c", single)
		r.called("form/open", 1)
		r.tell("form/mounted", map[string]any{"form": 1, "cols": 80, "rows": 24})
		r.seen("Where to keep")
		r.press(1, "2", "enter")
		// The form has ended; a host that never says that it was mounted does not
		// keep the answer from the agent.
		if out, ok := (<-call).(toolResult); !ok || !strings.HasSuffix(out.Content[0].Text, "DB: Postgres") {
			t.Errorf("result %+v", out)
		}
	})
	t.Run("the entry was saved, but the session has changed meanwhile", func(t *testing.T) {
		r := connect(t)
		call := r.execute("c", single)
		r.seen("Where to keep")
		r.fail(nil, "journal/append")
		r.press(1, "1", "enter")
		r.called("journal/append", 3)
		changed := make(chan error, 1)
		go func() {
			_, err := r.try("session/shutdown", map[string]any{"gen": 2})
			changed <- err
		}()
		r.reply("journal/append", 0, map[string]any{"id": "late"})
		if code, text := failed(call); code != 0 && code != -32010 {
			t.Errorf("the call has failed with %d %s", code, text)
		}
		if err := <-changed; err != nil {
			t.Error(err)
		}
	})
	t.Run("its answer has neither a result nor an error", func(t *testing.T) { // as of a JavaScript function that returns nothing
		r := connect(t)
		r.fail(nil, "form/close")
		call := r.execute("c", single)
		r.seen("Where to keep")
		r.press(1, "1", "enter")
		r.called("form/close", 1)
		r.say(wire{ID: r.held["form/close"][0].ID})
		if out, ok := (<-call).(toolResult); !ok || !strings.HasSuffix(out.Content[0].Text, "DB: SQLite") {
			t.Errorf("result %+v", out)
		}
	})
	t.Run("the saved entry has no id", func(t *testing.T) {
		r := connect(t)
		r.gives("journal/append", map[string]any{})
		if code, text := failed(r.execute("c", single)); code != -32001 || !strings.Contains(text, "journal/append has no id") {
			t.Errorf("the call has failed with %d %s", code, text)
		}
	})
}

// What the host does not answer keeps nothing else from going on, and the
// engine from ending.
func TestServeAHostThatNeverAnswers(t *testing.T) {
	for _, method := range []string{"form/open", "form/close", "agent/state", "message/deliver", "agent/abort", "journal/append", "session/branch"} {
		t.Run(method, func(t *testing.T) {
			r := connect(t)
			r.gives("agent/state", map[string]any{"idle": true})
			if method == "form/open" {
				r.fail(nil, method)
			}
			for _, id := range []string{"a", "b"} {
				if code, text := failed(r.execute(id, inBackground(single))); code != 0 {
					t.Fatalf("%d %s", code, text)
				}
			}
			call := r.execute("c", single)
			r.called("form/open", 1)
			if method != "form/open" {
				r.seen("Where to keep")
				r.fail(nil, method)
				r.press(1, map[bool]string{false: "1", true: "esc"}[method == "agent/abort"], "enter")
				r.called(method, 1)
			}
			// Rows, themes and other forms' keys do not wait.
			r.call("row/render", map[string]any{"kind": "waitCall", "width": 40})
			r.tell("theme/changed", map[string]any{"theme": map[string]any{"fg": map[string]any{"accent": "\x1b[31m"}}})
			r.press(7, "enter")
			r.call("shutdown", nil)
			if code, _ := failed(call); code == 0 {
				t.Error("the call has a result that nobody gave")
			}
		})
	}
}

// The abort of a run reaches a call that has just ended; the model may give its
// id to a call of a later turn.
func TestServeACancellationThatComesTooLate(t *testing.T) {
	r := connect(t)
	call := r.execute("call_0", single)
	r.seen("Where to keep")
	r.press(1, "1", "enter")
	<-call
	r.tell("tool/cancel", map[string]any{"gen": 1, "callId": "call_0"})
	r.call("turn/start", map[string]any{"gen": 1})
	call = r.execute("call_0", single)
	r.called("form/open", 2)
	r.press(2, "2", "enter")
	if out, ok := (<-call).(toolResult); !ok || !strings.HasSuffix(out.Content[0].Text, "DB: Postgres") {
		t.Errorf("result %+v", out)
	}
}

func TestServeAHostInAnotherSession(t *testing.T) {
	t.Run("it refuses to append", func(t *testing.T) {
		r := connect(t)
		r.fail(stale, "journal/append")
		if code, text := failed(r.execute("c", single)); code != -32001 && code != -32010 {
			t.Errorf("the call has failed with %d %s", code, text)
		}
	})
	t.Run("it refuses to show the branch", func(t *testing.T) {
		r := serveTo(t)
		r.call("initialize", map[string]any{"protocol": 1, "agentDir": t.TempDir()})
		r.fail(stale, "session/branch")
		if code, _ := r.fails("session/start", map[string]any{"gen": 1, "reason": "startup", "mode": "tui", "editorReady": true}); code != -32010 {
			t.Errorf("the start has failed with %d", code)
		}
		r.gives("session/branch", map[string]any{"entries": []any{}})
		r.call("session/start", map[string]any{"gen": 2, "reason": "startup", "mode": "tui", "editorReady": true})
	})
	t.Run("what belongs to an old generation is refused or dropped", func(t *testing.T) {
		r := connect(t)
		r.call("session/tree", map[string]any{"gen": 2})
		r.call("session/shutdown", map[string]any{"gen": 3})
		r.call("session/start", map[string]any{"gen": 4, "reason": "new", "mode": "tui", "editorReady": true})
		for _, method := range []string{"session/start", "session/tree", "session/shutdown", "turn/start", "turn/boundary", "agent/settled", "agent/idle", "command/settings", "tool/execute"} {
			for _, gen := range []int{0, 1, 2, 3} {
				if code, text := r.fails(method, map[string]any{"gen": gen, "callId": "c", "name": "ask_user", "params": json.RawMessage(single)}); code != -32010 {
					t.Errorf("%s %d: %d %s", method, gen, code, text)
				}
			}
		}
		call := r.executeIn(4, "c", single)
		r.seen("Where to keep")
		// A cancellation that belongs to an older session is none.
		r.tell("tool/cancel", map[string]any{"gen": 1, "callId": "c"})
		r.press(1, "2", "enter")
		if out, ok := (<-call).(toolResult); !ok || !strings.HasSuffix(out.Content[0].Text, "DB: Postgres") {
			t.Errorf("result %+v", out)
		}
		r.tell("tool/cancel", map[string]any{"gen": 1, "callId": "d"})
		next := r.executeIn(4, "d", single)
		r.called("form/open", 2)
		r.press(2, "1", "enter")
		if out, ok := (<-next).(toolResult); !ok || !strings.HasSuffix(out.Content[0].Text, "DB: SQLite") {
			t.Errorf("result %+v", out)
		}
	})
}
