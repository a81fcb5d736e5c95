//go:build linux

package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// program is one subject as a process.
type program struct {
	name string
	args []string
	home string
	last string // a word that only the finished first picture has
}

// programs builds the subjects. Those that are not installed are left out.
func programs(b *testing.B, questions, preview int) []program {
	b.Helper()
	dir := b.TempDir()
	payload := ask.Payload{}
	for i := range questions {
		q := ask.Question{ID: fmt.Sprint("q", i), Prompt: "Which one?", Options: options(3, preview)}
		if preview > 0 {
			q.Type = ask.Preview
		}
		q.Options = append(q.Options, ask.Option{Value: "z", Label: "omega", Preview: "end"})
		payload.Questions = append(payload.Questions, q)
	}
	raw, err := json.Marshal(payload)
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(dir, "payload.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		b.Fatal(err)
	}
	build := func(from, pkg string) string {
		out := filepath.Join(dir, filepath.Base(pkg))
		cmd := exec.Command("go", "build", "-o", out, pkg)
		cmd.Dir = from
		if text, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", pkg, err, text)
		}
		return out
	}
	list := []program{
		{"ours", []string{build("../../..", "./hostshim/cmd/pi-agent-ask"), "run", file}, dir, "omega"},
		{"tview", []string{build(".", "./tviewlist")}, dir, "omega"},
		{"huh", []string{build(".", "./huhform"), fmt.Sprint(questions), fmt.Sprint(preview * 3)}, dir, "omega"},
	}
	if fzf, err := exec.LookPath("fzf"); err == nil {
		list = append(list, program{"fzf", []string{"sh", "-c", "printf 'alpha\nbeta\nomega\n' | exec " + fzf}, dir, "omega"})
	}
	return list
}

// run starts a program on a terminal of its own and waits for its picture.
func (p program) run(b *testing.B) (cmd *exec.Cmd, stop func()) {
	b.Helper()
	cmd = exec.Command(p.args[0], p.args[1:]...)
	cmd.Env = append(os.Environ(), "HOME="+p.home, "TERM=xterm-256color", "PI_CODING_AGENT_DIR=")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: width, Rows: height})
	if err != nil {
		b.Fatal(err)
	}
	shown := make(chan bool, 1)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		var all []byte
		buf := make([]byte, 32<<10)
		for {
			n, err := tty.Read(buf)
			all = append(all, buf[:n]...)
			// Programs that ask for the cursor or the colours wait for an answer.
			if bytes.Contains(buf[:n], []byte("\x1b[6n")) {
				_, _ = tty.WriteString("\x1b[1;1R")
			}
			if bytes.Contains(all, []byte(p.last)) {
				select {
				case shown <- true:
				default:
				}
			}
			if err != nil {
				close(shown)
				return
			}
		}
	}()
	select {
	case ok := <-shown:
		if !ok {
			b.Fatal(p.name, " ended without a picture")
		}
	case <-time.After(time.Minute):
		b.Fatal(p.name, " shows no picture")
	}
	return cmd, func() {
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
		_ = tty.Close()
		<-gone
	}
}

// BenchmarkStart is the time from the start of a process to its first picture.
func BenchmarkStart(b *testing.B) {
	for _, p := range programs(b, 4, 0) {
		b.Run(p.name, func(b *testing.B) {
			_, stop := p.run(b) // the first one makes files and warms caches
			stop()
			var used time.Duration
			for b.Loop() {
				cmd, stop := p.run(b)
				b.StopTimer()
				stop()
				used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
				b.StartTimer()
			}
			b.ReportMetric(float64(used)/float64(b.N), "cpu-ns/op")
		})
	}
}

// BenchmarkIdle is what an open form with 20 questions and 1 MB of previews
// costs while nobody touches it. Run it with -benchtime 1x.
func BenchmarkIdle(b *testing.B) {
	const watched = 10 * time.Second
	for _, p := range programs(b, 20, 1<<20/20/3) {
		if p.name == "fzf" {
			continue // it would have to be told apart from its shell
		}
		b.Run(p.name, func(b *testing.B) {
			var woken, memory float64
			for b.Loop() {
				cmd, stop := p.run(b)
				time.Sleep(2 * time.Second)
				before := wakeups(b, cmd.Process.Pid)
				time.Sleep(watched)
				woken += float64(wakeups(b, cmd.Process.Pid) - before)
				memory += float64(status(b, fmt.Sprintf("/proc/%d/status", cmd.Process.Pid), "VmRSS"))
				stop()
			}
			b.ReportMetric(woken/float64(b.N)*float64(time.Minute/watched), "wakeups/min")
			b.ReportMetric(memory/float64(b.N)/1024, "MiB")
		})
	}
}

// wakeups counts how often the threads of a process went to sleep.
func wakeups(b *testing.B, pid int) (n int) {
	b.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(tasks) == 0 {
		b.Fatal("the process has gone ", err)
	}
	for _, t := range tasks {
		n += status(b, t, "voluntary_ctxt_switches")
	}
	return n
}

// status reads a number from a status file of the kernel.
func status(b *testing.B, file, field string) int {
	b.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	for l := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(l, ":"); name == field {
			n, err := strconv.Atoi(strings.Fields(value)[0])
			if err != nil {
				b.Fatal(err)
			}
			return n
		}
	}
	b.Fatal("no ", field, " in ", file)
	return 0
}
