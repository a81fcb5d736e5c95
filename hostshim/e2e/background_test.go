//go:build unix

package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// background is a background question of its own: its prompt is in the name.
func background(prompt string) string {
	return fmt.Sprintf(`{"background":true,"questions":[{"id":"q","prompt":%q,%s}]}`, prompt, stores)
}

const waits = `wait_for_answers`

// Two forms while the agent works: receipts at once, one form after the other,
// both answers at the next boundary in order.
func TestBackgroundForms(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(background("First?")), ask(background("Second?")), say("Worked.").held("work"), say("Both known."))
		b := newBox(t, mode, m)
		x := b.bridge()
		pi := b.start("start")
		receipt := m.request(2)
		if got := receipt.result(); !regexp.MustCompile(`^ask_user \[[0-9a-f-]{36}\] is queued, 1 form\(s\) pending\. This receipt is neither`).MatchString(got) {
			t.Errorf("receipt: %q", got)
		}
		if got := m.request(3).result(); !strings.Contains(got, "is queued, 2 form(s) pending") {
			t.Errorf("second receipt: %q", got)
		}
		if s := pi.form("First?"); strings.Contains(s, "Second?") || !strings.Contains(s, "Questions pending: 2") {
			t.Errorf("screen:\n%s", s)
		}
		pi.pick("1")
		pi.form("Second?")
		pi.sees("Questions pending: 1")
		pi.pick("2")
		pi.loses("Questions pending")
		if n := m.count(); n != 3 {
			t.Errorf("the model got %d requests while it worked", n)
		}
		m.open("work")
		told := m.request(4).Messages
		a, z := told[len(told)-2], told[len(told)-1]
		if a.Role != "user" || !strings.HasPrefix(a.text(), "Background answer [") ||
			!strings.HasSuffix(a.text(), "Questions:\n- [q] Q1: First?\nResponse:\nQ1 [q]: Postgres") || !strings.HasSuffix(z.text(), "Second?\nResponse:\nQ1 [q]: SQLite") {
			t.Errorf("the model was told\n%s\n%s", a.text(), z.text())
		}
		if s := pi.sees("Both known.", "✓ Answers received", "→ Postgres"); strings.Contains(s, "Background answer [") {
			t.Errorf("the card shows the text for the model:\n%s", s)
		}
		m.stays(4)
		b.holds(2, "ask:background-answer")
		want := "call ask_user, ask:payload, ask:history-request, ask:queued, result ask_user, call ask_user, ask:payload, ask:history-request, ask:queued, result ask_user, " +
			"ask:history-completed, ask:queue-completed, ask:history-completed, ask:queue-completed, assistant, ask:background-answer, ask:background-answer, assistant"
		if got := b.session().story(); !strings.HasSuffix(got, want) {
			t.Errorf("session: %s", got)
		}
		x.blocked(t, 2)
	})
}

// An answer wakes an agent at rest, once; the card is the same after a restart.
func TestAnswerWakesTheIdleAgent(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(background("Later?")), say("Resting."), say("Awake."))
		b := newBox(t, mode, m)
		pi := b.start("start")
		pi.form("Later?")
		pi.sees("Resting.")
		pi.pick("2")
		if got := m.request(3).last().text(); !strings.Contains(got, "Q1 [q]: SQLite") {
			t.Errorf("the model was told %q", got)
		}
		pi.sees("Awake.", "→ SQLite")
		m.stays(3)
		b.holds(1, "ask:background-answer")
		b.quit()
		b.resume().sees("✓ Answers received", "→ SQLite", "1 question(s) queued · 1 form(s) pending")
		m.stays(3)
		b.holds(1, "ask:background-answer")
	})
}

// A cancelled form is told as context: it never wakes the agent.
func TestCancelledBackgroundForm(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(background("Later?")), say("Resting."), say("Noted."))
		b := newBox(t, mode, m)
		pi := b.start("start")
		pi.form("Later?")
		pi.sees("Resting.")
		pi.keys("Esc")
		pi.sees("Questions cancelled", "No approval given.")
		b.holds(1, "ask:background-answer")
		m.stays(2)
		pi.prompt("and now")
		told := m.request(3).Messages
		if got := told[len(told)-2].text(); !strings.Contains(got, "The user cancelled the form; nothing was approved.") {
			t.Errorf("the model was told %q", got)
		}
		pi.sees("Noted.")
	})
}

// Cancelling while the agent works stops it.
func TestCancelWhileTheAgentWorks(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(background("Later?")), say("Never said.").held("never"), say("Noted."))
	b := newBox(t, "fullscreen", m)
	pi := b.start("start")
	pi.form("Later?")
	m.request(2)
	pi.keys("Esc")
	pi.sees("Questions cancelled")
	b.holds(1, "aborted")
	b.holds(1, "ask:background-answer")
	m.stays(2)
	pi.prompt("and now")
	if !strings.Contains(m.request(3).raw, "nothing was approved") {
		t.Error("the cancellation is not in the context")
	}
	pi.sees("Noted.")
}

// A wait covers what is outstanding, and what comes while it waits.
func TestWaitForAnswers(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(background("First?")), use(waits, `{}`).and("codemode", nested("Second?")), use(waits, `{}`), say("Known."))
		b := newBox(t, mode, m)
		x := b.bridge()
		pi := b.start("--tools", "+codemode", "start")
		pi.form("First?")
		b.holds(2, "ask:queued")
		pi.pick("1")
		pi.sees("Second?", "❯ 1. ( )") // the call in the transcript has the question as well
		m.stays(2)
		pi.pick("2")
		told := m.request(3).Messages
		text := told[len(told)-2].text()
		if i, j := strings.Index(text, "Q1 [q]: Postgres"), strings.Index(text, "Q1 [q]: SQLite"); i < 0 || j < i {
			t.Errorf("the wait returned %q", text)
		}
		if got := m.request(4).result(); got != "No background answers are outstanding; the earlier ones are already in the conversation." {
			t.Errorf("the empty wait returned %q", got)
		}
		pi.sees("Known.")
		s := b.session()
		if n := len(s.of("ask:background-answer")); n > 0 {
			t.Errorf("%d answers were told twice", n)
		}
		details := s.of("result wait_for_answers")[0].Message.Details
		if at(details, "status") != "complete" || at(details, "requestIds.1") == nil || at(details, "results.1.result.answers.q.values.0") != "lite" {
			t.Errorf("details: %s", details)
		}
		x.blocked(t, 2)
	})
}

// Stopping the agent ends the wait, not the form; its answer then wakes it.
func TestAbortOfTheWait(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		slow(t)
		m := newModel(t, ask(background("Later?")), use(waits, `{}`), say("Known."))
		b := newBox(t, mode, m)
		x := b.bridge()
		pi := b.start("start")
		pi.form("Later?")
		b.holds(1, "call wait_for_answers")
		x.do("abort", nil)
		b.holds(1, "error wait_for_answers")
		pi.form("Later?")
		if got := len(x.events("herdr:blocked")); got != 1 {
			t.Errorf("herdr:blocked came %d times", got)
		}
		pi.pick("1")
		told := m.request(3)
		if got := told.result(); got != "Waiting for answers was interrupted." {
			t.Errorf("the wait ended with %q", got)
		}
		if got := told.last().text(); !strings.Contains(got, "Q1 [q]: Postgres") {
			t.Errorf("the model was told %q", got)
		}
		pi.sees("Known.")
		b.holds(1, "ask:background-answer")
		x.blocked(t, 1)
	})
}

// The user cancels the form that a wait waits for: the agent stops, the outcome
// is context.
func TestCancelDuringAWait(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(background("Later?")), use(waits, `{}`), say("Noted."))
	b := newBox(t, "regular", m)
	pi := b.start("start")
	pi.form("Later?")
	b.holds(1, "call wait_for_answers")
	pi.keys("Esc")
	pi.sees("Questions cancelled")
	b.holds(1, "aborted")
	m.stays(2)
	pi.prompt("and now")
	if raw := m.request(3).raw; strings.Count(raw, "The user cancelled the form; nothing was approved.") != 1 {
		t.Errorf("the cancellation is not told once: %s", raw)
	}
	pi.sees("Noted.")
}

// A foreground call waits for the background form that is open: one form at a
// time.
func TestForegroundWaitsItsTurn(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(background("First?")), ask(oneStore), say("All known."))
	b := newBox(t, "fullscreen", m)
	pi := b.start("start")
	pi.form("First?")
	b.holds(2, "ask:history-request")
	if s := pi.screen(); strings.Contains(s, "Which store?") {
		t.Errorf("two forms at once:\n%s", s)
	}
	pi.pick("1")
	pi.form("Which store?")
	pi.pick("2")
	raw := m.request(3).raw
	if !strings.Contains(raw, "Q1: SQLite") || !strings.Contains(raw, "Q1 [q]: Postgres") {
		t.Errorf("the model was told %s", raw)
	}
	pi.sees("All known.")
}

// A turn of the agent that starts and ends meanwhile leaves the form alone.
func TestFormOutlivesOtherTurns(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(background("Later?")), say("Resting."), say("Heard the bridge."), say("Known."))
	b := newBox(t, "fullscreen", m)
	x := b.bridge()
	pi := b.start("start")
	pi.form("Later?")
	pi.sees("Resting.")
	pi.keys("3", "half a thou")
	x.do("message", map[string]any{"text": "a job is done"})
	m.request(3)
	pi.sees("Heard the bridge.", "half a thou")
	pi.keys("ght", "Enter", "Enter")
	if got := m.request(4).last().text(); !strings.Contains(got, "Q1 [q]: half a thought") {
		t.Errorf("the model was told %q", got)
	}
	pi.sees("Known.")
}
