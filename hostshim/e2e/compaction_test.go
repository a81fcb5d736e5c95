//go:build unix

package e2e

import (
	"strings"
	"testing"
	"time"
)

// short answers both requests of a compaction that cuts a turn in two.
var short = say("What was said, in short.")

// compactable makes /compact do something in a short session, too.
func (b *box) compactable() *box {
	b.settings["compaction"] = map[string]any{"enabled": false, "keepRecentTokens": 1}
	return b
}

// An answer that was told is told on no branch again: not after a compaction, a
// reload, a crash or a fork behind it. A fork before it has its own.
func TestToldOnceOnEachBranch(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		slow(t)
		m := newModel(t, ask(background("Later?")), say("Resting."), say("Known."), short, short, say("Known again."))
		b := newBox(t, mode, m).compactable()
		x := b.bridge()
		pi := x.start()
		pi.prompt("start")
		pi.form("Later?")
		pi.sees("Resting.")
		pi.pick("1")
		pi.sees("Known.")
		b.holds(1, "ask:background-answer")
		quiet := func(requests int) {
			t.Helper()
			pi.ready()
			m.stays(requests)
			b.holds(1, "ask:background-answer")
			if s := pi.screen(); strings.Contains(s, "❯ 1.") || strings.Contains(s, "Questions pending") {
				t.Errorf("the form is there again:\n%s", s)
			}
		}

		pi.command("/compact")
		s := b.holds(1, "compaction")
		quiet(5)
		x.begin("reload", nil)
		x.hears("session", 2)
		quiet(5)
		b.kill()
		pi = b.resume()
		quiet(5)
		pi.command("/bridge")
		x.hears("ready", 2)
		old := b.sessionFile()
		x.begin("fork", map[string]any{"id": s[len(s)-1].ID})
		x.hears("session", 4)
		quiet(5)

		// Between the answer and its message, from where the compaction is ahead.
		x.begin("switch", map[string]any{"path": old})
		x.hears("session", 5)
		x.begin("fork", map[string]any{"id": s.of("ask:queue-completed")[0].ID})
		x.hears("session", 6)
		if got := m.request(6).last().text(); !strings.Contains(got, "Q1 [q]: Postgres") {
			t.Errorf("the model was told %q", got)
		}
		pi.sees("Known again.")
		quiet(6)
		if n := len(readSession(t, old).of("ask:background-answer")); n != 1 {
			t.Errorf("the first session has the answer %d times", n)
		}
	})
}

// A form that is answered while pi compacts wakes the agent behind that, once.
func TestAnsweredDuringACompaction(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		slow(t)
		m := newModel(t, say("Hello."), ask(background("Later?")), say("Resting."), short.held("compact"), short.held("compact"), say("Known."))
		b := newBox(t, mode, m).compactable()
		x := b.bridge()
		pi := b.start("hello")
		pi.sees("Hello.")
		pi.prompt("start")
		pi.form("Later?")
		pi.sees("Resting.")
		x.begin("compact", nil)
		m.request(4)
		pi.sees("Later?") // a compaction leaves it alone
		pi.pick("2")
		b.holds(1, "ask:queue-completed")
		time.Sleep(300 * time.Millisecond)
		m.open("compact")
		if got := m.request(6).last().text(); !strings.Contains(got, "Q1 [q]: SQLite") {
			t.Errorf("the model was told %q", got)
		}
		pi.sees("Known.")
		m.stays(6)
		b.holds(1, "ask:background-answer")
		if got := b.holds(1, "compaction").branch(); got[len(got)-1].String() != "assistant" {
			t.Errorf("session: %s", got.story())
		}
	})
}
