// Package journaltest has disks for tests of the journal and of what is built
// on it: one in memory that can lose what was not synced, and one that counts
// operations and fails or stops at any of them.
//
//	disk := journaltest.NewMem()
//	store, err := journal.OpenFile("s.jsonl", &journal.FileOptions{FS: disk})
package journaltest

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// Mem is a [journal.FS] in memory. It is safe for concurrent use.
type Mem struct {
	mu    sync.Mutex
	files map[string]*memFile
	locks map[string]bool
}

type memFile struct {
	data   []byte
	synced []byte // what survives a power cut
}

// NewMem returns an empty disk.
func NewMem() *Mem { return &Mem{files: map[string]*memFile{}, locks: map[string]bool{}} }

// Set makes or replaces a file, synced.
func (m *Mem) Set(name string, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[name] = &memFile{slices.Clone(data), slices.Clone(data)}
}

// Bytes returns a copy of a file, nil when there is none.
func (m *Mem) Bytes(name string) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.files[name]; f != nil {
		return append([]byte{}, f.data...)
	}
	return nil
}

// Names returns the names of all files, sorted.
func (m *Mem) Names() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	names := []string{}
	for name := range m.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Remove removes a file; open handles keep it.
func (m *Mem) Remove(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.files, name)
}

// PowerCut takes every file back to what was last synced and frees all locks.
func (m *Mem) PowerCut() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.files {
		f.data = slices.Clone(f.synced)
	}
	m.locks = map[string]bool{}
}

// Kill frees all locks, as the death of the process does.
func (m *Mem) Kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.locks = map[string]bool{}
}

// Open implements [journal.FS].
func (m *Mem) Open(name string, flag int, _ fs.FileMode) (journal.Handle, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.files[name]
	switch {
	case f == nil && flag&os.O_CREATE == 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case f != nil && flag&os.O_EXCL != 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
	case f == nil:
		f = &memFile{}
		m.files[name] = f
	}
	return &memHandle{m, f}, nil
}

// SyncDir implements [journal.FS]. New files of a Mem always survive.
func (m *Mem) SyncDir(string) error { return nil }

// Lock implements [journal.FS].
func (m *Mem) Lock(name string) (func() error, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.locks[name] {
		return nil, fmt.Errorf("lock %s: %w", name, journal.ErrBusy)
	}
	m.locks[name] = true
	return func() error {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.locks, name)
		return nil
	}, nil
}

type memHandle struct {
	disk *Mem
	file *memFile
}

func (h *memHandle) ReadAt(p []byte, off int64) (int, error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if off >= int64(len(h.file.data)) {
		return 0, io.EOF
	}
	n := copy(p, h.file.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (h *memHandle) Write(p []byte) (int, error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	h.file.data = append(h.file.data, p...)
	return len(p), nil
}

func (h *memHandle) Truncate(size int64) error {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	for int64(len(h.file.data)) < size {
		h.file.data = append(h.file.data, 0)
	}
	h.file.data = h.file.data[:size]
	return nil
}

func (h *memHandle) Sync() error {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	h.file.synced = slices.Clone(h.file.data)
	return nil
}

func (h *memHandle) Close() error { return nil }
