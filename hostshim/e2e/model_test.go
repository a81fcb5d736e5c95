//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a test waits for something that must come.
const patience = 25 * time.Second

// step is one scripted answer of the model.
type step struct {
	text  string
	calls []call
	gate  string // the answer is held back until open(gate)
}

type call struct {
	id, name, args string
}

func say(text string) step { return step{text: text} }

// ask is an answer that calls ask_user.
func ask(args string) step { return use("ask_user", args) }

func use(name, args string) step { return step{calls: []call{{name: name, args: args}}} }

func (s step) held(gate string) step { s.gate = gate; return s }

// and adds a second tool call to the same message.
func (s step) and(name, args string) step {
	s.calls = append(s.calls, call{name: name, args: args})
	return s
}

// message is one message as the model was sent it.
type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (m message) text() string {
	var s string
	if json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	var parts []struct{ Type, Text string }
	_ = json.Unmarshal(m.Content, &parts)
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// images counts the picture parts of the message.
func (m message) images() int {
	var parts []struct{ Type string }
	_ = json.Unmarshal(m.Content, &parts)
	n := 0
	for _, p := range parts {
		if p.Type == "image_url" {
			n++
		}
	}
	return n
}

// request is what the model was sent.
type request struct {
	Messages []message `json:"messages"`
	Tools    []struct {
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	raw string
}

func (r request) last() message { return r.Messages[len(r.Messages)-1] }

// result is the text of the newest result of a tool.
func (r request) result() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "tool" {
			return r.Messages[i].text()
		}
	}
	return "(no tool result)"
}

// unpaired lists the tool calls without exactly one result right behind them.
func (r request) unpaired() []string {
	var bad []string
	for i, m := range r.Messages {
		for _, c := range m.ToolCalls {
			n := 0
			for _, answer := range r.Messages[i+1:] {
				if answer.Role == "assistant" {
					break
				}
				if answer.ToolCallID == c.ID {
					n++
				}
			}
			if n != 1 {
				bad = append(bad, fmt.Sprintf("%s has %d results", c.ID, n))
			}
		}
	}
	return bad
}

// model is an OpenAI-compatible server that answers request N with step N.
type model struct {
	t   testing.TB
	url string

	mu       sync.Mutex
	cond     *sync.Cond
	steps    []step
	next     func(n int) step // answers every request, if there is no script
	requests []request
	opened   map[string]bool
	answered time.Time // when the newest answer was out
}

func newModel(t testing.TB, steps ...step) *model {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &model{t: t, url: "http://" + listener.Addr().String() + "/v1", steps: steps, opened: map[string]bool{}}
	m.cond = sync.NewCond(&m.mu)
	server := &http.Server{Handler: http.HandlerFunc(m.serve)}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		m.open("*")
	})
	return m
}

// then adds answers to the script.
func (m *model) then(steps ...step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.steps = append(m.steps, steps...)
}

// script gives the answers to the next requests, whatever was scripted before,
// and returns how many requests came so far.
func (m *model) script(steps ...step) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.requests)
	m.steps = append(make([]step, n), steps...)
	return n
}

// open lets the answer behind a gate go out.
func (m *model) open(gate string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opened[gate] = true
	m.cond.Broadcast()
}

func (m *model) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.requests)
}

// request waits for request n, counted from 1.
func (m *model) request(n int) request {
	m.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		m.mu.Lock()
		if len(m.requests) >= n {
			defer m.mu.Unlock()
			return m.requests[n-1]
		}
		m.mu.Unlock()
	}
	m.t.Fatalf("the model got %d requests, not %d", m.count(), n)
	return request{}
}

// stays checks that no request beyond n comes for a while.
func (m *model) stays(n int) {
	m.t.Helper()
	time.Sleep(500 * time.Millisecond)
	if got := m.count(); got != n {
		m.t.Errorf("the model got %d requests, want %d", got, n)
	}
}

func (m *model) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	in := request{raw: string(body)}
	if err == nil {
		err = json.Unmarshal(body, &in)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	m.requests = append(m.requests, in)
	n := len(m.requests)
	if bad := in.unpaired(); bad != nil {
		m.t.Errorf("request %d breaks the rules of the model: %v", n, bad)
	}
	var s step
	known := n <= len(m.steps)
	if known {
		s = m.steps[n-1]
	} else if m.next != nil {
		s, known = m.next(n), true
	}
	stop := make(chan struct{})
	go func() { // a client that goes away must not leave us waiting
		select {
		case <-r.Context().Done():
			m.mu.Lock()
			m.cond.Broadcast()
			m.mu.Unlock()
		case <-stop:
		}
	}()
	for s.gate != "" && !m.opened[s.gate] && !m.opened["*"] && r.Context().Err() == nil {
		m.cond.Wait()
	}
	close(stop)
	m.mu.Unlock()
	if r.Context().Err() != nil {
		return
	}
	if !known {
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, `{"error":{"message":"request %d is not in the script","type":"script"}}`, n)
		return
	}
	stream(w, n, s)
	m.mu.Lock()
	m.answered = time.Now()
	m.mu.Unlock()
}

// stream sends an answer as server-sent events.
func stream(w http.ResponseWriter, n int, s step) {
	w.Header().Set("content-type", "text/event-stream")
	send := func(delta map[string]any, finish any, more map[string]any) {
		chunk := map[string]any{
			"id": fmt.Sprintf("answer-%d", n), "object": "chat.completion.chunk", "created": 1, "model": "scripted-1",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
		}
		for k, v := range more {
			chunk[k] = v
		}
		text, _ := json.Marshal(chunk)
		fmt.Fprintf(w, "data: %s\n\n", text)
		w.(http.Flusher).Flush()
	}
	send(map[string]any{"role": "assistant", "content": s.text}, nil, nil)
	finish := "stop"
	for i, c := range s.calls {
		finish = "tool_calls"
		id := c.id
		if id == "" {
			id = fmt.Sprintf("call_%d_%d", n, i)
		}
		send(map[string]any{"tool_calls": []any{map[string]any{
			"index": i, "id": id, "type": "function",
			"function": map[string]any{"name": c.name, "arguments": c.args},
		}}}, nil, nil)
	}
	usage := map[string]any{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
	send(map[string]any{}, finish, map[string]any{"usage": usage})
	fmt.Fprint(w, "data: [DONE]\n\n")
	w.(http.Flusher).Flush()
}
