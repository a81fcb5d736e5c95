package editor

import "strings"

// Token returns the @ token before the cursor, as it is written: `@src/ma`, or
// `@"my fi` with an open quote. It starts at the start of the line or after a
// blank or tab, and a closed quote ends it.
func (e *Editor) Token() (token string, ok bool) {
	before := e.before()
	start := tokenStart(before)
	if start < len(before) && before[start] == '@' && startsWord(before, start) {
		return before[start:], true
	}
	return "", false
}

// PathToken returns the plain path before the cursor, as it is written: what
// follows the last blank, tab, quote or "=", or an open quote at the start of a
// word. It is not ok if there is none or the token is an @ token.
func (e *Editor) PathToken() (token string, ok bool) {
	before := e.before()
	token = before[tokenStart(before):]
	if _, at := e.Token(); at || token == "" {
		return "", false
	}
	return token, true
}

// ReplaceToken puts value in the place of the token before the cursor, of
// either kind, as one edit; without a token it inserts it. If value ends with a
// quote, a quote that follows the cursor is replaced too.
func (e *Editor) ReplaceToken(value string) {
	from, to := position{e.cur.line, tokenStart(e.before())}, e.cur
	quoted := strings.HasSuffix(strings.TrimRight(value, " "), `"`)
	if quoted && strings.HasPrefix(e.after(), `"`) {
		to.off++
	}
	e.last, e.jump = other, false
	e.change(from, to, value, other)
}

// tokenStart is where the token at the end of s starts. An open quote, plain or
// after "@", at the start of a word holds blanks; otherwise the token follows
// the last delimiter.
func tokenStart(s string) int {
	open := -1
	for i := 0; i < len(s); i++ {
		next := strings.IndexByte(s[i:], '"')
		if next < 0 {
			break
		}
		i += next
		switch {
		case open >= 0:
			open = -1
		case startsWord(s, i):
			open = i
		case s[i-1] == '@' && startsWord(s, i-1):
			open = i - 1
		case s[i-1] == '=':
			open = i
		}
	}
	if open >= 0 {
		return open
	}
	return strings.LastIndexAny(s, " \t\"'=") + 1
}

// startsWord reports whether the byte at i is the first of the line or follows a
// blank or tab.
func startsWord(s string, i int) bool {
	return i == 0 || s[i-1] == ' ' || s[i-1] == '\t'
}
