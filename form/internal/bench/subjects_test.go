package bench

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"charm.land/bubbles/v2/list"
	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
)

const width, height = 100, 30

// screen is one subject: a key goes in, draw makes the picture that a terminal
// would get, and picture tells two of them apart.
type screen struct {
	key     func(name string)
	draw    func()
	picture func() string
}

// strung is a subject that draws itself as one string.
func strung(key func(string), view func() string) screen {
	return screen{key: key, draw: func() { view() }, picture: view}
}

// press measures a key up to the picture that follows it. First it makes sure
// that keys do change the picture.
func press(b *testing.B, s screen, keys ...string) {
	b.Helper()
	s.draw()
	before := s.picture()
	s.key(keys[0])
	s.draw()
	if s.picture() == before {
		b.Fatalf("%s changes nothing in\n%s", keys[0], before)
	}
	i := 1
	measure(b, func() {
		s.key(keys[i%len(keys)])
		s.draw()
		i++
	})
}

// measure runs a function over and over. Beside the time on the clock it
// reports the time on the processor, which holds on a busy machine too.
func measure(b *testing.B, f func()) {
	b.Helper()
	b.ReportAllocs()
	before := busy(b)
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(busy(b)-before)/float64(b.N), "cpu-ns/op")
}

// busy is the processor time of this process so far.
func busy(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func label(i int) string       { return fmt.Sprintf("Option number %d", i+1) }
func describe(int) string      { return "What this choice means in one line." }
func megabyte(line int) string { return text(line, 1<<20) }

// text returns about size bytes of lines that are as wide as code often is.
func text(n, size int) string {
	line := fmt.Sprintf("line of preview %d, as wide as a line of code often is\n", n)
	return strings.Repeat(line, size/len(line)+1)
}

func options(n, preview int) []ask.Option {
	out := make([]ask.Option, n)
	for i := range out {
		out[i] = ask.Option{Value: fmt.Sprint("o", i), Label: label(i), Description: describe(i)}
		if preview > 0 {
			out[i].Preview = text(i, preview)
		}
	}
	return out
}

// ours is the form as a host gets it: keys by their ids in, ANSI lines out.
func ours(b *testing.B, questions ...ask.Question) (screen, *form.Inline) {
	b.Helper()
	for i := range questions {
		questions[i].ID, questions[i].Prompt = fmt.Sprint("q", i), "Which one is it going to be?"
	}
	f, err := ask.Normalize(ask.Payload{Title: "Bench", Questions: questions})
	if err != nil {
		b.Fatal(err)
	}
	theme := form.DarkTheme()
	in := form.NewInline(f, &form.Options{Theme: &theme})
	b.Cleanup(in.Close)
	return screen{
		key:     func(name string) { in.Key(name, "") },
		draw:    func() { in.Lines(width, height) },
		picture: func() string { return strings.Join(in.Lines(width, height), "\n") },
	}, in
}

var teaKeys = map[string]tea.KeyPressMsg{
	"down": {Code: tea.KeyDown}, "up": {Code: tea.KeyUp}, "pageDown": {Code: tea.KeyPgDown}, "pageUp": {Code: tea.KeyPgUp},
	"x": {Code: 'x', Text: "x"},
}

func huhForm(groups ...*huh.Group) screen {
	var m tea.Model = huhModel{huh.NewForm(groups...).WithWidth(width).WithHeight(height)}
	m.Init()
	m, _ = m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return strung(
		func(name string) { m, _ = m.Update(teaKeys[name]) },
		func() string { return m.(huhModel).View().Content })
}

// huhModel makes a huh form a bubbletea model, as a program does that has one
// among its parts.
type huhModel struct{ form *huh.Form }

func (m huhModel) Init() tea.Cmd { return m.form.Init() }

func (m huhModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	next, cmd := m.form.Update(msg)
	return huhModel{next.(*huh.Form)}, cmd
}

func (m huhModel) View() tea.View { return tea.NewView(m.form.View()) }

func huhOptions(n int) []huh.Option[string] {
	out := make([]huh.Option[string], n)
	for i := range out {
		out[i] = huh.NewOption(label(i), fmt.Sprint("o", i))
	}
	return out
}

type item int

func (i item) Title() string       { return label(int(i)) }
func (i item) Description() string { return describe(int(i)) }
func (i item) FilterValue() string { return label(int(i)) }

func bubblesList(n int) screen {
	items := make([]list.Item, n)
	for i := range items {
		items[i] = item(i)
	}
	m := list.New(items, list.NewDefaultDelegate(), width, height)
	return strung(
		func(name string) { m, _ = m.Update(teaKeys[name]) },
		func() string { return m.View() })
}

var tcellKeys = map[string]*tcell.EventKey{
	"down": tcell.NewEventKey(tcell.KeyDown, 0, 0), "up": tcell.NewEventKey(tcell.KeyUp, 0, 0),
	"pageDown": tcell.NewEventKey(tcell.KeyPgDn, 0, 0), "pageUp": tcell.NewEventKey(tcell.KeyPgUp, 0, 0),
	"end": tcell.NewEventKey(tcell.KeyEnd, 0, 0), "x": tcell.NewEventKey(tcell.KeyRune, 'x', 0),
}

// primitive is a tview widget on a screen in memory.
func primitive(b *testing.B, p tview.Primitive) screen {
	b.Helper()
	s := tcell.NewSimulationScreen("")
	if err := s.Init(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Fini)
	s.SetSize(width, height)
	p.SetRect(0, 0, width, height)
	p.Focus(func(tview.Primitive) {})
	return screen{
		key: func(name string) { p.InputHandler()(tcellKeys[name], func(tview.Primitive) {}) },
		draw: func() {
			p.Draw(s)
			s.Show()
		},
		picture: func() string {
			var all strings.Builder
			cells, w, h := s.GetContents()
			for i := range w * h {
				fmt.Fprint(&all, string(cells[i].Runes), cells[i].Style)
			}
			return all.String()
		},
	}
}
