package queue

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

func TestTheLockServesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l Lock
		ctx := context.Background()
		holder := l.take()
		if !holder.wait(ctx, ctx) {
			t.Fatal("a free lock was refused")
		}
		var mu sync.Mutex
		var served, want []int
		var done sync.WaitGroup
		var impatient []context.CancelFunc
		for i := range 50 {
			caller, cancel := context.WithCancel(ctx)
			if i%5 == 0 {
				impatient = append(impatient, cancel)
			} else {
				want = append(want, i)
			}
			ticket := l.take()
			done.Go(func() {
				defer ticket.release()
				if ticket.wait(ctx, caller) {
					mu.Lock()
					served = append(served, i)
					mu.Unlock()
				}
			})
			defer cancel()
		}
		synctest.Wait()
		for _, cancel := range impatient { // they lose interest while they wait
			cancel()
		}
		synctest.Wait()
		holder.release()
		holder.release() // does nothing
		done.Wait()
		if !slices.Equal(served, want) {
			t.Errorf("served %v, want %v", served, want)
		}
		if next := l.take(); !next.wait(ctx, ctx) {
			t.Error("the lock is not free at the end")
		}
	})
}

func TestAnEndedContextNeverGetsTheLock(t *testing.T) {
	var l Lock
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range [][2]context.Context{{ended, context.Background()}, {context.Background(), ended}} {
		if l.take().wait(c[0], c[1]) {
			t.Error("the lock was given to nobody")
		}
	}
	if !l.take().wait(context.Background(), context.Background()) {
		t.Error("the lock is not free")
	}
}
