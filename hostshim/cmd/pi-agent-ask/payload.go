package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/term"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// maxPayload is the largest payload that is read.
const maxPayload = 64 << 20

// loadForm reads a payload and makes it a form. Preview files are relative to
// the working directory. A payload that cannot become a form is an
// *ask.InvalidInput, also when it is no JSON.
func loadForm(name string, s streams) (ask.Form, error) {
	raw, err := readPayload(name, s)
	if err != nil {
		return ask.Form{}, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return ask.Form{}, err
	}
	params, err := ask.LoadPreviews(ask.Prepare(raw), dir, nil)
	if err != nil {
		return ask.Form{}, whole(err)
	}
	payload, err := ask.Decode(params)
	if err != nil {
		return ask.Form{}, whole(err)
	}
	return ask.Normalize(payload)
}

// whole makes text that is no JSON an issue of the payload as a whole.
func whole(err error) error {
	if errors.Is(err, ask.ErrNotJSON) {
		return unusable(err.Error())
	}
	return err
}

func unusable(message string) error {
	return &ask.InvalidInput{Issues: []ask.Issue{{Path: "payload", Message: message}}}
}

func readPayload(name string, s streams) (json.RawMessage, error) {
	in, err := open(name, s)
	if err != nil {
		return nil, fmt.Errorf("cannot read the payload: %w", err)
	}
	defer func() { _ = in.Close() }()
	raw, err := io.ReadAll(io.LimitReader(in, maxPayload+1))
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot read the payload: %w", err)
	case len(raw) > maxPayload:
		return nil, unusable(fmt.Sprintf("it is larger than %d MiB; shorten it, or move long previews to preview files", maxPayload>>20))
	case len(raw) == 0 && isPipe(in):
		return nil, fmt.Errorf("nobody writes into the pipe %s; start the writer first", name)
	case len(bytes.TrimSpace(raw)) == 0:
		return nil, unusable(`it is empty; write JSON such as {"questions": [{"id": "a", "prompt": "…?", "options": [{"value": "a", "label": "A"}]}]}`)
	case bytes.HasPrefix(raw, []byte("\xff\xfe")) || bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return nil, unusable("it is UTF-16 text; save it as UTF-8")
	}
	return raw, nil
}

// open opens a file, or standard input for "-" and "". It does not wait for
// somebody to write into a named pipe.
func open(name string, s streams) (io.ReadCloser, error) {
	if name != "" && name != "-" {
		return os.OpenFile(filepath.Clean(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	}
	if f, ok := s.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprintln(s.err, "Reading from the terminal; Ctrl+D ends the text. To read a file, name it.")
	}
	return io.NopCloser(s.in), nil
}

// isPipe reports whether a named file is a pipe.
func isPipe(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

// invalid reports a payload that cannot become a form: the issues for a
// person, and the result for a program.
func invalid(err error, text bool, s streams) (int, error) {
	var bad *ask.InvalidInput
	if !errors.As(err, &bad) {
		return exitOther, err
	}
	for _, i := range bad.Issues {
		fmt.Fprintf(s.err, "%s: %s\n", i.Path, i.Message)
	}
	if text {
		_, err = fmt.Fprintln(s.out, bad.Result().AgentText())
		return exitInvalid, err
	}
	return exitInvalid, printJSON(s.out, bad.Result())
}

// printJSON writes v as indented JSON, without HTML escapes.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
