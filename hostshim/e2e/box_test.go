//go:build unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// box is one isolated home for pi: agent folder, home, temporary folder and
// working directory. Nothing outside of it is read or written, but for the
// caches that all boxes share.
type box struct {
	t        testing.TB
	model    *model
	root     string
	agentDir string
	cwd      string
	bin      string // first on PATH: the place for stand-ins of programs
	ext      []string
	env      map[string]string
	settings map[string]any
	answers  []answer // of the terminal
	pi       *term    // the running one, if any
	died     bool     // pi was killed; calls may have no result
}

const marker = "PI_AGENT_ASK_E2E_BOX"

func newBox(t testing.TB, mode string, m *model) *box {
	t.Helper()
	root := t.TempDir()
	b := &box{
		t: t, model: m, root: root, agentDir: filepath.Join(root, "agent"), cwd: filepath.Join(root, "work"),
		bin: filepath.Join(root, "bin"), ext: []string{env.extension},
		settings: map[string]any{
			"defaultProvider": "scripted", "defaultModel": "scripted-1", "defaultProjectTrust": "never",
			"enableInstallTelemetry": false, "quietStartup": true, "theme": "dark", "cacheWarming": "off", "tuiMode": mode,
			"retry": map[string]any{"enabled": false}, "compaction": map[string]any{"enabled": false},
		},
	}
	tmp, home := filepath.Join(root, "tmp"), filepath.Join(root, "home")
	for _, d := range []string{filepath.Join(b.agentDir, "extensions"), b.cwd, b.bin, tmp, home} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// Compiling pi and the extension takes most of a cold start.
	if err := os.Symlink(filepath.Join(env.caches, "jiti"), filepath.Join(tmp, "jiti")); err != nil {
		t.Fatal(err)
	}
	b.env = map[string]string{
		"PATH": b.bin + ":" + filepath.Dir(env.node) + ":/usr/bin:/bin", "HOME": home, "TMPDIR": tmp, "LANG": "C.UTF-8", "TZ": "UTC",
		"TERM": "xterm-256color", "COLORTERM": "truecolor",
		"NODE_COMPILE_CACHE": filepath.Join(env.caches, "node"), "PI_CODING_AGENT_DIR": b.agentDir, "PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0",
		"PI_AGENT_ASK_ENGINE": env.engine, marker: root,
	}
	b.writeJSON(filepath.Join(b.agentDir, "models.json"), map[string]any{"providers": map[string]any{"scripted": map[string]any{
		"baseUrl": m.url, "api": "openai-completions", "apiKey": "local-test",
		"models": []any{map[string]any{
			"id": "scripted-1", "name": "Scripted", "input": []string{"text", "image"}, "contextWindow": 200000, "maxTokens": 8192,
		}},
	}}})
	t.Cleanup(b.close)
	return b
}

func (b *box) writeJSON(path string, v any) {
	b.t.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		b.t.Fatal(err)
	}
	b.write(path, string(text), 0o644)
}

// write writes a file; a relative path is below the working directory.
func (b *box) write(path, text string, mode os.FileMode) {
	b.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(b.cwd, path)
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), mode)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// askSettings writes the settings file of the extension.
func (b *box) askSettings(text string) {
	b.t.Helper()
	b.write(b.askSettingsPath(), text, 0o644)
}

func (b *box) askSettingsPath() string {
	return filepath.Join(b.agentDir, "extensions", "pi-agent-ask.json")
}

// command is pi in this box.
func (b *box) command(args ...string) *exec.Cmd {
	b.t.Helper()
	b.writeJSON(filepath.Join(b.agentDir, "settings.json"), b.settings)
	all := []string{env.pi}
	for _, e := range b.ext {
		all = append(all, "-e", e)
	}
	cmd := exec.Command(env.node, append(all, args...)...)
	cmd.Dir = b.cwd
	for _, k := range slices.Sorted(maps.Keys(b.env)) {
		cmd.Env = append(cmd.Env, k+"="+b.env[k])
	}
	return cmd
}

// start starts pi on a terminal of 100x30.
func (b *box) start(args ...string) *term { b.t.Helper(); return b.startSized(100, 30, args...) }

func (b *box) startSized(cols, rows int, args ...string) *term {
	b.t.Helper()
	b.pi = startTerm(b.t, b.command(args...), cols, rows, b.answers...)
	return b.pi
}

// run runs pi without a terminal until it ends.
func (b *box) run(stdin string, args ...string) (stdout, stderr string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	made := b.command(args...)
	cmd := exec.CommandContext(ctx, made.Path, made.Args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = made.Dir, made.Env, strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		b.t.Fatalf("pi %v: %v\n%s\n%s", args, err, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

// kill ends pi without a warning, as a crash would.
func (b *box) kill() {
	b.t.Helper()
	b.died = true
	b.pi.kill(syscall.SIGKILL)
	b.noOrphan()
}

// quit ends pi in good order.
func (b *box) quit() {
	b.t.Helper()
	b.pi.kill(syscall.SIGTERM)
	b.noOrphan()
}

// resume starts pi again with the newest session.
func (b *box) resume() *term { b.t.Helper(); return b.start("-c") }

// sub runs a part of a test in the running pi; after a failure the next part
// gets a fresh one.
func (b *box) sub(name string, part func()) {
	whole := b.t.(*testing.T)
	whole.Run(name, func(t *testing.T) {
		b.use(t)
		defer func() {
			if t.Failed() && b.pi != nil {
				t.Logf("screen:\n%s", b.pi.screen())
				b.died = true
				b.pi.kill(syscall.SIGTERM)
				b.use(whole)
				b.startSized(b.pi.cols, b.pi.rows).ready()
			}
			b.use(whole)
		}()
		part()
	})
}

func (b *box) use(t testing.TB) {
	b.t, b.model.t = t, t
	if b.pi != nil {
		b.pi.t = t
	}
}

// until waits for something that must become true.
func (b *box) until(what string, true_ func() bool) {
	b.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(15 * time.Millisecond) {
		if true_() {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("it never came to this: %s; session: %s", what, b.session().story())
		}
	}
}

// processes lists the processes of this box, found by a variable that they
// inherit. match picks those whose command line has a text.
func (b *box) processes(match string) []int {
	all, _ := os.ReadDir("/proc")
	var found []int
	for _, p := range all {
		pid, err := strconv.Atoi(p.Name())
		if err != nil {
			continue
		}
		vars, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil || !bytes.Contains(vars, []byte(marker+"="+b.root+"\x00")) {
			continue
		}
		words, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if len(words) > 0 && strings.Contains(string(words), match) {
			found = append(found, pid)
		}
	}
	return found
}

// killEngine ends the running engine as a crash would.
func (b *box) killEngine() {
	b.t.Helper()
	engines := b.processes(env.engine)
	if len(engines) != 1 {
		b.t.Fatalf("%d engines run, want one", len(engines))
	}
	_ = syscall.Kill(engines[0], syscall.SIGKILL)
}

// noOrphan checks that no process of the box is left; it may take its time to
// end.
func (b *box) noOrphan() {
	b.t.Helper()
	end := time.Now().Add(5 * time.Second)
	for len(b.processes("")) > 0 {
		if time.Now().After(end) {
			for _, pid := range b.processes("") {
				words, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
				b.t.Errorf("process %d is left over: %q", pid, words)
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// close ends what still runs, and holds every test to what must always be so.
func (b *box) close() {
	if b.t.Failed() {
		if b.pi != nil {
			b.t.Logf("screen at the end:\n%s", b.pi.screen())
		}
		b.t.Logf("session: %s", b.session().story())
	}
	if b.pi != nil {
		b.pi.kill(syscall.SIGTERM)
	}
	b.noOrphan()
	files, _ := filepath.Glob(filepath.Join(b.agentDir, "sessions", "*", "*.jsonl"))
	for _, f := range files {
		readSession(b.t, f).check(b.t, b.died)
	}
}

// check tests what holds in every session file: entries in order, no answer
// twice, no call without a result.
func (s session) check(t testing.TB, died bool) {
	t.Helper()
	open := map[string]bool{}
	delivered := map[string]int{}
	saved := map[string]bool{}
	for _, e := range s {
		switch e.String() {
		case "ask:history-completed":
			id, _ := at(e.Data, "requestId").(string)
			saved[id] = true
		case "ask:background-answer":
			id, _ := at(e.Details, "requestId").(string)
			delivered[id]++
			if !saved[id] {
				t.Errorf("the answer to %s was told before it was saved", id)
			}
		case "result wait_for_answers":
			results, _ := at(e.Message.Details, "results").([]any)
			for _, r := range results {
				id, _ := r.(map[string]any)["requestId"].(string)
				delivered[id]++
			}
		}
		switch e.Message.Role {
		case "assistant":
			var parts []struct{ Type, ID string }
			_ = json.Unmarshal(e.Message.Content, &parts)
			for _, p := range parts {
				if p.Type == "toolCall" {
					open[p.ID] = true
				}
			}
		case "toolResult":
			if !open[e.Message.ToolCallID] {
				t.Errorf("a result without a call: %s", e.Message.ToolCallID)
			}
			delete(open, e.Message.ToolCallID)
		}
	}
	for id, n := range delivered {
		if n > 1 && !s.branched() {
			t.Errorf("the answer to %s was told %d times", id, n)
		}
	}
	if len(open) > 0 && !died {
		t.Errorf("calls without a result: %v", slices.Sorted(maps.Keys(open)))
	}
}

// branched says whether an entry has two children: the same answer may then
// stand on each branch.
func (s session) branched() bool {
	seen := map[string]bool{}
	for _, e := range s {
		if seen[e.ParentID] {
			return true
		}
		seen[e.ParentID] = true
	}
	return false
}
