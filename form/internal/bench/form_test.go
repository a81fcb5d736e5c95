package bench

import (
	"strings"
	"testing"

	"charm.land/bubbles/v2/textarea"
	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
	"github.com/rivo/tview"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// BenchmarkKey4Questions is a form of four questions with six options each.
func BenchmarkKey4Questions(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		multi := ask.Question{Type: ask.Multi, Options: options(6, 0)}
		s, _ := ours(b, multi, multi, multi, multi)
		press(b, s, "down", "down", "up", "up")
	})
	b.Run("huh", func(b *testing.B) {
		var groups []*huh.Group
		for range 4 {
			groups = append(groups, huh.NewGroup(huh.NewMultiSelect[string]().Title("Which one is it going to be?").Options(huhOptions(6)...)))
		}
		press(b, huhForm(groups...), "down", "down", "up", "up")
	})
}

// BenchmarkKey1000Options is one question with 1000 options.
func BenchmarkKey1000Options(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		s, _ := ours(b, ask.Question{Options: options(1000, 0)})
		press(b, s, "down", "down", "up")
	})
	b.Run("huh", func(b *testing.B) {
		press(b, huhForm(huh.NewGroup(huh.NewSelect[string]().Title("Which one?").Options(huhOptions(1000)...))), "down", "down", "up")
	})
	b.Run("bubbles-list", func(b *testing.B) { press(b, bubblesList(1000), "down", "down", "up") })
	b.Run("tview-List", func(b *testing.B) {
		l := tview.NewList()
		for i := range 1000 {
			l.AddItem(label(i), describe(i), 0, nil)
		}
		press(b, primitive(b, l), "down", "down", "up")
	})
}

// BenchmarkPreviewSwitch goes to an option with another preview of 1 MB.
func BenchmarkPreviewSwitch(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		s, _ := ours(b, ask.Question{Type: ask.Preview, Options: options(9, 1<<20)})
		press(b, s, "down", "down", "down", "down", "down", "down", "down", "up", "up", "up", "up", "up", "up", "up")
	})
	texts := []string{megabyte(0), megabyte(1)}
	b.Run("tview-TextView", func(b *testing.B) {
		v := tview.NewTextView()
		s := primitive(b, v)
		n := 0
		s.key = func(string) { v.SetText(texts[n%2]).ScrollToBeginning(); n++ }
		press(b, s, "down")
	})
	b.Run("bubbles-viewport", func(b *testing.B) {
		v := viewport.New(viewport.WithWidth(width), viewport.WithHeight(height))
		n := 0
		press(b, strung(
			func(string) { v.SetContent(texts[n%2]); n++ },
			func() string { return v.View() }), "down")
	})
}

// BenchmarkPreviewScroll scrolls a preview of 1 MB by a page.
func BenchmarkPreviewScroll(b *testing.B) {
	keys := []string{"pageDown", "pageDown", "pageUp", "pageUp"}
	b.Run("ours", func(b *testing.B) {
		s, _ := ours(b, ask.Question{Type: ask.Preview, Options: options(2, 1<<20)})
		press(b, s, keys...)
	})
	b.Run("tview-TextView", func(b *testing.B) {
		press(b, primitive(b, tview.NewTextView().SetText(lines())), keys...)
	})
	b.Run("tview-TextView-at-its-end", func(b *testing.B) {
		s := primitive(b, tview.NewTextView().SetText(lines()).ScrollToEnd())
		s.draw()
		press(b, s, "pageUp", "pageUp", "pageDown", "pageDown")
	})
	b.Run("bubbles-viewport", func(b *testing.B) {
		v := viewport.New(viewport.WithWidth(width), viewport.WithHeight(height))
		v.SetContent(lines())
		press(b, strung(
			func(name string) { v, _ = v.Update(teaKeys[name]) },
			func() string { return v.View() }), keys...)
	})
}

// lines is 1 MB of which each page looks different.
func lines() string {
	var t strings.Builder
	for i := 0; t.Len() < 1<<20; i++ {
		t.WriteString(label(i) + " of a preview that is about as wide as a line of code\n")
	}
	return t.String()
}

var pasted = strings.Repeat("pasted words ", 1<<20/13)

// BenchmarkPaste puts 1 MB of words into an empty editor.
func BenchmarkPaste(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		measure(b, func() {
			s, in := ours(b, ask.Question{Options: options(3, 0)})
			in.Key("4", "4")
			in.Paste(pasted)
			s.draw()
		})
	})
	b.Run("tview-TextArea", func(b *testing.B) {
		measure(b, func() {
			a := tview.NewTextArea()
			s := primitive(b, a)
			a.PasteHandler()(pasted, func(tview.Primitive) {})
			s.draw()
		})
	})
	b.Run("bubbles-textarea-100kB", func(b *testing.B) { // a tenth: the whole takes minutes
		measure(b, func() {
			a := area()
			a, _ = a.Update(tea.PasteMsg{Content: pasted[:len(pasted)/10]})
			a.View()
		})
	})
}

func area() textarea.Model {
	a := textarea.New()
	a.CharLimit, a.MaxHeight = 0, 0
	a.SetWidth(width)
	a.SetHeight(height)
	a.Focus()
	return a
}

// BenchmarkKeyAfterPaste types a letter behind 1 MB of words.
func BenchmarkKeyAfterPaste(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		s, in := ours(b, ask.Question{Options: options(3, 0)})
		in.Key("4", "4")
		in.Paste(pasted)
		s.key = func(string) { in.Key("x", "x") }
		press(b, s, "x")
	})
	b.Run("tview-TextArea", func(b *testing.B) {
		a := tview.NewTextArea()
		s := primitive(b, a)
		a.PasteHandler()(pasted, func(tview.Primitive) {})
		s.draw()
		press(b, s, "x")
	})
	b.Run("bubbles-textarea-100kB", func(b *testing.B) {
		a := area()
		a, _ = a.Update(tea.PasteMsg{Content: pasted[:len(pasted)/10]})
		press(b, strung(
			func(string) { a, _ = a.Update(teaKeys["x"]) },
			func() string { return a.View() }), "x")
	})
}
