//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// event is what the bridge has heard on the bus.
type event struct {
	Channel string
	Data    json.RawMessage
}

// bridge is the second extension of a box.
type bridge struct {
	b   *box
	dir string
}

// bridge adds the second extension to a box; pi is not started yet.
func (b *box) bridge() *bridge {
	b.t.Helper()
	ext, err := filepath.Abs(filepath.Join("testdata", "bridge.ts"))
	if err != nil {
		b.t.Fatal(err)
	}
	x := &bridge{b, filepath.Join(b.root, "bridge")}
	if err := os.MkdirAll(x.dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	b.ext = append(b.ext, ext)
	b.env["BRIDGE_DIR"] = x.dir
	return x
}

// start starts pi and lets the bridge get hold of pi's commands.
func (x *bridge) start(args ...string) *term {
	x.b.t.Helper()
	pi := x.b.start(args...)
	pi.ready()
	pi.command("/bridge")
	x.hears("ready", 1)
	return pi
}

// do has the bridge do something and waits until it has.
func (x *bridge) do(action string, more map[string]any) {
	x.b.t.Helper()
	n := len(x.events("done"))
	x.begin(action, more)
	x.b.until("the bridge has done "+action, func() bool {
		if failed := x.events("failed"); len(failed) > 0 {
			x.b.t.Fatalf("the bridge: %s", failed[len(failed)-1].Data)
		}
		return len(x.events("done")) > n
	})
}

// begin has the bridge do something.
func (x *bridge) begin(action string, more map[string]any) {
	x.b.t.Helper()
	all := map[string]any{"do": action}
	for k, v := range more {
		all[k] = v
	}
	text, _ := json.Marshal(all)
	x.b.write(filepath.Join(x.dir, "next.json"), string(text), 0o644)
	if err := os.Rename(filepath.Join(x.dir, "next.json"), filepath.Join(x.dir, "do.json")); err != nil {
		x.b.t.Fatal(err)
	}
}

// submit sends an answer to the newest form.
func (x *bridge) submit(requestID string, response map[string]any) {
	x.b.t.Helper()
	x.do("submit", map[string]any{"data": map[string]any{
		"version": 1, "requestId": requestID, "flowId": "newest", "response": response,
	}})
}

// events returns what was heard on some channels, in order.
func (x *bridge) events(channels ...string) []event {
	text, _ := os.ReadFile(filepath.Join(x.dir, "events.jsonl"))
	var out []event
	for line := range bytes.Lines(text) {
		var e event
		if json.Unmarshal(line, &e) == nil && slices.Contains(channels, e.Channel) {
			out = append(out, e)
		}
	}
	return out
}

// hears waits until a channel had n events and returns them.
func (x *bridge) hears(channel string, n int) []event {
	x.b.t.Helper()
	x.b.until(channel+" was heard", func() bool { return len(x.events(channel)) >= n })
	return x.events(channel)
}

// blocked checks the pairs of herdr:blocked: they alternate and start with
// true; ended says that the last one must be false.
func (x *bridge) blocked(t *testing.T, pairs int) {
	t.Helper()
	var got []string
	x.b.until("the blocked state has ended", func() bool {
		got = nil
		for _, e := range x.events("herdr:blocked") {
			got = append(got, string(e.Data))
		}
		return len(got) >= 2*pairs
	})
	on, off := `{"active":true,"label":"Waiting for user response"}`, `{"active":false}`
	want := slices.Repeat([]string{on, off}, pairs)
	if !slices.Equal(got, want) {
		t.Errorf("herdr:blocked:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
