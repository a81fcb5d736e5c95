package settings_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

func TestChannelJSON(t *testing.T) {
	for text, want := range map[string]settings.Channel{
		`"bell"`:                             {Kind: settings.ChannelBell},
		`"osc9"`:                             {Kind: settings.ChannelOSC9},
		`"osc777"`:                           {Kind: settings.ChannelOSC777},
		`{"type":"command","command":" x "}`: {Kind: settings.ChannelCommand, Command: " x "},
	} {
		var got settings.Channel
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if back, err := json.Marshal(got); err != nil || string(back) != text {
			t.Errorf("%s came back as %s, %v", text, back, err)
		}
	}
	for _, text := range []string{
		`"pager"`, `"Bell"`, `"command"`, `""`, `7`, `null`, `[]`, `{}`, `{"type":"bell"}`, `{"type":"command"}`,
		`{"type":"command","command":7}`, `{"type":"command","command":null}`, `{"type":"command","command":"\u00a0\ufeff"}`,
		`{"Type":"command","command":"x"}`, `{"type":null,"command":"x"}`,
	} {
		got := settings.Channel{Kind: "before"}
		if err := got.UnmarshalJSON([]byte(text)); err == nil || got.Kind != "before" {
			t.Errorf("%s was accepted as %+v", text, got)
		}
	}
}

// A program can read part of a configuration over the defaults.
func TestSettingsJSON(t *testing.T) {
	got := settings.Default()
	must(t, json.Unmarshal([]byte(`{"behaviour":{"showFooterHints":false}}`), &got))
	if want := settings.Default().With(settings.ShowFooterHints, false); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	data, err := json.Marshal(got)
	must(t, err)
	again, notices := settings.Parse(data)
	if !reflect.DeepEqual(again, got) || len(notices) > 0 {
		t.Errorf("read back %+v, %v", again, notices)
	}
}

func TestSwitches(t *testing.T) {
	defaults := map[settings.Setting]bool{
		settings.AutoSubmit:                 false,
		settings.ConfirmDismissWhenDirty:    true,
		settings.DoublePressReviewShortcuts: true,
		settings.NotificationsEnabled:       true,
		settings.ShowFooterHints:            true,
		settings.PresentSingleAsMulti:       false,
	}
	before := settings.Default()
	for name, value := range defaults {
		if before.Get(name) != value {
			t.Errorf("the default of %s is %v", name, !value)
		}
		after := before.With(name, !value)
		if before.Get(name) != value || after.Get(name) == value {
			t.Errorf("With changed the wrong one for %s", name)
		}
		for other := range defaults {
			if other != name && after.Get(other) != before.Get(other) {
				t.Errorf("With changed %s along with %s", other, name)
			}
		}
		checkPaths(t, "JSON", tree(t, after), map[string]any{string(name): !value})
	}
	if before.Get("behaviour.nothing") || !reflect.DeepEqual(before.With("behaviour.nothing", true), before) {
		t.Error("an unknown name does something")
	}
}
