package files

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/junegunn/fzf/src/algo"
	"github.com/junegunn/fzf/src/util"
)

// bigPaths are 100 000 paths, 20 000 of them in one directory.
func bigPaths() []string {
	words := []string{"form", "state", "layout", "queue", "journal", "settings", "render", "index", "model", "view", "config", "handler"}
	exts := []string{".go", ".ts", ".md", "_test.go", ".json"}
	paths := make([]string, 0, 100_000)
	for i := range 20_000 {
		paths = append(paths, fmt.Sprintf("assets/generated/icon-%05d.svg", i))
	}
	for i := range 80_000 {
		a, b, c := words[i%12], words[i/100%12], words[i/7%12]
		paths = append(paths, fmt.Sprintf("packages/%s-%d/src/%s/%s_%s%d%s", words[i/400%12], i/400, b, c, a, i, exts[i%5]))
	}
	return paths
}

func bigView(tb testing.TB) *view {
	l := newList(defaultMaxFiles)
	if !l.add(bigPaths()...) {
		tb.Fatal("the list is too small")
	}
	l.seal()
	return l.view(false)
}

// BenchmarkKey is what one more letter costs in a tree of 100 000 files.
// "contains" is the least that anybody would do instead: sort what holds the
// query. "fzf" scores all paths with the algorithm of fzf.
func BenchmarkKey(b *testing.B) {
	v := bigView(b)
	paths := bigPaths()
	for _, query := range []string{"", "f", "fo", "form", "e", "formgo", "icon-199", "packages/form-0/", "sjt", "zzzz"} {
		b.Run(fmt.Sprintf("ours/%q", query), func(b *testing.B) {
			b.ReportAllocs()
			below, rest := query[:strings.LastIndexByte(query, '/')+1], query[strings.LastIndexByte(query, '/')+1:]
			for b.Loop() {
				if _, err := v.search(context.Background(), below, rest, defaultMaxItems); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("contains/%q", query), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var found []string
				for _, p := range paths {
					if strings.Contains(strings.ToLower(p), query) {
						found = append(found, p)
					}
				}
				slices.Sort(found)
			}
		})
		b.Run(fmt.Sprintf("fzf/%q", query), func(b *testing.B) {
			b.ReportAllocs()
			chars := make([]util.Chars, len(paths))
			for i, p := range paths {
				chars[i] = util.ToChars([]byte(p))
			}
			slab := util.MakeSlab(100*1024, 2048)
			for b.Loop() {
				for i := range chars {
					algo.FuzzyMatchV2(false, false, true, &chars[i], []rune(query), false, slab)
				}
			}
		})
	}
}

// bigTree writes the 100 000 files.
func bigTree(tb testing.TB) string {
	root := tb.TempDir()
	made := map[string]bool{}
	for _, p := range bigPaths() {
		full := filepath.Join(root, p)
		if dir := filepath.Dir(full); !made[dir] {
			made[dir] = true
			if err := os.MkdirAll(dir, 0o755); err != nil {
				tb.Fatal(err)
			}
		}
		f, err := os.Create(full)
		if err != nil {
			tb.Fatal(err)
		}
		f.Close()
	}
	if err := os.Symlink("..", filepath.Join(root, "packages", "loop")); err != nil {
		tb.Fatal(err)
	}
	return root
}

// BenchmarkFirstList is the time until a new index answers, and until the
// answer is whole, in a tree of 100 000 files.
func BenchmarkFirstList(b *testing.B) {
	root := bigTree(b)
	for _, name := range []string{"walk", "untracked", "tracked"} {
		switch name {
		case "untracked":
			git(b, root, "init", "-q")
		case "tracked":
			git(b, root, "add", ".")
		}
		if name != "walk" {
			b.Run(name+"/git ls-files alone", func(b *testing.B) {
				for b.Loop() {
					git(b, root, "ls-files", "-co", "--exclude-standard", "-z")
				}
			})
		}
		for _, what := range []string{"first", "whole"} {
			b.Run(name+"/"+what, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					x := New(root, nil)
					items, err := x.Suggest(context.Background(), "f")
					for what == "whole" && err == ErrPartial {
						items, err = x.Suggest(context.Background(), "f")
					}
					if err != nil && err != ErrPartial {
						b.Fatal(items, err)
					}
					b.StopTimer()
					x.Close()
					b.StartTimer()
				}
			})
		}
	}
	x := New(root, nil)
	defer x.Close()
	for x.Warm(); ; {
		if _, err := x.Suggest(context.Background(), ""); err == nil {
			break
		}
	}
	b.Run("key", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, query := range []string{"f", "fo", "for", "form", "formq"} {
				if _, err := x.Suggest(context.Background(), query); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
