package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
)

// Scan reads the entries of this library on the branch of a session file, from
// the newest to the oldest. The branch is that of the file's last entry. The
// file is neither locked nor changed, and lines that cannot be ours are passed
// by without being decoded: half a gigabyte takes less than a second and no
// memory to speak of.
//
// An error ends the sequence. It wraps [ErrNotSession], [ErrVersion] or the
// system's error. Damaged lines are passed over; [Verify] lists them.
func Scan(path string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		f, size, err := openToRead(path)
		if err == nil {
			defer f.Close()
			if _, err = findHeader(f, defaultMaxLine); err == nil {
				s := backScan{r: f, size: size, max: defaultMaxLine}
				err = s.run(func(e Entry) bool { return yield(e, nil) })
			}
		}
		if err != nil {
			yield(Entry{}, fmt.Errorf("journal: read %s: %w", path, err))
		}
	}
}

// OpenRequests returns the requests of a session file that nobody has answered
// yet, in the order in which they were made. See [Scan].
func OpenRequests(path string) ([]Request, error) {
	var data []Data
	for e, err := range Scan(path) {
		if err != nil {
			return nil, err
		}
		switch d := Decode(e).(type) {
		case Request:
			data = append(data, d)
		case Completed: // only that there is one
			data = append(data, Completed{Outcome{RequestID: d.RequestID, Error: unknownError}})
		}
	}
	slices.Reverse(data)
	open := []Request{}
	for _, r := range readRequests(data) {
		if r.outcome == nil {
			open = append(open, r.Request)
		}
	}
	return open, nil
}

// ReadRecords returns the [Records] of the branch of a session file. See
// [Scan].
func ReadRecords(path string) ([]Record, error) {
	var branch []Entry
	for e, err := range Scan(path) {
		if err != nil {
			return nil, err
		}
		branch = append(branch, e)
	}
	slices.Reverse(branch)
	return Records(branch), nil
}

func openToRead(path string) (*os.File, int64, error) {
	// Asked before opening: to open a pipe would block.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, 0, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// findHeader reads the file up to its header.
func findHeader(r io.ReaderAt, maxLine int) (header, error) {
	lines, l := newLineReader(r, 0, maxLine), newLoader(maxLine)
	for {
		line, err := lines.next()
		if err == io.EOF || err == nil && line.open && !l.whole(line) {
			return header{}, ErrNotSession
		}
		if err == nil {
			err = l.take(line)
		}
		if err != nil || l.headSeen {
			return l.head, err
		}
	}
}

// ours reports whether an entry could be one of this library.
func ours(e Entry) bool {
	return (e.Type == "custom" || e.Type == "custom_message") && strings.HasPrefix(e.CustomType, prefix)
}

// backScan follows the branch of a file from its last line upwards. Parents
// stand before their children, so one pass is enough, and all it has to
// remember is the id it looks for next. For most lines their head says that
// they are of no interest.
type backScan struct {
	r    io.ReaderAt
	size int64
	max  int
	read int // how much is read at once; 0 means scanSize

	buf    []byte
	line   []byte // room for a line that is decoded
	starts []int
	leaf   bool   // the leaf has been found
	wanted []byte // the id of the next entry of the branch
}

const scanSize = 1 << 20

// run calls f for the entries of this library, newest first, until f returns
// false or the root is reached.
func (s *backScan) run(f func(Entry) bool) error {
	if s.read == 0 {
		s.read = scanSize
	}
	s.buf = make([]byte, min(s.size, int64(1+s.read+headSize)))
	next := s.size // where the line behind the current one starts
	for hi := s.size; hi > 0; {
		lo := max(0, hi-int64(s.read))
		// One byte before, to see whether a line starts at lo; the head of the
		// last line may reach beyond hi.
		base := max(0, lo-1)
		buf := s.buf[:min(s.size, hi+headSize)-base]
		if n, err := s.r.ReadAt(buf, base); n < len(buf) {
			return fmt.Errorf("at byte %d: %w", base, noEOF(err))
		}
		s.findStarts(buf[:hi-base], base == lo)
		for _, start := range slices.Backward(s.starts) {
			at := base + int64(start)
			more, err := s.visit(buf[start:], at, next, f)
			if err != nil || !more {
				return err
			}
			next = at
		}
		hi = lo
	}
	return nil
}

// findStarts notes where lines start in b. The end of b is no start: what
// stands there belongs to the part of the file that was read before.
func (s *backScan) findStarts(b []byte, first bool) {
	s.starts = s.starts[:0]
	if first {
		s.starts = append(s.starts, 0)
	}
	for i := 0; ; {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 || i+n+1 == len(b) {
			return
		}
		i += n + 1
		s.starts = append(s.starts, i)
	}
}

// visit looks at the line in [at, next) of the file. seen is as much of it as
// has been read, or more.
func (s *backScan) visit(seen []byte, at, next int64, f func(Entry) bool) (more bool, err error) {
	length := next - at
	if next < s.size {
		length-- // the newline
	} else if length, err = s.lastLength(at, length); err != nil {
		return false, err
	}
	seen = seen[:min(int64(len(seen)), length)]
	if s.leaf {
		if l, ok := readHead(seen[:min(len(seen), headSize)]); ok {
			if string(l.typ) == headerType || !bytes.Equal(l.id, s.wanted) {
				return true, nil
			}
			custom := string(l.typ) == "custom" || string(l.typ) == "custom_message"
			if !custom || length > int64(s.max) {
				return s.follow(string(l.parent)), nil
			}
		}
	}
	if length > int64(s.max) {
		return true, nil
	}
	line := seen
	if int64(len(seen)) < length {
		if line, err = s.readLine(at, length); err != nil {
			return false, err
		}
	}
	e, kind, _ := decodeLine(line)
	switch {
	case kind == goodLine && (!s.leaf || e.ID == string(s.wanted)):
		s.leaf = true
		if ours(e) {
			// Copied: the entry is the caller's, the buffer is not.
			e, _, _ = decodeLine(bytes.Clone(line))
			if !f(e) {
				return false, nil
			}
		}
		return s.follow(e.ParentID), nil
	case kind == linkLine && s.leaf && e.ID == string(s.wanted):
		return s.follow(e.ParentID), nil
	}
	return true, nil
}

// follow goes on to the parent; it reports whether there is one.
func (s *backScan) follow(parent string) bool {
	s.wanted = append(s.wanted[:0], parent...)
	return parent != ""
}

// lastLength is the length of the file's last line, whose newline may be
// missing.
func (s *backScan) lastLength(at, length int64) (int64, error) {
	var b [1]byte
	if n, err := s.r.ReadAt(b[:], at+length-1); n < 1 {
		return 0, noEOF(err)
	}
	if b[0] == '\n' {
		length--
	}
	return length, nil
}

func (s *backScan) readLine(at, length int64) ([]byte, error) {
	if int64(cap(s.line)) < length {
		s.line = make([]byte, length)
	}
	line := s.line[:length]
	if n, err := s.r.ReadAt(line, at); n < len(line) {
		return nil, fmt.Errorf("at byte %d: %w", at, noEOF(err))
	}
	return line, nil
}

// noEOF says what an early end means: the file got shorter while it was read.
func noEOF(err error) error {
	if err == io.EOF {
		return ErrChanged
	}
	return err
}
