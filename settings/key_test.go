package settings_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

func TestParseKey(t *testing.T) {
	for in, want := range map[string]string{
		"enter":                     "enter",
		" Return ":                  "enter",
		"ESC":                       "esc",
		"Escape":                    "esc",
		"spacebar":                  "space",
		"INS":                       "insert",
		"pgUp":                      "pageUp",
		"PageDown":                  "pageDown",
		"ArrowLeft":                 "left",
		"N":                         "n",
		"shift+N":                   "shift+n",
		"super+alt+shift+ctrl+f12":  "ctrl+shift+alt+super+f12",
		"ctl + Option + windows+ a": "ctrl+alt+super+a",
		"ctrl+control+CTL+x":        "ctrl+x",
		"ctrl++x":                   "ctrl+x",
		"+x+":                       "x",
		"ctrl+5":                    "ctrl+5",
		"0":                         "0",
		"\u00a0`\ufeff":             "`",
		"ctrl+[":                    "ctrl+[",
	} {
		if got, err := settings.ParseKey(in); err != nil || string(got) != want {
			t.Errorf("ParseKey(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestParseKeySaysWhatIsWrong(t *testing.T) {
	for in, want := range map[string]string{
		"":             "empty",
		" \t ":         "empty",
		"+":            "empty",
		"++ +":         "empty",
		"ctrl":         "key:ctrl",
		"ctrl+":        "key:ctrl",
		"Hyper+q":      "modifier:hyper",
		"hyper+wat":    "modifier:hyper",
		"a+b":          "modifier:a",
		"ctrl+wat":     "key:wat",
		"f13":          "key:f13",
		"f0":           "key:f0",
		"é":            "key:é",
		`"`:            "key:\"",
		"plus":         "key:plus",
		"\u0085":       "key:\u0085",
		"ctrl+\x00":    "key:\x00",
		"\xff":         "key:\ufffd",
		"ctrl+x\u200b": "key:x\u200b",
	} {
		got, err := settings.ParseKey(in)
		var fault *settings.KeyError
		if !errors.As(err, &fault) || fault.Why != want || got != "" {
			t.Errorf("ParseKey(%q) = %q, %v; want the fault %q", in, got, err, want)
		}
	}
}

func TestKeyErrorsAreShortAndHarmless(t *testing.T) {
	_, err := settings.ParseKey("\x1b[2J\u202e" + strings.Repeat("x", 1<<20))
	if text := err.Error(); len(text) > 200 || strings.ContainsAny(text, "\x1b\u202e") {
		t.Errorf("the message is %d bytes: %.100q", len(text), text)
	}
}

func TestPress(t *testing.T) {
	for _, c := range []struct{ name, id, text, want string }{
		{"a letter", "n", "n", "n"},
		{"a capital letter typed", "N", "N", "shift+n"},
		{"a capital letter, text only", "", "N", "shift+n"},
		{"a capital letter, id only", "N", "", "shift+n"},
		{"Kitty: shift with a letter", "shift+n", "N", "shift+n"},
		{"Kitty: shift with a letter, no text", "shift+n", "", "shift+n"},
		{"caps lock", "n", "N", "shift+n"},
		{"a symbol", "?", "?", "?"},
		{"Kitty: shift with the symbol", "shift+?", "", "?"},
		{"Kitty: shift with the key below the symbol", "shift+/", "?", "?"},
		{"Kitty: shift with the key below the symbol, no text", "shift+/", "", "shift+/"},
		{"a digit", "1", "1", "1"},
		{"shift with a digit gives its symbol", "shift+1", "!", "!"},
		{"the space bar", "space", " ", "space"},
		{"a blank, text only", "", " ", "space"},
		{"shift with the space bar", "shift+space", " ", "shift+space"},
		{"modifiers in another order", "shift+ctrl+n", "", "ctrl+shift+n"},
		{"control keeps its case apart", "ctrl+c", "\x03", "ctrl+c"},
		{"alt with a capital letter", "alt+N", "", "shift+alt+n"},
		{"a named key", "pageUp", "", "pageUp"},
		{"another name", "return", "\r", "enter"},
		{"shift with tab", "shift+tab", "", "shift+tab"},
		{"a plus", "+", "+", "+"},
		{"a letter that cannot be bound", "é", "é", "é"},
		{"nothing", "", "", ""},
		{"a key nobody knows", "mediaPlay", "", "mediaPlay"},
		{"several characters at once", "", "ab", ""},
	} {
		if got := settings.Press(c.id, c.text); string(got) != c.want {
			t.Errorf("%s: Press(%q, %q) = %q, want %q", c.name, c.id, c.text, got, c.want)
		}
	}
}

func TestLabel(t *testing.T) {
	for _, c := range []struct {
		keys []settings.Key
		want string
	}{
		{nil, ""},
		{[]settings.Key{"ctrl+t", "f2"}, "Ctrl+T / F2"},
		{[]settings.Key{"up"}, "↑"},
		{[]settings.Key{"down", "left", "right"}, "↓ / ← / →"},
		{[]settings.Key{"ctrl+up"}, "Ctrl+Up"},
		{[]settings.Key{"pageUp", "shift+pageDown"}, "pageUp / Shift+pageDown"},
		{[]settings.Key{"n", "shift+n", "?"}, "N / Shift+N / ?"},
		{[]settings.Key{"esc", "space", "backspace"}, "Esc / Space / Backspace"},
		{[]settings.Key{"é", "", "+"}, "É /  / +"},
	} {
		if got := settings.Label(c.keys...); got != c.want {
			t.Errorf("Label(%q) = %q, want %q", c.keys, got, c.want)
		}
	}
}

// Every id that can be written leads to a key that stays itself, and that a
// press of it finds.
func TestKeysSurviveARoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringMatching(`((ctrl|Shift|ALT|super|cmd|option) ?\+ ?){0,4}([a-zA-Z0-9?!/\[\]]|esc|Return|pgup|f1[0-2]|left)`).Draw(t, "id")
		k, err := settings.ParseKey(in)
		if err != nil {
			t.Fatalf("ParseKey(%q): %v", in, err)
		}
		if again, err := settings.ParseKey(string(k)); err != nil || again != k {
			t.Fatalf("%q became %q, %v", k, again, err)
		}
		press := settings.Press(string(k), "")
		if again := settings.Press(string(press), ""); again != press {
			t.Fatalf("a press of %q is %q, then %q", k, press, again)
		}
	})
}

func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{"ctrl+t", "Shift + N", "++", "İ+K", "\x00", "pgup", "?"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		k, err := settings.ParseKey(in)
		if err != nil {
			var fault *settings.KeyError
			if k != "" || !errors.As(err, &fault) || fault.Why == "" || len(err.Error()) > 600 {
				t.Fatalf("ParseKey(%q) = %q, %v", in, k, err)
			}
			return
		}
		if again, err := settings.ParseKey(string(k)); err != nil || again != k {
			t.Fatalf("ParseKey(%q) = %q, but that gives %q, %v", in, k, again, err)
		}
		if settings.Label(k) == "" {
			t.Fatalf("no label for %q", k)
		}
		settings.Press(in, in)
	})
}

func ExampleParseKey() {
	k, err := settings.ParseKey("Shift + Control + P")
	fmt.Println(k, err)
	_, err = settings.ParseKey("hyper+q")
	fmt.Println(err)
	// Output:
	// ctrl+shift+p <nil>
	// unknown modifier "hyper"
}

func ExamplePress() {
	// What a plain terminal sends for Shift with N, and what Kitty sends.
	fmt.Println(settings.Press("", "N"), settings.Press("shift+n", "N"))
	fmt.Println(settings.Press("?", "?"), settings.Press("shift+?", ""))
	// Output:
	// shift+n shift+n
	// ? ?
}

func ExampleLabel() {
	fmt.Println(settings.Label("ctrl+t", "f2"))
	fmt.Println(settings.Label("up"))
	// Output:
	// Ctrl+T / F2
	// ↑
}

func ExampleKeymaps_Lookup() {
	keymaps := settings.DefaultKeymaps()
	action, _ := keymaps.Lookup(settings.ContextMain, settings.Press("", "N"))
	fmt.Println(action, keymaps.Label(settings.ContextMain, action))
	// Output: questionNote Shift+N
}

func ExampleKeymaps_With() {
	keymaps := settings.DefaultKeymaps()
	keymaps, err := keymaps.With(settings.ContextMain, settings.ActionCancel, "escape", "q")
	fmt.Println(keymaps.Label(settings.ContextMain, settings.ActionCancel), err)
	_, err = keymaps.With(settings.ContextMain, settings.ActionToggle, "q")
	fmt.Println(err)
	// Output:
	// Esc / Q <nil>
	// Q is bound to both main.cancel and main.toggle.
}
