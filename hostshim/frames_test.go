package hostshim_test

import (
	"math"
	"testing"
	"testing/synctest"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim/hosttest"
)

// A host that says that its screen is immense, or has no room, does not make
// the engine draw until memory ends.
func TestAbsurdSizes(t *testing.T) {
	agentDir := noFolder(t)
	synctest.Test(t, func(t *testing.T) {
		h := hosttest.New(hostshim.Info{AgentDir: agentDir})
		defer h.Close()
		must(t, h.Start("startup"))
		call := h.Call(ask.ToolAsk, "a", single)
		f := h.NextForm()
		for _, size := range [][2]int{{math.MaxInt, math.MaxInt}, {1 << 40, 24}, {80, 1 << 40}, {1, 1}, {hostshim.MaxCells + 1, 2}} {
			f.Resize(size[0], size[1])
			synctest.Wait()
			now := f.Frame()
			if now.Cols != min(size[0], hostshim.MaxCells) || now.Rows != min(size[1], hostshim.MaxCells) || len(now.Lines) > now.Rows {
				t.Errorf("%v: a frame of %d lines for %d x %d", size, len(now.Lines), now.Cols, now.Rows)
			}
		}
		last := f.Frame().Seq
		for _, size := range [][2]int{{0, 24}, {80, 0}, {-1, -1}, {math.MinInt, 5}} {
			f.Resize(size[0], size[1])
			synctest.Wait()
			if now := f.Frame(); now.Seq != last {
				t.Errorf("%v: a frame for %d x %d", size, now.Cols, now.Rows)
			}
		}
		f.Press("1", "enter")
		_, err := call.Wait()
		must(t, err)
	})
}

func TestAbsurdWidthOfARow(t *testing.T) {
	details := []byte(`{"requestId":"r","result":{"cancelled":false,"mode":"submit","questions":[{"id":"q","label":"Q","prompt":"P?","type":"single","options":[]}],"answers":{"q":{"values":["a"],"labels":["A"],"indices":[1]}}}}`)
	for _, width := range []int{math.MaxInt, math.MinInt, 0} {
		for _, line := range hostshim.RenderRow(hostshim.Row{Kind: "answer", Width: width, Details: details}) {
			n := 0
			for _, span := range line {
				n += len(span.Text)
			}
			if n > 4*hostshim.MaxCells {
				t.Errorf("width %d: a line of %d bytes", width, n)
			}
		}
	}
}

// Between its end and its closing, a form is not drawn any more: what it would
// show has the size that it had.
func TestNoPictureOfAFormThatHasEnded(t *testing.T) {
	agentDir := noFolder(t)
	synctest.Test(t, func(t *testing.T) {
		h, told := hosttest.New(hostshim.Info{AgentDir: agentDir}), make(chan struct{})
		defer h.Close()
		h.OnEvent = func(e hosttest.Event) {
			if e.Channel == hostshim.ChannelCompleted {
				<-told
			}
		}
		must(t, h.Start("startup"))
		call := h.Call(ask.ToolAsk, "a", single)
		f := h.NextForm()
		f.Press("1", "enter")
		synctest.Wait()
		f.Resize(40, 5)
		synctest.Wait()
		if now := f.Frame(); now.Cols != hosttest.Cols {
			t.Errorf("a frame of %d lines for %d x %d", len(now.Lines), now.Cols, now.Rows)
		}
		close(told)
		_, err := call.Wait()
		must(t, err)
	})
}
