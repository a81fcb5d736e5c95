package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// maxFileSize bounds what is read. A real settings file has a few kilobytes.
const maxFileSize = 1 << 20

var (
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = fmt.Errorf("larger than %d KiB", maxFileSize>>10)
	errManyLinks  = errors.New("too many links")
)

// files reads and replaces the settings file. Tests set before, which is asked
// ahead of every operation and can make it fail.
type files struct {
	before func(operation, path string) error
}

func (f files) about(operation, path string) error {
	if f.before == nil {
		return nil
	}
	return f.before(operation, path)
}

// read returns the content of a regular file of bearable size. It never waits
// for a writer, as opening a FIFO otherwise would.
func (f files) read(path string) ([]byte, error) {
	if err := f.about("read", path); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if err := regular(info); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFileSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFileSize {
		return nil, errTooLarge
	}
	return data, nil
}

func regular(info fs.FileInfo) error {
	if info.IsDir() {
		return syscall.EISDIR
	}
	if !info.Mode().IsRegular() {
		return errNotRegular
	}
	return nil
}

// prepare finds the real file behind links and creates its directory. The file
// itself need not exist.
func (f files) prepare(path string) (string, error) {
	if err := f.about("resolve", path); err != nil {
		return "", err
	}
	target, err := resolve(path)
	if err != nil {
		return "", err
	}
	dir := filepath.Dir(target)
	if err := f.about("mkdir", dir); err != nil {
		return "", err
	}
	return target, os.MkdirAll(dir, 0o755)
}

// resolve follows links, also to a file that does not exist.
func resolve(path string) (string, error) {
	for range 40 {
		next, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link, or nothing there: the end of the way
		}
		if !filepath.IsAbs(next) {
			// Through a linked directory ".." leads elsewhere than in the text.
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			next = filepath.Join(dir, next)
		}
		path = filepath.Clean(next)
	}
	return "", errManyLinks
}

// replace puts data in the place of the file at target, or fails and leaves
// the old content. Whoever opens target, at any moment and after any crash,
// finds the one or the other, whole.
func (f files) replace(target string, data []byte) (err error) {
	mode, err := f.permission(target)
	if err != nil {
		return err
	}
	dir, base := filepath.Split(target)
	removeLeftovers(dir, base)
	if err := f.about("create", dir); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, tempPattern(base))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			temp.Close()
			os.Remove(temp.Name())
		}
	}()
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"write", func() error { _, err := temp.Write(data); return err }},
		{"chmod", func() error { return temp.Chmod(mode) }},
		{"sync", temp.Sync},
		{"close", temp.Close},
		{"rename", func() error { return os.Rename(temp.Name(), target) }},
	} {
		if err := f.about(step.name, temp.Name()); err != nil {
			return err
		}
		if err := step.do(); err != nil {
			return err
		}
	}
	// The new file is in place. Without this sync a power cut could still bring
	// the old one back, which is not worth calling the save failed.
	if f.about("syncdir", dir) == nil {
		syncDir(dir)
	}
	return nil
}

// permission returns the mode for the new file: the one of the file it
// replaces, if the user may write that. A rename would not ask. A new file is
// the user's own, since notification commands may hold secrets.
func (f files) permission(target string) (fs.FileMode, error) {
	if err := f.about("stat", target); err != nil {
		return 0, err
	}
	info, err := os.Stat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return 0o600, nil
	}
	if err != nil {
		return 0, err
	}
	if err := regular(info); err != nil {
		return 0, err
	}
	if info.Mode().Perm()&0o222 == 0 {
		return 0, fs.ErrPermission
	}
	file, err := os.OpenFile(target, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm(), file.Close()
}

func tempPattern(base string) string { return "." + base + ".*.tmp" }

// removeLeftovers deletes temporary files of processes that died while saving.
func removeLeftovers(dir, base string) {
	names, _ := filepath.Glob(filepath.Join(escapeGlob(dir), escapeGlob(tempPattern(base)[:len(base)+2])+"*.tmp"))
	for _, name := range names {
		if info, err := os.Lstat(name); err == nil && time.Since(info.ModTime()) > time.Minute {
			os.Remove(name)
		}
	}
}

// escapeGlob makes every character of a path stand for itself.
func escapeGlob(path string) string {
	var b []byte
	for i := range len(path) {
		switch c := path[i]; c {
		case '*', '?', '[':
			b = append(b, '[', c, ']')
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

// syncDir makes a rename last. Not every system and file system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
