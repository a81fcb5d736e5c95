//go:build unix

package form_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
)

// goldenChild names the file for the result in a process that runs the form on
// its terminal.
const goldenChild = "FORM_GOLDEN_CHILD"

func runGoldenChild() int {
	var p ask.Payload
	if err := json.Unmarshal([]byte(goldenPayload), &p); err != nil {
		return 2
	}
	f, err := ask.Normalize(p)
	if err != nil {
		return 3
	}
	result, err := form.Run(context.Background(), f, &form.Options{Guard: -1})
	if err != nil {
		return 4
	}
	raw, err := ask.Marshal(result)
	if err != nil || os.WriteFile(os.Getenv(goldenChild), raw, 0o600) != nil {
		return 5
	}
	return 0
}

func TestRunDrawsWhatInlineDraws(t *testing.T) {
	goldenEnv(t)
	want, result := inlineScreens(t)
	name := filepath.Join(t.TempDir(), "result.json")
	t.Setenv(goldenChild, name)
	cmd := exec.Command(os.Args[0])
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: goldenWidth, Rows: goldenRows})
	if err != nil {
		t.Skip("no pseudo terminals here: ", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	emu := vt.NewEmulator(goldenWidth, goldenRows)
	var mu sync.Mutex
	var readers sync.WaitGroup
	readers.Go(func() {
		buf := make([]byte, 32<<10)
		for {
			n, err := terminal.Read(buf)
			mu.Lock()
			_, _ = emu.Write(buf[:n])
			mu.Unlock()
			if err != nil {
				return
			}
		}
	})
	readers.Go(func() { _, _ = io.Copy(terminal, emu) }) // what the terminal answers
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		if pipe, ok := emu.InputPipe().(io.Closer); ok {
			_ = pipe.Close() // Close of the emulator itself would race with its reader
		}
		_ = terminal.Close()
		readers.Wait()
	})
	for i, s := range goldenScript {
		if _, err := terminal.WriteString(s.bytes); err != nil {
			t.Fatal(err)
		}
		if i == len(want) {
			break
		}
		var got goldenScreen
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(2 * time.Millisecond) {
			mu.Lock()
			got = blankRests(&want[i], emulated(emu))
			mu.Unlock()
			if got == want[i] {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("step %d (%+v): %s", i, s, want[i].differ(&got))
			}
		}
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the form does not end")
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if wantRaw, _ := ask.Marshal(result); !bytes.Equal(raw, wantRaw) {
		t.Fatalf("the result is %s, not %s", raw, wantRaw)
	}
}
