package journal_test

import (
	"iter"
	"strings"
)

// lines yields the lines of a file.
func lines(text []byte) iter.Seq[string] { return strings.Lines(string(text)) }

// after is what follows the first occurrence of sep, "" when there is none.
func after(s, sep string) string {
	_, rest, _ := strings.Cut(s, sep)
	return rest
}
