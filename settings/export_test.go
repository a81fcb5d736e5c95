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

// PollTime is the interval of a watch that polls.
const PollTime time.Duration = pollTime

// Locks tells whether a lock on the directory keeps others out.
func Locks(dir string) (unlock func()) { return lockDirectory(dir) }
