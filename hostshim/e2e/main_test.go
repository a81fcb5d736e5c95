//go:build unix

package e2e

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// env is what all tests share: pi, its Node, the engine and the extension.
var env struct {
	node, pi          string
	engine, extension string
	caches            string // of compiled JavaScript, which depends on nothing that a test changes
	skip              string // why nothing can be tested here
}

// TestMain builds the engine and the bundled extension once. Where npm was not
// run the tests are skipped, unless PI_AGENT_ASK_E2E=1 says that they must run.
func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "ask-e2e")
	if err == nil {
		err = prepare(dir)
	}
	switch {
	case errors.Is(err, errNoPi) && os.Getenv("PI_AGENT_ASK_E2E") != "1":
		env.skip = err.Error()
	case err != nil:
		fmt.Fprintln(os.Stderr, "end-to-end tests:", err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

var errNoPi = errors.New("pi is not installed; run `npm ci` in hostshim/pi")

func prepare(dir string) error {
	pack, err := filepath.Abs("../pi")
	if err != nil {
		return err
	}
	modules := filepath.Join(pack, "node_modules")
	env.node = filepath.Join(modules, ".bin", "node")
	env.pi = filepath.Join(modules, "@earendil-works", "pi-coding-agent", "dist", "bundle", "cli.js")
	for _, f := range []string{env.node, env.pi} {
		if _, err := os.Stat(f); err != nil {
			return fmt.Errorf("%w (%v)", errNoPi, err)
		}
	}
	env.caches = filepath.Join(dir, "caches")
	if err := os.MkdirAll(filepath.Join(env.caches, "jiti"), 0o755); err != nil {
		return err
	}
	env.engine = filepath.Join(dir, "pi-agent-ask")
	if out, err := exec.Command("go", "build", "-o", env.engine, "../cmd/pi-agent-ask").CombinedOutput(); err != nil {
		return fmt.Errorf("building the engine: %w\n%s", err, out)
	}
	env.extension = filepath.Join(dir, "package")
	return stage(pack, env.extension)
}

// stage lays the package out as npm would: the bundle, the manifest and the
// skill. The bundle is made here, so that a stale dist is never tested.
func stage(from, to string) error {
	if err := os.MkdirAll(filepath.Join(to, "dist"), 0o755); err != nil {
		return err
	}
	bundle := exec.Command(env.node, "scripts/bundle.mjs", filepath.Join(to, "dist"))
	bundle.Dir = from
	if out, err := bundle.CombinedOutput(); err != nil {
		return fmt.Errorf("bundling the extension: %w\n%s", err, out)
	}
	for _, name := range []string{"package.json", "manifest.json"} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return os.CopyFS(filepath.Join(to, "skills"), os.DirFS(filepath.Join(from, "skills")))
}

// modes are pi's two ways of drawing; what depends on the screen is tested in
// both.
var modes = []string{"fullscreen", "regular"}

// inBothModes runs a test once in each of pi's screen modes.
func inBothModes(t *testing.T, test func(t *testing.T, mode string)) {
	t.Parallel()
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) { parallel(t); test(t, mode) })
	}
}

// parallel marks a test that has a box of its own.
func parallel(t *testing.T) {
	t.Helper()
	if env.skip != "" {
		t.Skip(env.skip)
	}
	t.Parallel()
}

// slow marks a test that is left out with -short.
func slow(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out with -short")
	}
}
