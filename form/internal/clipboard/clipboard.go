// Package clipboard reads a picture from the system's clipboard by running the
// tools that the system has for it. The clipboard is never changed and no file
// is left behind.
//
//	reader := clipboard.System(nil)
//	image, err := reader.ReadImage(ctx)
//
// A host that has better means gives its own [Reader].
package clipboard

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/google/uuid"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/proc"
)

// Reader reads the picture that is in the clipboard now. ReadImage may be
// called from any goroutine and returns soon after ctx ends. Its error is, or
// wraps, one of the errors below; any other error counts as ErrUnavailable.
type Reader interface {
	ReadImage(ctx context.Context) (ask.Image, error)
}

// The ways in which there is no picture.
var (
	// ErrEmpty says that the clipboard can be read and holds no picture.
	ErrEmpty = errors.New("the clipboard holds no image")
	// ErrUnavailable says that nothing could read the clipboard.
	ErrUnavailable = errors.New("no way to read images from the clipboard")
	// ErrFormat says that there is a picture which cannot be decoded.
	ErrFormat = errors.New("the clipboard image is in a format that cannot be read")
)

// Limits of every tool that is run, and of the picture itself.
const (
	Timeout  = 5 * time.Second
	MaxBytes = 32 << 20
)

// Runner runs a program without a shell and returns what it wrote to its
// standard output. A non-zero exit is an error.
type Runner func(ctx context.Context, name string, args ...string) ([]byte, error)

// Options of [System]. The zero value is right outside of tests.
type Options struct {
	// Getenv looks up an environment variable; nil is [os.Getenv].
	Getenv func(string) string
	// Run runs a tool; nil runs it with Timeout and MaxBytes, in a process
	// group of its own that is ended with it.
	Run Runner
	// TempDir is where the temporary folder is made, "" the system's place.
	TempDir string
}

// System returns the reader for this system: wl-paste, xclip and, under WSL,
// powershell.exe; osascript on macOS; powershell.exe on Windows. A nil opt means
// the defaults. Nothing is run before ReadImage.
func System(opt *Options) Reader {
	s := &system{getenv: os.Getenv, run: runTool(Timeout), read: native}
	if opt == nil {
		return s
	}
	if opt.Getenv != nil {
		s.getenv = opt.Getenv
	}
	if opt.Run != nil {
		s.run = opt.Run
	}
	s.tempDir = opt.TempDir
	return s
}

// system holds what the platforms' ways of reading need.
type system struct {
	getenv  func(string) string
	run     Runner
	tempDir string
	read    func(context.Context, *system) (picture, error)
}

// picture is a picture before it becomes part of an answer.
type picture struct {
	mimeType string
	data     []byte
}

func (s *system) ReadImage(ctx context.Context) (ask.Image, error) {
	p, err := s.read(ctx, s)
	if ctx.Err() != nil {
		return ask.Image{}, ctx.Err()
	}
	if err != nil {
		return ask.Image{}, err
	}
	id, err := uuid.NewRandom()
	if err != nil {
		return ask.Image{}, fmt.Errorf("%w: %v", ErrUnavailable, err)
	}
	return ask.Image{
		ID:       id.String(),
		MimeType: p.mimeType,
		Data:     base64.StdEncoding.EncodeToString(p.data),
	}, nil
}

// runTool gives the default Runner. A tool may leave a child that holds its
// output open; that child is not waited for.
func runTool(limit time.Duration) Runner {
	return func(ctx context.Context, name string, args ...string) ([]byte, error) {
		return proc.Run(ctx, proc.Cmd{
			Name:    name,
			Args:    args,
			Timeout: limit,
			Limit:   MaxBytes,
			Grace:   250 * time.Millisecond,
		})
	}
}

// failed wraps the reason why one way of reading did not work.
func failed(err error) error { return fmt.Errorf("%w: %w", ErrUnavailable, err) }
