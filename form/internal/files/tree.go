package files

import (
	"context"
	"sync"
	"time"
)

// tree is what is known about the files below a directory.
type tree struct {
	index *Index
	root  string
	max   int // entries

	mu      sync.Mutex
	list    *list         // the last whole list, nil before there was one
	listed  time.Time     // when it was begun
	growing *list         // the list that is being made, nil if none is
	ended   chan struct{} // closed when growing is whole
}

// ensure begins a listing if there is none, or if the list is old and a new
// token begins. It never waits.
func (t *tree) ensure(newToken bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.growing != nil {
		return
	}
	age := time.Since(t.listed)
	if t.list != nil && !(newToken && age >= t.index.opt.RefreshAfter) && age < 15*t.index.opt.RefreshAfter {
		return
	}
	growing, ended := newList(t.max), make(chan struct{})
	began := time.Now()
	if t.index.background(func() { t.make(growing, ended, began) }) {
		t.growing, t.ended = growing, ended
	}
}

// make fills a list and then puts it in place of the old one.
func (t *tree) make(growing *list, ended chan struct{}, began time.Time) {
	ctx, cancel := context.WithTimeout(t.index.ctx, listTimeout)
	defer cancel()
	fill(ctx, t.root, growing, !t.index.opt.NoGit)
	growing.seal()

	t.mu.Lock()
	defer t.mu.Unlock()
	t.list, t.listed, t.growing = growing, began, nil
	close(ended)
}

// view is what can be searched now: the last whole list, else what there is of
// the first one after a short wait.
func (t *tree) view(ctx context.Context) (*view, error) {
	t.mu.Lock()
	list, growing, ended := t.list, t.growing, t.ended
	t.mu.Unlock()
	if list != nil {
		return list.view(false), nil
	}
	if growing == nil { // closed before there was a list
		return newList(1).view(false), nil
	}
	wait := time.NewTimer(firstWait)
	defer wait.Stop()
	select {
	case <-ended:
		return growing.view(false), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-wait.C:
	}
	if v := growing.view(true); len(v.entries) > 0 {
		return v, nil
	}
	// Not even the first name: at least show what is on top.
	top := newList(t.max)
	walk(ctx, t.root, top, 1)
	return top.view(true), ctx.Err()
}

// fill lists a tree: by git if it knows anything in the tree, else by a walk.
func fill(ctx context.Context, root string, l *list, git bool) {
	if git && inRepository(root) {
		listGit(ctx, root, l)
	}
	if l.empty() {
		walk(ctx, root, l, 0)
	}
}
