package settings

import (
	"context"
	"time"
)

// Troubled returns options for a store whose file operations ask before first.
func Troubled(before func(operation, path string) error) *Options {
	return &Options{files: files{before: before}}
}

// MaxFileSize is how much of a file is read.
const MaxFileSize = maxFileSize

// SettleTime and SettleLimit are the delays of a watch.
const (
	SettleTime  = settleTime
	SettleLimit = settleLimit
)

// Settle is the wait for the end of a burst of changes.
func Settle(ctx context.Context, changed <-chan struct{}, read func()) { settle(ctx, changed, read) }

// LockDirectory is the lock that a save takes.
func LockDirectory(dir string, patience time.Duration) (unlock func(), err error) {
	return lockDirectory(dir, patience)
}
