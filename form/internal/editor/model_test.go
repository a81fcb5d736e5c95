package editor

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
)

// model is the editor without rows: a list of clusters, a cursor between them
// and all earlier states. It has no shared code with the editor.
type model struct {
	cells []string // a newline is a cell
	cur   int
	past  []state
	kills []string
	chain bool // the last key killed
}

type state struct {
	text string
	cur  int // byte
}

func (m *model) state() state {
	return state{strings.Join(m.cells, ""), len(strings.Join(m.cells[:m.cur], ""))}
}

// set finds the clusters of s.text from scratch.
func (m *model) set(s state) {
	m.cells, m.cur = nil, 0
	at := 0
	add := func(cell string) {
		if at < s.cur {
			m.cur = len(m.cells) + 1
		}
		m.cells = append(m.cells, cell)
		at += len(cell)
	}
	for i, part := range strings.Split(s.text, "\n") {
		if i > 0 {
			add("\n")
		}
		for part != "" {
			n := display.NextCluster(part)
			add(part[:n])
			part = part[n:]
		}
	}
}

func (m *model) change(from, to int, ins string) {
	if from == to && ins == "" {
		return
	}
	m.past = append(m.past, m.state())
	head := strings.Join(m.cells[:from], "") + ins
	m.set(state{head + strings.Join(m.cells[to:], ""), len(head)})
}

// undone goes back to the state the editor went to, which has to be an earlier
// one.
func (m *model) undone(to state) bool {
	for n := len(m.past); n > 0; n-- {
		if m.past[n-1] == to {
			m.past = m.past[:n-1]
			m.set(to)
			return true
		}
	}
	return len(m.past) == 0 && m.state() == to
}

func (m *model) lineStart() int {
	i := m.cur
	for i > 0 && m.cells[i-1] != "\n" {
		i--
	}
	return i
}

func (m *model) lineEnd() int {
	i := m.cur
	for i < len(m.cells) && m.cells[i] != "\n" {
		i++
	}
	return i
}

func (m *model) wordLeft() int {
	start, i := m.lineStart(), m.cur
	if i == start {
		return max(0, i-1)
	}
	for i > start && kindOf(m.cells[i-1]) == blank {
		i--
	}
	for k := i; i > start && kindOf(m.cells[i-1]) == kindOf(m.cells[k-1]); {
		i--
	}
	return i
}

func (m *model) wordRight() int {
	end, i := m.lineEnd(), m.cur
	if i == end {
		return min(len(m.cells), i+1)
	}
	for i < end && kindOf(m.cells[i]) == blank {
		i++
	}
	for k := i; i < end && kindOf(m.cells[i]) == kindOf(m.cells[k]); {
		i++
	}
	return i
}

func (m *model) kill(from, to int) {
	if from == to {
		return
	}
	text := strings.Join(m.cells[from:to], "")
	switch n := len(m.kills); {
	case m.chain && from == m.cur:
		m.kills[n-1] += text
	case m.chain:
		m.kills[n-1] = text + m.kills[n-1]
	default:
		m.kills = append(m.kills, text)
	}
	m.change(from, to, "")
	m.chain = true
}

// key does what the editor should do; it knows no keys that move by rows.
func (m *model) key(id, text string) {
	chain := m.chain
	m.chain = false
	left, right := max(0, m.cur-1), min(len(m.cells), m.cur+1)
	switch id {
	case "left":
		m.cur = left
	case "right":
		m.cur = right
	case "alt+b":
		m.cur = m.wordLeft()
	case "alt+f":
		m.cur = m.wordRight()
	case "home":
		m.cur = m.lineStart()
	case "end":
		m.cur = m.lineEnd()
	case "shift+enter":
		m.change(m.cur, m.cur, "\n")
	case "backspace":
		m.change(left, m.cur, "")
	case "delete":
		m.change(m.cur, right, "")
	case "ctrl+y":
		if n := len(m.kills); n > 0 {
			m.change(m.cur, m.cur, m.kills[n-1])
		}
	case "ctrl+w", "alt+d", "ctrl+u", "ctrl+k":
		m.chain = chain
		m.killKey(id)
	default:
		m.change(m.cur, m.cur, text)
	}
}

func (m *model) killKey(id string) {
	from, to := m.cur, m.cur
	switch id {
	case "ctrl+w":
		from = m.wordLeft()
	case "alt+d":
		to = m.wordRight()
	case "ctrl+u":
		if from = m.lineStart(); from == m.cur {
			from = max(0, m.cur-1)
		}
	case "ctrl+k":
		if to = m.lineEnd(); to == m.cur {
			to = min(len(m.cells), m.cur+1)
		}
	}
	m.kill(from, to)
}

func stateOf(e *Editor) state {
	return state{e.Text(), len(e.slice(position{}, e.cur))}
}

var (
	modelKeys = []string{
		"left", "right", "alt+b", "alt+f", "home", "end", "shift+enter", "backspace", "backspace", "delete",
		"ctrl+w", "alt+d", "ctrl+u", "ctrl+k", "ctrl+y",
	}
	rowKeys = []string{"up", "down", "up", "down", "pageUp", "pageDown"}
	texts   = []string{
		"a", "b", " ", " ", ".", "_", "é", "世", "한", "😀", "👩‍🍳", "🇩", "🇪", "\u0301", "\u200d", "\ufe0f", "\u20e3", "🏽", "က", "ေ",
		"\u202e", "\u200b", "ｶ", "ﾞ", "\u0600", "word ", "longerword", "\u00ad", "\ufeff", "1",
	}
	loads = []string{
		"", "plain", "two words\nand a line", "tab\there\t\tx", "\x00\x1b[31m\r\nx", "資料庫 測試\n한글", "🇩🇪🇫🇷🇩", "e\u0301e\u0301",
		"\xff\xed\xa0\x80", "\n\n\n", "a line that is long enough to need several rows at small widths, and xxxxxxxxxxxxxxxxxxxxxxxxxx",
	}
)

// checkRows holds the invariants of what is drawn.
func checkRows(t interface{ Fatalf(string, ...any) }, e *Editor, width, rows int) {
	v := e.View(width, rows)
	f := e.flow.measure
	if len(v.Lines) == 0 || len(v.Lines) > rows {
		t.Fatalf("%d lines for %d rows", len(v.Lines), rows)
	}
	for _, line := range v.Lines {
		if w := f.Width(line); w > width || strings.ContainsAny(line, "\t\n\x1b\x00") {
			t.Fatalf("line %+q has %d columns, asked for %d", line, w, width)
		}
	}
	if v.CursorRow < 0 || v.CursorRow >= len(v.Lines) || v.CursorCol < 0 || v.CursorCol >= width {
		t.Fatalf("cursor at %d,%d in %d lines of %d columns", v.CursorRow, v.CursorCol, len(v.Lines), width)
	}
	if w := f.Width(v.CursorCluster); w < 1 || v.CursorCol+w > width {
		t.Fatalf("cursor cell %+q at column %d of %d", v.CursorCluster, v.CursorCol, width)
	}
	if v.Above+len(v.Lines)+v.Below != e.Height(width) {
		t.Fatalf("%d + %d + %d rows of %d", v.Above, len(v.Lines), v.Below, e.Height(width))
	}
	if e.line().snap(e.cur.off) != e.cur.off {
		t.Fatalf("the cursor is inside a cluster of %+q at %d", e.line().text, e.cur.off)
	}
}

// checkLayout compares the layout kept from key to key with that of a fresh
// editor.
func checkLayout(t interface{ Fatalf(string, ...any) }, e *Editor) {
	fresh := New(e.flow.measure)
	fresh.setWidth(e.width)
	fresh.SetText(e.Text())
	above := 0
	if len(fresh.lines) != len(e.lines) || fresh.rows != e.rows {
		t.Fatalf("%d lines, %d rows; a fresh editor has %d, %d", len(e.lines), e.rows, len(fresh.lines), fresh.rows)
	}
	for i := range e.lines {
		if i == e.cur.line && above != e.above {
			t.Fatalf("%d rows above line %d, kept count is %d", above, i, e.above)
		}
		above += e.lines[i].rowCount()
		for r := range e.lines[i].rowCount() {
			if got, want := e.lines[i].row(r), fresh.lines[i].row(r); got.off != want.off {
				t.Fatalf("row %d of %+q starts at %d, fresh at %d", r, e.lines[i].text, got.off, want.off)
			}
		}
		for off := 0; off < len(e.lines[i].text); {
			next := e.lines[i].next(off)
			if want := off + display.NextCluster(e.lines[i].text[off:]); next != want {
				t.Fatalf("cluster at %d of %+q ends at %d, want %d", off, e.lines[i].text, next, want)
			}
			off = next
		}
	}
}

func TestRandomKeysAgainstTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		measures := []display.WidthFunc{nil, nil, func(cluster string) int { return len(cluster) % 4 }}
		e, m := New(rapid.SampledFrom(measures).Draw(t, "measure")), &model{}
		load := rapid.SampledFrom(loads).Draw(t, "load")
		e.SetText(load)
		m.set(state{load, len(load)})
		width, rows := 80, 5
		for range rapid.IntRange(1, 300).Draw(t, "keys") {
			switch rapid.IntRange(0, 11).Draw(t, "what") {
			case 0, 1, 2, 3, 4:
				text := rapid.SampledFrom(texts).Draw(t, "text")
				if !e.Key("", text) {
					t.Fatalf("%q was not taken", text)
				}
				m.key("", text)
			case 5, 6, 7:
				id := rapid.SampledFrom(modelKeys).Draw(t, "key")
				if !e.Key(id, "") {
					t.Fatalf("%s was not taken", id)
				}
				m.key(id, "")
			case 8:
				e.Key("ctrl+-", "")
				if m.chain = false; !m.undone(stateOf(e)) {
					t.Fatalf("undo gave %+q, which is no earlier state", e.Text())
				}
			case 9:
				e.Key(rapid.SampledFrom(rowKeys).Draw(t, "rows"), "")
				m.chain = false
				m.set(state{m.state().text, stateOf(e).cur})
			case 10:
				width, rows = rapid.IntRange(1, 30).Draw(t, "width"), rapid.IntRange(1, 6).Draw(t, "rows")
			case 11:
				text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(texts), 1, 12).Draw(t, "paste"), "\n")
				before := m.state()
				e.Paste(text)
				m.chain = false
				m.past = append(m.past, before)
				m.set(state{before.text[:before.cur] + text + before.text[before.cur:], before.cur + len(text)})
			}
			if got, want := stateOf(e), m.state(); got != want {
				t.Fatalf("text and cursor\n got %+q %d\nwant %+q %d", got.text, got.cur, want.text, want.cur)
			}
			if e.Empty() != (e.Text() == "") {
				t.Fatalf("Empty is %v with text %q", e.Empty(), e.Text())
			}
			checkRows(t, e, width, rows)
		}
		checkLayout(t, e)
		for range 400 {
			e.Key("ctrl+-", "")
		}
		if e.Text() != load {
			t.Fatalf("undoing all gave %+q, loaded %+q", e.Text(), load)
		}
	})
}

func FuzzEditor(f *testing.F) {
	f.Add("load\ttext", []byte("a\x01b\x82\x17\xf0\x9f\x98\x80"), uint8(7))
	f.Add("資料庫 🇩🇪🇫", []byte{200, 201, 202, 203, 204, 205, 206}, uint8(3))
	keys := append(append([]string{"ctrl+-", "alt+y", "ctrl+]", "alt+backspace", "enter"}, modelKeys...), rowKeys...)
	f.Fuzz(func(t *testing.T, load string, script []byte, width uint8) {
		if len(script) > 400 || len(load) > 2000 {
			return
		}
		e := New(nil)
		e.SetText(load)
		if e.Text() != load {
			t.Fatalf("loaded %+q, text is %+q", load, e.Text())
		}
		columns := 1 + int(width)%90
		for i, b := range script {
			switch {
			case b < 0x40:
				e.Key(keys[int(b)%len(keys)], "")
			case b < 0x50:
				columns = 1 + int(b&15)*3
			case b < 0x60:
				e.Paste(string(script[i:]))
			case b < 0x68:
				e.Token()
				e.PathToken()
				e.ReplaceToken(string(script[i:min(len(script), i+3)]))
				e.BackslashNewline()
			default:
				e.Key("", string(script[i:min(len(script), i+4)]))
			}
			checkRows(t, e, columns, 1+int(b)%7)
		}
		checkLayout(t, e)
	})
}
