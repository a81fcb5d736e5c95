package form

import (
	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/ui"
)

// Primitive is a form as a tview primitive: put it into a Flex, a Grid or
// Pages and give it the focus. It fills its rectangle from the top and draws
// no border. Like all primitives it belongs to the application's goroutine.
//
//	p := form.New(f, nil)
//	p.SetChangedFunc(func() { app.QueueUpdateDraw(func() {}) })
//	p.SetDoneFunc(func(o form.Outcome) { app.Stop() })
//
// A tview application stops on Ctrl+C before any primitive sees it, and loses
// the line breaks of pastes. Two helpers put that right:
//
//	app.SetInputCapture(form.CtrlC).SetScreen(form.PasteLines(screen)).EnablePaste(true)
type Primitive struct {
	*tview.Box
	session *session
	grid    paint.Grid
	onDone  func(Outcome)
	told    bool
}

// New opens a form. Call Close when it is not needed any more.
func New(f ask.Form, o *Options) *Primitive {
	p := &Primitive{Box: tview.NewBox()}
	p.session = newSession(f, o, 0)
	return p
}

// SetChangedFunc sets what to do when the form looks different without a key:
// queue a redraw. Each call has a goroutine of its own and may block, as
// QueueUpdateDraw does for ever once the application has stopped.
func (p *Primitive) SetChangedFunc(fn func()) *Primitive {
	p.session.onChange(func() { go fn() })
	return p
}

// SetDoneFunc sets what to do when the form has ended. It is called once, on
// the application's goroutine.
func (p *Primitive) SetDoneFunc(fn func(Outcome)) *Primitive {
	p.onDone = fn
	return p
}

// Draw draws the form into its rectangle.
func (p *Primitive) Draw(screen tcell.Screen) {
	x, y, w, h := p.GetInnerRect()
	p.session.frame(w, h, func(f paint.Frame) {
		for len(f.Rows) < h {
			f.Rows = append(f.Rows, nil)
		}
		p.grid.Fill(f, p.session.opt.Width)
		p.grid.Blit(screen, x, y, *p.session.opt.Theme)
	})
	p.session.wasShown()
	p.finish()
}

// InputHandler takes the form's keys.
func (p *Primitive) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return p.WrapInputHandler(func(ev *tcell.EventKey, _ func(tview.Primitive)) {
		id, text := keyOf(ev)
		p.session.apply(ui.Key{ID: id, Text: text})
		p.finish()
	})
}

// PasteHandler takes a paste. tview delivers it when EnablePaste is on.
func (p *Primitive) PasteHandler() func(string, func(tview.Primitive)) {
	return p.WrapPasteHandler(func(text string, _ func(tview.Primitive)) {
		p.session.apply(ui.Paste{Text: text})
		p.finish()
	})
}

// MouseHandler takes clicks on tabs, rows and actions, and the wheel.
func (p *Primitive) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return p.WrapMouseHandler(func(action tview.MouseAction, ev *tcell.EventMouse, focus func(tview.Primitive)) (bool, tview.Primitive) {
		mx, my := ev.Position()
		if !p.InRect(mx, my) {
			return false, nil
		}
		x, y, _, _ := p.GetInnerRect()
		switch action {
		case tview.MouseLeftClick:
			focus(p)
			p.session.apply(ui.Click{X: mx - x, Y: my - y})
		case tview.MouseScrollUp, tview.MouseScrollDown:
			p.session.apply(ui.Wheel{Up: action == tview.MouseScrollUp})
		default:
			return false, nil
		}
		p.finish()
		return true, nil
	})
}

// finish tells the host, once, that the form has ended.
func (p *Primitive) finish() {
	if p.told || !p.session.ended() {
		return
	}
	p.told = true
	if p.onDone != nil {
		p.onDone(p.session.outcome())
	}
}

// Outcome is how the form ended; before that, what cancelling it would give.
func (p *Primitive) Outcome() Outcome { return p.session.outcome() }

// Abort ends the form from outside: nobody answered.
func (p *Primitive) Abort() {
	p.session.apply(ui.Abort{})
	p.finish()
}

// Close ends the form and everything it started.
func (p *Primitive) Close() { p.session.close() }
