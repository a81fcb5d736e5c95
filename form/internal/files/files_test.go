package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// makeTree writes empty files; a name that ends in a slash is a directory, one
// with an arrow is a link.
func makeTree(t testing.TB, root string, names ...string) {
	t.Helper()
	for _, name := range names {
		name, to, link := strings.Cut(name, " -> ")
		name, content, _ := strings.Cut(name, "|")
		full := filepath.Join(root, filepath.FromSlash(name))
		dir := filepath.Dir(full)
		if strings.HasSuffix(name, "/") {
			dir = full
		}
		err := os.MkdirAll(dir, 0o755)
		switch {
		case err != nil:
		case link:
			err = os.Symlink(filepath.FromSlash(to), full)
		case !strings.HasSuffix(name, "/"):
			err = os.WriteFile(full, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// git runs git in a directory with settings of its own.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(gitEnv(os.Environ()), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func newIndex(t testing.TB, cwd string, o *Options) *Index {
	x := New(cwd, o)
	t.Cleanup(func() { x.Close() })
	return x
}

// suggest asks until the answer is whole, as the form does.
func suggest(t testing.TB, x *Index, query string) []string {
	t.Helper()
	for {
		items, err := x.Suggest(t.Context(), query)
		if errors.Is(err, ErrPartial) {
			continue
		}
		if err != nil {
			t.Fatalf("%q: %v", query, err)
		}
		values := make([]string, 0, len(items))
		for _, it := range items {
			values = append(values, it.Value)
		}
		return values
	}
}

func wantSuggestions(t *testing.T, x *Index, query string, want ...string) {
	t.Helper()
	if got := suggest(t, x, query); !slices.Equal(got, want) {
		t.Errorf("%q offers\n%q, want\n%q", query, got, want)
	}
}

func ExampleIndex_Suggest() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"main.go", "my notes.txt", "domain.go"} {
		os.WriteFile(filepath.Join(dir, name), nil, 0o644)
	}
	index := New(dir, nil)
	defer index.Close()
	items, err := index.Suggest(context.Background(), "m")
	for _, item := range items {
		fmt.Printf("%s|\n", Quote(item))
	}
	fmt.Println(err)
	// Output:
	// @main.go |
	// @"my notes.txt" |
	// @domain.go |
	// <nil>
}

func ExampleIndex_CompletePath() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	os.MkdirAll(filepath.Join(dir, "src", "main"), 0o755)
	os.WriteFile(filepath.Join(dir, "src", "makefile"), nil, 0o644)
	index := New(dir, nil)
	defer index.Close()
	items, _ := index.CompletePath(context.Background(), "./src/ma")
	for _, item := range items {
		fmt.Println(item.Value)
	}
	// Output:
	// ./src/main/
	// ./src/makefile
}

func TestQuote(t *testing.T) {
	tests := []struct {
		item Item
		want string
	}{
		{Item{Value: "src/a.go"}, "@src/a.go "},
		{Item{Value: "src/", Dir: true}, "@src/"},
		{Item{Value: "my notes.txt"}, `@"my notes.txt" `},
		{Item{Value: "my dir/", Dir: true}, `@"my dir/"`},
		{Item{Value: "it's.txt"}, `@"it's.txt" `},
		{Item{Value: "a=b"}, `@"a=b" `},
		{Item{Value: "a\u00a0b"}, "@\"a\u00a0b\" "},
		{Item{Value: "~/größe.txt"}, "@~/größe.txt "},
	}
	for _, tt := range tests {
		if got := Quote(tt.item); got != tt.want {
			t.Errorf("%q is quoted as %q, want %q", tt.item.Value, got, tt.want)
		}
	}
}

func TestRanking(t *testing.T) {
	root := t.TempDir()
	makeTree(t, root,
		"form.go", "form/state.go", "form/internal/form", "form/internal/reform.go", "docs/format.md", "forms/x",
		"f/o/r/m/deep.txt", "xform", "a-form.txt", "Firmly_ordered_map.txt", "UserFormView.java", "zzz", ".hidden/form-9.txt")
	x := newIndex(t, root, nil)
	wantSuggestions(t, x, "form",
		"form/", "form/internal/form", // is it
		"forms/", "form.go", "docs/format.md", ".hidden/form-9.txt", // begins with it
		"a-form.txt", "UserFormView.java", // begins a word in it
		"xform", "form/internal/reform.go", // somewhere in it
		"Firmly_ordered_map.txt",                                                     // its letters
		"form/internal/", "forms/x", "form/state.go", "f/o/r/m/", "f/o/r/m/deep.txt", // in the path only
	)
	wantSuggestions(t, x, "FORM.GO", "form.go", "form/internal/reform.go", "form/state.go")
	wantSuggestions(t, x, "ufv", "UserFormView.java")
	wantSuggestions(t, x, "nothing like it")
	wantSuggestions(t, x, "", "docs/", "f/", "form/", "forms/", ".hidden/",
		"a-form.txt", "Firmly_ordered_map.txt", "form.go", "UserFormView.java", "xform", "zzz")
}

func TestQueriesWithASlash(t *testing.T) {
	base := t.TempDir()
	home, root := filepath.Join(base, "home"), filepath.Join(base, "work", "project")
	makeTree(t, root, "src/main.go", "src/deep/main_test.go", "src/.env", "readme.md", "Größe/straße.txt")
	makeTree(t, home, "notes.txt", "projects/one/a.go")
	makeTree(t, base, "work/sibling/lib.go", "work/sibling/deep/liberal.go")
	x := newIndex(t, root, &Options{Home: home})
	slash := filepath.ToSlash(base)

	tests := []struct {
		query string
		want  []string
	}{
		{"src/", []string{"src/deep/", "src/main.go", "src/.env"}},
		{"src/ma", []string{"src/main.go", "src/deep/main_test.go"}},
		{"./src/mai", []string{"./src/main.go", "./src/deep/main_test.go"}},
		{"src/../src//mai", []string{"src/../src//main.go", "src/../src//deep/main_test.go"}},
		{"s/main", []string{"src/main.go", "src/deep/main_test.go"}}, // no such directory: whole paths
		{"~/", []string{"~/projects/", "~/notes.txt"}},
		{"~/not", []string{"~/notes.txt"}},
		{"~/projects/o", []string{"~/projects/one/", "~/projects/one/a.go"}},
		{"../", []string{"../project/", "../sibling/"}},
		{"../sibling/lib", []string{"../sibling/lib.go", "../sibling/deep/liberal.go"}},
		{"../project/read", []string{"../project/readme.md"}},
		{slash + "/work/sibling/deep/", []string{slash + "/work/sibling/deep/liberal.go"}},
		{slash + "/work/project/src/mai", []string{slash + "/work/project/src/main.go", slash + "/work/project/src/deep/main_test.go"}},
		{"~nobody/", nil},
		{"../gone/x", nil},
		{"größe/str", []string{"Größe/straße.txt"}}, // another case is no directory
		{"Größe/STRASSE", nil},
		{"Größe/STRAß", []string{"Größe/straße.txt"}},
	}
	for _, tt := range tests {
		wantSuggestions(t, x, tt.query, tt.want...)
	}
	items, err := x.Suggest(t.Context(), "src/")
	want := []Item{
		{Value: "src/deep/", Name: "deep/", Path: "src/deep/", Dir: true},
		{Value: "src/main.go", Name: "main.go", Path: "src/main.go"},
		{Value: "src/.env", Name: ".env", Path: "src/.env"},
	}
	if err != nil || !reflect.DeepEqual(items, want) {
		t.Errorf("items %+v, %v", items, err)
	}
}

func TestRepository(t *testing.T) {
	root := t.TempDir()
	git(t, root, "init", "-q")
	makeTree(t, root, ".gitignore|*.log\n/target/\n!keep.log\n", "main.go", "with blank/my file.txt", "target/debug/x", "a.log", "keep.log",
		"web/.gitignore|dist\n", "web/dist/bundle.js", "web/index.js", "gone.go", "untracked/new.go", ".github/ci.yml", "empty/")
	git(t, root, "add", ".")
	git(t, root, "commit", "-q", "-m", "all")
	makeTree(t, root, "untracked/newer.go", "nested/inner.go")
	git(t, filepath.Join(root, "nested"), "init", "-q")
	if err := os.Remove(filepath.Join(root, "gone.go")); err != nil {
		t.Fatal(err)
	}
	for _, noGit := range []bool{false, true} {
		t.Run(map[bool]string{false: "git", true: "walk"}[noGit], func(t *testing.T) {
			x := newIndex(t, root, &Options{NoGit: noGit})
			top := []string{"nested/", "untracked/", "web/", "with blank/", ".github/", "keep.log", "main.go", ".gitignore"}
			if noGit { // git knows no empty directories
				top = slices.Insert(top, 0, "empty/")
			}
			wantSuggestions(t, x, "", top...)
			wantSuggestions(t, x, "log", "keep.log")
			wantSuggestions(t, x, "bundle")
			wantSuggestions(t, x, "target/")
			wantSuggestions(t, x, "gone")
			wantSuggestions(t, x, "newer", "untracked/newer.go")
			wantSuggestions(t, x, "myf", "with blank/my file.txt")
			for _, value := range suggest(t, x, ".git/") {
				if strings.HasPrefix(value, ".git/") {
					t.Errorf("%q is offered", value)
				}
			}
			wantSuggestions(t, x, "HEAD")
			wantSuggestions(t, x, "nested/inn", "nested/inner.go")

			// A subdirectory follows the rules around it.
			sub := newIndex(t, filepath.Join(root, "web"), &Options{NoGit: noGit})
			wantSuggestions(t, sub, "", "index.js", ".gitignore")
			wantSuggestions(t, sub, "../ma", "../main.go")
		})
	}
}

// A file in conflict has several versions and is one file.
func TestRepositoryInConflict(t *testing.T) {
	root := t.TempDir()
	git(t, root, "init", "-q")
	commit := func(content string) {
		makeTree(t, root, "both.txt|"+content)
		git(t, root, "add", ".")
		git(t, root, "commit", "-q", "-m", content)
	}
	commit("one")
	git(t, root, "checkout", "-q", "-b", "other")
	commit("two")
	git(t, root, "checkout", "-q", "main")
	commit("three")
	cmd := exec.Command("git", "-c", "user.name=n", "-c", "user.email=e@example.org", "merge", "other")
	cmd.Dir = root
	if cmd.Run() == nil {
		t.Fatal("the merge should have failed")
	}
	if n := strings.Count(git(t, root, "ls-files"), "both.txt"); n < 2 {
		t.Fatalf("git lists it %d times", n)
	}
	wantSuggestions(t, newIndex(t, root, nil), "both", "both.txt")
}

func TestRepositoryOfAHook(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	git(t, root, "init", "-q")
	git(t, other, "init", "-q")
	makeTree(t, root, "mine.go")
	makeTree(t, other, "theirs.go")
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	wantSuggestions(t, newIndex(t, root, nil), "go", "mine.go")
}

// A repository is foreign text: its settings must not start programs.
func TestRepositoryStartsNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the monitor is a shell script")
	}
	root := t.TempDir()
	git(t, root, "init", "-q")
	mark := filepath.Join(t.TempDir(), "started")
	makeTree(t, root, "a.go")
	git(t, root, "add", ".")
	git(t, root, "config", "core.fsmonitor", "touch '"+mark+"'; false")
	wantSuggestions(t, newIndex(t, root, nil), "a", "a.go")
	if _, err := os.Stat(mark); err == nil {
		t.Error("the monitor of the repository was started")
	}
}

func TestWithoutGitInstalled(t *testing.T) {
	root := t.TempDir()
	git(t, root, "init", "-q")
	makeTree(t, root, "a.go", ".gitignore|*.tmp", "b.tmp")
	t.Setenv("PATH", t.TempDir())
	wantSuggestions(t, newIndex(t, root, nil), "", "a.go", ".gitignore")
}

func TestOddTrees(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such names")
	}
	root := t.TempDir()
	makeTree(t, root, "good.txt", "two\nlines", "esc\x1b[2J", "bad\xff\xfeutf8", `quo"te`, "c1\u009bx", "sep\u2028x", "bad\ndir/inside.txt",
		"bidi\u202ename", "back\\slash", "a/loop -> ..", "a/self -> self", "a/dangling -> nowhere", "real/inside.txt", "link -> real", "secret/hidden.txt")
	if err := os.Chmod(filepath.Join(root, "secret"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(root, "secret"), 0o755) })
	for _, name := range []string{"plain", "repository"} {
		if name == "repository" {
			git(t, root, "init", "-q")
		}
		t.Run(name, func(t *testing.T) {
			x := newIndex(t, root, nil)
			got := suggest(t, x, "")
			for _, value := range []string{"a/", "real/", "link/", "good.txt", "bidi\u202ename", "back\\slash"} {
				if !slices.Contains(got, value) {
					t.Errorf("%q is not among %q", value, got)
				}
			}
			for _, value := range got {
				if strings.ContainsAny(value, "\n\x1b\ufffd\"\u009b\u2028") {
					t.Errorf("%q is offered", value)
				}
			}
			wantSuggestions(t, x, "a/", "a/dangling", "a/loop/", "a/self")
			wantSuggestions(t, x, "link/", "link/inside.txt")
			wantSuggestions(t, x, "a/loop/a/loop/goo", "a/loop/a/loop/good.txt")
			// Root reads every directory, others do not: both are fine.
			if got := suggest(t, x, "secret/"); len(got) > 1 {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestPipesInsteadOfFiles(t *testing.T) {
	mkfifo, err := exec.LookPath("mkfifo")
	if err != nil {
		t.Skip("mkfifo is not installed")
	}
	root := t.TempDir()
	makeTree(t, root, "a.txt")
	if out, err := exec.Command(mkfifo, filepath.Join(root, ".gitignore"), filepath.Join(root, ".ignore"), filepath.Join(root, "pipe")).CombinedOutput(); err != nil {
		t.Skipf("no pipes here: %s", out)
	}
	x := newIndex(t, root, nil)
	wantSuggestions(t, x, "a.t", "a.txt")
	wantSuggestions(t, x, "pipe/")
	if items, err := x.CompletePath(t.Context(), "pipe/"); err != nil || len(items) != 0 {
		t.Errorf("%v, %v", items, err)
	}
}

func TestLimits(t *testing.T) {
	root := t.TempDir()
	for i := range 300 {
		makeTree(t, root, fmt.Sprintf("dir%d/file%d", i%7, i))
	}
	x := newIndex(t, root, &Options{MaxItems: 3, MaxFiles: 20})
	wantSuggestions(t, x, "", "dir0/", "dir1/", "dir2/")
	if n := len(suggest(t, x, "file")); n != 3 {
		t.Errorf("%d items", n)
	}
	if v := x.main.list.view(false); len(v.entries) > 20+1024 {
		t.Errorf("%d entries are kept", len(v.entries))
	}
	if items, err := x.Suggest(t.Context(), strings.Repeat("x", 1<<20)); items != nil || err != nil {
		t.Errorf("a query of a megabyte: %v, %v", items, err)
	}
	for i := range 3 * maxTrees {
		suggest(t, x, fmt.Sprintf("%s/dir%d/../../", filepath.ToSlash(root), i%7)+strings.Repeat("../", i%3))
		suggest(t, x, fmt.Sprintf("../nowhere%d/", i))
	}
	if len(x.others) > maxTrees {
		t.Errorf("%d trees are kept", len(x.others))
	}
}

// A new token sees new files, and until then the old list answers at once.
func TestRefresh(t *testing.T) {
	root := t.TempDir()
	makeTree(t, root, "old.txt")
	x := newIndex(t, root, &Options{RefreshAfter: time.Nanosecond})
	wantSuggestions(t, x, "txt", "old.txt")
	makeTree(t, root, "new.txt")
	for {
		got := suggest(t, x, "") // begins a token each time
		if slices.Equal(got, []string{"new.txt", "old.txt"}) {
			break
		}
		if !slices.Equal(got, []string{"old.txt"}) {
			t.Fatalf("offers %q", got)
		}
		time.Sleep(time.Millisecond)
	}
	if err := os.Remove(filepath.Join(root, "old.txt")); err != nil {
		t.Fatal(err)
	}
	wantSuggestions(t, x, "txt", "new.txt") // what is gone is gone at once
}

func TestNewToken(t *testing.T) {
	x := newIndex(t, t.TempDir(), nil)
	for i, step := range []struct {
		query string
		want  bool
	}{{"", true}, {"f", false}, {"fo", false}, {"f", false}, {"x", true}, {"", true}, {"ab", false}, {"b", true}} {
		if got := x.newToken(step.query); got != step.want {
			t.Errorf("step %d: %q begins a token: %v", i, step.query, got)
		}
	}
}

func TestEndedContext(t *testing.T) {
	root := t.TempDir()
	makeTree(t, root, "a")
	x := newIndex(t, root, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Suggest(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := x.CompletePath(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	// A file system that hangs: all places are taken, and the caller still goes on.
	for range cap(x.search) {
		x.search <- struct{}{}
	}
	ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := x.Suggest(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestPartialAnswer(t *testing.T) {
	root := t.TempDir()
	makeTree(t, root, "top.txt", "dir/below.txt")
	x := newIndex(t, root, nil)
	// A listing that has found nothing yet.
	x.main.growing, x.main.ended = newList(10), make(chan struct{})
	items, err := x.Suggest(t.Context(), "t")
	if !errors.Is(err, ErrPartial) || len(items) != 1 || items[0].Value != "top.txt" {
		t.Fatalf("%+v, %v", items, err)
	}
	// One that has found something.
	x.main.growing.add("dir/below.txt")
	items, err = x.Suggest(t.Context(), "t")
	if !errors.Is(err, ErrPartial) || len(items) != 1 || items[0].Value != "dir/below.txt" {
		t.Fatalf("%+v, %v", items, err)
	}
}

func TestClose(t *testing.T) {
	root := t.TempDir()
	makeTree(t, root, "a.txt")
	x := New(root, nil)
	x.Warm()
	for range 2 {
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	x.Warm()
	if _, err := x.Suggest(t.Context(), "a"); err != nil {
		t.Errorf("after the end: %v", err)
	}
	if items, err := New(filepath.Join(root, "gone"), nil).CompletePath(t.Context(), "a"); err != nil || items != nil {
		t.Errorf("no such directory: %v, %v", items, err)
	}
}

func TestManyAtOnce(t *testing.T) {
	root := t.TempDir()
	for i := range 500 {
		makeTree(t, root, fmt.Sprintf("d%d/f%d.txt", i%20, i))
	}
	x := newIndex(t, root, &Options{RefreshAfter: time.Nanosecond})
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for _, query := range []string{"", "f", "f1", "d3/", "../", fmt.Sprint("d", i), "nothing"} {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*time.Millisecond)
				if _, err := x.Suggest(ctx, query); err != nil && !errors.Is(err, ErrPartial) && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%q: %v", query, err)
				}
				cancel()
			}
		})
	}
	all.Wait()
	wantSuggestions(t, x, "f499", "d19/f499.txt")
}

func TestCompletePath(t *testing.T) {
	base := t.TempDir()
	root, home := filepath.Join(base, "p"), filepath.Join(base, "home")
	makeTree(t, root, "src/main.go", "src/Makefile", "src/map/", "src/.git/HEAD", "src/.env", ".gitignore|*.log", "a.log", "src/mirror -> map", "my file")
	makeTree(t, home, "notes.txt")
	x := newIndex(t, root, &Options{Home: home})
	tests := []struct {
		token string
		want  []string
	}{
		{"src/ma", []string{"src/map/", "src/main.go"}},
		{"src/M", []string{"src/Makefile"}},
		{"src/MAP", []string{"src/map/"}},
		{"src/", []string{"src/map/", "src/mirror/", "src/.env", "src/main.go", "src/Makefile"}},
		{"a.", []string{"a.log"}},
		{"my", []string{"my file"}},
		{"~/n", []string{"~/notes.txt"}},
		{"../h", []string{"../home/"}},
		{filepath.ToSlash(root) + "/src/map", []string{filepath.ToSlash(root) + "/src/map/"}},
		{"", nil},
		{"src/none", nil},
		{"none/x", nil},
		{"src/main.go/", nil},
		{"\x00", nil},
		{strings.Repeat("../", 2000), nil},
	}
	for _, tt := range tests {
		items, err := x.CompletePath(t.Context(), tt.token)
		var got []string
		for _, it := range items {
			got = append(got, it.Value)
		}
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q offers %q, %v, want %q", tt.token, got, err, tt.want)
		}
	}
}
