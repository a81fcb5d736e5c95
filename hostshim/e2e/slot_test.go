//go:build unix

package e2e

import (
	"strings"
	"testing"
	"time"
)

// A selector of pi keeps its place: the form waits and comes when it closes.
func TestSelectorKeepsItsPlace(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(background("Later?")).held("ask"), say("Resting."), say("Known."))
		b := newBox(t, mode, m)
		pi := b.start("start")
		m.request(1)
		pi.command("/settings")
		pi.sees("Auto-compact")
		m.open("ask")
		b.holds(1, "ask:queued")
		m.request(2)
		pi.sees("Auto-compact")
		if s := pi.screen(); strings.Contains(s, "Later?") && strings.Contains(s, "❯ 1.") {
			t.Errorf("the form has thrown the selector out:\n%s", s)
		}
		pi.keys("Esc")
		pi.form("Later?")
		pi.pick("2")
		pi.sees("Known.")
	})
}

// Another dialog lies over the form and goes; the form is still there with its
// draft.
func TestDialogOverTheForm(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		slow(t)
		m := newModel(t, ask(background("Later?")), say("Resting."), say("Known."))
		b := newBox(t, mode, m)
		x := b.bridge()
		pi := b.start("start")
		pi.form("Later?")
		pi.sees("Resting.")
		pi.keys("3", "a draft")
		x.begin("select", nil)
		pi.sees("Pick one of these")
		pi.keys("Enter")
		x.hears("selected", 1)
		pi.sees("a draft")
		finishDraft(t, pi, m, x)
	})
}

// finishDraft ends the draft in the open editor and submits the form, which was
// announced once however often it was shown.
func finishDraft(t *testing.T, pi *term, m *model, x *bridge) {
	t.Helper()
	pi.keys("!", "Enter")
	pi.sees("❯ 1. Submit")
	pi.keys("Enter")
	if got := m.request(3).last().text(); !strings.Contains(got, "Q1 [q]: a draft!") {
		t.Errorf("the model was told %q", got)
	}
	pi.sees("Known.")
	x.blocked(t, 1)
	if n := len(x.events("pi-agent-ask:started")); n != 1 {
		t.Errorf("the form was announced %d times", n)
	}
}

// pi throws the form out of its place: it comes back by itself, with the draft
// in the open editor, and is not announced again.
func TestFormThatLostItsPlace(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(background("Later?")), say("Resting."), say("Known."))
		b := newBox(t, mode, m)
		x := b.bridge()
		pi := x.start()
		pi.prompt("start")
		pi.form("Later?")
		pi.sees("Resting.")
		pi.keys("n", "a note", "Enter", "3", "a draft")
		pi.sees("a draft")
		x.do("clear", nil)
		b.until("the form was thrown out and came back", func() bool { return strings.Contains(pi.screen(), "a draft") })
		time.Sleep(500 * time.Millisecond) // keys count again
		finishDraft(t, pi, m, x)
	})
}

// A dialog that throws the form out keeps the place until it is done with; then
// the form is back with its draft.
func TestDialogInPlaceOfTheForm(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		slow(t)
		m := newModel(t, ask(background("Later?")), say("Resting."), say("Known."))
		b := newBox(t, mode, m)
		x := b.bridge()
		pi := x.start()
		pi.prompt("start")
		pi.form("Later?")
		pi.sees("Resting.")
		pi.keys("3", "a draft")
		pi.sees("a draft")
		x.do("dialog", nil)
		pi.sees("Log in here")
		time.Sleep(300 * time.Millisecond) // time for the form to push in
		if s := pi.sees("Log in here"); strings.Contains(s, "a draft") {
			t.Errorf("the form has thrown the dialog out:\n%s", s)
		}
		pi.keys("Enter")
		pi.sees("a draft")
		time.Sleep(500 * time.Millisecond) // keys count again
		finishDraft(t, pi, m, x)
	})
}

// Text that is put into pi's editor while the form is there is kept.
func TestTextInTheEditorIsKept(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(background("Later?")).held("ask"), say("Resting."), say("Known."))
	b := newBox(t, "fullscreen", m)
	x := b.bridge()
	pi := b.start("start")
	m.request(1)
	pi.typed("half a message")
	pi.sees("half a message")
	m.open("ask")
	pi.form("Later?")
	pi.pick("1")
	pi.sees("half a message", "Known.")
	x.do("read", nil)
	if got := string(x.events("editor")[0].Data); got != `"half a message"` {
		t.Errorf("the editor holds %s", got)
	}
}

// pi's way to a login goes through a menu, a list and a dialog, each of which
// clears the place of the one before: a form that comes meanwhile waits for the
// last of them.
func TestFormWaitsForTheLogin(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		slow(t)
		m := newModel(t, ask(background("Later?")).held("ask"), say("Resting."), say("Known."))
		b := newBox(t, mode, m)
		pi := b.start("start")
		m.request(1)
		pi.command("/login")
		pi.sees("API key")
		m.open("ask")
		b.holds(1, "ask:queued")
		m.request(2)
		pi.keys("Down", "Enter")
		pi.sees("Select provider to configure")
		pi.keys("groq")
		pi.sees("→ Groq")
		pi.keys("Enter")
		pi.sees("Enter Groq API key")
		time.Sleep(300 * time.Millisecond) // time for the form to push in
		pi.keys("a-secret")
		if s := pi.sees("Enter Groq API key", "a-secret"); strings.Contains(s, "Later?") {
			t.Errorf("the form has thrown the login out:\n%s", s)
		}
		pi.keys("Enter")
		pi.form("Later?")
		pi.sees("Saved API key for Groq")
		pi.pick("2")
		if got := m.request(3).last().text(); !strings.Contains(got, "Q1 [q]: SQLite") {
			t.Errorf("the model was told %q", got)
		}
		pi.sees("Known.")
	})
}
