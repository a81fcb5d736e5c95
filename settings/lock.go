package settings

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

// A save waits this long for another process that saves. Then it goes ahead:
// the file stays whole in any case, only one of the two changes could be lost.
const (
	lockPatience = 2 * time.Second
	lockRetry    = 2 * time.Millisecond
)

// lockDirectory keeps other processes from saving in dir until the returned
// function is called. It is advisory, and where locks do not work it does
// nothing. On Unix the directory itself is locked, so nothing is left behind;
// Windows cannot do that and gets a file in the user's temporary directory.
func lockDirectory(dir string) (unlock func()) {
	lock := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	if runtime.GOOS == "windows" {
		sum := fnv.New64a()
		sum.Write([]byte(dir))
		lock = flock.New(filepath.Join(os.TempDir(), fmt.Sprintf("pi-agent-ask-%x.lock", sum.Sum64())))
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	_, _ = lock.TryLockContext(ctx, lockRetry)
	return func() { _ = lock.Close() }
}
