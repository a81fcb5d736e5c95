//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

type subject struct {
	name string
	ext  func() string
	last string   // the last row of its form
	keys []string // answer it
}

// subjects are what the benchmarks compare: the extension, and one that does
// next to nothing, which is the time that pi itself takes.
var subjects = []subject{
	{"ours", func() string { return env.extension }, "Type your own", []string{"1", "Enter"}},
	{"floor", func() string { path, _ := filepath.Abs("testdata/floor.ts"); return path }, "The end", []string{"Enter"}},
}

// benchBox is a box for a benchmark, with pi not started yet.
func benchBox(b *testing.B, ext string, steps ...step) *box {
	if env.skip != "" {
		b.Skip(env.skip)
	}
	x := newBox(b, "fullscreen", newModel(b, steps...))
	x.ext = []string{ext}
	return x
}

func oneOf(n int) string {
	return fmt.Sprintf(`{"questions":[{"id":"q","prompt":"Question %d?","options":[{"value":"a","label":"Alpha"},{"value":"b","label":"Beta"},`+
		`{"value":"c","label":"Gamma"},{"value":"d","label":"Delta"}]}]}`, n)
}

// samples are measured times.
type samples []time.Duration

func (s samples) report(b *testing.B, percent int, unit string) {
	if len(s) > 0 {
		slices.Sort(s)
		b.ReportMetric(float64(s[min(len(s)-1, len(s)*percent/100)].Microseconds())/1000, unit)
	}
}

// BenchmarkStart is the whole price of having the extension: from the start of
// pi, with a prompt on the command line, to the first form; and of that the part
// from the end of the model's answer on.
func BenchmarkStart(b *testing.B) {
	for _, caches := range []string{"cold", "warm"} {
		for _, s := range subjects {
			b.Run(caches+"/"+s.name, func(b *testing.B) {
				var whole, first samples
				for i := range b.N + 1 {
					x := benchBox(b, s.ext(), ask(oneOf(1)), say("Done."))
					if caches == "cold" {
						own := filepath.Join(x.root, "tmp")
						x.env["NODE_COMPILE_CACHE"] = filepath.Join(own, "node")
						_ = os.Remove(filepath.Join(own, "jiti"))
					}
					begin := time.Now()
					x.start("Go on.")
					at := x.pi.stamp(func() {}, func(s2 string) bool {
						return strings.Contains(s2, "Question 1?") && strings.Contains(s2, s.last)
					})
					if i > 0 { // the first one fills the caches
						whole = append(whole, at.Sub(begin))
						first = append(first, at.Sub(x.model.answered))
					}
					x.pi.sees("❯ ")
					time.Sleep(400 * time.Millisecond)
					x.pi.keys(s.keys...)
					x.pi.sees("Done.")
					x.quit()
				}
				whole.report(b, 50, "ms/start")
				first.report(b, 50, "ms/first-ask")
			})
		}
	}
}

// BenchmarkAsk is every ask after the first: from the end of the model's answer
// to the form.
func BenchmarkAsk(b *testing.B) {
	for _, s := range subjects {
		b.Run(s.name, func(b *testing.B) {
			var steps []step
			for n := range b.N + 1 {
				steps = append(steps, ask(oneOf(n)))
			}
			x := benchBox(b, s.ext(), append(steps, say("Done."))...)
			pi := x.start("Go on.")
			var times samples
			for n := range b.N + 1 {
				wanted := fmt.Sprintf("Question %d?", n)
				shown := func(screen string) bool {
					return strings.Contains(screen, wanted) && strings.Contains(screen, "❯ 1.")
				}
				end := func() {
					if n > 0 {
						pi.keys(s.keys...)
					}
				}
				at := pi.stamp(end, func(screen string) bool { return strings.Contains(screen, wanted) && strings.Contains(screen, s.last) })
				if n > 0 {
					times = append(times, at.Sub(x.model.answered))
				}
				pi.wait("a form that takes keys", shown)
				time.Sleep(400 * time.Millisecond)
			}
			pi.keys(s.keys...)
			pi.sees("Done.")
			times.report(b, 50, "ms/ask")
		})
	}
}

// BenchmarkKey is a move to another option, at 20 keys a second: from the key to
// the changed screen.
func BenchmarkKey(b *testing.B) {
	previews := strings.Replace(oneOf(0), `"prompt"`, `"type":"preview","prompt"`, 1)
	for _, label := range []string{"Alpha", "Beta", "Gamma", "Delta"} {
		page := strings.Repeat(label+" and more of it\\n", 65)
		previews = strings.Replace(previews, `"`+label+`"`, `"`+label+`","preview":"`+page+`"`, 1)
	}
	ours, floor := subjects[0], subjects[1]
	for _, c := range []struct {
		name    string
		s       subject
		payload string
	}{{"plain/ours", ours, oneOf(0)}, {"plain/floor", floor, oneOf(0)}, {"previews/ours", ours, previews}} {
		b.Run(c.name, func(b *testing.B) {
			x := benchBox(b, c.s.ext(), ask(c.payload), say("Done."))
			pi := x.start("Go on.")
			pi.sees("Question 0?", "❯ 1.")
			time.Sleep(500 * time.Millisecond)
			var times samples
			written := 0
			for i := range b.N {
				key, row := "\x1b[B", "❯ 2."
				if i%2 == 1 {
					key, row = "\x1b[A", "❯ 1."
				}
				pi.output()
				var begin time.Time
				at := pi.stamp(func() { begin = time.Now(); pi.typed(key) }, func(screen string) bool { return strings.Contains(screen, row) })
				times = append(times, at.Sub(begin))
				time.Sleep(50 * time.Millisecond)
				written += len(pi.output())
			}
			pi.keys(c.s.keys...)
			pi.sees("Done.")
			times.report(b, 50, "ms/key")
			times.report(b, 99, "ms/key-p99")
			b.ReportMetric(float64(written)/float64(b.N), "bytes/key")
		})
	}
}
