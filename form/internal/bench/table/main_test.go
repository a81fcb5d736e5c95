package main

import (
	"os"
	"strings"
)

func Example() {
	_ = table(strings.NewReader(`goos: linux
pkg: example.com/some/bench
BenchmarkKey/ours-2         	    6216	    162411 ns/op	 151000 cpu-ns/op	    2784 B/op	      20 allocs/op
BenchmarkKey/some-list-2    	      14	  23385883 ns/op	 2033171 B/op	    3847 allocs/op
BenchmarkIdle/ours-2        	       1	 12002385883 ns/op	 17.5 MiB	 0 wakeups/min
PASS
`), os.Stdout)
	// Output:
	// benchmark      time      processor  allocs  other
	//
	// bench
	// Key/ours       162.41µs  151µs      20
	// Key/some-list  23.39ms              3847
	// Idle/ours      12s                          17.5 MiB, 0 wakeups/min
}
