package hostshim_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim"
)

// remote is a host in another process, as far as the engine can tell: it talks
// through pipes, and knows of the protocol what docs/protocol.md says.
type remote struct {
	t     *testing.T
	in    *io.PipeWriter
	ended chan error
	over  chan struct{} // closed when the engine says nothing more

	mu      sync.Mutex
	changed chan struct{}
	next    int
	waiting map[string]chan wire
	entries []map[string]any
	refuse  map[string]*wireError // by method
	hang    map[string]bool       // methods that are not answered
	held    map[string][]wire     // what was not answered yet
	results map[string]any        // results by method, instead of the usual ones
	calls   []string
	frames  []hostshim.Frame
}

// wire is any message.
type wire struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *wireError      `json:"error,omitempty"`
}

type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *wireError) Error() string { return e.Message }

var errOver = errors.New("the engine has ended")

// connect starts an engine and a session in it.
func connect(t *testing.T, powers ...string) *remote {
	t.Helper()
	r := serveTo(t)
	r.call("initialize", map[string]any{"protocol": 1, "agentDir": t.TempDir(), "powers": powers,
		"keys": map[string]any{"pasteImage": []string{"alt+v"}}})
	r.call("session/start", map[string]any{"gen": 1, "reason": "startup", "mode": "tui", "editorReady": true})
	return r
}

func serveTo(t *testing.T) *remote {
	toEngine, in := io.Pipe()
	out, fromEngine := io.Pipe()
	r := &remote{t: t, in: in, ended: make(chan error, 1), over: make(chan struct{}), changed: make(chan struct{}),
		waiting: map[string]chan wire{}, refuse: map[string]*wireError{}, hang: map[string]bool{},
		held: map[string][]wire{}, results: map[string]any{}}
	go func() { r.ended <- hostshim.ServeAtOnce(context.Background(), toEngine, fromEngine) }()
	go r.read(out)
	t.Cleanup(func() {
		_ = in.Close()
		select {
		case err := <-r.ended:
			if err != nil {
				t.Errorf("the engine ended with %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Error("the engine goes on without a host")
		}
	})
	return r
}

func (r *remote) read(out io.Reader) {
	defer close(r.over)
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m wire
		if err := json.Unmarshal(line, &m); err != nil {
			r.t.Errorf("the engine said %q", line)
			return
		}
		params, _ := m.Params.(map[string]any)
		switch {
		case m.Method == "":
			r.mu.Lock()
			if done := r.waiting[string(m.ID)]; done != nil {
				done <- m
			}
			r.mu.Unlock()
		case m.ID == nil:
			r.notified(m.Method, params, line)
		default:
			go r.answer(m, params)
		}
	}
}

func (r *remote) say(m wire) {
	m.Version = "2.0"
	raw, err := ask.Marshal(m)
	if err != nil {
		panic(err)
	}
	_, _ = r.in.Write(append(raw, '\n'))
}

// try makes a call.
func (r *remote) try(method string, params any) (json.RawMessage, error) {
	done := make(chan wire, 1)
	r.mu.Lock()
	r.next++
	id := fmt.Sprint(r.next)
	r.waiting[id] = done
	r.mu.Unlock()
	r.say(wire{ID: json.RawMessage(id), Method: method, Params: params})
	select {
	case m := <-done:
		if m.Error != nil {
			return nil, m.Error
		}
		return m.Result, nil
	case <-r.over:
		return nil, errOver
	}
}

func (r *remote) call(method string, params any) {
	r.t.Helper()
	if _, err := r.try(method, params); err != nil {
		r.t.Fatalf("%s: %v", method, err)
	}
}

// fails makes a call and returns the code and text of its error.
func (r *remote) fails(method string, params any) (int, string) {
	_, err := r.try(method, params)
	var e *wireError
	if !errors.As(err, &e) {
		r.t.Errorf("%s has not failed: %v", method, err)
		return 0, ""
	}
	return e.Code, e.Message
}

func (r *remote) tell(method string, params any) { r.say(wire{Method: method, Params: params}) }

func (r *remote) press(form int, keys ...string) {
	for _, k := range keys {
		text := ""
		if len(k) == 1 {
			text = k
		}
		r.tell("form/key", map[string]any{"form": form, "id": k, "text": text})
	}
}

// answer answers a call of the engine.
func (r *remote) answer(m wire, params map[string]any) {
	r.mu.Lock()
	refused, hangs := r.refuse[m.Method], r.hang[m.Method]
	if hangs {
		r.held[m.Method] = append(r.held[m.Method], m)
	}
	r.mu.Unlock()
	r.log(m.Method)
	switch {
	case hangs:
	case refused != nil:
		r.say(wire{ID: m.ID, Error: refused})
	default:
		raw, err := ask.Marshal(r.result(m.Method, params))
		if err != nil {
			panic(err)
		}
		r.say(wire{ID: m.ID, Result: raw})
		if m.Method == "form/open" {
			r.tell("form/mounted", map[string]any{"form": params["form"], "cols": 80, "rows": 24})
		}
	}
}

func (r *remote) result(method string, p map[string]any) any {
	r.mu.Lock()
	defer r.mu.Unlock()
	if result, ok := r.results[method]; ok {
		return result
	}
	switch method {
	case "journal/append":
		id := fmt.Sprint("e", len(r.entries))
		r.entries = append(r.entries, map[string]any{"id": id, "parentId": nil, "type": "custom", "timestamp": 12, "customType": p["customType"], "data": p["data"]})
		return map[string]any{"id": id}
	case "session/branch":
		return map[string]any{"leaf": "", "entries": append([]any{7, nil}, asAny(r.entries)...), "complete": false}
	case "agent/state":
		return map[string]any{"idle": false}
	}
	return map[string]any{}
}

func asAny(in []map[string]any) (out []any) {
	for _, e := range in {
		out = append(out, e)
	}
	return out
}

func (r *remote) notified(method string, _ map[string]any, line []byte) {
	if method == "form/frame" {
		var f struct{ Params hostshim.Frame }
		if err := json.Unmarshal(line, &f); err != nil {
			r.t.Error(err)
		}
		r.mu.Lock()
		r.frames = append(r.frames, f.Params)
		r.mu.Unlock()
	}
	r.log(method)
}

// fail makes answers of the host fail from now on: with an error, or, without
// one, by being left out.
func (r *remote) fail(err *wireError, methods ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range methods {
		r.refuse[m], r.hang[m] = err, err == nil
	}
}

// reply answers the n-th call of a method that was left unanswered.
func (r *remote) reply(method string, n int, result any) {
	r.mu.Lock()
	m := r.held[method][n]
	r.mu.Unlock()
	raw, err := ask.Marshal(result)
	if err != nil {
		panic(err)
	}
	r.say(wire{ID: m.ID, Result: raw})
}

// gives makes the host give this as the result of a method.
func (r *remote) gives(method string, result any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.results[method] = result
	delete(r.refuse, method)
	delete(r.hang, method)
}

// count is how often a method was called.
func (r *remote) count(method string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return count(r.calls, method)
}

// called waits until a method was called n times.
func (r *remote) called(method string, n int) {
	r.t.Helper()
	r.until(fmt.Sprintf("%d call(s) of %s", n, method), func() bool { return count(r.calls, method) >= n })
}

// saved are the entries of the session with this type.
func (r *remote) saved(customType string) (found []map[string]any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.entries {
		if e["customType"] == customType {
			found = append(found, e)
		}
	}
	return found
}

func (r *remote) log(method string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, method)
	close(r.changed)
	r.changed = make(chan struct{})
}

// until waits for something to become true.
func (r *remote) until(what string, done func() bool) {
	r.t.Helper()
	late := time.After(10 * time.Second)
	for {
		r.mu.Lock()
		ok, changed := done(), r.changed
		r.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-late:
			r.t.Fatalf("waited in vain for %s; the engine has called %q", what, r.calls)
		}
	}
}

// seen waits for a frame with a text.
func (r *remote) seen(text string) {
	r.t.Helper()
	r.until("the text "+text, func() bool {
		return len(r.frames) > 0 && strings.Contains(plain(r.frames[len(r.frames)-1]), text)
	})
}

// gone waits for a frame without a text.
func (r *remote) gone(text string) {
	r.t.Helper()
	r.until("the end of "+text, func() bool {
		return len(r.frames) > 0 && !strings.Contains(plain(r.frames[len(r.frames)-1]), text)
	})
}

var sequences = regexp.MustCompile("\x1b\\[[0-9;:]*m|\x1b_[^\x07]*\x07")

// plain is a frame without colours and marks.
func plain(f hostshim.Frame) string {
	return sequences.ReplaceAllString(strings.Join(f.Lines, "\n"), "")
}

type toolResult struct {
	Content []ask.Block     `json:"content"`
	Details json.RawMessage `json:"details"`
}

// execute makes a tool call in the background: a toolResult or an error comes.
func (r *remote) execute(id, payload string) chan any { return r.executeIn(1, id, payload) }

func (r *remote) executeIn(gen int, id, payload string) chan any {
	done := make(chan any, 1)
	go func() {
		raw, err := r.try("tool/execute", map[string]any{"gen": gen, "callId": id, "name": "ask_user", "params": json.RawMessage(payload)})
		var out toolResult
		if err == nil {
			err = json.Unmarshal(raw, &out)
		}
		if err != nil {
			done <- err
			return
		}
		done <- out
	}()
	return done
}

func TestServeAForm(t *testing.T) {
	r := connect(t)
	call := r.execute("c", single)
	r.seen("Where to keep <data>?")
	r.tell("form/shown", map[string]any{"form": 1, "seq": 1})
	r.press(1, "3", "alt+x")
	r.tell("form/paste", map[string]any{"form": 1, "text": "a < b & c\u2028d"})
	r.seen("a < b & c")
	r.tell("form/size", map[string]any{"form": 1, "cols": 40, "rows": 20})
	r.until("a frame of the new size", func() bool { return r.frames[len(r.frames)-1].Cols == 40 })
	r.press(1, "enter", "enter")
	out := (<-call).(toolResult)
	if !strings.HasSuffix(out.Content[0].Text, "DB: a < b & c\u2028d") {
		t.Errorf("the model reads %q", out.Content[0].Text)
	}
	if raw, _ := ask.Marshal(r.saved("ask:payload")); !bytes.Contains(raw, []byte("<data>")) {
		t.Errorf("the payload was changed: %s", raw)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	inOrder(t, r.calls, "form/open", "bus/emit", "form/close", "journal/append")
}

func TestServeSendsTextAsItIs(t *testing.T) {
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"row/render","params":{"kind":"answer","width":60,"content":"as text","details":{"requestId":"r","error":"<b> & c"}}}` + "\n")
	out := &closable{}
	must(t, hostshim.Serve(context.Background(), in, out))
	if want := `{"jsonrpc":"2.0","id":1,"result":{"lines":[[{"role":"error","bold":true,"text":"! Question form failed"}],[{"text":"<b> & c"}]]}}` + "\n"; out.String() != want {
		t.Errorf("the engine said %s", out)
	}
}

type closable struct{ bytes.Buffer }

func (*closable) Close() error { return nil }

func TestServeRefuses(t *testing.T) {
	r := serveTo(t)
	if code, text := r.fails("turn/start", map[string]any{"gen": 1}); code != -32600 || text != "call initialize first" {
		t.Errorf("before initialize: %d %s", code, text)
	}
	if code, _ := r.fails("initialize", map[string]any{"protocol": 2}); code != -32011 {
		t.Errorf("a version of the future: %d", code)
	}
	r.call("initialize", map[string]any{"protocol": 1, "agentDir": t.TempDir()})
	r.call("session/start", map[string]any{"gen": 3, "reason": "new", "mode": "tui", "fieldOfTheFuture": 1})
	for _, c := range []struct {
		name, method string
		params       any
		code         int
	}{
		{"an unknown method", "form/explode", nil, -32601},
		{"parameters of the wrong type", "turn/start", map[string]any{"gen": "three"}, -32602},
		{"a list of parameters", "turn/start", []int{3}, -32602},
		{"a second initialize", "initialize", map[string]any{"protocol": 1}, -32600},
		{"an old generation", "turn/start", map[string]any{"gen": 2}, -32010},
		{"an old generation at the boundary", "turn/boundary", map[string]any{"gen": 2}, -32010},
		{"a call of an old generation", "tool/execute", map[string]any{"gen": 2, "name": "ask_user"}, -32010},
		{"a start that comes late", "session/start", map[string]any{"gen": 3}, -32010},
		{"an unknown tool", "tool/execute", map[string]any{"gen": 3, "name": "rm"}, -32001},
		{"content that is neither text nor blocks", "row/render", map[string]any{"kind": "result", "content": 7}, -32602},
	} {
		if code, text := r.fails(c.method, c.params); code != c.code {
			t.Errorf("%s: %d %s, not %d", c.name, code, text, c.code)
		}
	}
	r.tell("form/key", map[string]any{"form": 99, "id": "enter"}) // nobody hears it
	r.call("turn/start", map[string]any{"gen": 3})
}

func TestServeHeldKeys(t *testing.T) {
	r := connect(t)
	answer := r.execute("a", multi)
	r.seen("Which checks?")
	r.press(1, "1")
	for range 5 {
		r.tell("form/key", map[string]any{"form": 1, "id": "1", "text": "1", "repeat": true})
	}
	r.press(1, "n", "o")
	for range 2 {
		r.tell("form/key", map[string]any{"form": 1, "id": "o", "text": "o", "repeat": true})
	}
	r.press(1, "enter", "enter", "enter")
	if got := (<-answer).(toolResult).Content[0].Text; !strings.Contains(got, "Unit") || !strings.Contains(got, "ooo") {
		t.Errorf("the model reads %q", got)
	}
}

func TestServeCancels(t *testing.T) {
	r := connect(t)
	r.tell("tool/cancel", map[string]any{"gen": 1, "callId": "early"})
	if err, ok := (<-r.execute("early", single)).(*wireError); !ok || err.Code != -32002 || err.Message != "The form was interrupted before it opened." {
		t.Errorf("cancelled before the call: %v", err)
	}
	call := r.execute("late", single)
	r.seen("Where to keep")
	r.tell("tool/cancel", map[string]any{"gen": 1, "callId": "late"})
	if out, ok := (<-call).(toolResult); !ok || !strings.HasSuffix(out.Content[0].Text, ask.InterruptedText) {
		t.Errorf("cancelled while open: %v", out)
	}
}

func TestServeSurvivesAHostThatFails(t *testing.T) {
	t.Run("the form cannot be shown", func(t *testing.T) {
		r := connect(t)
		r.fail(&wireError{Code: -32603, Message: "no screen"}, "form/open")
		if err, ok := (<-r.execute("c", single)).(*wireError); !ok || err.Code != -32001 || !strings.Contains(err.Message, "no screen") {
			t.Errorf("answer %v", err)
		}
	})
	t.Run("the outcome cannot be saved", func(t *testing.T) {
		r := connect(t)
		call := r.execute("c", single)
		r.seen("Where to keep")
		r.fail(&wireError{Code: -32603, Message: "disk full"}, "journal/append")
		r.press(1, "1", "enter")
		if err, ok := (<-call).(*wireError); !ok || err.Code != -32001 || !strings.Contains(err.Message, "disk full") {
			t.Errorf("answer %v", err)
		}
	})
	t.Run("it does not answer while it shuts the engine down", func(t *testing.T) {
		r := connect(t)
		r.fail(nil, "form/open", "session/branch", "form/close")
		call := r.execute("c", single)
		r.until("form/open", func() bool { return slices.Contains(r.calls, "form/open") })
		r.call("shutdown", nil)
		if err, ok := (<-call).(error); !ok {
			t.Errorf("the call has a result: %v", err)
		}
	})
	t.Run("it says that the session is over before it tells", func(t *testing.T) {
		r := connect(t)
		r.fail(&wireError{Code: -32010, Message: "stale"}, "form/open")
		call := r.execute("c", single)
		r.until("form/open", func() bool { return slices.Contains(r.calls, "form/open") })
		r.call("session/shutdown", map[string]any{"gen": 2})
		if err, ok := (<-call).(*wireError); !ok || err.Code != -32010 {
			t.Errorf("answer %v", err)
		}
		if len(r.saved("ask:history-completed")) != 0 {
			t.Error("the form left a trace")
		}
	})
}

func TestServeEndsWithItsInput(t *testing.T) {
	r := connect(t)
	call := r.execute("c", single)
	r.seen("Where to keep")
	_ = r.in.Close()
	if _, ok := (<-call).(error); !ok {
		t.Error("the call has a result")
	}
	err := <-r.ended
	r.ended <- err
	if len(r.saved("ask:history-completed")) != 0 {
		t.Error("the form left a trace")
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	in, _ := io.Pipe()
	cancel()
	if err := hostshim.Serve(ctx, in, &closable{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// raw is an engine at the ends of two plain pipes.
type raw struct {
	in    *io.PipeWriter
	out   *bufio.Scanner
	close func() error
	ended chan error
}

func rawEngine() *raw {
	toEngine, in := io.Pipe()
	out, fromEngine := io.Pipe()
	r := &raw{in: in, out: bufio.NewScanner(out), close: out.Close, ended: make(chan error, 1)}
	r.out.Buffer(nil, 64<<20)
	go func() { r.ended <- hostshim.ServeAtOnce(context.Background(), toEngine, fromEngine) }()
	return r
}

func (r *raw) say(line string) { _, _ = io.WriteString(r.in, line+"\n") }

func (r *raw) hear() string { r.out.Scan(); return r.out.Text() }

func TestServeAnswersGarbage(t *testing.T) {
	r := rawEngine()
	for _, c := range []struct{ line, want string }{
		{"garbage", `"id":null,"error":{"code":-32700`},
		{`{"jsonrpc":"2.0"`, `"id":null,"error":{"code":-32700`},
		{"\xff\xfe", `"id":null,"error":{"code":-32700`},
		{`[]`, `"id":null,"error":{"code":-32600`},
		{`[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]`, `"id":null,"error":{"code":-32600`},
		{`null`, `"id":null,"error":{"code":-32600`},
		{`{"id":1,"method":"shutdown"}`, `"id":null,"error":{"code":-32600`},
		{`{"jsonrpc":2,"id":1,"method":"shutdown"}`, `"id":null,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":{},"method":"shutdown"}`, `"id":null,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":1}`, `"id":null,"error":{"code":-32600`},
		{strings.Repeat("[", 100_000), `"id":null,"error":{"code":-32700`},
		{`{"jsonrpc":"2.0","id":"x\u0041","method":"nope"}`, `"id":"x\u0041","error":{"code":-32601`},
	} {
		r.say(c.line)
		if got := r.hear(); !strings.HasPrefix(got, `{"jsonrpc":"2.0",`+c.want) {
			t.Errorf("%.50q was answered with %s", c.line, got)
		}
	}
	// Answers that nobody waits for have no answer, and neither have notifications.
	r.say(`{"jsonrpc":"2.0","id":7,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"no"}}` + "\n\n  \n" + `{"jsonrpc":"2.0","method":"nope"}`)
	r.say(`{"jsonrpc":"2.0","id":8,"method":"shutdown"}`)
	if got := r.hear(); got != `{"jsonrpc":"2.0","id":8,"result":{}}` {
		t.Errorf("the answer to shutdown is %s", got)
	}
	if r.out.Scan() {
		t.Errorf("something came behind the last answer: %s", r.out.Text())
	}
	must(t, <-r.ended)
}

func TestServeSkipsALineThatIsTooLong(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("reads 300 MB; not with -short or -race")
	}
	r := rawEngine()
	go func() {
		piece := bytes.Repeat([]byte{'x'}, 1<<20)
		for range 300 {
			_, _ = r.in.Write(piece)
		}
		r.say("")
		r.say(`{"jsonrpc":"2.0","id":8,"method":"shutdown"}`)
	}()
	if got := r.hear(); !strings.Contains(got, "-32600") || !strings.Contains(got, "longer than 256 MiB") {
		t.Errorf("the line was answered with %.200s", got)
	}
	if got := r.hear(); !strings.Contains(got, `"id":8`) {
		t.Errorf("the next one with %s", got)
	}
	must(t, <-r.ended)
}

// A host that stops reading loses nothing but pictures.
func TestServeAHostThatStopsReading(t *testing.T) {
	r := rawEngine()
	dir, _ := json.Marshal(t.TempDir())
	r.say(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocol":1,"agentDir":` + string(dir) + `}}`)
	r.hear()
	r.say(`{"jsonrpc":"2.0","id":"s","method":"session/start","params":{"gen":1,"reason":"new","mode":"tui"}}`)
	params, _ := json.Marshal(map[string]any{"gen": 1, "callId": "c", "name": "ask_user", "params": json.RawMessage(single)})
	asked := false
	for {
		line := r.hear()
		var m struct {
			ID     json.RawMessage
			Method string
		}
		must(t, json.Unmarshal([]byte(line), &m))
		switch {
		case m.Method == "session/branch":
			r.say(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"entries":[]}}`)
		case m.Method != "" && len(m.ID) > 0:
			r.say(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"id":"x"}}`)
		case string(m.ID) == `"s"` && !asked:
			asked = true
			r.say(`{"jsonrpc":"2.0","id":"c","method":"tool/execute","params":` + string(params) + `}`)
		}
		if m.Method == "form/open" {
			r.say(`{"jsonrpc":"2.0","method":"form/mounted","params":{"form":1,"cols":80,"rows":24}}`)
			r.say(`{"jsonrpc":"2.0","method":"form/key","params":{"form":1,"id":"3","text":"3"}}`)
			break
		}
	}
	const keys = 5000
	for i := range keys { // blocks here if the engine does
		r.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"form/key","params":{"form":1,"text":"%c"}}`, 'a'+i%26))
	}
	r.say(`{"jsonrpc":"2.0","method":"form/paste","params":{"form":1,"text":" newest"}}`)
	frames := 0
	for line := r.hear(); line != ""; line = r.hear() {
		if strings.Contains(line, `"form/frame"`) {
			frames++
			if strings.Contains(line, "newest") {
				break
			}
		}
	}
	if frames == 0 || frames > 20 {
		t.Errorf("%d frames were kept for a host that did not read", frames)
	}
	// Now it neither reads nor hangs up properly.
	_ = r.in.Close()
	must(t, <-r.ended)
	_ = r.close()
}
