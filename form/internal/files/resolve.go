package files

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// target is where a query is searched.
type target struct {
	tree  *tree
	below string // directory in the tree, with a slash at its end; "" is the root
	typed string // what the query said about the directory
	rest  string // what is searched for
}

// resolve splits a query at its last slash and finds the tree that holds the
// directory before it.
func (x *Index) resolve(query string) target {
	cut := strings.LastIndexByte(query, '/') + 1
	typed, rest := query[:cut], query[cut:]
	if typed == "" {
		return target{tree: x.main, rest: rest}
	}
	dir := x.directory(typed)
	t := target{typed: typed, rest: rest}
	if below, ok := under(x.cwd, dir); ok {
		t.tree, t.below = x.main, below
	} else {
		t.tree = x.outside(dir)
	}
	return t
}

// directory is the absolute path of a directory as it was typed.
func (x *Index) directory(typed string) string {
	if after, ok := strings.CutPrefix(typed, "~/"); ok && x.opt.Home != "" {
		return filepath.Join(x.opt.Home, filepath.FromSlash(after))
	}
	dir := filepath.FromSlash(typed)
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(x.cwd, dir)
}

// under gives dir relative to root, with slashes and one at its end; "" is root
// itself.
func under(root, dir string) (string, bool) {
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return "", false
	}
	switch rel = filepath.ToSlash(rel); {
	case rel == ".":
		return "", true
	case rel == ".." || strings.HasPrefix(rel, "../"):
		return "", false
	}
	return rel + "/", true
}

// outside is the tree of a directory that is not in the working directory. The
// least recently used one makes room.
func (x *Index) outside(root string) *tree {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, t := range x.others {
		if t.root == root {
			x.others = append(append(x.others[:i:i], x.others[i+1:]...), t)
			return t
		}
	}
	t := &tree{index: x, root: root, max: min(maxOutside, x.opt.MaxFiles)}
	x.others = append(x.others, t)
	if len(x.others) > maxTrees {
		x.others = x.others[len(x.others)-maxTrees:]
	}
	return t
}

// behindLink is the target of a query below a link to a directory, or below
// another repository. What is in them is not listed, it is a tree of its own.
func (x *Index) behindLink(v *view, t target) (target, bool) {
	name := strings.TrimSuffix(t.below, "/")
	for parent := name; parent != "."; parent = path.Dir(parent) {
		if !v.isOpaque(parent) {
			continue
		}
		dir := filepath.Join(t.tree.root, filepath.FromSlash(name))
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return target{}, false
		}
		return target{tree: x.outside(dir), typed: t.typed, rest: t.rest}, true
	}
	return target{}, false
}

// items turns hits into completions. The list may be older than the files: what
// is gone is left out, and a link to a directory is a directory.
func (t target) items(v *view, hits []hit, most int) []Item {
	items := make([]Item, 0, min(len(hits), most))
	last := ""
	for _, h := range hits {
		if len(items) == most {
			break
		}
		name := strings.TrimSuffix(v.entries[h.at].path, "/")
		if name == last {
			continue // a path in conflict is listed once for each version
		}
		last = name
		full := filepath.Join(t.tree.root, filepath.FromSlash(name))
		info, err := os.Stat(full)
		if err != nil {
			if info, err = os.Lstat(full); err != nil {
				continue
			}
		}
		items = append(items, newItem(t.typed+name[len(t.below):], info.IsDir()))
	}
	return items
}

func newItem(value string, dir bool) Item {
	slash := ""
	if dir {
		slash = "/"
	}
	return Item{Value: value + slash, Name: path.Base(value) + slash, Path: value + slash, Dir: dir}
}

func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return filepath.Clean(dir)
}
