package settings_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

func TestLockDirectory(t *testing.T) {
	dir := t.TempDir()
	unlock, err := settings.LockDirectory(dir, time.Minute)
	must(t, err)
	if _, err := settings.LockDirectory(dir, time.Millisecond); err == nil {
		t.Error("locked twice")
	}
	waited := make(chan error)
	go func() {
		unlock, err := settings.LockDirectory(dir, time.Minute)
		if err == nil {
			unlock()
		}
		waited <- err
	}()
	unlock()
	must(t, <-waited)
	// The one that gave up let go of its lock, too.
	unlock, err = settings.LockDirectory(dir, time.Minute)
	must(t, err)
	unlock()
	if got := names(t, dir); len(got) > 0 {
		t.Errorf("left behind %q", got)
	}
}

func TestLockingWhatCannotBeLocked(t *testing.T) {
	unlock, err := settings.LockDirectory(filepath.Join(t.TempDir(), "gone"), time.Minute)
	must(t, err)
	unlock()
}
