package settings

import "time"

// ResetWindow is how long a first press of the reset action waits for the
// second one.
const ResetWindow = 2000 * time.Millisecond

// ResetGuard makes a reset need two presses. The zero value is ready; it has
// no clock and no timer, so the caller says what time it is. It is not safe
// for concurrent use.
type ResetGuard struct{ expires time.Time }

// Press notes a press of the reset action and reports whether it was the
// second within [ResetWindow], so that the reset is to be done. Otherwise the
// guard is armed from now on.
func (g *ResetGuard) Press(now time.Time) (confirmed bool) {
	if g.Armed(now) {
		g.Disarm()
		return true
	}
	g.expires = now.Add(ResetWindow)
	return false
}

// Armed reports whether a press now would confirm.
func (g *ResetGuard) Armed(now time.Time) bool { return now.Before(g.expires) }

// Expires returns when the guard disarms itself, the zero time if it is not
// armed. Redraw then.
func (g *ResetGuard) Expires() time.Time { return g.expires }

// Disarm forgets the first press, as moving away or another change does.
func (g *ResetGuard) Disarm() { g.expires = time.Time{} }
