package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/google/uuid"
)

// FileOptions adjusts [OpenFile]. The zero value, and nil, are ready for use.
type FileOptions struct {
	// Cwd is noted in the header of a new file. Default: the working directory.
	Cwd string
	// MaxLine is the length in bytes up to which lines are read and written.
	// Default 128 MiB.
	MaxLine int
	// FS replaces the disk in tests. Default [OS].
	FS FS
}

const defaultMaxLine = 128 << 20

// File is a [Store] in a JSONL file, in the format of pi's sessions: a header,
// then one entry per line, each naming its parent. Lines this package does not
// know are kept as they are; nothing that was written is ever rewritten.
//
// An entry is one write, followed by an fsync. When Append has returned without
// an error the entry survives the death of the process and, where the file
// system honours fsync, a power cut.
type File struct {
	path    string
	maxLine int
	fs      FS
	unlock  func() error

	mu      sync.Mutex
	handle  Handle // nil after a failed reopening
	loaded  *loader
	attempt []byte   // what a failed Append tried to write; nil when all is well
	torn    problems // the unfinished lines that were moved aside
	closed  bool
}

// OpenFile opens a session file for appending and makes it if it does not
// exist; its folder must exist. The leaf is the last entry of the file.
//
// An unfinished last line, the trace of a crash, is moved to a new file beside
// this one; other damage is left alone. See [File.Problems] for both. Errors
// wrap [ErrBusy], [ErrNotSession], [ErrVersion] or the system's error.
func OpenFile(path string, o *FileOptions) (*File, error) {
	if o == nil {
		o = &FileOptions{}
	}
	f := &File{path: path, maxLine: o.MaxLine, fs: o.FS}
	if f.maxLine <= 0 {
		f.maxLine = defaultMaxLine
	}
	f.maxLine = max(f.maxLine, headSize)
	if f.fs == nil {
		f.fs = OS{}
	}
	if err := f.open(o.Cwd); err != nil {
		return nil, fmt.Errorf("journal: open %s: %w", path, err)
	}
	return f, nil
}

func (f *File) open(cwd string) (err error) {
	// Before the lock is taken, so that a wrong path leaves no lock file.
	if f.handle, err = f.fs.Open(f.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600); err != nil {
		return err
	}
	if f.unlock, err = f.fs.Lock(f.path); err == nil {
		if err = f.load(); err == nil && !f.loaded.headSeen {
			err = f.writeHeader(cwd)
		}
		if err != nil {
			_ = f.unlock()
		}
	}
	if err != nil {
		_ = f.handle.Close()
		return err
	}
	f.loaded.tree.setLeaf(f.loaded.last)
	return nil
}

// load reads the file from its start and settles its unfinished last line.
func (f *File) load() error {
	l := newLoader(f.maxLine)
	if err := f.readOn(l); err != nil {
		return err
	}
	l.tellCycles()
	f.loaded = l
	return nil
}

// readOn reads what l has not read yet. An unfinished last line is finished
// when only its newline is missing, and moved aside otherwise.
func (f *File) readOn(l *loader) error {
	tail, err := l.read(f.handle)
	if err != nil {
		return err
	}
	if err := l.check(tail); err != nil || tail == nil {
		return err
	}
	if !l.whole(*tail) {
		return f.moveAside(l, *tail)
	}
	if err := f.write([]byte("\n")); err != nil {
		return fmt.Errorf("finish the last line: %w", err)
	}
	if err := l.take(*tail); err != nil {
		return err
	}
	l.end = tail.offset + tail.length + 1
	return nil
}

// moveAside puts the unfinished last line into a file of its own and cuts it
// off.
func (f *File) moveAside(l *loader, tail rawLine) error {
	side, name, err := f.sideFile()
	if err != nil {
		return fmt.Errorf("move the unfinished last line aside: %w", err)
	}
	_, err = io.Copy(side, io.NewSectionReader(f.handle, tail.offset, tail.length))
	if err == nil {
		err = side.Sync()
	}
	if err = errors.Join(err, side.Close()); err == nil {
		err = f.fs.SyncDir(filepath.Dir(f.path))
	}
	if err == nil {
		err = f.handle.Truncate(tail.offset)
	}
	if err == nil {
		err = f.handle.Sync()
	}
	if err != nil {
		return fmt.Errorf("move the unfinished last line aside: %w", err)
	}
	f.torn.add(TornTail, l.lines+1, tail.offset, "the last line was not finished; its %d bytes were moved to %s",
		tail.length, filepath.Base(name))
	return nil
}

// sideFile makes a new file beside the session for an unfinished line.
func (f *File) sideFile() (Handle, string, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s.torn-%d", f.path, n)
		h, err := f.fs.Open(name, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil || !errors.Is(err, fs.ErrExist) || n >= 10_000 {
			return h, name, err
		}
	}
}

func (f *File) writeHeader(cwd string) error {
	if cwd == "" {
		cwd, _ = os.Getwd()
	}
	line := newHeader(uuid.NewString(), cwd, now())
	if err := f.write(line); err != nil {
		return errors.Join(err, f.handle.Truncate(0))
	}
	if err := f.fs.SyncDir(filepath.Dir(f.path)); err != nil {
		return err
	}
	_, err := f.loaded.read(f.handle)
	return err
}

// write is one write and one fsync.
func (f *File) write(p []byte) error {
	n, err := f.handle.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = f.handle.Sync()
	}
	return err
}

// Append implements [Store]. It returns once the entry is on the disk. After a
// failure the file is opened and read again before the next entry is written,
// so that half a line never joins a whole one. Errors wrap [ErrEntry],
// [ErrTooLarge], [ErrChanged], [ErrBusy], [ErrClosed] or the system's error.
func (f *File) Append(ctx context.Context, e Entry) (Entry, error) {
	if err := ctx.Err(); err != nil {
		return Entry{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.ready(); err != nil {
		return Entry{}, fmt.Errorf("journal: append to %s: %w", f.path, err)
	}
	t := f.loaded.tree
	e.ID, e.ParentID, e.Timestamp = t.freshID(), t.leafID(), now()
	line, stored, err := encodeLine(e)
	if err != nil {
		return Entry{}, err
	}
	if len(line) > f.maxLine {
		return Entry{}, fmt.Errorf("journal: append %d bytes, at most %d: %w", len(line), f.maxLine, ErrTooLarge)
	}
	if err := f.write(line); err != nil {
		f.attempt = line
		return Entry{}, fmt.Errorf("journal: append to %s: %w", f.path, errors.Join(err, f.undo()))
	}
	f.loaded.lines++
	f.loaded.end += int64(len(line))
	t.grow(stored)
	f.loaded.last = t.leaf
	return stored, nil
}

// ready brings the handle and what is known of the file into a state in which
// a line can be written.
func (f *File) ready() error {
	if f.closed {
		return ErrClosed
	}
	if f.attempt != nil {
		if err := f.reopen(); err != nil {
			return err
		}
	}
	// One small read tells whether the file is as this store left it.
	var b [2]byte
	switch n, err := f.handle.ReadAt(b[:], f.loaded.end-1); {
	case err != nil && err != io.EOF:
		return err
	case n == 0 || b[0] != '\n':
		return fmt.Errorf("it got shorter: %w", ErrChanged)
	case n == 1:
		return nil
	}
	tail, err := f.loaded.read(f.handle)
	if err == nil && tail != nil {
		err = fmt.Errorf("another program is writing a line: %w", ErrBusy)
	}
	return err
}

// undo takes a failed write back, as far as that is possible: the entry does
// not exist, also not for the next process. Where it fails the rest is left to
// reopen.
func (f *File) undo() error {
	mine, err := f.holdsAttempt()
	if err == nil && mine {
		err = f.handle.Truncate(f.loaded.end)
	}
	if err != nil {
		return fmt.Errorf("and it could not be taken back: %w", err)
	}
	return nil
}

// holdsAttempt reports whether all that stands behind the last good line is
// from the failed write.
func (f *File) holdsAttempt() (bool, error) {
	rest := make([]byte, len(f.attempt)+2)
	n, err := f.handle.ReadAt(rest, f.loaded.end-1)
	if err != nil && err != io.EOF {
		return false, err
	}
	if n == 0 || rest[0] != '\n' {
		return false, fmt.Errorf("it got shorter: %w", ErrChanged)
	}
	return bytes.HasPrefix(f.attempt, rest[1:n]), nil
}

// reopen starts afresh after a failed write: a new handle, the rest of the
// failed write cut off, everything read again.
func (f *File) reopen() error {
	if f.handle != nil {
		_ = f.handle.Close()
		f.handle = nil
	}
	h, err := f.fs.Open(f.path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.Join(ErrChanged, err)
		}
		return fmt.Errorf("open again: %w", err)
	}
	f.handle = h
	mine, err := f.holdsAttempt()
	if err == nil && mine {
		if err = h.Truncate(f.loaded.end); err == nil {
			err = h.Sync()
		}
	}
	if err != nil {
		return fmt.Errorf("take the failed write back: %w", err)
	}
	before := f.loaded
	if err := f.load(); err != nil {
		if isGone(err) {
			err = errors.Join(ErrChanged, err)
		}
		return fmt.Errorf("read again: %w", err)
	}
	if err := f.resume(before); err != nil {
		f.loaded = before
		return err
	}
	f.attempt = nil
	return nil
}

// resume takes over leaf and generation of what was loaded before. Everything
// that was there must still be there.
func (f *File) resume(before *loader) error {
	old, t := before.tree, f.loaded.tree
	if len(t.nodes) < len(old.nodes) {
		return fmt.Errorf("entries are missing: %w", ErrChanged)
	}
	for i, n := range old.nodes {
		if t.nodes[i].ID != n.ID || t.nodes[i].parent != n.parent || t.nodes[i].damaged != n.damaged {
			return fmt.Errorf("the entry %s is missing: %w", jsonText(n.ID), ErrChanged)
		}
	}
	t.setLeaf(old.leaf)
	t.generation = old.generation
	return nil
}

// Branch implements [Store]. It reads what the store knows and never the disk.
func (f *File) Branch(context.Context) ([]Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, ErrClosed
	}
	return slices.Clip(f.loaded.tree.branch), nil
}

// Leaf implements [Store].
func (f *File) Leaf() (id string, generation uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.loaded.tree.leafID(), f.loaded.tree.generation
}

// MoveTo makes an existing entry the leaf: an ancestor, or a leaf that was
// left earlier. "" moves before the first entry. The next Append starts a new
// branch there. Nothing is written: a file that is opened starts at its last
// entry. The error wraps [ErrNoEntry].
func (f *File) MoveTo(id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return ErrClosed
	}
	return f.loaded.tree.move(id)
}

// Problems returns what was found wrong in the file since it was opened, at
// most 1000 faults. A host shows them to the user.
func (f *File) Problems() []Problem {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append(f.loaded.problems.all(), f.torn.all()...)
}

// Close releases the file and its lock. It may be called more than once; the
// store refuses everything afterwards, except Leaf and Problems.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	var err error
	if f.handle != nil {
		if f.attempt != nil {
			err = f.undo()
		}
		err = errors.Join(err, f.handle.Close())
	}
	return errors.Join(err, f.unlock())
}
