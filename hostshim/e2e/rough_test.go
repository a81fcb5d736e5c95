//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// nasty are texts that are hard to draw: wide, joined, escaping, reordering.
var nasty = []string{
	"資料庫 v2", "👩‍🍳 chef", "🏳️‍🌈", "e\u0301tude", "1️⃣ keycap", "\u1031\u103c မြန်မာ", "한글 노트", "☰ ䷀ hexagram", "\U0001f3fb tone",
	"\x1b]52;c;ZXZpbA==\x07ok", "\x1b[2J\x1b[?1003hHi", "abc\u202edef\u2066ghi", "\u009b31m red", "tab\there", "line\nbreak", "nul\x00nul",
	"Fix [red] alert", strings.Repeat("wide漢字", 40), strings.Repeat("x", 300), "٥\u065f٥", "\u2028sep\u2029",
}

// nastyForm is a form of such texts everywhere.
func nastyForm() string {
	type option struct {
		Value       string `json:"value"`
		Label       string `json:"label"`
		Description string `json:"description,omitempty"`
		Preview     string `json:"preview,omitempty"`
	}
	var options []option
	for i, text := range nasty {
		options = append(options, option{fmt.Sprint("v", i), text, text + text, text + "\n" + strings.Repeat(text, 3)})
	}
	var questions []map[string]any
	for i, kind := range []string{"single", "multi", "preview"} {
		questions = append(questions, map[string]any{"id": kind, "label": nasty[i], "prompt": strings.Join(nasty, " "), "type": kind, "options": options})
	}
	text, _ := json.Marshal(map[string]any{"title": nasty[11], "questions": questions})
	return string(text)
}

// Texts that are hard to draw, while the window changes between 20 and 200
// columns and keys arrive: pi lives (a line that is too wide ends it), no
// sequence of the model's reaches the terminal, and the answers are right.
func TestResizesAndNastyTexts(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(nastyForm()), say("Done."))
		b := newBox(t, mode, m)
		pi := b.start("start")
		pi.form("chef")
		pi.keys("n", "a note", "Enter") // so that no Esc ends the form at once
		pi.sees("Note: a note")
		dice := rand.New(rand.NewPCG(1, 2))
		keys := []string{"Down", "Down", "Up", "Tab", "S-Tab", "Space", "t", "PageDown", "PageUp", "Right", "Left"}
		for range 60 {
			pi.resize(20+dice.IntN(181), 8+dice.IntN(40))
			for range 3 {
				pi.typed(keyBytes[keys[dice.IntN(len(keys))]])
				time.Sleep(time.Duration(dice.IntN(15)) * time.Millisecond)
			}
			pi.keys("Esc") // leaves an editor, or asks before it throws the answers away
			pi.keys("Tab") // takes the question back
			if !pi.alive() {
				t.Fatalf("pi has ended:\n%s", pi.output())
			}
			if len(b.session().of("result ask_user")) > 0 {
				t.Fatal("the form has ended by itself")
			}
		}
		pi.resize(100, 30)
		out := pi.output()
		for _, bad := range []string{"\x1b]52", "\x1b[2J\x1b[?1003h", "\u202e", "\u009b31m", "\x00"} {
			if strings.Contains(out, bad) {
				t.Errorf("%q went to the terminal", bad)
			}
		}
		pi.kill(syscall.SIGTERM)
	})
}

// A preview of a megabyte: the form comes, keys are drawn at once, and the
// saved payload is whole.
func TestMegabytePreview(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		slow(t)
		m := newModel(t, ask(`{"questions":[{"id":"p","type":"preview","prompt":"Which log?","options":[{"value":"a","label":"Long","previewFile":"long.txt"},{"value":"b","label":"One line","previewFile":"line.txt"}]}]}`), say("Done."))
		b := newBox(t, mode, m)
		b.write("long.txt", strings.Repeat("a line of the log, number and more\n", 1<<20/35), 0o644)
		b.write("line.txt", strings.Repeat("ab漢", 1<<20/5), 0o644)
		pi := b.start("start")
		pi.form("a line of the log")
		pi.keys("Down")
		pi.sees("ab漢ab漢")
		pi.resize(60, 24)
		pi.sees("ab漢ab漢")
		pi.keys("Up")
		pi.sees("a line of the log")
		pi.pick("2")
		if got := m.request(2).result(); !strings.HasSuffix(got, "Q1: One line") {
			t.Errorf("the model was told %q", got)
		}
		pi.sees("Done.")
	})
}

// A paste of 100 KB with line breaks stays text.
func TestPaste(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(oneStore), say("Done."))
	b := newBox(t, "fullscreen", m)
	pi := b.start("start")
	pi.form("Which store?")
	pi.keys("3")
	long := strings.Repeat("0123456789 1 2 3\n", 6000) + "the end"
	pi.paste(long)
	pi.sees("the end")
	pi.keys("Enter")
	pi.sees("❯ 1. Submit")
	pi.keys("Enter")
	m.request(2)
	pi.sees("Done.")
	if got := at(b.session().of("result ask_user")[0].Message.Details, "answers.db.customText"); got != long {
		t.Errorf("%d bytes arrived of %d", len(fmt.Sprint(got)), len(long))
	}
}

// Keys that were typed before the form was there are no answer.
func TestKeysTypedBefore(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(oneStore).held("ask"), say("Done."))
		b := newBox(t, mode, m)
		pi := b.start("start")
		m.request(1)
		m.open("ask")
		b.until("the form is opening", func() bool { pi.typed("1"); return strings.Contains(pi.screen(), "Which store?") })
		pi.typed("1\r\r")
		if s := pi.form("Which store?"); strings.Contains(s, "(•)") || strings.Contains(s, "☒") {
			t.Errorf("an answer was taken from earlier keys:\n%s", s)
		}
		m.stays(1)
		pi.pick("2")
		pi.sees("Done.")
	})
}

// The engine dies in the middle of a form: a tool error with the reason; the
// next call works.
func TestEngineDies(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(oneStore), ask(oneStore), say("Done."))
		b := newBox(t, mode, m)
		x := b.bridge()
		pi := b.start("start")
		pi.form("Which store?")
		pi.keys("Space")
		b.killEngine()
		got := m.request(2).result()
		for _, want := range []string{"engine", "SIGKILL", "No question was answered."} {
			if !strings.Contains(got, want) {
				t.Errorf("the model was told %q, without %q", got, want)
			}
		}
		b.holds(1, "error ask_user")
		b.holds(2, "ask:history-request") // the second form, not a last look at the first
		pi.form("Which store?")
		pi.pick("2")
		if got := m.request(3).result(); !strings.HasSuffix(got, "Q1: SQLite") {
			t.Errorf("the model was told %q", got)
		}
		pi.sees("Done.")
		x.blocked(t, 2)
	})
}

// The engine dies while background forms are pending: they open again, and a
// finished one is not asked again.
func TestEngineDiesWithAQueue(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(background("First?")), ask(background("Second?")), say("Resting.").held("rest"), say("Both known."))
	b := newBox(t, "fullscreen", m)
	pi := b.start("start")
	pi.form("First?")
	m.request(3)
	pi.pick("1")
	pi.form("Second?")
	b.killEngine()
	pi.sees("it is started again")
	pi.form("Second?")
	pi.pick("2")
	pi.loses("Second?")
	m.open("rest")
	if got := m.request(4).raw; strings.Count(got, "Q1 [q]: Postgres") != 1 || strings.Count(got, "Q1 [q]: SQLite") != 1 {
		t.Errorf("the model was told %s", got)
	}
	pi.sees("Both known.")
	m.stays(4)
	b.holds(2, "ask:background-answer")
}

// An engine that is slow to start, and a model that is quicker: the call that is
// made meanwhile is no interrupted one, there is one form.
func TestSlowEngine(t *testing.T) {
	parallel(t)
	m := newModel(t, ask(oneStore), say("Done."))
	b := newBox(t, "fullscreen", m)
	b.write(filepath.Join(b.bin, "slow"), "#!/bin/sh\nsleep 2\nexec "+env.engine+" \"$@\"\n", 0o755)
	b.env["PI_AGENT_ASK_ENGINE"] = filepath.Join(b.bin, "slow")
	x := b.bridge()
	pi := b.start("start")
	b.holds(1, "call ask_user")
	pi.form("Which store?")
	pi.pick("2")
	if got := m.request(2).result(); !strings.HasSuffix(got, "Q1: SQLite") {
		t.Errorf("the model was told %q", got)
	}
	pi.sees("Done.")
	if s := b.session(); len(s.of("ask:pending-dismissed")) > 0 || len(s.of("ask:history-completed")) != 1 {
		t.Errorf("session: %s", s.story())
	}
	x.blocked(t, 1)
}

// No engine, a broken one, one of another version: a tool error that says what
// to do, in any mode; never an answer.
func TestEngineThatDoesNotWork(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, engine, says string }{
		{"missing", "", "which is not installed"},
		{"named but missing", "/nowhere/engine", "PI_AGENT_ASK_ENGINE names a file that does not exist: /nowhere/engine"},
		{"ends at once", "#!/bin/sh\necho out of cheese >&2\nexit 3\n", "stopped with exit code 3.\nIts last words:\nout of cheese"},
		{"speaks another protocol", "#!/bin/sh\nread line\n" + `echo '{"jsonrpc":"2.0","id":1,"result":{"protocol":9,"version":"9.9.9"}}'` + "\ncat >/dev/null\n", "version 9.9.9 speaks protocol 9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name != "named but missing" {
				slow(t)
			}
			parallel(t)
			m := newModel(t, ask(oneStore), say("I see."), ask(oneStore), say("Not in print either."))
			b := newBox(t, "regular", m)
			switch {
			case c.engine == "":
				delete(b.env, "PI_AGENT_ASK_ENGINE")
			case strings.HasPrefix(c.engine, "#!"):
				path := filepath.Join(b.bin, "engine")
				b.write(path, c.engine, 0o755)
				b.env["PI_AGENT_ASK_ENGINE"] = path
			default:
				b.env["PI_AGENT_ASK_ENGINE"] = c.engine
			}
			pi := b.start("start")
			if got := m.request(2).result(); !strings.Contains(got, c.says) {
				t.Errorf("the model was told %q", got)
			}
			pi.sees("I see.")
			b.holds(1, "error ask_user")
			pi.command("/ask-settings")
			time.Sleep(200 * time.Millisecond)
			if !pi.alive() {
				t.Error("pi has ended")
			}
			b.quit()
			b.run("", "-p", "start")
			if got := m.request(4).result(); !strings.Contains(got, c.says) {
				t.Errorf("in print mode the model was told %q", got)
			}
		})
	}
}

// Whichever way pi ends while a form is open, no process stays, and after a
// signal that can be heard the call has a result.
func TestWaysOut(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) {
			parallel(t)
			m := newModel(t, ask(oneStore))
			b := newBox(t, "fullscreen", m)
			b.died = signal == syscall.SIGKILL
			pi := b.start("start")
			pi.form("Which store?")
			if len(b.processes(env.engine)) != 1 {
				t.Fatal("no engine runs")
			}
			pi.kill(signal)
			b.noOrphan()
			if n := len(b.session().of("result ask_user")); n != 1 && signal != syscall.SIGKILL {
				t.Errorf("session: %s", b.session().story())
			}
		})
	}
	t.Run("quit from the prompt", func(t *testing.T) {
		slow(t)
		parallel(t)
		b := newBox(t, "regular", newModel(t, ask(oneStore), say("Done.")))
		pi := b.start("start")
		pi.form("Which store?")
		pi.pick("1")
		pi.sees("Done.")
		pi.command("/quit")
		b.until("pi has ended", func() bool { return !pi.alive() })
		b.noOrphan()
	})
}

// The host has no place for the form: an error, not an answer.
func TestFormThatCannotBeShown(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(oneStore), say("I see."))
	b := newBox(t, "regular", m)
	breaker := filepath.Join(b.root, "breaker.ts")
	b.write(breaker, `export default (pi) => pi.on("session_start", (_e, ctx) => { Object.getPrototypeOf(ctx.ui).custom = ctx.ui.custom = async () => { throw new Error("no room on this screen"); }; });`, 0o644)
	b.ext = append([]string{breaker}, b.ext...)
	pi := b.start("start")
	if got := m.request(2).result(); !strings.Contains(got, "no room on this screen") {
		t.Errorf("the model was told %q", got)
	}
	pi.sees("I see.")
	b.holds(1, "error ask_user")
	if done := b.session().of("ask:history-completed")[0].Data; at(done, "error") == nil || at(done, "result") != nil {
		t.Errorf("outcome: %s", done)
	}
}

// What was on the screen can still be read, or comes back with the form's end.
func TestTheTranscriptStaysReadable(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		slow(t)
		var lines []string
		for i := range 60 {
			lines = append(lines, fmt.Sprintf("output line %02d", i))
		}
		s := ask(oneStore)
		s.text = strings.Join(lines, "\n\n")
		m := newModel(t, s, say("Done."))
		b := newBox(t, mode, m)
		pi := b.startSized(80, 24, "start")
		pi.form("Which store?")
		pi.sees("output line 59", "Enter confirm")
		pi.pick("1")
		pi.sees("Done.")
	})
}

// One test through tmux, the terminal that many people work in. At its end the
// terminal is closed under pi.
func TestInsideTmux(t *testing.T) {
	slow(t)
	parallel(t)
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("tmux is not installed")
	}
	m := newModel(t, ask(oneStore), say("Done."))
	b := newBox(t, "fullscreen", m)
	cmd := b.command("start")
	run := func(args ...string) string {
		c := exec.Command(tmux, append([]string{"-S", filepath.Join(b.root, "t"), "-f", "/dev/null"}, args...)...)
		c.Env, c.Dir = append(cmd.Env, "TERM=xterm-256color"), b.cwd
		out, _ := c.CombinedOutput()
		return string(out)
	}
	run(append([]string{"new-session", "-d", "-x", "100", "-y", "30"}, cmd.Args...)...)
	t.Cleanup(func() { run("kill-server"); b.noOrphan() })
	sees := func(text string) {
		t.Helper()
		b.until("tmux shows "+text, func() bool { return strings.Contains(run("capture-pane", "-p"), text) })
	}
	sees("❯ 1. ( ) Postgres")
	run("send-keys", "Down")
	sees("❯ 2. ( ) SQLite")
	run("send-keys", "Enter")
	sees("❯ 1. Submit")
	run("send-keys", "Enter")
	if got := m.request(2).result(); !strings.HasSuffix(got, "Q1: SQLite") {
		t.Errorf("the model was told %q", got)
	}
	sees("Done.")
}

// Every row that the extension draws is measured with pi's own ruler.
func TestWidthByPisMeasure(t *testing.T) {
	if env.skip != "" {
		t.Skip(env.skip)
	}
	corpus, err := json.Marshal(map[string]any{"texts": nasty, "form": json.RawMessage(nastyForm())})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "corpus.json")
	if err := os.WriteFile(file, corpus, 0o644); err != nil {
		t.Fatal(err)
	}
	tui, _ := filepath.Abs("../pi/node_modules/@earendil-works/pi-tui/dist/index.js")
	out, err := exec.Command(env.node, "testdata/width.mjs", env.engine, tui, file, t.TempDir()).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
