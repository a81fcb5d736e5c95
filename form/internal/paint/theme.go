package paint

// Color is one colour of a [Theme], in one of four forms:
//
//	""                    the terminal's default
//	"#rrggbb"             24 bits, reduced to what the terminal can show
//	"ansi:0".."ansi:255"  an entry of the terminal's palette
//	"\x1b[38;5;3m"        a complete SGR sequence, for hosts that own a palette
//
// Anything else counts as the default, so a bad value never reaches the
// terminal.
type Color string

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
