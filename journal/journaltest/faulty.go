package journaltest

import (
	"io/fs"
	"sync/atomic"

	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// Op is one operation on a disk, about to be done.
type Op struct {
	N    int    // 1 for the first operation
	Kind string // "open", "lock", "syncdir", "read", "write", "sync" or "truncate"
	Name string // of the file or folder
	Data []byte // of a write
}

// Changes reports whether the operation changes the disk or makes a change
// durable; these are the points at which a crash makes a difference.
func (o Op) Changes() bool {
	return o.Kind == "write" || o.Kind == "sync" || o.Kind == "truncate" || o.Kind == "syncdir"
}

// Faulty is a [journal.FS] that asks Before about every operation of the disk
// below. Before may count, end the process, or return an error, which is then
// the outcome of the operation; see [Partial] for half a write. It must be
// safe for concurrent use if the stores on the disk are used concurrently.
type Faulty struct {
	Disk   journal.FS
	Before func(Op) error

	count atomic.Int64
}

// Partial is the error of a write of which the first N bytes get through.
type Partial struct {
	N   int
	Err error
}

func (p *Partial) Error() string { return p.Err.Error() }
func (p *Partial) Unwrap() error { return p.Err }

// Count returns the number of operations so far.
func (f *Faulty) Count() int { return int(f.count.Load()) }

func (f *Faulty) ask(kind, name string, data []byte) error {
	n := int(f.count.Add(1))
	if f.Before == nil {
		return nil
	}
	return f.Before(Op{n, kind, name, data})
}

// Open implements [journal.FS].
func (f *Faulty) Open(name string, flag int, perm fs.FileMode) (journal.Handle, error) {
	if err := f.ask("open", name, nil); err != nil {
		return nil, err
	}
	h, err := f.Disk.Open(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &faultyHandle{h, f, name}, nil
}

// SyncDir implements [journal.FS].
func (f *Faulty) SyncDir(dir string) error {
	if err := f.ask("syncdir", dir, nil); err != nil {
		return err
	}
	return f.Disk.SyncDir(dir)
}

// Lock implements [journal.FS].
func (f *Faulty) Lock(name string) (func() error, error) {
	if err := f.ask("lock", name, nil); err != nil {
		return nil, err
	}
	return f.Disk.Lock(name)
}

type faultyHandle struct {
	journal.Handle
	disk *Faulty
	name string
}

func (h *faultyHandle) ReadAt(p []byte, off int64) (int, error) {
	if err := h.disk.ask("read", h.name, nil); err != nil {
		return 0, err
	}
	return h.Handle.ReadAt(p, off)
}

func (h *faultyHandle) Write(p []byte) (int, error) {
	err := h.disk.ask("write", h.name, p)
	if err == nil {
		return h.Handle.Write(p)
	}
	if half, ok := err.(*Partial); ok {
		n, _ := h.Handle.Write(p[:min(half.N, len(p))])
		return n, half.Err
	}
	return 0, err
}

func (h *faultyHandle) Truncate(size int64) error {
	if err := h.disk.ask("truncate", h.name, nil); err != nil {
		return err
	}
	return h.Handle.Truncate(size)
}

func (h *faultyHandle) Sync() error {
	if err := h.disk.ask("sync", h.name, nil); err != nil {
		return err
	}
	return h.Handle.Sync()
}
