// Command table reads the output of "go test -bench" and prints it as a table,
// one line for each benchmark.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	if err := table(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// result matches "BenchmarkName/subject-2   123   456 ns/op   7 allocs/op".
var result = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

func table(in io.Reader, out io.Writer) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "benchmark\ttime\tprocessor\tallocs\tother\t")
	failed := false
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if pkg, ok := strings.CutPrefix(lines.Text(), "pkg: "); ok {
			fmt.Fprintf(t, "\t\t\t\t\t\n%s\t\t\t\t\t\n", path.Base(pkg))
			continue
		}
		m := result.FindStringSubmatch(lines.Text())
		if m == nil {
			if text := lines.Text(); strings.Contains(text, "FAIL") || strings.HasPrefix(text, "    ") {
				fmt.Fprintln(os.Stderr, text)
				failed = true
			}
			continue
		}
		wall, cpu, allocs, other := columns(strings.Fields(m[2]))
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t\n", m[1], wall, cpu, allocs, other)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for l := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(out, strings.TrimRight(l, " \n")); err != nil {
			return err
		}
	}
	if failed {
		return fmt.Errorf("a benchmark failed")
	}
	return nil
}

// columns sorts the pairs of value and unit into columns.
func columns(pairs []string) (wall, cpu, allocs, other string) {
	var rest []string
	for i := 0; i+1 < len(pairs); i += 2 {
		value, unit := pairs[i], pairs[i+1]
		switch unit {
		case "ns/op":
			wall = duration(value)
		case "cpu-ns/op":
			cpu = duration(value)
		case "allocs/op":
			allocs = value
		case "B/op":
		default:
			rest = append(rest, value+" "+unit)
		}
	}
	return wall, cpu, allocs, strings.Join(rest, ", ")
}

// duration writes nanoseconds with three digits that count.
func duration(ns string) string {
	f, err := strconv.ParseFloat(ns, 64)
	if err != nil {
		return ns
	}
	d := time.Duration(f)
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= unit {
			return d.Round(unit / 100).String()
		}
	}
	return d.String()
}
