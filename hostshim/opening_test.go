package hostshim_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/hostshim"
)

// A host in a hurry: it says hello and tells of the session in one breath, with
// the branch and the room for a form in it. The engine then
// has nothing to ask before the first form, and sends that with its frame.
func TestOpeningInOneBreath(t *testing.T) {
	toEngine, in := io.Pipe()
	out, fromEngine := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- hostshim.Serve(context.Background(), toEngine, fromEngine) }()
	go fmt.Fprintf(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"mode":"tui","agentDir":%q,"form":{"cols":40,"rows":12}}}
{"jsonrpc":"2.0","id":2,"method":"session/start","params":{"gen":1,"reason":"startup","mode":"tui","editorReady":true,"branch":{"leaf":"","entries":[]}}}
`, t.TempDir())
	var asked []string
	var opened struct{ Params hostshim.FormSlot }
	for lines := bufio.NewScanner(out); opened.Params.Number == 0 && lines.Scan(); {
		var m wire
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		switch {
		case m.Method == "form/open":
			if err := json.Unmarshal(lines.Bytes(), &opened); err != nil {
				t.Fatal(err)
			}
		case m.Method == "" && string(m.ID) == "2":
			go fmt.Fprintln(in, `{"jsonrpc":"2.0","id":3,"method":"tool/execute","params":{"gen":1,"callId":"c","name":"ask_user","params":`+strings.ReplaceAll(single, "\n", "")+`}}`)
		case m.ID != nil && m.Method != "":
			asked = append(asked, m.Method)
			go fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%s,"result":{"id":"e","idle":false,"leaf":"","entries":[]}}`+"\n", m.ID)
		}
	}
	asked = slices.DeleteFunc(asked, func(m string) bool { return m == "agent/state" })
	if want := []string{"journal/append", "journal/append"}; !slices.Equal(asked, want) {
		t.Errorf("before the form the engine asked for %q, want %q", asked, want)
	}
	frame := opened.Params.Frame
	if frame == nil || frame.Cols != 40 || frame.Rows != 12 || !strings.Contains(plain(*frame), "Where to keep <data>?") {
		t.Errorf("the form opens with %+v", frame)
	}
	go io.Copy(io.Discard, out) //nolint:errcheck // what it still says does not matter
	_ = in.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
