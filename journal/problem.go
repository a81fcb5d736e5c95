package journal

import (
	"encoding/json"
	"fmt"
)

// ProblemKind says what is wrong in a session file.
type ProblemKind string

// The kinds of problems. A torn tail is the trace of a crash, and harmless;
// damage before it is not, and is never repaired.
const (
	TornTail    ProblemKind = "torn"      // the last line was not finished
	Damaged     ProblemKind = "damaged"   // a line in the middle cannot be read
	TooLong     ProblemKind = "too-long"  // a line is longer than is read
	BadText     ProblemKind = "bad-text"  // a line holds invalid UTF-8; it is read with U+FFFD in its place
	DuplicateID ProblemKind = "duplicate" // two entries have the same id
	NoParent    ProblemKind = "no-parent" // the parent is not in the file
	LateParent  ProblemKind = "cycle"     // the parent comes only after the entry, as in a cycle
)

// Problem is one fault of a session file.
type Problem struct {
	Kind   ProblemKind `json:"kind"`
	Line   int         `json:"line"`   // 1-based
	Offset int64       `json:"offset"` // of the line, in bytes
	Detail string      `json:"detail"`
}

// String is the problem as one line of text. Ids from the file are quoted.
func (p Problem) String() string {
	return fmt.Sprintf("line %d (byte %d): %s", p.Line, p.Offset, p.Detail)
}

// maxProblems is how many problems are kept of one file.
const maxProblems = 1000

// problems collects the faults of a file; past the limit it only counts.
type problems struct {
	list []Problem
	more int
}

func (p *problems) add(kind ProblemKind, line int, offset int64, format string, args ...any) {
	if len(p.list) >= maxProblems {
		p.more++
		return
	}
	p.list = append(p.list, Problem{kind, line, offset, fmt.Sprintf(format, args...)})
}

// all returns a copy of the list.
func (p *problems) all() []Problem {
	list := append([]Problem{}, p.list...)
	if p.more > 0 {
		last := p.list[len(p.list)-1]
		list = append(list, Problem{last.Kind, last.Line, last.Offset, fmt.Sprintf("%d more problems from here on", p.more)})
	}
	return list
}

// jsonText is for ids that come from a file.
func jsonText(s string) string {
	const most = 80
	if len(s) > most {
		s = s[:most]
	}
	raw, _ := json.Marshal(s)
	return string(raw)
}
