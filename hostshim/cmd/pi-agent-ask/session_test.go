package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The tests start this test binary again as the command.
const asCommand = "PI_AGENT_ASK_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	if signal.Ignored(syscall.SIGHUP) { // under nohup; what we start must not inherit it
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	os.Exit(m.Run())
}

var update = flag.Bool("update", false, "write what the command prints into the session files")

// commandLine returns the command with an environment and a home of its own.
// It has no controlling terminal.
func commandLine(ctx context.Context, home string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Dir = home
	for _, e := range os.Environ() {
		switch name, _, _ := strings.Cut(e, "="); name {
		case "HOME", "TERM", "NO_COLOR", "ACCESSIBLE", "EDITOR", "VISUAL", "COLORTERM", "COLORFGBG", "PI_CODING_AGENT_DIR", "TMUX", "LC_ALL":
		default:
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(cmd.Env, asCommand+"=1", "GORACE=atexit_sleep_ms=0", "HOME="+home, "TERM=xterm-256color", "LC_ALL=C.UTF-8")
	detach(cmd)
	return cmd
}

// TestSessions runs the files in testdata/sessions. Each holds files and then
// a session as a user would see it: "$ arguments", optionally "< file", then
// stdout, stderr with "! " before each line, and "exit N" if N is not 0. A
// line "…" stands for any lines.
func TestSessions(t *testing.T) {
	names, err := filepath.Glob("testdata/sessions/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal("no sessions: ", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			runSession(t, name)
		})
	}
}

func runSession(t *testing.T, name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	source, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("HOME", dir)
	t.Setenv("PI_CODING_AGENT_DIR", "")
	head, session, ok := strings.Cut(string(text), "-- session --\n")
	if !ok {
		t.Fatal("the file has no session")
	}
	writeFiles(t, dir, head)
	var got strings.Builder
	for _, step := range strings.Split("\n"+session, "\n$ ")[1:] {
		line, want, _ := strings.Cut(step+"\n", "\n")
		have := runLine(t, dir, line)
		want = strings.Trim(want, "\n")
		if want != "" {
			want += "\n"
		}
		ok := like(want, have)
		if *update && !(ok && strings.Contains(want, "…\n")) {
			ok, want = true, have
		}
		fmt.Fprintf(&got, "$ %s\n%s", line, want)
		if !ok {
			t.Errorf("$ %s\n%s\nwant:\n%s", line, have, want)
		}
	}
	if *update {
		if err := os.WriteFile(source, []byte(head+"-- session --\n"+got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var fileMark = regexp.MustCompile(`(?m)^-- (\S+) --\n`)

// writeFiles writes the files of a session; a name that ends in / is a folder.
func writeFiles(t *testing.T, dir, head string) {
	t.Helper()
	marks := fileMark.FindAllStringSubmatchIndex(head, -1)
	for i, m := range marks {
		end := len(head)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		name := filepath.Join(dir, head[m[2]:m[3]])
		var err error
		if strings.HasSuffix(head[m[2]:m[3]], "/") {
			err = os.MkdirAll(name, 0o755)
		} else {
			err = os.WriteFile(name, []byte(head[m[1]:end]), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// runLine runs one line and returns what the session file should show. What
// may open a form runs as a process without a terminal, the rest in this one.
func runLine(t *testing.T, dir, line string) string {
	t.Helper()
	line, stdin, _ := strings.Cut(line, " < ")
	var in io.Reader = strings.NewReader("")
	if stdin != "" {
		f, err := os.Open(filepath.Join(dir, stdin))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		in = f
	}
	var out, errs bytes.Buffer
	var code int
	args := strings.Fields(line)
	if args[0] == "run" || strings.HasPrefix(line, "settings edit") {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := commandLine(ctx, dir, args...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, &errs
		err := cmd.Run()
		if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
			t.Fatalf("$ %s: %v", line, err)
		}
		code = cmd.ProcessState.ExitCode()
	} else {
		code = run(t.Context(), args, streams{in, &out, &errs})
	}
	text := out.String()
	for l := range strings.Lines(errs.String()) {
		text += "! " + l
	}
	if code != 0 {
		text += fmt.Sprintf("exit %d\n", code)
	}
	return strings.ReplaceAll(text, dir, "$DIR")
}

// like compares a text with a pattern in which the line "…" is any lines.
func like(pattern, text string) bool {
	parts := strings.Split(regexp.QuoteMeta(pattern), "…\n")
	return regexp.MustCompile(`\A` + strings.Join(parts, `(?s:.*)`) + `\z`).MatchString(text)
}

func TestLikeComparesLines(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"a\nb\n", "a\nb\n", true},
		{"a\n", "a\nb\n", false},
		{"a\n…\nc\n", "a\nx\ny\nc\n", true},
		{"…\nc\n", "a\nd\n", false},
		{"a.c\n", "abc\n", false},
	} {
		if got := like(tt.pattern, tt.text); got != tt.want {
			t.Errorf("like(%q, %q) = %v", tt.pattern, tt.text, got)
		}
	}
}
