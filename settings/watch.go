package settings

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// settleTime is how long the file must be left alone before it is read;
	// editors write in several steps. settleLimit bounds the wait.
	settleTime  = 100 * time.Millisecond
	settleLimit = time.Second
	// pollTime is how often the file is read where it cannot be watched.
	pollTime = 2 * time.Second
)

// Watch follows edits of the file until ctx is done: each one comes into force
// and is told to the subscribers. An edit that cannot be used changes nothing
// and gives a notice; a file that disappears changes nothing either. Watch
// loads the settings first if that was not done. Call it in a goroutine of its
// own, once.
func (s *Store) Watch(ctx context.Context) {
	s.Load()
	changed := make(chan struct{}, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		settle(ctx, changed, s.refresh)
	}()
	notify := func() {
		select {
		case changed <- struct{}{}:
		default: // one is waiting already, and it will read the newest content
		}
	}
	for ctx.Err() == nil {
		if err := s.follow(ctx, notify); err == nil {
			continue // the file is somewhere else now
		}
		select {
		case <-ctx.Done():
		case <-time.After(pollTime):
			notify()
		}
	}
	<-done
}

// settle calls read once a burst of changes is over.
func settle(ctx context.Context, changed <-chan struct{}, read func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
		limit := time.After(settleLimit)
		for waiting := true; waiting; {
			select {
			case <-ctx.Done():
				return
			case <-changed:
			case <-time.After(settleTime):
				waiting = false
			case <-limit:
				waiting = false
			}
		}
		read()
	}
}

var errNotWatched = errors.New("the directory can no longer be watched")

// follow reports changes of the file until ctx is done. It returns nil when a
// link leads elsewhere and the watch has to start anew, and an error when the
// directory cannot be watched.
func (s *Store) follow(ctx context.Context, notify func()) error {
	target, err := resolve(s.path)
	if err != nil {
		return err
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer watcher.Close()
	dirs := []string{filepath.Dir(s.path), filepath.Dir(target)}
	for _, dir := range dirs {
		if err := watcher.Add(dir); err != nil {
			return err
		}
	}
	notify() // for a change before the watch began
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case _, ok := <-watcher.Errors:
			if !ok {
				return errNotWatched
			}
			notify() // events may be lost
		case event, ok := <-watcher.Events:
			if !ok {
				return errNotWatched
			}
			switch event.Name {
			case s.path, target:
				notify()
				if now, err := resolve(s.path); err != nil || now != target {
					return err
				}
			case dirs[0], dirs[1]:
				if event.Has(fsnotify.Remove | fsnotify.Rename) {
					return errNotWatched
				}
			}
		}
	}
}

// refresh reads the file and puts an edit in force.
func (s *Store) refresh() {
	s.disk.Lock()
	notice := s.refreshLocked()
	s.disk.Unlock()
	s.deliver()
	if notice != nil && s.onNotice != nil {
		s.onNotice(*notice)
	}
}

func (s *Store) refreshLocked() *Notice {
	seen := s.look()
	if seen.equal(s.seen) {
		return nil
	}
	s.seen = seen
	if seen.missing() {
		s.mu.Lock()
		s.loadNotices = nil // they were about the file that is gone
		s.mu.Unlock()
		return nil
	}
	if seen.err != nil {
		return s.warn(editNotice(NoticeUnreadable, seen.err))
	}
	doc, fault := readDocument(seen.data)
	if fault != "" {
		return s.warn(editNotice(fault, nil))
	}
	settings, fault, keymapFault := doc.settings()
	if fault != "" {
		return s.warn(editNotice(fault, nil))
	}
	if keymapFault != nil {
		settings.Keymaps = s.Current().Keymaps
		notice := editNotice(NoticeKeymaps, keymapFault)
		s.use(settings, notice)
		s.announce()
		return &notice
	}
	s.use(settings)
	s.announce()
	return nil
}

// warn keeps a notice about the file while the settings stay in force.
func (s *Store) warn(notice Notice) *Notice {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loadNotices = []Notice{notice}
	return &notice
}
