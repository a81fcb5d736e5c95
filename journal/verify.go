package journal

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Report is what [Verify] found in a session file.
type Report struct {
	Session string `json:"session"` // the id in the header
	Version int    `json:"version"`
	Lines   int    `json:"lines"`   // with the header, without an unfinished last line
	Entries int    `json:"entries"` // that can be read, on all branches
	Branch  int    `json:"branch"`  // of them on the branch of the last entry
	// Own counts the entries of this library on all branches, in the order in
	// which their types were first seen.
	Own []Count `json:"own"`
	// Questions counts the questions of the branch by status.
	Questions []StatusCount `json:"questions"`
	// Open are the ids of the requests of the branch without an outcome.
	Open []string `json:"open"`
	// Problems are the faults, at most 1000 of them, in file order.
	Problems []Problem `json:"problems"`
}

// Count is how often a type of entry occurs in a file.
type Count struct {
	CustomType string `json:"customType"`
	Entries    int    `json:"entries"`
	// Unknown of them are skipped when reading: they have another version or
	// the wrong shape.
	Unknown int `json:"unknown"`
}

// StatusCount is how many questions have a status.
type StatusCount struct {
	Status    Status `json:"status"`
	Questions int    `json:"questions"`
}

// Verify reads a whole session file and reports what is in it and what is
// wrong with it. It changes nothing and takes no lock. The error is for files
// that cannot be read or are no session; it wraps [ErrNotSession],
// [ErrVersion] or the system's error.
func Verify(path string) (Report, error) {
	f, _, err := openToRead(path)
	if err != nil {
		return Report{}, fmt.Errorf("journal: verify: %w", err)
	}
	defer f.Close()
	l, err := readAll(f, defaultMaxLine)
	if err != nil {
		return Report{}, fmt.Errorf("journal: verify %s: %w", path, err)
	}
	return l.report(), nil
}

// readAll reads a file without changing it. The leaf is its last entry.
func readAll(r io.ReaderAt, maxLine int) (*loader, error) {
	l := newLoader(maxLine)
	tail, err := l.read(r)
	if err != nil {
		return nil, err
	}
	if tail != nil {
		if l.whole(*tail) {
			err = l.take(*tail)
		} else {
			l.problems.add(TornTail, l.lines+1, tail.offset, "the last line was not finished (%d bytes)", tail.length)
		}
	}
	if err == nil && !l.headSeen {
		err = ErrNotSession
	}
	if err != nil {
		return nil, err
	}
	l.tree.setLeaf(l.last)
	l.tellCycles()
	return l, nil
}

func (l *loader) report() Report {
	r := Report{Session: l.head.ID, Version: l.head.Version, Lines: l.lines, Branch: len(l.tree.branch),
		Own: []Count{}, Questions: []StatusCount{}, Open: []string{}, Problems: l.problems.all()}
	for _, n := range l.tree.nodes {
		if n.damaged {
			continue
		}
		r.Entries++
		if ours(n.Entry) {
			r.count(n.Entry)
		}
	}
	for _, rec := range Records(l.tree.branch) {
		r.countStatus(rec.Status)
		if rec.Status == Waiting && !slices.Contains(r.Open, rec.RequestID) {
			r.Open = append(r.Open, rec.RequestID)
		}
	}
	return r
}

func (r *Report) count(e Entry) {
	i := slices.IndexFunc(r.Own, func(c Count) bool { return c.CustomType == e.CustomType })
	if i < 0 {
		i = len(r.Own)
		r.Own = append(r.Own, Count{CustomType: e.CustomType})
	}
	r.Own[i].Entries++
	if Decode(e) == nil {
		r.Own[i].Unknown++
	}
}

func (r *Report) countStatus(s Status) {
	i := slices.IndexFunc(r.Questions, func(c StatusCount) bool { return c.Status == s })
	if i < 0 {
		i = len(r.Questions)
		r.Questions = append(r.Questions, StatusCount{Status: s})
	}
	r.Questions[i].Questions++
}

// Clean reports whether nothing is wrong with the file.
func (r Report) Clean() bool { return len(r.Problems) == 0 }

// String is the report as lines of text. Text from the file is quoted.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "session %s, version %d: %d lines, %d entries, %d on the branch\n",
		jsonText(r.Session), r.Version, r.Lines, r.Entries, r.Branch)
	for _, c := range r.Own {
		fmt.Fprintf(&b, "  %d %s", c.Entries, jsonText(c.CustomType))
		if c.Unknown > 0 {
			fmt.Fprintf(&b, ", %d of them skipped (unknown version or shape)", c.Unknown)
		}
		b.WriteByte('\n')
	}
	for _, c := range r.Questions {
		fmt.Fprintf(&b, "  %d %s\n", c.Questions, c.Status)
	}
	for _, id := range r.Open {
		fmt.Fprintf(&b, "  open request %s\n", jsonText(id))
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "%s: %s\n", p.Kind, p)
	}
	if r.Clean() {
		b.WriteString("no problems\n")
	}
	return b.String()
}
