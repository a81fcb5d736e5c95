package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// maxPayload is the largest payload that is read.
const maxPayload = 64 << 20

// flags parses the flags of a command, silently.
func flags(fs *flag.FlagSet, args []string) error {
	fs.SetOutput(io.Discard)
	if err := fs.Parse(args); err != nil {
		return errUsage{err.Error()}
	}
	return nil
}

// loadForm reads a payload and makes it a form. Preview files are relative to
// the working directory.
func loadForm(name string, in io.Reader) (ask.Form, error) {
	raw, err := readPayload(name, in)
	if err != nil {
		return ask.Form{}, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return ask.Form{}, err
	}
	params, err := ask.LoadPreviews(ask.Prepare(raw), dir, nil)
	if err != nil {
		return ask.Form{}, err
	}
	payload, err := ask.Decode(params)
	if err != nil {
		return ask.Form{}, err
	}
	return ask.Normalize(payload)
}

func readPayload(name string, in io.Reader) (json.RawMessage, error) {
	if name != "" && name != "-" {
		file, err := os.Open(filepath.Clean(name))
		if err != nil {
			return nil, fmt.Errorf("cannot read the payload: %w", err)
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxPayload+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read the payload: %w", err)
	}
	if len(raw) > maxPayload {
		return nil, &ask.InvalidInput{Issues: []ask.Issue{{Message: fmt.Sprintf("the payload is larger than %d MiB; shorten it, or move long previews to preview files", maxPayload>>20)}}}
	}
	return raw, nil
}

// invalid reports a payload that cannot become a form: the issues for a
// person, and the result for a program. ok is false for any other error.
func invalid(err error, s streams) (ok bool) {
	var bad *ask.InvalidInput
	if !errors.As(err, &bad) {
		return false
	}
	for _, i := range bad.Issues {
		where := i.Path
		if where == "" {
			where = "payload"
		}
		fmt.Fprintf(s.err, "%s: %s\n", where, i.Message)
	}
	return true
}

// print writes v as indented JSON, without HTML escapes.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// oneFile returns the only argument, or "".
func oneFile(fs *flag.FlagSet) (string, error) {
	if fs.NArg() > 1 {
		return "", errUsage{"give one payload file"}
	}
	return fs.Arg(0), nil
}
