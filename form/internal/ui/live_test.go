package ui_test

import (
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
