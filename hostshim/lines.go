package hostshim

import (
	"bufio"
	"errors"
	"io"
	"sync"
	"time"
)

const (
	// maxLine is the longest message that is read.
	maxLine = 256 << 20
	// maxQueued is how many bytes may wait for a host that does not read
	// before nothing more is read from it either.
	maxQueued = 64 << 20
	// flushTime is how long the end of a connection waits for a host to read
	// what is still queued.
	flushTime = time.Second
)

// errTooLong means that a line was skipped because of its length.
var errTooLong = errors.New("the line is longer than 256 MiB")

// readLine reads a line, without keeping more of it than a message may have.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		piece, err := in.ReadSlice('\n')
		if len(line)+len(piece) > maxLine {
			line, tooLong = nil, true
		}
		if !tooLong {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case tooLong && err == nil:
			return nil, errTooLong
		default:
			return line, err
		}
	}
}

// writer writes messages, one a line. Sending never blocks: what the other
// side does not read yet waits here. Those who send much (frames) wait for
// drain before they make the next message.
type writer struct {
	out    io.WriteCloser
	done   chan struct{} // closed when nothing more will be written
	broken chan struct{} // closed when the other side cannot be written to

	mu     sync.Mutex
	moved  *sync.Cond
	queue  [][]byte
	bytes  int  // in the queue
	busy   bool // a message is being written
	closed bool
	err    error
}

func newWriter(out io.WriteCloser) *writer {
	w := &writer{out: out, done: make(chan struct{}), broken: make(chan struct{})}
	w.moved = sync.NewCond(&w.mu)
	go w.write()
	return w
}

// send queues a message.
func (w *writer) send(message []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.err != nil {
		return
	}
	w.queue = append(w.queue, append(message, '\n'))
	w.bytes += len(message) + 1
	w.moved.Broadcast()
}

// drain waits until everything is written, or the connection is over.
func (w *writer) drain() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for (len(w.queue) > 0 || w.busy) && w.err == nil && !w.closed {
		w.moved.Wait()
	}
}

// hold waits while too much is queued.
func (w *writer) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.bytes > maxQueued && w.err == nil && !w.closed {
		w.moved.Wait()
	}
}

// finish ends the connection. What is queued is written, as far as the other
// side still takes it.
func (w *writer) finish() {
	w.mu.Lock()
	w.closed = true
	w.moved.Broadcast()
	w.mu.Unlock()
	select {
	case <-w.done:
	case <-time.After(flushTime):
	}
	_ = w.out.Close()
}

func (w *writer) write() {
	defer close(w.done)
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.queue) == 0 && !w.closed {
			w.moved.Wait()
		}
		if len(w.queue) == 0 {
			return
		}
		message := w.queue[0]
		w.queue[0] = nil
		w.queue, w.busy = w.queue[1:], true
		w.bytes -= len(message)
		w.mu.Unlock()
		_, err := w.out.Write(message)
		w.mu.Lock()
		w.busy, w.err = false, err
		w.moved.Broadcast()
		if err != nil {
			w.queue, w.bytes = nil, 0
			close(w.broken)
			return
		}
	}
}
