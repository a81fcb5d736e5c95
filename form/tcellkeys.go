package form

import (
	"strings"

	"github.com/gdamore/tcell/v2"
)

// named are the keys that tcell tells by name.
var named = map[tcell.Key]string{
	tcell.KeyEnter: "enter", tcell.KeyEscape: "esc", tcell.KeyTab: "tab", tcell.KeyBacktab: "shift+tab",
	tcell.KeyBackspace: "backspace", tcell.KeyBackspace2: "backspace", tcell.KeyDelete: "delete",
	tcell.KeyInsert: "insert", tcell.KeyClear: "clear", tcell.KeyHome: "home", tcell.KeyEnd: "end",
	tcell.KeyPgUp: "pageUp", tcell.KeyPgDn: "pageDown", tcell.KeyUp: "up", tcell.KeyDown: "down",
	tcell.KeyLeft: "left", tcell.KeyRight: "right", tcell.KeyCtrlSpace: "ctrl+space",
	tcell.KeyCtrlBackslash: `ctrl+\`, tcell.KeyCtrlRightSq: "ctrl+]", tcell.KeyCtrlUnderscore: "ctrl+-",
	tcell.KeyF1: "f1", tcell.KeyF2: "f2", tcell.KeyF3: "f3", tcell.KeyF4: "f4", tcell.KeyF5: "f5", tcell.KeyF6: "f6",
	tcell.KeyF7: "f7", tcell.KeyF8: "f8", tcell.KeyF9: "f9", tcell.KeyF10: "f10", tcell.KeyF11: "f11", tcell.KeyF12: "f12",
}

// keyOf names a key press of a tcell screen.
func keyOf(ev *tcell.EventKey) (id, text string) {
	mods := ev.Modifiers()
	k := ev.Key()
	switch {
	case k == tcell.KeyRune:
		r := string(ev.Rune())
		mods &^= tcell.ModShift // it is in the rune already
		if mods == 0 {
			return r, r
		}
		if r == " " {
			r = "space"
		}
		return withModifiers(mods, r), ""
	case named[k] != "":
		base := named[k]
		if i := strings.LastIndexByte(base, '+'); i > 0 && i < len(base)-1 {
			// The name has its modifier: Ctrl, or Shift of the back tab.
			prefix := base[:i]
			base = base[i+1:]
			if prefix == "shift" {
				mods |= tcell.ModShift
			} else {
				mods |= tcell.ModCtrl
			}
		}
		return withModifiers(mods, base), ""
	case k >= tcell.KeyCtrlA && k <= tcell.KeyCtrlZ:
		return withModifiers(mods|tcell.ModCtrl, string(rune('a'+k-tcell.KeyCtrlA))), ""
	}
	return "", ""
}

func withModifiers(mods tcell.ModMask, base string) string {
	var b strings.Builder
	for _, m := range []struct {
		mask tcell.ModMask
		name string
	}{{tcell.ModCtrl, "ctrl+"}, {tcell.ModShift, "shift+"}, {tcell.ModAlt, "alt+"}, {tcell.ModMeta, "super+"}} {
		if mods&m.mask != 0 {
			b.WriteString(m.name)
		}
	}
	return b.String() + base
}
