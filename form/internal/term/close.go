package term

import (
	"os"
	"os/signal"
	"time"
)

// watch passes signals on to the loop. It runs on its own goroutine because the
// loop may be stuck writing to a terminal that takes no more: then, some time
// after a signal or the end of the context, the terminal is closed under it.
func (l *Loop) watch(raw chan os.Signal) {
	defer signal.Stop(raw)
	var stuck *time.Timer
	defer func() {
		if stuck != nil {
			stuck.Stop()
		}
	}()
	ended := l.ctx.Done()
	for {
		select {
		case <-l.quit:
			return
		case <-ended:
			ended = nil
		case s := <-raw:
			select {
			case l.signals <- s:
			default: // the loop has enough of them to read
			}
			if isContinue(s) {
				continue
			}
		}
		if stuck == nil {
			stuck = time.AfterFunc(restoreTimeout, l.unblock)
		}
	}
}

// unblock makes reads and writes of the terminal fail.
func (l *Loop) unblock() { _ = l.gate.Close() }

// close restores the terminal and ends everything that the loop has started.
// It returns err.
func (l *Loop) close(err error) error {
	l.mail.close()
	for _, t := range []*time.Timer{l.escape, l.paste, l.redraw} {
		t.Stop()
	}
	if !within(restoreTimeout, l.screen.Fini) {
		l.unblock()
		l.saved.restore()
	}
	l.saved.close()
	// Signals are caught until here, so that none cuts the restoring short.
	close(l.quit)
	within(restoreTimeout, l.group.Wait)
	return err
}

// within calls fn and reports whether it returned within d.
func within(d time.Duration, fn func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
