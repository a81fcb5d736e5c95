package hostshim_test

import (
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// editor opens a form in which the answer is being typed.
func editor(t *testing.T, powers ...string) (*remote, chan any) {
	t.Helper()
	t.Setenv("PATH", t.TempDir()) // without the system's clipboard tools
	r := connect(t, powers...)
	call := r.execute("c", single)
	r.seen("Where to keep")
	r.press(1, "3")
	return r, call
}

func (r *remote) types(text string) {
	for _, c := range text {
		r.tell("form/key", map[string]any{"form": 1, "text": string(c)})
	}
}

// answered submits the form and returns the content of the result.
func (r *remote) answered(call chan any) []ask.Block {
	r.t.Helper()
	r.press(1, "enter", "enter")
	out, ok := (<-call).(toolResult)
	if !ok {
		r.t.Fatal("the call has failed")
	}
	return out.Content
}

func item(path string) map[string]any {
	return map[string]any{"value": path, "name": path[strings.LastIndexByte(path, '/')+1:], "path": path}
}

func TestFilesOfTheHost(t *testing.T) {
	t.Run("the list of the host is offered and taken", func(t *testing.T) {
		r, call := editor(t, "files")
		r.gives("files/suggest", map[string]any{"items": []any{item("src/main.go"), item("a b.txt")}, "fieldOfTheFuture": 1})
		r.types("see @ma")
		r.seen("main.go")
		r.press(1, "down", "tab")
		r.gone("main.go")
		if text := r.answered(call)[0].Text; !strings.HasSuffix(text, `DB: see @"a b.txt"`) {
			t.Errorf("the model reads %q", text)
		}
	})
	t.Run("the query is what follows the @", func(t *testing.T) {
		r, _ := editor(t, "files")
		r.fail(nil, "files/suggest")
		for i, want := range []string{"", "<", "<m", "<m\u00fc"} {
			r.types(string([]rune("@<m\u00fc")[i]))
			r.called("files/suggest", i+1)
			r.mu.Lock()
			if got := r.held["files/suggest"][i].Params.(map[string]any)["query"]; got != want {
				t.Errorf("query %q, not %q", got, want)
			}
			r.mu.Unlock()
		}
	})
	t.Run("what comes too late is dropped", func(t *testing.T) {
		r, call := editor(t, "files")
		r.fail(nil, "files/suggest")
		r.types("@")
		r.called("files/suggest", 1)
		r.types("a")
		r.called("files/suggest", 2)
		r.reply("files/suggest", 0, map[string]any{"items": []any{item("too-late.txt")}})
		r.reply("files/suggest", 1, map[string]any{"items": []any{item("in-time.txt")}})
		r.seen("in-time.txt")
		r.mu.Lock()
		for _, f := range r.frames {
			if strings.Contains(plain(f), "too-late.txt") {
				t.Error("the list for an older query was shown")
			}
		}
		r.mu.Unlock()
		r.press(1, "tab")
		if text := r.answered(call)[0].Text; !strings.HasSuffix(text, "DB: @in-time.txt") {
			t.Errorf("the model reads %q", text)
		}
	})
	t.Run("no answer, no list, and an error do no harm", func(t *testing.T) {
		r, call := editor(t, "files")
		r.fail(nil, "files/suggest")
		r.types("@a ")
		r.fail(&wireError{Code: -32603, Message: "no fd"}, "files/suggest")
		r.types("@b ")
		r.gives("files/suggest", map[string]any{"items": []any{}})
		r.types("@c ")
		r.gives("files/suggest", map[string]any{"items": "three"})
		r.types("@d")
		if text := r.answered(call)[0].Text; !strings.HasSuffix(text, "DB: @a @b @c @d") {
			t.Errorf("the model reads %q", text)
		}
	})
	t.Run("names that could do harm are left out, and a list has an end", func(t *testing.T) {
		r, call := editor(t, "files")
		items := []any{item("esc\x1b[2J"), item("line\nbreak"), item(`quo"te`), item("nul\x00"), item("broken\ufffd"), item(""),
			item(strings.Repeat("x", 5000)), item("good.txt")}
		for i := range 20_000 {
			items = append(items, item(fmt.Sprint("more-", i)))
		}
		r.gives("files/suggest", map[string]any{"items": items})
		r.types("@")
		r.seen("good.txt")
		r.press(1, "up") // to the last one
		r.seen("more-98")
		r.press(1, "down", "enter")
		if text := r.answered(call)[0].Text; !strings.HasSuffix(text, "DB: @good.txt") {
			t.Errorf("the model reads %q", text)
		}
	})
	t.Run("a host without the power is not asked", func(t *testing.T) {
		r, call := editor(t, "clipboard")
		r.types("@nothing-has-this-name")
		r.seen("@nothing")
		_ = r.answered(call)
		if r.count("files/suggest") > 0 {
			t.Error("files/suggest was called")
		}
	})
}

func TestClipboardOfTheHost(t *testing.T) {
	const small = "iVBORw0KGgo="
	t.Run("an image", func(t *testing.T) {
		r, call := editor(t, "clipboard", "files", "powerOfTheFuture")
		r.gives("clipboard/image", map[string]any{"mimeType": "image/png", "data": small})
		r.press(1, "alt+v")
		r.seen("1 image")
		content := r.answered(call)
		if last := content[len(content)-1]; last.Type != "image" || last.MimeType != "image/png" || last.Data != small {
			t.Errorf("content %+v", content)
		}
	})
	huge := base64.StdEncoding.EncodeToString(make([]byte, 1<<20))
	for _, c := range []struct {
		name   string
		result any
		seen   string
	}{
		{"nothing", map[string]any{"empty": true}, "The clipboard holds no image."},
		{"a huge image", map[string]any{"mimeType": "image/png", "data": huge}, "1 image"},
		{"an image that is too large", map[string]any{"mimeType": "image/png", "data": strings.Repeat(huge, 33)}, "in a format that cannot be read"},
		{"another type", map[string]any{"mimeType": "image/tiff", "data": small}, "in a format that cannot be read"},
		{"no type", map[string]any{"data": small}, "in a format that cannot be read"},
		{"no data", map[string]any{"mimeType": "image/png"}, "in a format that cannot be read"},
		{"no base64", map[string]any{"mimeType": "image/png", "data": "<png>"}, "in a format that cannot be read"},
		{"nothing of the kind", []int{7}, "No way to read images"},
		{"an error", nil, "No way to read images"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "an image that is too large" && raceEnabled {
				t.Skip("reads 46 MB; not with -race")
			}
			if c.seen == "No way to read images" && runtime.GOOS != "linux" {
				t.Skip("the system is asked next")
			}
			r, call := editor(t, "clipboard")
			if r.gives("clipboard/image", c.result); c.result == nil {
				r.fail(&wireError{Code: -32603, Message: "no clipboard"}, "clipboard/image")
			}
			r.types("some text")
			r.press(1, "alt+v")
			r.seen(c.seen)
			content := r.answered(call)
			if _, text, _ := strings.Cut(content[0].Text, "DB: "); !strings.HasPrefix(text, "some text") {
				t.Errorf("the model reads %q", content[0].Text)
			}
			if attached := len(content) > 1; attached != (c.seen == "1 image") {
				t.Errorf("%d blocks, the screen says %q", len(content), c.seen)
			}
		})
	}
	t.Run("an image that comes while the user goes on", func(t *testing.T) {
		r, call := editor(t, "clipboard")
		r.fail(nil, "clipboard/image")
		r.press(1, "alt+v")
		r.seen("Reading the clipboard")
		r.called("clipboard/image", 1)
		r.types("meanwhile")
		r.press(1, "alt+v") // one is on its way
		r.seen("meanwhile")
		r.reply("clipboard/image", 0, map[string]any{"mimeType": "image/png", "data": small})
		r.seen("1 image")
		content := r.answered(call)
		if !strings.Contains(content[0].Text, "meanwhile") || content[len(content)-1].Data != small {
			t.Errorf("content %+v", content)
		}
		if n := r.count("clipboard/image"); n != 1 {
			t.Errorf("the host was asked %d times", n)
		}
	})
	t.Run("an image that comes when its editor is closed", func(t *testing.T) {
		r, call := editor(t, "clipboard")
		r.fail(nil, "clipboard/image")
		r.press(1, "alt+v")
		r.called("clipboard/image", 1)
		r.press(1, "esc", "1")
		r.reply("clipboard/image", 0, map[string]any{"mimeType": "image/png", "data": small})
		r.press(1, "enter")
		out := (<-call).(toolResult)
		if !strings.HasSuffix(out.Content[0].Text, "DB: SQLite") || len(out.Content) != 1 {
			t.Errorf("content %+v", out.Content)
		}
	})
	t.Run("an image that never comes", func(t *testing.T) {
		r, call := editor(t, "clipboard")
		r.fail(nil, "clipboard/image")
		r.types("text only")
		r.press(1, "alt+v")
		r.called("clipboard/image", 1)
		if text := r.answered(call)[0].Text; !strings.HasSuffix(text, "DB: text only") {
			t.Errorf("the model reads %q", text)
		}
		r.call("shutdown", nil)
	})
}
