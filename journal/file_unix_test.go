//go:build unix

package journal_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

func TestPathsThatAreNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for name, path := range map[string]string{"a pipe": pipe, "a folder": dir, "in a missing folder": filepath.Join(dir, "gone", "s.jsonl"), "a device": os.DevNull} {
		if _, err := journal.OpenFile(path, nil); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: opened with error %v", name, err)
		}
		if _, err := journal.Verify(path); err == nil {
			t.Errorf("%s: verified", name)
		}
		if _, err := journal.OpenRequests(path); err == nil {
			t.Errorf("%s: scanned", name)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.lock")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
