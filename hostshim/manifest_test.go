package hostshim_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim"
)

// The extension ships what "pi-agent-ask manifest" prints.
func TestShippedManifestIsFresh(t *testing.T) {
	file := filepath.Join("pi", "manifest.json")
	shipped, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip(file + " does not exist; make it with: go run ./hostshim/cmd/pi-agent-ask manifest > hostshim/pi/manifest.json")
	}
	must(t, err)
	fresh, err := ask.Marshal(hostshim.NewManifest())
	must(t, err)
	var was, is bytes.Buffer
	must(t, json.Compact(&was, shipped))
	must(t, json.Compact(&is, fresh))
	if was.String() != is.String() {
		t.Errorf("%s is stale; make it anew with: go run ./hostshim/cmd/pi-agent-ask manifest > hostshim/pi/manifest.json", file)
	}
}

func TestManifest(t *testing.T) {
	m := hostshim.NewManifest()
	for i, want := range []struct{ name, exposure string }{{"ask_user", "direct"}, {"wait_for_answers", "model-only"}} {
		tool := m.Tools[i]
		if tool.Name != want.name || tool.Exposure != want.exposure {
			t.Errorf("tool %d is %s, %s", i, tool.Name, tool.Exposure)
		}
		for _, g := range tool.Guidelines {
			if !strings.Contains(g, tool.Name) {
				t.Errorf("a guideline of %s does not name it: %s", tool.Name, g)
			}
		}
		for _, raw := range []json.RawMessage{tool.Parameters, tool.OutputSchema} {
			if raw == nil {
				continue
			}
			var s jsonschema.Schema
			must(t, json.Unmarshal(raw, &s))
			if _, err := s.Resolve(nil); err != nil {
				t.Errorf("a schema of %s: %v", tool.Name, err)
			}
		}
	}
	var s jsonschema.Schema
	must(t, json.Unmarshal(m.Tools[0].Parameters, &s))
	schema, err := s.Resolve(nil)
	must(t, err)
	for payload, valid := range map[string]bool{single: true, multi: true, inBackground(single): true, `{}`: false, `{"questions":"x"}`: false} {
		var v any
		must(t, json.Unmarshal([]byte(payload), &v))
		if err := schema.Validate(v); (err == nil) != valid {
			t.Errorf("%s: %v", payload, err)
		}
	}
}
