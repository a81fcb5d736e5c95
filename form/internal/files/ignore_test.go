package files

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestIgnorePatterns(t *testing.T) {
	tests := []struct {
		pattern string
		path    string // a directory ends in a slash
		want    bool
	}{
		{"a", "a", true}, {"a", "x/a", true}, {"a", "x/a/", true}, {"a", "ab", false},
		{"a/", "a", false}, {"a/", "x/a/", true},
		{"/a", "a", true}, {"/a", "x/a", false}, {"x/a", "x/a", true}, {"x/a", "y/x/a", false},
		{"*.log", "x/y.log", true}, {"*.log", ".log", true}, {"*.log", "y.logs", false},
		{"x/*.log", "x/y.log", true}, {"x/*.log", "x/z/y.log", false},
		{"**/a", "a", true}, {"**/a", "x/y/a", true}, {"a/**", "a/", false}, {"a/**", "a/x/y", true},
		{"a/**/b", "a/b", true}, {"a/**/b", "a/x/y/b", true}, {"a/**/b", "a/x/y/c", false},
		{"**/a/**/b/*.c", "x/a/a/b/y/b/z.c", true},
		{"?", "a", true}, {"?", "ab", false}, {"a?c", "abc", true},
		{"[a-c]x", "bx", true}, {"[!a-c]x", "bx", false}, {"[^a-c]x", "dx", true}, {"[]a]", "]", true}, {"[a-]", "-", true},
		{"[[:digit:]]x", "1x", true}, {"[[:nonsense:]]", "a", false},
		{"[[:]x", "[x", true}, {"[[:]x", ":x", true}, {"[[:]x", "x", false}, {"[[::]]", ":", false}, {"[[:a]b:]]", "ab:]]", true}, {"[[:-z]", "f", true}, {"[[:", "[", false},
		{"[a", "[a", false}, {"[a", "a", false},
		{`\!a`, "!a", true}, {`\#a`, "#a", true}, {`a\*`, "a*", true}, {`a\*`, "ab", false}, {`a\`, "a", false},
		{"#a", "#a", false}, {"", "a", false}, {"/", "a/", false}, {"a  ", "a", true}, {`a\ `, "a ", true}, {"a\r", "a", true},
		{`[\/[ab]`, "a", true}, {"a[/]b", "a/b", false}, {"a[/b]", "ab", true}, {"x[/b]/c", "xb/c", true}, {`a\/b`, "a/b", true}, {"a/[b", "a/[b", false},
		{"a*b*c*d", "aXbXcXcXd", true},
		{strings.Repeat("a*", 50) + "b", strings.Repeat("a", 3000), false}, // and in no time
		{strings.Repeat("**/a/", 50) + "b", strings.Repeat("a/", 1000) + "c", false},
	}
	for _, tt := range tests {
		r := (*rules)(nil).add(parseRules([]byte(tt.pattern)), "", 0)
		name, dir := strings.CutSuffix(tt.path, "/")
		if got := r.ignored(name, dir); got != tt.want {
			t.Errorf("%.60q ignores %.60q: %v", tt.pattern, tt.path, got)
		}
	}
}

func TestIgnoreOrder(t *testing.T) {
	outer := (*rules)(nil).add(parseRules([]byte("\ufeff*.log\n!keep.log\n")), "", 0)
	inner := outer.add(parseRules([]byte("keep.log\n!/here.log\n")), "", len("sub/"))
	tests := []struct {
		rules *rules
		path  string
		want  bool
	}{
		{outer, "a.log", true}, {outer, "keep.log", false}, {outer, "x", false},
		{inner, "sub/a.log", true}, {inner, "sub/keep.log", true}, {inner, "sub/here.log", false}, {inner, "sub/deep/here.log", true},
	}
	for _, tt := range tests {
		if got := tt.rules.ignored(tt.path, false); got != tt.want {
			t.Errorf("%s is ignored: %v", tt.path, got)
		}
	}
}

// git is asked what it thinks of random rules in a random tree; the walk must
// think the same.
func TestWalkAgreesWithGit(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "b", "ab", "abc", "a.go", "b.go", ".x", "a b"})
	part := rapid.SampledFrom([]string{"a", "b", "*", "**", "a*", "*b", "?", "[ab]", "[!a]", "*.go", "a?c", `\a`, ".*", "[a-b]*", "a b", "***",
		"[[:alpha:]]", "[[:alpha:].]x", "[[:]", "[[:a]", "[[::]]", "[[:a]b", "[[:no:]]", "[[:-z]", "[]a]", "[a", "[", `[\]a]`, `[\`}) // a** is left out: git cuts off the a first and then takes it for **
	base := t.TempDir()
	git(t, base, "version")
	rapid.Check(t, func(rt *rapid.T) {
		root, err := os.MkdirTemp(base, "")
		if err != nil {
			rt.Fatal(err)
		}
		makeTree(t, root, ".git/HEAD|ref: refs/heads/main\n", ".git/objects/", ".git/refs/") // all that git needs
		isFile := map[string]bool{}
		for _, parts := range rapid.SliceOfN(rapid.SliceOfN(word, 1, 4), 1, 12).Draw(rt, "files") {
			file := path.Join(parts...)
			if !fits(isFile, file) {
				continue
			}
			isFile[file] = true
			makeTree(t, root, file)
		}
		line := rapid.Custom(func(t *rapid.T) string {
			return rapid.SampledFrom([]string{"", "", "!"}).Draw(t, "negated") +
				rapid.SampledFrom([]string{"", "", "/"}).Draw(t, "anchored") +
				strings.Join(rapid.SliceOfN(part, 1, 3).Draw(t, "parts"), "/") +
				rapid.SampledFrom([]string{"", "", "/", " "}).Draw(t, "end")
		})
		for _, dir := range []string{"", "a/", "b/"} {
			if lines := rapid.SliceOfN(line, 0, 4).Draw(rt, "rules"); len(lines) > 0 && (dir == "" || !isFile[dir[:1]]) {
				makeTree(t, root, dir+".gitignore|"+strings.Join(lines, "\n"))
			}
		}
		want := strings.FieldsFunc(git(t, root, "ls-files", "-z", "--others", "--exclude-standard"), func(r rune) bool { return r == 0 })
		l := newList(1000)
		walk(t.Context(), root, l, 0)
		var got []string
		for _, e := range l.view(false).entries {
			if !e.dir {
				got = append(got, e.path)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			var rules strings.Builder
			for _, dir := range []string{"", "a/", "b/"} {
				fmt.Fprintf(&rules, "%q: %q\n", dir, readRules(filepath.Join(root, dir, ".gitignore")))
			}
			rt.Fatalf("walk %q\ngit  %q\n%s", got, want, rules.String())
		}
	})
}

// fits reports whether a file can be beside the others: none of them is a
// directory on its way, nor the other way round.
func fits(files map[string]bool, file string) bool {
	for other := range files {
		if other == file || strings.HasPrefix(other, file+"/") || strings.HasPrefix(file, other+"/") {
			return false
		}
	}
	return true
}

func FuzzIgnore(f *testing.F) {
	f.Add("a*b\n!**/[c-", "x/ab", true)
	f.Add("[[:alpha:]-z]\\", "]", false)
	f.Add("[[:]", "0", false)
	f.Fuzz(func(t *testing.T, patterns, path string, dir bool) {
		r := (*rules)(nil).add(parseRules([]byte(patterns)), "", 0)
		if r.ignored(path, dir) && !strings.ContainsAny(patterns, "*?[\\") && !strings.Contains(patterns, path[strings.LastIndexByte(path, '/')+1:]) {
			t.Fatalf("%q ignores %q", patterns, path)
		}
	})
}
