package form

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/clipboard"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/files"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/notify"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/term"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/ui"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// session is one open form with everything around its state: the clock, the
// settings file, the clipboard, the file list. The three ways to run a form
// differ only in who sends messages and who draws.
type session struct {
	opt       Options
	files     files.Lister
	warm      func() // starts listing the files, at the first editor; nil afterwards
	clipboard clipboard.Reader

	mu      sync.Mutex
	changed func() // what to do when a frame may look different
	pending int    // effects whose outcome is still to come
	idle    *sync.Cond
	state   *ui.State
	local   settings.Settings // in force when there is no store
	started time.Time
	shown   bool
	failure error // a panic that ended the form
	wake    *time.Timer
	find    context.CancelFunc // of the running file search

	ctx      context.Context
	cancel   context.CancelFunc
	work     sync.WaitGroup
	spawning sync.Mutex // work is added to only before ctx ends
	done     chan struct{}
	release  []func()
}

// newSession opens a form. defaultGuard applies when the options give none.
func newSession(f ask.Form, o *Options, defaultGuard time.Duration) *session {
	return openSession(f, o, defaultGuard, false)
}

func openSession(f ask.Form, o *Options, defaultGuard time.Duration, settingsOnly bool) *session {
	s := &session{changed: func() {}, started: time.Now(), done: make(chan struct{}), local: settings.Default()}
	if o != nil {
		s.opt = *o
	}
	s.idle = sync.NewCond(&s.mu)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	in := ui.Options{
		Settings: s.local, Width: s.opt.Width, Max: guardMax,
		Quiet: max(s.opt.Guard, 0), SettingsPath: "(this form only)", SettingsOnly: settingsOnly,
	}
	if s.opt.Guard == 0 {
		in.Quiet = defaultGuard
	}
	if s.opt.Settings != nil {
		in.Settings, in.Notices = s.opt.Settings.Load()
		in.SettingsPath = s.opt.Settings.Path()
		s.release = append(s.release, s.opt.Settings.Subscribe(s.settingsChanged))
		s.spawn(s.opt.Settings.Watch)
	}
	in.PasteImageKeys, in.PasteImageLabels = pasteKeys(s.opt.PasteImageKeys)
	if s.opt.Edit != nil {
		in.EditKey = "ctrl+g"
	}
	if s.files = s.opt.Files; s.files == nil {
		dir := s.opt.Dir
		if dir == "" {
			dir, _ = os.Getwd()
		}
		index := files.New(dir, nil)
		s.files, s.warm = index, index.Warm
		s.release = append(s.release, func() { _ = index.Close() })
	}
	if s.clipboard = s.opt.Clipboard; s.clipboard == nil {
		s.clipboard = clipboard.System(nil)
	}
	if s.opt.Theme == nil {
		t := paint.ForTerminal(os.Getenv)
		s.opt.Theme = &t
	}
	in.Brackets = s.opt.Theme.NoColor
	if in.Settings.Behaviour.PresentSingleAsMulti && !s.opt.Presented {
		f = f.PresentSinglesAsMulti()
	}
	s.state = ui.New(f, in)
	return s
}

// pasteKeys returns the keys that attach an image, and how they are shown.
func pasteKeys(ids []string) (keys []settings.Key, labels []string) {
	if ids == nil {
		ids = []string{"ctrl+v"}
	}
	for _, id := range ids {
		if k, err := settings.ParseKey(id); err == nil {
			keys, labels = append(keys, k), append(labels, id)
		}
	}
	return keys, labels
}

// apply lets a message happen and starts what it asks for.
func (s *session) apply(m ui.Msg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.recovered()
	for _, e := range s.state.Apply(time.Since(s.started), m) {
		s.start(e)
	}
	if _, _, editing := s.state.Editing(); editing && s.warm != nil {
		s.warm()
		s.warm = nil
	}
}

// recovered ends the form after a panic, in ourselves or in a function of the
// host's: it is deferred while the lock is held. What a person has decided
// stands, even if it cannot be drawn any more.
func (s *session) recovered() {
	v := recover()
	if v == nil || s.state.Ended() {
		return
	}
	s.failure = &term.PanicError{Value: v, Stack: debug.Stack()}
	s.state.Apply(time.Since(s.started), ui.Abort{}) // draws nothing, so it cannot fail again
	close(s.done)
}

// later applies a message that comes from outside of the user's turn.
func (s *session) later(m ui.Msg) {
	s.apply(m)
	s.mu.Lock()
	changed := s.changed
	s.mu.Unlock()
	changed()
}

// onChange sets what to do when the form looks different by itself; fn is
// called from any goroutine, without a lock.
func (s *session) onChange(fn func()) {
	s.mu.Lock()
	s.changed = fn
	s.mu.Unlock()
}

// frame returns the form's picture for a screen.
func (s *session) frame(width, rows int, use func(paint.Frame)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.recovered()
	s.state.Apply(time.Since(s.started), ui.Resize{Width: width, Rows: rows})
	use(s.state.Frame())
}

// wasShown tells the form that it can be seen, and notifies the first time.
func (s *session) wasShown() {
	s.apply(ui.Shown{})
	s.mu.Lock()
	first := !s.shown
	s.shown = true
	s.mu.Unlock()
	if first {
		s.notify()
	}
}

// start starts an effect; the lock is held.
func (s *session) start(e ui.Effect) {
	switch e := e.(type) {
	case ui.SaveSetting:
		s.save(func(st *settings.Store) { _ = st.Set(e.Name, e.Value) },
			func(now settings.Settings) settings.Settings { return now.With(e.Name, e.Value) })
	case ui.ResetSettings:
		s.save(func(st *settings.Store) { _ = st.Reset() },
			func(settings.Settings) settings.Settings { return settings.Default() })
	case ui.ReadClipboard:
		s.effect(ui.ClipboardRead{Token: e.Token, Err: clipboard.ErrUnavailable}, func(ctx context.Context) ui.Msg {
			image, err := s.clipboard.ReadImage(ctx)
			return ui.ClipboardRead{Token: e.Token, Images: []ask.Image{image}, Err: err}
		})
	case ui.FindFiles:
		s.findFiles(e)
	case ui.EditDraft:
		s.effect(ui.Edited{Token: e.Token, Err: errors.New("the editor failed")}, func(ctx context.Context) ui.Msg {
			text, err := s.opt.Edit(ctx, e.Text)
			return ui.Edited{Token: e.Token, Text: text, Err: err}
		})
	case ui.Wake:
		s.wakeAt(e.At)
	case ui.Completed:
		close(s.done)
	}
}

// save changes the settings, in the file or for this form only. What went
// wrong is among the store's notices.
func (s *session) save(file func(*settings.Store), local func(settings.Settings) settings.Settings) {
	store := s.opt.Settings
	if store == nil {
		s.local = local(s.local)
		now := s.local
		s.effect(nil, func(context.Context) ui.Msg { return ui.Saved{Settings: now} })
		return
	}
	s.effect(nil, func(context.Context) ui.Msg {
		file(store)
		return ui.Saved{Settings: store.Current(), Notices: store.Notices()}
	})
}

func (s *session) settingsChanged(now settings.Settings) {
	s.later(ui.Settings{Settings: now, Notices: s.opt.Settings.Notices()})
}

// findFiles searches for files; a newer search ends an older one.
func (s *session) findFiles(e ui.FindFiles) {
	if s.find != nil {
		s.find()
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.find = cancel
	s.effect(nil, func(context.Context) ui.Msg {
		defer cancel()
		for {
			items, err := suggest(ctx, s.files, e)
			switch {
			case errors.Is(err, files.ErrPartial) && ctx.Err() == nil:
				s.later(ui.FilesFound{Token: e.Token, Items: items}) // more will come
			case err != nil:
				return nil
			default:
				return ui.FilesFound{Token: e.Token, Items: items}
			}
		}
	})
}

// pathCompleter is a [FileLister] that also completes plain paths.
type pathCompleter interface {
	CompletePath(ctx context.Context, token string) ([]FileItem, error)
}

func suggest(ctx context.Context, l FileLister, e ui.FindFiles) ([]FileItem, error) {
	if !e.Path {
		return l.Suggest(ctx, e.Query)
	}
	if c, ok := l.(pathCompleter); ok {
		return c.CompletePath(ctx, e.Query)
	}
	return nil, nil
}

func (s *session) wakeAt(at time.Duration) {
	if s.wake != nil {
		s.wake.Stop()
	}
	s.wake = time.AfterFunc(at-time.Since(s.started), func() { s.later(ui.Tick{}) })
}

// notify tells the user that a form waits, as the settings say.
func (s *session) notify() {
	s.mu.Lock()
	now, form := s.state.Settings(), s.state.Drafts().Form()
	s.mu.Unlock()
	if !now.Notifications.Enabled || len(form.Questions) == 0 {
		return
	}
	s.spawn(func(ctx context.Context) {
		notify.Send(ctx, now.Notifications.Channels, notify.NewPayload(form.Questions[0]), &notify.Options{Terminal: s.opt.Terminal})
	})
}

// effect runs fn beside the form and applies the message it returns. A host's
// clipboard or file list must not take the form down: after a panic the
// message is failed. The lock is held.
func (s *session) effect(failed ui.Msg, fn func(context.Context) ui.Msg) {
	s.pending++
	started := s.spawn(func(ctx context.Context) {
		m := failed
		defer func() {
			_ = recover()
			if m != nil {
				s.later(m)
			}
			s.mu.Lock()
			s.pending--
			s.idle.Broadcast()
			s.mu.Unlock()
		}()
		m = fn(ctx)
	})
	if !started {
		s.pending--
	}
}

// settle waits until nothing is outstanding that the form asked for.
func (s *session) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.pending > 0 {
		s.idle.Wait()
	}
}

// spawn runs fn beside the form. It ends with the form; after that, nothing
// starts any more and spawn reports false.
func (s *session) spawn(fn func(context.Context)) bool {
	s.spawning.Lock()
	defer s.spawning.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.work.Add(1)
	go func() {
		defer s.work.Done()
		fn(s.ctx)
	}()
	return true
}

// ended reports whether the form has ended.
func (s *session) ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Ended()
}

// binds reports whether the form has a use for a key now.
func (s *session) binds(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Binds(id)
}

// outcome is how the form ended, or what it would be if it were cancelled now.
func (s *session) outcome() Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Outcome{Result: s.state.Result(), Interrupted: s.state.Interrupted(), StopAgent: s.state.StopAgent(), Err: s.failure}
}

// close ends everything that the form started and waits for it.
func (s *session) close() {
	s.apply(ui.Abort{}) // nothing happens when it has ended
	s.spawning.Lock()
	s.cancel()
	s.spawning.Unlock()
	s.mu.Lock()
	if s.wake != nil {
		s.wake.Stop()
	}
	s.mu.Unlock()
	for _, r := range s.release {
		r()
	}
	s.work.Wait()
}
