package form

import (
	"sync/atomic"

	"github.com/gdamore/tcell/v2"
)

// CtrlC is an input capture for a tview application: it hands Ctrl+C to the
// focused primitive instead of stopping the application. Anything else passes.
func CtrlC(ev *tcell.EventKey) *tcell.EventKey {
	if ev.Key() == tcell.KeyCtrlC {
		// The application stops only for the very event it read.
		return tcell.NewEventKey(tcell.KeyCtrlC, 0, tcell.ModCtrl)
	}
	return ev
}

// PasteLines returns a screen for tview.Application.SetScreen that keeps the
// line breaks of pastes. Terminals send them as LF or CR, and tview v0.42
// knows only the latter.
func PasteLines(screen tcell.Screen) tcell.Screen { return &pasteScreen{Screen: screen} }

type pasteScreen struct {
	tcell.Screen
	pasting atomic.Bool
}

// PollEvent turns a line feed inside a paste into the Enter that tview takes.
func (s *pasteScreen) PollEvent() tcell.Event {
	ev := s.Screen.PollEvent()
	switch e := ev.(type) {
	case *tcell.EventPaste:
		s.pasting.Store(e.Start())
	case *tcell.EventKey:
		if e.Key() == tcell.KeyLF && s.pasting.Load() {
			return tcell.NewEventKey(tcell.KeyEnter, 0, tcell.ModNone)
		}
	}
	return ev
}
