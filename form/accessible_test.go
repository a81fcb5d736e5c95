package form

import "testing"

func TestWhoGetsPlainLines(t *testing.T) {
	for _, c := range []struct {
		name             string
		option           bool
		accessible, term string
		want             bool
	}{
		{"nobody asked", false, "", "xterm-256color", false},
		{"the option", true, "", "xterm-256color", true},
		{"the option wins", true, "0", "xterm-256color", true},
		{"the environment", false, "1", "xterm-256color", true},
		{"any other word", false, "yes", "xterm-256color", true},
		{"switched off", false, "0", "xterm-256color", false},
		{"switched off by a word", false, "False", "xterm-256color", false},
		{"a dumb terminal", false, "", "dumb", true},
		{"a dumb terminal has nothing else", false, "0", "dumb", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("ACCESSIBLE", c.accessible)
			t.Setenv("TERM", c.term)
			if got := accessible(&Options{Accessible: c.option}); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if got := accessible(nil); !c.option && got != c.want {
				t.Errorf("without options: got %v, want %v", got, c.want)
			}
		})
	}
}
