//go:build unix

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
)

// kittyKeyboard is a terminal that has the Kitty keyboard protocol.
var kittyKeyboard = answer{"\x1b[?u", "\x1b[?7u"}

const (
	press = 1 + iota
	repeat
	release
)

var kittyCodes = map[string]string{"Enter": "13;1", "Esc": "27;1", "Tab": "9;1", "Space": "32;1", "Backspace": "127;1", "C-c": "99;5", "C-v": "118;5", "C-M-d": "100;7", "?": "47:63;2"}

// kitty is one event of a key in the long form of the protocol.
func kitty(name string, event int) string {
	code, ok := kittyCodes[name]
	if r := []rune(name)[0]; !ok && unicode.IsUpper(r) {
		code = fmt.Sprintf("%d:%d;2", unicode.ToLower(r), r)
	} else if !ok {
		code = fmt.Sprintf("%d;1", r)
	}
	return fmt.Sprintf("\x1b[%s:%du", code, event)
}

// taps presses and releases keys, one at a time.
func (p *term) taps(names ...string) {
	p.t.Helper()
	for _, name := range names {
		p.typed(kitty(name, press))
		time.Sleep(10 * time.Millisecond)
		p.typed(kitty(name, release))
		time.Sleep(25 * time.Millisecond)
	}
}

// holdsDown presses a key and lets it go only after a while.
func (p *term) holdsDown(name string, repeats int) {
	p.t.Helper()
	p.typed(kitty(name, press))
	for range repeats {
		time.Sleep(30 * time.Millisecond)
		p.typed(kitty(name, repeat))
	}
	p.typed(kitty(name, release))
}

// On a terminal with the Kitty protocol every key does what it does on others,
// once: letters, shifted ones, a key with two modifiers.
func TestKittyKeyboard(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(oneStore), say("Done."))
		b := newBox(t, mode, m)
		b.clipboard()
		b.answers = []answer{kittyKeyboard}
		pi := b.start("start")
		pi.form("Which store?")
		if out := pi.output(); !strings.Contains(out, "\x1b[?u") || strings.Contains(out, "\x1b[>4;2m") {
			t.Error("pi has not turned the protocol on")
		}
		pi.taps("N", "W", "h", "y", "?", "Space", "x", "Backspace", "O", "k", "ä", "Ü", "你", "Enter")
		pi.sees("Why? OkäÜ你")
		pi.taps("?")
		pi.sees("Live settings")
		pi.taps("Esc")
		pi.loses("Live settings")
		pi.taps("n", "C-v")
		pi.sees("[1 image]")
		pi.taps("C-v")
		pi.sees("[2 images]")
		pi.typed("\x1b[100;7u")
		pi.sees("[1 image]")
		pi.loses("[2 images]")
		pi.taps("Enter", "3", "2", "n", "d", "Enter")
		pi.sees("❯ 1. Submit")
		pi.taps("Enter")
		told := m.request(2)
		if got := told.Messages[len(told.Messages)-1]; got.images() > 0 { // the note's option was not chosen
			t.Errorf("the model was sent %d pictures", got.images())
		}
		if got := requestLine.ReplaceAllString(told.result(), ""); got != "Q1: 2nd\nQ1 note: Why? OkäÜ你" {
			t.Errorf("the model was told %q", got)
		}
		pi.sees("Done.")
	})
}

// What decides something happens once, however long the key is held down; what
// types goes on in an editor.
func TestHeldKeys(t *testing.T) {
	slow(t)
	parallel(t)
	question := `{"id":"q%d","prompt":"Number %d?",` + stores + `}`
	many := `{"id":"m","type":"multi","prompt":"Pick any",` + stores + `}`
	m := newModel(t, ask(fmt.Sprintf(`{"questions":[%s,`+question+`,`+question+`,`+question+`]}`, many, 1, 1, 2, 2, 3, 3)), say("Done."))
	b := newBox(t, "regular", m)
	b.answers = []answer{kittyKeyboard}
	pi := b.start("start")
	stays := func(texts ...string) {
		t.Helper()
		time.Sleep(150 * time.Millisecond) // for a key that would be one too many
		pi.sees(texts...)
	}
	pi.form("Pick any")
	pi.holdsDown("2", 5)
	stays("2. [x] SQLite")
	pi.holdsDown("2", 4)
	stays("2. [ ] SQLite")
	pi.holdsDown("Space", 5)
	stays("2. [x] SQLite")
	pi.holdsDown("Space", 4)
	stays("2. [ ] SQLite")
	pi.taps("2", "Tab")
	pi.form("Number 1?")
	pi.holdsDown("Enter", 10)
	stays("Number 2?")
	pi.holdsDown("2", 10)
	stays("Number 3?")
	if s := pi.screen(); strings.Contains(s, "(•)") {
		t.Errorf("the held key ran on:\n%s", s)
	}
	pi.holdsDown("3", 5)
	stays("Type answer...")
	pi.holdsDown("z", 3)
	pi.holdsDown("Space", 2)
	pi.holdsDown("2", 1)
	pi.holdsDown("y", 4)
	pi.holdsDown("Backspace", 2)
	pi.sees("zzzz   22yy")
	pi.holdsDown("Enter", 8)
	stays("❯ 1. Submit")
	pi.taps("Enter")
	if got := requestLine.ReplaceAllString(m.request(2).result(), ""); got != "Q1: SQLite\nQ2: Postgres\nQ3: SQLite\nQ4: zzzz   22yy" {
		t.Errorf("the model was told %q", got)
	}
	pi.sees("Done.")
}
