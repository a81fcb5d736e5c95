package hostshim_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim"
)

// FuzzServe opens a form over the protocol, lets a script do what it likes, and
// shuts the engine down. A line of the script is one of
//
//	k ID          press a key        t TEXT        type
//	p TEXT        paste              h             a frame is on the screen
//	s COLS ROWS   the form's room    m COLS ROWS   the form is mounted
//	l             its place is lost  r, e          the editor is back, is taken
//	f, a, w       call: a form, one in the background, wait for answers
//	c             cancel the call    o             open the settings
//	u, b, d       a turn starts, ends; the agent settles
//	g             move to another branch
//	n METHOD      never answer this  x METHOD      refuse it
//	y METHOD      answer it again    .             wait until all of that is read
//
// or is sent as it is.
func FuzzServe(f *testing.F) {
	for _, script := range []string{
		"k 1\nk enter",
		"k 3\nt free text\nk enter\nk enter",
		"k 3\np pasted\\n\u2028 text\nk esc\ns 40 10\nk tab\nk enter",
		"k shift+n\nt why\nk enter\nk tab\nk down\nk enter",
		"s 1 1\nk down\ns 200 60\nm 20 5\nh\nk ?\nk esc\nk esc",
		"k 3\nt @ma\n.\nk tab\nk alt+v\nk ctrl+v\n.\nk enter",
		"o\n.\nk down\nk space\nk esc\no\no\nk esc",
		"a\na\nw\nk 1\nk enter\n.\nk 2\nk enter\nb\nu\nd",
		"l\nr\n.\nk 2\nl\ne\nf\nr\nk 1\nk enter",
		"c\nf\n.\nc\nf\ng\nf\n.\nk 1\nk enter",
		"n form/open\nf\na\nk 1\nk enter\ny form/open\nc\n.",
		"x journal/append\nk 1\nk enter\nf\na\ny journal/append\nu\nb",
		"n form/close\nk 1\nk enter\n.",
		"n session/branch\ng\nf\nw",
		"x form/open\nk esc\nf\na\n.\nb",
		"s -1 0\ns 1000000000 1000000000\nm 9223372036854775807 9223372036854775807\nk 3\nt wide\n.",
		"garbage\n[]\n{}\nnull\n\x00\n" + `{"jsonrpc":"2.0","id":1,"result":{"id":"x"}}` + "\n" + `{"jsonrpc":"2.0","id":{},"method":"shutdown"}`,
		`{"jsonrpc":"2.0","id":"a","method":"row/render","params":{"kind":"call","width":-1,"args":{"questions":[{"label":"\u001b"}]}}}` + "\n" +
			`{"jsonrpc":"2.0","id":"b","method":"session/start","params":{"gen":9,"mode":"tui"}}` + "\n" + `{"jsonrpc":"2.0","id":"c","method":"shutdown"}`,
		`{"jsonrpc":"2.0","method":"form/key","params":{"form":1,"id":"enter"}}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1}}`,
	} {
		f.Add(script)
	}
	f.Setenv("PATH", f.TempDir()) // no clipboard tools
	agentDir, cwd := noFolder(f), f.TempDir()
	f.Fuzz(func(t *testing.T, script string) {
		if len(script) > 8<<10 {
			t.Skip("nothing is learned from longer ones")
		}
		before := runtime.NumGoroutine()
		h := newFuzzHost(t)
		h.open(agentDir, cwd)
		for line := range strings.SplitSeq(script, "\n") {
			if h.play(line); h.over {
				break
			}
		}
		h.end()
		for late := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
			if time.Now().After(late) {
				stacks := make([]byte, 1<<20)
				t.Fatalf("goroutines are left:\n%s", stacks[:runtime.Stack(stacks, true)])
			}
		}
	})
}

// fuzzHost is a host that keeps account of what it was told.
type fuzzHost struct {
	t     *testing.T
	in    *io.PipeWriter
	ended chan error // the engine's
	heard chan struct{}
	over  bool // nothing that is sent now is answered
	gen   int
	ids   int

	mu      sync.Mutex
	moved   *sync.Cond
	form    int              // the newest
	opened  int              // forms that were mounted
	manners map[string]byte  // 'n' or 'x' by method
	told    map[int][]string // sizes, by form
	asked   map[string]int   // requests by id, with
	got     map[string]int   // their answers
	queue   [][]byte         // to be written: the reader must never wait for the engine
	done    bool
}

// size of the place of a form at first.
const fuzzSize = "80 24"

func newFuzzHost(t *testing.T) *fuzzHost {
	toEngine, in := io.Pipe()
	out, fromEngine := io.Pipe()
	h := &fuzzHost{t: t, in: in, ended: make(chan error, 1), heard: make(chan struct{}), manners: map[string]byte{},
		told: map[int][]string{}, asked: map[string]int{}, got: map[string]int{}}
	h.moved = sync.NewCond(&h.mu)
	go func() { h.ended <- hostshim.ServeAtOnce(context.Background(), toEngine, fromEngine) }()
	go h.write()
	go h.read(out)
	return h
}

// write sends what is queued.
func (h *fuzzHost) write() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		for len(h.queue) == 0 && !h.done {
			h.moved.Wait()
		}
		if len(h.queue) == 0 {
			_ = h.in.Close()
			return
		}
		lines := h.queue
		h.queue = nil
		h.mu.Unlock()
		_, _ = h.in.Write(bytes.Join(lines, nil))
		h.mu.Lock()
	}
}

func (h *fuzzHost) send(line []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queue = append(h.queue, append(line, '\n'))
	h.moved.Broadcast()
}

func (h *fuzzHost) say(m wire) {
	m.Version = "2.0"
	raw, err := ask.Marshal(m)
	if err != nil {
		panic(err)
	}
	h.send(raw)
}

func (h *fuzzHost) tell(method string, params map[string]any) {
	h.say(wire{Method: method, Params: params})
}

// request makes a request and returns its id.
func (h *fuzzHost) request(method string, params map[string]any) string {
	h.ids++
	id := fmt.Sprintf(`"%s %d"`, method, h.ids)
	h.expect(id)
	h.say(wire{ID: json.RawMessage(id), Method: method, Params: params})
	return id
}

func (h *fuzzHost) expect(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked[id]++
}

// await waits until something is true.
func (h *fuzzHost) await(done func() bool) {
	late := time.AfterFunc(10*time.Second, func() {
		stacks := make([]byte, 1<<20)
		panic(fmt.Sprintf("waited in vain\n%s", stacks[:runtime.Stack(stacks, true)]))
	})
	defer late.Stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	for !done() && !h.done {
		h.moved.Wait()
	}
}

func (h *fuzzHost) answered(id string) { h.await(func() bool { return h.got[id] > 0 }) }

// open goes through the opening, up to the first form.
func (h *fuzzHost) open(agentDir, cwd string) {
	h.request("initialize", map[string]any{"protocol": 1, "agentDir": agentDir, "powers": []string{"clipboard", "files"}, "form": map[string]any{"cols": 80, "rows": 24},
		"keys": map[string]any{"pasteImage": []string{"alt+v"}}})
	h.gen = 1
	h.answered(h.request("session/start", map[string]any{"gen": 1, "reason": "startup", "mode": "tui", "cwd": cwd, "editorReady": true}))
	h.execute(ask.ToolAsk, fuzzForm)
	h.await(func() bool { return h.opened > 0 })
}

const fuzzForm = `{"title":"Store","questions":[{"id":"db","label":"DB","prompt":"Where to keep <data>?","options":[
	{"value":"sqlite","label":"SQLite","description":"one file"},{"value":"pg","label":"Postgres"}]},
	{"id":"ci","label":"CI","type":"multi","prompt":"Which?","options":[{"value":"u","label":"Unit"},{"value":"r","label":"\u4e16\u754c"}]},
	{"id":"l","label":"Layout","type":"preview","prompt":"Which?","options":[{"value":"a","label":"A","preview":"# first\n\n- one\n- two"},{"value":"b","label":"B","preview":"second"}]}]}`

func (h *fuzzHost) execute(tool, params string) {
	h.request("tool/execute", map[string]any{"gen": h.gen, "callId": fmt.Sprint("c", h.ids), "name": tool, "params": json.RawMessage(params)})
}

// play plays one line of the script.
func (h *fuzzHost) play(line string) {
	command, rest, _ := strings.Cut(line, " ")
	h.mu.Lock()
	form := h.form
	h.mu.Unlock()
	inForm := map[string]any{"form": form}
	ofGen := map[string]any{"gen": h.gen}
	switch command {
	case "k":
		text := ""
		if len([]rune(rest)) == 1 {
			text = rest
		}
		h.tell("form/key", map[string]any{"form": form, "id": rest, "text": text})
	case "t":
		for _, r := range rest {
			h.tell("form/key", map[string]any{"form": form, "text": string(r)})
		}
	case "p":
		h.tell("form/paste", map[string]any{"form": form, "text": rest})
	case "s", "m":
		var cols, rows int
		if _, err := fmt.Sscan(rest, &cols, &rows); err != nil {
			return
		}
		h.room(form, cols, rows)
		h.tell(map[string]string{"s": "form/size", "m": "form/mounted"}[command], map[string]any{"form": form, "cols": cols, "rows": rows})
	case "h":
		h.tell("form/shown", inForm)
	case "l":
		h.tell("form/lost", inForm)
	case "r":
		h.tell("editor/ready", ofGen)
	case "e":
		h.tell("editor/taken", ofGen)
	case "f":
		h.execute(ask.ToolAsk, fuzzForm)
	case "a":
		h.execute(ask.ToolAsk, inBackground(fuzzForm))
	case "w":
		h.execute(ask.ToolWait, `{}`)
	case "c":
		h.tell("tool/cancel", map[string]any{"gen": h.gen, "callId": fmt.Sprint("c", h.ids)})
	case "o":
		h.request("command/settings", ofGen)
	case "u":
		h.request("turn/start", ofGen)
	case "b":
		h.request("turn/boundary", ofGen)
	case "d":
		h.request("agent/settled", ofGen)
	case "g":
		h.gen++
		h.request("session/tree", map[string]any{"gen": h.gen})
	case "n", "x", "y":
		h.mu.Lock()
		h.manners[rest] = command[0]
		h.mu.Unlock()
	case ".":
		h.answered(h.request("row/render", map[string]any{"kind": "waitCall", "width": 10}))
	default:
		h.raw(line)
	}
}

// raw sends a line as it is, and finds out what it means.
func (h *fuzzHost) raw(line string) {
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
		Params  json.RawMessage `json:"params"`
		Error   *struct {
			Code    int
			Message string
		}
	}
	if json.Unmarshal([]byte(line), &m) == nil && m.Version == "2.0" && m.Method != nil {
		if len(m.ID) > 0 && strings.ContainsRune(`"-0123456789`, rune(m.ID[0])) {
			h.expect(string(m.ID))
		} else if len(m.ID) > 0 && string(m.ID) != "null" {
			m.Method = new(string) // it is refused
		}
		h.over = *m.Method == "shutdown"
		var p struct{ Form, Cols, Rows int }
		if json.Unmarshal(m.Params, &p) == nil {
			h.room(p.Form, p.Cols, p.Rows)
		}
	}
	h.send([]byte(line))
}

// room takes note of a size that the engine is going to be told.
func (h *fuzzHost) room(form, cols, rows int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told[form] = append(h.told[form], fmt.Sprint(min(cols, hostshim.MaxCells), " ", min(rows, hostshim.MaxCells)))
}

// end shuts the engine down and looks whether everything was answered.
func (h *fuzzHost) end() {
	if !h.over {
		h.request("shutdown", nil)
	}
	h.await(func() bool { return false })
	if err := <-h.ended; err != nil {
		h.t.Errorf("the engine ended with %v", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(h.asked)) {
		if h.got[id] != h.asked[id] {
			h.t.Errorf("%d request(s) %s have %d answers", h.asked[id], id, h.got[id])
		}
	}
}

// read hears the engine until it hangs up.
func (h *fuzzHost) read(out io.Reader) {
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
			Error  *wireError
		}
		if err := json.Unmarshal(line, &m); err != nil {
			h.t.Errorf("the engine said %q: %v", line, err)
			continue
		}
		switch {
		case m.Method == "form/frame":
			h.frame(m.Params)
		case m.Method != "" && m.ID != nil:
			h.called(m.ID, m.Method, m.Params)
		case m.Method == "":
			if e := m.Error; e != nil && (strings.Contains(e.Message, "the engine failed") || strings.Contains(e.Message, "shown: panic")) {
				h.t.Errorf("a panic: %s", e.Message)
			}
			h.mu.Lock()
			h.got[string(m.ID)]++
			h.moved.Broadcast()
			h.mu.Unlock()
		}
	}
	h.mu.Lock()
	h.done = true
	h.moved.Broadcast()
	h.mu.Unlock()
	close(h.heard)
}

// frame checks a picture.
func (h *fuzzHost) frame(params json.RawMessage) {
	var f hostshim.Frame
	if err := json.Unmarshal(params, &f); err != nil {
		h.t.Error(err)
		return
	}
	h.mu.Lock()
	told := slices.Contains(h.told[f.Number], fmt.Sprint(f.Cols, " ", f.Rows))
	h.mu.Unlock()
	if !told {
		h.t.Errorf("a frame for %d x %d; sizes told: %v", f.Cols, f.Rows, h.told[f.Number])
	}
	h.fits(f)
}

// fits checks that a picture has the size that it says it has.
func (h *fuzzHost) fits(f hostshim.Frame) {
	if len(f.Lines) > f.Rows {
		h.t.Errorf("a frame of %d lines for %d x %d", len(f.Lines), f.Cols, f.Rows)
	}
	var widths display.WidthFunc
	for _, line := range f.Lines {
		if w := widths.Width(sequences.ReplaceAllString(line, "")); w > f.Cols {
			h.t.Errorf("a line of %d columns in a frame of %d: %q", w, f.Cols, line)
		}
	}
}

// called answers a call of the engine.
func (h *fuzzHost) called(id json.RawMessage, method string, params json.RawMessage) {
	var p struct {
		Form  int
		Frame *hostshim.Frame // of an opening
		Data  struct{ Error string }
	}
	_ = json.Unmarshal(params, &p) // what is missing is zero
	if strings.HasPrefix(p.Data.Error, "panic") {
		h.t.Errorf("a panic: %s", p.Data.Error)
	}
	if p.Frame != nil {
		h.fits(*p.Frame)
	}
	h.mu.Lock()
	manner := h.manners[method]
	h.mu.Unlock()
	switch manner {
	case 'n':
		return
	case 'x':
		h.say(wire{ID: id, Error: &wireError{Code: -32603, Message: "no"}})
		return
	}
	result := `{}`
	switch method {
	case "journal/append":
		result = `{"id":` + strconv.Quote(string(id)) + `}`
	case "session/branch":
		result = `{"leaf":"","entries":[],"complete":false}`
	case "agent/state":
		result = `{"idle":true}`
	case "files/suggest":
		result = `{"items":[{"value":"main.go","name":"main.go","path":"main.go"},{"value":"a b","name":"a b","path":"x/a b","dir":true}]}`
	case "clipboard/image":
		result = `{"mimeType":"image/png","data":"iVBORw0KGgo="}`
	}
	h.say(wire{ID: id, Result: json.RawMessage(result)})
	if method == "form/open" {
		h.mu.Lock()
		h.told[p.Form] = append(h.told[p.Form], fuzzSize)
		h.mu.Unlock()
		h.tell("form/mounted", map[string]any{"form": p.Form, "cols": 80, "rows": 24})
		h.mu.Lock()
		h.form = p.Form
		h.opened++
		h.moved.Broadcast()
		h.mu.Unlock()
	}
}
