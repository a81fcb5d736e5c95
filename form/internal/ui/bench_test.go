package ui_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/ui"
)

// options returns n options, with a preview of size bytes each if size > 0.
func options(n, size int) []ask.Option {
	out := make([]ask.Option, n)
	for i := range out {
		out[i] = ask.Option{Value: fmt.Sprintf("o%d", i), Label: fmt.Sprintf("Option number %d", i+1), Description: "What this choice means in one line."}
		if size > 0 {
			line := fmt.Sprintf("line of the preview of option %d, as wide as a line of code often is\n", i)
			out[i].Preview = strings.Repeat(line, size/len(line)+1)
		}
	}
	return out
}

func benchForm(b *testing.B, questions ...ask.Question) ask.Form {
	b.Helper()
	p := ask.Payload{Title: "Bench"}
	for i, q := range questions {
		q.ID, q.Prompt = fmt.Sprintf("q%d", i), "Which one is it going to be?"
		p.Questions = append(p.Questions, q)
	}
	raw, err := json.Marshal(p)
	if err != nil {
		b.Fatal(err)
	}
	return normalize(b, raw)
}

// keyToFrame measures one key press up to the ANSI lines of the new frame.
func keyToFrame(b *testing.B, f ask.Form, keys ...string) {
	h := newHost(b, f, ui.Options{})
	h.resize(100, 30)
	var g paint.Grid
	theme := paint.Dark()
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		h.state.Apply(0, ui.Key{ID: keys[i%len(keys)]})
		g.Fill(h.state.Frame(), nil)
		g.Lines(theme, paint.TrueColor)
		i++
	}
}

func BenchmarkKeyToFrame(b *testing.B) {
	multi := ask.Question{Type: ask.Multi, Options: options(6, 0)}
	b.Run("4 questions", func(b *testing.B) {
		keyToFrame(b, benchForm(b, multi, multi, multi, multi), "down", "down", "up", "up")
	})
	b.Run("tabs", func(b *testing.B) {
		keyToFrame(b, benchForm(b, multi, multi, multi, multi), "tab")
	})
	b.Run("1000 options", func(b *testing.B) {
		keyToFrame(b, benchForm(b, ask.Question{Options: options(1000, 0)}), "down", "down", "up")
	})
	b.Run("65-line previews", func(b *testing.B) {
		keyToFrame(b, benchForm(b, ask.Question{Type: ask.Preview, Options: options(4, 65*70)}), "down", "up")
	})
	b.Run("1 MB preview scrolled", func(b *testing.B) {
		keyToFrame(b, benchForm(b, ask.Question{Type: ask.Preview, Options: options(2, 1<<20)}), "pageDown", "pageDown", "pageUp", "pageUp")
	})
	b.Run("1 MB preview switched", func(b *testing.B) {
		keyToFrame(b, benchForm(b, ask.Question{Type: ask.Preview, Options: options(9, 1<<20)}),
			"down", "down", "down", "down", "down", "down", "down", "up", "up", "up", "up", "up", "up", "up")
	})
	b.Run("letter in the editor", func(b *testing.B) {
		h := newHost(b, benchForm(b, multi), ui.Options{})
		h.resize(100, 30)
		h.steps("7")
		h.apply(ui.Paste{Text: strings.Repeat("pasted words ", 1<<20/13)})
		var g paint.Grid
		b.ReportAllocs()
		for b.Loop() {
			h.state.Apply(0, ui.Key{Text: "x"})
			g.Fill(h.state.Frame(), nil)
			g.Lines(paint.Dark(), paint.TrueColor)
		}
	})
}

func BenchmarkPasteMegabyte(b *testing.B) {
	f := benchForm(b, ask.Question{Options: options(3, 0)})
	text := strings.Repeat("pasted words ", 1<<20/13)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		h := newHost(b, f, ui.Options{})
		h.steps("4")
		h.apply(ui.Paste{Text: text})
	}
}
