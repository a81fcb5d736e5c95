//go:build unix

package ask_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

func TestPipesDoNotHang(t *testing.T) {
	dir := t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	sameText(t, "reason", loadFault(t, dir, "pipe", nil), "not a regular file")
	// A pipe that has taken a file's place since it was looked at.
	if _, err := ask.RealFS.Open(filepath.Join(dir, "pipe")); err == nil || err.Error() != "not a regular file" {
		t.Errorf("opening a pipe: %v", err)
	}
}
