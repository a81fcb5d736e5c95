//go:build unix

package notify

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

func TestRealCommands(t *testing.T) {
	tests := []struct {
		name, command string
		status        Status
		reason        string
	}{
		{"ends well", "true", Attempted, ""},
		{"output is ignored", "echo out; echo err >&2", Attempted, ""},
		{"exactly one mebibyte of output", "head -c 1048576 /dev/zero", Attempted, ""},
		{"one byte more, on both outputs", "head -c 1048576 /dev/zero; printf x >&2", Failed, "too much output"},
		{"writes for ever", "while :; do echo x; done", Failed, "too much output"},
		{"non-zero exit", "exit 3", Failed, "exit status 3"},
		{"no such program", "no-such-program-of-ours", Failed, "exit status 127"},
		{"no shell syntax", "(", Failed, "exit status"},
		{"reads its input", "cat", Attempted, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Send(t.Context(), []settings.Channel{command(tt.command)}, Payload{Message: "m"}, nil)
			if got[0].Status != tt.status || !strings.Contains(got[0].Error, tt.reason) || tt.reason == "" && got[0].Error != "" {
				t.Errorf("attempt %+v", got[0])
			}
		})
	}
}

// The real limit of five seconds, and that it ends the children too.
func TestCommandThatHangs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes five seconds")
	}
	out := tempFile(t)
	text := `(sleep 7; echo late >'` + out + `') & echo $! >'` + out + `'; sleep 60`
	var tty terminal
	got := Send(t.Context(), []settings.Channel{command(text), bell}, Payload{}, &Options{Terminal: tty.write})
	if got[0].Status != Failed || !strings.Contains(got[0].Error, "time limit") {
		t.Errorf("attempt %+v", got[0])
	}
	if got[1].Status != Attempted || string(tty.got) != "\a" {
		t.Errorf("next channel %+v", got[1])
	}
	if line := lines(t, out)[0]; line == "late" {
		t.Error("the child went on")
	}
}

func TestCommandEnvironment(t *testing.T) {
	out := tempFile(t)
	text := `{ echo "$KEPT"; env | grep ^ASK_NOTIFY_ | sort; } >'` + out + `'`
	env := func() []string {
		return []string{"KEPT=from the host", "ASK_NOTIFY_TITLE=old", "PATH=" + os.Getenv("PATH")}
	}
	p := Payload{Event: Event, Title: Title, Message: "$(id) `id` 'a' \"b\"\x1b[2J\x00\nnext"}
	got := Send(t.Context(), []settings.Channel{command(text)}, p, &Options{Environ: env})
	if got[0].Status != Attempted {
		t.Fatalf("attempt %+v", got[0])
	}
	want := []string{
		"from the host",
		"ASK_NOTIFY_EVENT=question.waiting",
		"ASK_NOTIFY_MESSAGE=$(id) `id` 'a' \"b\"␛[2J␀ next",
		"ASK_NOTIFY_TITLE=pi-agent-ask",
	}
	if got := lines(t, out); !reflect.DeepEqual(got, want) {
		t.Errorf("environment %q, want %q", got, want)
	}
}

// lines are the lines of a file that a command wrote.
func lines(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func tempFile(t *testing.T) string { return filepath.Join(t.TempDir(), "out") }
