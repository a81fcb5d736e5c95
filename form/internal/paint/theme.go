package paint

import (
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// Theme gives every role a colour. The zero Theme shows everything in the
// terminal's own colours; bold and inverse text stays.
type Theme struct {
	Accent, Text, Success, Muted, Warning, Dim, Error Color
	ToolTitle, SyntaxString                           Color
	// Backgrounds.
	SelectedBg, CustomMessageBg Color
	// NoColor switches every colour off, whatever the fields above say. Layout
	// code reads it to draw shapes where a colour would have told the tale.
	NoColor bool
}

// Dark is a theme for terminals with a dark background.
func Dark() Theme {
	return Theme{
		Accent:          "#82b1ff",
		Success:         "#7fd18b",
		Muted:           "#a3adb5",
		Warning:         "#e3b35c",
		Dim:             "#8a949c",
		Error:           "#f28779",
		SyntaxString:    "#c7a3f0",
		SelectedBg:      "#263a52",
		CustomMessageBg: "#25282f",
	}
}

// Light is a theme for terminals with a light background.
func Light() Theme {
	return Theme{
		Accent:          "#1558b8",
		Success:         "#1b6e35",
		Muted:           "#515b63",
		Warning:         "#8a5400",
		Dim:             "#656f77",
		Error:           "#b3261e",
		SyntaxString:    "#6c3fa8",
		SelectedBg:      "#d5e5f9",
		CustomMessageBg: "#eceff3",
	}
}

// ForTerminal is the theme for a terminal that is described by its environment
// alone: Light where COLORFGBG says that the background is light, else Dark;
// without colour if NO_COLOR is set and not empty. It asks the terminal
// nothing, because an answer may never come.
func ForTerminal(getenv func(string) string) Theme {
	theme := Dark()
	if fgbg := getenv("COLORFGBG"); fgbg != "" {
		switch fgbg[strings.LastIndexByte(fgbg, ';')+1:] {
		case "7", "9", "10", "11", "12", "13", "14", "15":
			theme = Light()
		}
	}
	theme.NoColor = getenv("NO_COLOR") != ""
	return theme
}

// color is the colour of a role; an unknown role has the terminal's own.
func (t *Theme) color(role ask.Role) Color {
	if t.NoColor {
		return ""
	}
	switch role {
	case ask.RoleAccent:
		return t.Accent
	case ask.RoleText:
		return t.Text
	case ask.RoleSuccess:
		return t.Success
	case ask.RoleMuted:
		return t.Muted
	case ask.RoleWarning:
		return t.Warning
	case ask.RoleDim:
		return t.Dim
	case ask.RoleError:
		return t.Error
	case ask.RoleToolTitle:
		return t.ToolTitle
	case ask.RoleSyntaxString:
		return t.SyntaxString
	case ask.RoleSelectedBg:
		return t.SelectedBg
	case ask.RoleCustomMessageBg:
		return t.CustomMessageBg
	}
	return ""
}

// pair is the colours of a style. Where the theme names a background of its
// own but leaves the text to the terminal, the text gets a colour that can be
// read on it: the terminal's background may be light or dark.
func (t *Theme) pair(s Style) (fg, bg Color) {
	fg, bg = t.color(s.Fg), t.color(s.Bg)
	if k := bg.parse(); fg == "" && k.kind == inkRGB {
		fg = "#f2f4f7"
		if int(k.rgb[0])*3+int(k.rgb[1])*6+int(k.rgb[2]) > 1280 {
			fg = "#1b1f24"
		}
	}
	return fg, bg
}
