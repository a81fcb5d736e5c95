package settings

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// lockPatience is how long a save waits for another process that saves.
const lockPatience = 5 * time.Second

var errBusy = errors.New("another program keeps the settings locked")

// lockDirectory keeps other processes from saving in dir until unlock is
// called. It is advisory, and where locks do not work it does nothing. On Unix
// the directory itself is locked, so nothing is left behind; Windows cannot do
// that and gets a file in the user's temporary directory.
func lockDirectory(dir string, patience time.Duration) (unlock func(), err error) {
	lock := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	if runtime.GOOS == "windows" {
		sum := fnv.New64a()
		sum.Write([]byte(dir))
		lock = flock.New(filepath.Join(os.TempDir(), fmt.Sprintf("pi-agent-ask-%x.lock", sum.Sum64())))
	}
	release := func() { _ = lock.Close() }
	if held, err := lock.TryLock(); held || err != nil {
		return release, nil
	}
	// Waiting in the system, not by trying again and again: a process that
	// saves all the time would win nearly every try.
	locked := make(chan struct{})
	gaveUp := make(chan struct{})
	go func() {
		for errors.Is(lock.Lock(), syscall.EINTR) {
		}
		select {
		case locked <- struct{}{}:
		case <-gaveUp:
			release()
		}
	}()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	select {
	case <-locked:
		return release, nil
	case <-timeout.C:
		close(gaveUp)
		return nil, errBusy
	}
}
