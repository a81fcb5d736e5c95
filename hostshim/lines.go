package hostshim

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
)

// maxLine is the longest message that is read.
const maxLine = 256 << 20

// lines is a connection with one message a line. Sending never blocks: what
// the other side does not read yet waits here. Those who send much (frames)
// wait for drain before they make the next message.
type lines struct {
	in  *bufio.Reader
	out io.WriteCloser

	mu     sync.Mutex
	moved  *sync.Cond
	queue  [][]byte
	busy   bool // the writer has a message in its hands
	closed bool
	err    error
	done   chan struct{}
}

func newLines(in io.Reader, out io.WriteCloser) *lines {
	l := &lines{in: bufio.NewReaderSize(in, 64<<10), out: out, done: make(chan struct{})}
	l.moved = sync.NewCond(&l.mu)
	go l.write()
	return l
}

// Send queues a message.
func (l *lines) Send(message []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.err != nil {
		return errors.Join(io.ErrClosedPipe, l.err)
	}
	l.queue = append(l.queue, append(bytes.ReplaceAll(message, []byte("\n"), []byte(" ")), '\n'))
	l.moved.Broadcast()
	return nil
}

// Recv reads a message. A line that is too long is skipped.
func (l *lines) Recv() ([]byte, error) {
	for {
		line, err := readLine(l.in)
		if len(bytes.TrimSpace(line)) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, err := in.ReadSlice('\n')
		if len(line)+len(piece) <= maxLine {
			line = append(line, piece...)
		} else {
			line = line[:0]
			err = skipLine(in, err)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// skipLine reads up to the end of a line.
func skipLine(in *bufio.Reader, err error) error {
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = in.ReadSlice('\n')
	}
	return err
}

// Close ends the connection; what is queued is written as far as the other
// side takes it.
func (l *lines) Close() error {
	l.mu.Lock()
	l.closed = true
	l.moved.Broadcast()
	l.mu.Unlock()
	return nil
}

// drain waits until everything is written, or the connection is over.
func (l *lines) drain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for (len(l.queue) > 0 || l.busy) && l.err == nil {
		l.moved.Wait()
	}
}

// finish ends the writer.
func (l *lines) finish() {
	_ = l.Close()
	_ = l.out.Close()
	<-l.done
}

func (l *lines) write() {
	defer close(l.done)
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		for len(l.queue) == 0 && !l.closed {
			l.moved.Wait()
		}
		if len(l.queue) == 0 || l.err != nil {
			return
		}
		message := l.queue[0]
		l.queue, l.busy = l.queue[1:], true
		l.mu.Unlock()
		_, err := l.out.Write(message)
		l.mu.Lock()
		l.busy, l.err = false, err
		l.moved.Broadcast()
	}
}
