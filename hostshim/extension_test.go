package hostshim_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim/hosttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	single = `{"title":"Store","questions":[{"id":"db","label":"DB","prompt":"Where to keep <data>?","options":[
		{"value":"sqlite","label":"SQLite"},{"value":"pg","label":"Postgres"}]}]}`
	multi = `{"questions":[{"id":"ci","label":"CI","type":"multi","prompt":"Which checks?","options":[
		{"value":"unit","label":"Unit"},{"value":"race","label":"Race"}]}]}`
	preview = `{"questions":[{"id":"l","label":"Layout","type":"preview","prompt":"Which?","options":[
		{"value":"a","label":"A","preview":"first one"},{"value":"b","label":"B","previewFile":"b.txt"}]}]}`
)

// inBackground is a payload as a background call.
func inBackground(payload string) string { return `{"background":true,` + payload[1:] }

func started(t *testing.T, reason string) *hosttest.Host {
	t.Helper()
	h := hosttest.New(hostshim.Info{})
	t.Cleanup(h.Close)
	must(t, h.Start(reason))
	return h
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// before fails unless the log has these lines in this order.
func inOrder(t *testing.T, log []string, want ...string) {
	t.Helper()
	rest := log
	for _, w := range want {
		i := slices.Index(rest, w)
		if i < 0 {
			t.Fatalf("%q is missing or too early; wanted the order\n\t%s\nof\n\t%s", w, strings.Join(want, "\n\t"), strings.Join(log, "\n\t"))
		}
		rest = rest[i+1:]
	}
}

func count(log []string, line string) (n int) {
	for _, l := range log {
		if l == line {
			n++
		}
	}
	return n
}

func TestForegroundCalls(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "b.txt"), []byte("from a file"), 0o600))
	inDir := strings.Replace(preview, "b.txt", strings.ReplaceAll(filepath.Join(dir, "b.txt"), `\`, `\\`), 1)
	for _, c := range []struct {
		name, payload string
		keys          []string
		text          string // of the result, behind the line with the id
	}{
		{"one choice", single, []string{"1", "enter"}, "DB: SQLite"},
		{"free text", single, []string{"3", "text:a <file>", "enter", "enter"}, "DB: a <file>"},
		{"several choices", multi, []string{"1", "2", "tab", "enter"}, "CI: Unit, Race"},
		{"a preview from a file", inDir, []string{"2", "enter"}, "Layout: B"},
		{"a note", single, []string{"shift+n", "text:why", "enter", "1", "enter"}, "DB: SQLite\nDB note: why"},
		{"elaborate", single, []string{"shift+n", "text:why", "enter", "tab", "down", "enter"}, `User asked to elaborate on question "Where to keep <data>?" with note "why"`},
		{"cancel", single, []string{"esc"}, "The user cancelled the form; nothing was approved."},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := started(t, "startup")
			call := h.Call(ask.ToolAsk, "call-1", c.payload)
			f := h.NextForm()
			press(f, c.keys...)
			result, err := call.Wait()
			must(t, err)
			_, text, _ := strings.Cut(result.Content[0].Text, "\n")
			if text != c.text {
				t.Errorf("the model reads %q, not %q; screen:\n%s", text, c.text, f.Text())
			}
			if !strings.HasPrefix(result.Content[0].Text, "ask_user [") {
				t.Errorf("the request id is missing in %q", result.Content[0].Text)
			}
			details, _ := ask.Marshal(result.Details)
			structured, _ := ask.Marshal(result.StructuredContent)
			if string(details) != string(structured) || !strings.Contains(string(details), `"requestId"`) {
				t.Errorf("details %s differ from structuredContent %s", details, structured)
			}
			inOrder(t, h.Log(), "append ask:payload", "append ask:history-request", "working false", "event herdr:blocked",
				"open 1 ask", "event pi-agent-ask:completed", "close 1", "append ask:history-completed")
			if want := c.name == "cancel"; slices.Contains(h.Log(), "abort") != want {
				t.Errorf("agent stopped: %t, want %t", !want, want)
			}
		})
	}
}

// press presses keys; "text:…" types, "paste:…" pastes.
func press(f *hosttest.Form, keys ...string) {
	for _, k := range keys {
		if text, ok := strings.CutPrefix(k, "text:"); ok {
			f.Type(text)
		} else if text, ok := strings.CutPrefix(k, "paste:"); ok {
			f.Paste(text)
		} else {
			f.Press(k)
		}
	}
}

func TestCancelStopsTheAgentBetweenClosingAndSaving(t *testing.T) {
	h := started(t, "startup")
	call := h.Call(ask.ToolAsk, "call-1", single)
	h.NextForm().Press("esc")
	_, err := call.Wait()
	must(t, err)
	inOrder(t, h.Log(), "event pi-agent-ask:completed", "close 1", "event herdr:blocked", "abort", "append ask:history-completed")
	if n := count(h.Log(), "abort"); n != 1 {
		t.Errorf("the agent was stopped %d times", n)
	}
}

func TestBadCalls(t *testing.T) {
	h := started(t, "startup")
	for _, c := range []struct{ name, tool, params, text, err string }{
		{"no questions", ask.ToolAsk, `{"questions":[]}`, "Invalid ask_user payload:\n- questions:", ""},
		{"not an object", ask.ToolAsk, `7`, "Invalid ask_user payload:", ""},
		{"no arguments", ask.ToolAsk, `null`, "Invalid ask_user payload:", ""},
		{"a preview file that is not there", ask.ToolAsk, preview, "Invalid ask_user payload:\n- questions[0].options[1].previewFile", ""},
		{"another tool", "rm", `{}`, "", `there is no tool "rm"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			result, err := h.Call(c.tool, "x", c.params).Wait()
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v", err)
				}
				return
			}
			must(t, err)
			if !strings.HasPrefix(result.Content[0].Text, c.text) {
				t.Errorf("the model reads %q", result.Content[0].Text)
			}
		})
	}
	if log := h.Log(); len(log) != 0 {
		t.Errorf("bad calls left traces: %q", log)
	}
}

func TestWithoutATerminal(t *testing.T) {
	h := hosttest.New(hostshim.Info{})
	defer h.Close()
	h.Mode = "print"
	must(t, h.Start("startup"))
	for _, payload := range []string{single, inBackground(single)} {
		result, err := h.Call(ask.ToolAsk, "c", payload).Wait()
		must(t, err)
		if _, text, _ := strings.Cut(result.Content[0].Text, "\n"); !strings.HasPrefix(text, "Needs user input: ask_user requires interactive TUI mode.") {
			t.Errorf("the model reads %q", result.Content[0].Text)
		}
		got := result.Details.(ask.Result)
		if !got.Cancelled || len(got.Questions) != 1 || got.RequestID == "" {
			t.Errorf("details %+v", got)
		}
	}
	if n := len(h.Entries("ask:queued")); n != 0 {
		t.Errorf("%d forms were queued", n)
	}
	if n := len(h.Entries("ask:history-completed")); n != 2 {
		t.Errorf("%d outcomes were saved, not 2", n)
	}
	requests := h.Entries("ask:history-request")
	if !strings.Contains(string(requests[1].Data), `"background":true`) {
		t.Errorf("the second call was in the background: %s", requests[1].Data)
	}
	if _, err := h.Call(ask.ToolWait, "w", `{}`).Wait(); err == nil || err.Error() != "wait_for_answers needs interactive TUI mode." {
		t.Errorf("waiting: %v", err)
	}
	if err := h.Extension().OpenSettings(context.Background(), h.Gen()); err == nil || err.Error() != "The ask settings need interactive TUI mode." {
		t.Errorf("settings: %v", err)
	}
}

func TestAbortedCalls(t *testing.T) {
	t.Run("while the form is open", func(t *testing.T) {
		h := started(t, "startup")
		call := h.Call(ask.ToolAsk, "c", single)
		h.NextForm()
		call.Abort()
		result, err := call.Wait()
		must(t, err)
		if !strings.HasSuffix(result.Content[0].Text, ask.InterruptedText) {
			t.Errorf("the model reads %q", result.Content[0].Text)
		}
		if len(h.Forms()) != 0 || slices.Contains(h.Log(), "abort") || len(h.Events(hostshim.ChannelCompleted)) != 0 {
			t.Errorf("forms %v, log %q", h.Forms(), h.Log())
		}
	})
	t.Run("before it is open", func(t *testing.T) {
		h := started(t, "startup")
		h.Call(ask.ToolAsk, "first", single)
		h.NextForm()
		call := h.Call(ask.ToolAsk, "second", single)
		call.Abort()
		_, err := call.Wait()
		var aborted *hostshim.AbortError
		if !errors.As(err, &aborted) || err.Error() != "The form was interrupted before it opened." {
			t.Errorf("error %v", err)
		}
	})
}

func TestBackground(t *testing.T) {
	h := started(t, "startup")
	h.Busy(true)
	for _, id := range []string{"a", "b"} {
		result, err := h.Call(ask.ToolAsk, id, inBackground(single)).Wait()
		must(t, err)
		if text := result.Content[0].Text; !strings.Contains(text, "is queued") {
			t.Fatalf("receipt %q", text)
		}
	}
	h.WaitLog("status Questions pending: 2")
	first := h.NextForm()
	if n, more, err := h.TurnEnd(); n != 0 || more || err != nil {
		t.Errorf("nothing is ready, got %d %t %v", n, more, err)
	}
	first.Press("1", "enter")
	first.WaitClosed()
	second := h.NextForm() // first come, first served
	if n, more, err := h.TurnEnd(); n != 1 || !more || err != nil {
		t.Errorf("one answer is ready, got %d %t %v", n, more, err)
	}
	must(t, h.TurnStart())
	second.Press("esc")
	h.WaitLogs(2, "append ask:queue-completed")
	must(t, h.Settled())
	h.WaitLog("deliver false") // a cancelled form is context only
	inOrder(t, h.Log(), "append ask:queued", "open 1 ask", "close 1", "append ask:history-completed", "append ask:queue-completed", "open 2 ask", "deliver false")
	if n := len(h.Entries("ask:background-answer")); n != 2 {
		t.Errorf("%d answers were delivered, not 2", n)
	}
	if n, _, _ := h.TurnEnd(); n != 0 {
		t.Error("an answer was delivered twice")
	}
	if content := string(h.Entries("ask:background-answer")[0].Content); !strings.Contains(content, "<data>") {
		t.Errorf("the text was changed: %s", content)
	}
}

func TestIdleAgentIsWokenOnce(t *testing.T) {
	h := started(t, "startup")
	for _, id := range []string{"a", "b"} {
		_, err := h.Call(ask.ToolAsk, id, inBackground(single)).Wait()
		must(t, err)
	}
	h.NextForm().Press("1", "enter")
	h.WaitLog("deliver true")
	second := h.NextForm()
	second.Press("2", "enter")
	h.WaitLogs(2, "append ask:queue-completed")
	must(t, h.TurnStart())
	if n, more, _ := h.TurnEnd(); n != 1 || !more {
		t.Errorf("the second answer joins the run that the first has started, got %d %t", n, more)
	}
	must(t, h.TurnStart())
	must(t, h.Settled())
	if n := count(h.Log(), "deliver true"); n != 1 {
		t.Errorf("the agent was woken %d times", n)
	}
}

func TestWaiting(t *testing.T) {
	h := started(t, "startup")
	h.Busy(true)
	result, err := h.Call(ask.ToolWait, "w0", `{}`).Wait()
	must(t, err)
	if !strings.HasPrefix(result.Content[0].Text, "No background answers are outstanding") {
		t.Errorf("the model reads %q", result.Content[0].Text)
	}
	_, err = h.Call(ask.ToolAsk, "a", inBackground(single)).Wait()
	must(t, err)
	wait := h.Call(ask.ToolWait, "w1", `{}`)
	first := h.NextForm()
	wait.Abort()
	_, err = wait.Wait()
	var aborted *hostshim.AbortError
	if !errors.As(err, &aborted) || err.Error() != "Waiting for answers was interrupted." {
		t.Errorf("error %v", err)
	}
	if !slices.Equal(h.Forms(), []int{1}) {
		t.Errorf("the form must stay open, forms are %v", h.Forms())
	}
	wait = h.Call(ask.ToolWait, "w2", `{}`)
	_, err = h.Call(ask.ToolAsk, "b", inBackground(single)).Wait() // joins the wait
	must(t, err)
	first.Press("1", "enter")
	h.NextForm().Press("2", "enter")
	result, err = wait.Wait()
	must(t, err)
	text := result.Content[0].Text
	if !strings.Contains(text, "SQLite") || !strings.Contains(text, "Postgres") {
		t.Errorf("the model reads %q", text)
	}
	if n, _, _ := h.TurnEnd(); n != 0 {
		t.Error("what the wait has brought was delivered again")
	}
}

func TestSessionChanges(t *testing.T) {
	t.Run("a reload closes the form without a trace and opens it again", func(t *testing.T) {
		h := started(t, "startup")
		_, err := h.Call(ask.ToolAsk, "a", inBackground(single)).Wait()
		must(t, err)
		h.NextForm().Press("1")
		must(t, h.Shutdown())
		if len(h.Forms()) != 0 || len(h.Events(hostshim.ChannelCompleted)) != 0 || slices.Contains(h.Log(), "abort") {
			t.Fatalf("forms %v, log %q", h.Forms(), h.Log())
		}
		must(t, h.Start("reload"))
		f := h.NextForm()
		f.Press("2", "enter")
		h.WaitLog("deliver true")
		if a := string(h.Entries("ask:background-answer")[0].Content); !strings.Contains(a, "Postgres") {
			t.Errorf("the answer is %s", a)
		}
	})
	t.Run("a form is open only where it was asked for", func(t *testing.T) {
		h := started(t, "startup")
		_, err := h.Call(ask.ToolAsk, "a", inBackground(single)).Wait()
		must(t, err)
		branch, _ := h.Session().Branch(context.Background())
		leaf := branch[len(branch)-1].ID
		old := h.NextForm()
		must(t, h.Tree(""))
		old.Press("1", "enter") // the old surface is dead
		old.WaitClosed()
		if len(h.Forms()) != 0 || len(h.Events(hostshim.ChannelCompleted)) != 0 {
			t.Errorf("forms %v, events %v", h.Forms(), h.Events())
		}
		must(t, h.Tree(leaf))
		h.NextForm().Press("1", "enter")
		h.WaitLog("deliver true")
	})
	t.Run("open calls end with the session", func(t *testing.T) {
		h := started(t, "startup")
		call := h.Call(ask.ToolAsk, "a", single)
		h.NextForm()
		must(t, h.Shutdown())
		if _, err := call.Wait(); !errors.Is(err, hostshim.ErrStale) {
			t.Errorf("error %v", err)
		}
		if len(h.Entries("ask:history-completed")) != 0 {
			t.Error("the form left a trace")
		}
	})
	t.Run("a new session does not get what belongs to the old one", func(t *testing.T) {
		h := started(t, "startup")
		call := h.Call(ask.ToolAsk, "a", single)
		h.NextForm()
		must(t, h.Start("new"))
		if _, err := call.Wait(); !errors.Is(err, hostshim.ErrStale) {
			t.Errorf("error %v", err)
		}
	})
}

func TestStaleMessages(t *testing.T) {
	h := started(t, "startup")
	must(t, h.Shutdown())
	must(t, h.Start("new"))
	ctx, e := context.Background(), h.Extension()
	_, executed := e.Execute(ctx, hostshim.Call{Gen: 1, Name: ask.ToolAsk, Params: json.RawMessage(single)})
	_, _, boundary := e.Boundary(ctx, 2)
	for name, err := range map[string]error{
		"execute": executed, "boundary": boundary, "turn": e.TurnStart(ctx, 1), "settled": e.Settled(ctx, 1), "idle": e.Idle(ctx, 1),
		"settings": e.OpenSettings(ctx, 1), "start": e.Start(ctx, hostshim.Start{Gen: 3}), "tree": e.Tree(ctx, 2), "shutdown": e.Shutdown(ctx, 1),
		"from the future": e.TurnStart(ctx, 9),
	} {
		if !errors.Is(err, hostshim.ErrStale) {
			t.Errorf("%s: %v", name, err)
		}
	}
	e.BusEvent(1, hostshim.ChannelSubmit, json.RawMessage(`{}`))
	if len(h.Events(hostshim.ChannelSubmitResult)) != 0 {
		t.Error("a stale event was answered")
	}
}

func TestInterruptedCallIsOpenedAgain(t *testing.T) {
	dead := started(t, "startup")
	dead.Call(ask.ToolAsk, "c", single)
	dead.NextForm()
	session := dead.Session() // as a killed process leaves it

	h := hosttest.Reopen(hostshim.Info{}, session)
	defer h.Close()
	must(t, h.Start("startup"))
	f := h.NextForm()
	f.Press("2", "enter")
	h.WaitLog("user")
	if m := h.UserMessages(); len(m) != 1 || !strings.Contains(m[0], "Postgres") {
		t.Errorf("messages %q", m)
	}
	inOrder(t, h.Log(), "append ask:history-completed", "append ask:pending-dismissed", "user")
}

func TestLostSlot(t *testing.T) {
	for _, background := range []bool{false, true} {
		h := started(t, "startup")
		payload := single
		if background {
			payload = inBackground(single)
		}
		call := h.Call(ask.ToolAsk, "a", payload)
		f := h.NextForm()
		press(f, "3", "text:half a thought")
		h.TakeSlot()
		if len(h.Forms()) != 0 {
			t.Fatal("the form is still there")
		}
		h.FreeSlot()
		h.WaitLogs(2, "open 1 ask")
		f.WaitText("half a thought")
		press(f, "enter", "enter")
		if background {
			h.WaitLog("deliver true")
		} else {
			result, err := call.Wait()
			must(t, err)
			if !strings.HasSuffix(result.Content[0].Text, "half a thought") {
				t.Errorf("the model reads %q", result.Content[0].Text)
			}
		}
		if n := count(h.Log(), "open 1 ask"); n != 2 {
			t.Errorf("the form was opened %d times, not 2", n)
		}
		if n := len(h.Events(hostshim.ChannelBlocked)); n != 2 {
			t.Errorf("%d blocked events, not 2", n)
		}
		if n := len(h.Events(hostshim.ChannelStarted)); n != 1 {
			t.Errorf("%d started events, not 1", n)
		}
	}
}

// A form that ends by itself under somebody's hands: the host learns that, and
// the person reads why, once.
func TestEndedElsewhere(t *testing.T) {
	const answered, cancelled = "The form was answered elsewhere.", "The form was cancelled elsewhere."
	submit := func(response string) func(*hosttest.Host, *hosttest.Form, *hosttest.Call) {
		return func(h *hosttest.Host, _ *hosttest.Form, _ *hosttest.Call) {
			h.Submit(`{"version":1,"requestId":"r","flowId":"tool:a","response":` + response + `}`)
		}
	}
	for _, c := range []struct {
		name      string
		payload   string
		end       func(*hosttest.Host, *hosttest.Form, *hosttest.Call)
		elsewhere bool
		notice    string
	}{
		{"answered by an event", single, submit(`{"kind":"answer","answers":{"db":{"values":["pg"]}}}`), true, answered},
		{"in the background", inBackground(single), submit(`{"kind":"answer","answers":{}}`), true, answered},
		{"cancelled by an event", single, submit(`{"kind":"cancel"}`), true, cancelled},
		{"the call was aborted", single, func(_ *hosttest.Host, _ *hosttest.Form, c *hosttest.Call) { c.Abort() }, true, ""},
		{"answered by the person", single, func(_ *hosttest.Host, f *hosttest.Form, _ *hosttest.Call) { f.Press("1", "enter") }, false, ""},
		{"cancelled by the person", single, func(_ *hosttest.Host, f *hosttest.Form, _ *hosttest.Call) { f.Press("esc") }, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := started(t, "startup")
			call := h.Call(ask.ToolAsk, "a", c.payload)
			f := h.NextForm()
			c.end(h, f, call)
			f.WaitClosed()
			if got := f.Elsewhere(); got != c.elsewhere {
				t.Errorf("ended elsewhere: %v", got)
			}
			_, _ = call.Wait()
			if c.notice != "" {
				h.WaitLog("notice " + c.notice)
			}
			h.Extension().Close()
			var notices []string
			for _, line := range h.Log() {
				if strings.Contains(line, "elsewhere") {
					notices = append(notices, line)
				}
			}
			if want := strings.Fields(c.notice); len(notices) != min(1, len(want)) {
				t.Errorf("notices: %q", notices)
			}
		})
	}
}

func TestAnsweredElsewhereWhileTheSlotIsTaken(t *testing.T) {
	h := started(t, "startup")
	call := h.Call(ask.ToolAsk, "a", single)
	h.NextForm()
	h.WaitLog("event " + hostshim.ChannelStarted)
	h.TakeSlot()
	h.Submit(`{"version":1,"requestId":"r","flowId":"tool:a","response":{"kind":"answer","answers":{"db":{"values":["pg"]}}}}`)
	result, err := call.Wait()
	must(t, err)
	if !strings.HasSuffix(result.Content[0].Text, "Postgres") {
		t.Errorf("the model reads %q", result.Content[0].Text)
	}
}

func TestRestoredFormsWaitForTheEditor(t *testing.T) {
	dead := started(t, "startup")
	_, err := dead.Call(ask.ToolAsk, "a", inBackground(single)).Wait()
	must(t, err)
	dead.NextForm()
	h := hosttest.Reopen(hostshim.Info{}, dead.Session())
	defer h.Close()
	h.TakeSlot()
	must(t, h.Start("reload"))
	h.Extension().Editor(7, true) // of another generation
	h.WaitLog("status Questions pending: 1")
	if len(h.Forms()) != 0 {
		t.Fatal("a form did not wait")
	}
	h.FreeSlot()
	h.NextForm()
}

func TestSettingsOverlay(t *testing.T) {
	open := func(h *hosttest.Host) chan error {
		done := make(chan error, 1)
		go func() { done <- h.Extension().OpenSettings(context.Background(), h.Gen()) }()
		return done
	}
	t.Run("of its own", func(t *testing.T) {
		h := started(t, "startup")
		done := open(h)
		f := h.NextForm()
		if f.Kind != "settings" {
			t.Fatalf("opened %q", f.Kind)
		}
		must(t, h.Extension().OpenSettings(context.Background(), h.Gen())) // there is one already
		f.Press("esc")
		must(t, <-done)
		f.WaitClosed()
		if len(h.Events()) != 0 {
			t.Errorf("events %v", h.Events())
		}
	})
	t.Run("over the open form", func(t *testing.T) {
		h := started(t, "startup")
		h.Call(ask.ToolAsk, "a", single)
		f := h.NextForm()
		before := f.Text()
		must(t, <-open(h))
		f.WaitText("ettings")
		f.Press("esc")
		f.WaitText(strings.Split(before, "\n")[0])
		if !slices.Equal(h.Forms(), []int{1}) {
			t.Errorf("forms %v", h.Forms())
		}
	})
	t.Run("closes with the branch", func(t *testing.T) {
		h := started(t, "startup")
		done := open(h)
		h.NextForm()
		must(t, h.Tree(""))
		if err := <-done; !errors.Is(err, hostshim.ErrStale) && !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if len(h.Forms()) != 0 {
			t.Errorf("forms %v", h.Forms())
		}
	})
}

func TestThemeChange(t *testing.T) {
	h := started(t, "startup")
	h.Call(ask.ToolAsk, "a", single)
	f := h.NextForm()
	h.Extension().SetTheme(form.Theme{Accent: "\x1b[38;5;201m"})
	f.WaitFrame("a colour of the new theme", func(p hostshim.Frame) bool {
		return strings.Contains(strings.Join(p.Lines, ""), "\x1b[38;5;201m")
	})
}

func TestImageFromTheClipboard(t *testing.T) {
	h := hosttest.New(hostshim.Info{PasteImageKeys: []string{"alt+v"}})
	defer h.Close()
	h.Image = &ask.Image{MimeType: "image/png", Data: "iVBORw0KGgo="}
	must(t, h.Start("startup"))
	call := h.Call(ask.ToolAsk, "a", single)
	f := h.NextForm()
	f.Press("3", "alt+v")
	f.WaitText("1 image")
	f.Press("enter", "enter")
	result, err := call.Wait()
	must(t, err)
	if n := len(result.Content); n != 3 || result.Content[2].Data != "iVBORw0KGgo=" {
		t.Errorf("%d blocks: %+v", n, result.Content)
	}
}

// The smoke test of the contract for remote events.
func TestRemoteAnswer(t *testing.T) {
	h := hosttest.New(hostshim.Info{})
	defer h.Close()
	h.OnEvent = func(e hosttest.Event) {
		if e.Channel != hostshim.ChannelStarted {
			return
		}
		var started struct {
			FlowID    string
			Questions []struct {
				ID      string
				Options []struct{ Value string }
			}
		}
		must(t, json.Unmarshal(e.Data, &started))
		q := started.Questions[0]
		event, _ := ask.Marshal(map[string]any{"version": 1, "requestId": "r", "flowId": started.FlowID,
			"response": map[string]any{"kind": "answer", "answers": map[string]any{q.ID: map[string]any{"values": []string{q.Options[0].Value}}}}})
		h.Submit(string(event))
		h.Submit(string(event)) // refused: the form has ended
	}
	must(t, h.Start("startup"))
	result, err := h.Call(ask.ToolAsk, "a", single).Wait()
	must(t, err)
	answer := result.Details.(ask.Result).Answers["db"]
	if !slices.Equal(answer.Labels, []string{"SQLite"}) || !slices.Equal(answer.Indices, []int{1}) {
		t.Errorf("answer %+v", answer)
	}
	replies := h.Events(hostshim.ChannelSubmitResult)
	if len(replies) != 2 || !strings.Contains(string(replies[0].Data), `"ok":true`) || !strings.Contains(string(replies[1].Data), `"flow_not_found"`) {
		t.Errorf("replies %s", replies)
	}
	if n := len(h.Events(hostshim.ChannelCompleted)); n != 1 {
		t.Errorf("%d completed events", n)
	}
	inOrder(t, h.Log(), "event pi-agent-ask:completed", "append ask:history-completed")
}
