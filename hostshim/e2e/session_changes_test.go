//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cut resumes a copy of a session that ends right behind the nth entry with
// this word: what a crash at that point leaves.
func (b *box) cut(full []byte, word string, n int) {
	b.t.Helper()
	path := b.sessionFile()
	lines := strings.SplitAfter(string(full), "\n")
	seen := 0
	for i, e := range readSession(b.t, path) {
		if e.String() == word {
			if seen++; seen == n {
				b.write(path, strings.Join(lines[:i+1], ""), 0o644)
				return
			}
		}
	}
	b.t.Fatalf("the session has no %q number %d", word, n)
}

// recording runs a session to its end and returns its box and its file.
func recording(t *testing.T, mode string, steps []step, form string) (*box, []byte) {
	t.Helper()
	m := newModel(t, steps...)
	b := newBox(t, mode, m)
	pi := b.start("start")
	pi.form(form)
	pi.pick("2")
	last := steps[len(steps)-1].text
	pi.sees(last)
	b.until("the end is saved", func() bool { return strings.HasSuffix(b.session().story(), "assistant") })
	b.kill()
	full, err := os.ReadFile(b.sessionFile())
	if err != nil {
		t.Fatal(err)
	}
	return b, full
}

// A crash of pi behind each entry of a foreground call.
func TestForegroundCallIsRecovered(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		behind string
		opens  bool
	}{
		{"call ask_user", true}, {"ask:payload", true}, {"ask:history-request", true}, {"ask:history-completed", false}, {"result ask_user", false},
	} {
		t.Run(c.behind, func(t *testing.T) {
			if c.behind != "ask:history-request" {
				slow(t)
			}
			parallel(t)
			b, full := recording(t, modes[i%2], []step{ask(oneStore), say("Thanks.")}, "Which store?")
			b.cut(full, c.behind, 1)
			n := b.model.script(say("Going on."))
			pi := b.resume()
			if c.behind == "result ask_user" { // pi itself tells the model when it is asked again
				pi.ready()
				b.model.stays(n)
				return
			}
			if c.opens {
				pi.form("Which store?")
				pi.sees("An earlier form is still unanswered (1 question(s)); it is opened again.")
				b.model.stays(n)
				pi.pick("2")
			}
			if got := b.model.request(n + 1).last(); got.Role != "user" || got.text() != "Q1: SQLite" {
				t.Errorf("the model was told %q as %s", got.text(), got.Role)
			}
			pi.sees("Going on.")
			s := b.holds(1, "ask:pending-dismissed")
			if len(s.of("ask:history-completed")) > 1 {
				t.Errorf("session: %s", s.story())
			}
			// A third start opens nothing and says nothing.
			b.quit()
			pi = b.resume()
			pi.sees("Going on.")
			b.model.stays(n + 1)
			if strings.Contains(pi.screen(), "❯ 1.") {
				t.Errorf("the form is open again:\n%s", pi.screen())
			}
		})
	}
}

// A crash of pi behind each entry of a background form.
func TestBackgroundFormIsRecovered(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		behind string
		opens  bool // the form
		wakes  bool // the answer wakes the agent
		user   bool // the answer comes as a message of the user: it was a call that has no result
	}{
		{"ask:history-request", true, true, true},
		{"ask:queued", true, true, false},
		{"ask:history-completed", false, true, false},
		{"ask:queue-completed", false, true, false},
		{"ask:background-answer", false, false, false},
	} {
		t.Run(c.behind, func(t *testing.T) {
			if c.behind != "ask:queue-completed" {
				slow(t)
			}
			parallel(t)
			b, full := recording(t, modes[i%2], []step{ask(background("Later?")), say("Resting."), say("Thanks.")}, "Later?")
			b.cut(full, c.behind, 1)
			n := b.model.script(say("Going on."))
			pi := b.resume()
			if c.opens {
				pi.form("Later?")
				b.model.stays(n)
				pi.pick("2")
			}
			if !c.wakes {
				pi.ready()
				b.model.stays(n)
				b.holds(1, "ask:background-answer")
				return
			}
			if got := b.model.request(n + 1).last().text(); !strings.Contains(got, "SQLite") || strings.HasPrefix(got, "Background answer [") == c.user {
				t.Errorf("the model was told %q", got)
			}
			pi.sees("Going on.")
			b.model.stays(n + 1)
			if !c.user {
				b.holds(1, "ask:background-answer")
			}
			b.quit()
			pi = b.resume()
			pi.sees("Going on.")
			b.model.stays(n + 1)
		})
	}
}

// pi is killed with a note in the form; after the restart the form comes with
// the saved questions, is dismissed, and the conversation is still valid.
func TestKilledWithTheFormOpen(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(oneStore), say("A valid history."))
		b := newBox(t, mode, m)
		pi := b.start("start")
		pi.form("Which store?")
		pi.keys("n", "why", "Enter")
		pi.sees("Note: why")
		b.kill()
		pi = b.resume()
		pi.form("Which store?")
		b.kill() // and once more, unanswered
		pi = b.resume()
		pi.form("Which store?")
		pi.keys("Esc")
		pi.sees("The reopened form was dismissed.")
		m.stays(1)
		s := b.holds(1, "ask:pending-dismissed")
		if got := string(s.of("ask:pending-dismissed")[0].Data); !strings.Contains(got, `"delivery":"none"`) {
			t.Errorf("dismissal: %s", got)
		}
		pi.prompt("an ordinary message")
		if got := m.request(2).last().text(); got != "an ordinary message" { // that calls are paired is checked with each request
			t.Errorf("the model was told %q", got)
		}
		pi.sees("A valid history.")
		b.quit()
		pi = b.resume()
		pi.sees("A valid history.")
		m.stays(2)
		if strings.Contains(pi.screen(), "❯ 1.") {
			t.Errorf("the dismissed form is open again:\n%s", pi.screen())
		}
	})
}

// pi is killed while two background forms are pending: both come back in order.
func TestKilledWithAQueue(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(background("First?")), ask(background("Second?")), say("Resting."), say("One."), say("Two."))
	b := newBox(t, "fullscreen", m)
	pi := b.start("start")
	pi.form("First?")
	pi.sees("Resting.")
	b.kill()
	pi = b.resume()
	pi.form("First?")
	pi.sees("Questions pending: 2")
	pi.pick("1")
	pi.form("Second?")
	pi.sees("One.")
	b.kill()
	pi = b.resume()
	pi.form("Second?")
	pi.pick("2")
	pi.sees("Two.")
	m.stays(5)
	b.holds(2, "ask:background-answer")
}

// /reload with an open and a queued form: both come back, none twice.
func TestReload(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(background("First?")), ask(background("Second?")), say("Resting."), say("One."), say("Two."))
		b := newBox(t, mode, m)
		x := b.bridge()
		pi := x.start()
		pi.prompt("start")
		pi.form("First?")
		pi.sees("Resting.")
		sessions := len(x.events("session"))
		x.begin("reload", nil)
		x.hears("session", sessions+1)
		pi.form("First?")
		pi.sees("Questions pending: 2")
		pi.pick("1")
		m.request(4)
		pi.sees("One.")
		pi.form("Second?")
		pi.pick("2")
		m.request(5)
		pi.sees("Two.")
		m.stays(5)
		b.holds(2, "ask:background-answer")
	})
}

// /new while a foreground form is open: the call ends in the old session as
// interrupted, and the new one works.
func TestNewSessionWithAForegroundForm(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(oneStore), say("Still here."))
	b := newBox(t, "regular", m)
	x := b.bridge()
	pi := x.start()
	pi.prompt("start")
	pi.form("Which store?")
	old := b.sessionFile()
	x.begin("new", nil)
	x.hears("session", 2)
	pi.loses("Which store?")
	pi.ready()
	s := readSession(t, old)
	if len(s.of("result ask_user"))+len(s.of("error ask_user")) != 1 {
		t.Errorf("the old session: %s", s.story())
	}
	pi.prompt("go on")
	pi.sees("Still here.")
}

// /new leaves the form behind: it is dead there, and alive again when the old
// session comes back.
func TestNewSessionAndBack(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(background("Later?")), say("Resting."), say("Hello."), say("Known."))
		b := newBox(t, mode, m)
		x := b.bridge()
		pi := x.start()
		pi.prompt("start")
		pi.form("Later?")
		pi.sees("Resting.")
		old := b.sessionFile()
		before := len(readSession(t, old))
		x.begin("new", nil)
		x.hears("session", 2)
		pi.loses("Later?")
		x.submit("late", map[string]any{"kind": "cancel"})
		if got := string(x.hears("pi-agent-ask:submit-result", 1)[0].Data); !strings.Contains(got, `"error":"flow_not_found"`) {
			t.Errorf("the dead form answered %s", got)
		}
		pi.prompt("hello")
		pi.sees("Hello.")
		if pending := strings.Contains(pi.screen(), "Questions pending"); pending {
			t.Errorf("the new session counts old questions:\n%s", pi.screen())
		}
		if got := len(readSession(t, old)); got != before {
			t.Errorf("the old session has %d entries, had %d", got, before)
		}
		x.begin("switch", map[string]any{"path": old})
		x.hears("session", 3)
		pi.form("Later?")
		pi.pick("1")
		if got := m.request(4).last().text(); !strings.Contains(got, "Q1 [q]: Postgres") {
			t.Errorf("the model was told %q", got)
		}
		pi.sees("Known.")
		x.blocked(t, 2)
	})
}

// A fork has the form that its branch has asked for, and no answer that the
// branch has had already.
func TestFork(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		slow(t)
		m := newModel(t, ask(background("Later?")), say("Resting."), say("Known."), say("Known again."))
		b := newBox(t, mode, m)
		x := b.bridge()
		pi := x.start()
		pi.prompt("start")
		pi.form("Later?")
		pi.sees("Resting.")
		pi.pick("1")
		pi.sees("Known.")
		b.holds(1, "ask:background-answer")
		s := b.session()
		old := b.sessionFile()
		// Behind the delivery: nothing comes.
		x.begin("fork", map[string]any{"id": s[len(s)-1].ID})
		x.hears("session", 2)
		m.stays(3)
		// Before the answer: the form opens again.
		x.begin("switch", map[string]any{"path": old})
		x.hears("session", 3)
		queued := s.of("result ask_user")[0].ID
		x.begin("fork", map[string]any{"id": queued})
		x.hears("session", 4)
		pi.form("Later?")
		pi.pick("2")
		if got := m.request(4).last().text(); !strings.Contains(got, "Q1 [q]: SQLite") {
			t.Errorf("the model was told %q", got)
		}
		pi.sees("Known again.")
		files, _ := filepath.Glob(filepath.Join(b.agentDir, "sessions", "*", "*.jsonl"))
		for _, f := range files {
			if n := len(readSession(t, f).of("ask:background-answer")); n > 1 {
				t.Errorf("%s holds %d answers", f, n)
			}
		}
	})
}

// /tree: before the question the form is gone, on its branch it is there, and
// the answer of one branch is none of the other.
func TestTree(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, say("Hello."), ask(background("Later?")), say("Resting."), say("Known."), say("Known again."))
		b := newBox(t, mode, m)
		x := b.bridge()
		pi := x.start()
		pi.prompt("hello")
		pi.sees("Hello.")
		b.holds(1, "assistant")
		s := b.session()
		before := s[len(s)-1].ID
		pi.prompt("start")
		pi.form("Later?")
		pi.sees("Resting.")
		b.holds(2, "assistant")
		s = b.session()
		behind := s[len(s)-1].ID
		x.do("tree", map[string]any{"id": before})
		pi.loses("Later?")
		pi.loses("Questions pending")
		x.do("tree", map[string]any{"id": behind})
		pi.form("Later?")
		pi.sees("Questions pending: 1")
		pi.pick("1")
		pi.sees("Known.")
		x.do("tree", map[string]any{"id": behind})
		pi.form("Later?")
		pi.pick("2")
		if got := m.request(5).last().text(); !strings.Contains(got, "Q1 [q]: SQLite") || strings.Contains(m.request(5).raw, "Q1 [q]: Postgres") {
			t.Errorf("the model was told %q", got)
		}
		pi.sees("Known again.")
		m.stays(5)
		x.blocked(t, 3)
	})
}
