//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestSoak lets a random user and a random agent work while pi or the engine is
// killed at random, and then looks for answers that are lost, told twice or
// never paired. PI_AGENT_ASK_SOAK is the number of runs, PI_AGENT_ASK_SEED the
// seed of the first one.
func TestSoak(t *testing.T) {
	t.Parallel()
	runs, seed := 30, uint64(time.Now().UnixNano())
	if testing.Short() {
		runs = 2
	}
	if n, err := strconv.Atoi(os.Getenv("PI_AGENT_ASK_SOAK")); err == nil {
		runs = n
	}
	if n, err := strconv.ParseUint(os.Getenv("PI_AGENT_ASK_SEED"), 10, 64); err == nil {
		seed = n
	}
	for i := range runs {
		t.Run(strconv.FormatUint(seed+uint64(i), 10), func(t *testing.T) {
			parallel(t)
			soak(t, rand.New(rand.NewPCG(seed+uint64(i), 0)))
		})
	}
}

func soak(t *testing.T, dice *rand.Rand) {
	m := newModel(t)
	asked := 0
	var peace atomic.Bool
	m.next = func(n int) step { // runs under the model's lock
		if asked >= 5 || peace.Load() {
			return say("Calm.")
		}
		switch prompt := fmt.Sprintf("Question %d?", n); dice.IntN(6) {
		case 0:
			return say("Thinking.")
		case 1:
			return use(waits, `{}`)
		case 2:
			asked++
			return ask(strings.Replace(oneStore, "Which store?", prompt, 1))
		case 3:
			asked += 2
			return ask(background(prompt)).and("ask_user", background(prompt+" more"))
		default:
			asked++
			return ask(background(prompt))
		}
	}
	user := rand.New(rand.NewPCG(dice.Uint64(), 1))
	b := newBox(t, modes[user.IntN(2)], m)
	b.start("start")
	for range 7 {
		soakStep(b, user)
	}
	// A last crash; then everything must come to its end in peace.
	b.kill()
	peace.Store(true)
	b.resume().ready()
	soakSettle(b)
	for range 5 { // each start takes up one interrupted call, the newest
		if b.session().branch().unanswered() == 0 {
			break
		}
		b.quit()
		b.resume().ready()
		soakSettle(b)
	}
	b.pi.prompt("is all well")
	b.until("a last answer", func() bool { n := m.count(); return n > 0 && strings.Contains(m.request(n).raw, "is all well") })
	soakSettle(b)
	b.quit()
	verify(t, b.session().branch())
}

// soakSettle answers what is asked until nothing happens any more.
func soakSettle(b *box) {
	b.t.Helper()
	var last string
	quiet := time.Now()
	b.until("peace", func() bool {
		screen := b.pi.screen()
		busy := true
		switch {
		case strings.Contains(screen, "1. Submit"):
			b.pi.keys("Up", "Up", "Enter")
		case formOpen.MatchString(screen):
			b.pi.keys("2")
		default:
			busy = strings.Contains(screen, "Working") || strings.Contains(screen, "Questions pending")
		}
		if now := fmt.Sprint(len(b.session()), screen); busy || now != last {
			last, quiet = now, time.Now()
		}
		time.Sleep(100 * time.Millisecond)
		return time.Since(quiet) > time.Second
	})
}

var (
	formOpen = regexp.MustCompile(`❯ \d\. \((•| )\)`)
	review   = regexp.MustCompile(`❯ 1\. Submit`)
)

// soakStep is one thing that happens.
func soakStep(b *box, dice *rand.Rand) {
	time.Sleep(time.Duration(dice.IntN(400)) * time.Millisecond)
	screen := b.pi.screen()
	crash := func() {
		time.Sleep(time.Duration(dice.IntN(120)) * time.Millisecond)
		b.kill()
		b.resume().ready()
	}
	switch dice.IntN(10) {
	case 0, 1:
		crash()
		return
	case 2:
		if len(b.processes(env.engine)) == 1 {
			b.killEngine()
		}
		return
	}
	switch {
	case review.MatchString(screen):
		b.pi.keys("Enter")
		if dice.IntN(3) == 0 {
			crash()
		}
	case formOpen.MatchString(screen) && dice.IntN(6) == 0:
		b.pi.keys("Esc")
	case formOpen.MatchString(screen):
		b.pi.keys(strconv.Itoa(1 + dice.IntN(2)))
	case !strings.Contains(screen, "❯ ") && !strings.Contains(screen, "Working"):
		b.pi.typed("go on")
		b.pi.keys("Enter")
	}
}

// unanswered counts the foreground calls that were interrupted: they have
// neither a result nor an outcome.
func (s session) unanswered() int {
	open := map[string]bool{}
	for _, e := range s {
		call, _ := at(e.Data, "toolCallId").(string)
		switch {
		case e.CustomType == "ask:history-request" && at(e.Data, "background") != true:
			open[call] = true
		case e.CustomType == "ask:pending-dismissed":
			delete(open, call)
		case e.Message.Role == "toolResult":
			delete(open, e.Message.ToolCallID)
		}
	}
	return len(open)
}

// verify holds a branch to the promise: every form has one outcome, every
// background outcome was told once, every call has one result.
func verify(t *testing.T, s session) {
	t.Helper()
	outcomes, told, calls := map[string]int{}, map[string]int{}, map[string]string{}
	results := map[string]int{}
	for _, e := range s {
		id, _ := at(e.Data, "requestId").(string)
		switch e.String() {
		case "ask:history-completed":
			outcomes[id]++
		case "ask:pending-dismissed":
			call, _ := at(e.Data, "toolCallId").(string)
			results[call]++
		case "ask:background-answer":
			id, _ = at(e.Details, "requestId").(string)
			told[id]++
		case "result wait_for_answers":
			var d struct {
				Results []struct {
					RequestID string `json:"requestId"`
				} `json:"results"`
			}
			_ = json.Unmarshal(e.Message.Details, &d)
			for _, r := range d.Results {
				told[r.RequestID]++
			}
		}
		if e.Message.Role == "toolResult" {
			results[e.Message.ToolCallID]++
			if e.Message.IsError {
				calls[e.Message.ToolCallID] = "error"
			}
		}
	}
	for _, e := range s.of("ask:queued") {
		id, _ := at(e.Data, "requestId").(string)
		if outcomes[id] != 1 || told[id] != 1 {
			t.Errorf("the background form %s has %d outcomes and was told %d times", id, outcomes[id], told[id])
		}
	}
	for _, e := range s.of("ask:history-request") {
		id, _ := at(e.Data, "requestId").(string)
		call, _ := at(e.Data, "toolCallId").(string)
		if outcomes[id] != 1 && calls[call] != "error" {
			t.Errorf("the form %s has %d outcomes", id, outcomes[id])
		}
		if results[call] != 1 && at(e.Data, "background") != true {
			t.Errorf("the call %s has %d results", call, results[call])
		}
	}
	if t.Failed() {
		t.Logf("branch: %s", s.story())
	}
}
