//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// written is a call of pi's own tool that leaves a trace; trace says whether it
// has.
const written = `{"path":"trace.txt","content":"it ran"}`

func (b *box) trace() bool {
	_, err := os.Stat(filepath.Join(b.cwd, "trace.txt"))
	return err == nil
}

// What stands behind a question in the same message waits for its answer.
func TestCallsBehindAQuestionWait(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(oneStore).and("write", written), say("Both done."))
		b := newBox(t, mode, m)
		pi := b.start("start")
		pi.form("Which store?")
		m.stays(1)
		if b.trace() {
			t.Fatal("the file was written while the form was open")
		}
		pi.pick("2")
		told := m.request(2).Messages
		if got := told[len(told)-2].text(); !strings.HasSuffix(got, "Q1: SQLite") || !b.trace() {
			t.Errorf("the model was told %q, and the file is there: %v", got, b.trace())
		}
		pi.sees("Both done.")
	})
}

// After a cancellation what stands behind it does not run, and the history
// stays valid: the call has a result, which every request is tested for.
func TestCallsBehindACancelledQuestion(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(oneStore).and("write", written).and("ask_user", oneStore), say("Noted."))
	b := newBox(t, "regular", m)
	pi := b.start("start")
	pi.form("Which store?")
	pi.keys("Esc")
	pi.loses("Which store?")
	b.holds(1, "aborted")
	b.holds(1, "error write")
	b.holds(1, "error ask_user")
	m.stays(1)
	pi.prompt("and now")
	told := m.request(2).Messages
	if got := told[len(told)-4].text(); !strings.HasSuffix(got, "nothing was approved.") || b.trace() {
		t.Errorf("the model was told %q, and the file is there: %v", got, b.trace())
	}
	pi.sees("Noted.")
}

// A background question holds nothing up: what stands behind it runs while its
// form is open, and a wait in the same message covers it.
func TestCallsBehindABackgroundQuestion(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(background("Later?")).and("write", written).and(waits, `{}`), say("Known."))
	b := newBox(t, "fullscreen", m)
	pi := b.start("start")
	pi.form("Later?")
	b.until("the file is written", b.trace)
	m.stays(1)
	pi.pick("2")
	if got := m.request(2).result(); !strings.Contains(got, "Q1 [q]: SQLite") {
		t.Errorf("the wait returned %q", got)
	}
	pi.sees("Known.")
	if n := len(b.session().of("ask:background-answer")); n > 0 {
		t.Errorf("the answer was told %d times beside the wait", n)
	}
}

// nested is code of the model that asks in the background.
func nested(prompt string) string {
	return fmt.Sprintf(`{"code":%q}`, `const r = await tools.ask_user(`+background(prompt)+`); return r.status;`)
}
