package hostshim

import (
	"os"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
)

// warm goes the way of a question once, while the host is still busy with its
// own start: what code needs when it first runs takes some milliseconds, for
// which a person would wait later. Nothing of it can be seen.
func (e *Extension) warm() {
	_ = guard(func() error {
		// Loading makes a missing file; that is left to the first question.
		if _, err := os.Stat(e.settings.Path()); err == nil {
			e.settings.Load()
		}
		payload, err := ask.Decode(ask.Prepare([]byte(`{"questions":[{"id":"q","prompt":"?","options":[{"value":"a"},{"value":"b"}]}]}`)))
		if err != nil {
			return err
		}
		f, err := ask.Normalize(payload)
		if err != nil {
			return err
		}
		in := form.NewInline(f, &form.Options{Theme: e.info.Theme, CursorMarker: e.info.CursorMarker, Dir: e.info.AgentDir})
		defer in.Close()
		lines := in.Lines(80, 24)
		RenderRow(Row{Kind: "call", Width: 80})
		_, err = ask.Marshal(lines)
		return err
	})
}
