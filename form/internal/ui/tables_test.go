package ui_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/clipboard"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/files"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/ui"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// kinds has one question of each kind, each with the options A and B.
const kinds = `{"questions":[
	{"id":"s","label":"S","prompt":"Single?","options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]},
	{"id":"m","label":"M","type":"multi","prompt":"Multi?","options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]},
	{"id":"p","label":"P","type":"preview","prompt":"Preview?","options":[{"value":"a","label":"A","preview":"1"},{"value":"b","label":"B","preview":"2"}]}]}`

// where says in short where the form stands: tab and row or action, the editor
// with its text, the end, and the answers.
func (h *host) where() string {
	s, f := h.state, h.state.Drafts().Form()
	out := "review " + ui.ReviewActions[s.Action()]
	if s.Tab() < len(f.Questions) {
		out = fmt.Sprint(f.Questions[s.Tab()].ID, s.Option()+1)
	}
	if _, text, open := s.Editing(); open {
		out += fmt.Sprintf(" %v %q", s.View(), text)
	}
	if s.Overlay() != nil {
		out += " settings"
	}
	if s.Ended() {
		out = "ended " + string(s.Result().Mode)
		if s.Result().Cancelled {
			out = "cancelled"
		}
	}
	for i, q := range f.Questions {
		d := s.Drafts().At(i)
		if d == nil {
			continue
		}
		out += " | " + q.ID + ":"
		for _, o := range d.Selected {
			out += " " + o.Value
		}
		if d.CustomText != "" || len(d.CustomImages) > 0 {
			own := fmt.Sprintf("%q%s", d.CustomText, ask.ImageMarker(d.CustomImages))
			if !d.CustomSelected {
				own = "(" + own + ")"
			}
			out += " " + own
		}
		if d.Note != "" || len(d.NoteImages) > 0 {
			out += fmt.Sprintf(" note %q%s", d.Note, ask.ImageMarker(d.NoteImages))
		}
		for _, n := range d.OptionNotes {
			out += fmt.Sprintf(" note on %s %q%s", n.Value, n.Text, ask.ImageMarker(n.Images))
		}
	}
	return out
}

// row is one line of a key table: what is pressed, and where that leads.
type row struct{ name, keys, want string }

// play plays keys that are set apart by blanks; in a text, _ is a blank.
func play(h *host, keys string) *host {
	for _, k := range strings.Fields(keys) {
		if strings.HasPrefix(k, "text:") {
			k = strings.ReplaceAll(k, "_", " ")
		}
		h.step(k)
	}
	return h
}

func runRows(t *testing.T, payload string, opt func() ui.Options, rows []row) {
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			h := play(open(t, payload, opt()), r.keys)
			if got := h.where(); got != r.want {
				t.Errorf("%s\nleads to %s\nnot      %s\n%s", r.keys, got, r.want, strings.Join(h.text(), "\n"))
			}
		})
	}
}

func defaults() ui.Options { return ui.Options{} }

func TestKeysOnAQuestion(t *testing.T) {
	runRows(t, kinds, defaults, []row{
		{"Up on the first row stays", "up", "s1"},
		{"Down goes on", "down", "s2"},
		{"Down onto the free-text row opens its editor", "down down", `s3 answerEditor ""`},
		{"Up from the empty editor goes back", "down down up", "s2"},
		{"Down in the empty editor stays, and the row opens again", "down down down", `s3 answerEditor ""`},
		{"moving onto a row that holds text opens nothing", "3 text:x esc up down", `s3 | s: "x"`},
		{"Tab goes to the next tab", "down tab", "m1"},
		{"Right does too", "right", "m1"},
		{"Shift+Tab wraps to Review", "shift+tab", "review Submit"},
		{"Left wraps to Review", "left", "review Submit"},
		{"Tab wraps from Review to the first question", "left tab", "s1"},
		{"a tab change puts Review back on Submit", "left down tab left", "review Submit"},
		{"Enter on single selects and goes on", "down enter", "m1 | s: b"},
		{"Enter on multi only goes on", "tab down enter", "p1"},
		{"Enter on preview selects and goes on", "tab tab enter", "review Submit | p: a"},
		{"Enter on the free-text row opens its editor", "3 esc enter", `s3 answerEditor ""`},
		{"Enter on a free-text row with text opens it", "3 text:x esc enter", `s3 answerEditor "x" | s: "x"`},
		{"Space on single selects and stays", "space", "s1 | s: a"},
		{"Space on the selected row clears", "space space", "s1"},
		{"Space on another row replaces", "space down space", "s2 | s: b"},
		{"Space on multi toggles and stays", "tab space down space", "m2 | m: a b"},
		{"Space again on multi takes it back", "tab space space", "m1"},
		{"Space on preview selects and stays", "tab tab space", "p1 | p: a"},
		{"Space on an empty free-text row opens it", "3 esc space", `s3 answerEditor ""`},
		{"Space on single with text opens it", "3 text:x esc space", `s3 answerEditor "x" | s: "x"`},
		{"Space on multi with text switches it off", "tab 3 text:x enter space", `m3 | m: ("x")`},
		{"Space on multi with text switches it on again", "tab 3 text:x enter space space", `m3 | m: "x"`},
		{"a digit on single selects and goes on", "2", "m1 | s: b"},
		{"a digit on multi moves there and toggles", "tab 2", "m2 | m: b"},
		{"a digit on preview selects and goes on", "tab tab 2", "review Submit | p: b"},
		{"the digit of an empty free-text row opens it", "3", `s3 answerEditor ""`},
		{"the digit of a filled one on single opens it", "3 text:x esc up 3", `s3 answerEditor "x" | s: "x"`},
		{"the digit of a filled one on multi switches it", "tab 3 text:x enter up 3", `m3 | m: ("x")`},
		{"a digit without a row does nothing", "4", "s1"},
		{"zero is no digit", "0", "s1"},
		{"n opens the row's note", "down n", `s2 optionNoteEditor ""`},
		{"n on the free-text row does nothing", "3 text:x esc n", `s3 | s: "x"`},
		{"Shift+N opens the question's note", "down shift+n", `s2 questionNoteEditor ""`},
		{"a capital N does too", "N", `s1 questionNoteEditor ""`},
		{"Shift+N works on the free-text row", "3 text:x esc shift+n", `s3 questionNoteEditor "" | s: "x"`},
		{"Esc leaves a clean form", "esc", "cancelled"},
		{"Ctrl+C leaves a clean form", "ctrl+c", "cancelled"},
		{"? opens the settings", "?", "s1 settings"},
		{"Esc closes the settings only", "? esc", "s1"},
		{"letters do nothing", "a z x N esc", "s1"},
	})
}

func TestKeysOnReview(t *testing.T) {
	rows := []row{
		{"Down moves and stops", "left down down down", "review Cancel"},
		{"Up stops at Submit", "left down up up", "review Submit"},
		{"Tab wraps", "left tab", "s1"},
		{"Shift+Tab goes back", "left shift+tab", "p1"},
		{"Enter submits, even with nothing answered", "left enter", "ended submit"},
		{"Enter elaborates", "left down enter", "ended elaborate"},
		{"Enter on Cancel leaves without asking", "1 left left down down enter", "cancelled | s: a"},
		{"one digit only highlights", "left 2", "review Elaborate"},
		{"the same digit again runs", "left 2 2", "ended elaborate"},
		{"another digit starts anew", "left 1 2", "review Elaborate"},
		{"and runs with its own second press", "left 1 2 2", "ended elaborate"},
		{"there is no time limit", "left 1 wait:600000 1", "ended submit"},
		{"n and Shift+N do nothing", "left n shift+n", "review Submit"},
		{"Esc asks first when there are answers", "1 left left esc", "review Submit | s: a"},
		{"Esc twice leaves", "1 left left esc esc", "cancelled | s: a"},
	}
	for _, key := range []string{"4", "9", "space", "t", "n", "shift+n", "up", "down"} {
		rows = append(rows, row{key + " disarms", "1 left left 1 " + key + " up 1", "review Submit | s: a"})
	}
	rows = append(rows, row{"? disarms", "left 1 ? esc 1", "review Submit"})
	runRows(t, kinds, defaults, rows)

	single := func() ui.Options {
		s := settings.Default()
		s.Behaviour.DoublePressReviewShortcuts = false
		return ui.Options{Settings: s}
	}
	runRows(t, kinds, single, []row{
		{"one press submits", "left 1", "ended submit"},
		{"one press elaborates", "left 2", "ended elaborate"},
		{"one press cancels", "1 left left 3", "cancelled | s: a"},
		{"4 does nothing", "left 4", "review Submit"},
	})
	open(t, kinds).steps("left", "1").has("1 again: Submit").steps("1").ended(true)
	h := open(t, kinds).steps("left", "1")
	off := settings.Default()
	off.Behaviour.DoublePressReviewShortcuts = false
	h.apply(ui.Settings{Settings: off})
	h.apply(ui.Settings{Settings: settings.Default()})
	h.steps("1").ended(false) // switching it off disarmed
}

func TestKeysInEditors(t *testing.T) {
	runRows(t, kinds, defaults, []row{
		{"Enter on single saves and goes on", "3 text:x enter", `m1 | s: "x"`},
		{"Enter on multi saves, ticks and stays", "tab 3 text:x enter", `m3 | m: "x"`},
		{"Enter on preview saves and goes on", "tab tab 3 text:x enter", `review Submit | p: "x"`},
		{"Enter on blank text stays, the row opens again", "3 text:__ enter", `s3 answerEditor ""`},
		{"Enter saves a note and stays", "n text:x enter", `s1 | s: note on a "x"`},
		{"Enter on a blank note deletes it", "n text:x enter n backspace text:_ enter", "s1"},
		{"Esc saves and stays", "3 text:x esc", `s3 | s: "x"`},
		{"Esc on nothing leaves the row closed", "3 esc", "s3"},
		{"until the next command", "3 esc z up down", `s3 answerEditor ""`},
		{"an unbound key is no command", "3 esc z", "s3"},
		{"Esc saves a note", "shift+n text:x esc", `s1 | s: note "x"`},
		{"blanks around are trimmed", "3 text:__x__y_ shift+enter enter", `m1 | s: "x  y"`},
		{"Tab in the empty editor", "3 tab", "m1"},
		{"Right in the empty editor", "3 right", "m1"},
		{"Shift+Tab in the empty editor", "3 shift+tab", "review Submit"},
		{"Left in the empty editor", "3 left", "review Submit"},
		{"Up in the empty editor", "3 up", "s2"},
		{"Up in the empty note", "down shift+n up", "s1"},
		{"Tab in the empty note", "n tab", "m1"},
		{"arrows in a text move in it", "3 text:ac left text:b enter", `m1 | s: "abc"`},
		{"Tab in a text completes", "3 text:a tab", `s3 answerEditor "a"`},
		{"Ctrl+C asks with a text, and keeps it open", "3 text:x ctrl+c", `s3 answerEditor "x"`},
		{"Ctrl+C twice drops the open text", "3 text:x ctrl+c ctrl+c", "cancelled"},
		{"Ctrl+C in an empty editor leaves", "3 ctrl+c", "cancelled"},
		{"? in an empty editor opens the settings", "3 ?", `s3 answerEditor "" settings`},
		{"? after a letter is text", "3 text:x ?", `s3 answerEditor "x?"`},
		{"a backslash before Enter breaks the line", `3 text:x\ enter text:y enter`, `m1 | s: "x\ny"`},
		{"Ctrl+J and Alt+Enter break the line", "3 text:x ctrl+j text:y alt+enter text:z esc", `s3 | s: "x\ny\nz"`},
		{"an image is stored at once", "3 clipboard:i ctrl+v", `s3 answerEditor "" | s: (""[1 image])`},
		{"an image alone is an answer", "3 clipboard:i ctrl+v enter", `m1 | s: ""[1 image]`},
		{"Ctrl+Alt+D takes the last image away", "3 clipboard:i ctrl+v ctrl+v ctrl+alt+d enter", `m1 | s: ""[1 image]`},
		{"an image on a note", "shift+n clipboard:i ctrl+v enter", `s1 | s: note ""[1 image]`},
		{"an image on an option's note", "n clipboard:i ctrl+v text:x enter", `s1 | s: note on a "x"[1 image]`},
		{"an image answer on multi switches off and on", "tab 3 clipboard:i ctrl+v enter space", `m3 | m: (""[1 image])`},
	})
	moved := func() ui.Options {
		s := withKeys(settings.Default(), map[string]any{"editor": map[string]any{"submit": "ctrl+s"}, "noteEditor": map[string]any{"save": "ctrl+s"}})
		return ui.Options{Settings: s}
	}
	runRows(t, kinds, moved, []row{
		{"another submit key", "3 text:x ctrl+s", `m1 | s: "x"`},
		{"Enter then does nothing", "3 text:x enter text:y ctrl+s", `m1 | s: "xy"`},
		{"another save key", "n text:x ctrl+s", `s1 | s: note on a "x"`},
	})
}

func TestTypeChange(t *testing.T) {
	runRows(t, kinds, defaults, []row{
		{"single to multi keeps the answer", "space t", "s1 | s: a"},
		{"two picks ask first", "tab 1 2 t", "m2 | m: a b"},
		{"the second press clears the picks", "tab 1 2 t t", "m2"},
		{"free text stays and is ticked", `tab 1 3 text:x enter t t`, `m3 | m: "x"`},
		{"notes stay", "tab n text:x enter 1 2 t t", `m2 | m: note on a "x"`},
		{"free text that is off does not count", "tab 1 3 text:x enter space t", `m3 | m: a ("x")`},
	})
	for _, key := range []string{"tab", "down", "space", "1", "n", "shift+n", "?", "esc", "ctrl+c", "enter"} {
		h := open(t, kinds).steps("tab", "1", "2", "t").has("Press the type key again")
		h.steps(key)
		if key != "?" { // the settings stand in front of it
			h.lacks("Press the type key again")
		}
		for _, n := range h.state.Notices() {
			if n.Kind == "typeConfirm" {
				t.Errorf("%s leaves the question waiting", key)
			}
		}
	}
	h := open(t, kinds).steps("t").has("Now shown as multi (was single).").steps("t").has("Now shown as single (was multi).")
	h.steps("space").has("Now shown as").steps("tab").lacks("Now shown as")
	h = open(t, kinds).steps("tab", "tab", "t").has("Now shown as multi (was preview).").lacks("┌").steps("t").has("┌")
	if q := h.state.Result().Questions[2]; q.PresentedType != "" {
		t.Errorf("the presented type is %s", q.PresentedType)
	}
}

func TestTheDirtyGuard(t *testing.T) {
	runRows(t, kinds, defaults, []row{
		{"cancel, dismiss, cancel, dismiss never ends", "space esc ctrl+c esc ctrl+c esc ctrl+c", "s1 | s: a"},
		{"row moves keep it armed", "space esc down esc", "cancelled | s: a"},
		{"toggles keep it armed", "space esc down space esc", "cancelled | s: b"},
		{"notes keep it armed", "space esc n text:x enter esc", `cancelled | s: a note on a "x"`},
		{"type changes keep it armed", "space esc t esc", "cancelled | s: a"},
		{"a tab change disarms", "space esc tab esc", "m1 | s: a"},
		{"Enter to the next tab disarms", "space esc enter esc", "m1 | s: a"},
		{"the empty editor's Tab disarms", "tab 1 esc 3 tab esc", "p1 | m: a"},
		{"Esc in an editor is no second press", "space esc n text:x esc", `s1 | s: a note on a "x"`},
		{"an emptied draft is not dirty", "space space esc", "cancelled"},
	})
	h := open(t, kinds).steps("space", "esc")
	off := settings.Default()
	off.Behaviour.ConfirmDismissWhenDirty = false
	h.apply(ui.Settings{Settings: off})
	h.steps("ctrl+c").ended(true)
	h = open(t, kinds).steps("3", "text:x")
	h.apply(ui.Abort{})
	if h.ended(true); !h.state.Interrupted() || h.state.StopAgent() || h.where() != "cancelled" {
		t.Errorf("an abort: %s", h.where())
	}
}

func TestAutoSubmit(t *testing.T) {
	auto := func() ui.Options {
		s := settings.Default()
		s.Behaviour.AutoSubmitWhenAnsweredWithoutNotes = true
		return ui.Options{Settings: s}
	}
	runRows(t, kinds, auto, []row{
		{"the last digit completes", "1 1 tab 1", "ended submit | s: a | m: a | p: a"},
		{"moving to Review completes", "tab 1 tab space left left space left", "ended submit | s: a | m: a | p: a"},
		{"a note keeps it open", "1 1 n text:x enter tab 1", `review Submit | s: a | m: a note on a "x" | p: a`},
		{"something unanswered keeps it open", "1 tab 1", "review Submit | s: a | p: a"},
		{"the editor's Enter completes", "1 1 tab 3 text:x enter", `ended submit | s: a | m: a | p: "x"`},
	})
	h := open(t, kinds).steps("1", "1", "tab", "1").ended(false)
	h.apply(ui.Settings{Settings: auto().Settings})
	if h.ended(true); h.completed != 1 {
		t.Errorf("told %d times", h.completed)
	}
	h.steps("3", "3").ended(true)
	if h.state.Result().Cancelled {
		t.Error("a late key changed the end")
	}
	open(t, kinds).steps("1", "1", "tab", "space").apply(ui.Settings{Settings: auto().Settings})
}

func TestTheTypeAheadGuard(t *testing.T) {
	guarded := func() ui.Options { return ui.Options{Quiet: 300 * time.Millisecond, Max: time.Second} }
	for _, c := range []struct {
		name, keys string
		ready      bool
	}{
		{"at once", "", false},
		{"just before the gap ends", "wait:299", false},
		{"a key exactly at the end of the gap", "wait:300 2", true},
		{"each press starts the gap anew", "wait:200 1 wait:200", false},
		{"so does a paste", "wait:200 paste:x wait:200", false},
		{"a second at the latest", "wait:250 1 wait:250 1 wait:250 1 wait:250", true},
		{"Ctrl+C is dropped too", "ctrl+c wait:299", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := play(open(t, kinds, guarded()), c.keys).ended(false)
			if h.state.Ready() != c.ready {
				t.Errorf("ready: %v", h.state.Ready())
			}
		})
	}
	h := play(open(t, kinds, guarded()), "wait:300 1")
	h.values("s", "a").has("❯ 1.")
	h.apply(ui.Mounted{})
	h.steps("esc", "ctrl+c").ended(false).has("· 1.")
	h.apply(ui.Shown{})
	h.steps("wait:300", "1").values("m", "a")
	if open(t, kinds).state.Ready() != true {
		t.Error("without a guard a form is ready at once")
	}
}

func TestClipboardNotices(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{clipboard.ErrEmpty, "The clipboard holds no image."},
		{clipboard.ErrFormat, "The clipboard image is in a format that cannot be read."},
		{clipboard.ErrUnavailable, "No way to read images from the clipboard"},
		{errors.New("other"), "No way to read images from the clipboard"},
		{fmt.Errorf("wl-paste: %w", clipboard.ErrEmpty), "The clipboard holds no image."},
	} {
		h := open(t, kinds)
		h.hold = true
		h.steps("3", "text:kept", "ctrl+v").has("Reading the clipboard…").steps("ctrl+v")
		if len(h.effects) != 1 {
			t.Fatalf("two reads at once: %v", h.effects)
		}
		read := h.effects[0].(ui.ReadClipboard)
		h.apply(ui.ClipboardRead{Token: read.Token, Err: c.err})
		h.has(c.want, "kept").lacks("Reading the clipboard").steps("esc").lacks(c.want)
	}
}

func TestALateImageIsDropped(t *testing.T) {
	image := []ask.Image{{ID: "i", MimeType: "image/png", Data: "AA=="}}
	for name, keys := range map[string]string{
		"the editor was closed":            "esc",
		"the same editor was opened again": "esc enter",
		"another editor is open":           "esc shift+n",
		"the form has ended":               "ctrl+c ctrl+c",
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, kinds)
			h.hold = true
			h.steps("3", "text:x", "ctrl+v")
			read := h.effects[0].(ui.ReadClipboard)
			play(h, keys)
			before := h.where()
			h.apply(ui.ClipboardRead{Token: read.Token, Images: image})
			if h.where() != before || len(h.state.Notices()) > 0 && !h.state.Ended() {
				t.Errorf("%s became %s", before, h.where())
			}
		})
	}
}

func TestTheFileListKeys(t *testing.T) {
	list := []files.Item{{Value: "main.go", Name: "main.go", Path: "main.go"}, {Value: "my dir/", Name: "my dir/", Path: "my dir", Dir: true}}
	for _, c := range []row{
		{"Tab takes the first", "text:@m tab", `s3 answerEditor "@main.go "`},
		{"Enter takes it and does not submit", "text:@m enter", `s3 answerEditor "@main.go "`},
		{"Down and Enter take the second, quoted, without a blank", "text:@m down enter", `s3 answerEditor "@\"my dir/\""`},
		{"Up wraps", "text:@m up tab", `s3 answerEditor "@\"my dir/\""`},
		{"Esc closes the list only", "text:@m esc", `s3 answerEditor "@m"`},
		{"and it stays closed in this token", "text:@m esc text:a", `s3 answerEditor "@ma"`},
		{"a letter before @ opens nothing", "text:a@m enter", `m1 | s: "a@m"`},
		{"in a note as well", "esc up n text:@m tab", `s2 optionNoteEditor "@main.go "`},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := open(t, kinds)
			h.items = list
			if got := play(h, "3 "+c.keys).where(); got != c.want {
				t.Errorf("leads to %s, not %s", got, c.want)
			}
		})
	}
	many := make([]files.Item, 20)
	for i := range many {
		many[i] = files.Item{Value: fmt.Sprint("f", i), Name: fmt.Sprint("f", i), Path: fmt.Sprint("f", i)}
	}
	h := open(t, kinds)
	h.items = many
	h.steps("3", "text:@f").has("(1/20)", "→ f0").steps("down").has("(2/20)", "→ f1").steps("up", "up").has("(20/20)", "→ f19")
}

func TestHintsNameTheUsersKeys(t *testing.T) {
	keys := withKeys(settings.Default(), map[string]any{
		"global":        map[string]any{"settings": []string{"f1", "ctrl+o"}, "dismiss": "ctrl+q"},
		"main":          map[string]any{"toggle": "pageDown", "confirm": "right", "nextTab": "tab", "cancel": "alt+x", "changeQuestionType": "ctrl+t", "optionNote": "x", "questionNote": "shift+x"},
		"editor":        map[string]any{"submit": "ctrl+s", "close": []string{"esc", "f4"}},
		"noteEditor":    map[string]any{"save": "ctrl+s", "close": "f4"},
		"settingsModal": map[string]any{"toggle": "x", "close": "q"},
	})
	h := open(t, kinds, ui.Options{Settings: keys})
	h.resize(140, 40)
	h.has("Ctrl+T question type · → confirm · X/Shift+X note · Alt+X dismiss · F1 / Ctrl+O settings")
	h.steps("tab").has("pageDown toggle · Ctrl+T question type · → continue").steps("pageDown").values("m", "a")
	h.steps("x").has("Ctrl+S save · F4 close").steps("f4", "3").has("Ctrl+S submit · Esc / F4 close").steps("f4")
	h.steps("f1").has("X to change · Q to close").steps("q").lacks("to change")
	h.steps("left", "left").has("1..3 actions · → confirm · Alt+X cancel")
}

func TestHintsCanBeSwitchedOff(t *testing.T) {
	off := settings.Default()
	off.Behaviour.ShowFooterHints = false
	h := open(t, kinds, ui.Options{Settings: off}).lacks("question type").steps("3")
	h.has("ctrl+v: attach image").lacks("Enter submit")
	h = open(t, kinds, ui.Options{Settings: off, PasteImageLabels: []string{}, PasteImageKeys: []settings.Key{}}).steps("3")
	h.has("Paste image: attach image")
}

func TestWithoutColourNothingIsLost(t *testing.T) {
	h := open(t, kinds, ui.Options{Brackets: true})
	h.theme.NoColor = true
	h.has("[☐ S]").steps("space").has("[☒ S]", "❯ 1. (•) A", "2. ( ) B").steps("tab", "1").has(" ☒ S ", "[☒ M]", "❯ 1. [x] A", "2. [ ] B")
	for _, l := range h.ansi() {
		if strings.Contains(l, "\x1b[3") || strings.Contains(l, "\x1b[4") {
			t.Errorf("colour: %q", l)
		}
	}
}

func TestTheTabStrip(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"", " ←  ☐ Q1   ☐ Q2   ☐ Q3  →"},
		{"tab", " ←  ☐ Q1   ☐ Q2   ☐ Q3  →"},
		{"tab tab tab", " ←  ☐ Q3   ☐ Q4   ☐ Q5  →"},
		{"shift+tab", " ←  ☐ Q7   ☐ Q8   ☰ Review  →"},
	} {
		h := play(open(t, numbered(8, 2)).steps("size:30x20"), c.keys)
		h.has(c.want)
	}
	h := open(t, `{"questions":[{"id":"q","label":"A label that is far too long for this screen","prompt":"?","options":[{"value":"a","label":"A"}]}]}`)
	h.resize(30, 20)
	h.has(" ←  ☐ A label that is far …  →")
}

func TestReviewShowsWhatWasAnswered(t *testing.T) {
	h := play(open(t, kinds), "2 1 2 tab shift+n text:later enter tab")
	h.has("→ B", "→ A", "→ unanswered").lacks("later").steps("down").has("Note: later").lacks("→ unanswered")
	h = play(open(t, kinds), "tab 1 3 text:own enter shift+n text:mind enter up n text:not_this enter tab tab")
	h.has("Note: mind", "→ A", "→ own").lacks("not this").steps("down").has("B Note: not this")
	play(open(t, kinds), "tab 1 3 clipboard:i ctrl+v enter tab tab").has("→ A", "→ [1 image]")
}

func TestClicksAndTheWheel(t *testing.T) {
	h := open(t, kinds)
	at := func(text string) (x, y int) {
		for y, l := range h.text() {
			if x := strings.Index(l, text); x >= 0 {
				return len([]rune(l[:x])), y
			}
		}
		t.Fatalf("no %q on the screen", text)
		return 0, 0
	}
	click := func(text string) {
		x, y := at(text)
		h.apply(ui.Click{X: x, Y: y})
	}
	click("2. ( ) B")
	h.values("s", "b")
	click("☐ M")
	if h.state.Tab() != 1 {
		t.Fatal("a click on a tab does not open it")
	}
	click("1. [ ] A")
	h.values("m", "a")
	click("☰ Review")
	click("2. Elaborate")
	h.ended(false)
	click("2. Elaborate")
	if h.where() != "ended elaborate | s: b | m: a" {
		t.Fatal(h.where())
	}
	h = open(t, numbered(1, 40)).steps("size:60x12")
	h.apply(ui.Wheel{})
	h.lacks("❯").has("Option 4").steps("down").has("❯ 2.")
	h.apply(ui.Wheel{Up: true})
	for _, m := range []ui.Msg{ui.Click{X: -1, Y: -1}, ui.Click{X: 500, Y: 500}, ui.Click{}} {
		h.apply(m)
	}
}

func TestASettingIsShownAtOnceAndTakenBackWhenItCannotBeSaved(t *testing.T) {
	h := open(t, kinds)
	h.hold = true
	h.steps("?", "enter").has("Auto-submit when answered without notes                        [on]")
	h.apply(ui.Saved{Settings: settings.Default(), Notices: []settings.Notice{{Kind: "saveFailed", Text: "Could not save the settings"}}})
	h.has("[off]", "Could not save the settings").steps("esc", "?").has("Could not save the settings")
}

func TestResetIsArmedForTwoSeconds(t *testing.T) {
	h := open(t, kinds)
	h.hold = true
	h.steps("?", "up", "enter").has("❯ [confirm reset]").steps("wait:2001").has("❯ [reset all]")
	h.steps("enter", "down", "up").has("❯ [reset all]").steps("enter", "wait:1000", "enter")
	if _, ok := h.effects[len(h.effects)-1].(ui.ResetSettings); !ok {
		t.Errorf("the second press asks for %v", h.effects)
	}
}
