package term

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// mod is a set of modifiers in the bits of the xterm and Kitty protocols.
type mod uint8

const (
	modShift mod = 1 << iota
	modAlt
	modCtrl
	modSuper
	modHyper
	modMeta
	modCaps
)

// key reports a key by the name of its base.
func (p *parser) key(mods mod, base, text string) {
	if base == "" {
		return
	}
	p.emit(event{id: withMods(mods, base), text: text, repeat: p.held})
}

// withMods writes a canonical key id.
func withMods(mods mod, base string) string {
	if mods&^modCaps == 0 {
		return base
	}
	var b strings.Builder
	if mods&modCtrl != 0 {
		b.WriteString("ctrl+")
	}
	if mods&modShift != 0 {
		b.WriteString("shift+")
	}
	if mods&modAlt != 0 {
		b.WriteString("alt+")
	}
	if mods&(modSuper|modHyper|modMeta) != 0 {
		b.WriteString("super+")
	}
	b.WriteString(base)
	return b.String()
}

// char reports a key by its character. text is what it types, if anything.
func (p *parser) char(mods mod, r rune, text string) {
	switch {
	case r == ' ':
		p.key(mods, "space", text)
	case r >= 'A' && r <= 'Z':
		p.key(mods|modShift, asciiBase(r-'A'+'a'), text)
	case r > ' ' && r < 0x7f && r != '+':
		if mods == modShift && !(r >= 'a' && r <= 'z') {
			mods = 0 // the character tells it already
		}
		p.key(mods, asciiBase(r), text)
	case text != "":
		p.emit(event{text: text, repeat: p.held})
	}
}

const asciiKeys = "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"

// asciiBase is string(r) without an allocation.
func asciiBase(r rune) string { return asciiKeys[r-'!' : r-'!'+1] }

// control reports the key of a control byte.
func (p *parser) control(c byte, mods mod) {
	switch {
	case c == '\r':
		p.key(mods, "enter", "")
	case c == '\t':
		p.key(mods, "tab", "")
	case c == 0x7f, c == '\b':
		p.key(mods, "backspace", "")
	case c == 0x1b:
		p.key(mods, "esc", "")
	case c == 0:
		p.key(mods|modCtrl, "space", "")
	case c <= 26:
		p.key(mods|modCtrl, asciiBase(rune(c)-1+'a'), "")
	case c == 0x1f: // ctrl+_ is the same byte; the form binds ctrl+-
		p.key(mods|modCtrl, "-", "")
	default:
		p.key(mods|modCtrl, asciiBase(rune(c)+0x40), "")
	}
}

// altByte reports ESC followed by a character: the alt key of old terminals.
func (p *parser) altByte(c byte) {
	if c < ' ' || c == 0x7f {
		p.control(c, modAlt)
		return
	}
	p.char(modAlt, rune(c), "")
}

var functionKeys = [...]string{"", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12"}

// letterKeys names the keys whose sequences end in a letter.
func letterKeys(final byte) (string, bool) {
	switch final {
	case 'A':
		return "up", true
	case 'B':
		return "down", true
	case 'C':
		return "right", true
	case 'D':
		return "left", true
	case 'F':
		return "end", true
	case 'H':
		return "home", true
	case 'E':
		return "clear", true
	case 'P', 'Q', 'R', 'S':
		return functionKeys[1+final-'P'], true
	}
	return "", false
}

// numberKeys names the keys whose sequences carry a number.
func numberKeys(n int) string {
	switch {
	case n >= 11 && n <= 15:
		return functionKeys[n-10]
	case n >= 17 && n <= 21:
		return functionKeys[n-11]
	case n == 23, n == 24:
		return functionKeys[n-12]
	}
	switch n {
	case 1, 7:
		return "home"
	case 2:
		return "insert"
	case 3:
		return "delete"
	case 4, 8:
		return "end"
	case 5:
		return "pageUp"
	case 6:
		return "pageDown"
	}
	return ""
}

// params are the parameters of a control sequence; each may have parts.
type params [][]int

func parseParams(s string) params {
	var ps params
	for _, field := range strings.Split(s, ";") {
		var parts []int
		for _, part := range strings.Split(field, ":") {
			n, err := strconv.Atoi(part)
			if err != nil || n < 0 || n > 0x10ffff {
				n = 0
			}
			parts = append(parts, n)
		}
		ps = append(ps, parts)
	}
	return ps
}

// at is part j of parameter i, 0 if it is absent.
func (ps params) at(i, j int) int {
	if i < len(ps) && j < len(ps[i]) {
		return ps[i][j]
	}
	return 0
}

// mods reads parameter i as modifiers.
func (ps params) mods(i int) mod {
	if n := ps.at(i, 0); n > 1 {
		return mod(n - 1)
	}
	return 0
}

// What the second part of the modifiers says about a key.
const (
	kittyRepeat  = 2
	kittyRelease = 3
)

// sequence reports the key of a complete control sequence.
func (p *parser) sequence(final byte, s string, mods mod) {
	if strings.HasPrefix(s, "<") && (final == 'M' || final == 'm') {
		ps := parseParams(s[1:])
		p.mouse(ps.at(0, 0), ps.at(1, 0), ps.at(2, 0), final == 'M')
		return
	}
	if s != "" && s[0] > ';' {
		return // an answer of the terminal
	}
	ps := parseParams(s)
	mods |= ps.mods(1)
	event := ps.at(1, 1)
	if event == kittyRelease {
		return
	}
	p.held = event == kittyRepeat
	defer func() { p.held = false }()
	switch final {
	case 'u':
		p.kitty(ps, mods)
		return
	case '_':
		p.win32(ps)
		return
	case 'Z':
		p.key(mods|modShift, "tab", "")
		return
	case 'a', 'b', 'c', 'd': // rxvt
		final, mods = final-'a'+'A', mods|modShift
	case '^':
		mods |= modCtrl
	case '@':
		mods |= modCtrl | modShift
	}
	var base string
	switch final {
	case '~', '^', '@':
		switch n := ps.at(0, 0); n {
		case 27: // xterm's modifyOtherKeys
			p.code(ps.at(2, 0), mods, "")
			return
		case 200:
			p.inPaste = true
			return
		default:
			base = numberKeys(n)
		}
	default:
		if ps.at(0, 0) > 1 {
			return // for example a cursor position
		}
		base, _ = letterKeys(final)
	}
	p.key(mods&^modCaps, base, "")
}

// kitty reports a key of the Kitty protocol:
// code:shifted:layout ; modifiers:event ; text.
func (p *parser) kitty(ps params, mods mod) {
	code := ps.at(0, 0)
	var text strings.Builder
	if len(ps) > 2 {
		for _, r := range ps[2] {
			if r >= ' ' && r != 0x7f && !(r >= 0x80 && r < 0xa0) && !utf16.IsSurrogate(rune(r)) {
				text.WriteRune(rune(r))
			}
		}
	}
	if base := keypad(code); base != "" {
		p.named(base, mods)
		return
	}
	const shortcut = modCtrl | modAlt | modSuper | modHyper | modMeta
	switch shifted, layout := ps.at(0, 1), ps.at(0, 2); {
	case mods&shortcut != 0 && code >= 0x80 && layout > ' ' && layout < 0x7f:
		code = layout // the key of a shortcut on a non-Latin keyboard
	case mods&shortcut == 0 && mods&modShift != 0 && shifted != 0:
		code = shifted
	}
	p.code(code, mods, text.String())
}

// keypad names the functional keys of the Kitty protocol. One-character names
// are characters; keys without an id have the name "none".
func keypad(code int) string {
	switch {
	case code < 57344 || code > 63743:
		return ""
	case code >= 57399 && code <= 57408:
		return string(rune('0' + code - 57399))
	case code >= 57409 && code <= 57416:
		return [...]string{".", "/", "*", "-", "+", "enter", "=", ","}[code-57409]
	case code >= 57417 && code <= 57427:
		return [...]string{"left", "right", "up", "down", "pageUp", "pageDown", "home", "end", "insert", "delete", "clear"}[code-57417]
	}
	return "none"
}

func (p *parser) named(base string, mods mod) {
	switch {
	case base == "none":
	case len(base) == 1:
		text := base
		if mods&^(modShift|modCaps) != 0 {
			text = ""
		}
		p.char(mods&^(modShift|modCaps), rune(base[0]), text)
	default:
		p.key(mods&^modCaps, base, "")
	}
}

// code reports a key by its Unicode number. text is what it types if the
// terminal says so.
func (p *parser) code(code int, mods mod, text string) {
	caps := mods&modCaps != 0
	mods &^= modCaps
	r := rune(code)
	switch {
	case code == 0 && text != "": // text of an input method
		p.emit(event{text: text, repeat: p.held})
		return
	case code == 0:
		return
	case r < ' ' || r == 0x7f:
		p.control(byte(r), mods)
		return
	case r >= 0x80 && r < 0xa0 || utf16.IsSurrogate(r):
		return
	}
	if text == "" && mods&^modShift == 0 {
		if mods&modShift != 0 || caps {
			if upper := unicode.ToUpper(r); upper != r {
				r = upper
			} else if caps && mods&modShift != 0 {
				r = unicode.ToLower(r)
			}
		}
		text = string(r)
	}
	p.char(mods, r, text)
}

// win32 reports a key record of the Windows console:
// virtual key ; scan code ; character ; down ; state ; repeat count.
func (p *parser) win32(ps params) {
	key, char, state := ps.at(0, 0), rune(ps.at(2, 0)), ps.at(4, 0)
	if ps.at(3, 0) == 0 { // released
		if key == p.down {
			p.down = 0
		}
		return
	}
	if key == 0 && ps.at(1, 0) == 0 && char > 0 && !p.nested {
		// One character of another sequence.
		if p.inner == nil {
			p.inner = &parser{nested: true}
		}
		p.inner.feed([]byte(string(char)), p.emit)
		return
	}
	if utf16.IsSurrogate(char) {
		if pair := utf16.DecodeRune(p.high, char); pair != unicode.ReplacementChar {
			p.emit(event{text: string(pair)})
			char = 0
		}
		p.high = char
		return
	}
	p.high = 0
	var mods mod
	if state&0x10 != 0 {
		mods |= modShift
	}
	if state&0x0c != 0 {
		mods |= modCtrl
	}
	if state&0x03 != 0 {
		mods |= modAlt
	}
	if char > ' ' && mods&(modCtrl|modAlt) == modCtrl|modAlt {
		mods = 0 // AltGr
	}
	// A held key is down again without a release, or has a count.
	p.held = key != 0 && key < win32Method && key == p.down
	p.down = key
	for range min(max(1, ps.at(5, 0)), 32) {
		p.win32Press(key, char, mods)
		p.held = true
	}
}

// win32Method is the first virtual key that is not one of the keyboard but
// stands for whatever an input method types.
const win32Method = 0xe5

func (p *parser) win32Press(key int, char rune, mods mod) {
	base := win32Key(key)
	switch {
	case base != "":
		p.key(mods, base, "")
	case char >= ' ' && mods&(modCtrl|modAlt) == 0:
		p.typed(string(char))
	case key >= 'A' && key <= 'Z':
		p.char(mods, rune(key-'A'+'a'), "")
	case key >= '0' && key <= '9', key == ' ':
		p.char(mods&^modShift, rune(key), "")
	case char >= ' ':
		p.char(mods, char, "")
	}
}

// win32Key names a virtual key that types no character.
func win32Key(key int) string {
	switch {
	case key >= 0x70 && key <= 0x7b:
		return functionKeys[key-0x6f]
	case key >= 0x21 && key <= 0x28:
		return [...]string{"pageUp", "pageDown", "end", "home", "left", "up", "right", "down"}[key-0x21]
	}
	switch key {
	case 0x08:
		return "backspace"
	case 0x09:
		return "tab"
	case 0x0c:
		return "clear"
	case 0x0d:
		return "enter"
	case 0x1b:
		return "esc"
	case 0x2d:
		return "insert"
	case 0x2e:
		return "delete"
	}
	return ""
}

// mouse reports a press of the left button or a turn of the wheel. button is in
// the encoding of xterm, x and y start at 1.
func (p *parser) mouse(button, x, y int, press bool) {
	const motion = 0x20
	if !press || button&motion != 0 {
		return
	}
	m := Mouse{X: max(0, x-1), Y: max(0, y-1)}
	switch button & 0xc3 {
	case 0:
		m.Action = Click
	case 0x40:
		m.Action = WheelUp
	case 0x41:
		m.Action = WheelDown
	default:
		return
	}
	p.emit(event{kind: eventMouse, mouse: m})
}
