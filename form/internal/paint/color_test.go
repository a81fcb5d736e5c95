package paint

import (
	"math"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

func TestColorForms(t *testing.T) {
	tests := []struct {
		name  string
		color Color
		depth Depth
		want  string
	}{
		{"default", "", TrueColor, ""},
		{"24 bits", "#0a141e", TrueColor, "\x1b[0;38;2;10;20;30m"},
		{"24 bits on 256 colours", "#ff0000", ANSI256, "\x1b[0;38;5;196m"},
		{"gray on 256 colours", "#808080", ANSI256, "\x1b[0;38;5;244m"},
		{"24 bits on 16 colours", "#00ff00", ANSI16, "\x1b[0;92m"},
		{"24 bits without colour", "#00ff00", Mono, ""},
		{"palette", "ansi:3", ANSI16, "\x1b[0;33m"},
		{"bright palette", "ansi:9", ANSI256, "\x1b[0;91m"},
		{"big palette", "ansi:200", ANSI256, "\x1b[0;38;5;200m"},
		{"big palette on 16 colours", "ansi:196", ANSI16, "\x1b[0;91m"},
		{"raw", "\x1b[38;5;3m", ANSI16, "\x1b[0m\x1b[38;5;3m"},
		{"raw without colour", "\x1b[38;5;3m", Mono, ""},
		{"raw that is no colour", "\x1b[2J", TrueColor, ""},
		{"raw with something behind", "\x1b[31mX", TrueColor, ""},
		{"raw without end", "\x1b[31", TrueColor, ""},
		{"bad hex", "#12345", TrueColor, ""},
		{"bad hex digits", "#+12345", TrueColor, ""},
		{"palette out of range", "ansi:256", TrueColor, ""},
		{"name", "red", TrueColor, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := filled(frameOf(3, Row{{Text: "x", Style: Style{Fg: ask.RoleAccent}}}))
			want := "x"
			if tt.want != "" {
				want = tt.want + "x\x1b[0m"
			}
			if got := g.Lines(Theme{Accent: tt.color}, tt.depth)[0]; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestBackgrounds(t *testing.T) {
	g := filled(frameOf(3, Row{{Text: "x  ", Style: Style{Bg: ask.RoleSelectedBg, Bold: true}}}))
	for depth, want := range map[Depth]string{
		TrueColor: "\x1b[0;1;38;2;242;244;247;48;2;0;0;255mx  \x1b[0m",
		ANSI16:    "\x1b[0;1;97;44mx  \x1b[0m",
		Mono:      "\x1b[0;1mx  \x1b[0m",
	} {
		if got := g.Lines(Theme{SelectedBg: "#0000ff"}, depth)[0]; got != want {
			t.Errorf("depth %d: got %q, want %q", depth, got, want)
		}
	}
}

func TestNoColorKeepsBoldAndInverse(t *testing.T) {
	theme := ForTerminal(func(name string) string { return map[string]string{"NO_COLOR": "1"}[name] })
	g := filled(frameOf(2, Row{{Text: "a", Style: Style{Fg: ask.RoleAccent, Bold: true}}, {Text: "b", Style: Style{Fg: ask.RoleError, Bg: ask.RoleSelectedBg, Inverse: true}}}))
	if got, want := g.Lines(theme, TrueColor)[0], "\x1b[0;1ma\x1b[0;7mb\x1b[0m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if ForTerminal(func(string) string { return "" }).NoColor {
		t.Error("an empty NO_COLOR switched colours off")
	}
}

func TestDepthOf(t *testing.T) {
	tests := []struct {
		env  map[string]string
		want Depth
	}{
		{map[string]string{}, Mono},
		{map[string]string{"TERM": "dumb", "COLORTERM": "truecolor"}, Mono},
		{map[string]string{"TERM": "xterm"}, ANSI16},
		{map[string]string{"TERM": "xterm-256color"}, ANSI256},
		{map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor"}, TrueColor},
		{map[string]string{"TERM": "xterm-kitty"}, TrueColor},
		{map[string]string{"WT_SESSION": "x"}, TrueColor},
		{map[string]string{"TERM": "xterm-kitty", "NO_COLOR": "1"}, Mono},
	}
	for _, tt := range tests {
		if got := DepthOf(func(name string) string { return tt.env[name] }); got != tt.want {
			t.Errorf("%v: got %d, want %d", tt.env, got, tt.want)
		}
	}
}

func TestThemeFollowsTheBackground(t *testing.T) {
	for value, want := range map[string]Theme{"": Dark(), "15;0": Dark(), "0;15": Light(), "0;default;15": Light(), "7": Light()} {
		if got := ForTerminal(func(name string) string { return map[string]string{"COLORFGBG": value}[name] }); got != want {
			t.Errorf("COLORFGBG=%q gave the wrong theme", value)
		}
	}
}

// Every role must be readable on its background: a contrast of 4.5 by the usual
// measure, also after the reduction to 256 colours.
func TestContrast(t *testing.T) {
	for name, c := range map[string]struct {
		theme      Theme
		background string
	}{"dark": {Dark(), "#1e1e1e"}, "light": {Light(), "#ffffff"}} {
		th := c.theme
		for i, color := range []Color{th.Accent, th.Success, th.Muted, th.Warning, th.Dim, th.Error, th.SyntaxString} {
			for _, depth := range []Depth{TrueColor, ANSI256} {
				ink := color.parse().reduce(depth)
				if ink.kind == inkPalette {
					ink.rgb = paletteRGB(ink.index)
				}
				if got := contrast(ink.rgb, Color(c.background).parse().rgb); got < 4.5 {
					t.Errorf("%s theme, colour %d (%s), depth %d: contrast %.1f", name, i, color, depth, got)
				}
			}
		}
	}
}

func contrast(a, b [3]uint8) float64 {
	l := func(c [3]uint8) float64 {
		var v [3]float64
		for i := range c {
			x := float64(c[i]) / 255
			if v[i] = x / 12.92; x > 0.04045 {
				v[i] = math.Pow((x+0.055)/1.055, 2.4)
			}
		}
		return 0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2]
	}
	x, y := l(a), l(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
