package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// headerType is the type of the first line of a session file.
const headerType = "session"

// headSize is how much of a line is looked at when only its place in the tree
// is wanted.
const headSize = 512

// links is a line's place in the tree.
type links struct{ typ, id, parent []byte }

// readHead reads the links from the beginning of a line that starts the way
// hosts write most of their entries:
//
//	{"type":"message","id":"a1b2c3d4","parentId":"b2c3d4e5",…
//
// It reports false for every other line, for which only a full decode helps.
// The rest of the line is not looked at; it may be damaged.
func readHead(line []byte) (l links, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	if !ok {
		return links{}, false
	}
	if l.typ, rest, ok = cutWord(rest); !ok {
		return links{}, false
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(`,"id":"`)); !ok {
		return links{}, false
	}
	if l.id, rest, ok = cutWord(rest); !ok || len(l.id) == 0 {
		return links{}, false
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(`,"parentId":`)); !ok {
		return links{}, false
	}
	if bytes.HasPrefix(rest, []byte("null")) {
		rest = rest[len("null"):]
	} else {
		if rest, ok = bytes.CutPrefix(rest, []byte(`"`)); !ok {
			return links{}, false
		}
		if l.parent, rest, ok = cutWord(rest); !ok {
			return links{}, false
		}
	}
	return l, len(rest) > 0 && (rest[0] == ',' || rest[0] == '}')
}

// cutWord cuts a JSON string without escapes off b, which starts behind the
// opening quote.
func cutWord(b []byte) (word, rest []byte, ok bool) {
	n := bytes.IndexByte(b[:min(len(b), headSize)], '"')
	if n < 0 {
		return nil, nil, false
	}
	for _, c := range b[:n] {
		if c < ' ' || c == '\\' {
			return nil, nil, false
		}
	}
	return b[:n], b[n+1:], utf8.Valid(b[:n])
}

// lineKind is what a line of a session file turned out to be.
type lineKind int

const (
	blankLine lineKind = iota
	headerLine
	goodLine
	linkLine    // unreadable, but its place in the tree is known
	damagedLine // nothing can be said about it
)

// decodeLine reads one line, without its newline. When a name occurs twice in
// the entry, the first one counts. Raw fields of the entry are parts of line.
// why says in words what is wrong with a line that is not good.
func decodeLine(line []byte) (e Entry, kind lineKind, why string) {
	trimmed := bytes.Trim(line, " \t\r\n")
	if len(trimmed) == 0 {
		return Entry{}, blankLine, ""
	}
	switch {
	case !json.Valid(trimmed):
		why = "not valid JSON"
	case trimmed[0] != '{':
		why = "not a JSON object"
	default:
		if e, why = readEntry(trimmed); why == "" {
			if e.Type == headerType {
				return e, headerLine, ""
			}
			return e, goodLine, ""
		}
	}
	if l, ok := readHead(line); ok && string(l.typ) != headerType {
		return Entry{ID: string(l.id), ParentID: string(l.parent), Type: string(l.typ)}, linkLine, why
	}
	return Entry{}, damagedLine, why
}

// readEntry reads the members of a valid JSON object.
func readEntry(object []byte) (e Entry, why string) {
	seen := make(fieldSet, 0, 16)
	members(object, func(name string, value []byte) {
		if !seen.first(name) {
			return
		}
		switch name {
		case "type":
			e.Type, why = stringField(name, value, why)
		case "id":
			e.ID, why = stringField(name, value, why)
		case "parentId":
			if string(value) != "null" {
				e.ParentID, why = stringField(name, value, why)
			}
		case "timestamp":
			// A time that cannot be read is no reason to lose the entry.
			stamp, _ := unquote(value)
			at, _ := time.Parse(time.RFC3339, stamp)
			e.Timestamp = at.UTC()
		case "customType":
			e.CustomType, _ = unquote(value)
		case "display":
			e.Display = string(value) == "true"
		case "data":
			e.Data = value
		case "content":
			e.Content = value
		case "details":
			e.Details = value
		case "message":
			e.Message = value
		}
	})
	switch {
	case why != "":
	case e.Type == "":
		why = "an entry without a type"
	case e.ID == "" && e.Type != headerType:
		why = "an entry without an id"
	}
	return e, why
}

func stringField(name string, value []byte, before string) (s, why string) {
	if before != "" {
		return "", before
	}
	s, ok := unquote(value)
	if !ok {
		return "", name + " is not a string"
	}
	if !utf8.Valid(value) {
		return "", name + " is not valid UTF-8"
	}
	return s, ""
}

// unquote returns the text of a valid JSON value if it is a string.
func unquote(value []byte) (s string, ok bool) {
	if value[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(value, '\\') < 0 && utf8.Valid(value) {
		return string(value[1 : len(value)-1]), true
	}
	return s, json.Unmarshal(value, &s) == nil
}

// fieldSet notes which names have been seen.
type fieldSet []string

func (f *fieldSet) first(name string) bool {
	for _, s := range *f {
		if s == name {
			return false
		}
	}
	*f = append(*f, name)
	return true
}

// members calls f for every member of a valid JSON object, in order.
func members(object []byte, f func(name string, value []byte)) {
	i := skipSpace(object, bytes.IndexByte(object, '{')+1)
	for i < len(object) && object[i] == '"' {
		end := skipValue(object, i)
		name, _ := unquote(object[i:end])
		i = skipSpace(object, skipSpace(object, end)+1) // over the colon
		end = skipValue(object, i)
		f(name, object[i:end:end])
		i = skipSpace(object, end)
		if i < len(object) && object[i] == ',' {
			i = skipSpace(object, i+1)
		}
	}
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// skipValue returns the index behind the value that starts at i.
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\r', '\n':
			i++
		default: // a number or a word
			n := bytes.IndexAny(b[i:], ",]} \t\r\n")
			if n < 0 {
				return len(b)
			}
			i += n
		}
		if depth == 0 {
			return i
		}
	}
	return i
}

// skipString returns the index behind the string whose quote is at i.
func skipString(b []byte, i int) int {
	for i++; i < len(b); {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		i += n + 1
		backslashes := 0
		for k := i - 2; k >= 0 && b[k] == '\\'; k-- {
			backslashes++
		}
		if backslashes%2 == 0 {
			return i
		}
	}
	return i
}

// rawField is one raw member of an entry.
type rawField struct {
	name string
	raw  *json.RawMessage
}

// rawFields lists the raw JSON of an entry, in file order.
func rawFields(e *Entry) []rawField {
	return []rawField{{"data", &e.Data}, {"content", &e.Content}, {"details", &e.Details}, {"message", &e.Message}}
}

// encodeLine writes an entry as one line, newline included, and returns the
// entry as it would be read from that line: its raw fields are parts of line.
func encodeLine(e Entry) (line []byte, stored Entry, err error) {
	if err := checkEntry(e); err != nil {
		return nil, Entry{}, err
	}
	var b bytes.Buffer
	write := func(name string, value any) {
		b.WriteString(`,"` + name + `":`)
		b.Write(encode(value))
	}
	b.WriteString(`{"type":`)
	b.Write(encode(e.Type))
	write("id", e.ID)
	if e.ParentID == "" {
		write("parentId", nil)
	} else {
		write("parentId", e.ParentID)
	}
	write("timestamp", e.Timestamp.UTC().Format(isoMillis))
	if e.CustomType != "" {
		write("customType", e.CustomType)
	}
	var ends [4][2]int
	for i, f := range rawFields(&e) {
		if len(*f.raw) == 0 {
			continue
		}
		b.WriteString(`,"` + f.name + `":`)
		ends[i][0] = b.Len()
		if err := json.Compact(&b, *f.raw); err != nil { // takes newlines out
			return nil, Entry{}, fmt.Errorf("journal: %s of the %s entry is not JSON: %w", f.name, e.Type, errors.Join(ErrEntry, err))
		}
		ends[i][1] = b.Len()
	}
	if e.Type == "custom_message" {
		write("display", e.Display)
	}
	b.WriteString("}\n")
	line = b.Bytes()
	for i, f := range rawFields(&e) {
		if from, to := ends[i][0], ends[i][1]; to > from {
			*f.raw = line[from:to:to]
		}
	}
	return line, e, nil
}

// checkEntry finds what cannot be stored, apart from broken JSON.
func checkEntry(e Entry) error {
	if e.Type == "" || e.Type == headerType {
		return fmt.Errorf("journal: type %q: %w", e.Type, ErrEntry)
	}
	if !utf8.ValidString(e.Type) || !utf8.ValidString(e.CustomType) {
		return fmt.Errorf("journal: the type of the entry is not valid UTF-8: %w", ErrEntry)
	}
	if strings.HasPrefix(e.CustomType, prefix) && e.Type == "custom" && len(e.Data) == 0 {
		return fmt.Errorf("journal: the %s entry has no data: %w", e.CustomType, ErrEntry)
	}
	for _, f := range rawFields(&e) {
		if !utf8.Valid(*f.raw) {
			return fmt.Errorf("journal: %s of the %s entry is not valid UTF-8: %w", f.name, e.Type, ErrEntry)
		}
	}
	return nil
}

// header is the first line of a session file.
type header struct {
	Type      string `json:"type"`
	Version   int    `json:"version"`
	ID        string `json:"id"`
	Timestamp string `json:"timestamp"`
	Cwd       string `json:"cwd"`
}

// The session versions that have a tree of entries. Version 1 was a plain
// list.
const (
	oldestVersion  = 2
	currentVersion = 3
)

func newHeader(id, cwd string, at time.Time) []byte {
	raw, _ := ask.Marshal(header{headerType, currentVersion, id, at.UTC().Format(isoMillis), cwd})
	return append(raw, '\n')
}

// readHeader checks the first line that is not blank or damaged.
func readHeader(line []byte) (header, error) {
	var h header
	if json.Unmarshal(line, &h) != nil || h.Type != headerType || h.ID == "" {
		return header{}, ErrNotSession
	}
	if h.Version == 0 {
		h.Version = 1
	}
	if h.Version < oldestVersion || h.Version > currentVersion {
		return h, fmt.Errorf("version %d: %w", h.Version, ErrVersion)
	}
	return h, nil
}
