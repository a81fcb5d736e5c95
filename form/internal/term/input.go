package term

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
)

type eventKind uint8

const (
	eventKey eventKind = iota
	eventPaste
	eventMouse
)

// event is one thing the user did.
type event struct {
	kind   eventKind
	id     string // of a key
	text   string // typed by a key, or pasted
	repeat bool   // the key is held down
	mouse  Mouse
}

// parser turns a terminal's bytes into events. Bytes may arrive in any pieces;
// what is incomplete waits for the next piece or for [parser.flush].
type parser struct {
	rest    []byte // the start of something unfinished
	inPaste bool
	// late is set after a paste that never ended: what comes next may be the
	// rest of it, and must not count as keys.
	late   bool
	paste  []byte
	inner  *parser // for bytes that arrive wrapped in win32 key records
	high   rune    // first half of a surrogate pair
	held   bool    // what is reported now is a key that is held down
	down   int     // the key of the last win32 record that was not a release
	emit   func(event)
	nested bool
}

const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
	// maxPaste bounds the memory of a paste; more than this is dropped.
	maxPaste = 64 << 20
	// maxSequence bounds a control sequence; no key has a longer one.
	maxSequence = 256
	// burst is more than anybody types at once.
	burst = 64
)

// pending reports whether a key sequence is unfinished, pasting whether a paste
// is.
func (p *parser) pending() bool {
	return !p.inPaste && len(p.rest) > 0 || p.inner != nil && p.inner.pending()
}

func (p *parser) pasting() bool { return p.inPaste || p.inner != nil && p.inner.pasting() }

// feed parses the next bytes and calls emit for each event.
func (p *parser) feed(data []byte, emit func(event)) {
	p.emit = emit
	if p.late {
		// A burst, or anything before an end mark, is no typing.
		if bytes.Contains(data, []byte(pasteEnd)) || len(data) > burst {
			p.inPaste = true
		}
		p.late = false
	}
	if len(p.rest) > 0 {
		data = append(p.rest, data...)
		p.rest = nil
	}
	for len(data) > 0 {
		n := 0
		switch {
		case p.inPaste:
			n = p.feedPaste(data)
		case data[0] == 0x1b:
			n = p.escape(data)
		default:
			n = p.plain(data)
		}
		if n == 0 {
			p.rest = append([]byte(nil), data...)
			return
		}
		data = data[n:]
	}
}

// reset forgets what is unfinished. Events that are being parsed go on.
func (p *parser) reset() { *p = parser{emit: p.emit, nested: p.nested} }

// flush takes what is unfinished as it is: the time for the rest of a sequence
// is over, so a lone ESC is the key.
func (p *parser) flush(emit func(event)) {
	p.emit = emit
	if p.inner != nil {
		p.inner.flush(emit)
	}
	rest := p.rest
	if p.inPaste || len(rest) == 0 {
		return
	}
	p.rest = nil
	switch {
	case len(rest) == 1 && rest[0] == 0x1b:
		p.key(0, "esc", "")
	case len(rest) == 2 && rest[1] == 0x1b:
		p.key(0, "esc", "")
		p.key(0, "esc", "")
	case len(rest) == 2 && rest[0] == 0x1b && rest[1] < utf8.RuneSelf:
		p.altByte(rest[1])
	}
}

// flushPaste ends a paste whose end mark does not come.
func (p *parser) flushPaste(emit func(event)) {
	p.emit = emit
	if p.inner != nil {
		p.inner.flushPaste(emit)
	}
	if p.inPaste {
		p.addPaste(p.rest)
		p.rest = nil
		p.endPaste()
		p.late = true
	}
}

// feedPaste collects pasted bytes and returns how many it took.
func (p *parser) feedPaste(data []byte) int {
	if end := bytes.Index(data, []byte(pasteEnd)); end >= 0 {
		p.addPaste(data[:end])
		p.endPaste()
		return end + len(pasteEnd)
	}
	// The last bytes may be the start of the end mark.
	keep := min(len(data), len(pasteEnd)-1)
	for keep > 0 && !strings.HasPrefix(pasteEnd, string(data[len(data)-keep:])) {
		keep--
	}
	p.addPaste(data[:len(data)-keep])
	return len(data) - keep
}

func (p *parser) addPaste(data []byte) {
	p.paste = append(p.paste, data[:min(len(data), maxPaste-len(p.paste))]...)
}

func (p *parser) endPaste() {
	text := strings.ToValidUTF8(string(p.paste), "\ufffd")
	p.paste, p.inPaste = nil, false
	p.emit(event{kind: eventPaste, text: text})
}

// plain handles bytes up to the next ESC and returns how many it took.
func (p *parser) plain(data []byte) int {
	if c := data[0]; c < ' ' || c == 0x7f {
		p.control(c, 0)
		return 1
	}
	end := bytes.IndexFunc(data, func(r rune) bool { return r < ' ' || r == 0x7f })
	whole := end >= 0
	if !whole {
		end = len(data)
		for cut := 1; cut < utf8.UTFMax && cut <= end; cut++ { // half a character
			if c := data[end-cut]; utf8.RuneStart(c) {
				if !utf8.FullRune(data[end-cut : end]) {
					end -= cut
				}
				break
			}
		}
	}
	text := string(data[:end])
	for text != "" {
		n := 1
		if text[0] >= utf8.RuneSelf || len(text) > 1 && text[1] >= utf8.RuneSelf {
			n = display.NextCluster(text)
		}
		p.typed(text[:n])
		text = text[n:]
	}
	return end
}

// typed is text that was typed without a modifier but shift.
func (p *parser) typed(cluster string) {
	if len(cluster) == 1 && cluster[0] < utf8.RuneSelf {
		p.char(0, rune(cluster[0]), cluster)
		return
	}
	cluster = strings.ToValidUTF8(cluster, "")
	if r, _ := utf8.DecodeRuneInString(cluster); cluster == "" || r >= 0x80 && r < 0xa0 {
		return // C1 controls and stray bytes are no text
	}
	p.emit(event{text: cluster, repeat: p.held})
}

// escape handles what starts with ESC and returns how many bytes it took, 0 if
// more are needed.
func (p *parser) escape(data []byte) int {
	if len(data) < 2 {
		return 0
	}
	switch c := data[1]; c {
	case '[':
		return p.csi(data, 2, 0)
	case 'O':
		return p.ss3(data, 2, 0)
	case ']', 'P', '_', '^', 'X':
		return controlString(data)
	case 0x1b:
		switch {
		case len(data) < 3:
			return 0
		case data[2] == '[':
			return p.csi(data, 3, modAlt)
		case data[2] == 'O':
			return p.ss3(data, 3, modAlt)
		}
		p.key(0, "esc", "")
		return 1
	default:
		if c < utf8.RuneSelf {
			p.altByte(c)
			return 2
		}
		if !utf8.FullRune(data[1:]) {
			return 0
		}
		_, n := utf8.DecodeRune(data[1:]) // a character that has no key id
		return 1 + n
	}
}

// controlString skips an answer of the terminal that nobody asked for. ESC ]
// typed as alt+] has nothing behind it and is told apart by the time.
func controlString(data []byte) int {
	for i := 2; i < len(data); i++ {
		switch {
		case data[i] == 0x07:
			return i + 1
		case data[i] == 0x1b && i+1 < len(data):
			if data[i+1] == '\\' {
				return i + 2
			}
			return i // not terminated: something new begins
		}
	}
	if len(data) > maxSequence {
		return len(data)
	}
	return 0
}

// csi handles a control sequence whose parameters start at from.
func (p *parser) csi(data []byte, from int, mods mod) int {
	i := from
	for i < len(data) && data[i] >= 0x20 && data[i] <= 0x3f {
		i++
	}
	if i == len(data) {
		if i > maxSequence {
			return i
		}
		return 0
	}
	final, params := data[i], data[from:i]
	switch {
	case final < 0x40 || final > 0x7e:
		return i // broken off; what broke it is looked at by itself
	case final == '[' && len(params) == 0: // the Linux console's F1 to F5
		if i+1 == len(data) {
			return 0
		}
		if c := data[i+1]; c >= 'A' && c <= 'E' {
			p.key(mods, functionKeys[1+c-'A'], "")
		}
		return i + 2
	case final == 'M' && len(params) == 0: // mouse, old style
		if len(data) < i+4 {
			return 0
		}
		p.mouse(int(data[i+1])-32, int(data[i+2])-32, int(data[i+3])-32, true)
		return i + 4
	}
	p.sequence(final, string(params), mods)
	return i + 1
}

func (p *parser) ss3(data []byte, from int, mods mod) int {
	if len(data) <= from {
		return 0
	}
	c := data[from]
	if base, ok := letterKeys(c); ok {
		p.key(mods, base, "")
	} else if c >= 'a' && c <= 'd' { // rxvt: ctrl and an arrow
		base, _ = letterKeys(c - 'a' + 'A')
		p.key(mods|modCtrl, base, "")
	} else if c == 'M' {
		p.key(mods, "enter", "") // of the keypad
	} else if c < ' ' || c == 0x1b {
		p.altByte('O')
		return from
	}
	return from + 1
}
