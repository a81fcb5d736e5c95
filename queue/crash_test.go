package queue_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

const (
	// crashesVariable sets how many children are killed, 500 if it is not set
	// (125 under the race detector); "all" kills one at every write and fsync
	// in turn.
	crashesVariable = "PI_AGENT_ASK_QUEUE_CRASHES"
	// childVariable turns the test binary into the child: session file, seed
	// and the number of the write or fsync at which it dies, 0 for never.
	childVariable = "PI_AGENT_ASK_QUEUE_CHILD"
)

// TestCrashChild is the process that is killed. By itself it does nothing.
func TestCrashChild(t *testing.T) {
	spec := os.Getenv(childVariable)
	if spec == "" {
		t.Skip("only runs as the child of TestSurvivesKill")
	}
	var path string
	var seed, at int
	if _, err := fmt.Sscan(spec, &path, &seed, &at); err != nil {
		t.Fatal(err)
	}
	disk := &killer{at: at}
	synctest.Test(t, func(t *testing.T) {
		file, err := journal.OpenFile(path, &journal.FileOptions{FS: disk})
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		playCrashScript(file, seed, func(line string) { fmt.Println(line) })
	})
	fmt.Println("operations", disk.count)
}

// killer is a disk that kills the process at one of its operations: before a
// write or in the middle of it, or before an fsync.
type killer struct {
	journal.OS
	count, at int
}

func (k *killer) Open(name string, flag int, perm fs.FileMode) (journal.Handle, error) {
	h, err := k.OS.Open(name, flag, perm)
	return killerFile{h, k}, err
}

type killerFile struct {
	journal.Handle
	*killer
}

func (f killerFile) Write(p []byte) (int, error) {
	if f.count++; f.count == f.at {
		if f.at%3 != 0 {
			_, _ = f.Handle.Write(p[:len(p)/2])
		}
		die()
	}
	return f.Handle.Write(p)
}

func (f killerFile) Sync() error {
	if f.count++; f.count == f.at {
		die()
	}
	return f.Handle.Sync()
}

func die() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	panic(fmt.Sprint("still alive after kill: ", err))
}

const scriptLength = 200

// playCrashScript carries out 200 operations on a queue with its session in a
// file. What has been saved is told to acknowledge after each.
func playCrashScript(file *journal.File, seed int, acknowledge func(string)) {
	rng := rand.New(rand.NewPCG(uint64(seed), 7))
	r := newRig()
	r.opened = file
	_ = r.boot(true).manager.Resume(context.Background())
	synctest.Wait()
	calls := 0
	for range scriptLength {
		switch n := rng.IntN(20); {
		case n < 5:
			calls++
			r.ids++
			call := fmt.Sprintf("c%d", calls)
			r.assistant("ask_user", call, payloadFor(call))
			r.ask(call, n > 0, payloadFor(call))
		case n < 10:
			r.end(endings[[]string{"submit", "submit", "submit", "elaborate", "cancel", "ui_error"}[rng.IntN(6)]])
		case n < 12:
			_, _, _ = r.boundary(false)
		case n < 13:
			r.agent.busy = false
			_ = r.proc.manager.Settled(context.Background())
		case n < 15:
			r.recordWake()
		case n < 16 && len(r.runs) < 3:
			calls++
			r.wait(fmt.Sprintf("w%d", calls))
		default:
			for _, id := range sortedRuns(r.runs) {
				if r.runs[id].done {
					r.toolResult(id)
					break
				}
			}
			_ = r.proc.manager.TurnStart(context.Background())
		}
		synctest.Wait()
		for _, e := range r.take().appended {
			n := readNode(e)
			acknowledge(fmt.Sprintln("saved", n.kind, n.request+n.call, n.outcome))
		}
	}
	r.stop(true)
	r.cancelRuns()
	synctest.Wait()
}

// TestSurvivesKill kills a process with SIGKILL at its writes and fsyncs and at
// random times, and looks at what is left.
func TestSurvivesKill(t *testing.T) {
	kills, everywhere := 500, false
	switch s := os.Getenv(crashesVariable); {
	case s == "all":
		everywhere = true
	case s != "":
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("%s: %v", crashesVariable, err)
		}
		kills = n
	case testing.Short():
		kills = 30
	case raceDetector:
		kills = 125
	}
	const workers = 4
	for w := range workers {
		t.Run(fmt.Sprintf("seed %d", w+1), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(fastDir(t), "session.jsonl")
			total, saved := runChild(t, path, w+1, 0, -1)
			if total < 2*scriptLength || len(saved) < scriptLength {
				t.Fatalf("the script makes only %d operations and %d entries", total, len(saved))
			}
			share := kills / workers
			if everywhere {
				share = total
			}
			for i := range share {
				at, after := 1+i*total/share, time.Duration(-1)
				if !everywhere && i%5 == 4 { // at any time
					at, after = 0, time.Duration(rand.IntN(40_000))*time.Microsecond
				}
				_, saved := runChild(t, path, w+1, at, after)
				checkAfterCrash(t, path, saved)
				if t.Failed() {
					t.Fatalf("killed at operation %d (0: after %v)", at, after)
				}
			}
			t.Logf("%d kills; %d writes and fsyncs in a script", share, total)
		})
	}
}

// fastDir is a folder in memory where there is one: what is tested is the
// order of things and not the disk.
func fastDir(t *testing.T) string {
	if dir, err := os.MkdirTemp("/dev/shm", "queue"); err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		return dir
	}
	return t.TempDir()
}

// runChild plays the script on a new file in another process, which is killed
// at an operation, or after some time if that is not negative.
func runChild(t *testing.T, path string, seed, at int, after time.Duration) (operations int, saved []string) {
	t.Helper()
	_ = os.Remove(path)
	cmd := exec.Command(os.Args[0], "-test.run=^TestCrashChild$")
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off", fmt.Sprintf("%s=%s %d %d", childVariable, path, seed, at))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if after >= 0 {
		time.Sleep(after)
		_ = cmd.Process.Kill()
	}
	err := cmd.Wait()
	lines := strings.Split(out.String(), "\n")
	if last := lines[len(lines)-1]; last != "" {
		lines = lines[:len(lines)-1] // torn
	}
	for _, line := range lines {
		if what, ok := strings.CutPrefix(line, "saved "); ok {
			saved = append(saved, what)
		}
		_, _ = fmt.Sscanf(line, "operations %d", &operations)
	}
	if at == 0 && after < 0 && err != nil || at > 0 && err == nil {
		t.Fatalf("child: %v\n%s", err, out.String())
	}
	return operations, saved
}

// checkAfterCrash opens what the dead process has left: everything that it had
// acknowledged must be there, nothing may have been told twice, and after a
// restart every answer must reach the agent once.
func checkAfterCrash(t *testing.T, path string, saved []string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		if len(saved) > 0 {
			t.Errorf("the file is gone: %v", err)
		}
		return // killed before it was made
	}
	synctest.Test(t, func(t *testing.T) {
		file, err := journal.OpenFile(path, nil)
		if err != nil {
			t.Errorf("open: %v", err)
			return
		}
		defer file.Close()
		for _, p := range file.Problems() {
			if p.Kind != journal.TornTail {
				t.Errorf("the file is damaged: %v", p)
			}
		}
		r := newRig()
		r.opened = file
		left := map[string]bool{}
		for _, n := range nodesOf(r.branch()) {
			left[strings.TrimSpace(fmt.Sprintln(n.kind, n.request+n.call, n.outcome))] = true
		}
		for _, what := range saved {
			if what = strings.TrimSpace(what); !strings.HasPrefix(what, "dismissed") && !left[what] {
				t.Errorf("lost: %s", what)
			}
		}
		finishSession(t, r)
	})
}

// finishSession takes up a session and goes on until nothing is left to do.
func finishSession(t *testing.T, r *rig) {
	r.ids = 1000
	_ = r.boot(true).manager.Resume(context.Background())
	for range 200 {
		synctest.Wait()
		switch {
		case r.recordFollowUp(), r.recordWake(), r.end(endings["submit"]):
		default:
			sent, _, err := r.boundary(false)
			if err != nil {
				t.Error(err)
			}
			r.agent.busy = false
			_ = r.proc.manager.Settled(context.Background())
			synctest.Wait()
			if len(sent) == 0 && len(r.wakes) == 0 && r.openName() == "" {
				r.stop(false)
				checkFinished(t, r)
				return
			}
		}
	}
	t.Error("the session does not come to rest")
	r.stop(true)
}

func checkFinished(t *testing.T, r *rig) {
	for _, rule := range r.broken {
		t.Errorf("invariant broken: %s", rule)
	}
	branch := r.branch()
	told := deliveries(branch)
	for _, e := range branch {
		var d struct{ RequestID string }
		if e.CustomType != journal.TypeQueued {
			continue
		}
		if err := json.Unmarshal(e.Data, &d); err != nil {
			t.Errorf("a queued entry cannot be read: %v", err)
		}
		if told[d.RequestID] != 1 {
			t.Errorf("%s was told %d times", d.RequestID, told[d.RequestID])
		}
	}
	if wrong := branchRules(nodesOf(branch)); wrong != "" {
		t.Errorf("invariant broken: %s", wrong)
	}
}
