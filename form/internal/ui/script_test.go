package ui_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rivo/uniseg"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/display"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/clipboard"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/files"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/ui"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// Everything that random scripts are made of.
var (
	scriptKeys = strings.Fields(`enter enter enter esc esc tab shift+tab left right up down up down down space space pageUp pageDown
		home end backspace delete insert clear ctrl+c ctrl+v ctrl+v ctrl+alt+d ctrl+a ctrl+e ctrl+w ctrl+u ctrl+k ctrl+y alt+y ctrl+-
		alt+b alt+f alt+d alt+backspace ctrl+left alt+right shift+enter ctrl+j alt+enter ctrl+] ctrl+g f1 f12 shift+n shift+n super+x`)
	scriptTexts = []string{
		"1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "t", "t", "n", "n", "N", "?", "a", "b", "z", "@", "@", "/", ".", "\\", " ", `"`, "=",
		"世", "界", "한", "e\u0301", "\u0301", "👩‍🍳", "🏳️‍🌈", "\u05d0", "\t", "\x00", "\x1b", "\u202e", "\xff", "ab",
	}
	hostile = []string{
		"", "plain", "two\nlines", "資料庫 v2", "👩‍🍳 chef", "🏳️‍🌈", "e\u0301\u0301", "[red] [::b]bold[-]", "ok\x1b]52;c;ZXZpbA==\a", "\x1b[2J\x1b[?1003h",
		"\u202egnp.exe", "\u009b31m", "\u0634\u0627\u0645", "a\tb\tc", "\xff\xfe", "ﷺ", "1️⃣ 2️⃣", "\u200b\u200d\ufe0f", "𝒳\U000e0041", "a\r\nb\r", "\n\n\n",
		strings.Repeat("x", 300), strings.Repeat("wide世", 40), "📎 [paste #1 +12 lines]", "ကြွေး", "\u2028\u2029",
	}
	pastes = append(hostile[:len(hostile):len(hostile)], "a\r\n\tb\n\nc\r", "\x1b[201~1\r\r", strings.Repeat("line\n", 40), "/tmp/picture.png", "@main")
	found  = []files.Item{
		{Value: "a.go", Name: "a.go", Path: "a.go"}, {Value: "資料/", Name: "資料/", Path: "資料", Dir: true}, {Value: "with blank.txt", Name: "with blank.txt", Path: "with blank.txt"},
		{Value: strings.Repeat("deep/", 60) + "x", Name: "x", Path: strings.Repeat("deep/", 60) + "x"}, {Value: "b", Name: "b", Path: "b"}, {Value: "c", Name: "c", Path: "c"}, {Value: "d", Name: "d", Path: "d"},
	}
)

// failer is a test, of the testing package or of rapid.
type failer interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// script reads choices from bytes; at the end every choice is 0.
type script struct{ data []byte }

func (s *script) n(limit int) int {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return int(b) % limit
}

func (s *script) text() string { return hostile[s.n(len(hostile))] }

// form draws a payload: small ones mostly, now and then one with twenty
// questions or a thousand options.
func (s *script) form(t failer) ask.Form {
	p := ask.Payload{Title: s.text()}
	questions, options := 1+s.n(4), 1+s.n(5)
	switch s.n(24) {
	case 1:
		questions = 20
	case 2:
		questions, options = 1, 1000
	case 3:
		options = 15
	}
	yes := true
	for q := range questions {
		question := ask.Question{ID: fmt.Sprint("q", q), Label: s.text(), Prompt: "Q" + s.text(), Type: []ask.Type{ask.Single, ask.Multi, ask.Preview}[s.n(3)]}
		for o := range options {
			option := ask.Option{Value: fmt.Sprint("v", o), Label: fmt.Sprint(o, s.text()), Description: s.text()}
			if question.Type == ask.Preview {
				option.Preview = "p" + s.text() + "\n" + strings.Repeat("  line\tof the preview\n", s.n(40))
			}
			if s.n(3) == 1 {
				option.Recommended = &yes
			}
			question.Options = append(question.Options, option)
		}
		p.Questions = append(p.Questions, question)
	}
	f, err := ask.Normalize(p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// player plays a script on one form after the other and checks what must hold
// after every event.
type player struct {
	t      failer
	schema *jsonschema.Resolved
	form   ask.Form
	opt    ui.Options
	state  *ui.State
	now    time.Duration
	width  int
	rows   int

	scrolled bool // the user paged away from the focus
	asked    []ui.Effect
	history  []played // of this form
	marks    []uint64 // what each event led to
	events   int

	grid   paint.Grid
	widths map[string]int
	seed   maphash.Seed
}

// played is one message and its time.
type played struct {
	at  time.Duration
	msg ui.Msg
}

func newPlayer(t failer, schema *jsonschema.Resolved) *player {
	return &player{t: t, schema: schema, widths: map[string]int{}, seed: maphash.MakeSeed()}
}

// outputSchema is what every result is held against.
func outputSchema(t failer) *jsonschema.Resolved {
	var s jsonschema.Schema
	if err := json.Unmarshal(ask.OutputSchema(), &s); err != nil {
		t.Fatal(err)
	}
	schema, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// play plays a whole script.
func (p *player) play(data []byte) {
	s := &script{data}
	p.form = s.form(p.t)
	p.opt = ui.Options{
		Settings: settings.Default(), PasteImageKeys: []settings.Key{"ctrl+v"}, PasteImageLabels: []string{"ctrl+v"}, EditKey: "ctrl+g",
		SettingsPath: "/data/" + s.text(), Brackets: s.n(2) == 1,
	}
	if s.n(4) == 1 {
		p.opt.Quiet, p.opt.Max = 300*time.Millisecond, time.Second
	}
	if s.n(6) == 1 {
		p.opt.Notices = []settings.Notice{{Kind: "invalid", Text: "The settings file is invalid: " + s.text()}}
	}
	p.width, p.rows = 60, 20
	p.open()
	for len(s.data) > 0 {
		p.send(p.next(s))
		if p.state.Ended() {
			p.finish()
			p.open()
		}
	}
	p.finish()
}

func (p *player) open() {
	p.now, p.asked, p.history, p.marks, p.scrolled = 0, nil, nil, nil, false
	p.state = ui.New(p.form, p.opt)
	p.send(ui.Resize{Width: p.width, Rows: p.rows})
	p.send(ui.Shown{})
}

// next draws an event.
func (p *player) next(s *script) ui.Msg {
	switch k := s.n(64); {
	case k < 26:
		return ui.Key{ID: scriptKeys[s.n(len(scriptKeys))]}
	case k < 46:
		text := scriptTexts[s.n(len(scriptTexts))]
		if len(text) == 1 && text[0] > ' ' {
			return ui.Key{ID: text, Text: text}
		}
		return ui.Key{Text: text}
	case k < 48:
		return ui.Paste{Text: pastes[s.n(len(pastes))]}
	case k < 50:
		return ui.Resize{Width: s.n(201), Rows: s.n(61)}
	case k < 52:
		return ui.Resize{Width: 20 + s.n(40), Rows: 6 + s.n(10)}
	case k < 56:
		return p.outcome(s)
	case k == 56:
		return ui.Click{X: s.n(100) - 1, Y: s.n(30) - 1}
	case k == 57:
		return ui.Wheel{Up: s.n(2) == 1}
	case k == 58:
		return ui.Settings{Settings: p.toggled(s), Notices: p.opt.Notices[:min(len(p.opt.Notices), s.n(2))]}
	case k == 59:
		p.now += time.Duration(s.n(256)) * 10 * time.Millisecond
		return ui.Tick{}
	case k == 60 && s.n(8) == 1:
		return ui.Mounted{}
	case k == 61:
		return ui.Shown{}
	case k == 62 && s.n(16) == 1:
		return ui.Abort{}
	case k == 63 && s.n(8) == 1:
		return ui.OpenSettings{}
	}
	return p.held()
}

// held is the key that was pressed last, again.
func (p *player) held() ui.Msg {
	for _, h := range slices.Backward(p.history) {
		if k, ok := h.msg.(ui.Key); ok {
			k.Repeat = true
			return k
		}
	}
	return ui.Tick{}
}

func (p *player) toggled(s *script) settings.Settings {
	names := []settings.Setting{settings.AutoSubmit, settings.ConfirmDismissWhenDirty, settings.DoublePressReviewShortcuts, settings.ShowFooterHints, settings.PresentSingleAsMulti}
	now := p.state.Settings()
	name := names[s.n(len(names))]
	return now.With(name, !now.Get(name))
}

// outcome answers one of the last effects, which may have come long ago, and
// which may be answered again.
func (p *player) outcome(s *script) ui.Msg {
	if len(p.asked) == 0 {
		return ui.Tick{}
	}
	e := p.asked[len(p.asked)-1-s.n(min(len(p.asked), 4))]
	switch e := e.(type) {
	case ui.ReadClipboard:
		errs := []error{nil, nil, clipboard.ErrEmpty, clipboard.ErrFormat, clipboard.ErrUnavailable, fmt.Errorf("other")}
		return ui.ClipboardRead{Token: e.Token, Images: []ask.Image{{ID: fmt.Sprint("i", p.events), MimeType: "image/png", Data: "AA=="}}, Err: errs[s.n(len(errs))]}
	case ui.FindFiles:
		return ui.FilesFound{Token: e.Token, Items: found[:s.n(len(found)+1)]}
	case ui.EditDraft:
		var err error
		if s.n(3) == 0 {
			err = errors.New(s.text())
		}
		return ui.Edited{Token: e.Token, Text: s.text(), Err: err}
	case ui.SaveSetting:
		now := p.state.Settings()
		if s.n(2) == 1 {
			now = now.With(e.Name, e.Value)
		}
		return ui.Saved{Settings: now}
	case ui.ResetSettings:
		return ui.Saved{Settings: settings.Default()}
	}
	return ui.Tick{}
}

// fail ends the test with the last messages.
func (p *player) fail(format string, args ...any) {
	var last strings.Builder
	for _, m := range p.history[max(0, len(p.history)-12):] {
		fmt.Fprintf(&last, "%T%.60v\n", m.msg, m.msg)
	}
	p.t.Fatalf(format+"\nafter\n%s%s", append(args, last.String(), p.answers())...)
}

// send lets a message happen and checks everything.
func (p *player) send(m ui.Msg) {
	p.events++
	p.now += time.Millisecond
	before, plain := p.before(m), p.plain()
	if r, ok := m.(ui.Resize); ok {
		p.width, p.rows = r.Width, r.Rows
	}
	fx := p.state.Apply(p.now, m)
	for _, e := range fx {
		switch e.(type) {
		case ui.Wake, ui.Completed:
		default:
			p.asked = append(p.asked, e)
		}
	}
	p.asked = p.asked[max(0, len(p.asked)-8):]
	p.history = append(p.history, played{p.now, m})
	p.marks = append(p.marks, p.mark(p.state, fx))
	p.follow(m, plain)
	p.after(m, before)
	if !p.state.Ended() {
		p.checkFrame()
	}
}

// plain reports whether keys go to the tab: neither to an editor nor to the
// settings.
func (p *player) plain() bool {
	_, _, open := p.state.Editing()
	return !open && p.state.Overlay() == nil && p.state.Ready()
}

// follow keeps track of whether the focus has to be in view: every command but
// paging brings it back.
func (p *player) follow(m ui.Msg, plain bool) {
	switch m := m.(type) {
	case ui.Wheel:
		p.scrolled = true
	case ui.Key:
		switch m.ID {
		case "pageUp", "pageDown":
			p.scrolled = true
		case "tab", "up", "down":
			p.scrolled = p.scrolled && !plain
		case "space", "enter", "esc", "ctrl+c", "?", "shift+n":
			p.scrolled = p.scrolled && (m.Repeat || !plain)
		}
	}
}

// before notes what an event must not change.
func (p *player) before(m ui.Msg) string {
	switch m.(type) {
	case ui.Resize, ui.Wheel, ui.Shown, ui.Mounted, ui.FilesFound:
		return p.answers()
	case ui.ClipboardRead:
		if _, _, open := p.state.Editing(); !open {
			return p.answers()
		}
	}
	return ""
}

func (p *player) after(m ui.Msg, before string) {
	if before == "" || p.state.Ended() {
		return
	}
	if _, ok := m.(ui.FilesFound); ok && strings.Contains(before, "editing true") {
		return // one plain path is taken at once
	}
	if now := p.answers(); now != before {
		p.fail("%T changed the answers\nfrom %s\nto   %s", m, before, now)
	}
}

// answers is everything the user has entered, and where.
func (p *player) answers() string {
	q, text, open := p.state.Editing()
	raw, err := p.state.Drafts().MarshalJSON()
	if err != nil {
		p.t.Fatal(err)
	}
	return fmt.Sprintf("tab %d option %d action %d view %v editing %v %d %q\n%s", p.state.Tab(), p.state.Option(), p.state.Action(), p.state.View(), open, q, text, raw)
}

// mark is a fingerprint of the frame and the effects.
func (p *player) mark(s *ui.State, fx []ui.Effect) uint64 {
	var h maphash.Hash
	h.SetSeed(p.seed)
	f := s.Frame()
	for _, row := range f.Rows {
		for i := range row {
			_, _ = h.WriteString(row[i].Text)
			_, _ = h.WriteString(string(row[i].Style.Fg))
		}
		_ = h.WriteByte('\n')
	}
	_ = h.WriteByte(byte(f.CursorRow))
	_ = h.WriteByte(byte(f.CursorCol))
	for _, e := range fx {
		fmt.Fprintf(&h, "%T%v", e, e)
	}
	return h.Sum64()
}

// finish checks the outcome and plays everything a second time: the same
// messages must lead to the same frames, effects and result.
func (p *player) finish() {
	result := p.state.Result()
	raw, err := ask.Marshal(result)
	if err != nil {
		p.t.Fatal(err)
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		p.t.Fatal(err)
	}
	if err := p.schema.Validate(plain); err != nil {
		p.fail("the result is not legal: %v\n%s", err, raw)
	}
	_, _ = result.AgentText(), result.Transcript()
	again := ui.New(p.form, p.opt)
	for i, m := range p.history {
		fx := again.Apply(m.at, m.msg)
		if p.mark(again, fx) != p.marks[i] {
			p.fail("message %d (%T) led to something else the second time", i, m.msg)
		}
	}
	if raw2, _ := ask.Marshal(again.Result()); !bytes.Equal(raw, raw2) {
		p.fail("the result differs the second time\n%s\n%s", raw, raw2)
	}
	if p.state.Ended() && len(p.state.Apply(p.now, ui.Key{ID: "enter"})) > 0 {
		p.t.Fatal("a form that has ended still acts")
	}
}

// checkFrame holds the picture to the rules of the screen.
func (p *player) checkFrame() {
	if p.width <= 0 || p.rows <= 0 {
		return
	}
	f := p.state.Frame()
	if len(f.Rows) > p.rows {
		p.fail("%d lines on %d rows", len(f.Rows), p.rows)
	}
	if f.Width != p.width {
		p.fail("the frame is %d wide, not %d", f.Width, p.width)
	}
	for i, row := range f.Rows {
		if n := p.rowWidth(row); n > max(p.width, 20) {
			p.fail("line %d is %d columns wide, not %d: %q", i, n, p.width, rowText(row))
		}
	}
	if p.width < 20 {
		p.grid.Fill(f, nil)
		for i, line := range p.grid.Text() {
			if n := p.lineWidth(line); n > p.width {
				p.fail("line %d is %d columns wide, not %d: %q", i, n, p.width, line)
			}
		}
		return
	}
	if p.rows >= 6 && p.state.Overlay() == nil {
		p.checkLandmarks(f)
	}
}

// checkLandmarks looks for what must always be in view.
func (p *player) checkLandmarks(f paint.Frame) {
	hint, pointer := p.firstHint(), "❯ "
	if !p.state.Ready() {
		pointer = "· "
	}
	var tabs, focus, hints bool
	for _, row := range f.Rows {
		if len(row) == 0 {
			continue
		}
		switch first := row[0].Text; {
		case first == " ← ":
			tabs = row[len(row)-1].Text == " →"
		case first == pointer:
			focus = true
		case strings.HasPrefix(first, hint):
			hints = true
		}
	}
	if _, _, open := p.state.Editing(); open {
		focus = f.CursorRow >= 0 && f.CursorRow < len(f.Rows) && f.CursorCol >= 0 && f.CursorCol < p.width
	}
	if !tabs || !hints && p.state.FooterHints() || !focus && !p.scrolled {
		p.fail("at %dx%d: tabs %v, focus %v, hints %v (%q)\n%s", p.width, p.rows, tabs, focus, hints, hint, frameText(f))
	}
}

func (p *player) firstHint() string {
	switch p.state.View() {
	case ui.Review:
		return " 1..3 actions"
	case ui.AnswerEditor:
		return " Enter submit"
	case ui.QuestionNoteEditor, ui.OptionNoteEditor:
		return " Enter save"
	}
	if p.state.Drafts().Form().Questions[p.state.Tab()].Shown() == ask.Multi {
		return " Space toggle"
	}
	return " T question type"
}

func (p *player) rowWidth(row paint.Row) int { return p.lineWidth(rowText(row)) }

// lineWidth is the larger of two measures.
func (p *player) lineWidth(line string) int {
	if n, ok := p.widths[line]; ok {
		return n
	}
	n := max(display.WidthFunc(nil).Width(line), uniseg.StringWidth(line))
	if len(p.widths) > 20_000 {
		clear(p.widths)
	}
	p.widths[line] = n
	return n
}

func rowText(row paint.Row) string {
	if len(row) == 1 {
		return row[0].Text
	}
	var b strings.Builder
	for i := range row {
		b.WriteString(row[i].Text)
	}
	return b.String()
}

func frameText(f paint.Frame) string {
	var b strings.Builder
	for _, row := range f.Rows {
		b.WriteString(rowText(row) + "\n")
	}
	return b.String()
}
