//go:build unix

package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// placement is where a picture lies on the terminal: its rows are counted from
// the first one that ever was.
type placement struct {
	id        string
	top, rows int
}

// graphics follows the Kitty graphics protocol as far as pi uses it. Text that
// is written over a picture does not take it away.
func (p *term) graphics(data []byte) bool {
	controls, _, _ := strings.Cut(string(data), ";")
	keys := map[string]string{}
	for pair := range strings.SplitSeq(strings.TrimPrefix(controls, "G"), ",") {
		k, v, _ := strings.Cut(pair, "=")
		keys[k] = v
	}
	removed := func(have placement) bool {
		return keys["a"] == "d" && (strings.EqualFold(keys["d"], "a") || have.id == keys["i"])
	}
	var left []placement
	for _, have := range p.pictures {
		if !removed(have) {
			left = append(left, have)
		}
	}
	if keys["a"] == "T" || keys["a"] == "p" {
		rows, _ := strconv.Atoi(keys["r"])
		left = append(left, placement{keys["i"], p.screenOf.ScrollbackLen() + p.screenOf.CursorPosition().Y, rows})
	}
	p.pictures = left
	return true
}

// pictureRows are the rows of the screen that pictures cover.
func (p *term) pictureRows() map[int]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	rows := map[int]bool{}
	for _, have := range p.pictures {
		for y := have.top; y < have.top+have.rows; y++ {
			rows[y-p.screenOf.ScrollbackLen()] = true
		}
	}
	return rows
}

// picture writes a picture that is as wide as it is high.
func (b *box) picture(name string, size int) []byte {
	b.t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, size, size))); err != nil {
		b.t.Fatal(err)
	}
	b.write(name, out.String(), 0o644)
	return out.Bytes()
}

// A picture in the last lines of the conversation, on a terminal that draws
// pictures: the form has rows of its own, and no picture reaches into them,
// whatever the form's height and the window's size become.
func TestFormBelowAPicture(t *testing.T) {
	inBothModes(t, func(t *testing.T, mode string) {
		slow(t)
		m := newModel(t, use("read", `{"path":"picture.png"}`), ask(oneStore), say("Done."))
		b := newBox(t, mode, m)
		b.env["PI_IMAGE_PROTOCOL"] = "kitty"
		b.picture("picture.png", 200)
		pi := b.startSized(100, 45, "start")
		shown := 0
		check := func(when string) {
			t.Helper()
			lines := strings.Split(pi.screen(), "\n")
			covered := pi.pictureRows()
			for y, line := range lines {
				if covered[y] {
					shown++
				}
				if covered[y] && strings.TrimSpace(line) != "" {
					t.Errorf("%s: a picture lies over row %d, %q:\n%s", when, y, line, strings.Join(lines, "\n"))
				}
			}
		}
		pi.form("Which store?")
		check("the form is open")
		if shown == 0 {
			t.Error("there is no picture on the screen")
		}
		pi.keys("n", "a note", "Enter")
		pi.sees("Note: a note")
		check("it has grown")
		pi.keys("?")
		pi.sees("Live settings")
		check("its settings are open")
		pi.keys("Esc")
		pi.loses("Live settings")
		pi.resize(80, 30)
		pi.sees("Enter confirm")
		b.until("the picture is drawn anew", func() bool { return strings.Contains(pi.screen(), "Note: a note") })
		check("the window is smaller")
		pi.keys("2")
		pi.sees("❯ 1. Submit")
		check("the review is open")
		pi.keys("Enter")
		pi.sees("Done.")
	})
}

// The clipboard of an X server without any program that reads it: pi's own
// binding does.
func TestNativeClipboard(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(oneStore), say("Seen."))
	b := newBox(t, "fullscreen", m)
	display := xServer(t)
	data := b.picture("picture.png", 3)
	fill := exec.Command("xclip", "-selection", "clipboard", "-t", "image/png", "-i", filepath.Join(b.cwd, "picture.png"))
	fill.Env = append(os.Environ(), "DISPLAY="+display)
	if err := fill.Run(); err != nil { // a copy of it stays, until the server ends
		t.Fatal(err)
	}
	for _, name := range []string{"wl-paste", "xclip"} {
		b.write(filepath.Join(b.bin, name), "#!/bin/sh\nexit 1\n", 0o755)
	}
	b.env["DISPLAY"] = display
	pi := b.start("start")
	pi.form("Which store?")
	pi.keys("3", "C-v")
	pi.sees("[1 image]")
	pi.keys("Enter")
	pi.sees("❯ 1. Submit")
	pi.keys("Enter")
	if n := m.request(2).last().images(); n != 1 {
		t.Errorf("the model was sent %d pictures", n)
	}
	pi.sees("Seen.")
	details := b.session().of("result ask_user")[0].Message.Details
	if got := at(details, "answers.db.customImages.0.data"); got != base64.StdEncoding.EncodeToString(data) || at(details, "answers.db.customImages.0.mimeType") != "image/png" {
		t.Errorf("details: %s", details)
	}
}

// xServer starts an X server without a screen and returns its name.
func xServer(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"Xvfb", "xclip"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = read.Close() }()
	server := exec.Command("Xvfb", "-displayfd", "3", "-nolisten", "tcp", "-screen", "0", "64x64x24")
	server.ExtraFiles = []*os.File{write}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	var number int
	if _, err := fmt.Fscan(read, &number); err != nil {
		t.Skipf("Xvfb does not start: %v", err)
	}
	return fmt.Sprintf(":%d", number)
}
