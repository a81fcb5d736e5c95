package files

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// entry is a file or a directory. A hundred thousand of them are searched with
// every key, so what the search needs is worked out once.
type entry struct {
	path  string // relative to the root, with slashes; a directory ends in one
	key   string // path in lower case
	all   letters
	named letters // of the base name
	base  int32   // where the base name begins in key
	depth int16   // slashes before the base name
	dir   bool
}

// name is the base name in lower case, without a slash at its end.
func (e *entry) name() string {
	if e.dir {
		return e.key[e.base : len(e.key)-1]
	}
	return e.key[e.base:]
}

// letters says which characters a text holds at least: one bit for each of a-z
// and for some groups. A query can match only if its letters are among them.
type letters uint32

func lettersOf(s string) letters {
	var l letters
	for i := 0; i < len(s); i++ {
		l |= letterBit(s[i])
	}
	return l
}

func letterBit(c byte) letters {
	switch {
	case 'a' <= c && c <= 'z':
		return 1 << (c - 'a')
	case c == '/':
		return 0 // at the end of a directory it is left out
	case c == '.':
		return 1 << 26
	case c == '-':
		return 1 << 27
	case c == '_':
		return 1 << 28
	case '0' <= c && c <= '4':
		return 1 << 29
	case '5' <= c && c <= '9':
		return 1 << 30
	}
	return 1 << 31
}

// list collects entries up to a limit. It may be searched while it grows.
type list struct {
	max int
	// opaque says that directories which are added by name are not looked
	// into, like another repository in one of git.
	opaque bool

	mu      sync.RWMutex
	entries []entry
	dirs    map[string]bool // paths, with a slash at the end, of what is looked into
	bytes   int
	last    string // directory of the last file
	sealed  bool
}

func newList(most int) *list { return &list{max: most, dirs: make(map[string]bool)} }

// add notes a path, and the directories on the way to it. It returns false when
// the list is full. A path that ends in a slash is a directory.
func (l *list) add(paths ...string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range paths {
		if l.sealed || len(l.entries) >= l.max || l.bytes >= maxNameBytes {
			return false
		}
		if usable(p) {
			l.addOne(p)
		}
	}
	return true
}

func (l *list) addOne(p string) {
	parent := p[:strings.LastIndexByte(strings.TrimSuffix(p, "/"), '/')+1]
	if parent != l.last {
		l.last = parent
		for i := 0; i < len(parent); i++ {
			if parent[i] == '/' {
				l.addDir(parent[:i+1])
			}
		}
	}
	if p[len(p)-1] == '/' {
		if l.opaque {
			l.append(p, true)
		} else {
			l.addDir(p)
		}
		return
	}
	l.append(p, false)
}

func (l *list) addDir(p string) {
	if !l.dirs[p] {
		l.dirs[p] = true
		l.append(p, true)
	}
}

func (l *list) append(p string, dir bool) {
	e := entry{path: p, key: fold(p), dir: dir}
	name := strings.TrimSuffix(e.key, "/")
	e.base = int32(strings.LastIndexByte(name, '/') + 1)
	e.depth = int16(strings.Count(name, "/"))
	e.all = lettersOf(name)
	e.named = lettersOf(name[e.base:])
	l.entries = append(l.entries, e)
	l.bytes += len(p)
}

// seal ends the growth and gives back what was reserved for it.
func (l *list) seal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sealed = true
	if cap(l.entries) > len(l.entries)+len(l.entries)/4 {
		l.entries = append(make([]entry, 0, len(l.entries)), l.entries...)
	}
}

func (l *list) empty() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.entries) == 0
}

// view is what a list held at one moment. Entries never change once they are
// there, so nothing is copied.
type view struct {
	list    *list
	entries []entry
	partial bool
}

func (l *list) view(partial bool) *view {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return &view{list: l, entries: l.entries[:len(l.entries):len(l.entries)], partial: partial}
}

func (v *view) isDir(p string) bool {
	v.list.mu.RLock()
	defer v.list.mu.RUnlock()
	return v.list.dirs[p]
}

// isOpaque reports whether a path, without a slash at its end, is listed as
// something that was not looked into: a file, a link, another repository.
func (v *view) isOpaque(p string) bool {
	for i := range v.entries {
		e := &v.entries[i]
		if e.path == p || e.dir && len(e.path) == len(p)+1 && strings.HasPrefix(e.path, p) {
			return !v.isDir(p + "/")
		}
	}
	return false
}

// usable reports whether a path can be shown and inserted: UTF-8 without
// control characters and double quotes, not within a .git directory.
func usable(p string) bool {
	if p == "" || len(p) > maxPath || p == "/" || p[0] == '/' {
		return false
	}
	if strings.HasPrefix(p, ".git/") || p == ".git" || strings.HasSuffix(p, "/.git") || strings.Contains(p, "/.git/") {
		return false
	}
	for i := 0; i < len(p); i++ {
		if c := p[i]; c < 0x20 || c == '"' || c == 0x7f {
			return false
		} else if c >= utf8.RuneSelf {
			return utf8.ValidString(p) && !strings.ContainsFunc(p[i:], isBad)
		}
	}
	return true
}

func isBad(r rune) bool {
	return unicode.IsControl(r) || r == '"' || r == '\u2028' || r == '\u2029'
}

// fold makes case not matter. Most names need no copy.
func fold(s string) string { return strings.ToLower(s) }
