//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

const needs = "Needs user input: ask_user requires interactive TUI mode."

// Without a terminal nobody is asked: the model gets the questions back, and
// nothing that could pass for an answer. A wait is an error.
func TestPrintAndJSONMode(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"text", "json"} {
		t.Run(mode, func(t *testing.T) {
			parallel(t)
			m := newModel(t, ask(oneStore), ask(background("Later?")), use(waits, `{}`), say("No answers here."))
			b := newBox(t, "fullscreen", m)
			out, _ := b.run("", "--mode", mode, "-p", "start")
			want := needs + "\nAsk these questions in the chat instead, or repeat the call in interactive TUI mode:\n1. Q1: Which store?\n   - Postgres [pg]\n   - SQLite [lite]\n   - Type your own [custom]\n" +
				"details.questions lists the pending questions; details.answers is empty because nobody has answered."
			if got := requestLine.ReplaceAllString(m.request(2).result(), ""); got != want {
				t.Errorf("the model was told %q", got)
			}
			if got := m.request(3).result(); !strings.Contains(got, needs) || !strings.Contains(got, "Later?") {
				t.Errorf("for a background call the model was told %q", got)
			}
			if got := m.request(4).result(); got != "wait_for_answers needs interactive TUI mode." {
				t.Errorf("the wait returned %q", got)
			}
			if !strings.Contains(out, "No answers here.") {
				t.Errorf("output: %s", out)
			}
			s := b.session()
			done := "ask:payload, ask:history-request, ask:history-completed, result ask_user"
			if got := s.story(); !strings.HasSuffix(got, "call ask_user, "+done+", call ask_user, "+done+", call wait_for_answers, error wait_for_answers, assistant") {
				t.Errorf("session: %s", got)
			}
			details := s.of("result ask_user")[0].Message.Details
			if at(details, "cancelled") != true || at(details, "questions.0.prompt") != "Which store?" || string(mustJSON(at(details, "answers"))) != "{}" {
				t.Errorf("details: %s", details)
			}
			b.noOrphan()
		})
	}
}

func mustJSON(v any) []byte { out, _ := json.Marshal(v); return out }

func TestRPCMode(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(oneStore), use(waits, `{}`), say("No answers here."))
	b := newBox(t, "fullscreen", m)
	cmd := b.command("--mode", "rpc")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(in, `{"id":"1","type":"prompt","message":"start"}`+"\n")
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		if kind := at(lines.Bytes(), "type"); kind == "agent_settled" {
			break
		}
	}
	_ = in.Close()
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); err != nil {
		t.Errorf("pi ended with %v", err)
	}
	if got := m.request(2).result(); !strings.Contains(got, needs) {
		t.Errorf("the model was told %q", got)
	}
	if got := m.request(3).result(); got != "wait_for_answers needs interactive TUI mode." {
		t.Errorf("the wait returned %q", got)
	}
	b.noOrphan()
}
