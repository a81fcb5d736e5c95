//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// themed gives the box a theme of the user's, with accent and muted in these
// colours; pi sees a change of its file.
func (b *box) themed(accent, muted string) {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(env.pi), "..", "modes", "interactive", "theme", "dark.json"))
	if err != nil {
		b.t.Fatal(err)
	}
	var theme map[string]any
	if err := json.Unmarshal(text, &theme); err != nil {
		b.t.Fatal(err)
	}
	colours := theme["colors"].(map[string]any)
	theme["name"], colours["accent"], colours["muted"] = "ours", accent, muted
	b.settings["theme"] = "ours"
	b.writeJSON(filepath.Join(b.agentDir, "themes", "ours.json"), theme)
}

// colour is the colour of a text on the screen, "" if it is not there.
func (p *term) colour(text string) string {
	for y, line := range strings.Split(p.screen(), "\n") {
		i := strings.Index(line, text)
		if i < 0 {
			continue
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		c := p.screenOf.CellAt(utf8.RuneCountInString(line[:i]), y)
		if c == nil || c.Style.Fg == nil {
			return "default"
		}
		r, g, b, _ := c.Style.Fg.RGBA()
		return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
	}
	return ""
}

// A theme that changes while a form is open colours the form and the rows at
// once, and changes nothing else.
func TestThemeChangesLive(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		m := newModel(t, ask(oneStore), ask(strings.Replace(oneStore, "Which store?", "Which mirror?", 1)), say("Done."))
		b := newBox(t, mode, m)
		b.themed("#ff8800", "#00aa11")
		pi := b.start("start")
		pi.form("Which store?")
		pi.pick("1")
		pi.form("Which mirror?")
		pi.sees("✓ Q1: Postgres")
		pi.keys("n", "a note", "Enter", "3", "a draft")
		pi.sees("a draft")
		wants := func(accent, muted string) {
			t.Helper()
			b.until("the colours are "+accent+" and "+muted, func() bool {
				return pi.colour("3. ( )") == accent && pi.colour("1 question(s)") == muted
			})
		}
		wants("#ff8800", "#00aa11")
		b.themed("#1122ff", "#aa00bb")
		wants("#1122ff", "#aa00bb")
		pi.keys("!", "Enter")
		pi.sees("❯ 1. Submit")
		pi.keys("Enter")
		if got := requestLine.ReplaceAllString(m.request(3).result(), ""); got != "Q1: a draft!" {
			t.Errorf("the model was told %q", got)
		}
		pi.sees("Done.")
	})
}
