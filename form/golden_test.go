package form_test

import (
	"encoding/json"
	"fmt"
	"image/color"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
)

// The golden script: every kind of screen, the same in all three ways to run a
// form.
const (
	goldenWidth, goldenRows = 72, 22

	goldenPayload = `{"title":"Release 資料","questions":[
		{"id":"env","label":"Env","prompt":"Where do we [first] deploy?","options":[
			{"value":"lab","label":"Lab 👩‍🍳","description":"Safe."},{"value":"prod","label":"Production","recommended":true}]},
		{"id":"checks","label":"Checks","type":"multi","prompt":"Which checks?","options":[{"value":"unit","label":"Unit tests"},{"value":"race","label":"Race e\u0301 한글"}]},
		{"id":"look","label":"Look","type":"preview","prompt":"Which look?","options":[{"value":"t","label":"Table","preview":"a | b\n世界"},{"value":"c","label":"Cards","preview":"[a] [b]"}]}]}`
)

// Terminals do not agree on the width of reviewSign; the form leaves two
// columns. Where it cannot make sure of them, in an application's screen, it
// shows reviewStandIn.
const reviewSign, reviewStandIn = "☰", "≡"

// goldenStep is one key, text or paste, and the bytes that a terminal sends.
type goldenStep struct{ id, text, paste, bytes string }

func key(id, bytes string) goldenStep { return goldenStep{id: id, bytes: bytes} }
func char(c string) goldenStep        { return goldenStep{id: c, text: c, bytes: c} }

var goldenScript = []goldenStep{
	{}, // the first frame
	key("down", "\x1b[B"), key("space", " "), char("n"), char("w"), {text: "世", bytes: "世"}, key("left", "\x1b[D"),
	{paste: "pasted\ntext", bytes: "\x1b[200~pasted\ntext\x1b[201~"}, key("enter", "\r"),
	key("tab", "\t"), char("1"), char("2"), char("t"), key("esc", "\x1b"), char("3"),
	{text: "한", bytes: "한"}, key("ctrl+a", "\x01"), key("enter", "\r"),
	key("tab", "\t"), key("down", "\x1b[B"), char("?"), key("down", "\x1b[B"), char("?"), key("enter", "\r"),
	key("down", "\x1b[B"), char("1"), char("1"),
}

// goldenCell is one cell of a screen; colours are numbers of the palette.
type goldenCell struct {
	text   string
	fg, bg int
	attrs  string
}

type goldenScreen [goldenRows][goldenWidth]goldenCell

func (s *goldenScreen) String() string {
	var b strings.Builder
	for _, row := range s {
		for _, c := range row {
			b.WriteString(c.text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// differ says where two screens differ.
func (s *goldenScreen) differ(o *goldenScreen) string {
	for y := range s {
		for x := range s[y] {
			if s[y][x] != o[y][x] {
				return fmt.Sprintf("row %d column %d: %+v and %+v\n%s\n%s", y, x, s[y][x], o[y][x], s, o)
			}
		}
	}
	return ""
}

func goldenForm(t testing.TB) ask.Form {
	t.Helper()
	p, err := ask.Decode(json.RawMessage(goldenPayload))
	if err != nil {
		t.Fatal(err)
	}
	f, err := ask.Normalize(p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func goldenEnv(t *testing.T) {
	for name, value := range map[string]string{"TERM": "xterm-256color", "COLORTERM": "", "NO_COLOR": "", "COLORFGBG": "", "ACCESSIBLE": "", "TCELL_TRUECOLOR": "disable"} {
		t.Setenv(name, value)
	}
}

// inlineScreens plays the script on an Inline and parses its lines.
func inlineScreens(t *testing.T) (screens []goldenScreen, result ask.Result) {
	t.Helper()
	in := form.NewInline(goldenForm(t), &form.Options{Guard: -1})
	defer in.Close()
	for _, s := range goldenScript {
		switch {
		case s.paste != "":
			in.Paste(s.paste)
		case s.id+s.text != "":
			in.Key(s.id, s.text)
		}
		in.Settle()
		select {
		case <-in.Done():
			return screens, in.Outcome().Result
		default:
		}
		emu := vt.NewEmulator(goldenWidth, goldenRows)
		_, _ = emu.WriteString(strings.Join(in.Lines(goldenWidth, goldenRows), "\r\n"))
		screens = append(screens, emulated(emu))
		_ = emu.Close()
	}
	t.Fatal("the script does not end the form")
	return nil, ask.Result{}
}

// emulated reads the screen of a terminal.
func emulated(emu *vt.Emulator) (out goldenScreen) {
	for y := range goldenRows {
		for x := range goldenWidth {
			c := emu.CellAt(x, y)
			if c == nil || c.Content == "" && c.Width != 0 {
				out[y][x].text, out[y][x].fg, out[y][x].bg = " ", -1, -1
				continue
			}
			cell := goldenCell{text: c.Content, fg: paletteIndex(c.Style.Fg), bg: paletteIndex(c.Style.Bg)}
			if c.Style.Attrs&1 != 0 {
				cell.attrs = "bold"
			}
			if c.Style.Attrs&(1<<5) != 0 {
				cell.attrs += "reverse"
			}
			out[y][x] = cell.normal()
		}
	}
	return out
}

// normal forgets what cannot be seen: the colour of a blank, and the rest of
// a wide character.
func (c goldenCell) normal() goldenCell {
	switch {
	case c.text == "":
		return goldenCell{}
	case c.text == " " && c.attrs == "":
		c.fg = -1
	}
	return c
}

// paletteIndex is a colour's number, -1 for the default.
func paletteIndex(c color.Color) int {
	if c == nil {
		return -1
	}
	if v := reflect.ValueOf(c); v.Kind() == reflect.Uint8 {
		return int(v.Uint())
	}
	return -2
}

// simulated reads the screen of a tcell simulation.
func simulated(screen tcell.SimulationScreen) (out goldenScreen) {
	for y := range goldenRows {
		for x := 0; x < goldenWidth; {
			text, style, width := screen.Get(x, y)
			if text == reviewStandIn {
				text, width = reviewSign, 2
			}
			fg, bg, attrs := style.Decompose()
			cell := goldenCell{text: text, fg: tcellIndex(fg), bg: tcellIndex(bg)}
			if attrs&tcell.AttrBold != 0 {
				cell.attrs = "bold"
			}
			if attrs&tcell.AttrReverse != 0 {
				cell.attrs += "reverse"
			}
			out[y][x] = cell.normal()
			x += max(width, 1)
		}
	}
	return out
}

func tcellIndex(c tcell.Color) int {
	switch {
	case c == tcell.ColorDefault:
		return -1
	case c.IsRGB():
		return -2
	}
	return int(c &^ tcell.ColorValid)
}

// blankRests makes the cells behind wide characters alike: screens differ in
// what they keep there.
func blankRests(want *goldenScreen, got goldenScreen) goldenScreen {
	for y := range want {
		for x := range want[y] {
			if want[y][x].text == "" {
				got[y][x] = goldenCell{}
			}
		}
	}
	return got
}

func TestThePrimitiveDrawsWhatInlineDraws(t *testing.T) {
	goldenEnv(t)
	want, result := inlineScreens(t)
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	defer screen.Fini()
	screen.SetSize(goldenWidth, goldenRows)
	var outcome *form.Outcome
	p := form.New(goldenForm(t), &form.Options{Guard: -1}).SetDoneFunc(func(o form.Outcome) { outcome = &o })
	defer p.Close()
	p.SetRect(0, 0, goldenWidth, goldenRows)
	for i, s := range goldenScript {
		switch {
		case s.paste != "":
			p.PasteHandler()(s.paste, func(tview.Primitive) {})
		case s.bytes != "":
			p.InputHandler()(tcellKey(s), func(tview.Primitive) {})
		}
		if i < len(want) {
			p.Draw(screen)
			screen.Show()
			got := blankRests(&want[i], simulated(screen))
			if d := want[i].differ(&got); d != "" {
				t.Fatalf("step %d (%+v): %s", i, s, d)
			}
		}
	}
	if outcome == nil || !reflect.DeepEqual(outcome.Result, result) {
		t.Fatalf("the primitive ends with %+v, not %+v", outcome, result)
	}
}

// tcellKey is the event that tcell makes of a key.
func tcellKey(s goldenStep) *tcell.EventKey {
	named := map[string]tcell.Key{"down": tcell.KeyDown, "left": tcell.KeyLeft, "enter": tcell.KeyEnter, "tab": tcell.KeyTab, "esc": tcell.KeyEscape, "ctrl+a": tcell.KeyCtrlA}
	if k, ok := named[s.id]; ok {
		return tcell.NewEventKey(k, 0, tcell.ModNone)
	}
	return tcell.NewEventKey(tcell.KeyRune, []rune(s.bytes)[0], tcell.ModNone)
}

func TestMain(m *testing.M) {
	if os.Getenv(goldenChild) != "" {
		os.Exit(runGoldenChild())
	}
	os.Exit(m.Run())
}
