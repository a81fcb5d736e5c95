package journal

import "errors"

// Errors of opening a file.
var (
	// ErrBusy: another process has the file open for writing.
	ErrBusy = errors.New("the session file is in use by another writer")
	// ErrNotSession: the file does not start with a session header. It was not
	// changed.
	ErrNotSession = errors.New("not a session file")
	// ErrVersion: the session header names a version this package does not know.
	ErrVersion = errors.New("unknown session version")
)

// Errors of appending and moving.
var (
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("the store is closed")
	// ErrEntry: the entry has no type or holds something that is not JSON.
	ErrEntry = errors.New("the entry cannot be stored")
	// ErrTooLarge: the entry is longer than a line may be.
	ErrTooLarge = errors.New("the entry is too large")
	// ErrChanged: another program removed, replaced or shortened the file.
	ErrChanged = errors.New("the session file was changed by another program")
	// ErrNoEntry: no readable entry has that id.
	ErrNoEntry = errors.New("no such entry")
)
