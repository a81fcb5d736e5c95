package dialogue

import (
	"bufio"
	"context"
	"io"
)

// maxLine bounds the memory of one line in bytes.
const maxLine = 1 << 20

// line is one line of input without its end.
type line struct {
	text string
	cut  bool // it was longer than maxLine
}

// lines reads one line at a time, and only when one is asked for, so that what
// comes after the form is left to whoever reads next.
type lines struct {
	want chan struct{}
	got  chan answer
}

type answer struct {
	line
	err error
}

func readLines(in io.Reader) *lines {
	l := &lines{want: make(chan struct{}), got: make(chan answer, 1)}
	go func() {
		s := splitter{in: bufio.NewReader(in)}
		for range l.want {
			text, err := s.next()
			l.got <- answer{text, err} // has room: only one is wanted at a time
		}
	}()
	return l
}

// next returns the next line or why there is none. It returns when ctx ends;
// after that it must not be called again.
func (l *lines) next(ctx context.Context) (line, error) {
	select {
	case l.want <- struct{}{}:
	case <-ctx.Done():
		return line{}, ctx.Err()
	}
	select {
	case a := <-l.got:
		return a.line, a.err
	case <-ctx.Done():
		return line{}, ctx.Err()
	}
}

// close ends the reading goroutine, as soon as its read returns.
func (l *lines) close() { close(l.want) }

// splitter cuts bytes into lines, which end in LF, CR LF or CR.
type splitter struct {
	in      *bufio.Reader
	afterCR bool // an LF that comes next belongs to the line before
}

// next returns the next line. A last line without an end counts as one when the
// input ends properly, and not when it breaks.
func (s *splitter) next() (line, error) {
	var buf []byte
	var l line
	for {
		c, err := s.in.ReadByte()
		after := s.afterCR
		s.afterCR = false
		switch {
		case err == io.EOF && len(buf) > 0:
			l.text = string(buf)
			return l, nil
		case err != nil:
			return line{}, err
		case c == '\n' && after:
		case c == '\n' || c == '\r':
			s.afterCR = c == '\r'
			l.text = string(buf)
			return l, nil
		case len(buf) == maxLine:
			l.cut = true
		default:
			buf = append(buf, c)
		}
	}
}
