//go:build linux || darwin

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

const root = "../../.."

// documents returns the texts of README.md and docs by their names.
func documents(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob(root + "/docs/*.md")
	if err != nil || len(names) == 0 {
		t.Fatal("no documents: ", err)
	}
	texts := map[string]string{}
	for _, n := range append(names, root+"/README.md") {
		text, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimPrefix(n, root+"/")] = string(text)
	}
	return texts
}

// commandsIn returns the indented lines of a document without their remarks.
func commandsIn(text string) (lines []string) {
	fenced := false
	for l := range strings.Lines(text) {
		if strings.HasPrefix(l, "```") {
			fenced = !fenced
		}
		if code, ok := strings.CutPrefix(l, "    "); ok && !fenced {
			code, _, _ = strings.Cut(code, " # ")
			lines = append(lines, strings.TrimSpace(code))
		}
	}
	return lines
}

// TestCommandsInTheDocuments runs each command line of ours that a document
// shows. There is no terminal: forms end with the exit code for that, which
// they only do after everything else was right. Of other commands it checks
// that what they name is there.
func TestCommandsInTheDocuments(t *testing.T) {
	dir := t.TempDir()
	examples, err := filepath.Abs(root + "/examples")
	if err != nil {
		t.Fatal(err)
	}
	session, err := os.ReadFile(answered(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(examples, filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nexec %s \"$@\"\n", "'"+os.Args[0]+"'")
	if filepath.IsLocal(os.Args[0]) {
		t.Fatal("the test binary has no absolute path")
	}
	for name, file := range map[string][]byte{"session.jsonl": session, "pi-agent-ask": []byte(script)} {
		if err := os.WriteFile(filepath.Join(dir, name), file, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	makefile, err := os.ReadFile(root + "/Makefile")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for name, text := range documents(t) {
		for _, line := range commandsIn(text) {
			line = strings.Replace(line, "go run ./hostshim/cmd/pi-agent-ask", "pi-agent-ask", 1)
			words := strings.Fields(line)
			switch {
			case strings.Contains(line, "pi-agent-ask ") && !strings.HasPrefix(line, "npm") && !strings.HasPrefix(line, "pi "):
				ran++
				runDocumented(t, dir, name, line)
			case len(words) > 1 && words[0] == "make":
				if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(words[1]) + `:`).Match(makefile) {
					t.Errorf("%s: there is no %q", name, line)
				}
			case len(words) > 1 && words[0] == "go":
				for _, w := range words {
					if strings.HasPrefix(w, "./") {
						if _, err := os.Stat(filepath.Join(root, strings.TrimSuffix(w, "/..."))); err != nil {
							t.Errorf("%s: %s: %v", name, line, err)
						}
					}
				}
			}
		}
	}
	if ran < 10 {
		t.Errorf("only %d commands were found", ran)
	}
}

func runDocumented(t *testing.T, dir, document, line string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := commandLine(ctx, dir)
	shell := exec.CommandContext(ctx, "sh", "-c", line)
	shell.Dir, shell.Env, shell.SysProcAttr = cmd.Dir, append(cmd.Env, "PATH="+dir+":"+os.Getenv("PATH")), cmd.SysProcAttr
	out, err := shell.CombinedOutput()
	want := exitOK
	if strings.Contains(line, " run ") || strings.Contains(line, "settings edit") {
		want = exitNoTerminal
	}
	if code := shell.ProcessState.ExitCode(); code != want {
		t.Errorf("%s: %s: exit %d, want %d (%v)\n%s", document, line, code, want, err, out)
	}
}

var fence = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

func TestSettingsInTheDocumentsAreValid(t *testing.T) {
	blocks := fence.FindAllStringSubmatch(documents(t)["docs/configuration.md"], -1)
	found := 0
	for _, b := range blocks {
		if b[1] != "json" {
			continue
		}
		found++
		now, notices := settings.Parse([]byte(b[2]))
		if len(notices) > 0 {
			t.Errorf("%v:\n%s", notices, b[2])
		}
		if left := remarks([]byte(b[2])); len(left) > 0 {
			t.Errorf("%v:\n%s", left, b[2])
		}
		if found == 1 && !reflect.DeepEqual(now, settings.Default()) {
			t.Errorf("the settings shown as the defaults are %+v", now)
		}
	}
	if found < 2 {
		t.Errorf("only %d settings were found", found)
	}
}

// TestTheContractInTheDocuments takes the first payload, the faults and the
// result of the contract's document by the word.
func TestTheContractInTheDocuments(t *testing.T) {
	var shown []string
	for _, b := range fence.FindAllStringSubmatch(documents(t)["docs/contract.md"], -1) {
		shown = append(shown, b[2])
	}
	if len(shown) < 4 {
		t.Fatal("the document has changed")
	}
	payload, err := ask.Decode(json.RawMessage(shown[0]))
	if err != nil {
		t.Fatal(err)
	}
	f, err := ask.Normalize(payload)
	if err != nil {
		t.Fatal(err)
	}
	d := ask.NewDrafts(f)
	d.Pick(0, 0)
	d.SaveNote(0, "not before Monday")
	d.SaveOptionNote(0, 0, "the new cluster")
	result := d.Result(ask.Submitted)
	same(t, "result", result, shown[2])
	if got := result.AgentText() + "\nChecks: (no answer)\n"; got != shown[3] {
		t.Errorf("text:\n%s\nwant:\n%s", got, shown[3])
	}

	payload.Questions[0].Options[1].Value = "a"
	payload.Questions[0].Options[0].Value = "a"
	payload.Title = ""
	_, err = ask.Normalize(payload)
	if bad, ok := err.(*ask.InvalidInput); !ok {
		t.Errorf("no faults: %v", err)
	} else {
		same(t, "faults", bad.Result(), shown[1])
	}
}

func same(t *testing.T, what string, got any, want string) {
	t.Helper()
	raw, err := ask.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if err := json.Unmarshal(raw, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatalf("%s: %v in %s", what, err, want)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%s:\n%s\nwant:\n%s", what, raw, want)
	}
}

var link = regexp.MustCompile(`\]\(([^)#]+)\)`)

func TestLinksOfTheDocumentsLeadSomewhere(t *testing.T) {
	for name, text := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
