package ask_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

func filePayload(names ...string) json.RawMessage {
	var options []string
	for i, name := range names {
		options = append(options, fmt.Sprintf(`{"value":"v%d","label":"L","previewFile":%q}`, i, name))
	}
	return json.RawMessage(oneQuestion("[" + strings.Join(options, ",") + "]"))
}

// loadFault loads one preview file that must be refused and returns why.
func loadFault(t *testing.T, cwd, name string, disk ask.FS) string {
	t.Helper()
	_, err := ask.LoadPreviews(filePayload(name), cwd, disk)
	var invalid *ask.InvalidInput
	if !errors.As(err, &invalid) || len(invalid.Issues) != 1 || invalid.Issues[0].Path != "questions[0].options[0].previewFile" {
		t.Fatalf("got %v, want one issue at previewFile", err)
	}
	message := invalid.Issues[0].Message
	_, reason, _ := strings.Cut(message, `": `)
	if !strings.HasPrefix(message, `cannot use preview file "`+filepath.Join(cwd, name)+`"`) {
		t.Errorf("%q does not name the resolved path", message)
	}
	return reason
}

func TestPreviewFilesThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) { must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644)) }
	write("latin1", "caf\xe9")
	write("bom", "\uFEFF \n")
	write("surrogate", "\xed\xa0\x80")
	write("nul", "a\x00")
	must(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	must(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	big, err := os.Create(filepath.Join(dir, "big"))
	must(t, err)
	must(t, big.Truncate(1<<40)) // a hole, no disk
	must(t, big.Close())
	for name, want := range map[string]string{
		"missing":                "no such file or directory",
		"dangling":               "no such file or directory",
		"loop":                   "too many levels of symbolic links",
		"nul\x00byte":            "invalid argument",
		"latin1/x":               "not a directory",
		"~/x":                    "no such file or directory",
		"latin1":                 "not valid UTF-8",
		"surrogate":              "not valid UTF-8",
		"nul":                    "contains NUL bytes",
		"bom":                    "file is empty",
		"big":                    "file is larger than 16 MiB",
		".":                      "not a regular file",
		strings.Repeat("x", 300): "file name too long",
	} {
		t.Run(strings.ToValidUTF8(shortName(name), "?"), func(t *testing.T) {
			if strings.Contains(name, "\x00") {
				_, err := ask.LoadPreviews(json.RawMessage(oneQuestion(`[{"value":"v","label":"L","previewFile":"a\u0000b"}]`)), dir, nil)
				checkIssues(t, err, []string{"questions[0].options[0].previewFile"}, "")
				return
			}
			sameText(t, "reason", loadFault(t, dir, name, nil), want)
		})
	}
}

func shortName(s string) string { return s[:min(len(s), 10)] }

func TestEndlessDevicesDoNotHang(t *testing.T) {
	for _, name := range []string{"/dev/zero", "/dev/stdin", "/dev/null"} {
		if _, err := os.Stat(name); err != nil {
			t.Skip(err)
		}
		_, err := ask.LoadPreviews(filePayload(name), "/", nil)
		if err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestPreviewFilesThatAreTaken(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a b.txt"), []byte("\uFEFF\uFEFF <a>\r\n"), 0o644))
	must(t, os.Symlink("a b.txt", filepath.Join(dir, "link")))
	in := `{ "x":1e2,"title":" T ","background":true,"questions":[{"id":" a ","y":null,"prompt":"A?","options":[
		{ "previewFile":"no","previewFile":" a b.txt ","value":" v ","label":"L","z":[ 1 ] },
		{"preview":" ","value":"2","label":"L","previewFile":"./sub/../link"},
		{"value":"3","label":"L","previewFile":" "} ]}]} `
	want := `{ "x":1e2,"title":" T ","background":true,"questions":[{"id":" a ","y":null,"prompt":"A?","options":[
		{"preview":"` + "\uFEFF" + ` <a>\r\n","value":" v ","label":"L","z":[ 1 ]},
		{"value":"2","label":"L","preview":"` + "\uFEFF" + ` <a>\r\n"},
		{"value":"3","label":"L","previewFile":" "} ]}]} `
	got, err := ask.LoadPreviews(json.RawMessage(in), dir, nil)
	must(t, err)
	sameText(t, "params", string(got), want)
	again, err := ask.LoadPreviews(got, "/nowhere", nil)
	must(t, err)
	sameText(t, "params without files", string(again), want)
}

// No file is touched for a payload that is wrong already.
func TestPreviewFilesComeAfterTheChecks(t *testing.T) {
	_, err := ask.LoadPreviews(json.RawMessage(oneQuestion(`[{"value":"x","label":"","previewFile":"f"}]`)), "/", untouchable{t})
	checkIssues(t, err, []string{"questions[0].options[0].label"}, "")
}

type untouchable struct{ t *testing.T }

func (u untouchable) Stat(name string) (fs.FileInfo, error) {
	u.t.Errorf("stat of %s", name)
	return nil, fs.ErrNotExist
}

func (u untouchable) Open(name string) (io.ReadCloser, error) { return nil, fs.ErrNotExist }

// brokenDisk has files that lie about their size or fail while being read.
type brokenDisk struct {
	size    int64
	content io.Reader
	openErr error
}

func (b brokenDisk) Name() string       { return "f" }
func (b brokenDisk) Size() int64        { return b.size }
func (b brokenDisk) Mode() fs.FileMode  { return 0o644 }
func (b brokenDisk) ModTime() time.Time { return time.Time{} }
func (b brokenDisk) IsDir() bool        { return false }
func (b brokenDisk) Sys() any           { return nil }

func (b brokenDisk) Stat(string) (fs.FileInfo, error) { return b, nil }

func (b brokenDisk) Open(string) (io.ReadCloser, error) { return io.NopCloser(b.content), b.openErr }

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

func TestBrokenDisks(t *testing.T) {
	root := filepath.VolumeName(t.TempDir()) + string(filepath.Separator)
	for name, c := range map[string]struct {
		disk brokenDisk
		want string
	}{
		"grows while being read": {brokenDisk{size: 3, content: endless{}}, "file is larger than 16 MiB"},
		"fails while being read": {brokenDisk{size: 3, content: iotest.ErrReader(errors.New("I/O error"))}, "I/O error"},
		"cannot be opened":       {brokenDisk{size: 3, openErr: &fs.PathError{Op: "open", Path: "f", Err: fs.ErrPermission}}, "permission denied"},
	} {
		t.Run(name, func(t *testing.T) { sameText(t, "reason", loadFault(t, root, "f", c.disk), c.want) })
	}
	exact := brokenDisk{size: 16 << 20, content: io.LimitReader(endless{}, 16<<20)}
	if _, err := ask.LoadPreviews(filePayload("f"), root, exact); err != nil {
		t.Errorf("a file of exactly 16 MiB: %.100v", err)
	}
}

func TestAllFileFaultsAreCollected(t *testing.T) {
	disk := files{fstest.MapFS{"d/ok": {Data: []byte("x")}}}
	_, err := ask.LoadPreviews(filePayload("no", "ok", "../d", "/d/no"), "/d", disk)
	checkIssues(t, err, []string{"questions[0].options[0].previewFile", "questions[0].options[2].previewFile", "questions[0].options[3].previewFile"}, "")
}
