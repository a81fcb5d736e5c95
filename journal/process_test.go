package journal_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/journal/journaltest"
)

const childEnv = "JOURNAL_TEST_CHILD"

// child is the other process of the tests below: it appends notes to a file
// and prints the number of each one once it is on the disk. With a number it
// kills itself before that operation on the disk.
func child() int {
	args := strings.Split(os.Getenv(childEnv), "\n")
	path := args[0]
	from, _ := strconv.Atoi(args[1])
	count, _ := strconv.Atoi(args[2])
	killAt, _ := strconv.Atoi(args[3])
	changes := 0
	disk := &journaltest.Faulty{Disk: journal.OS{}, Before: func(op journaltest.Op) error {
		if !op.Changes() {
			return nil
		}
		if changes++; changes != killAt {
			return nil
		}
		if op.Kind == "write" && killAt%2 == 0 { // with half of the bytes written
			f, _ := os.OpenFile(op.Name, os.O_WRONLY|os.O_APPEND, 0)
			_, _ = f.Write(op.Data[:len(op.Data)/2])
		}
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		if err == nil {
			select {} // until it takes effect
		}
		return err
	}}
	f, err := journal.OpenFile(path, &journal.FileOptions{FS: disk})
	if errors.Is(err, journal.ErrBusy) {
		return 3
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer f.Close()
	fmt.Println("open")
	for n := from; n < from+count; n++ {
		if _, err := f.Append(context.Background(), note(n)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(n)
	}
	if len(args) > 4 { // hold the file until the parent closes stdin
		_, _ = os.Stdin.Read(make([]byte, 1))
	}
	return 0
}

func startChild(t *testing.T, args ...any) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+strings.TrimSpace(fmt.Sprintln(join(args))))
	cmd.Stderr = os.Stderr
	return cmd
}

func join(args []any) string {
	var parts []string
	for _, a := range args {
		parts = append(parts, fmt.Sprint(a))
	}
	return strings.Join(parts, "\n")
}

// A process is killed at its first, second, third … operation that changes the
// disk. Whatever it had reported as saved is there afterwards, and the next
// process can go on.
func TestKilledWriterLosesNothingItReported(t *testing.T) {
	const count = 6
	kills := 0
	for k := 1; ; k++ {
		path := filepath.Join(t.TempDir(), session)
		out, err := startChild(t, path, 0, count, k).Output()
		saved := strings.Count(string(out), "\n") - 1
		f, openErr := journal.OpenFile(path, nil)
		if openErr != nil {
			t.Fatalf("killed at %d: %v", k, openErr)
		}
		got := len(notes(t, f))
		if got < saved || got > max(saved, 0)+1 {
			t.Errorf("killed at %d: %d notes, %d were reported", k, got, saved)
		}
		add(t, f, note(100))
		if after := notes(t, f); len(after) != got+1 || after[got] != 100 {
			t.Errorf("killed at %d, went on: %v", k, after)
		}
		f.Close()
		if report, err := journal.Verify(path); err != nil || !report.Clean() {
			t.Errorf("killed at %d: %v %v", k, report.Problems, err)
		}
		if err == nil {
			break // the run passed
		}
		kills++
	}
	if want := 2*count + 3; kills != want { // header: write, fsync, folder
		t.Errorf("killed %d times, want %d", kills, want)
	}
}

func TestSecondWriterInAnotherProcessIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), session)
	first := startChild(t, path, 0, 3, 0, "hold")
	stdin, _ := first.StdinPipe()
	stdout, _ := first.StdoutPipe()
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(stdout); lines.Scan() && lines.Text() != "2"; {
	}
	if _, err := journal.OpenFile(path, nil); !errors.Is(err, journal.ErrBusy) {
		t.Errorf("second writer: %v", err)
	}
	var exit *exec.ExitError
	if err := startChild(t, path, 10, 3, 0).Run(); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("third writer: %v", err)
	}
	stdin.Close()
	if err := first.Wait(); err != nil {
		t.Fatal(err)
	}
	f, err := journal.OpenFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := notes(t, f); len(got) != 3 {
		t.Errorf("notes %v", got)
	}
}
