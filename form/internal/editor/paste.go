package editor

import (
	"strings"
	"unicode/utf8"

	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
)

// Paste inserts pasted text as one edit. Line ends become newlines, tabs blanks
// up to the next multiple of four columns of their line, control characters are
// dropped and bytes that are not UTF-8 become U+FFFD. A path gets a blank before
// it if it would follow a letter, digit or underscore.
func (e *Editor) Paste(text string) {
	e.jump = false
	text = cleanPaste(text)
	if strings.IndexByte(text, '\t') >= 0 {
		before := display.Visible(e.before())
		indent := e.flow.measure.Width(e.flow.measure.ExpandTabs(before)) % display.TabStop
		pad := strings.Repeat(" ", indent)
		text = e.flow.measure.ExpandTabs(pad + text)[indent:]
	}
	if text == "" {
		return
	}
	if isPath(text) {
		if r, n := utf8.DecodeLastRuneInString(e.before()); n > 0 && isWordRune(r) {
			text = " " + text
		}
	}
	e.last = other
	e.change(e.cur, e.cur, text, other)
}

// isPath reports whether text starts like a path. ".env" does not: it could be
// the end of a name as well.
func isPath(text string) bool {
	return text[0] == '/' || text[0] == '~' || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../")
}

// cleanPaste makes line ends newlines and drops control characters but tabs.
func cleanPaste(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(text, "\r\n", "\n")
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	return dropControls(text, "\n\t")
}

// clean is text as a key can type it: on one line, without control characters.
func clean(text string) string {
	return dropControls(strings.ToValidUTF8(text, "\ufffd"), "")
}

func dropControls(text, keep string) string {
	drop := func(r rune) bool {
		return (r < 0x20 || r >= 0x7f && r < 0xa0) && !strings.ContainsRune(keep, r)
	}
	if strings.IndexFunc(text, drop) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if drop(r) {
			return -1
		}
		return r
	}, text)
}
