package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// AgentDir returns pi's agent directory: PI_CODING_AGENT_DIR, in which a
// leading ~ stands for the home directory, or ~/.pi/agent. A program that is
// not pi names a directory of its own instead.
func AgentDir() string {
	dir := os.Getenv("PI_CODING_AGENT_DIR")
	if dir == "" {
		dir = "~/.pi/agent"
	}
	rest, ok := strings.CutPrefix(dir, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = "."
	}
	return filepath.Join(home, rest)
}

// Path returns the settings file of an agent directory.
func Path(agentDir string) string {
	return filepath.Join(agentDir, "extensions", "pi-agent-ask.json")
}

// Options changes how a store works. The zero value is what most programs
// want.
type Options struct {
	// OnNotice is called by [Store.Watch], from its goroutine, for an edit that
	// cannot be used. Default: the notice is only kept for [Store.Notices].
	OnNotice func(Notice)

	files files // for tests
}

// Store is one settings file and what is in force of it. All methods can be
// called from several goroutines at once.
type Store struct {
	path     string
	files    files
	onNotice func(Notice)

	// disk is held while the file is read or written, so that saves follow one
	// another. It is never held while a subscriber runs.
	disk   sync.Mutex
	loaded bool
	seen   snapshot

	mu          sync.Mutex // guards all below, and is never held for long
	current     Settings
	loadNotices []Notice
	saveNotice  *Notice
	subscribers []*subscriber
	pending     []Settings
	delivering  bool
}

type subscriber struct{ apply func(Settings) }

// snapshot is what the file was when it was last looked at.
type snapshot struct {
	data []byte
	err  error
}

func (a snapshot) equal(b snapshot) bool {
	if a.err != nil || b.err != nil {
		return a.err != nil && b.err != nil && a.err.Error() == b.err.Error()
	}
	return bytes.Equal(a.data, b.data)
}

func (a snapshot) missing() bool { return errors.Is(a.err, fs.ErrNotExist) }

// Open returns the store of a settings file, normally [Path]. Nothing is read
// or written before the first use; o may be nil.
func Open(path string, o *Options) *Store {
	if o == nil {
		o = &Options{}
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return &Store{path: path, files: o.files, onNotice: o.OnNotice, current: Default()}
}

// Path returns the absolute path of the settings file.
func (s *Store) Path() string { return s.path }

// Load returns the settings and what is wrong with the file. The file is read
// by the first call only; others wait for it and share its outcome. A file
// that does not exist is created with the defaults; any other is left alone.
func (s *Store) Load() (Settings, []Notice) {
	s.disk.Lock()
	s.load()
	s.disk.Unlock()
	return s.Current(), s.Notices()
}

// Reload reads the file again, as the first Load did, and tells the
// subscribers.
func (s *Store) Reload() (Settings, []Notice) {
	s.disk.Lock()
	s.loaded = false
	s.load()
	s.announce()
	s.disk.Unlock()
	s.deliver()
	return s.Current(), s.Notices()
}

// Current returns the settings in force: the defaults before the first Load.
func (s *Store) Current() Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// Notices returns what the user should be told now: what is wrong with the
// file, then why the last change was not saved. A change that is saved clears
// both.
func (s *Store) Notices() []Notice {
	s.mu.Lock()
	defer s.mu.Unlock()
	notices := slices.Clone(s.loadNotices)
	if s.saveNotice != nil {
		notices = append(notices, *s.saveNotice)
	}
	return notices
}

// load reads the file unless that was done. disk is held.
func (s *Store) load() {
	if s.loaded {
		return
	}
	s.loaded = true
	s.seen = s.look()
	if s.seen.missing() {
		if err := s.create(); err != nil {
			s.use(Default(), saveFailedNotice(s.path, err))
			return
		}
	}
	switch {
	case s.seen.missing():
		s.use(Default())
	case s.seen.err != nil:
		s.use(Default(), unreadableNotice(s.seen.err))
	default:
		settings, notices := Parse(s.seen.data)
		s.use(settings, notices...)
	}
}

// create writes the defaults, unless another process was faster.
func (s *Store) create() error {
	target, unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if s.seen = s.look(); !s.seen.missing() {
		return nil
	}
	doc, err := newDocument(Default())
	if err != nil {
		return err
	}
	return s.write(target, doc)
}

// lock finds the real file and keeps other processes from saving it.
func (s *Store) lock() (target string, unlock func(), err error) {
	target, err = s.files.prepare(s.path)
	if err != nil {
		return "", nil, err
	}
	unlock, err = lockDirectory(filepath.Dir(target), lockPatience)
	return target, unlock, err
}

func (s *Store) look() snapshot {
	data, err := s.files.read(s.path)
	return snapshot{data, err}
}

// write replaces the file by the document.
func (s *Store) write(target string, doc document) error {
	data, err := doc.encode()
	if err != nil {
		return err
	}
	if err := s.files.replace(target, data); err != nil {
		return err
	}
	s.seen = snapshot{data: data}
	return nil
}

// use puts settings in force with what is to be said about the file.
func (s *Store) use(settings Settings, notices ...Notice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current, s.loadNotices, s.saveNotice = settings, notices, nil
}

// Set changes one switch in the file and then in force. The file is read
// again and only this value is changed: edits made meanwhile are kept and
// applied with it. When the file cannot be used or written nothing changes,
// and the error is the [Notice] for the user, which Notices tells too.
//
// Set waits for the disk; do not call it where a key press is handled.
func (s *Store) Set(name Setting, value bool) error {
	return s.change(name, func(bool) bool { return value })
}

// Toggle is Set to the opposite of the latest stored value.
func (s *Store) Toggle(name Setting) error {
	return s.change(name, func(old bool) bool { return !old })
}

func (s *Store) change(name Setting, next func(old bool) bool) error {
	if (&Settings{}).field(name) == nil {
		return fmt.Errorf("settings: no switch is called %q", string(name))
	}
	return s.save(func(seen snapshot) (document, Settings, []Notice, error) {
		doc, settings, notices, err := s.latest(seen)
		if err != nil {
			return doc, settings, nil, err
		}
		value := next(settings.Get(name))
		doc.setSwitch(name, value)
		return doc, settings.With(name, value), notices, nil
	})
}

// latest returns what a change is made to: the content of the file, or the
// settings in force if it is gone.
func (s *Store) latest(seen snapshot) (document, Settings, []Notice, error) {
	current := s.Current()
	if seen.missing() {
		doc, err := newDocument(current)
		return doc, current, nil, err
	}
	if seen.err != nil {
		return document{}, current, nil, notOverwrittenNotice()
	}
	doc, fault := readDocument(seen.data)
	if fault != "" {
		return document{}, current, nil, notOverwrittenNotice()
	}
	settings, fault, keymapFault := doc.settings()
	if fault != "" {
		return document{}, current, nil, notOverwrittenNotice()
	}
	if keymapFault == nil {
		return doc, settings, nil, nil
	}
	settings.Keymaps = current.Keymaps
	if !current.Keymaps.equal(DefaultKeymaps()) {
		return doc, settings, []Notice{editNotice(NoticeKeymaps, keymapFault)}, nil
	}
	return doc, settings, keymapNotices(keymapFault), nil
}

// Reset writes the defaults, whatever the file holds; fields that this
// package does not know survive if the file is JSON at all. Guard it with a
// [ResetGuard]. Errors are those of Set.
func (s *Store) Reset() error {
	return s.save(func(seen snapshot) (document, Settings, []Notice, error) {
		doc := rebase(seen.data)
		return doc, Default(), nil, doc.reset(Default())
	})
}

// save reads the file, lets edit make the new content, writes that, puts it in
// force and tells the subscribers.
func (s *Store) save(edit func(snapshot) (document, Settings, []Notice, error)) error {
	s.disk.Lock()
	err := s.saveLocked(edit)
	s.disk.Unlock()
	s.deliver()
	return err
}

func (s *Store) saveLocked(edit func(snapshot) (document, Settings, []Notice, error)) error {
	s.load()
	target, unlock, err := s.lock()
	if err != nil {
		if _, _, _, refused := edit(s.look()); refused != nil {
			err = refused // a bad file is the better reason
		}
		return s.refuse(err)
	}
	defer unlock()
	doc, settings, notices, err := edit(s.look())
	if err != nil {
		return s.refuse(err)
	}
	if err := s.write(target, doc); err != nil {
		return s.refuse(err)
	}
	s.use(settings, notices...)
	s.announce()
	return nil
}

// refuse keeps and returns the notice for a change that was not saved.
func (s *Store) refuse(err error) error {
	notice, ok := err.(Notice)
	if !ok {
		notice = saveFailedNotice(s.path, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saveNotice = &notice
	return notice
}
