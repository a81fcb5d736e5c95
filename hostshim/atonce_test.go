package hostshim_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim/hosttest"
)

// Everything that a host may do at once, it does: the session changes, calls
// come and go, the place is taken and given back, keys are pressed in forms that
// may be gone. Nobody waits for ever, and nothing is left when it is closed.
func TestEverythingAtOnce(t *testing.T) {
	total := 0
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			h := hosttest.New(hostshim.Info{AgentDir: noFolder(t)})
			var begun atomic.Bool
			h.Hook = func(context.Context, string) error {
				switch n := rand.N(100); {
				case begun.Load() && n == 0:
					return hostshim.ErrStale
				case begun.Load() && n < 4:
					return errors.New("not now")
				}
				return nil
			}
			must(t, h.Start("startup"))
			begun.Store(true)
			e := h.Extension()
			ctx, end := context.WithCancel(context.Background())
			var all, settings sync.WaitGroup
			for worker := range uint64(6) {
				all.Go(func() {
					r := rand.New(rand.NewPCG(seed, worker))
					for i := range 300 {
						doAnything(ctx, r, h, &settings, fmt.Sprintf("c%d-%d", worker, i%5))
					}
				})
			}
			all.Wait()
			end()
			h.Close()
			settings.Wait()
			for number := range 10_000 {
				if e.Form(number) != nil {
					t.Errorf("form %d is still there", number)
				}
			}
			started, completed := len(h.Events(hostshim.ChannelStarted)), len(h.Events(hostshim.ChannelCompleted))
			if total += completed; completed > started {
				t.Errorf("%d forms have begun, %d have ended", started, completed)
			}
			if blocked := h.Events(hostshim.ChannelBlocked); len(blocked)%2 != 0 ||
				len(blocked) > 0 && strings.Contains(string(blocked[len(blocked)-1].Data), "true") {
				t.Errorf("the agent seems to be blocked: %d events, the last is %s", len(blocked), blocked[len(blocked)-1].Data)
			}
		})
	}
	if total == 0 {
		t.Error("no form was answered")
	}
}

// doAnything does one thing. That it fails is no fault: it may come at a bad
// time.
func doAnything(ctx context.Context, r *rand.Rand, h *hosttest.Host, settings *sync.WaitGroup, id string) {
	e := h.Extension()
	newest := 0
	if open := h.Forms(); len(open) > 0 {
		newest = open[len(open)-1]
	}
	on := e.Form(newest)
	switch n := r.IntN(100); {
	case n < 10:
		h.Call(ask.ToolAsk, id, []string{single, inBackground(single)}[n%2])
	case n < 12:
		h.Call(ask.ToolWait, id, `{}`)
	case n == 12:
		_ = h.Start([]string{"startup", "reload", "new", "resume", "fork"}[r.IntN(5)])
	case n == 13:
		_ = h.Tree("")
	case n == 14 && r.IntN(4) == 0:
		_ = h.Shutdown()
		_ = h.Start("resume")
	case n == 15:
		_ = h.Abort(ctx, h.Gen())
	case n == 16:
		h.TakeSlot()
		h.FreeSlot()
	case n < 20:
		_ = h.TurnStart()
	case n < 23:
		_, _, _ = h.TurnEnd()
	case n < 26:
		_ = h.Settled()
	case n == 26:
		_ = e.Idle(ctx, h.Gen())
	case n == 27:
		settings.Go(func() { _ = e.OpenSettings(ctx, h.Gen()) })
	case n == 28:
		e.SetTheme(form.Theme{Accent: "\x1b[31m"})
	case n < 32:
		h.Submit(`{"version":1,"requestId":"r","flowId":"tool:` + id + `","response":{"kind":"cancel"}}`)
	case on == nil:
		runtime.Gosched()
	case n < 40:
		on.Size(r.IntN(200), r.IntN(60))
	case n < 45:
		on.Paste("pasted")
	case n == 45:
		on.Lost()
		h.FreeSlot()
	case n < 50:
		on.Mounted(80, 24)
		on.Shown()
	case n < 55:
		on.Key("esc", "")
	default:
		on.Key("1", "1")
		on.Key("enter", "")
	}
}
