//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A one by one pixel PNG.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// clipboard puts stand-ins for wl-paste on PATH: a clipboard with a picture.
func (b *box) clipboard() {
	b.env["WAYLAND_DISPLAY"] = "wayland-test"
	b.write(filepath.Join(b.bin, "wl-paste"), `#!/bin/sh
case "$*" in
*--list-types*) echo text/plain; echo image/png ;;
*) echo `+pixel+` | base64 -d ;;
esac
`, 0o755)
}

// Pictures in all three editors: in the result, in what the model sees, never
// as bytes on the screen.
func TestImages(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(oneStore), say("Seen."))
		b := newBox(t, mode, m)
		b.clipboard()
		pi := b.start("start")
		pi.form("Which store?")
		pi.keys("n", "C-v")
		pi.sees("[1 image]", "ctrl+v: attach image")
		pi.keys("Enter", "N", "C-v")
		pi.sees("[1 image]", "Ctrl+Alt+D: remove last image")
		pi.keys("C-v")
		pi.sees("[2 images]")
		pi.keys("C-M-d")
		pi.loses("[2 images]")
		pi.keys("Enter", "1")
		pi.sees("❯ 1. Submit")
		pi.keys("Enter")
		told := m.request(2)
		if got := requestLine.ReplaceAllString(told.Messages[len(told.Messages)-2].text(), ""); !strings.HasPrefix(got, "Q1: Postgres\nQ1 note: [1 image]\nQ1 / Postgres note: [1 image]") ||
			!strings.Contains(got, "Image for [db] Which store? — option note for Postgres:") {
			t.Errorf("the model was told %q", got)
		}
		if n := told.last().images(); n != 2 {
			t.Errorf("the model was sent %d pictures, want 2", n)
		}
		pi.sees("Seen.", "note: [1 image]")
		details := b.session().of("result ask_user")[0].Message.Details
		if at(details, "answers.db.noteImages.0.data") != pixel || at(details, "answers.db.optionNoteImages.pg.0.mimeType") != "image/png" {
			t.Errorf("details: %s", details)
		}
	})
}

// A picture as a free answer of a background form: in its message.
func TestImageInABackgroundAnswer(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(background("Later?")), say("Resting."), say("Seen."), ask(background("Again?")), use(waits, `{}`), say("Seen too."))
	b := newBox(t, "fullscreen", m)
	b.clipboard()
	pi := b.start("start")
	pi.form("Later?")
	pi.sees("Resting.")
	pi.keys("3", "C-v")
	pi.sees("[1 image]")
	pi.keys("Enter")
	pi.sees("❯ 1. Submit")
	pi.keys("Enter")
	if got := m.request(3).last(); got.images() != 1 || !strings.Contains(got.text(), "Image for [q] Later? — custom answer:") {
		t.Errorf("the model was told %q with %d pictures", got.text(), got.images())
	}
	pi.sees("Seen.", "[1 image]")
	pi.prompt("again")
	pi.form("Again?")
	pi.keys("3", "C-v")
	pi.sees("[1 image]")
	pi.keys("Enter")
	pi.sees("❯ 1. Submit")
	pi.keys("Enter")
	if got := m.request(6).last(); got.images() != 1 {
		t.Errorf("the wait returned %d pictures: %s", got.images(), got.text())
	}
	pi.sees("Seen too.")
}

// Without any clipboard program the editor says so and keeps the text.
func TestNoClipboard(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(oneStore), say("Done."))
	b := newBox(t, "regular", m)
	for _, name := range []string{"wl-paste", "xclip"} {
		b.write(filepath.Join(b.bin, name), "#!/bin/sh\nexit 1\n", 0o755)
	}
	pi := b.start("start")
	pi.form("Which store?")
	pi.keys("3", "text", "C-v")
	pi.sees("No way to read images from the clipboard", "text")
	pi.keys("Enter")
	pi.sees("❯ 1. Submit")
	pi.keys("Enter")
	pi.sees("Done.")
}

// @ lists the files of the working directory.
func TestFileCompletion(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(oneStore), say("Done."))
		b := newBox(t, mode, m)
		b.write("src/zebra.go", "package src\n", 0o644)
		pi := b.start("start")
		pi.form("Which store?")
		pi.keys("3", "see ", "@", "z", "e", "b")
		pi.sees("→ zebra.go")
		pi.keys("Tab")
		pi.loses("→ zebra.go")
		pi.keys("Enter")
		pi.sees("❯ 1. Submit")
		pi.keys("Enter")
		if got := m.request(2).result(); !strings.HasSuffix(got, "Q1: see @src/zebra.go") {
			t.Errorf("the model was told %q", got)
		}
	})
}

// Where pi has fd, the list is pi's own, with what other extensions add to it.
func TestFileCompletionByPi(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		slow(t)
		m := newModel(t, ask(oneStore), say("Done."))
		b := newBox(t, mode, m)
		b.write("src/zebra.go", "package src\n", 0o644)
		b.write(filepath.Join(b.bin, "fd"), "#!/bin/sh\nprintf '%s\\n' docs/ 'docs/only fd knows.md'\n", 0o755)
		pi := b.start("start")
		pi.form("Which store?")
		pi.keys("3", "see ", "@", "k", "n", "o", "w")
		if s := pi.sees("→ only fd knows.md"); strings.Contains(s, "zebra") {
			t.Errorf("the list is not pi's:\n%s", s)
		}
		pi.keys("Tab")
		pi.loses("→ only fd knows.md")
		pi.keys("and ", "@", "d", "o", "c")
		pi.sees("→ docs/")
		pi.keys("Tab")
		pi.loses("→ docs/")
		pi.keys("Enter")
		pi.sees("❯ 1. Submit")
		pi.keys("Enter")
		if got := m.request(2).result(); !strings.HasSuffix(got, `Q1: see @"docs/only fd knows.md" and @docs/`) {
			t.Errorf("the model was told %q", got)
		}
	})
}

// ? opens the settings over the form; a change is saved and holds at once. A
// change of the file on disk does, too.
func TestSettingsLive(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(oneStore), say("Done."))
		b := newBox(t, mode, m)
		pi := b.start("start")
		pi.form("Which store?")
		pi.sees("T question type")
		pi.keys("?")
		pi.sees("Live settings", "Auto-submit when answered without notes")
		pi.keys("Enter")
		pi.sees("[on]")
		b.until("the change is saved", func() bool {
			text, _ := os.ReadFile(b.askSettingsPath())
			return at(text, "behaviour.autoSubmitWhenAnsweredWithoutNotes") == true
		})
		pi.keys("Esc")
		pi.loses("Live settings")
		text, _ := os.ReadFile(b.askSettingsPath())
		b.askSettings(strings.Replace(string(text), `"showFooterHints": true`, `"showFooterHints": false`, 1))
		pi.loses("T question type")
		pi.keys("2") // auto-submit: no Review
		if got := m.request(2).result(); !strings.HasSuffix(got, "Q1: SQLite") {
			t.Errorf("the model was told %q", got)
		}
		pi.sees("Done.")
	})
}

// /ask-settings opens the settings without a form.
func TestSettingsCommand(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t)
		b := newBox(t, mode, m)
		pi := b.start()
		pi.ready()
		pi.command("/ask-settings")
		pi.sees("Confirm dismiss when dirty")
		pi.keys("Down", "Space")
		b.until("the change is saved", func() bool {
			text, _ := os.ReadFile(b.askSettingsPath())
			return at(text, "behaviour.confirmDismissWhenDirty") == false
		})
		pi.keys("Esc")
		pi.loses("Confirm dismiss when dirty")
		pi.typed("typed in the editor")
		pi.sees("typed in the editor")
	})
}

// Keys of the user's own work, and the hints name them.
func TestRemappedKeys(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(oneStore), say("Done."))
	b := newBox(t, "fullscreen", m)
	b.askSettings(remapped)
	pi := b.start("start")
	pi.form("Which store?")
	pi.sees("F2 confirm", "Ctrl+G dismiss")
	pi.keys("j", "Enter")
	pi.sees("❯ 2. ( ) SQLite") // Enter means nothing any more
	pi.typed("\x1bOQ")         // F2
	pi.sees("❯ 1. Submit")
	pi.typed("\x1bOQ")
	if got := m.request(2).result(); !strings.HasSuffix(got, "Q1: SQLite") {
		t.Errorf("the model was told %q", got)
	}
}

const remapped = `{"schemaVersion": 5, "keymaps": {
 "global": {"dismiss": "ctrl+x", "settings": "?"},
 "main": {"confirm": "f2", "cancel": "ctrl+g", "changeQuestionType": "t", "toggle": "space", "nextTab": "tab", "previousTab": "shift+tab",
  "nextOption": ["down", "j"], "previousOption": ["up", "k"], "optionNote": "n", "questionNote": "shift+n"},
 "editor": {"submit": "enter", "close": "esc", "nextTabWhenEmpty": "tab", "previousTabWhenEmpty": "shift+tab", "nextOptionWhenEmpty": "down", "previousOptionWhenEmpty": "up"},
 "noteEditor": {"save": "enter", "close": "esc", "nextTabWhenEmpty": "tab", "previousTabWhenEmpty": "shift+tab", "nextOptionWhenEmpty": "down", "previousOptionWhenEmpty": "up"},
 "settingsModal": {"close": ["esc", "ctrl+c", "?"], "nextOption": "down", "previousOption": "up", "toggle": ["enter", "space"]}}}`

// One notification for each form that opens, channel by channel; a channel that
// fails stops nothing, and changing settings tells nothing again.
func TestNotifications(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(background("First?")), ask(background("Second?")), say("Resting."), say("One."), say("Two."))
	b := newBox(t, "regular", m)
	log := filepath.Join(b.root, "told")
	b.askSettings(`{"schemaVersion": 5, "notifications": {"enabled": true, "channels": [` +
		`{"type": "command", "command": "exit 3"}, "bell", {"type": "command", "command": "echo \"$ASK_NOTIFY_TITLE|$ASK_NOTIFY_MESSAGE\" >> ` + log + `"}]}}`)
	pi := b.start("start")
	pi.form("First?")
	pi.sees("Resting.")
	pi.keys("?")
	pi.sees("Show footer hints")
	pi.keys("Down", "Down", "Down", "Down", "Enter", "Esc")
	pi.loses("Live settings")
	pi.pick("1")
	pi.form("Second?")
	pi.pick("1")
	pi.sees("Two.")
	want := "pi-agent-ask|Question waiting: First?\npi-agent-ask|Question waiting: Second?\n"
	b.until("both were told", func() bool { text, _ := os.ReadFile(log); return len(text) >= len(want) })
	time.Sleep(200 * time.Millisecond)
	if text, _ := os.ReadFile(log); string(text) != want {
		t.Errorf("told: %q", text)
	}
	if n := pi.rings(); n != 2 {
		t.Errorf("the bell rang %d times, want 2", n)
	}
}

// The contract's smoke test: another extension answers the form.
func TestRemoteAnswer(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(oneStore), say("Known."))
		b := newBox(t, mode, m)
		x := b.bridge()
		b.env["BRIDGE_ANSWERS"] = "1"
		pi := b.start("start")
		if got := m.request(2).result(); !strings.HasSuffix(got, "Q1: Postgres") {
			t.Errorf("the model was told %q", got)
		}
		pi.sees("Known.", "✓ Q1: Postgres")
		started, completed := x.hears("pi-agent-ask:started", 1)[0].Data, x.hears("pi-agent-ask:completed", 1)[0].Data
		if at(started, "source") != "tool" || at(started, "flowId") != "tool:call_1_0" || at(started, "questions.0.options.1.value") != "lite" {
			t.Errorf("started: %s", started)
		}
		if at(completed, "result.answers.db.labels.0") != "Postgres" || at(completed, "result.answers.db.indices.0") != 1.0 || at(completed, "result.requestId") != nil {
			t.Errorf("completed: %s", completed)
		}
		if got := string(x.hears("pi-agent-ask:submit-result", 1)[0].Data); got != `{"version":1,"requestId":"smoke","flowId":"tool:call_1_0","ok":true}` {
			t.Errorf("submit-result: %s", got)
		}
		x.blocked(t, 1)
	})
}

// A form that was answered elsewhere is gone at once, and the answer is in the
// transcript; a late key and a second answer change nothing.
func TestAnsweredElsewhere(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(oneStore), say("Known.").held("end"))
		b := newBox(t, mode, m)
		x := b.bridge()
		pi := b.start("start")
		pi.form("Which store?")
		x.submit("wrong", map[string]any{"kind": "answer", "answers": map[string]any{"db": map[string]any{"values": []string{"oracle"}}}})
		x.hears("pi-agent-ask:submit-result", 1)
		pi.form("Which store?")
		x.submit("right", map[string]any{"kind": "answer", "answers": map[string]any{"db": map[string]any{"values": []string{"lite"}}}})
		x.hears("pi-agent-ask:submit-result", 2)
		pi.loses("Which store?")
		x.submit("late", map[string]any{"kind": "answer", "answers": map[string]any{"db": map[string]any{"values": []string{"pg"}}}})
		results := x.hears("pi-agent-ask:submit-result", 3)
		for i, want := range []string{`"error":"invalid_answer"`, `"ok":true`, `"error":"flow_not_found"`} {
			if !strings.Contains(string(results[i].Data), want) {
				t.Errorf("submit %d: %s", i+1, results[i].Data)
			}
		}
		if got := m.request(2).result(); !strings.HasSuffix(got, "Q1: SQLite") {
			t.Errorf("the model was told %q", got)
		}
		pi.sees("✓ Q1: SQLite", "The form was answered elsewhere.")
		m.open("end")
		pi.sees("Known.")
		if n := len(x.events("pi-agent-ask:completed")); n != 1 {
			t.Errorf("completed came %d times", n)
		}
		x.blocked(t, 1)
	})
}

// Who types while the form goes away has typed for the form: nothing of it is a
// message to the agent. After a pause pi's editor is as usual.
func TestTypingWhileAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, notice string
		response     map[string]any
		answers      []answer
	}{
		{"answered", "The form was answered elsewhere.", map[string]any{"kind": "answer", "answers": map[string]any{"db": map[string]any{"values": []string{"lite"}}}}, nil},
		{"cancelled", "The form was cancelled elsewhere.", map[string]any{"kind": "cancel"}, nil},
		{"Kitty keyboard", "The form was answered elsewhere.", map[string]any{"kind": "answer", "answers": map[string]any{}}, []answer{kittyKeyboard}},
	} {
		t.Run(c.name, func(t *testing.T) {
			parallel(t)
			m := newModel(t, ask(oneStore), say("Known."), say("Heard."))
			b := newBox(t, "regular", m)
			b.answers = c.answers
			x := b.bridge()
			pi := b.start("start")
			pi.form("Which store?")
			var gone atomic.Bool
			stop, stopped := make(chan struct{}), make(chan struct{})
			go func() { // somebody who types without looking
				defer close(stopped)
				for i := 0; ; i++ {
					select {
					case <-stop:
						return
					case <-time.After(60 * time.Millisecond):
					}
					key := "x" // nothing to the form, and nothing that ends it
					if gone.Load() {
						key = []string{"1", "Enter", "C-c", "x"}[i%4]
					}
					data := key
					if c.answers != nil {
						data = kitty(key, press) + kitty(key, release)
					} else if bytes, named := keyBytes[key]; named {
						data = bytes
					}
					_, _ = pi.pty.WriteString(data)
				}
			}()
			x.hears("pi-agent-ask:started", 1)
			x.submit("r", c.response)
			gone.Store(true)
			pi.sees(c.notice)
			time.Sleep(500 * time.Millisecond)
			close(stop)
			<-stopped
			time.Sleep(400 * time.Millisecond)
			x.do("read", nil)
			if got := string(x.events("editor")[0].Data); got != `""` {
				t.Errorf("the editor holds %s", got)
			}
			said := 1
			if c.name != "cancelled" {
				pi.sees("Known.")
				said = 2
			}
			m.stays(said)
			pi.prompt("go on")
			if got := m.request(said + 1).last(); !strings.Contains(got.text(), "go on") {
				t.Errorf("the model was told %q", got.text())
			}
			if n := strings.Count(pi.screen(), "elsewhere."); n > 1 {
				t.Errorf("the person was told %d times:\n%s", n, pi.screen())
			}
		})
	}
}

// A remote cancel is a cancel: the agent stops, once.
func TestRemoteCancel(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(oneStore), say("Noted."))
	b := newBox(t, "fullscreen", m)
	x := b.bridge()
	pi := b.start("start")
	pi.form("Which store?")
	x.submit("stop", map[string]any{"kind": "cancel"})
	pi.loses("Which store?")
	b.holds(1, "aborted")
	m.stays(1)
	pi.prompt("go on")
	if got := m.request(2).result(); !strings.HasSuffix(got, "The user cancelled the form; nothing was approved.") {
		t.Errorf("the model was told %q", got)
	}
	pi.sees("Noted.")
	x.blocked(t, 1)
}

// A recovered form is announced as such.
func TestRecoveredFormOnTheBus(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(oneStore), say("Known."))
	b := newBox(t, "regular", m)
	x := b.bridge()
	pi := b.start("start")
	pi.form("Which store?")
	b.kill()
	pi = b.resume()
	pi.form("Which store?")
	x.submit("resume", map[string]any{"kind": "answer", "answers": map[string]any{"db": map[string]any{"customText": "by hand"}}})
	if got := m.request(2).last().text(); got != "Q1: by hand" {
		t.Errorf("the model was told %q", got)
	}
	pi.sees("Known.")
	if got := x.events("pi-agent-ask:completed")[0].Data; at(got, "source") != "ask:resume" || at(got, "toolCallId") != "call_1_0" {
		t.Errorf("completed: %s", got)
	}
}
