//go:build unix && !darwin

package clipboard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/form/internal/proc"
)

// fakeTools puts programs on PATH that are shell scripts, and nothing else but
// the shell's own tools.
func fakeTools(t *testing.T, scripts map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, body := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"sleep", "yes", "head", "cat"} {
		if path, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("PATH", dir)
	for _, name := range []string{"WAYLAND_DISPLAY", "WSL_DISTRO_NAME", "WSL_INTEROP"} {
		t.Setenv(name, "")
	}
}

func TestFakeToolsOnPath(t *testing.T) {
	// The types, or 10 bytes that no text survives.
	const good = `case "$*" in *TARGETS*) echo image/png;; *) printf '\211PNG\r\n\032\n\000\377';; esac`
	goodData := encoded([]byte("\x89PNG\r\n\x1a\n\x00\xff"))
	tests := []struct {
		name  string
		tools map[string]string
		env   map[string]string
		data  string
		err   error
	}{
		{name: "bytes arrive as they are", tools: map[string]string{"xclip": good}, data: goodData},
		{name: "no tool at all", err: exec.ErrNotFound},
		{name: "fails", tools: map[string]string{"xclip": `echo image/png; exit 1`}, err: ErrUnavailable},
		{name: "warns on its error output", tools: map[string]string{"xclip": `echo warning >&2; ` + good}, data: goodData},
		{name: "writes without end", tools: map[string]string{"xclip": `case "$*" in *TARGETS*) echo image/png;; *) exec yes;; esac`}, err: proc.ErrTooMuch},
		{name: "leaves a child that holds its output", tools: map[string]string{"xclip": good + "\nsleep 60 &"}, data: goodData},
		{name: "Wayland fails, X11 works", tools: map[string]string{"wl-paste": `exit 1`, "xclip": good}, env: map[string]string{"WAYLAND_DISPLAY": "w"}, data: goodData},
		{
			name: "WSL through PowerShell",
			tools: map[string]string{
				"wslpath": `printf '%s\r\n' "$2"`,
				"powershell.exe": `script=$4; file=${script#*Save(\'}; file=${file%%\'*}
printf 'PNG' >"$file"; printf 'ok\r\n'`,
			},
			env:  map[string]string{"WSL_DISTRO_NAME": "Debian"},
			data: encoded([]byte("PNG")),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fakeTools(t, tt.tools)
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			temp := t.TempDir()
			// A longer limit than the real one, for machines that are busy.
			got, err := System(&Options{TempDir: temp, Run: runTool(time.Minute)}).ReadImage(t.Context())
			if !errors.Is(err, tt.err) || got.Data != tt.data {
				t.Errorf("got %+v, %v", got, err)
			}
			if tt.err != nil && !errors.Is(err, ErrUnavailable) {
				t.Errorf("error %v is not unavailable", err)
			}
			leftNothing(t, temp)
		})
	}
}

// A tool that hangs is ended at the time limit, and at once with the context.
func TestHangingTool(t *testing.T) {
	fakeTools(t, map[string]string{"xclip": `sleep 60 & sleep 60`})
	reader := System(&Options{Run: runTool(100 * time.Millisecond)})
	if _, err := reader.ReadImage(t.Context()); !errors.Is(err, ErrUnavailable) || !errors.Is(err, proc.ErrTimeout) {
		t.Fatalf("error %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := System(nil).ReadImage(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("error %v", err)
	}
}

// TestRealXClipboard puts a picture into the clipboard of a real X server and
// reads it back.
func TestRealXClipboard(t *testing.T) {
	for _, name := range []string{"Xvfb", "xclip"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed: no real clipboard to read (Debian: apt-get install xvfb xclip)", name)
		}
	}
	display := startX(t)
	t.Setenv("DISPLAY", display)
	awaitX(t)
	for _, name := range []string{"WAYLAND_DISPLAY", "WSL_DISTRO_NAME", "WSL_INTEROP"} {
		t.Setenv(name, "")
	}
	if _, err := System(nil).ReadImage(t.Context()); !errors.Is(err, ErrUnavailable) && !errors.Is(err, ErrEmpty) {
		t.Fatalf("new X server: error %v", err)
	}

	setClipboard(t, display, []byte("only text"), "text/plain")
	if _, err := System(nil).ReadImage(t.Context()); !errors.Is(err, ErrEmpty) {
		t.Fatalf("text in the clipboard: error %v", err)
	}

	picture := noisyPNG(t, 300, 200)
	setClipboard(t, display, picture, "image/png")
	for range 2 { // reading takes nothing away
		got, err := System(nil).ReadImage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got.MimeType != "image/png" || got.Data != encoded(picture) {
			t.Fatalf("%s of %d characters, want image/png of %d", got.MimeType, len(got.Data), len(encoded(picture)))
		}
	}
}

// awaitX waits until clients get in: a new server names its display before that.
func awaitX(t *testing.T) {
	t.Helper()
	var said []byte
	for range 100 {
		said, _ = exec.Command("xclip", "-selection", "clipboard", "-t", "TARGETS", "-o").CombinedOutput()
		if !bytes.Contains(said, []byte("open display")) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Skipf("the X server takes no clients: %s", said)
}

// startX starts an X server that picks a free display, and ends it with the test.
func startX(t *testing.T) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "320x240x24", "-nolisten", "tcp", "-noreset")
	server.ExtraFiles = []*os.File{w}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	_ = r.SetReadDeadline(time.Now().Add(20 * time.Second))
	line := make([]byte, 16)
	n, err := r.Read(line)
	if err != nil {
		t.Skipf("Xvfb gives no display: %v", err)
	}
	number, err := strconv.Atoi(strings.TrimSpace(string(line[:n])))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(":%d", number)
}

// setClipboard gives the clipboard to an xclip that serves it until the X
// server ends or another one takes over.
func setClipboard(t *testing.T, display string, data []byte, mimeType string) {
	t.Helper()
	cmd := exec.Command("xclip", "-selection", "clipboard", "-t", mimeType, "-i")
	cmd.Env = append(os.Environ(), "DISPLAY="+display)
	cmd.Stdin = bytes.NewReader(data)
	log, err := os.CreateTemp(t.TempDir(), "xclip") // a file: xclip goes on in the background
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stderr = log
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(log.Name())
		t.Fatalf("%v: %s", err, said)
	}
}

// noisyPNG is too large for one piece of an X transfer and of a pipe.
func noisyPNG(t *testing.T, width, height int) []byte {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		for y := range height {
			m.Set(x, y, color.RGBA{uint8(random.Uint32()), uint8(random.Uint32()), uint8(random.Uint32()), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
