package form

import (
	"os"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/ui"
)

// Inline is a form in a slot of somebody else's screen: it gives lines for a
// width and a height, and takes keys by their ids. All methods may be called
// from several goroutines at once.
type Inline struct {
	session *session
	grid    paint.Grid
	depth   paint.Depth
}

// NewInline opens a form. Call [Inline.Close] when it is not needed any more.
func NewInline(f ask.Form, o *Options) *Inline {
	in := &Inline{depth: depthFor(o)}
	in.session = newSession(f, o, 0)
	in.grid.Marker = in.session.opt.CursorMarker
	return in
}

// depthFor is how many colours the lines may use: all that a theme of the
// host's names, else what the terminal of this process can show.
func depthFor(o *Options) paint.Depth {
	if o != nil && o.Theme != nil {
		return paint.TrueColor
	}
	return paint.DepthOf(os.Getenv)
}

// NewSettings opens the settings overlay on its own. It ends when the user
// closes it.
func NewSettings(o *Options) *Inline {
	in := &Inline{depth: depthFor(o)}
	in.session = openSession(ask.Form{}, o, 0, true)
	in.grid.Marker = in.session.opt.CursorMarker
	return in
}

// OnChange has fn called, from any goroutine, when the form looks different
// for another reason than a call of the host: a file list or an image arrived,
// the settings changed, a timer ran out.
func (in *Inline) OnChange(fn func()) { in.session.onChange(fn) }

// Lines returns the form for a width, at most rows lines high. No line is
// wider than width by the width function of the options, and each stands alone:
// it ends in the terminal's default style. The slice is the caller's.
func (in *Inline) Lines(width, rows int) []string {
	var lines []string
	in.session.frame(width, rows, func(f paint.Frame) {
		in.grid.Fill(f, in.session.opt.Width)
		lines = in.grid.Lines(*in.session.opt.Theme, in.depth)
	})
	return lines
}

// Text returns the form like [Inline.Lines], without styles.
func (in *Inline) Text(width, rows int) []string {
	var lines []string
	in.session.frame(width, rows, func(f paint.Frame) {
		in.grid.Fill(f, in.session.opt.Width)
		lines = in.grid.Text()
	})
	return lines
}

// SVG returns a picture of the form for documents.
func (in *Inline) SVG(width, rows int) string {
	var svg string
	in.session.frame(width, rows, func(f paint.Frame) {
		in.grid.Fill(f, in.session.opt.Width)
		svg = in.grid.SVG(*in.session.opt.Theme)
	})
	return svg
}

// Key is one key press: its id ("enter", "shift+n", "ctrl+c") and the text it
// types. Either may be empty; characters without an id come as text only.
// Releases must not be passed on.
func (in *Inline) Key(id, text string) { in.session.apply(ui.Key{ID: id, Text: text}) }

// Repeat says that a key is still held down, on a terminal that tells this
// apart from a press. The form decides what happens again: it moves, deletes
// and types on, and confirms or toggles nothing twice.
func (in *Inline) Repeat(id, text string) {
	in.session.apply(ui.Key{ID: id, Text: text, Repeat: true})
}

// Paste is one paste, as the terminal sent it.
func (in *Inline) Paste(text string) { in.session.apply(ui.Paste{Text: text}) }

// Click and Wheel are mouse events, in cells from the form's upper left.
func (in *Inline) Click(x, y int) { in.session.apply(ui.Click{X: x, Y: y}) }
func (in *Inline) Wheel(up bool)  { in.session.apply(ui.Wheel{Up: up}) }

// SetTheme changes the colours.
func (in *Inline) SetTheme(t Theme) {
	in.session.mu.Lock()
	in.session.opt.Theme = &t
	in.session.mu.Unlock()
}

// Mounted tells a form with a type-ahead guard that it was put on the screen
// (again), Shown that a frame of it is visible. The first Shown also sends the
// notification that the settings ask for.
func (in *Inline) Mounted() { in.session.apply(ui.Mounted{}) }
func (in *Inline) Shown()   { in.session.wasShown() }

// OpenSettings opens the settings overlay.
func (in *Inline) OpenSettings() { in.session.apply(ui.OpenSettings{}) }

// Abort ends the form from outside: nobody answered. Like [Inline.Answer] it
// may come while somebody types; keys do nothing from then on, and a host that
// gives the keyboard to something else should drop them until a short pause.
func (in *Inline) Abort() { in.session.apply(ui.Abort{}) }

// Answer completes the form with answers from elsewhere, see
// [ask.CheckRemoteSubmit]; nil answers cancel it.
func (in *Inline) Answer(d *ask.Drafts, mode ask.Mode) {
	in.session.apply(ui.RemoteAnswer{Drafts: d, Mode: mode})
}

// Read calls fn with the answers so far, for reading only and not any longer
// than fn runs.
func (in *Inline) Read(fn func(*ask.Drafts)) {
	in.session.mu.Lock()
	defer in.session.mu.Unlock()
	fn(in.session.state.Drafts())
}

// Ready reports whether the type-ahead guard lets keys through.
func (in *Inline) Ready() bool {
	in.session.mu.Lock()
	defer in.session.mu.Unlock()
	return in.session.state.Ready()
}

// Settle waits until everything is in that the form asked for: files, an
// image, a saved setting. Scripts call it between two keys.
func (in *Inline) Settle() { in.session.settle() }

// Done is closed when the form has ended.
func (in *Inline) Done() <-chan struct{} { return in.session.done }

// Outcome is how the form ended; before that, what cancelling it would give.
func (in *Inline) Outcome() Outcome { return in.session.outcome() }

// Close ends the form, as Abort does, and everything it started. It may be
// called more than once.
func (in *Inline) Close() { in.session.close() }
