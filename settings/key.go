package settings

import (
	"strings"
	"unicode/utf8"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// Key is the canonical id of a key: modifiers in the order ctrl, shift, alt,
// super, then the base, joined by "+". Examples: "enter", "shift+n", "ctrl+t",
// "pageUp", "?".
type Key string

// KeyError says what is wrong with a key id.
type KeyError struct {
	// Why is "empty", "modifier:" and the unknown modifier, or "key:" and the
	// unknown key.
	Why string
}

// Error explains the fault in words.
func (e *KeyError) Error() string { return inWords(e.Why) }

// symbols are the characters besides letters and digits that can be bound.
// A plus separates the parts of an id, so it cannot be one of them. The
// shifted ones are typed with Shift on most keyboards.
const (
	shiftedSymbols = "!@#$%^&*()_|~{}:<>?"
	symbols        = "`-=[]\\;',./" + shiftedSymbols
)

// modifiers in canonical order.
var modifiers = [...]string{"ctrl", "shift", "alt", "super"}

// namedKeys maps every spelling of a key with a name to its canonical one.
var namedKeys = map[string]string{
	"esc": "esc", "escape": "esc",
	"enter": "enter", "return": "enter",
	"tab":   "tab",
	"space": "space", "spacebar": "space",
	"backspace": "backspace",
	"delete":    "delete", "del": "delete",
	"insert": "insert", "ins": "insert",
	"clear": "clear", "home": "home", "end": "end",
	"pageup": "pageUp", "pgup": "pageUp",
	"pagedown": "pageDown", "pgdown": "pageDown",
	"up": "up", "arrowup": "up", "down": "down", "arrowdown": "down",
	"left": "left", "arrowleft": "left", "right": "right", "arrowright": "right",
	"f1": "f1", "f2": "f2", "f3": "f3", "f4": "f4", "f5": "f5", "f6": "f6",
	"f7": "f7", "f8": "f8", "f9": "f9", "f10": "f10", "f11": "f11", "f12": "f12",
}

// ParseKey reads a key id as people write it: any case, any order of
// modifiers, blanks around the parts, and the usual other names (control,
// option, cmd, escape, return, pgup, arrowup and so on). An error is a
// *[KeyError].
func ParseKey(s string) (Key, error) {
	var held [len(modifiers)]bool
	base := ""
	for part := range strings.SplitSeq(strings.ToLower(ask.TrimSpace(s)), "+") {
		if part = ask.TrimSpace(part); part == "" {
			continue
		}
		if base != "" { // what looked like the base was a modifier
			m := modifierIndex(base)
			if m < 0 {
				return "", &KeyError{Why: "modifier:" + base}
			}
			held[m] = true
		}
		base = part
	}
	if base == "" {
		return "", &KeyError{Why: "empty"}
	}
	if name, ok := namedKeys[base]; ok {
		return join(held, name), nil
	}
	if len(base) != 1 || !isBindable(base[0]) {
		return "", &KeyError{Why: "key:" + base}
	}
	return join(held, base), nil
}

// Press returns the key to look up for a key press. The id is what the
// terminal or the host calls the key ("up", "ctrl+c", "shift+n", "N"), text
// what it would type; either may be empty. Equal presses give equal keys
// whichever way the terminal tells them: the character N and the Kitty report
// of Shift with n are both "shift+n", and Shift with ? is "?".
func Press(id, text string) Key {
	if typed := loneCharacter(text); typed != "" && isPlain(id) {
		return characterKey(typed)
	}
	if typed := loneCharacter(id); typed != "" {
		return characterKey(typed)
	}
	k, err := ParseKey(id)
	if err != nil {
		return Key(id)
	}
	if strings.HasPrefix(string(k), "shift+") && len(k) == len("shift+?") {
		if c := k[len(k)-1]; strings.IndexByte(shiftedSymbols, c) >= 0 {
			return k[len(k)-1:]
		}
	}
	if base := id[strings.LastIndexByte(id, '+')+1:]; strings.HasPrefix(string(k), "alt+") && isUpper(base) {
		return "shift+" + k // Alt with N is sent as Escape and N
	}
	return k
}

// Label returns how keys are shown to people: "Ctrl+T / F2", "↑", "Shift+N".
func Label(keys ...Key) string {
	var b strings.Builder
	for i, k := range keys {
		if i > 0 {
			b.WriteString(" / ")
		}
		switch k {
		case "up":
			b.WriteString("↑")
		case "down":
			b.WriteString("↓")
		case "left":
			b.WriteString("←")
		case "right":
			b.WriteString("→")
		default:
			writeLabel(&b, string(k))
		}
	}
	return b.String()
}

func writeLabel(b *strings.Builder, id string) {
	for i := 0; ; i++ {
		part, rest, more := strings.Cut(id, "+")
		if i > 0 {
			b.WriteByte('+')
		}
		switch part {
		case "":
		case "pageUp", "pageDown":
			b.WriteString(part)
		default:
			_, size := utf8.DecodeRuneInString(part)
			b.WriteString(strings.ToUpper(part[:size]))
			b.WriteString(part[size:])
		}
		if !more {
			return
		}
		id = rest
	}
}

// join writes held modifiers and the base in canonical order.
func join(held [len(modifiers)]bool, base string) Key {
	id := ""
	for i, on := range held {
		if on {
			id += modifiers[i] + "+"
		}
	}
	return Key(id + base)
}

func modifierIndex(name string) int {
	switch name {
	case "ctrl", "control", "ctl":
		return 0
	case "shift":
		return 1
	case "alt", "option":
		return 2
	case "super", "cmd", "command", "meta", "win", "windows":
		return 3
	}
	return -1
}

func isBindable(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || strings.IndexByte(symbols, c) >= 0
}

// isPlain reports whether the id names a key held with nothing but Shift, so
// that the typed text tells all. Shift with the space bar stays itself.
func isPlain(id string) bool {
	if utf8.RuneCountInString(id) <= 1 || id == "space" {
		return true
	}
	rest, ok := strings.CutPrefix(id, "shift+")
	return ok && utf8.RuneCountInString(rest) == 1
}

// loneCharacter returns s if it is exactly one character that can be seen, or
// a blank.
func loneCharacter(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 || size != len(s) || r < ' ' || r == 0x7f || r == utf8.RuneError && size == 1 {
		return ""
	}
	return s
}

// characterKey returns the key of one typed character.
func characterKey(c string) Key {
	switch {
	case c == " ":
		return "space"
	case isUpper(c):
		return Key("shift+" + strings.ToLower(c))
	}
	return Key(c)
}

func isUpper(s string) bool { return len(s) == 1 && 'A' <= s[0] && s[0] <= 'Z' }
