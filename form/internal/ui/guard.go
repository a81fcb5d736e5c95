package ui

import "time"

// guard drops what was typed before the user can have seen the form: keys
// count once the first frame was shown and no key came for a while, at the
// latest a fixed time after that frame.
type guard struct {
	off     bool
	shown   bool
	open    bool
	shownAt time.Duration
	lastKey time.Duration
}

func (g *guard) ready() bool { return g.off || g.open }

// mount starts the guard anew for another appearance of the form.
func (g *guard) mount() []Effect {
	*g = guard{off: g.off}
	return nil
}

func (g *guard) show(now time.Duration, opt Options) []Effect {
	if g.off || g.shown {
		return nil
	}
	g.shown, g.shownAt, g.lastKey = true, now, now
	return g.wake(now, opt)
}

// press reports whether a key press at time now counts.
func (g *guard) press(now time.Duration, opt Options) bool {
	g.check(now, opt)
	if g.ready() {
		return true
	}
	g.lastKey = now
	return false
}

func (g *guard) check(now time.Duration, opt Options) {
	if g.shown && (now >= g.lastKey+opt.Quiet || now >= g.shownAt+opt.Max) {
		g.open = true
	}
}

// wake asks for a tick at the time at which the guard may open.
func (g *guard) wake(now time.Duration, opt Options) []Effect {
	if g.ready() || !g.shown {
		return nil
	}
	return []Effect{Wake{At: max(min(g.lastKey+opt.Quiet, g.shownAt+opt.Max), now)}}
}
