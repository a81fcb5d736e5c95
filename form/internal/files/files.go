// Package files finds the files and directories that complete a path in an
// editor: fuzzily after an @, and plainly for Tab.
//
//	index := files.New(cwd, nil)
//	items, err := index.Suggest(ctx, "main")
//
// Names come from git in a repository and from a walk that respects ignore
// files elsewhere. Names that could do harm in a line of text are left out:
// with control characters, with a double quote, or with bytes that are not
// UTF-8.
package files

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// Item is one completion.
type Item struct {
	// Value is what is inserted: the path in the notation of the query
	// (relative, absolute or ~/...), with slashes. Directories end in one.
	Value string
	// Name is the base name; directories end in a slash.
	Name string
	// Path is shown beside the name.
	Path string
	Dir  bool
}

// Lister offers completions for what follows the @. Suggest may be called from
// several goroutines at once and returns soon after ctx ends; ending an older
// call when a newer one begins is up to the caller. The best item comes first.
type Lister interface {
	Suggest(ctx context.Context, query string) ([]Item, error)
}

// ErrPartial comes with items that are right but not all: the tree is still
// being listed. Show them and ask again.
var ErrPartial = errors.New("the files are still being listed")

// Quote is the text of an item in an editor: @path or @"path with blank", with
// a blank after a file. A path that a plain token cannot hold is quoted.
func Quote(item Item) string {
	text := "@" + item.Value
	if strings.ContainsFunc(item.Value, endsToken) {
		text = `@"` + item.Value + `"`
	}
	if item.Dir {
		return text
	}
	return text + " "
}

// endsToken reports whether r ends a token that is not quoted.
func endsToken(r rune) bool {
	return r == '=' || r == '\'' || r == '"' || ask.IsBlank(string(r))
}

// Defaults and limits.
const (
	defaultMaxItems = 100
	defaultMaxFiles = 300_000
	defaultRefresh  = 2 * time.Second

	maxOutside   = 20_000                // entries of a tree outside of the working directory
	maxTrees     = 4                     // trees kept besides the working directory's
	maxNameBytes = 64 << 20              // bytes of all names of a tree
	maxPath      = 4096                  // bytes of one path
	firstWait    = 60 * time.Millisecond // how long the first answer waits for a listing
	listTimeout  = 20 * time.Second      // of one listing
	maxSearches  = 8                     // at once; more wait
)

// Options of [New]. The zero value is ready to use.
type Options struct {
	// MaxItems is the length of an answer at most; 0 is 100.
	MaxItems int
	// MaxFiles is how many files and directories of the working directory
	// are known at most; 0 is 300 000, some 100 bytes each.
	MaxFiles int
	// RefreshAfter is the age from which a list is renewed in the background
	// when a new token begins; 0 is two seconds.
	RefreshAfter time.Duration
	// Home is what ~ stands for; "" asks the system.
	Home string
	// NoGit walks in repositories too.
	NoGit bool
}

// Index is the default [Lister]. Its lists are made in the background when they
// are first needed, and kept. Close ends what is still running.
type Index struct {
	cwd string
	opt Options

	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
	search chan struct{} // one place per running search

	mu     sync.Mutex
	closed bool
	last   string // the query before this one
	main   *tree
	others []*tree // most recently used last
}

// New makes an index of the tree under cwd. It reads nothing yet; see
// [Index.Warm]. A nil o means the defaults.
func New(cwd string, o *Options) *Index {
	x := &Index{search: make(chan struct{}, maxSearches)}
	if o != nil {
		x.opt = *o
	}
	if x.opt.MaxItems <= 0 {
		x.opt.MaxItems = defaultMaxItems
	}
	if x.opt.MaxFiles <= 0 {
		x.opt.MaxFiles = defaultMaxFiles
	}
	if x.opt.RefreshAfter <= 0 {
		x.opt.RefreshAfter = defaultRefresh
	}
	if x.opt.Home == "" {
		x.opt.Home, _ = os.UserHomeDir() // without one, ~ is an ordinary name
	}
	x.cwd = absolute(cwd)
	x.ctx, x.cancel = context.WithCancel(context.Background())
	x.main = &tree{index: x, root: x.cwd, max: x.opt.MaxFiles}
	return x
}

// Warm begins to list the working directory, so that the first answer is
// there at once. It does not wait, and does nothing if a list is there.
func (x *Index) Warm() { x.main.ensure(false) }

// Close ends all background work and waits for it. Suggest still answers
// afterwards, from the lists that are there. Close may be called repeatedly.
func (x *Index) Close() error {
	x.mu.Lock()
	x.closed = true
	x.mu.Unlock()
	x.cancel()
	x.work.Wait()
	return nil
}

// background runs f unless the index is closed.
func (x *Index) background(f func()) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return false
	}
	x.work.Add(1)
	go func() {
		defer x.work.Done()
		f()
	}()
	return true
}

// Suggest finds what the query after an @ may mean, the best first: a base name
// that is the query, one that begins with it, one that holds its letters in
// order, a path that holds them. A directory comes before a file of the same
// rank. Case does not matter.
//
// A query with a slash searches below that directory, which may be relative,
// absolute or begin with ~/; if there is none, the query is matched against
// whole paths. An empty query, or one that ends in a slash, lists a directory.
//
// While a tree is listed for the first time, the answer may be [ErrPartial].
// Suggest is safe for concurrent use and waits no longer than ctx.
func (x *Index) Suggest(ctx context.Context, query string) ([]Item, error) {
	if len(query) > maxPath {
		return nil, nil
	}
	return x.guarded(ctx, func(ctx context.Context) ([]Item, error) { return x.suggest(ctx, query) })
}

// guarded runs a search beside the caller, because a file system may answer
// late or never. Searches that hang take a place each, so they cannot pile up.
func (x *Index) guarded(ctx context.Context, search func(context.Context) ([]Item, error)) ([]Item, error) {
	select {
	case x.search <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	type answer struct {
		items []Item
		err   error
	}
	got := make(chan answer, 1)
	go func() {
		defer func() { <-x.search }()
		items, err := search(ctx)
		got <- answer{items, err}
	}()
	select {
	case a := <-got:
		return a.items, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (x *Index) suggest(ctx context.Context, query string) ([]Item, error) {
	t := x.resolve(query)
	t.tree.ensure(x.newToken(query))
	v, err := t.tree.view(ctx)
	if err != nil {
		return nil, err
	}
	if t.below != "" && !v.isDir(t.below) {
		if other, ok := x.behindLink(v, t); ok {
			t = other
			t.tree.ensure(false)
			if v, err = t.tree.view(ctx); err != nil {
				return nil, err
			}
		} else {
			t = target{tree: t.tree, rest: query}
		}
	}
	hits, err := v.search(ctx, t.below, t.rest, x.opt.MaxItems)
	if err != nil {
		return nil, err
	}
	items := t.items(v, hits, x.opt.MaxItems)
	if v.partial {
		return items, ErrPartial
	}
	return items, nil
}

// newToken reports whether a query begins a token rather than going on with
// the one before.
func (x *Index) newToken(query string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	last := x.last
	x.last = query
	return query == "" || !strings.HasPrefix(query, last) && !strings.HasPrefix(last, query)
}
