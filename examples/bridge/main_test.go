package main

import (
	"strings"
	"testing"
)

func TestBridge(t *testing.T) {
	const asked = "Where should the build ship?\n  1. Staging\n  2. Production\n"
	for _, c := range []struct{ name, in, want string }{
		{"an answer", "2\n", asked + "The agent reads: Target: Production\n"},
		{"a wrong answer, then a right one", "moon\n1\n", asked + "Not accepted: \"target\": no option \"moon\".\n" + asked + "The agent reads: Target: Staging\n"},
		{"nobody is there", "", asked + "The agent reads: The user cancelled the form; nothing was approved.\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			if err := run(strings.NewReader(c.in), &out); err != nil {
				t.Fatal(err)
			}
			if out.String() != c.want {
				t.Errorf("printed\n%s\nnot\n%s", &out, c.want)
			}
		})
	}
}
