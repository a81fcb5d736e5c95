package files

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// maxRules is how much of an ignore file counts, in bytes.
const maxRules = 1 << 20

// rules are the patterns of the ignore files of one directory, before them in
// rank those of the directories around it. Nil has no rules.
type rules struct {
	outer    *rules
	patterns []pattern
	prefix   string // what is put before a path to make it relative to the patterns
	strip    int    // what is cut from its begin, in bytes
}

// with adds the ignore files of a directory whose path is below the root.
func (r *rules) with(dir, path string) *rules { return r.add(rulesOf(dir), "", len(path)) }

func (r *rules) add(patterns []pattern, prefix string, strip int) *rules {
	if len(patterns) == 0 {
		return r
	}
	return &rules{outer: r, patterns: patterns, prefix: prefix, strip: strip}
}

// ignored reports whether a path below the root is ignored. The innermost file
// decides, and in it the last pattern that matches.
func (r *rules) ignored(path string, dir bool) bool {
	for ; r != nil; r = r.outer {
		rel := r.prefix + path[r.strip:]
		name := rel[strings.LastIndexByte(rel, '/')+1:]
		for i := len(r.patterns) - 1; i >= 0; i-- {
			if p := &r.patterns[i]; p.matches(rel, name, dir) {
				return !p.negated
			}
		}
	}
	return false
}

// rulesOf reads the ignore files of a directory; .ignore is the stronger one.
func rulesOf(dir string) []pattern {
	return append(parseRules(readRules(filepath.Join(dir, ".gitignore"))), parseRules(readRules(filepath.Join(dir, ".ignore")))...)
}

// readRules reads a regular file: opening anything else might never return.
func readRules(name string) []byte {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxRules {
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return data[:min(len(data), maxRules)]
}

// pattern is one line of an ignore file.
type pattern struct {
	parts   []string // of an anchored pattern, between its slashes
	name    string   // of any other, matched against the base name
	plain   bool     // name has no special characters
	negated bool
	dirOnly bool
}

// parseRules reads the lines of an ignore file as git does.
func parseRules(data []byte) []pattern {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var patterns []pattern
	for line := range strings.SplitSeq(string(data), "\n") {
		if p, ok := parsePattern(line); ok {
			patterns = append(patterns, p)
		}
	}
	return patterns
}

func parsePattern(line string) (p pattern, ok bool) {
	line = trimBlanks(strings.TrimSuffix(line, "\r"))
	if line == "" || line[0] == '#' {
		return p, false
	}
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.dirOnly = strings.CutSuffix(line, "/")
	if line == "" {
		return p, false
	}
	if strings.Contains(line, "/") {
		p.parts = splitParts(strings.TrimPrefix(line, "/"))
		for i, part := range p.parts {
			if len(part) > 2 && strings.Trim(part, "*") == "" {
				p.parts[i] = "**" // more stars are no more than two
			}
		}
		return p, p.parts != nil
	}
	p.name = line
	p.plain = !strings.ContainsAny(line, `*?[\`)
	return p, true
}

// splitParts cuts a pattern at its slashes, of which one in a class is none. Nil
// is a pattern without sense.
func splitParts(pattern string) (parts []string) {
	begin := 0
	for i := 0; i < len(pattern); {
		width, _ := globByte(pattern[i:], 0)
		if width == 0 {
			return nil
		}
		if pattern[i+width-1] == '/' { // also after a backslash
			parts = append(parts, pattern[begin:i])
			begin = i + width
		}
		i += width
	}
	return append(parts, pattern[begin:])
}

// trimBlanks cuts blanks from the end unless a backslash keeps them.
func trimBlanks(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

func (p *pattern) matches(path, name string, dir bool) bool {
	switch {
	case p.dirOnly && !dir:
		return false
	case p.plain:
		return p.name == name
	case p.parts == nil:
		return glob(p.name, name)
	}
	return globPath(p.parts, path)
}

// globPath matches a path part by part. A part ** stands for any number of
// them, at the end for at least one.
func globPath(parts []string, path string) bool {
	at := 0
	star, starPath := -1, ""
	for at < len(parts) || path != "" {
		if at < len(parts) && parts[at] == "**" {
			if at == len(parts)-1 {
				return path != ""
			}
			star, starPath = at, path
			at++
			continue
		}
		if at < len(parts) && path != "" {
			first, rest, _ := strings.Cut(path, "/")
			if glob(parts[at], first) {
				at, path = at+1, rest
				continue
			}
		}
		if star < 0 || starPath == "" {
			return false
		}
		_, starPath, _ = strings.Cut(starPath, "/")
		at, path = star+1, starPath
	}
	return true
}

// glob matches one name against *, ?, [a-z] and backslashes, byte by byte. On a
// mismatch only the last * is tried further, so it takes no more than the
// product of both lengths.
func glob(pattern, name string) bool {
	p, n := 0, 0
	star, starName := -1, 0
	for p < len(pattern) || n < len(name) {
		if p < len(pattern) && pattern[p] == '*' {
			star, starName = p, n
			p++
			continue
		}
		if p < len(pattern) && n < len(name) {
			width, ok := globByte(pattern[p:], name[n])
			if width == 0 {
				return false
			}
			if ok {
				p, n = p+width, n+1
				continue
			}
		}
		if star < 0 || starName >= len(name) {
			return false
		}
		starName++
		p, n = star+1, starName
	}
	return true
}

// globByte matches one byte against the begin of a pattern and tells how long
// that is; 0 is a pattern without sense, which matches nothing.
func globByte(pattern string, c byte) (width int, ok bool) {
	switch pattern[0] {
	case '?':
		return 1, true
	case '[':
		return globClass(pattern, c)
	case '\\':
		if len(pattern) == 1 {
			return 0, false
		}
		return 2, pattern[1] == c
	}
	return 1, pattern[0] == c
}

// globClass matches one byte against [abc], [a-z], [!a] and [[:alpha:]].
func globClass(pattern string, c byte) (width int, ok bool) {
	i := 1
	negated := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negated {
		i++
	}
	for first := i; i < len(pattern); {
		if pattern[i] == ']' && i > first {
			return i + 1, ok != negated
		}
		if strings.HasPrefix(pattern[i:], "[:") {
			end := i + 2 + strings.IndexByte(pattern[i+2:], ']')
			if end < i+2 {
				return 0, false
			}
			// Without the second colon it is a set like any other, as in git.
			if end > i+2 && pattern[end-1] == ':' {
				in, known := inClass(pattern[i+2:end-1], c)
				if !known {
					return 0, false
				}
				ok = ok || in
				i = end + 1
				continue
			}
		}
		low, next := classByte(pattern, i)
		high := low
		if next+1 < len(pattern) && pattern[next] == '-' && pattern[next+1] != ']' {
			high, next = classByte(pattern, next+1)
		}
		ok = ok || low <= c && c <= high
		i = next
	}
	return 0, false
}

func classByte(pattern string, i int) (c byte, next int) {
	if pattern[i] == '\\' && i+1 < len(pattern) {
		i++
	}
	return pattern[i], i + 1
}

func inClass(name string, c byte) (in, known bool) {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	graph := 0x20 < c && c < 0x7f
	switch name {
	case "alpha":
		return lower || upper, true
	case "digit":
		return digit, true
	case "alnum":
		return lower || upper || digit, true
	case "lower":
		return lower, true
	case "upper":
		return upper, true
	case "space":
		return c == ' ' || '\t' <= c && c <= '\r', true
	case "blank":
		return c == ' ' || c == '\t', true
	case "punct":
		return graph && !lower && !upper && !digit, true
	case "xdigit":
		return digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F', true
	case "cntrl":
		return c < 0x20 || c == 0x7f, true
	case "graph":
		return graph, true
	case "print":
		return graph || c == ' ', true
	}
	return false, false
}
