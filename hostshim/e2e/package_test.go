//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The packages as they are published: staged, packed, installed by npm from the
// tarballs, and added to pi. The engine is the one of the platform package.
func TestPackage(t *testing.T) {
	slow(t)
	parallel(t)
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not installed")
	}
	m := newModel(t, ask(oneStore), say("Done."))
	b := newBox(t, "fullscreen", m)
	prefix := filepath.Join(b.root, "prefix")
	tarballs := pack(t, npm, filepath.Join(b.root, "stage"))
	command(t, b.root, npm, append([]string{"install", "--prefix", prefix, "--legacy-peer-deps"}, tarballs...)...)

	modules := filepath.Join(prefix, "node_modules")
	b.ext = nil
	delete(b.env, "PI_AGENT_ASK_ENGINE")
	b.run("", "install", filepath.Join(modules, "pi-agent-ask"))
	text, err := os.ReadFile(filepath.Join(b.agentDir, "settings.json"))
	if err == nil {
		err = json.Unmarshal(text, &b.settings) // they are written anew with each start
	}
	if err != nil {
		t.Fatal(err)
	}
	pi := b.start("start")
	pi.form("Which store?")
	if engines := b.processes(filepath.Join(modules, "@pi-agent-ask")); len(engines) != 1 {
		t.Errorf("%d engines of the package run", len(engines))
	}
	pi.pick("2")
	if got := m.request(2).result(); !strings.HasSuffix(got, "Q1: SQLite") {
		t.Errorf("the model was told %q", got)
	}
	pi.sees("Done.")
	if !strings.Contains(m.request(1).raw, filepath.Join("pi-agent-ask", "skills")) {
		t.Error("the model is not told of the skill")
	}
}

// pack stages the packages with an engine for this machine only, and packs
// them.
func pack(t *testing.T, npm, dir string) (tarballs []string) {
	t.Helper()
	// The sources as they are, but the bundle of this run.
	from, err := filepath.Abs("../pi")
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(dir, "hostshim", "pi")
	for _, part := range []struct{ from, to string }{
		{filepath.Join(from, "..", "..", "LICENSE"), filepath.Join(dir, "LICENSE")},
		{filepath.Join(from, "README.md"), filepath.Join(source, "README.md")},
		{filepath.Join(from, "scripts", "stage.mjs"), filepath.Join(source, "scripts", "stage.mjs")},
		{filepath.Join(env.extension, "package.json"), filepath.Join(source, "package.json")},
		{filepath.Join(env.extension, "manifest.json"), filepath.Join(source, "manifest.json")},
		{filepath.Join(env.extension, "dist"), filepath.Join(source, "dist")},
		{filepath.Join(env.extension, "skills"), filepath.Join(source, "skills")},
		{env.engine, filepath.Join(dir, "engines", "pi-agent-ask-"+runtime.GOOS+"-"+strings.Replace(runtime.GOARCH, "amd64", "x64", 1))},
	} {
		if err := os.MkdirAll(filepath.Dir(part.to), 0o755); err != nil {
			t.Fatal(err)
		}
		command(t, dir, "cp", "-R", part.from, part.to)
	}
	staged := filepath.Join(dir, "packages")
	command(t, dir, env.node, filepath.Join(source, "scripts", "stage.mjs"), filepath.Join(dir, "engines"), staged)
	folders, _ := filepath.Glob(filepath.Join(staged, "*"))
	if len(folders) != 2 {
		t.Fatalf("staged: %v", folders)
	}
	for _, folder := range folders {
		command(t, folder, npm, "pack", "--pack-destination", dir)
	}
	tarballs, _ = filepath.Glob(filepath.Join(dir, "*.tgz"))
	return tarballs
}

// command runs a program that must not look at the network nor at the settings
// of whoever runs the tests.
func command(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "npm_config_cache="+home, "npm_config_userconfig=/dev/null", "npm_config_offline=true",
		"npm_config_audit=false", "npm_config_fund=false", "npm_config_update_notifier=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}
