// Package proc runs a short helper program, such as a clipboard tool, so that
// nothing it does can hang or flood the caller: its time and its output are
// limited, and it runs in a process group of its own that is ended as a whole.
//
//	out, err := proc.Run(ctx, proc.Cmd{Name: "xclip", Args: []string{"-o"}})
//	_, err = proc.Shell(ctx, "notify-send hello", proc.Cmd{})
package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Errors of a program that was ended. Others are those of os/exec: the program
// could not be started, or it ended with a non-zero status.
var (
	ErrTimeout = errors.New("still running at its time limit")
	ErrTooMuch = errors.New("too much output")
)

// Defaults of [Cmd].
const (
	DefaultTimeout = 5 * time.Second
	DefaultLimit   = 1 << 20
)

// Cmd describes one run. Only Name is needed.
type Cmd struct {
	// Name is looked up on PATH unless it holds a separator. No shell is
	// involved, so Args need no quoting.
	Name string
	Args []string
	// Dir is the working directory, "" the one of this process.
	Dir string
	// Env is the whole environment, nil the one of this process.
	Env []string
	// Timeout ends the program and everything it started; 0 is DefaultTimeout.
	Timeout time.Duration
	// Limit is how many bytes of output are read at most; 0 is DefaultLimit.
	Limit int
	// Grace is how long children that outlive the program may keep its
	// output open. After it they are ended and what was read counts. With 0
	// they may use the rest of the time limit, and then the run fails.
	Grace time.Duration
	// Stderr counts error output as output. Otherwise it is thrown away.
	Stderr bool
	// Sink gets the output piece by piece instead of Run returning it. The
	// pieces are reused: Sink must not keep them. An error of Sink ends the
	// program and is returned. Limit still holds.
	Sink func([]byte) error

	commandLine string // Windows only, see Shell
}

// Run runs a program to its end and returns what it wrote to its standard
// output. It returns no later than a moment after the time limit or the end of
// ctx; the output is nil with an error. Safe for concurrent use.
func Run(ctx context.Context, c Cmd) ([]byte, error) {
	out, err := run(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	return out, nil
}

// Shell runs a command line by the system's shell: /bin/sh -c, or cmd.exe on
// Windows. c.Name and c.Args are not used.
func Shell(ctx context.Context, command string, c Cmd) ([]byte, error) {
	c.Name, c.Args, c.commandLine = shell(command)
	return Run(ctx, c)
}

func run(ctx context.Context, c Cmd) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cmd := exec.Command(c.Name, c.Args...)
	cmd.Dir, cmd.Env, cmd.Stdout = c.Dir, c.Env, w
	if c.Stderr {
		cmd.Stderr = w
	}
	g, err := start(cmd, c.commandLine)
	w.Close()
	if err != nil {
		return nil, err
	}
	defer g.close()

	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	output := make(chan read, 1)
	go func() { output <- drain(r, c.Limit, c.Sink) }()
	return supervise(ctx, c, g, r, exited, output)
}

// supervise waits for the program and for the end of its output, and ends both
// when one of the limits is reached.
func supervise(ctx context.Context, c Cmd, g *group, r *os.File, exited <-chan error, output <-chan read) ([]byte, error) {
	timeout := c.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	limit := time.NewTimer(timeout)
	defer limit.Stop()

	var grace <-chan time.Time
	var got read
	for waiting := 2; waiting > 0; {
		select {
		case err := <-exited:
			if err != nil {
				stop(g, r, nil, output)
				return nil, err
			}
			exited, waiting = nil, waiting-1
			if c.Grace > 0 {
				grace = time.After(c.Grace)
			}
		case got = <-output:
			if got.err != nil {
				stop(g, r, exited, nil)
				return nil, got.err
			}
			output, waiting = nil, waiting-1
		case <-grace:
			// The program is gone and said it succeeded; only a child
			// holds the pipe.
			return stop(g, r, nil, output), nil
		case <-limit.C:
			stop(g, r, exited, output)
			return nil, fmt.Errorf("%w of %v", ErrTimeout, timeout)
		case <-ctx.Done():
			stop(g, r, exited, output)
			return nil, ctx.Err()
		}
	}
	return got.data, nil
}

// stop ends the whole process group and waits for what is still awaited.
// Closing our end of the pipe frees the reader even from a process that left
// the group.
func stop(g *group, r *os.File, exited <-chan error, output <-chan read) []byte {
	g.kill()
	r.Close()
	if exited != nil {
		<-exited
	}
	if output != nil {
		return (<-output).data
	}
	return nil
}

type read struct {
	data []byte
	err  error
}

// drain reads at most limit bytes. Errors of reading end the output like its
// end does: they happen when stop closes the pipe.
func drain(r io.Reader, limit int, sink func([]byte) error) read {
	if limit == 0 {
		limit = DefaultLimit
	}
	buf := make([]byte, 64<<10)
	var got read
	for total := 0; ; {
		n, err := r.Read(buf)
		if total += n; total > limit {
			return read{err: fmt.Errorf("%w: more than %d bytes", ErrTooMuch, limit)}
		}
		if sink == nil {
			got.data = append(got.data, buf[:n]...)
		} else if n > 0 {
			if err := sink(buf[:n]); err != nil {
				return read{err: err}
			}
		}
		if err != nil {
			return got
		}
	}
}
