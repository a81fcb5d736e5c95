// Package asktest loads the conformance vectors: files of cases that every
// implementation of the ask contract can be held against.
package asktest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"testing"
)

// Format names one of the four vector formats.
type Format string

// The formats, told apart by the keys at the top of a file.
const (
	Ask      Format = "ask"      // {cases:[{kind,…}]}
	Form     Format = "form"     // {payloads,cases:[{keys,…}]}
	Settings Format = "settings" // {keymapCases,configCases,saveCases}
	Queue    Format = "queue"    // {scenarios}
)

// DirVariable is the environment variable that names a directory with more
// vector files.
const DirVariable = "PI_AGENT_ASK_VECTORS"

// File is one vector file.
type File struct {
	Name string // base name, for test names
	Data []byte
}

// Files returns the built-in file of a format and every file of that format in
// the directory named by PI_AGENT_ASK_VECTORS, sorted by name. A directory or
// file that cannot be read, or is no JSON, fails the test.
func Files(t testing.TB, format Format) []File {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	builtin := filepath.Join(filepath.Dir(here), "..", "testdata", "vectors", string(format)+".json")
	files := []File{read(t, builtin)}
	dir := os.Getenv(DirVariable)
	if dir == "" {
		return files
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("%s: %v", DirVariable, err)
	}
	sort.Strings(names)
	for _, name := range names {
		if f := read(t, name); formatOf(t, f) == format {
			files = append(files, f)
		}
	}
	return files
}

func read(t testing.TB, name string) File {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return File{Name: filepath.Base(name), Data: data}
}

func formatOf(t testing.TB, f File) Format {
	t.Helper()
	var head struct {
		Scenarios   json.RawMessage `json:"scenarios"`
		KeymapCases json.RawMessage `json:"keymapCases"`
		ConfigCases json.RawMessage `json:"configCases"`
		SaveCases   json.RawMessage `json:"saveCases"`
		Payloads    json.RawMessage `json:"payloads"`
		Cases       []struct {
			Kind string          `json:"kind"`
			Keys json.RawMessage `json:"keys"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(f.Data, &head); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	switch {
	case head.Scenarios != nil:
		return Queue
	case head.KeymapCases != nil || head.ConfigCases != nil || head.SaveCases != nil:
		return Settings
	case head.Payloads != nil || len(head.Cases) > 0 && head.Cases[0].Keys != nil:
		return Form
	case len(head.Cases) > 0 && head.Cases[0].Kind != "":
		return Ask
	}
	return ""
}
