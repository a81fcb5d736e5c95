// Package display turns foreign text into text that can be drawn: every
// control or reordering character becomes a visible stand-in, and every line
// is measured, cut and wrapped in terminal columns at grapheme borders.
//
// The two calls most people need:
//
//	text := display.Visible(answer)      // safe to write to a terminal
//	lines := widths.Wrap(text, columns)  // widths is a display.WidthFunc
//
// A nil WidthFunc measures with the built-in tables, so `var widths
// display.WidthFunc` is ready to use. Nothing here keeps state: all functions
// may be called from any goroutine.
package display

import (
	"iter"

	"github.com/clipperhouse/displaywidth"
	"github.com/rivo/uniseg"
)

// WidthFunc tells how many columns one grapheme cluster takes in the terminal
// or in the host that draws the lines. It gets clusters of text that has been
// through [Visible]; it is never asked about printable ASCII, which is one
// column everywhere. Negative answers count as 0.
//
// A nil WidthFunc is [ClusterWidth].
type WidthFunc func(cluster string) int

// ClusterWidth is the default measure: the larger of two independent width
// tables, and of a short list of characters on which some hosts answer more
// than both. A line that fits by ClusterWidth so fits by the host's measure,
// which matters more than a column lost: a line that is too wide is an error
// in some hosts.
func ClusterWidth(cluster string) int {
	if len(cluster) == 1 {
		if isPrintable(cluster[0]) {
			return 1
		}
		return 0
	}
	return max(uniseg.StringWidth(cluster), displaywidth.String(cluster), patchedWidth(cluster))
}

// Width returns the number of columns of s, which is one line: newlines and
// tabs count nothing here. ASCII text costs no allocation.
func (f WidthFunc) Width(s string) int {
	if isASCII(s) {
		return len(s)
	}
	total := 0
	for len(s) > 0 {
		n, w := f.first(s)
		total += w
		s = s[n:]
	}
	return total
}

// Clusters yields the grapheme clusters of s in order, each with its width in
// columns. A cluster of width 0, such as a lone combining mark or U+200B,
// belongs to the cell of the cluster before it.
func (f WidthFunc) Clusters(s string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for len(s) > 0 {
			n, w := f.first(s)
			if !yield(s[:n], w) {
				return
			}
			s = s[n:]
		}
	}
}

// Cut returns s if it fits width columns. Otherwise it returns as many whole
// clusters as fit together with tail, followed by tail. A tail that does not
// fit by itself is left out; width below 1 gives the empty string.
func (f WidthFunc) Cut(s string, width int, tail string) string {
	if width < 1 {
		return ""
	}
	if len(s) <= width && isASCII(s) {
		return s
	}
	room := width - f.Width(tail)
	if room < 0 {
		tail, room = "", width
	}
	used, keep := 0, 0
	for at := 0; at < len(s); {
		n, w := f.first(s[at:])
		if used += w; used > width {
			return s[:keep] + tail
		}
		at += n
		if used <= room {
			keep = at
		}
	}
	return s
}

// first returns the length in bytes and the width of the first cluster of s,
// which is not empty.
func (f WidthFunc) first(s string) (n, width int) {
	n, width = plainCluster(s)
	if n > 0 && (f == nil || n == 1) {
		return n, width
	}
	if n == 0 {
		n = NextCluster(s)
	}
	if f == nil {
		return n, ClusterWidth(s[:n])
	}
	return n, max(0, f(s[:n]))
}
