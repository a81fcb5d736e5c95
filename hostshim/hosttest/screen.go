package hosttest

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/hostshim"
)

// Size of the screen at first.
const (
	Cols = 80
	Rows = 24
)

// Form is a form on the screen.
type Form struct {
	Number int
	Kind   string // "ask" or "settings"

	host      *Host
	frame     hostshim.Frame // the newest
	closed    bool
	elsewhere bool // the form was ended by something else than its keys
}

// NextForm waits for a form to be opened and to be seen, and returns it. Each
// form is returned once, in the order of opening; one that was closed before it
// could be seen is left out.
func (h *Host) NextForm() *Form {
	var f *Form
	h.until("a form", func() bool {
		for len(h.fresh) > 0 && h.fresh[0].closed && h.fresh[0].frame.Seq == 0 {
			h.fresh = h.fresh[1:]
		}
		if len(h.fresh) == 0 || h.fresh[0].frame.Seq == 0 {
			return false
		}
		f, h.fresh = h.fresh[0], h.fresh[1:]
		return true
	})
	return f
}

// Forms are the numbers of the forms that are open, oldest first.
func (h *Host) Forms() []int {
	h.mu.Lock()
	defer h.mu.Unlock()
	var numbers []int
	for _, f := range h.stack {
		numbers = append(numbers, f.Number)
	}
	return numbers
}

// Form is the form that is open, the newest one if there are several; nil if
// there is none.
func (h *Host) Form() *Form {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.stack) == 0 {
		return nil
	}
	return h.stack[len(h.stack)-1]
}

// Press presses keys: characters, or ids such as "enter" and "shift+tab".
func (f *Form) Press(keys ...string) {
	for _, key := range keys {
		text := ""
		switch {
		case key == "space":
			text = " "
		case len([]rune(key)) == 1:
			text = key
		}
		f.tell(func(o *hostshim.OpenForm) { o.Key(key, text) })
	}
}

// Hold presses a key and keeps it down for some repeats.
func (f *Form) Hold(key string, repeats int) {
	f.Press(key)
	text := ""
	if len([]rune(key)) == 1 {
		text = key
	}
	for range repeats {
		f.tell(func(o *hostshim.OpenForm) { o.Repeat(key, text) })
	}
}

// Type types text, character by character.
func (f *Form) Type(text string) {
	for _, r := range text {
		f.tell(func(o *hostshim.OpenForm) { o.Key("", string(r)) })
	}
}

// Paste pastes text.
func (f *Form) Paste(text string) { f.tell(func(o *hostshim.OpenForm) { o.Paste(text) }) }

// Resize gives the form another size.
func (f *Form) Resize(cols, rows int) { f.tell(func(o *hostshim.OpenForm) { o.Size(cols, rows) }) }

// tell reports to the extension; a form that it has closed hears nothing.
func (f *Form) tell(what func(*hostshim.OpenForm)) {
	if o := f.host.ext.Form(f.Number); o != nil {
		what(o)
	}
}

// Frame is the newest picture.
func (f *Form) Frame() hostshim.Frame {
	f.host.mu.Lock()
	defer f.host.mu.Unlock()
	return f.frame
}

var sequences = regexp.MustCompile("\x1b\\[[0-9;:]*m|\x1b_[^\x07]*\x07")

// Text is the newest picture without colours.
func (f *Form) Text() string {
	return sequences.ReplaceAllString(strings.Join(f.Frame().Lines, "\n"), "")
}

// WaitText waits until the text can be seen.
func (f *Form) WaitText(text string) {
	f.WaitFrame("the text "+strconv.Quote(text), func(p hostshim.Frame) bool {
		return strings.Contains(sequences.ReplaceAllString(strings.Join(p.Lines, "\n"), ""), text)
	})
}

// WaitFrame waits for a picture that is as wanted; what says how that is.
func (f *Form) WaitFrame(what string, wanted func(hostshim.Frame) bool) {
	f.host.until(what+" in form "+strconv.Itoa(f.Number), func() bool { return wanted(f.frame) })
}

// WaitClosed waits until the form is closed.
func (f *Form) WaitClosed() {
	f.host.until("form "+strconv.Itoa(f.Number)+" to close", func() bool { return f.closed })
}

// Elsewhere reports whether the form was closed because of something else than
// its keys; see [hostshim.FormEnd].
func (f *Form) Elsewhere() bool {
	f.host.mu.Lock()
	defer f.host.mu.Unlock()
	return f.elsewhere
}

// TakeSlot puts something else into the place of forms: a form that is there
// loses it.
func (h *Host) TakeSlot() {
	h.mu.Lock()
	h.taken = true
	lost := h.stack
	h.stack = nil
	gen := h.gen
	h.mu.Unlock()
	h.ext.Editor(gen, false)
	for _, f := range lost {
		f.tell((*hostshim.OpenForm).Lost)
	}
}

// FreeSlot puts the native editor back.
func (h *Host) FreeSlot() {
	h.mu.Lock()
	h.taken = false
	gen := h.gen
	h.wake()
	h.mu.Unlock()
	h.ext.Editor(gen, true)
}

// OpenForm implements [hostshim.Screen]. It waits for a free place.
func (h *Host) OpenForm(ctx context.Context, gen uint64, slot hostshim.FormSlot) error {
	for {
		if err := h.check(ctx, gen, "OpenForm"); err != nil {
			return err
		}
		h.mu.Lock()
		if !h.taken {
			break
		}
		changed := h.changed
		h.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	f := h.forms[slot.Number]
	if f == nil {
		f = &Form{Number: slot.Number, Kind: slot.Kind, host: h}
		h.forms[slot.Number] = f
		h.fresh = append(h.fresh, f)
	}
	h.stack = append(h.stack, f)
	h.mu.Unlock()
	h.note("open %d %s", slot.Number, slot.Kind)
	f.tell(func(o *hostshim.OpenForm) { o.Mounted(Cols, Rows) })
	return nil
}

// ShowFrame implements [hostshim.Screen].
func (h *Host) ShowFrame(frame hostshim.Frame) {
	if h.Hook != nil {
		_ = h.Hook(context.Background(), "ShowFrame")
	}
	h.mu.Lock()
	f := h.forms[frame.Number]
	if f != nil {
		f.frame = frame
		h.wake()
	}
	h.mu.Unlock()
	if f != nil {
		f.tell((*hostshim.OpenForm).Shown)
	}
}

// CloseForm implements [hostshim.Screen].
func (h *Host) CloseForm(ctx context.Context, end hostshim.FormEnd) error {
	if h.Hook != nil {
		if err := h.Hook(ctx, "CloseForm"); err != nil {
			return err
		}
	}
	h.mu.Lock()
	f := h.forms[end.Number]
	if f != nil {
		f.closed, f.elsewhere = true, end.Elsewhere
	}
	open := len(h.stack)
	h.stack = slices.DeleteFunc(h.stack, func(o *Form) bool { return o.Number == end.Number })
	known := len(h.stack) != open
	h.mu.Unlock()
	if known {
		h.note("close %d", end.Number)
	}
	return nil
}
