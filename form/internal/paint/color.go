package paint

import (
	"strconv"
	"strings"
)

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

// Depth is how many colours a terminal can show.
type Depth uint8

// The depths of colour. The zero Depth is no colour at all; bold and inverse
// remain.
const (
	Mono      Depth = iota
	ANSI16          // the 16 colours of the palette
	ANSI256         // the palette of 256
	TrueColor       // 24 bits
)

// DepthOf reads the depth of colour from a terminal's environment: Mono if
// NO_COLOR is set and not empty or TERM is empty or dumb, TrueColor if
// COLORTERM says so or TERM names a terminal known for it.
func DepthOf(getenv func(string) string) Depth {
	term := getenv("TERM")
	if getenv("NO_COLOR") != "" || term == "dumb" {
		return Mono
	}
	switch getenv("COLORTERM") {
	case "truecolor", "24bit", "24-bit":
		return TrueColor
	}
	if getenv("WT_SESSION") != "" {
		return TrueColor
	}
	for _, part := range []string{"direct", "truecolor", "kitty", "ghostty", "alacritty", "wezterm", "foot"} {
		if strings.Contains(term, part) {
			return TrueColor
		}
	}
	switch {
	case strings.Contains(term, "256color"):
		return ANSI256
	case term == "":
		return Mono
	}
	return ANSI16
}

// ink is a parsed Color.
type ink struct {
	kind  inkKind
	index uint8    // of a palette ink
	rgb   [3]uint8 // of an rgb ink
}

type inkKind uint8

const (
	inkDefault inkKind = iota
	inkPalette
	inkRGB
	inkRaw // a sequence to be passed on as it is
)

// parse reads c. Raw sequences are left as they are.
func (c Color) parse() ink {
	switch {
	case c == "":
		return ink{}
	case c[0] == '#':
		n, err := strconv.ParseUint(string(c[1:]), 16, 32)
		if err != nil || len(c) != 7 {
			return ink{}
		}
		return ink{kind: inkRGB, rgb: [3]uint8{uint8(n >> 16), uint8(n >> 8), uint8(n)}}
	case c[0] == '\x1b':
		if !c.isSGR() {
			return ink{}
		}
		return ink{kind: inkRaw}
	case strings.HasPrefix(string(c), "ansi:"):
		n, err := strconv.ParseUint(string(c[len("ansi:"):]), 10, 8)
		if err != nil {
			return ink{}
		}
		return ink{kind: inkPalette, index: uint8(n)}
	}
	return ink{}
}

// isSGR reports whether c is a series of SGR sequences and nothing else.
func (c Color) isSGR() bool {
	s := string(c)
	for s != "" {
		if !strings.HasPrefix(s, "\x1b[") {
			return false
		}
		end := strings.IndexFunc(s[2:], func(r rune) bool { return (r < '0' || r > ';') })
		if end < 0 || s[2+end] != 'm' {
			return false
		}
		s = s[2+end+1:]
	}
	return true
}

// parseRaw is parse, and makes the best of raw sequences: the colour that the
// last one of them sets, for outputs that cannot pass sequences on.
func (c Color) parseRaw() ink {
	found := c.parse()
	if found.kind != inkRaw {
		return found
	}
	found = ink{}
	for _, seq := range strings.Split(string(c), "\x1b[")[1:] {
		args := strings.FieldsFunc(strings.TrimSuffix(seq, "m"), func(r rune) bool { return r == ';' || r == ':' })
		for len(args) > 0 {
			n := atoi8(args[0])
			args = args[1:]
			switch {
			case n >= 30 && n <= 37 || n >= 40 && n <= 47:
				found = ink{kind: inkPalette, index: n % 10}
			case n >= 90 && n <= 97 || n >= 100 && n <= 107:
				found = ink{kind: inkPalette, index: n%10 + 8}
			case (n == 38 || n == 48) && len(args) >= 2 && args[0] == "5":
				found = ink{kind: inkPalette, index: atoi8(args[1])}
				args = args[2:]
			case (n == 38 || n == 48) && len(args) >= 4 && args[0] == "2":
				found = ink{kind: inkRGB, rgb: [3]uint8{atoi8(args[1]), atoi8(args[2]), atoi8(args[3])}}
				args = args[4:]
			case n == 0 || n == 39 || n == 49:
				found = ink{}
			}
		}
	}
	return found
}

func atoi8(s string) uint8 {
	n, err := strconv.ParseUint(s, 10, 8)
	if err != nil {
		return 0
	}
	return uint8(n)
}

// reduce is the nearest colour that a terminal of the given depth can show.
func (k ink) reduce(depth Depth) ink {
	switch {
	case depth == Mono:
		return ink{}
	case k.kind == inkRGB && depth == ANSI256:
		return ink{kind: inkPalette, index: nearest256(k.rgb)}
	case k.kind == inkRGB && depth == ANSI16:
		return ink{kind: inkPalette, index: nearest16(k.rgb)}
	case k.kind == inkPalette && depth == ANSI16 && k.index > 15:
		return ink{kind: inkPalette, index: nearest16(paletteRGB(k.index))}
	}
	return k
}

// appendSGR appends the SGR parameters of k, each with a semicolon before it;
// base is 30 for a foreground and 40 for a background.
func (k ink) appendSGR(b []byte, base int64) []byte {
	switch k.kind {
	case inkPalette:
		switch {
		case k.index < 8:
			return strconv.AppendInt(append(b, ';'), base+int64(k.index), 10)
		case k.index < 16:
			return strconv.AppendInt(append(b, ';'), base+60+int64(k.index-8), 10)
		}
		b = strconv.AppendInt(append(b, ';'), base+8, 10)
		return strconv.AppendInt(append(b, ";5;"...), int64(k.index), 10)
	case inkRGB:
		b = strconv.AppendInt(append(b, ';'), base+8, 10)
		b = append(b, ";2"...)
		for _, v := range k.rgb {
			b = strconv.AppendInt(append(b, ';'), int64(v), 10)
		}
	}
	return b
}

// cubeLevels are the six levels of each channel in the palette's colour cube.
var cubeLevels = [6]uint8{0, 95, 135, 175, 215, 255}

// basePalette is xterm's rendering of the first sixteen colours.
var basePalette = [16][3]uint8{
	{0, 0, 0}, {205, 0, 0}, {0, 205, 0}, {205, 205, 0}, {0, 0, 238}, {205, 0, 205}, {0, 205, 205}, {229, 229, 229},
	{127, 127, 127}, {255, 0, 0}, {0, 255, 0}, {255, 255, 0}, {92, 92, 255}, {255, 0, 255}, {0, 255, 255}, {255, 255, 255},
}

// paletteRGB is how an entry of the 256 colour palette usually looks.
func paletteRGB(i uint8) [3]uint8 {
	switch {
	case i < 16:
		return basePalette[i]
	case i < 232:
		i -= 16
		return [3]uint8{cubeLevels[i/36], cubeLevels[i/6%6], cubeLevels[i%6]}
	}
	gray := 8 + 10*(i-232)
	return [3]uint8{gray, gray, gray}
}

// nearest256 picks from the cube and the grays; the first 16 entries are left
// out because users change them.
func nearest256(rgb [3]uint8) uint8 {
	var cube [3]uint8
	for i, v := range rgb {
		switch {
		case v < 48:
			cube[i] = 0
		case v < 115:
			cube[i] = 1
		default:
			cube[i] = (v - 35) / 40
		}
	}
	inCube := 16 + 36*cube[0] + 6*cube[1] + cube[2]
	mean := (int(rgb[0]) + int(rgb[1]) + int(rgb[2])) / 3
	inGrays := uint8(232 + min(23, max(0, (mean-3)/10)))
	if distance(rgb, paletteRGB(inGrays)) < distance(rgb, paletteRGB(inCube)) {
		return inGrays
	}
	return inCube
}

func nearest16(rgb [3]uint8) uint8 {
	best := uint8(0)
	for i := range uint8(16) {
		if distance(rgb, basePalette[i]) < distance(rgb, basePalette[best]) {
			best = i
		}
	}
	return best
}

// distance weighs the channels roughly as the eye does.
func distance(a, b [3]uint8) int {
	dr, dg, db := int(a[0])-int(b[0]), int(a[1])-int(b[1]), int(a[2])-int(b[2])
	return 3*dr*dr + 4*dg*dg + 2*db*db
}
