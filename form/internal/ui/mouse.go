package ui

// click acts on the tab, row or action under the mouse, like the key that
// would reach it.
func (s *State) click(m Click) []Effect {
	if s.overlay != nil || !s.guard.press(s.now, s.opt) || m.Y < 0 || m.Y >= len(s.lay.lines) {
		return nil
	}
	if s.editing() {
		return nil // a stray click must not throw the text away or answer
	}
	h := s.lay.lines[m.Y].hit
	s.reviewArmed = 0
	s.clearTypePending()
	switch h.kind {
	case hitTabs:
		for _, t := range s.lay.tabs {
			if m.X >= t.from && m.X < t.to {
				s.goTab(t.tab)
				return s.committed()
			}
		}
	case hitRow:
		s.option = h.index
		s.toggle()
		return s.committed()
	case hitAction:
		if m.X >= actionColumns+2 && s.size.width >= reviewWide {
			return nil
		}
		if s.action == h.index {
			return s.runAction(h.index)
		}
		s.action = h.index
	}
	return nil
}

// wheel scrolls three lines, like PageUp and PageDown without moving the focus.
func (s *State) wheel(m Wheel) {
	by := 3
	if m.Up {
		by = -3
	}
	if s.overlay != nil || s.editing() {
		return
	}
	s.scrollBy(by)
}
