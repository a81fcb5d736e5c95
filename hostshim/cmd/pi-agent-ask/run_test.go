//go:build linux || darwin

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// result reads stdout, which holds one result and nothing else.
func (s *terminal) result() ask.Result {
	s.t.Helper()
	var r ask.Result
	if err := json.Unmarshal(s.stdout.Bytes(), &r); err != nil {
		s.t.Fatalf("stdout is no result: %v\n%s", err, &s.stdout)
	}
	return r
}

func TestAnswerReviewSubmit(t *testing.T) {
	t.Parallel()
	s := openForm(t)
	s.send("2")
	s.until(s.screen, "Which checks?")
	s.send("1\x1b[B\x1b[B") // the second row, then the free text
	s.until(s.screen, "Type answer...")
	s.send("smoke test\r\t")
	s.until(s.screen, "Review answers")
	s.until(s.screen, "→ smoke test")
	s.send("\r")
	s.ends(exitOK)
	r := s.result()
	if got := r.AgentText(); !strings.Contains(got, "Target: Production") || r.Mode != ask.Submit {
		t.Errorf("mode %s, text %s", r.Mode, got)
	}
	if got := r.Answers["checks"]; len(got.Values) != 2 || got.CustomText != "smoke test" {
		t.Errorf("checks: %+v", got)
	}
	if s.stderr.Len() > 0 {
		t.Errorf("stderr: %s", &s.stderr)
	}
}

// A terminal that marks repeats: a held digit answers once, a held letter types.
func TestHeldKeys(t *testing.T) {
	t.Parallel()
	s := openForm(t)
	held := func(code string, repeats int) string {
		return "\x1b[" + code + ";1:1u" + strings.Repeat("\x1b["+code+";1:2u", repeats) + "\x1b[" + code + ";1:3u"
	}
	s.send(held("50", 5))
	s.until(s.screen, "Which checks?")
	s.send(held("49", 5) + "\x1b[B\x1b[B")
	s.until(s.screen, "Type answer...")
	s.send(held("122", 3) + held("13", 5))
	s.send("\t")
	s.until(s.screen, "Review answers")
	s.send("\r")
	s.ends(exitOK)
	r := s.result()
	if got := r.AgentText(); !strings.Contains(got, "Target: Production") {
		t.Errorf("text %s", got)
	}
	if got := r.Answers["checks"]; len(got.Values) != 1+1 || got.CustomText != "zzzz" {
		t.Errorf("checks: %+v", got)
	}
}

func TestWaysOut(t *testing.T) {
	for _, tt := range []struct {
		name, keys string
		code       int
		want       string
	}{
		{"submit", "2\t11", exitOK, `"mode": "submit"`},
		{"elaborate", "2\t22", exitOK, `"mode": "elaborate"`},
		{"cancel on the review tab", "2\t33", exitCancelled, `"cancelled": true`},
		{"escape", "\x1b", exitCancelled, `"cancelled": true`},
		{"ctrl+c twice with an answer", "2\x03\x03", exitCancelled, `"target": {`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := openForm(t)
			s.send(tt.keys)
			s.ends(tt.code)
			if !strings.Contains(s.stdout.String(), tt.want) {
				t.Errorf("no %s in %s", tt.want, &s.stdout)
			}
		})
	}
}

func TestTextForTheAgent(t *testing.T) {
	t.Parallel()
	s := openForm(t, "--text")
	s.send("1\t11")
	s.ends(exitOK)
	if got := s.stdout.String(); !strings.Contains(got, "Target: Staging\nChecks: (no answer)\n") {
		t.Errorf("stdout: %q", got)
	}
}

func TestStdoutInAFileAndThePayloadToo(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, "run", "payload.json")
	if err := os.WriteFile(filepath.Join(s.home, "payload.json"), []byte(release), 0o600); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(s.home, "result.json")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s.cmd.Stdin, s.cmd.Stdout = nil, file
	s.start()
	s.ready()
	s.send("2\t11")
	s.ends(exitOK)
	text, err := os.ReadFile(name)
	if r := new(ask.Result); err != nil || json.Unmarshal(text, r) != nil || r.Cancelled {
		t.Errorf("%v: %s", err, text)
	}
}

func TestAReaderOfStdoutThatHasGoneCostsNoAnswers(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, "run")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s.cmd.Stdout = w
	s.start()
	w.Close()
	s.ready()
	r.Close()
	s.send("2\t11")
	s.ends(exitOther)
	if got := s.stderr.String(); !strings.Contains(got, `"prod"`) || !strings.Contains(got, "cannot write to stdout, the result stands above") {
		t.Errorf("stderr: %s", got)
	}
}

func TestPlainLines(t *testing.T) {
	for _, env := range []string{"ACCESSIBLE=1", "TERM=dumb"} {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			s := onTerminal(t, "run")
			s.cmd.Env = append(s.cmd.Env, env)
			s.start()
			s.until(s.output, "Choice:")
			s.send("2\n")
			s.until(s.output, "Question 2 of 2")
			s.send("1\nnext\n")
			s.until(s.output, "Review:")
			s.send("submit\n")
			s.ends(exitOK)
			if got := s.result().AgentText(); !strings.Contains(got, "Production") {
				t.Errorf("answer: %s", got)
			}
			if strings.Contains(s.output(), "\x1b") {
				t.Errorf("there is an escape sequence: %q", s.output())
			}
		})
	}
}

func TestWithoutColour(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, "run")
	s.cmd.Env = append(s.cmd.Env, "NO_COLOR=1", "COLORTERM=truecolor")
	s.start()
	s.ready()
	s.until(s.screen, "[☐ Target]")
	s.send("\x1b")
	s.ends(exitCancelled)
	colour := regexp.MustCompile(`\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;\d+)*m`)
	if got := colour.FindAllString(s.output(), 3); got != nil {
		t.Errorf("there is colour: %q", got)
	}
}

func TestResizeWhileOpen(t *testing.T) {
	t.Parallel()
	s := openForm(t)
	rule := func(n int) string { return strings.Repeat("─", n) }
	s.until(s.screen, rule(80))
	s.resize(40, 10)
	s.until(s.screen, rule(40))
	s.send("\x1b[B")
	s.until(s.screen, "❯ 2.")
	for _, l := range strings.Split(s.screen(), "\n") {
		if strings.Contains(l, rule(41)) {
			t.Errorf("a line is too wide: %q", l)
		}
	}
	s.resize(100, 30)
	s.until(s.screen, rule(100))
	s.send("\x1b")
	s.ends(exitCancelled)
}

func TestSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			s := openForm(t)
			s.send("2\x1b[A?") // with the settings open above an answer
			s.until(s.screen, "Live settings")
			if err := s.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			s.ends(exitCancelled)
			if r := s.result(); !r.Cancelled {
				t.Errorf("result: %+v", r)
			}
			if !strings.Contains(s.stderr.String(), "interrupted") {
				t.Errorf("stderr: %s", &s.stderr)
			}
		})
	}
}

func TestTheTerminalGoesAway(t *testing.T) {
	t.Parallel()
	s := openForm(t)
	s.tty.Close()
	s.ptm.Close()
	if code := s.wait(); code != exitCancelled && code != exitOther {
		t.Errorf("exit %d", code)
	}
	if used := s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime(); used > 5*time.Second {
		t.Errorf("it was busy for %s", used)
	}
}

func TestStopAndGoOn(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	s := onTerminal(t, "run", "payload.json")
	if err := os.WriteFile(filepath.Join(s.home, "payload.json"), []byte(release), 0o600); err != nil {
		t.Fatal(err)
	}
	script := `set -m; "$0" "$@" >result; echo STOPPED $?; stty -a | grep -o -- '.icanon'; fg >/dev/null; echo ENDED $?`
	s.cmd.Args = append([]string{bash, "--norc", "-c", script, s.cmd.Path}, s.cmd.Args[1:]...)
	s.cmd.Path = bash
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = s.tty, s.tty, s.tty
	s.start()
	s.ready()
	s.send("2\x1a")
	s.until(s.output, "STOPPED 148")
	before, _, _ := strings.Cut(s.output(), "STOPPED 148")
	if left := leftOn(before); len(left) > 0 {
		t.Errorf("still switched on while stopped: %q", left)
	}
	s.until(s.screen, "Which checks?")
	if _, after, _ := strings.Cut(s.output(), "STOPPED"); strings.Contains(after, "-icanon") {
		t.Error("the shell got a raw terminal")
	}
	s.send("\t11")
	s.until(s.output, "ENDED 0")
	s.ends(0)
	if text, err := os.ReadFile(filepath.Join(s.home, "result")); err != nil || !strings.Contains(string(text), `"prod"`) {
		t.Errorf("%v: %s", err, text)
	}
}

func TestDraftInTheEditor(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, "run")
	// The editor shows what it was given, waits for a key, and adds a line.
	editor := filepath.Join(s.home, "editor.sh")
	script := "#!/bin/sh\ntest \"$1\" = --wait || exit 9\necho EDITING $(cat \"$2\")\nread line\necho \"added: $line\" >>\"$2\"\n"
	if err := os.WriteFile(editor, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	s.cmd.Env = append(s.cmd.Env, "EDITOR="+editor+" --wait")
	s.start()
	s.ready()
	s.send("3")
	s.until(s.screen, "Type answer...")
	s.send("my draft")
	s.until(s.screen, "my draft")
	s.send("\x07")
	s.until(s.output, "EDITING my draft")
	s.send("a line\n")
	s.until(s.screen, "added: a line")
	s.send("\r")
	s.until(s.screen, "Which checks?")
	s.send("\t11")
	s.ends(exitOK)
	if got := s.result().Answers["target"].CustomText; got != "my draft\nadded: a line" && got != "my draftadded: a line" {
		t.Errorf("answer: %q", got)
	}
}

func TestEditTheSettings(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, "settings", "edit", "mine.json")
	s.start()
	s.until(s.screen, "Auto-submit when answered")
	s.send("\r")
	s.until(s.screen, "[on]")
	s.until(func() string { b, _ := os.ReadFile(filepath.Join(s.home, "mine.json")); return string(b) }, `"autoSubmitWhenAnsweredWithoutNotes": true`)
	s.send("\x1b")
	s.ends(exitOK)
}

func TestTheFirstFormWritesTheSettings(t *testing.T) {
	t.Parallel()
	s := openForm(t)
	s.send("\x1b")
	s.ends(exitCancelled)
	if _, err := os.Stat(filepath.Join(s.home, ".pi/agent/extensions/pi-agent-ask.json")); err != nil {
		t.Error(err)
	}
}

func TestAPayloadFromThePersonAtTheTerminal(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, "run")
	s.cmd.Stdin = s.tty
	s.start()
	s.send(release + "\n\x04")
	s.ready()
	s.send("\x1b")
	s.ends(exitCancelled)
	if !strings.Contains(s.stderr.String(), "Reading from the terminal; Ctrl+D ends the text.") {
		t.Errorf("stderr: %s", &s.stderr)
	}
}

func TestPipesAsFiles(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"validate", fifo}, {"run", fifo}, {"drive", "--payload", fifo, "--script", fifo}} {
		if _, errs, code := in(t, nil, args...); code != exitOther || !strings.Contains(errs, "nobody writes into the pipe") {
			t.Errorf("%s without a writer: exit %d, %s", args[0], code, errs)
		}
	}
	for _, args := range [][]string{{"settings", "check", fifo}, {"journal", "records", fifo}} {
		if _, errs, code := in(t, nil, args...); code == exitOK || !strings.Contains(errs, "not a regular file") {
			t.Errorf("%s: exit %d, %s", args[0], code, errs)
		}
	}
	go func() { _ = os.WriteFile(fifo, []byte(release), 0o600) }() // waits for a reader
	var out, errs string
	code := exitOther
	for end := time.Now().Add(patience); code != exitOK && time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		out, errs, code = in(t, nil, "validate", fifo)
	}
	if code != exitOK || !strings.Contains(out, `"Release"`) {
		t.Errorf("with a writer: exit %d, %s%s", code, out, errs)
	}
}

// TestBytesPerKey counts what a key costs a slow line: the form draws what has
// changed, never the screen, and leaves the scrollback alone.
func TestBytesPerKey(t *testing.T) {
	page := strings.Repeat(`a line of the preview, about as long as code is\n`, 65)
	for _, tt := range []struct {
		name, payload string
		most          int
	}{
		{"plain", release, 250},
		{"65-line previews", `{"questions": [{"id": "q", "prompt": "Which?", "type": "preview", "options": [
			{"value": "a", "label": "First", "preview": "` + page + `"},
			{"value": "b", "label": "Second", "preview": "` + strings.ReplaceAll(page, "a line", "other text") + `"}]}]}`, 2500},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := onTerminal(t, "run")
			s.cmd.Stdin = strings.NewReader(tt.payload)
			s.resize(100, 30)
			s.start()
			s.ready()
			const keys = 20
			before := len(s.output())
			for range keys / 2 {
				s.send("\x1b[B")
				s.until(s.screen, "❯ 2.")
				s.send("\x1b[A")
				s.until(s.screen, "❯ 1.")
			}
			if n := (len(s.output()) - before) / keys; n > tt.most {
				t.Errorf("a key wrote %d bytes, more than %d", n, tt.most)
			}
			if strings.Contains(s.output(), "\x1b[3J") {
				t.Error("the scrollback was cleared")
			}
			s.send("\x1b")
			s.ends(exitCancelled)
		})
	}
}

// TestInTmux is what people do: a form in a pane of tmux, with its keys.
func TestInTmux(t *testing.T) {
	t.Parallel()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("tmux is not installed")
	}
	s := onTerminal(t, "run", "payload.json")
	defer s.tty.Close()
	defer s.ptm.Close()
	if err := os.WriteFile(filepath.Join(s.home, "payload.json"), []byte(release), 0o600); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(s.home, "s")
	call := func(args ...string) string {
		cmd := exec.Command(tmux, append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
		cmd.Env = s.cmd.Env
		cmd.Dir = s.home
		out, _ := cmd.CombinedOutput() // the server may have gone
		return string(out)
	}
	defer call("kill-server")
	line := "'" + s.cmd.Path + "' run payload.json >result; echo $? >code; sleep 60"
	if out := call("new-session", "-d", "-x", "80", "-y", "24", line); out != "" {
		t.Skip("tmux does not start: ", out)
	}
	pane := func() string { return call("capture-pane", "-p") }
	s.until(pane, "❯ 1.")
	call("send-keys", "Down")
	s.until(pane, "❯ 2.")
	call("send-keys", "Enter")
	s.until(pane, "Which checks?")
	call("send-keys", "Tab", "1", "1")
	s.until(func() string { b, _ := os.ReadFile(filepath.Join(s.home, "code")); return string(b) }, "0\n")
	if text, err := os.ReadFile(filepath.Join(s.home, "result")); err != nil || !strings.Contains(string(text), `"prod"`) {
		t.Errorf("%v: %s", err, text)
	}
	if left := strings.TrimSpace(pane()); left != "" {
		t.Errorf("left on the screen: %q", left)
	}
}
