package files

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// tier orders the ways in which an entry can match, the best first.
type tier int8

const (
	nameIs     tier = iota // the base name is the query
	nameBegins             // the base name begins with it
	nameHolds              // the base name holds its letters in order
	pathHolds              // the path does
	noMatch
)

// hit is an entry that matches.
type hit struct {
	at    int32 // in the entries
	score int32 // within nameHolds and pathHolds, higher is better
	tier  tier
}

// search finds the best entries below a directory, which is "" or ends in a
// slash; a few more than asked for, because some may be gone from the disk.
func (v *view) search(ctx context.Context, below, query string, most int) ([]hit, error) {
	query = fold(query)
	best := ranking{entries: v.entries, most: most + most/8 + 8, worst: noMatch}
	want := lettersOf(query)
	skip := len(fold(below))
	for i := range v.entries {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e := &v.entries[i]
		if e.all&want != want || len(e.path) <= len(below) || !strings.HasPrefix(e.path, below) {
			continue
		}
		h := hit{at: int32(i)}
		if query == "" {
			if strings.IndexByte(e.key[skip:len(e.key)-1], '/') >= 0 {
				continue // only what is directly in the directory
			}
		} else if h.tier, h.score = match(e, query, want, skip, best.worst); h.tier == noMatch {
			continue
		}
		best.add(h)
	}
	return best.sorted(), nil
}

// match finds the best way in which an entry matches, of those up to worst.
func match(e *entry, query string, want letters, skip int, worst tier) (tier, int32) {
	if e.named&want == want {
		name := e.name()
		if strings.HasPrefix(name, query) {
			if len(name) == len(query) {
				return nameIs, 0
			}
			return nameBegins, 0
		}
		if worst >= nameHolds {
			if score, ok := fuzzy(e, int(e.base), query); ok {
				return nameHolds, score
			}
		}
	}
	if worst >= pathHolds && (int(e.base) > skip || e.dir) {
		if score, ok := fuzzy(e, skip, query); ok {
			return pathHolds, score
		}
	}
	return noMatch, 0
}

// ranking keeps the best hits. It lets twice as many gather before it sorts.
type ranking struct {
	entries []entry
	most    int
	hits    []hit
	worst   tier // the last tier that can still get in
	full    bool
}

func (r *ranking) add(h hit) {
	if r.full && r.compare(h, r.hits[r.most-1]) > 0 {
		return
	}
	if r.hits = append(r.hits, h); len(r.hits) == 2*r.most {
		r.cut()
	}
}

func (r *ranking) cut() {
	slices.SortFunc(r.hits, r.compare)
	if len(r.hits) > r.most {
		r.hits = r.hits[:r.most]
		r.full = true
		r.worst = r.hits[r.most-1].tier
	}
}

func (r *ranking) sorted() []hit {
	r.cut()
	return r.hits
}

// compare orders two hits: by tier, by score, the nearer one, directories, the
// shorter one, and at last by the alphabet. Hidden ones come last where only a
// directory is listed, which is when the scores and tiers are all zero.
func (r *ranking) compare(a, b hit) int {
	if a.tier != b.tier {
		return cmp.Compare(a.tier, b.tier)
	}
	if a.score != b.score {
		return cmp.Compare(b.score, a.score)
	}
	x, y := &r.entries[a.at], &r.entries[b.at]
	if x.depth != y.depth {
		return cmp.Compare(x.depth, y.depth)
	}
	if x.dir != y.dir {
		if x.dir {
			return -1
		}
		return 1
	}
	if a.tier != nameIs && len(x.key) != len(y.key) {
		return cmp.Compare(len(x.key), len(y.key))
	}
	if xh, yh := x.key[x.base] == '.', y.key[y.base] == '.'; xh != yh {
		if yh {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.path, y.path))
}
