package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// loader reads the lines of a session file into a tree. It can go on from
// where it stopped when the file has grown.
type loader struct {
	tree     *tree
	max      int // bytes of the longest line
	problems problems

	head     header
	headSeen bool
	lines    int
	end      int64 // behind the newline of the last line
	last     int   // the last good node, -1 before the first
	orphans  []orphan
}

// orphan is an entry whose parent was not found when it was read.
type orphan struct{ problem, node int }

func newLoader(max int) *loader { return &loader{tree: newTree(), max: max, last: -1} }

// read takes in everything from l.end on. A last line without a newline is
// returned as it is; what it means is for the caller to say.
func (l *loader) read(r io.ReaderAt) (tail *rawLine, err error) {
	lines := newLineReader(r, l.end, l.max)
	for {
		line, err := lines.next()
		switch {
		case err == io.EOF:
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("read line %d: %w", l.lines+1, err)
		case line.open:
			return &line, nil
		}
		if err := l.take(line); err != nil {
			return nil, err
		}
		l.end = line.offset + line.length + 1
	}
}

// take puts one line into the tree. The only errors are those of a file that
// is no session.
func (l *loader) take(line rawLine) error {
	l.lines++
	if line.tooLong() {
		l.takeLong(line)
		return nil
	}
	text := bytes.Clone(line.text) // the entry keeps parts of it
	e, kind, why := decodeLine(text)
	switch kind {
	case blankLine:
	case headerLine:
		return l.takeHeader(line, text)
	case damagedLine:
		l.note(Damaged, line, "%s; the line is left as it is and skipped", why)
	case linkLine, goodLine:
		if !l.headSeen {
			return ErrNotSession
		}
		if kind == linkLine {
			l.note(Damaged, line, "%s; the line is left as it is, only its place in the tree is used", why)
		} else if !utf8.Valid(text) {
			l.note(BadText, line, "invalid UTF-8; it is read with U+FFFD in its place")
		}
		l.add(line, e, kind == linkLine)
	}
	return nil
}

func (l *loader) takeHeader(line rawLine, text []byte) error {
	if l.headSeen {
		l.note(Damaged, line, "a second session header; it is skipped")
		return nil
	}
	head, err := readHeader(text)
	l.head, l.headSeen = head, err == nil
	return err
}

func (l *loader) takeLong(line rawLine) {
	l.note(TooLong, line, "%d bytes long, more than the %d that are read; its content is skipped", line.length, l.max)
	if links, ok := readHead(line.text); ok && l.headSeen && string(links.typ) != headerType {
		l.add(line, Entry{ID: string(links.id), ParentID: string(links.parent), Type: string(links.typ)}, true)
	}
}

func (l *loader) add(line rawLine, e Entry, damaged bool) {
	if _, taken := l.tree.byID[e.ID]; taken {
		l.note(DuplicateID, line, "the id %s was used before; entries that follow belong to the later one", jsonText(e.ID))
	}
	if !l.tree.add(e, damaged) {
		l.note(NoParent, line, "the parent %s is not in the file; the branch starts here", jsonText(e.ParentID))
		if l.problems.more == 0 {
			l.orphans = append(l.orphans, orphan{len(l.problems.list) - 1, len(l.tree.nodes) - 1})
		}
	}
	if !damaged {
		l.last = len(l.tree.nodes) - 1
	}
}

func (l *loader) note(kind ProblemKind, line rawLine, format string, args ...any) {
	l.problems.add(kind, max(l.lines, 1), line.offset, format, args...)
}

// tellCycles tells parents that come too late from parents that are missing.
// Only then, when the whole file is known, can that be told.
func (l *loader) tellCycles() {
	for _, o := range l.orphans {
		parent := jsonText(l.tree.nodes[o.node].ParentID)
		at, ok := l.tree.byID[l.tree.nodes[o.node].ParentID]
		if !ok {
			continue
		}
		p := &l.problems.list[o.problem]
		p.Kind, p.Detail = LateParent, "the parent "+parent+" comes only later in the file; the branch starts here"
		if l.tree.leads(at, o.node) {
			p.Detail = "the parent " + parent + " is a descendant of this entry: a cycle; the branch starts here"
		}
	}
}

// whole reports whether an unfinished last line is nevertheless a whole entry,
// of which only the newline is missing.
func (l *loader) whole(tail rawLine) bool {
	if tail.tooLong() {
		return false
	}
	_, kind, _ := decodeLine(tail.text)
	return kind == goodLine && l.headSeen || kind == headerLine && !l.headSeen
}

// check looks at an unfinished last line before anything is changed. It fails
// when the file is not a session at all.
func (l *loader) check(tail *rawLine) error {
	if l.headSeen {
		return nil
	}
	const start = `{"type":"session",`
	if tail == nil || l.end > 0 {
		if l.end > 0 {
			return ErrNotSession
		}
		return nil
	}
	text := tail.text
	if bytes.HasPrefix(text, []byte(start)) || bytes.HasPrefix([]byte(start), text) || l.whole(*tail) {
		return nil // a header that was being written when the process died
	}
	return ErrNotSession
}

// isGone reports whether err says that the file cannot be what it was.
func isGone(err error) bool {
	return errors.Is(err, ErrNotSession) || errors.Is(err, ErrVersion)
}
