package ask

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"unicode/utf8"
)

// Limits of preview files, in bytes.
const (
	maxPreviewFile = 16 << 20  // one file
	maxPreviews    = 256 << 20 // all files of a payload together
)

// FS is what [LoadPreviews] needs of a file system. Names are absolute paths of
// the operating system.
type FS interface {
	Stat(name string) (fs.FileInfo, error)
	Open(name string) (io.ReadCloser, error)
}

// LoadPreviews replaces every previewFile in the raw arguments of a call by
// preview with the text of the file. Relative paths start at cwd. What is
// returned is what is saved and recovered: everything but the replaced fields
// is as it was, byte for byte. The input is not changed; without preview files
// it is returned itself.
//
// The payload is checked first, as by [Decode] and [Normalize]; only if it is
// sound are files touched. The error is then an [*InvalidInput] with an issue
// for each file that is missing, larger than 16 MiB, blank, or anything but a
// regular file of UTF-8 text. A nil fsys is the real file system.
func LoadPreviews(params json.RawMessage, cwd string, fsys FS) (json.RawMessage, error) {
	p, wrong, err := decode(params)
	if err != nil {
		return nil, err
	}
	if issues := check(p, wrong); len(issues) > 0 {
		return nil, &InvalidInput{Title: TrimSpace(p.Title), Issues: issues}
	}
	if fsys == nil {
		fsys = osFS{}
	}
	l := previewLoader{document: document(params), fsys: fsys, cwd: cwd, left: maxPreviews}
	questions, _ := l.field(l.root(), "questions")
	for i, question := range l.elements(questions) {
		options, _ := l.field(question, "options")
		for j, option := range l.elements(options) {
			l.option(option, p.Questions[i].Options[j], fmt.Sprintf("questions[%d].options[%d].previewFile", i, j))
		}
	}
	switch {
	case l.issues != nil:
		return nil, &InvalidInput{Title: TrimSpace(p.Title), Issues: l.issues}
	case l.edits == nil:
		return params, nil
	}
	return apply(params, l.edits), nil
}

type previewLoader struct {
	document
	fsys   FS
	cwd    string
	left   int // bytes that may still be loaded
	edits  []edit
	issues []Issue
}

func (l *previewLoader) option(at span, o Option, path string) {
	name := TrimSpace(o.PreviewFile)
	if name == "" {
		return
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(l.cwd, name)
	}
	name = filepath.Clean(name)
	content, err := l.read(name)
	if err == nil {
		err = l.replace(at, content)
	}
	if err != nil {
		l.issues = append(l.issues, Issue{path, fmt.Sprintf(`cannot use preview file "%s": %s`, name, err)})
	}
}

// Reasons why a file is no preview.
var (
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = errors.New("file is larger than 16 MiB")
	errAllLarge   = errors.New("the preview files of this form are larger than 256 MiB together")
	errNotUTF8    = errors.New("not valid UTF-8")
	errNUL        = errors.New("contains NUL bytes")
	errEmptyFile  = errors.New("file is empty")
)

// read returns the text of a file without its byte order mark.
func (l *previewLoader) read(name string) ([]byte, error) {
	info, err := l.fsys.Stat(name)
	switch {
	case err != nil:
		return nil, bare(err)
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	case info.Size() > maxPreviewFile:
		return nil, errTooLarge
	}
	f, err := l.fsys.Open(name)
	if err != nil {
		return nil, bare(err)
	}
	defer f.Close()
	// The size above may be out of date, or 0 for files made up by the system.
	content, err := io.ReadAll(io.LimitReader(f, maxPreviewFile+1))
	switch {
	case err != nil:
		return nil, bare(err)
	case len(content) > maxPreviewFile:
		return nil, errTooLarge
	case len(content) > l.left:
		return nil, errAllLarge
	}
	l.left -= len(content)
	if !utf8.Valid(content) {
		return nil, errNotUTF8
	}
	content = bytes.TrimPrefix(content, []byte("\uFEFF"))
	switch {
	case bytes.IndexByte(content, 0) >= 0:
		return nil, errNUL
	case IsBlank(string(content)):
		return nil, errEmptyFile
	}
	return content, nil
}

// replace rewrites an option: preview takes the place of previewFile. A blank
// preview that is already there is dropped.
func (l *previewLoader) replace(option span, content []byte) error {
	preview, err := Marshal(string(content))
	if err != nil {
		return err
	}
	out := []byte{'{'}
	for _, m := range l.members(option) {
		if m.key == "preview" {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		if m.key == "previewFile" {
			out = append(append(out, `"preview":`...), preview...)
			continue
		}
		out = append(append(append(out, m.name.of(l.document)...), ':'), m.data.of(l.document)...)
	}
	l.edits = append(l.edits, edit{option, append(out, '}')})
	return nil
}

// bare drops the operation and path that a system error repeats.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// osFS is the real file system.
type osFS struct{}

func (osFS) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// Open does not wait for a writer should a pipe have taken the file's place
// since Stat.
func (osFS) Open(name string) (io.ReadCloser, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errNotRegular
	}
	return f, nil
}
