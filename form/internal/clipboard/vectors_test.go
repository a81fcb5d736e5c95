package clipboard

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/pi-agent-ask/pi-agent-ask/ask/asktest"
)

// vectorCommand is what a scripted command does.
type vectorCommand struct {
	Stdout           string `json:"stdout"`
	StdoutBase64     string `json:"stdoutBase64"`
	Fail             bool   `json:"fail"`
	WritesFileBase64 string `json:"writesFileBase64"`
}

type vectorCase struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	Input struct {
		Env      map[string]string        `json:"env"`
		Commands map[string]vectorCommand `json:"commands"`
	} `json:"input"`
	Expected struct {
		Calls   []string `json:"calls"`
		Outcome struct {
			Image *struct{ MimeType, Data string } `json:"image"`
			Empty bool                             `json:"empty"`
			Error string                           `json:"error"`
		} `json:"outcome"`
	} `json:"expected"`
}

func TestVectors(t *testing.T) {
	for _, file := range asktest.Files(t, asktest.Ask) {
		var cases struct{ Cases []json.RawMessage }
		if err := json.Unmarshal(file.Data, &cases); err != nil {
			t.Fatalf("%s: %v", file.Name, err)
		}
		found := 0
		for _, raw := range cases.Cases {
			var head struct{ Kind string }
			if json.Unmarshal(raw, &head) != nil || head.Kind != "clipboardLinux" {
				continue
			}
			found++
			var c vectorCase
			if err := json.Unmarshal(raw, &c); err != nil {
				t.Fatalf("%s: %v", file.Name, err)
			}
			t.Run(file.Name+"/"+c.ID, func(t *testing.T) { runVector(t, c) })
		}
		if found == 0 && file.Name == "ask.json" {
			t.Errorf("%s: no clipboard cases", file.Name)
		}
	}
}

func runVector(t *testing.T, c vectorCase) {
	temp := t.TempDir()
	s := newScript(temp, c.Input.Commands)
	reader := linux(&Options{
		Getenv:  func(name string) string { return c.Input.Env[name] },
		Run:     s.run,
		TempDir: temp,
	})
	image, err := reader.ReadImage(t.Context())
	if !slices.Equal(s.calls, c.Expected.Calls) {
		t.Errorf("calls %q, want %q", s.calls, c.Expected.Calls)
	}
	want := c.Expected.Outcome
	switch {
	case want.Image != nil:
		if err != nil || image.MimeType != want.Image.MimeType || image.Data != want.Image.Data {
			t.Errorf("image %+v, error %v, want %+v", image, err, *want.Image)
		}
		if _, err := uuid.Parse(image.ID); err != nil {
			t.Errorf("id %q: %v", image.ID, err)
		}
	case want.Empty:
		if !errors.Is(err, ErrEmpty) {
			t.Errorf("error %v, want empty", err)
		}
	case want.Error == "unavailable":
		if !errors.Is(err, ErrUnavailable) {
			t.Errorf("error %v, want unavailable", err)
		}
	default:
		t.Fatalf("case says no known outcome: %+v", want)
	}
	leftNothing(t, temp)
}

// linux is System as it is on Linux, wherever the test runs.
func linux(opt *Options) Reader { return on(readLinux, opt) }

func on(read func(context.Context, *system) (picture, error), opt *Options) Reader {
	s := System(opt).(*system)
	s.read = read
	return s
}

func leftNothing(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// script is a Runner that plays scripted commands and notes what was called.
type script struct {
	temp     string
	commands map[string]vectorCommand
	calls    []string
	file     string // the temporary picture, once it was named
}

func newScript(temp string, commands map[string]vectorCommand) *script {
	return &script{temp: temp, commands: commands}
}

func (s *script) run(_ context.Context, name string, args ...string) ([]byte, error) {
	line := []string{name}
	for _, arg := range args {
		switch {
		case strings.HasPrefix(arg, s.temp+string(filepath.Separator)):
			s.file = arg
			arg = "<TMP>/" + filepath.Base(arg)
		case strings.Contains(arg, "\n"), strings.Contains(arg, "; "):
			arg = "<SCRIPT>"
		}
		line = append(line, arg)
	}
	call := strings.Join(line, " ")
	s.calls = append(s.calls, call)
	c, known := s.commands[call]
	if !known || c.Fail {
		return nil, errors.New(call + ": failed as scripted")
	}
	if c.WritesFileBase64 != "" {
		data, err := base64.StdEncoding.DecodeString(c.WritesFileBase64)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(s.file, data, 0o600); err != nil {
			return nil, err
		}
	}
	if c.StdoutBase64 != "" {
		return base64.StdEncoding.DecodeString(c.StdoutBase64)
	}
	return []byte(c.Stdout), nil
}
