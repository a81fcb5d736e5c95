package hostshim

import (
	"context"
	"slices"
	"sync"
)

const (
	// maxCalls is how many tool calls may be open at once.
	maxCalls = 1024
	// maxEarly is how many cancellations are remembered whose call is still on
	// its way.
	maxEarly = 64
)

// calls are the tool calls under way. The host may repeat a call's id.
type calls struct {
	mu    sync.Mutex
	open  []*openCall
	early []callKey
}

// callKey names a call: ids are only meant for one generation of the session.
type callKey struct {
	gen uint64
	id  string
}

type openCall struct {
	callKey
	cancel context.CancelFunc
}

// start registers a call; done must be called at its end. There is none when
// too many calls are open.
func (c *calls) start(ctx context.Context, gen uint64, id string) (_ context.Context, done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) >= maxCalls {
		return ctx, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	call := &openCall{callKey{gen, id}, cancel}
	c.open = append(c.open, call)
	if i := slices.Index(c.early, call.callKey); i >= 0 {
		c.early = slices.Delete(c.early, i, i+1)
		cancel()
	}
	return ctx, func() {
		cancel()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open = slices.DeleteFunc(c.open, func(o *openCall) bool { return o == call })
	}
}

// turn says that a new turn begins: a cancellation that has found no call so far
// has come too late for its call, and is not meant for another one with its id.
func (c *calls) turn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.early = nil
}

// cancel aborts a call, also one that has not started yet.
func (c *calls) cancel(gen uint64, id string) {
	key := callKey{gen, id}
	c.mu.Lock()
	defer c.mu.Unlock()
	found := false
	for _, o := range c.open {
		if o.callKey == key {
			o.cancel()
			found = true
		}
	}
	if found {
		return
	}
	if len(c.early) == maxEarly {
		c.early = c.early[1:]
	}
	c.early = append(c.early, key)
}
