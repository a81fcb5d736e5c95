package paint

import (
	"fmt"
	"image/color"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
	"github.com/gdamore/tcell/v2"
	"pgregory.net/rapid"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
)

func frameOf(width int, rows ...Row) Frame {
	return Frame{Width: width, Rows: rows, CursorRow: NoCursor, CursorCol: NoCursor}
}

func filled(f Frame) *Grid {
	g := new(Grid)
	g.Fill(f, nil)
	return g
}

func TestFill(t *testing.T) {
	family := "👨‍👩‍👧"
	tests := []struct {
		name string
		row  Row
		want []string // the texts of six cells
	}{
		{"empty row", nil, []string{" ", " ", " ", " ", " ", " "}},
		{"letters", Row{{Text: "ab"}, {Text: "c"}}, []string{"a", "b", "c", " ", " ", " "}},
		{"too long", Row{{Text: "abcdefgh"}}, []string{"a", "b", "c", "d", "e", "f"}},
		{"too long over two spans", Row{{Text: "abcdef"}, {Text: "gh"}}, []string{"a", "b", "c", "d", "e", "f"}},
		{"wide", Row{{Text: "世界"}}, []string{"世", "", "界", "", " ", " "}},
		{"wide across the edge", Row{{Text: "a世界世"}}, []string{"a", "世", "", "界", "", " "}},
		{"wide across the edge after letters", Row{{Text: "abcde"}, {Text: "世"}}, []string{"a", "b", "c", "d", "e", " "}},
		{"joined", Row{{Text: family + "x"}}, []string{family, "", "x", " ", " ", " "}},
		{"combining mark", Row{{Text: "e\u0301x"}}, []string{"e\u0301", "x", " ", " ", " ", " "}},
		{"mark after the last column", Row{{Text: "abcdee\u0301"}}, []string{"a", "b", "c", "d", "e", "e\u0301"}},
		{"lone mark at the start", Row{{Text: "\u0301a"}}, []string{"a", " ", " ", " ", " ", " "}},
		{"zero width space", Row{{Text: "a\u200bb"}}, []string{"a\u200b", "b", " ", " ", " ", " "}},
		{"escape", Row{{Text: "\x1b[2J"}}, []string{"␛", "[", "2", "J", " ", " "}},
		{"newline and tab", Row{{Text: "a\nb\tc"}}, []string{"a", " ", "b", " ", "c", " "}},
		{"bad UTF-8", Row{{Text: "a\xffb"}}, []string{"a", "\ufffd", "b", " ", " ", " "}},
		{"tall pile of marks", Row{{Text: "e" + strings.Repeat("\u0301", 500) + "x"}}, []string{"\ufffd", "x", " ", " ", " ", " "}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := filled(frameOf(6, tt.row))
			for x, want := range tt.want {
				if got := g.At(x, 0).Text; got != want {
					t.Errorf("cell %d is %q, want %q", x, got, want)
				}
			}
		})
	}
}

func TestFillAgainLeavesNothingBehind(t *testing.T) {
	g := filled(frameOf(10, Row{{Text: "0123456789", Style: Style{Bold: true}}}, Row{{Text: "世界世界世"}}))
	g.Fill(frameOf(4, Row{{Text: "a"}}), nil)
	g.Fill(frameOf(6, Row{{Text: "b"}}, nil, Row{{Text: "c"}}), nil)
	if got := fmt.Sprintf("%q", g.Text()); got != `["b" "" "c"]` {
		t.Errorf("got %s", got)
	}
	if w, h := g.Size(); w != 6 || h != 3 {
		t.Errorf("size is %dx%d", w, h)
	}
}

func TestDegenerateSizes(t *testing.T) {
	for _, f := range []Frame{{}, {Width: -3, Rows: []Row{nil}}, {Width: 0, Rows: []Row{nil, nil}}, {Width: 5}, frameOf(1, Row{{Text: "世"}})} {
		g := filled(f)
		_ = g.SVG(Dark())
		if got := strings.Join(g.Text(), ""); got != "" {
			t.Errorf("%+v: text %q", f, got)
		}
		if got := strings.Join(g.Lines(Dark(), TrueColor), ""); strings.Trim(got, " ") != "" && f.CursorRow < 0 {
			t.Errorf("%+v: lines %q", f, got)
		}
	}
}

func TestCursor(t *testing.T) {
	f := frameOf(6, Row{{Text: "世b", Style: Style{Fg: ask.RoleAccent}}})
	f.CursorRow, f.CursorCol = 0, 1 // the second half of the wide cluster
	g := filled(f)
	if x, y, ok := g.Cursor(); !ok || x != 0 || y != 0 {
		t.Errorf("cursor at %d,%d %v, want 0,0", x, y, ok)
	}
	if s := g.At(0, 0).Style; !s.Inverse || s.Fg != ask.RoleAccent {
		t.Errorf("style of the cursor's cell is %+v", s)
	}
	if g.At(2, 0).Style.Inverse {
		t.Error("the cell after the cursor is inverse")
	}
	g.Marker = "\x1b_mark\x07"
	if got := g.Lines(Theme{}, Mono)[0]; got != "\x1b[0;7m\x1b_mark\x07世\x1b[0mb" && got != "\x1b[0;7m\x1b_mark\x07世\x1b[0mb\x1b[0m" {
		t.Errorf("line is %q", got)
	}
	f.CursorCol = 6
	g.Fill(f, nil)
	if _, _, ok := g.Cursor(); ok {
		t.Error("a cursor outside of the frame was kept")
	}
}

func TestCursorAtTheEndOfALineIsNotTrimmed(t *testing.T) {
	f := frameOf(6, Row{{Text: "ab"}})
	f.CursorRow, f.CursorCol = 0, 2
	if got := filled(f).Lines(Theme{}, Mono)[0]; got != "ab\x1b[0;7m \x1b[0m" {
		t.Errorf("line is %q", got)
	}
}

// checkCells reports wide cells without their rest and rests without their cell.
func checkCells(t interface{ Errorf(string, ...any) }, g *Grid) {
	for y := range g.height {
		for x := 0; x < g.width; {
			w := g.At(x, y).Width
			if w < 1 || x+w > g.width {
				t.Errorf("cell %d,%d has width %d", x, y, w)
				return
			}
			for i := 1; i < w; i++ {
				if c := g.At(x+i, y); c.Width != 0 || c.Text != "" {
					t.Errorf("cell %d,%d overlaps a wide one", x+i, y)
				}
			}
			x += w
		}
	}
}

// drawHostile is a generator of texts that break borders elsewhere.
func drawHostile(t *rapid.T) string {
	parts := []string{"a", "Z", " ", "世", "界", "한", "e\u0301", "\u0301", "👩‍🍳", "🏳️‍🌈", "1️⃣", "☰", "☐", "\u200b", "\u200d", "\ufe0f",
		"🇩", "🇪", "\x1b[31m", "\x00", "\u009b", "\u202e", "\t", "\n", "\xff", "ﷺ", "क्षि", "ကြွေး", "\U000e0041", "[red]", "&<>\"", "𝒳", "\ufffe"}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 60).Draw(t, "parts"), "")
}

func drawFrame(t *rapid.T) Frame {
	roles := []ask.Role{"", ask.RoleAccent, ask.RoleText, ask.RoleSuccess, ask.RoleWarning, "unknown"}
	f := Frame{Width: rapid.IntRange(1, 120).Draw(t, "width")}
	for range rapid.IntRange(0, 5).Draw(t, "rows") {
		var row Row
		for range rapid.IntRange(0, 6).Draw(t, "spans") {
			row = append(row, Span{Text: drawHostile(t), Style: Style{
				Fg:      rapid.SampledFrom(roles).Draw(t, "fg"),
				Bg:      rapid.SampledFrom([]ask.Role{"", ask.RoleSelectedBg}).Draw(t, "bg"),
				Bold:    rapid.Bool().Draw(t, "bold"),
				Inverse: rapid.Bool().Draw(t, "inverse"),
			}})
		}
		f.Rows = append(f.Rows, row)
	}
	f.CursorRow, f.CursorCol = rapid.IntRange(-1, 5).Draw(t, "y"), rapid.IntRange(-1, 120).Draw(t, "x")
	return f
}

func TestNoLineIsWiderThanTheFrame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := filled(drawFrame(t))
		checkCells(t, g)
		for y, line := range g.Lines(Dark(), TrueColor) {
			total := 0
			plain := stripSGR(line)
			for cluster := range display.WidthFunc(nil).Clusters(plain) {
				total += display.ClusterWidth(cluster)
			}
			if total > g.width {
				t.Fatalf("line %d is %d wide, frame %d: %q", y, total, g.width, line)
			}
			if strings.ContainsFunc(plain, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }) {
				t.Fatalf("line %d holds a control character: %q", y, plain)
			}
		}
	})
}

func stripSGR(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, s, _ = strings.Cut(after, "m")
	}
}

// terminalTexts are clusters whose width every terminal agrees about, so that
// cells can be compared one by one.
var terminalTexts = []string{"a", "Z", " ", "  ", "世", "界", "한", "é", "─", "❯", "[x]", "🙂", "e\u0301"}

func TestLinesShowTheSameCellsOnATerminal(t *testing.T) {
	roles := []ask.Role{"", ask.RoleAccent, ask.RoleSuccess, ask.RoleDim, ask.RoleError}
	theme := Theme{Accent: "#123456", Success: "ansi:2", Dim: "ansi:200", Error: "\x1b[38;2;9;8;7m", SelectedBg: "#445566"}
	rapid.Check(t, func(t *rapid.T) {
		f := frameOf(rapid.IntRange(1, 40).Draw(t, "width"))
		for range 3 {
			var row Row
			for range rapid.IntRange(0, 6).Draw(t, "spans") {
				row = append(row, Span{
					Text: strings.Join(rapid.SliceOfN(rapid.SampledFrom(terminalTexts), 0, 8).Draw(t, "text"), ""),
					Style: Style{
						Fg: rapid.SampledFrom(roles).Draw(t, "fg"), Bg: rapid.SampledFrom([]ask.Role{"", ask.RoleSelectedBg}).Draw(t, "bg"),
						Bold: rapid.Bool().Draw(t, "bold"), Inverse: rapid.Bool().Draw(t, "inverse"),
					}})
			}
			f.Rows = append(f.Rows, row)
		}
		g := filled(f)
		term := vt.NewEmulator(f.Width, 3)
		for y, line := range g.Lines(theme, TrueColor) {
			fmt.Fprintf(term, "\x1b[%d;1H%s", y+1, line)
		}
		for y := range 3 {
			for x := range f.Width {
				compareCell(t, g.At(x, y), term.CellAt(x, y), theme)
			}
		}
	})
}

func compareCell(t *rapid.T, want Cell, got *uv.Cell, theme Theme) {
	if want.Width == 0 {
		return
	}
	if got.Content != want.Text && !(want.Text == " " && got.Content == "") {
		t.Fatalf("cell is %q, want %q", got.Content, want.Text)
	}
	if want.Text == " " && want.Style.Bg == "" && !want.Style.Inverse {
		return // looks the same in any style, and may have been trimmed
	}
	if bold, inverse := got.Style.Attrs&uv.AttrBold != 0, got.Style.Attrs&uv.AttrReverse != 0; bold != want.Style.Bold || inverse != want.Style.Inverse {
		t.Fatalf("%q is bold %v inverse %v, want %+v", want.Text, bold, inverse, want.Style)
	}
	fg, bg := theme.pair(want.Style)
	for _, c := range []struct {
		got  color.Color
		want Color
	}{{got.Style.Fg, fg}, {got.Style.Bg, bg}} {
		if got, want := hexOf(c.got), c.want.parseRaw().hex(); got != want {
			t.Fatalf("a colour is %q, want %q", got, want)
		}
	}
}

func hexOf(c color.Color) string {
	if c == nil {
		return ""
	}
	if i, ok := c.(interface{ RGBA() (r, g, b, a uint32) }); ok {
		r, g, b, _ := i.RGBA()
		hex := fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
		if hex == "#008000" { // this emulator's green
			hex = "#00cd00"
		}
		return hex
	}
	return ""
}

func TestBlitShowsTheSameCellsOnAScreen(t *testing.T) {
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	defer screen.Fini()
	screen.SetSize(30, 4)
	theme := Theme{Accent: "\x1b[1;38;5;33m", SelectedBg: "#010203"} // the screen has 256 colours
	g := new(Grid)
	for _, row := range []Row{
		{{Text: "世界", Style: Style{Fg: ask.RoleAccent}}, {Text: "ab", Style: Style{Bg: ask.RoleSelectedBg, Bold: true}}},
		{{Text: "xy"}, {Text: "世 z", Style: Style{Inverse: true}}},
		{{Text: "1️⃣ one"}}, // two columns here, one for tcell
	} {
		g.Fill(frameOf(20, row), nil)
		g.Blit(screen, 3, 1, theme)
		screen.Show()
	}
	if text, _, _ := screen.Get(3, 1); text != "1" {
		t.Errorf("the keycap is shown as %q", text)
	}
	for i, want := range []string{" ", " ", "o", "n", "e", " ", " "} {
		if text, _, _ := screen.Get(4+i, 1); text != want {
			t.Errorf("column %d is %q, want %q", 4+i, text, want)
		}
	}
	g.Fill(frameOf(20, Row{{Text: "世", Style: Style{Fg: ask.RoleAccent}}, {Text: "ab", Style: Style{Bg: ask.RoleSelectedBg, Bold: true}}}), nil)
	g.Blit(screen, 3, 1, theme)
	text, style, width := screen.Get(3, 1)
	if fg, _, _ := style.Decompose(); text != "世" || width != 2 || fg != tcell.PaletteColor(33) {
		t.Errorf("got %q, width %d, colour %v", text, width, fg)
	}
	_, style, _ = screen.Get(5, 1)
	if _, bg, attrs := style.Decompose(); bg != tcell.PaletteColor(16) || attrs&tcell.AttrBold == 0 {
		t.Errorf("got background %v, attributes %v", bg, attrs)
	}
}

func TestSVG(t *testing.T) {
	f := frameOf(12, Row{{Text: "<b>&\"世", Style: Style{Fg: ask.RoleAccent}}, {Text: "sel", Style: Style{Bg: ask.RoleSelectedBg, Bold: true}}})
	f.CursorRow, f.CursorCol = 0, 11
	got := filled(f).SVG(Dark())
	for _, want := range []string{"&lt;b&gt;&amp;&#34;", string(Dark().Accent), string(Dark().SelectedBg), `font-weight="bold"`, ">世<", svgForeground} {
		if !strings.Contains(got, want) {
			t.Errorf("the picture lacks %q:\n%s", want, got)
		}
	}
}

// page is a form as it usually looks, for benchmarks.
func page() Frame {
	f := frameOf(100)
	accent, muted := Style{Fg: ask.RoleAccent}, Style{Fg: ask.RoleMuted}
	rule := strings.Repeat("─", 100)
	f.Rows = append(f.Rows, Row{{Text: rule, Style: accent}}, Row{{Text: " ← "}, {Text: " ☐ Target ", Style: Style{Fg: ask.RoleText, Bg: ask.RoleSelectedBg}}, {Text: " ☒ Other ", Style: Style{Fg: ask.RoleSuccess}}})
	for i := range 27 {
		f.Rows = append(f.Rows, Row{{Text: "❯ ", Style: accent}, {Text: fmt.Sprintf("%d. ( ) An option with a label of usual length", i)}, {Text: "   a description in muted text", Style: muted}})
	}
	f.Rows = append(f.Rows, Row{{Text: rule, Style: accent}})
	return f
}

func BenchmarkFillAndLines(b *testing.B) {
	f, g, theme := page(), new(Grid), Dark()
	b.ReportAllocs()
	for b.Loop() {
		g.Fill(f, nil)
		g.Lines(theme, TrueColor)
	}
}

func BenchmarkFillAndBlit(b *testing.B) {
	screen := tcell.NewSimulationScreen("UTF-8")
	_ = screen.Init()
	screen.SetSize(100, 30)
	f, g, theme := page(), new(Grid), Dark()
	b.ReportAllocs()
	for b.Loop() {
		g.Fill(f, nil)
		g.Blit(screen, 0, 0, theme)
	}
}

func TestTextOnABackgroundOfTheThemeCanBeRead(t *testing.T) {
	for name, theme := range map[string]Theme{"dark": Dark(), "light": Light()} {
		fg, bg := theme.pair(Style{Fg: ask.RoleText, Bg: ask.RoleSelectedBg})
		if got := contrast(fg.parse().rgb, bg.parse().rgb); got < 7 {
			t.Errorf("%s: %s on %s has a contrast of %.1f", name, fg, bg, got)
		}
	}
	if fg, _ := (&Theme{}).pair(Style{Fg: ask.RoleText, Bg: ask.RoleSelectedBg}); fg != "" {
		t.Errorf("a theme without backgrounds gives text the colour %s", fg)
	}
}
