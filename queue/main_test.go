package queue_test

import (
	"context"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/pi-agent-ask/pi-agent-ask/queue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

// inBubble runs a test on a rig with a process that has just started, under a
// clock of its own. pause lets everything come to rest.
func inBubble(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		r.resume(true)
		test(t, r)
		for _, rule := range r.broken {
			t.Errorf("invariant broken: %s", rule)
		}
		r.stop(true)
		r.cancelRuns()
		synctest.Wait()
	})
}

func pause() { synctest.Wait() }

// resume starts a process as after a restart of the program.
func (r *rig) resume(interactive bool) *queue.Manager {
	r.stop(false)
	m := r.boot(interactive).manager
	if err := m.Resume(ctx); err != nil {
		panic(err)
	}
	pause()
	return m
}

// asked makes an ask_user call as the model does.
func (r *rig) asked(call string, background bool) *run {
	r.ids++
	r.assistant("ask_user", call, payloadFor(call))
	c := r.ask(call, background, payloadFor(call))
	pause()
	return c
}

// answer ends the open form in one of the ways of the vectors.
func (r *rig) answer(t *testing.T, how string) {
	t.Helper()
	if !r.end(endings[how]) {
		t.Fatalf("no form is open to %s", how)
	}
	pause()
}

func (r *rig) wantOpen(t *testing.T, want string) {
	t.Helper()
	pause()
	if got := r.openName(); got != want {
		t.Fatalf("open form: got %q, want %q", got, want)
	}
}

// wantTold checks how often a request was brought to the agent on the branch.
func (r *rig) wantTold(t *testing.T, request string, times int) {
	t.Helper()
	pause()
	if got := deliveries(r.branch())[request]; got != times {
		t.Errorf("%s was told %d times, want %d", request, got, times)
	}
}

func (r *rig) settle(t *testing.T) {
	t.Helper()
	r.agent.busy = false
	if err := r.proc.manager.Settled(ctx); err != nil {
		t.Fatal(err)
	}
	pause()
}

func (r *rig) turnEnd(t *testing.T) (sent []sentMessage, cont bool) {
	t.Helper()
	sent, cont, err := r.boundary(false)
	if err != nil {
		t.Fatal(err)
	}
	return sent, cont
}
