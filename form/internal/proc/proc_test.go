//go:build unix

package proc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pi-agent-ask/pi-agent-ask/form/internal/proc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func ExampleRun() {
	out, err := proc.Run(context.Background(), proc.Cmd{Name: "echo", Args: []string{"a b", "$HOME"}})
	fmt.Printf("%q %v\n", out, err)
	// Output: "a b $HOME\n" <nil>
}

func ExampleShell() {
	out, err := proc.Shell(context.Background(), "echo $GREETING; exit 3", proc.Cmd{Env: []string{"GREETING=hello"}})
	fmt.Printf("%q %v\n", out, err)
	// Output: "" /bin/sh: exit status 3
}

func TestRunEndings(t *testing.T) {
	exit := new(exec.ExitError)
	tests := []struct {
		name    string
		command string
		cmd     proc.Cmd
		out     string
		err     func(error) bool
	}{
		{name: "output is bytes, error output is not part of it", command: `printf 'a\000b'; echo no >&2`, out: "a\x00b"},
		{name: "error output on request", command: `echo no >&2`, cmd: proc.Cmd{Stderr: true}, out: "no\n"},
		{name: "non-zero exit", command: `echo text; exit 7`, err: func(err error) bool { return errors.As(err, &exit) && exit.ExitCode() == 7 }},
		{name: "hangs", command: `echo text; sleep 60`, cmd: proc.Cmd{Timeout: 50 * time.Millisecond}, err: is(proc.ErrTimeout)},
		{name: "ignores the polite signals", command: `trap '' TERM INT HUP; sleep 60; sleep 60`, cmd: proc.Cmd{Timeout: 50 * time.Millisecond}, err: is(proc.ErrTimeout)},
		{name: "writes for ever", command: `while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxx; done`, cmd: proc.Cmd{Limit: 1000}, err: is(proc.ErrTooMuch)},
		{name: "output of exactly the limit", command: `printf 12345678`, cmd: proc.Cmd{Limit: 8}, out: "12345678"},
		{name: "output of one byte more", command: `printf 123456789`, cmd: proc.Cmd{Limit: 8}, err: is(proc.ErrTooMuch)},
		{name: "a child keeps the output open, with grace", command: `printf done; sleep 60 &`, cmd: proc.Cmd{Grace: 50 * time.Millisecond}, out: "done"},
		{name: "a child keeps the output open, without grace", command: `printf done; sleep 60 &`, cmd: proc.Cmd{Timeout: 100 * time.Millisecond}, err: is(proc.ErrTimeout)},
		{name: "a child that closed the output is not waited for", command: `printf done; sleep 60 >/dev/null 2>&1 & exit 0`, out: "done"},
		{name: "closed output, still working", command: `printf done; exec >&-; sleep 0.05; exit 4`, err: func(err error) bool { return errors.As(err, &exit) && exit.ExitCode() == 4 }},
		{name: "reads its input", command: `cat; echo end`, out: "end\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := proc.Shell(t.Context(), tt.command, tt.cmd)
			if tt.err == nil && err != nil || tt.err != nil && !tt.err(err) {
				t.Fatalf("error %v", err)
			}
			if string(out) != tt.out {
				t.Fatalf("output %q, want %q", out, tt.out)
			}
		})
	}
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func TestRunMissingProgram(t *testing.T) {
	_, err := proc.Run(t.Context(), proc.Cmd{Name: "no-such-program-of-ours"})
	if !errors.Is(err, exec.ErrNotFound) {
		t.Fatalf("error %v", err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	started := filepath.Join(t.TempDir(), "started")
	go func() {
		for {
			if _, err := os.Stat(started); err == nil {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err := proc.Shell(ctx, `touch '`+started+`'; sleep 60`, proc.Cmd{})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if _, err = proc.Shell(ctx, `echo no`, proc.Cmd{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error after the end %v", err)
	}
}

// Children and grandchildren end together with the program.
func TestWholeGroupEnds(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	command := `sleep 60 & echo $! >>'` + pids + `'; sh -c 'sleep 60 & echo $! >>"$0"; wait' '` + pids + `' & wait`
	_, err := proc.Shell(t.Context(), command, proc.Cmd{Timeout: 300 * time.Millisecond})
	if !errors.Is(err, proc.ErrTimeout) {
		t.Fatalf("error %v", err)
	}
	text, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Fields(string(text))
	if len(list) != 2 {
		t.Fatalf("pids %q", list)
	}
	for _, field := range list {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		waitGone(t, pid)
	}
}

// waitGone waits until a process is gone, or is a zombie that nobody reaped.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	for range 500 {
		if syscall.Kill(pid, 0) != nil {
			return
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err == nil && bytes.Contains(stat, []byte(") Z ")) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("process %d is still there", pid)
}

func TestSink(t *testing.T) {
	var got bytes.Buffer
	out, err := proc.Shell(t.Context(), `printf one; printf two`, proc.Cmd{Sink: func(b []byte) error {
		got.Write(b)
		return nil
	}})
	if err != nil || out != nil || got.String() != "onetwo" {
		t.Fatalf("%q %q %v", out, got.String(), err)
	}
	full := errors.New("full")
	_, err = proc.Shell(t.Context(), `while :; do echo x; done`, proc.Cmd{Sink: func([]byte) error { return full }})
	if !errors.Is(err, full) {
		t.Fatalf("error %v", err)
	}
}
