package ask

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"
)

// ErrNotJSON is wrapped by the errors of [Decode] and [LoadPreviews]
// for input that is not JSON at all.
var ErrNotJSON = errors.New("not valid JSON")

// document is a JSON text that checkJSON has accepted. Its methods give the
// place of every value, so that arguments can be changed without touching the
// bytes around the change, and they tell a missing member from a null one,
// match names exactly and let the last of two equal names win, all of which
// decoding into structs does differently.
type document []byte

// span is the place of a value or a name in a d JSON text.
type span struct{ from, to int }

func (s span) of(d []byte) []byte { return d[s.from:s.to] }

// member is one name and value of an object.
type member struct {
	key        string
	name, data span
}

// checkJSON reports whether d is one JSON value, and if not where it breaks.
func checkJSON(d []byte) error {
	if json.Valid(d) {
		return nil
	}
	var any json.RawMessage
	err := json.Unmarshal(d, &any)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("%w: %w", ErrNotJSON, err)
	}
	at := min(int(syntax.Offset), len(d))
	before := d[:at]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	hint := "correct the text there"
	if at == len(d) {
		hint = "the text ends too early: close every string, list and object"
	}
	return fmt.Errorf("%w: line %d, column %d (byte %d): %w; %s", ErrNotJSON, line, max(column, 1), at, err, hint)
}

// root is the place of the value of a whole text.
func (d document) root() span {
	from := d.skipBlanks(0)
	return span{from, d.skipValue(from)}
}

// kind names the type of a value as a person would.
func (d document) kind(s span) string {
	switch d[s.from] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

func (d document) isObject(s span) bool { return d[s.from] == '{' }
func (d document) isList(s span) bool   { return d[s.from] == '[' }
func (d document) isString(s span) bool { return d[s.from] == '"' }
func (d document) isNull(s span) bool   { return d[s.from] == 'n' }

// members lists an object in the order of its first names; of equal names the
// last value counts. With names given it lists those only, at no cost for the
// others. Anything but an object has none.
func (d document) members(s span, only ...string) []member {
	if !d.isObject(s) {
		return nil
	}
	var list []member
	var seen map[string]int // only built for objects with many names
	for i := d.skipBlanks(s.from + 1); d[i] != '}'; {
		var m member
		m.name = span{i, d.skipString(i)}
		i = d.skipBlanks(d.skipBlanks(m.name.to) + 1) // the colon
		m.data = span{i, d.skipValue(i)}
		if i = d.skipBlanks(m.data.to); d[i] == ',' {
			i = d.skipBlanks(i + 1)
		}
		if m.key = d.nameAmong(m.name, only); m.key == "" && len(only) > 0 {
			continue
		}
		if len(list) == 16 && seen == nil {
			seen = make(map[string]int)
			for at := range list {
				seen[list[at].key] = at
			}
		}
		if at := position(list, seen, m.key); at >= 0 {
			list[at].data = m.data
			continue
		}
		if seen != nil {
			seen[m.key] = len(list)
		}
		list = append(list, m)
	}
	return list
}

// nameAmong decodes a name; one that is not wanted is "".
func (d document) nameAmong(name span, wanted []string) string {
	if len(wanted) == 0 {
		return d.unquote(name)
	}
	raw := d[name.from+1 : name.to-1]
	if bytes.IndexByte(raw, '\\') >= 0 {
		raw = []byte(d.unquote(name))
	}
	for _, w := range wanted {
		if string(raw) == w {
			return w
		}
	}
	return ""
}

// field returns the value of one name of an object.
func (d document) field(s span, name string) (value span, ok bool) {
	return find(d.members(s, name), name)
}

func position(list []member, seen map[string]int, key string) int {
	if seen != nil {
		if at, ok := seen[key]; ok {
			return at
		}
		return -1
	}
	for at := range list {
		if list[at].key == key {
			return at
		}
	}
	return -1
}

// find returns the value of a name; ok is false when it is missing.
func find(list []member, key string) (value span, ok bool) {
	for i := range list {
		if list[i].key == key {
			return list[i].data, true
		}
	}
	return span{}, false
}

// elements yields the values of an array; anything else has none.
func (d document) elements(s span) iter.Seq2[int, span] {
	return func(yield func(int, span) bool) {
		if !d.isList(s) {
			return
		}
		for n, i := 0, d.skipBlanks(s.from+1); d[i] != ']'; n++ {
			e := span{i, d.skipValue(i)}
			if !yield(n, e) {
				return
			}
			if i = d.skipBlanks(e.to); d[i] == ',' {
				i = d.skipBlanks(i + 1)
			}
		}
	}
}

// unquote decodes a string. Lone surrogates and invalid UTF-8 become U+FFFD.
func (d document) unquote(s span) string {
	inner := d[s.from+1 : s.to-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return strings.ToValidUTF8(string(inner), string(utf8.RuneError))
	}
	var out string
	if err := json.Unmarshal(s.of(d), &out); err != nil {
		return strings.ToValidUTF8(string(inner), string(utf8.RuneError)) // not reachable for checked JSON
	}
	return out
}

func (d document) skipBlanks(i int) int {
	for i < len(d) && (d[i] == ' ' || d[i] == '\n' || d[i] == '\t' || d[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the end of the string that starts at i. It looks for
// quotes and backslashes in long steps, since a string can be a whole file.
func (d document) skipString(i int) int {
	i++
	for quote := i + bytes.IndexByte(d[i:], '"'); ; {
		escape := bytes.IndexByte(d[i:quote], '\\')
		if escape < 0 {
			return quote + 1
		}
		if i += escape + 2; i > quote { // the quote was escaped
			quote = i + bytes.IndexByte(d[i:], '"')
		}
	}
}

// skipValue returns the end of the value that starts at i, without recursion.
func (d document) skipValue(i int) int {
	depth := 0
	for ; i < len(d); i++ {
		switch d[i] {
		case '"':
			i = d.skipString(i) - 1
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		case ',', ':', ' ', '\n', '\t', '\r':
			continue
		default: // a number or a word
			for i+1 < len(d) && !endsWord(d[i+1]) {
				i++
			}
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(d)
}

func endsWord(c byte) bool {
	switch c {
	case ',', ':', ']', '}', ' ', '\n', '\t', '\r':
		return true
	}
	return false
}

// edit replaces a part of a raw text.
type edit struct {
	span
	with []byte
}

// apply returns a copy of raw with the edits, which are in ascending order and
// do not overlap.
func apply(raw []byte, edits []edit) json.RawMessage {
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, raw[at:e.from]...), e.with...)
		at = e.to
	}
	return append(out, raw[at:]...)
}
