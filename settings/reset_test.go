package settings_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

func TestResetGuard(t *testing.T) {
	start := time.Unix(1000, 0)
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	var g settings.ResetGuard
	if g.Armed(at(0)) || !g.Expires().IsZero() {
		t.Error("armed before any press")
	}
	if g.Press(at(0)) || !g.Armed(at(1999)) || g.Armed(at(2000)) || !g.Expires().Equal(at(2000)) {
		t.Error("the first press arms for 2000 ms")
	}
	if !g.Press(at(1999)) || g.Armed(at(1999)) {
		t.Error("the second press confirms, once")
	}
	g.Press(at(2000))
	if g.Press(at(4000)) || !g.Armed(at(5999)) {
		t.Error("a late press arms anew")
	}
	g.Disarm()
	if g.Press(at(4001)) {
		t.Error("a disarmed guard confirmed")
	}
}

func ExampleResetGuard() {
	var guard settings.ResetGuard
	now := time.Now()
	fmt.Println(guard.Press(now), guard.Armed(now))
	fmt.Println(guard.Press(now.Add(time.Second)))
	// Output:
	// false true
	// true
}
