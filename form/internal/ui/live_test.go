package ui_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/form/internal/ui"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

func TestRemappedKeysShowInTheHintsAtOnce(t *testing.T) {
	h := newHost(t, normalize(t, mustJSON(map[string]any{"questions": []any{map[string]any{"id": "a", "prompt": "A?", "options": []any{map[string]any{"value": "x", "label": "X"}}}}})), ui.Options{})
	if !strings.Contains(strings.Join(h.text(), "\n"), "Enter confirm") {
		t.Fatal("the hints do not show Enter")
	}
	now := settings.Default()
	maps, err := now.Keymaps.With(settings.ContextMain, settings.ActionConfirm, "f5")
	if err != nil {
		t.Fatal(err)
	}
	now.Keymaps = maps
	h.apply(ui.Settings{Settings: now})
	if text := strings.Join(h.text(), "\n"); !strings.Contains(text, "F5 confirm") || strings.Contains(text, "Enter confirm") {
		t.Errorf("the hints still show the old key:\n%s", text)
	}
}

func TestAnEditorThatFailsKeepsTheDraftAndSaysWhy(t *testing.T) {
	h := newHost(t, normalize(t, mustJSON(map[string]any{"questions": []any{map[string]any{"id": "a", "prompt": "A?", "options": []any{map[string]any{"value": "x", "label": "X"}}}}})), ui.Options{EditKey: "ctrl+g"})
	h.hold = true
	h.steps("2", "text:draft", "ctrl+g")
	token := -1
	for _, e := range h.effects {
		if edit, ok := e.(ui.EditDraft); ok && edit.Text == "draft" {
			token = edit.Token
		}
	}
	if token < 0 {
		t.Fatalf("no draft was handed out: %v", h.effects)
	}
	h.apply(ui.Edited{Token: token, Err: errors.New("set VISUAL\x1b[2J")})
	if _, text, _ := h.state.Editing(); text != "draft" {
		t.Errorf("the draft is %q", text)
	}
	if text := strings.Join(h.text(), "\n"); !strings.Contains(text, "The draft could not be edited: set VISUAL␛[2J") {
		t.Errorf("no reason is shown:\n%s", text)
	}
	h.apply(ui.Edited{Token: token, Text: "better\n"})
	if _, text, _ := h.state.Editing(); text != "better\n" || len(h.state.Notices()) > 0 {
		t.Errorf("the draft is %q, notices %v", text, h.state.Notices())
	}
	h.steps("esc", "n")
	h.apply(ui.Edited{Token: token, Text: "late"})
	if _, text, _ := h.state.Editing(); text == "late" {
		t.Error("a late draft went into another editor")
	}
}
