package ui_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gkampitakis/go-snaps/snaps"
)

// TestScreens keeps the picture of every screen, each at three widths on a
// screen that is high enough and on one with twelve rows, and its styles at the
// widest.
func TestScreens(t *testing.T) {
	for _, sc := range screens {
		t.Run(sc.name, func(t *testing.T) {
			var b strings.Builder
			for _, rows := range []int{60, 12} {
				for _, width := range []int{100, 60, 30} {
					h := sc.open(t, width, rows)
					fmt.Fprintf(&b, "== %d columns, %d rows ==\n%s\n\n", width, rows, strings.Join(h.picture(), "\n"))
				}
			}
			fmt.Fprintf(&b, "== styles at 100 columns ==\n%s\n", strings.Join(sc.open(t, 100, 60).styles(), "\n"))
			snaps.WithConfig(snaps.Dir(filepath.Join("testdata", "screens")), snaps.Filename(sc.name)).MatchSnapshot(t, b.String())
		})
	}
}
