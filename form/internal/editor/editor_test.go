package editor

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// press plays a script: words are key ids, 'text' is typed one character at a
// time, <text> is pasted.
func press(e *Editor, script ...string) {
	for _, key := range script {
		switch {
		case len(key) > 2 && key[0] == '\'':
			for _, r := range key[1 : len(key)-1] {
				e.Key("", string(r))
			}
		case len(key) > 1 && key[0] == '<':
			e.Paste(key[1 : len(key)-1])
		default:
			e.Key(key, "")
		}
	}
}

// marked is the text with the cursor shown as "|".
func marked(e *Editor) string {
	at := len(e.slice(position{}, e.cur))
	text := e.Text()
	return text[:at] + "|" + text[at:]
}

type keyCase struct {
	name string
	load string
	keys []string
	want string
}

func runKeys(t *testing.T, cases []keyCase) {
	t.Helper()
	for _, c := range cases {
		e := New(nil)
		e.SetText(c.load)
		press(e, c.keys...)
		if got := marked(e); got != c.want {
			t.Errorf("%s: %q gives %q, want %q", c.name, c.keys, got, c.want)
		}
	}
}

func TestTypingAndErasing(t *testing.T) {
	runKeys(t, []keyCase{
		{"typing", "", []string{"'abc'"}, "abc|"},
		{"cursor at the end of a loaded text", "one\ntwo", nil, "one\ntwo|"},
		{"typing in the middle", "ac", []string{"left", "'b'"}, "ab|c"},
		{"digits and question mark are text", "", []string{"'15:00?'"}, "15:00?|"},
		{"accents, wide letters, emoji", "", []string{"'é世😀'"}, "é世😀|"},
		{"shift with a letter", "", []string{"shift+n", "n"}, "Nn|"},
		{"space key", "a", []string{"space", "'b'"}, "a b|"},
		{"backspace", "abc", []string{"backspace"}, "ab|"},
		{"backspace joins lines", "a\nb", []string{"home", "backspace"}, "a|b"},
		{"backspace at the start", "a", []string{"home", "backspace"}, "|a"},
		{"delete", "abc", []string{"home", "delete"}, "|bc"},
		{"delete joins lines", "a\nb", []string{"up", "end", "delete"}, "a|b"},
		{"delete at the end", "a", []string{"delete"}, "a|"},
		{"backspace takes a joined emoji", "x👩‍🍳", []string{"backspace"}, "x|"},
		{"backspace takes a letter with its mark", "xe\u0301", []string{"backspace"}, "x|"},
		{"backspace takes a flag", "🇩🇪🇫🇷", []string{"backspace"}, "🇩🇪|"},
		{"left passes a whole cluster", "🏳️‍🌈a", []string{"left", "left", "'x'"}, "x|🏳️‍🌈a"},
		{"a mark typed later joins", "e", []string{"'\u0301'", "left"}, "|e\u0301"},
		{"cursor leaves a cluster that an insert made", "🇪🇫", []string{"home", "'🇩'"}, "🇩🇪|🇫"},
		{"cursor leaves a cluster that erasing made", "ex\u0301", []string{"home", "right", "delete"}, "e|"},
		{"newlines", "", []string{"'a'", "shift+enter", "'b'", "ctrl+j", "'c'", "alt+enter"}, "a\nb\nc\n|"},
		{"split a line", "ab", []string{"left", "shift+enter"}, "a\n|b"},
	})
}

func TestMoving(t *testing.T) {
	runKeys(t, []keyCase{
		{"left over a newline", "a\nb", []string{"left", "left"}, "a|\nb"},
		{"right over a newline", "a\nb", []string{"up", "end", "right"}, "a\n|b"},
		{"ends stop", "a", []string{"right", "right", "left", "left", "left"}, "|a"},
		{"home and end", "one\ntwo", []string{"home", "left", "ctrl+a", "ctrl+e"}, "one|\ntwo"},
		{"word left", "go to  now", []string{"alt+b", "ctrl+left"}, "go |to  now"},
		{"word left stops at punctuation", "a.bc", []string{"alt+left"}, "a.|bc"},
		{"word left over a newline", "a\nb", []string{"home", "alt+b"}, "a|\nb"},
		{"word right", "go to now", []string{"home", "alt+f", "ctrl+right"}, "go to| now"},
		{"word right over a newline", "a\nb", []string{"up", "end", "alt+right"}, "a\n|b"},
		{"accented word is one word", "naïve cafe\u0301", []string{"alt+b", "alt+b"}, "|naïve cafe\u0301"},
		{"up keeps the column over a short line", "long line\nx\nlong line", []string{"up", "up"}, "long line|\nx\nlong line"},
		{"typing forgets the column", "long line\nx\n", []string{"up", "end", "'y'", "up"}, "lo|ng line\nxy\n"},
		{"up above the first row", "abc", []string{"left", "up"}, "|abc"},
		{"down below the last row", "abc", []string{"home", "down"}, "abc|"},
		{"up does not enter a wide character", "世世\nabc", []string{"up"}, "世|世\nabc"},
		{"up through a tab", "\tx\nabcdef", []string{"up"}, "\tx|\nabcdef"},
		{"jump", "a-b-c", []string{"home", "ctrl+]", "'-'"}, "a|-b-c"},
		{"jump again", "a-b-c", []string{"home", "ctrl+]", "'-'", "ctrl+]", "'-'"}, "a-b|-c"},
		{"jump to another line", "ab\ncd", []string{"up", "home", "ctrl+]", "'d'"}, "ab\nc|d"},
		{"jump to nothing stays", "abc", []string{"home", "ctrl+]", "'z'", "'y'"}, "y|abc"},
		{"jump is taken back by itself", "a-b", []string{"home", "ctrl+]", "ctrl+]", "'-'"}, "-|a-b"},
		{"jump is taken back by a move", "a-b", []string{"home", "ctrl+]", "right", "'-'"}, "a-|-b"},
		{"jump ignores parts of clusters", "e\u0301e", []string{"home", "left", "ctrl+]", "'\u0301'"}, "|e\u0301e"},
	})
}

func TestUpAndDownFollowTheRows(t *testing.T) {
	e := New(nil)
	e.SetText("aaaa bbbb cccc") // rows of 5 + cursor: "aaaa ", "bbbb ", "cccc"
	e.View(6, 2)
	for _, c := range []struct{ key, want string }{
		{"up", "aaaa bbbb| cccc"},
		{"up", "aaaa| bbbb cccc"},
		{"down", "aaaa bbbb| cccc"},
		{"home", "|aaaa bbbb cccc"},
		{"pageDown", "aaaa bbbb |cccc"},
		{"pageDown", "aaaa bbbb cccc|"},
		{"pageUp", "|aaaa bbbb cccc"},
		{"end", "aaaa bbbb cccc|"},
		{"pageUp", "aaaa| bbbb cccc"},
	} {
		press(e, c.key)
		if got := marked(e); got != c.want {
			t.Fatalf("%s gives %q, want %q", c.key, got, c.want)
		}
	}
}

func TestUpIntoAShorterRowStaysInIt(t *testing.T) {
	e := New(nil)
	e.SetText("aa bbbbbbb cccccccc")
	if got := e.Height(9); got != 3 {
		t.Fatalf("%d rows", got)
	}
	for _, want := range []string{"aa bbbbbbb| cccccccc", "aa| bbbbbbb cccccccc"} {
		press(e, "up")
		if got := marked(e); got != want {
			t.Fatalf("up gives %q, want %q", got, want)
		}
	}
	press(e, "down", "down")
	if got := marked(e); got != "aa bbbbbbb cccccccc|" {
		t.Errorf("down gives %q, the column was forgotten", got)
	}
}

func TestKillAndYank(t *testing.T) {
	runKeys(t, []keyCase{
		{"kill word back", "one two ", []string{"ctrl+w"}, "one |"},
		{"kill word back, other key", "one two", []string{"alt+backspace"}, "one |"},
		{"kill word forward", "one two", []string{"home", "alt+d"}, "| two"},
		{"kill to the start", "one\ntwo x", []string{"left", "ctrl+u"}, "one\n|x"},
		{"kill at the start joins", "one\ntwo", []string{"home", "ctrl+u"}, "one|two"},
		{"kill to the end", "one two\nx", []string{"up", "home", "ctrl+k"}, "|\nx"},
		{"kill at the end joins", "one\ntwo", []string{"up", "end", "ctrl+k"}, "one|two"},
		{"yank", "one two", []string{"ctrl+w", "home", "ctrl+y"}, "two|one "},
		{"kills in a row are one", "one two three", []string{"ctrl+w", "ctrl+w", "ctrl+y"}, "one two three|"},
		{"kills both ways are one", "one two", []string{"alt+b", "ctrl+k", "ctrl+w", "ctrl+y"}, "one two|"},
		{"a move parts kills", "one two", []string{"ctrl+w", "left", "ctrl+k", "ctrl+y", "ctrl+y"}, "one  |"},
		{"yank the one before", "one two", []string{"ctrl+w", "left", "right", "ctrl+w", "ctrl+y", "alt+y"}, "two|"},
		{"yank around the ring", "one two", []string{"ctrl+w", "left", "right", "ctrl+w", "ctrl+y", "alt+y", "alt+y"}, "one |"},
		{"alt+y without yank", "one two", []string{"ctrl+w", "left", "right", "ctrl+w", "alt+y"}, "|"},
		{"nothing killed yet", "a", []string{"ctrl+y", "alt+y"}, "a|"},
	})
	e := New(nil)
	e.SetText("kept")
	press(e, "ctrl+u")
	e.SetText("")
	press(e, "ctrl+y")
	if got := e.Text(); got != "kept" {
		t.Errorf("the kill ring lost its text when another text was loaded: %q", got)
	}
}

func TestUndo(t *testing.T) {
	runKeys(t, []keyCase{
		{"a word with the blanks behind it", "", []string{"'one two'", "ctrl+-"}, "one |"},
		{"two words", "", []string{"'one two'", "ctrl+-", "ctrl+-"}, "|"},
		{"legacy code of the key", "", []string{"'one'", "ctrl+_"}, "|"},
		{"a run of backspaces", "hello", []string{"backspace", "backspace", "backspace", "ctrl+-"}, "hello|"},
		{"a run of deletes", "hello", []string{"home", "delete", "delete", "ctrl+-"}, "|hello"},
		{"a move ends the run", "", []string{"'a'", "left", "right", "'b'", "ctrl+-"}, "a|"},
		{"newline alone", "", []string{"'a'", "shift+enter", "'b'", "ctrl+-", "ctrl+-"}, "a|"},
		{"kill", "one two", []string{"ctrl+w", "ctrl+-"}, "one two|"},
		{"yank and alt+y", "one two", []string{"ctrl+w", "left", "right", "ctrl+w", "ctrl+y", "alt+y", "ctrl+-"}, "one |"},
		{"paste", "a", []string{"<x\ny\nz>", "ctrl+-"}, "a|"},
		{"cursor returns to where it was", "abc", []string{"home", "'x'", "end", "ctrl+-"}, "|abc"},
		{"joined lines part again", "a\nb", []string{"home", "backspace", "ctrl+-"}, "a\n|b"},
		{"nothing to undo in a loaded text", "abc", []string{"ctrl+-"}, "abc|"},
		{"typing after an undo is new", "", []string{"'ab'", "ctrl+-", "'cd'", "ctrl+-"}, "|"},
		{"a mark that joined", "e", []string{"'\u0301'", "ctrl+-"}, "e|"},
	})
	e := New(nil)
	press(e, "'abc'")
	e.SetText("def")
	press(e, "ctrl+-")
	if got := e.Text(); got != "def" {
		t.Errorf("undo crossed into the text loaded before: %q", got)
	}
}

func TestUndoIsBounded(t *testing.T) {
	e := New(nil)
	for range undoEdits + 50 {
		press(e, "'a'", "shift+enter")
	}
	if n := len(e.undo.edits); n != undoEdits {
		t.Errorf("%d edits kept, the limit is %d", n, undoEdits)
	}
	big := strings.Repeat("x", undoBytes/2+1)
	for range 3 {
		e.undo.add(edit{inserted: big}, false)
	}
	if e.undo.bytes != len(big) || len(e.undo.edits) != 1 {
		t.Errorf("%d bytes in %d edits kept, the limit is %d", e.undo.bytes, len(e.undo.edits), undoBytes)
	}
	for range killLimit + 5 {
		e.kills.add("x", true, false)
	}
	if n := len(e.kills.texts); n != killLimit || e.kills.bytes != n {
		t.Errorf("%d kills kept, %d bytes counted, the limit is %d", n, e.kills.bytes, killLimit)
	}
	for range 3 {
		e.kills.add(big, true, false)
	}
	if len(e.kills.texts) != 1 || e.kills.bytes != len(big) {
		t.Errorf("%d bytes of killed text kept, the limit is %d", e.kills.bytes, undoBytes)
	}
}

func TestPaste(t *testing.T) {
	runKeys(t, []keyCase{
		{"line ends and tabs", "", []string{"<a\r\n\tb\n\nc\r>"}, "a\n    b\n\nc\n|"},
		{"tab to the next stop", "", []string{"<ab\tc>"}, "ab  c|"},
		{"tab counts from the start of the line", "abc", []string{"<\tx>"}, "abc x|"},
		{"control characters are dropped", "", []string{"<a\x1b[31m\x03\x00\u009b1>"}, "a[31m1|"},
		{"other languages and emoji", "", []string{"<資料 👩‍🍳>"}, "資料 👩‍🍳|"},
		{"not UTF-8", "", []string{"<a\xffb>"}, "a\ufffdb|"},
		{"path after a word", "see", []string{"</tmp/a.png>"}, "see /tmp/a.png|"},
		{"home path after a word", "see", []string{"<~/a>"}, "see ~/a|"},
		{"relative path after a word", "資料", []string{"<../a>"}, "資料 ../a|"},
		{"path after a blank", "see ", []string{"</tmp/a>"}, "see /tmp/a|"},
		{"path after punctuation", "(", []string{"</tmp/a>"}, "(/tmp/a|"},
		{"path at the start", "", []string{"</tmp/a>"}, "/tmp/a|"},
		{"no path", "example", []string{"<.com>"}, "example.com|"},
		{"nothing left", "a", []string{"<\x1b\x00>"}, "a|"},
		{"does not submit or pick", "", []string{"<1\r>"}, "1\n|"},
		{"twelve rows are real text", "", []string{"<" + strings.Repeat("row\n", 12) + ">"}, strings.Repeat("row\n", 12) + "|"},
	})
}

func TestKeysOfTheForm(t *testing.T) {
	e := New(nil)
	e.SetText("abc")
	for _, id := range []string{"enter", "esc", "tab", "shift+tab", "ctrl+c", "ctrl+alt+d", "f1", "insert", "alt+x", "super+v", ""} {
		if e.Key(id, "") {
			t.Errorf("%q was taken", id)
		}
	}
	if e.Key("ctrl+x", "x") || e.Key("", "\x1b") {
		t.Error("a control key typed text")
	}
	if got := marked(e); got != "abc|" {
		t.Errorf("text changed to %q", got)
	}
}

func TestBackslashNewline(t *testing.T) {
	e := New(nil)
	e.SetText(`a\`)
	if !e.BackslashNewline() || marked(e) != "a\n|" {
		t.Errorf("backslash and Enter give %q", marked(e))
	}
	if e.BackslashNewline() {
		t.Error("a newline without a backslash")
	}
	e.SetText(`\b`)
	if e.BackslashNewline() {
		t.Error("the backslash is not directly before the cursor")
	}
}

func TestToken(t *testing.T) {
	for _, c := range []struct{ before, at, path string }{
		{"@", "@", ""},
		{"@re", "@re", ""},
		{"see @src/ma", "@src/ma", ""},
		{"see\t@a", "@a", ""},
		{"first line\n@b", "@b", ""},
		{`see @"my fi`, `@"my fi`, ""},
		{`@"`, `@"`, ""},
		{`@"a b"`, "", ""},
		{`@"a b" @c`, "@c", ""},
		{"mail@host", "", "mail@host"},
		{"x=@a", "", "@a"},
		{"see @a ", "", ""},
		{"", "", ""},
		{"--file=src/ma", "", "src/ma"},
		{"cat ~/no", "", "~/no"},
		{`open "my fi`, "", `"my fi`},
		{`say "done" now`, "", "now"},
		{"it's", "", "s"},
		{"@資料", "@資料", ""},
	} {
		e := New(nil)
		e.SetText(c.before)
		at, ok := e.Token()
		if at != c.at || ok != (c.at != "") {
			t.Errorf("Token before the cursor in %q is %q, %v; want %q", c.before, at, ok, c.at)
		}
		path, ok := e.PathToken()
		if path != c.path || ok != (c.path != "") {
			t.Errorf("PathToken before the cursor in %q is %q, %v; want %q", c.before, path, ok, c.path)
		}
	}
}

func TestReplaceToken(t *testing.T) {
	for _, c := range []struct {
		name, load string
		left       int
		value      string
		want       string
	}{
		{"file", "see @re", 0, "@README.md ", "see @README.md |"},
		{"in the middle", "see @re now", 4, "@README.md ", "see @README.md | now"},
		{"quoted", `@"my fi`, 0, `@"my file" `, `@"my file" |`},
		{"closing quote is not doubled", `@"my fi"`, 1, `@"my file" `, `@"my file" |`},
		{"plain path", "cat ./sr", 0, "./src/", "cat ./src/|"},
		{"no token", "cat ", 0, "src/", "cat src/|"},
	} {
		e := New(nil)
		e.SetText(c.load)
		for range c.left {
			e.Key("left", "")
		}
		e.ReplaceToken(c.value)
		if got := marked(e); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		press(e, "ctrl+-")
		if got := e.Text(); got != c.load {
			t.Errorf("%s: undo gives %q", c.name, got)
		}
	}
}

func TestView(t *testing.T) {
	for _, c := range []struct {
		name, load  string
		keys        []string
		width, rows int
		want        View
	}{
		{"empty", "", nil, 10, 5, View{Lines: []string{""}, CursorCluster: " "}},
		{"end of a line", "abc", nil, 10, 5, View{Lines: []string{"abc"}, CursorCol: 3, CursorCluster: " "}},
		{"on a letter", "abc", []string{"left"}, 10, 5, View{Lines: []string{"abc"}, CursorCol: 2, CursorCluster: "c"}},
		{"wraps at words", "one two three", nil, 9, 5, View{Lines: []string{"one two ", "three"}, CursorRow: 1, CursorCol: 5, CursorCluster: " "}},
		{"a full row leaves a column for the cursor", "abcdefgh", nil, 9, 5, View{Lines: []string{"abcdefgh"}, CursorCol: 8, CursorCluster: " "}},
		{"a blank hangs behind a full row", "abcd efgh", []string{"alt+b", "left"}, 5, 5, View{Lines: []string{"abcd ", "efgh"}, CursorCol: 4, CursorCluster: " "}},
		{"behind a hanging blank the next row starts", "abcd ", nil, 5, 5, View{Lines: []string{"abcd ", ""}, CursorRow: 1, CursorCluster: " "}},
		{"long words are broken", "abcdefghij", nil, 5, 5, View{Lines: []string{"abcd", "efgh", "ij"}, CursorRow: 2, CursorCol: 2, CursorCluster: " "}},
		{"wide characters", "資料庫", []string{"left"}, 5, 5, View{Lines: []string{"資料", "庫"}, CursorRow: 1, CursorCluster: "庫"}},
		{"tabs", "a\tb", []string{"left", "left"}, 10, 5, View{Lines: []string{"a   b"}, CursorCol: 1, CursorCluster: " "}},
		{"behind a tab", "a\tb", []string{"left"}, 10, 5, View{Lines: []string{"a   b"}, CursorCol: 4, CursorCluster: "b"}},
		{"a tab wraps", "abcd\tb", nil, 6, 5, View{Lines: []string{"abcd", "    b"}, CursorRow: 1, CursorCol: 5, CursorCluster: " "}},
		{"stand-ins", "a\x1b\u202eb", []string{"left", "left"}, 20, 5, View{Lines: []string{"a␛<U+202E>b"}, CursorCol: 2, CursorCluster: "<U+202E>"}},
		{"a stand-in wider than the row", "\u202e", []string{"left"}, 5, 5, View{Lines: []string{"<U+20"}, CursorCluster: "<U+20"}},
		{"below the window", "1\n2\n3\n4\n5", []string{"up", "up", "up", "up"}, 10, 2, View{Lines: []string{"1", "2"}, CursorCol: 1, CursorCluster: " ", Below: 3}},
		{"above the window", "1\n2\n3\n4\n5", nil, 10, 2, View{Lines: []string{"4", "5"}, CursorRow: 1, CursorCol: 1, CursorCluster: " ", Above: 3}},
		{"one column", "a b", nil, 1, 9, View{Lines: []string{"a", "b"}, CursorRow: 1, CursorCluster: " "}},
		{"width and rows below one", "ab", nil, 0, 0, View{Lines: []string{"b"}, CursorCluster: " ", Above: 1}},
	} {
		e := New(nil)
		e.SetText(c.load)
		press(e, c.keys...)
		if got := e.View(c.width, c.rows); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

func TestTheWindowMovesOnlyAsFarAsTheCursorNeeds(t *testing.T) {
	e := New(nil)
	e.SetText("1\n2\n3\n4\n5\n6")
	e.View(10, 3)
	for _, c := range []struct{ key, want string }{
		{"up", "456"}, {"up", "456"}, {"up", "345"}, {"down", "345"}, {"down", "345"}, {"down", "456"},
	} {
		press(e, c.key)
		if got := strings.Join(e.View(10, 3).Lines, ""); got != c.want {
			t.Fatalf("%s shows %q, want %q", c.key, got, c.want)
		}
	}
	if got := strings.Join(e.View(10, 10).Lines, ""); got != "123456" {
		t.Errorf("a taller window shows %q", got)
	}
}

func TestHeight(t *testing.T) {
	e := New(nil)
	e.SetText("one two three\n\nx")
	for _, c := range []struct{ width, want int }{{80, 3}, {9, 4}, {6, 5}, {1, 13}} {
		if got := e.Height(c.width); got != c.want {
			t.Errorf("height at %d columns is %d, want %d", c.width, got, c.want)
		}
	}
}

func Example() {
	e := New(nil)
	e.SetText("ship it on friday")
	e.Key("ctrl+w", "")
	e.Key("", "世")
	view := e.View(12, 5)
	for _, line := range view.Lines {
		fmt.Printf("%q\n", line)
	}
	fmt.Println("cursor", view.CursorRow, view.CursorCol)
	// Output:
	// "ship it on "
	// "世"
	// cursor 1 2
}

func ExampleEditor_Paste() {
	e := New(nil)
	e.Paste("a\r\n\tb\x1b\r")
	fmt.Printf("%q\n", e.Text())
	// Output: "a\n    b\n"
}

func ExampleEditor_Token() {
	e := New(nil)
	e.SetText("see @REA")
	token, ok := e.Token()
	fmt.Println(token, ok)
	e.ReplaceToken("@README.md ")
	fmt.Printf("%q\n", e.Text())
	// Output:
	// @REA true
	// "see @README.md "
}
