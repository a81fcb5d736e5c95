//go:build unix

package ask_test

import (
	"path/filepath"
	"syscall"
	"testing"
)

func TestPipesDoNotHang(t *testing.T) {
	dir := t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	sameText(t, "reason", loadFault(t, dir, "pipe", nil), "not a regular file")
}
