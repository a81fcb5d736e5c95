package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gofrs/flock"
)

// FS is how [OpenFile] reaches the disk. Tests put one in between that counts
// operations or fails; everybody else leaves it out and gets [OS].
type FS interface {
	// Open opens a regular file with the flags of package os.
	Open(name string, flag int, perm fs.FileMode) (Handle, error)
	// SyncDir makes the creation of files in dir durable.
	SyncDir(dir string) error
	// Lock takes the lock against a second writer of the session file, or
	// returns an error that wraps [ErrBusy] at once.
	Lock(name string) (unlock func() error, err error)
}

// Handle is an open file. Writes go to its end.
type Handle interface {
	io.ReaderAt
	io.Writer
	Truncate(size int64) error
	Sync() error
	Close() error
}

// OS is the [FS] of the operating system. The lock is a file beside the
// session, with ".lock" added to its name; it stays there.
type OS struct{}

// Open implements [FS]. It refuses pipes, folders and devices, which would
// block or swallow what is written.
func (OS) Open(name string, flag int, perm fs.FileMode) (Handle, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	}
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &osFile{f}, nil
}

// SyncDir implements [FS]. It does nothing on Windows, where folders cannot be
// synced.
func (OS) SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Lock implements [FS].
func (OS) Lock(name string) (unlock func() error, err error) {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	lock := flock.New(name + ".lock")
	got, err := lock.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("lock: %w", err)
	case !got:
		return nil, ErrBusy
	}
	return lock.Unlock, nil
}

type osFile struct{ *os.File }

// Write refuses to write into a file that nobody could find any more.
func (f *osFile) Write(p []byte) (int, error) {
	open, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if named, err := os.Stat(f.Name()); err != nil || !os.SameFile(open, named) {
		return 0, fmt.Errorf("%s was removed or replaced: %w", f.Name(), ErrChanged)
	}
	return f.File.Write(p)
}

// Truncate goes by name on Windows, where a handle that appends cannot cut.
func (f *osFile) Truncate(size int64) error {
	if runtime.GOOS == "windows" {
		return os.Truncate(f.Name(), size)
	}
	return f.File.Truncate(size)
}
