package clipboard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// Words that a script prints when it is done.
const (
	scriptSaved  = "ok"     // the picture is in the file, as PNG
	scriptFormat = "format" // there is a picture that cannot be made a PNG
)

// readSaved reads a picture that save lets a script write to the given file in
// a folder of its own. The folder is gone when readSaved returns.
func (s *system) readSaved(save func(file string) (word string, err error)) (p picture, err error) {
	dir, err := os.MkdirTemp(s.tempDir, "pi-agent-ask-")
	if err != nil {
		return picture{}, failed(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "image.png")
	word, err := save(file)
	if err != nil {
		return picture{}, failed(err)
	}
	switch ask.TrimSpace(word) {
	case scriptSaved:
	case scriptFormat:
		return picture{}, ErrFormat
	default:
		return picture{}, ErrEmpty
	}
	data, err := readLimited(file)
	if err != nil {
		return picture{}, failed(err)
	}
	if len(data) == 0 {
		return picture{}, ErrEmpty
	}
	return picture{mimeType: "image/png", data: data}, nil
}

// readLimited reads a regular file of at most MaxBytes.
func readLimited(name string) ([]byte, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("the saved image is no file")
	}
	if info.Size() > MaxBytes {
		return nil, fmt.Errorf("the image has more than %d bytes", MaxBytes)
	}
	return os.ReadFile(name)
}

// runPowerShell lets Windows save its clipboard picture to a path in its own
// notation, and returns what the script printed.
func (s *system) runPowerShell(ctx context.Context, path string) (string, error) {
	out, err := s.run(ctx, "powershell.exe", "-NoProfile", "-STA", "-Command", powerShellScript(path))
	return string(out), err
}

// powerShellScript holds no double quotes: they do not survive the command
// line of powershell.exe.
func powerShellScript(path string) string {
	return strings.Join([]string{
		`$ErrorActionPreference = 'Stop'`,
		`Add-Type -AssemblyName System.Windows.Forms`,
		`Add-Type -AssemblyName System.Drawing`,
		`$image = [System.Windows.Forms.Clipboard]::GetImage()`,
		`if ($null -eq $image) { 'empty' } else { $image.Save('` + quotePowerShell(path) +
			`', [System.Drawing.Imaging.ImageFormat]::Png); $image.Dispose(); 'ok' }`,
	}, "; ")
}

// quotePowerShell makes text safe between single quotes. PowerShell takes the
// typographic quotes for single quotes as well.
func quotePowerShell(text string) string {
	return strings.NewReplacer(
		"'", "''",
		"\u2018", "\u2018\u2018",
		"\u2019", "\u2019\u2019",
		"\u201a", "\u201a\u201a",
		"\u201b", "\u201b\u201b",
	).Replace(text)
}

// readWindows lets PowerShell save the picture.
func readWindows(ctx context.Context, s *system) (picture, error) {
	return s.readSaved(func(file string) (string, error) { return s.runPowerShell(ctx, file) })
}

// macScript saves the PNG of the pasteboard, or makes one from the TIFF that
// most programs put there. The file name is an argument, so nothing is quoted.
const macScript = `function run(argv) {
  ObjC.import('AppKit');
  const board = $.NSPasteboard.generalPasteboard;
  let data = board.dataForType($('public.png'));
  if (data.isNil()) {
    const tiff = board.dataForType($('public.tiff'));
    if (tiff.isNil()) return 'empty';
    const picture = $.NSBitmapImageRep.imageRepWithData(tiff);
    if (picture.isNil()) return 'format';
    data = picture.representationUsingTypeProperties(4, $({}));
    if (data.isNil()) return 'format';
  }
  if (!data.writeToFileAtomically($(argv[0]), false)) throw new Error('cannot write the image');
  return 'ok';
}`

// readMac lets osascript save the picture.
func readMac(ctx context.Context, s *system) (picture, error) {
	return s.readSaved(func(file string) (string, error) {
		out, err := s.run(ctx, "osascript", "-l", "JavaScript", "-e", macScript, file)
		return string(out), err
	})
}
