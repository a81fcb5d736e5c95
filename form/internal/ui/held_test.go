package ui_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/form/internal/ui"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// What decides something happens once for each press; what moves, deletes or
// types goes on while the key is held down.
func TestHeldKeys(t *testing.T) {
	runRows(t, kinds, defaults, []row{
		{"a digit on single answers one question", "hold:1", "m1 | s: a"},
		{"Space on single", "hold:space", "s1 | s: a"},
		{"Enter on single", "hold:enter", "m1 | s: a"},
		{"a digit on multi", "tab hold:2", "m2 | m: b"},
		{"Space on multi", "tab hold:space", "m1 | m: a"},
		{"a digit on preview answers one question", "tab tab hold:2", "review Submit | p: b"},
		{"a digit on Review", "left hold:2", "review Elaborate"},
		{"Enter that comes to Review submits nothing", "tab tab hold:enter", "review Submit | p: a"},
		{"the type key warns and changes nothing", "tab space hold:t", "m1 | m: a"},
		{"Esc warns and throws nothing away", "space hold:esc", "s1 | s: a"},
		{"Ctrl+C warns and throws nothing away", "space hold:ctrl+c", "s1 | s: a"},
		{"? opens the settings and leaves them open", "hold:?", "s1 settings"},
		{"Space on a setting", "? hold:space hold:?", "s1"},
		{"Down", "tab hold:down", `m3 answerEditor ""`},
		{"Down goes on in the settings", "? hold:down hold:up ?", "s1"},
		{"Right goes round", "hold:right", "p1"},
		{"Tab goes round", "hold:tab", "p1"},
		{"a repeat without a press decides nothing", "repeat:1 repeat:space repeat:enter repeat:N repeat:esc", "s1"},

		{"a letter types", "3 hold:x", `s3 answerEditor "xxxxxx"`},
		{"Space types", "3 hold:space hold:x", `s3 answerEditor "      xxxxxx"`},
		{"a digit types", "n hold:1", `s1 optionNoteEditor "111111"`},
		{"? types behind a text", "3 x hold:?", `s3 answerEditor "x??????"`},
		{"? opens the settings from an empty editor", "3 hold:?", `s3 answerEditor "" settings`},
		{"Backspace deletes", "3 text:12345678 hold:backspace", `s3 answerEditor "12"`},
		{"Ctrl+W deletes", "3 text:1_2_3_4_5_6_7_8 hold:ctrl+w", `s3 answerEditor "1 2 "`},
		{"Left moves", "3 text:12345678 hold:left x", `s3 answerEditor "12x345678"`},
		{"Shift+Enter breaks lines", "3 text:x hold:shift+enter", `s3 answerEditor "x\n\n\n\n\n\n"`},
		{"undo goes one step back", "3 text:x left right text:y left right text:z hold:ctrl+-", `s3 answerEditor "xy"`},
		{"the digit that opens the editor is none of its text", "hold:3", `s3 answerEditor ""`},
		{"the n that opens a note is none of its text", "hold:n", `s1 optionNoteEditor ""`},
		{"nor is N", "hold:N", `s1 questionNoteEditor ""`},
		{"Enter saves a text and answers no more than that", "3 text:x hold:enter", `m1 | s: "x"`},
		{"Esc leaves an editor and not the form", "3 hold:esc", "s3"},
		{"the character of a jump is no text", "3 text:axb home ctrl+] hold:x y", `s3 answerEditor "ayxb"`},
		{"what closed the settings is no text", "3 text:x overlay hold:?", `s3 answerEditor "x"`},
		{"the key of another program is no text", "3 text:x mounted repeat:x", `s3 answerEditor "x"`},
	})
}

func TestHeldKeysOfTheFileList(t *testing.T) {
	h := open(t, kinds)
	h.files = []string{"a.go", "b.go", "c.go"}
	play(h, "3 text:@ hold:down")
	if !h.state.PopupOpen() {
		t.Fatal("no list")
	}
	play(h, "hold:tab")
	if got := h.where(); got != `s3 answerEditor "@a.go "` {
		t.Errorf("six times down and Tab: %s", got)
	}
	play(h, "text:@ hold:enter")
	if got := h.where(); got != `s3 answerEditor "@a.go @a.go "` {
		t.Errorf("Enter takes one file: %s", got)
	}
}

// A key bound to an action repeats by what it does, not by its name.
func TestHeldKeysFollowTheKeymaps(t *testing.T) {
	for _, tt := range []struct {
		name                 string
		context, action, key string
		keys, want           string
	}{
		{"a letter that moves", "main", "nextOption", "j", "tab hold:j", `m3 answerEditor ""`},
		{"Delete that confirms", "main", "confirm", "delete", "hold:delete", "m1 | s: a"},
		{"a letter that leaves an editor", "global", "dismiss", "x", "3 text:y hold:x", `s3 answerEditor "y"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := withKeys(settings.Default(), map[string]any{tt.context: map[string]any{tt.action: tt.key}})
			h := play(open(t, kinds, ui.Options{Settings: s}), tt.keys)
			if got := h.where(); got != tt.want {
				t.Errorf("%s\nleads to %s\nnot      %s\n%s", tt.keys, got, tt.want, strings.Join(h.text(), "\n"))
			}
		})
	}
}

func TestAHeldKeyKeepsTheTypeAheadGuardClosed(t *testing.T) {
	h := open(t, oneStore, ui.Options{Quiet: 300 * time.Millisecond, Max: 2 * time.Second})
	for range 10 {
		h.steps("wait:100", "repeat:1")
	}
	if h.state.Ready() {
		t.Error("the form takes keys while one is held down")
	}
	h.steps("wait:300", "1").values("db", "pg")
}
