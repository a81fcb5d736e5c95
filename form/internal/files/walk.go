package files

import (
	"context"
	"os"
	"path"
	"path/filepath"
)

// walk adds what is below a directory, level by level, so that a limit cuts the
// deepest. Links are listed and never followed, so no loop is possible; what
// cannot be read is passed over. With a depth of 1 only the top is read, 0 is
// no limit.
func walk(ctx context.Context, root string, l *list, depth int) {
	type dir struct {
		path  string // relative to root, with a slash at its end, or ""
		rules *rules
		level int
	}
	queue := []dir{{rules: outerRules(root)}}
	for len(queue) > 0 {
		d := queue[0]
		queue = queue[1:]
		here := d.rules.with(filepath.Join(root, filepath.FromSlash(d.path)), d.path)
		more := true
		readDir(ctx, filepath.Join(root, filepath.FromSlash(d.path)), func(batch []os.DirEntry) bool {
			paths := make([]string, 0, len(batch))
			for _, e := range batch {
				p := d.path + e.Name()
				if e.Name() == ".git" || here.ignored(p, e.IsDir()) {
					continue
				}
				if e.IsDir() {
					p += "/"
					if usable(p) && (depth == 0 || d.level+1 < depth) {
						queue = append(queue, dir{path: p, rules: here, level: d.level + 1})
					}
				}
				paths = append(paths, p)
			}
			more = l.add(paths...)
			return more
		})
		if !more || ctx.Err() != nil {
			return
		}
	}
}

// readDir gives the entries of a directory in pieces, in no order, until it
// ends, use returns false or ctx ends.
func readDir(ctx context.Context, name string, use func([]os.DirEntry) bool) {
	// Opening a pipe might never return.
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return
	}
	f, err := os.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	for ctx.Err() == nil {
		batch, err := f.ReadDir(1024)
		if len(batch) > 0 && !use(batch) || err != nil {
			return
		}
	}
}

// outerRules are the ignore rules of the directories around root, up to that of
// the repository. Outside of a repository there are none.
func outerRules(root string) *rules {
	if !inRepository(root) {
		return nil
	}
	var around []string // from the inside out
	dir := root
	for !isRepository(dir) {
		dir = filepath.Dir(dir)
		around = append(around, dir)
	}
	r := (*rules)(nil).add(parseRules(readRules(filepath.Join(dir, ".git", "info", "exclude"))), relative(dir, root), 0)
	for i := len(around) - 1; i >= 0; i-- {
		r = r.add(rulesOf(around[i]), relative(around[i], root), 0)
	}
	return r
}

func isRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// relative is the way from an outer directory to root, with a slash at its end.
func relative(outer, root string) string {
	rel, err := filepath.Rel(outer, root)
	if err != nil || rel == "." {
		return ""
	}
	return path.Clean(filepath.ToSlash(rel)) + "/"
}
