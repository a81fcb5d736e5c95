package term

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// show writes an event the way the tables below do; a star is a repeat.
func show(e event) string {
	if e.repeat {
		e.repeat = false
		return show(e) + "*"
	}
	switch {
	case e.kind == eventPaste:
		return fmt.Sprintf("paste<%q>", e.text)
	case e.kind == eventMouse:
		return fmt.Sprintf("mouse<%d,%d,%d>", e.mouse.X, e.mouse.Y, e.mouse.Action)
	case e.text == "":
		return e.id
	case e.id == e.text:
		return `"` + e.text + `"`
	}
	return e.id + `"` + e.text + `"`
}

// parse feeds chunks and then lets the time run out.
func parse(chunks ...string) []string {
	var p parser
	var got []string
	emit := func(e event) { got = append(got, show(e)) }
	for _, c := range chunks {
		p.feed([]byte(c), emit)
	}
	p.flush(emit)
	return got
}

func TestKeys(t *testing.T) {
	tests := []struct{ name, bytes, want string }{
		{"letters", "aN", `"a" shift+n"N"`},
		{"digit and signs", "1!?", `"1" "!" "?"`},
		{"plus has no id", "+", `"+"`},
		{"space", " ", `space" "`},
		{"enter, tab, backspace", "\r\t\x7f\b", "enter tab backspace backspace"},
		{"line feed", "\n", "ctrl+j"},
		{"control letters", "\x01\x03\x1a", "ctrl+a ctrl+c ctrl+z"},
		{"control space", "\x00", "ctrl+space"},
		{"undo", "\x1f", "ctrl+-"},
		{"control signs", "\x1c\x1d\x1e", `ctrl+\ ctrl+] ctrl+^`},
		{"escape alone", "\x1b", "esc"},
		{"escape twice", "\x1b\x1b", "esc esc"},
		{"arrows", "\x1b[A\x1b[B\x1b[C\x1b[D", "up down right left"},
		{"arrows in application mode", "\x1bOA\x1bOB\x1bOC\x1bOD", "up down right left"},
		{"arrows with modifiers", "\x1b[1;5C\x1b[1;3D\x1b[1;2A\x1b[1;6B", "ctrl+right alt+left shift+up ctrl+shift+down"},
		{"rxvt", "\x1b[a\x1bOd\x1b[5^\x1b\x1b[A", "shift+up ctrl+left ctrl+pageUp alt+up"},
		{"paging and editing", "\x1b[5~\x1b[6~\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[2~\x1b[3~", "pageUp pageDown home end home end insert delete"},
		{"function keys", "\x1bOP\x1b[15~\x1b[21~\x1b[24~\x1b[[B\x1b[1;5P", "f1 f5 f10 f12 f2 ctrl+f1"},
		{"back tab", "\x1b[Z", "shift+tab"},
		{"alt", "\x1bb\x1bF\x1b\x7f\x1b\r\x1b\x04", "alt+b shift+alt+f alt+backspace alt+enter ctrl+alt+d"},
		{"alt+[ of an old terminal", "\x1b[", "alt+["},
		{"alt+] of an old terminal", "\x1b]", "alt+]"},
		{"alt+shift+o of an old terminal", "\x1bO", "shift+alt+o"},
		{"other alphabets", "é世😀", `"é" "世" "😀"`},
		{"cluster of several characters", "👩‍🍳e\u0301", `"👩‍🍳" "e` + "\u0301" + `"`},
		{"bytes that are no text", "a\xff\u009bb", `"a" "b"`},
		{"kitty: keys", "\x1b[27u\x1b[13;2u\x1b[99;5u\x1b[57419u\x1b[57400u", `esc shift+enter ctrl+c up "1"`},
		{"kitty: letter", "\x1b[97u\x1b[97;2u\x1b[97;65u", `"a" shift+a"A" shift+a"A"`},
		{"kitty: press, repeat, release", "\x1b[49;1:1u\x1b[49;1:2u\x1b[49;1:3u", `"1" "1"*`},
		{"kitty: held keys", "\x1b[13;1:2u\x1b[127;1:2u\x1b[32;1:2u\x1b[233;1:2u\x1b[57400;1:2u\x1b[57423;1:2u\x1b[122;5:2u\x1b[97;2:2;65u", `enter* backspace* space" "* "é"* "1"* home* ctrl+z* shift+a"A"*`},
		{"kitty: what follows a held key is a press", "\x1b[97;1:2ua\x1b[A", `"a"* "a" up`},
		{"kitty: arrow held down", "\x1b[1;1:1A\x1b[1;1:2A\x1b[1;1:3A", "up up*"},
		{"kitty: alternates", "\x1b[99::99;5u\x1b[1089::99;5u\x1b[49:33;2u", `ctrl+c ctrl+c "!"`},
		{"kitty: character by number", "\x1b[20320u", `"你"`},
		{"kitty: text", "\x1b[97;1;97u\x1b[0;;229u", `"a" "å"`},
		{"kitty: modifier alone", "\x1b[57441;2u", ""},
		{"kitty: super", "\x1b[107;9u", "super+k"},
		{"kitty: answer about flags", "\x1b[?1u", ""},
		{"modifyOtherKeys", "\x1b[27;2;13~\x1b[27;5;32~\x1b[27;2;78~\x1b[27;2;33~\x1b[27;6;68~", `shift+enter ctrl+space shift+n"N" "!" ctrl+shift+d`},
		{"windows: press and release", "\x1b[65;30;97;1;0;1_\x1b[65;30;97;0;0;1_", `"a"`},
		{"windows: keys", "\x1b[38;72;0;1;256;1_\x1b[67;46;3;1;8;1_\x1b[13;28;13;1;16;1_\x1b[81;16;64;1;9;1_", `up ctrl+c shift+enter "@"`},
		{"windows: held down", "\x1b[65;30;97;1;0;1_\x1b[65;30;97;1;0;1_\x1b[65;30;97;0;0;1_\x1b[65;30;97;1;0;1_", `"a" "a"* "a"`},
		{"windows: held down, counted", "\x1b[13;28;13;1;0;3_\x1b[13;28;13;0;0;1_\x1b[65;30;97;1;0;2_", `enter enter* enter* "a" "a"*`},
		{"windows: another key in between", "\x1b[65;30;97;1;0;1_\x1b[66;48;98;1;0;1_\x1b[65;30;97;0;0;1_\x1b[66;48;98;1;0;1_", `"a" "b" "b"*`},
		{"windows: shift comes down", "\x1b[16;42;0;1;16;1_\x1b[65;30;65;1;16;1_\x1b[65;30;65;0;16;1_\x1b[65;30;65;1;16;1_", `shift+a"A" shift+a"A"`},
		{"windows: input method", "\x1b[231;0;228;1;0;1_\x1b[231;0;228;1;0;1_", `"ä" "ä"`},
		{"windows: surrogate pair", "\x1b[0;1;55357;1;0;1_\x1b[0;1;56832;1;0;1_", `"😀"`},
		{"windows: wrapped sequence", "\x1b[0;0;27;1;0;1_\x1b[0;0;91;1;0;1_\x1b[0;0;65;1;0;1_", "up"},
		{"mouse", "\x1b[<0;5;3M\x1b[<0;5;3m\x1b[<65;1;1M\x1b[<35;2;2M\x1b[M !!", "mouse<4,2,0> mouse<0,0,2> mouse<0,0,0>"},
		{"focus and answers", "\x1b[I\x1b[O\x1b[3;4R\x1b[?62;4c\x1b]11;rgb:1/1/1\x1b\\\x1b]0;x\x07\x1bP1$r\x1b\\a", `"a"`},
		{"answer without end", "\x1b]11;rgb:1", ""},
		{"sequence broken off", "\x1b[1;\x1b[A\x1b[\rb", `up enter "b"`},
		{"huge numbers", "\x1b[99999999999999999999;99999999u\x1b[1114112u\x1b[55357u", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(parse(tt.bytes), " "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestSequencesMayArriveInPieces(t *testing.T) {
	whole := "\x1b[1;5Cé\x1b[200~a\r\nb\x1b[A\x1b[201~\x1b[27;2;13~世"
	want := strings.Join(parse(whole), " ")
	var bytewise []string
	for i := range len(whole) {
		bytewise = append(bytewise, whole[i:i+1])
	}
	if got := strings.Join(parse(bytewise...), " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestPaste(t *testing.T) {
	tests := []struct {
		name  string
		bytes string
		want  string
	}{
		{"line ends", "\x1b[200~a\r\n\tb\n\nc\r\x1b[201~", `paste<"a\r\n\tb\n\nc\r">`},
		{"keys inside", "\x1b[200~\x1b\x031\x1b[A\x1b]0;\x1b[201~x", `paste<"\x1b\x031\x1b[A\x1b]0;"> "x"`},
		{"empty", "\x1b[200~\x1b[201~", `paste<"">`},
		{"half an end mark inside", "\x1b[200~a\x1b[20b\x1b[201~", `paste<"a\x1b[20b">`},
		{"bytes that are no text", "\x1b[200~a\xff\x1b[201~", `paste<"a` + "\ufffd" + `">`},
		{"end mark alone", "\x1b[201~a", `"a"`},
		{"two", "\x1b[200~a\x1b[201~\x1b[200~b\x1b[201~", `paste<"a"> paste<"b">`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(parse(tt.bytes), " "); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestPasteWithoutEnd(t *testing.T) {
	var p parser
	var got []string
	emit := func(e event) { got = append(got, show(e)) }
	check := func(step, want string) {
		t.Helper()
		if all := strings.Join(got, " "); all != want {
			t.Errorf("%s: got %s, want %s", step, all, want)
		}
		got = nil
	}
	p.feed([]byte("\x1b[200~abc\x1b[2"), emit)
	p.flush(emit)
	check("nothing before the wait is over", "")
	p.flushPaste(emit)
	check("what has come so far", `paste<"abc\x1b[2">`)
	p.feed([]byte("rest\r\x1b[201~k"), emit)
	check("the rest comes late", `paste<"rest\r"> "k"`)

	p.feed([]byte("\x1b[200~abc"), emit)
	p.flushPaste(emit)
	got = nil
	p.feed([]byte("\r"), emit)
	check("a key of the user", "enter")

	p.feed([]byte("\x1b[200~abc"), emit)
	p.flushPaste(emit)
	got = nil
	p.feed([]byte(strings.Repeat("1\r", 50)), emit)
	check("a burst without end mark", "")
	if !p.pasting() {
		t.Error("the burst is not taken for a paste")
	}
}

func TestPiecesMakeNoDifference(t *testing.T) {
	tokens := []string{"a", "N", "1", "\x1b", "[", "O", "A", "~", ";", ":", "5", "200", "201", "u", "_", "<", "M", "\r", "\x00", "\x7f", "]", "\x07", "\\", "P",
		"\x1b[200~", "\x1b[201~", "\x1b[A", "\x1b[99;5u", "\x1b[0;0;27;1;0;1_"}
	rapid.Check(t, func(t *rapid.T) {
		data := strings.Join(rapid.SliceOfN(rapid.SampledFrom(tokens), 0, 30).Draw(t, "tokens"), "")
		want := parse(data)
		cut := rapid.IntRange(0, len(data)).Draw(t, "cut")
		if got := parse(data[:cut], data[cut:]); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Fatalf("%q cut at %d:\ngot  %q\nwant %q", data, cut, got, want)
		}
	})
}

func FuzzParser(f *testing.F) {
	f.Add([]byte("\x1b[200~a\x1b[201~\x1b[99::99;5:1u"), 3)
	f.Add([]byte("\x1b\x1b[1;5A\xf0\x9f"), 1)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		cut = min(max(0, cut), len(data))
		var p parser
		emit := func(e event) {
			if e.kind == eventKey && e.id == "" && e.text == "" {
				t.Errorf("an empty event from %q", data)
			}
			if e.kind == eventKey && strings.ContainsFunc(e.text, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }) {
				t.Errorf("a control character as text from %q", data)
			}
		}
		p.feed(data[:cut], emit)
		p.feed(data[cut:], emit)
		p.flush(emit)
		if p.pending() {
			t.Errorf("still waiting after the time for it: %q", data)
		}
		p.flushPaste(emit)
		if p.pasting() {
			t.Errorf("still in a paste after the time for it: %q", data)
		}
	})
}

func BenchmarkPaste1MB(b *testing.B) {
	data := []byte("\x1b[200~" + strings.Repeat("some text, 世界 and more\r", 1<<20/28) + "\x1b[201~")
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		var p parser
		for from := 0; from < len(data); from += 4096 {
			p.feed(data[from:min(len(data), from+4096)], func(event) {})
		}
	}
}

func BenchmarkKey(b *testing.B) {
	var p parser
	b.ReportAllocs()
	for b.Loop() {
		p.feed([]byte("\x1b[A"), func(event) {})
	}
}
