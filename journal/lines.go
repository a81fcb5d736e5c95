package journal

import (
	"bytes"
	"io"
)

// rawLine is one line of a file without its newline.
type rawLine struct {
	text   []byte // valid until the next call; only its head when the line is too long
	offset int64
	length int64 // of the whole line, without the newline
	open   bool  // the file ends before the newline
}

// tooLong reports whether text is only the head of the line.
func (l rawLine) tooLong() bool { return l.length > int64(len(l.text)) }

// lineReader cuts a file into lines. A line longer than max is passed by
// without being held in memory.
type lineReader struct {
	r        io.ReaderAt
	max      int
	buf      []byte
	from, to int   // the unread part of buf
	offset   int64 // of buf[from] in the file
	atEnd    bool
}

// Reads start small, for the few bytes that are usually left of a file that
// grew, and double up to readSize.
const (
	firstRead = 4 << 10
	readSize  = 256 << 10
)

func newLineReader(r io.ReaderAt, offset int64, max int) *lineReader {
	return &lineReader{r: r, max: max, offset: offset, buf: make([]byte, 0, firstRead)}
}

// next returns io.EOF after the last line. The end of a file that ends with a
// newline is no line.
func (l *lineReader) next() (rawLine, error) {
	searched := 0
	for {
		if n := bytes.IndexByte(l.buf[l.from+searched:l.to], '\n'); n >= 0 {
			return l.take(searched+n, false), nil
		}
		searched = l.to - l.from
		switch {
		case l.atEnd && searched == 0:
			return rawLine{}, io.EOF
		case l.atEnd:
			return l.take(searched, true), nil
		case searched > l.max:
			return l.skip()
		}
		if err := l.fill(); err != nil {
			return rawLine{}, err
		}
	}
}

// take returns the next n bytes as a line.
func (l *lineReader) take(n int, open bool) rawLine {
	line := rawLine{text: l.buf[l.from : l.from+n], offset: l.offset, length: int64(n), open: open}
	if n > l.max {
		line.text = line.text[:min(n, headSize)]
	}
	l.advance(n)
	if !open {
		l.advance(1)
	}
	return line
}

func (l *lineReader) advance(n int) {
	l.from += n
	l.offset += int64(n)
}

// skip passes by the rest of a line that is too long.
func (l *lineReader) skip() (rawLine, error) {
	line := rawLine{text: bytes.Clone(l.buf[l.from:min(l.to, l.from+headSize)]), offset: l.offset}
	for {
		n := bytes.IndexByte(l.buf[l.from:l.to], '\n')
		if n >= 0 {
			l.advance(n)
			line.length = l.offset - line.offset
			l.advance(1)
			return line, nil
		}
		l.advance(l.to - l.from)
		if l.atEnd {
			line.length, line.open = l.offset-line.offset, true
			return line, nil
		}
		if err := l.fill(); err != nil {
			return rawLine{}, err
		}
	}
}

// fill reads more behind the unread part, making room first.
func (l *lineReader) fill() error {
	if l.from > 0 {
		l.to = copy(l.buf, l.buf[l.from:l.to])
		l.from = 0
	}
	if l.to == len(l.buf) || len(l.buf) < readSize {
		l.buf = append(l.buf, make([]byte, max(len(l.buf), firstRead))...)
	}
	n, err := l.r.ReadAt(l.buf[l.to:], l.offset+int64(l.to-l.from))
	l.to += n
	if err == io.EOF {
		l.atEnd = true
		return nil
	}
	return err
}
