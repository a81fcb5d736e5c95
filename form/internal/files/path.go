package files

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// CompletePath finds the paths that go on with a plain token, such as src/ma or
// ~/pro: what is in that directory and begins with the rest, directories first
// and then by the alphabet. Ignore files do not matter here, since the path is
// spelled out; .git stays out of it. If no name begins with the rest as it
// stands, case does not matter. An empty token has no completion.
//
// CompletePath is safe for concurrent use and waits no longer than ctx.
func (x *Index) CompletePath(ctx context.Context, token string) ([]Item, error) {
	if token == "" || len(token) > maxPath {
		return nil, nil
	}
	return x.guarded(ctx, func(ctx context.Context) ([]Item, error) { return x.completePath(ctx, token) })
}

func (x *Index) completePath(ctx context.Context, token string) ([]Item, error) {
	cut := strings.LastIndexByte(token, '/') + 1
	typed, rest := token[:cut], token[cut:]
	dir := x.directory(typed)
	var exact, loose []Item
	seen := 0
	readDir(ctx, dir, func(batch []os.DirEntry) bool {
		for _, e := range batch {
			name := e.Name()
			if !usable(name) || !strings.HasPrefix(fold(name), fold(rest)) {
				continue
			}
			item := newItem(typed+name, isDirectory(dir, e))
			if strings.HasPrefix(name, rest) {
				exact = append(exact, item)
			} else {
				loose = append(loose, item)
			}
		}
		seen += len(batch)
		return seen < x.opt.MaxFiles
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(exact) == 0 {
		exact = loose
	}
	slices.SortFunc(exact, func(a, b Item) int {
		if a.Dir != b.Dir {
			if a.Dir {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(fold(a.Name), fold(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	return exact[:min(len(exact), x.opt.MaxItems)], nil
}

// isDirectory counts a link to a directory as one.
func isDirectory(dir string, e os.DirEntry) bool {
	if e.Type()&os.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(filepath.Join(dir, e.Name()))
	return err == nil && info.IsDir()
}
