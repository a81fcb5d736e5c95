package ask_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

func containsWord(s, word string) bool { return strings.Contains(s, word) }

type previewVector struct {
	CWD   string
	Files map[string]struct {
		Base64    string
		Directory bool
	}
	Payload json.RawMessage
}

func runPreviewFile(t *testing.T, v vector) {
	dir := t.TempDir()
	v.Input = json.RawMessage(strings.ReplaceAll(string(v.Input), "<CWD>", filepath.ToSlash(dir)))
	in := read[previewVector](t, v.Input)
	want := read[struct {
		OK         bool
		Params     json.RawMessage
		IssuePaths []string
	}](t, v.Expected)
	for name, f := range in.Files {
		path := filepath.Join(dir, name)
		if f.Directory {
			must(t, os.MkdirAll(path, 0o755))
			continue
		}
		content, err := base64.StdEncoding.DecodeString(f.Base64)
		must(t, err)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, content, 0o644))
	}
	params, err := ask.LoadPreviews(in.Payload, in.CWD, nil)
	if !want.OK {
		checkIssues(t, err, want.IssuePaths, "")
		return
	}
	must(t, err)
	sameJSON(t, "params", params, want.Params)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

type envelopeVector struct {
	RequestID   string
	Summary     *string
	ImageBlocks []ask.Block
	Result      *ask.Result
	Interrupted bool
	Payload     json.RawMessage
	Receipt     *ask.Receipt
}

func (in envelopeVector) build(t *testing.T) ask.ToolResult {
	switch {
	case in.Receipt != nil:
		return in.Receipt.Envelope()
	case in.Payload != nil:
		_, err := formOf(in.Payload, false)
		var invalid *ask.InvalidInput
		if !errors.As(err, &invalid) {
			t.Fatalf("got %v, want invalid input", err)
		}
		return invalid.Envelope()
	case in.Result != nil && in.Interrupted:
		return ask.Envelope(in.RequestID, ask.InterruptedText, *in.Result)
	case in.Result != nil:
		return ask.Envelope(in.RequestID, in.Result.AgentText(), *in.Result)
	}
	r := ask.Envelope(in.RequestID, *in.Summary, ask.Result{})
	r.Content = ask.Content(in.RequestID, *in.Summary, in.ImageBlocks)
	return r
}

func runEnvelope(t *testing.T, v vector) {
	in := read[envelopeVector](t, v.Input)
	want := read[struct {
		ContentExact                   json.RawMessage
		ContentFirstLine               string
		IssuePaths, ContentContains    []string
		DetailsHas                     map[string]any
		DetailsLacks                   []string
		DetailsEqualsStructuredContent bool
	}](t, v.Expected)
	r := in.build(t)
	if want.ContentExact != nil {
		sameJSON(t, "content", r.Content, want.ContentExact)
	}
	text := r.Content[0].Text
	if first, _, _ := strings.Cut(text, "\n"); want.ContentFirstLine != "" && first != want.ContentFirstLine {
		t.Errorf("first line %q, want %q", first, want.ContentFirstLine)
	}
	for _, path := range want.IssuePaths {
		if !strings.Contains(text, "\n- "+path+": ") {
			t.Errorf("%q does not name %s", text, path)
		}
	}
	for _, part := range want.ContentContains {
		if !strings.Contains(text, part) {
			t.Errorf("%q lacks %q", text, part)
		}
	}
	raw, err := ask.Marshal(r)
	must(t, err)
	var got struct{ Details, StructuredContent map[string]any }
	must(t, json.Unmarshal(raw, &got))
	for k, value := range want.DetailsHas {
		if !reflect.DeepEqual(got.Details[k], value) {
			t.Errorf("details.%s is %v, want %v", k, got.Details[k], value)
		}
	}
	for _, k := range want.DetailsLacks {
		if value, has := got.Details[k]; has {
			t.Errorf("details.%s is %v, want it absent", k, value)
		}
	}
	if !reflect.DeepEqual(got.Details, got.StructuredContent) {
		t.Errorf("structuredContent differs from details: %s", raw)
	}
}

// markup writes spans the way the vectors do.
func markup(row []ask.Span) string {
	var b strings.Builder
	for _, s := range row {
		text := s.Text
		if s.Bold {
			text = "<b>" + text + "</b>"
		}
		if s.Role != "" {
			text = fmt.Sprintf("<%s>%s</%s>", s.Role, text, s.Role)
		}
		b.WriteString(text)
	}
	return b.String()
}

func runRenderCall(t *testing.T, v vector) {
	in := read[struct{ Args json.RawMessage }](t, v.Input)
	want := read[struct{ Markup string }](t, v.Expected)
	sameText(t, "markup", markup(ask.CallRow(in.Args)), want.Markup)
}

func runRenderResult(t *testing.T, v vector) {
	in := read[struct {
		ToolResult struct {
			Content []ask.Block
			Details json.RawMessage
			IsError bool
		}
	}](t, v.Input)
	want := read[struct{ Markup string }](t, v.Expected)
	sameText(t, "markup", markup(ask.ResultRow(in.ToolResult.Details, in.ToolResult.Content)), want.Markup)
}

// submit plays the part of a host with one open form.
func submit(event json.RawMessage, flow string, d *ask.Drafts) (ask.SubmitReply, ask.Ending) {
	s, err := ask.ParseSubmit(event)
	if err == nil && s.FlowID != flow {
		err = ask.FlowNotFound()
	}
	var ending ask.Ending
	if err == nil {
		ending, err = s.Apply(d)
	}
	return s.Reply(err), ending
}

func runRemoteSubmit(t *testing.T, v vector) {
	const flow = "tool:call-1"
	v.Input = json.RawMessage(strings.ReplaceAll(string(v.Input), "<FLOW>", flow))
	in := read[struct {
		Payload              json.RawMessage
		PresentSingleAsMulti bool
		OpsBefore            []op
		Event                json.RawMessage
	}](t, v.Input)
	want := read[struct {
		OK                bool
		Error             ask.SubmitCode
		RequestID, FlowID *string
		Result            json.RawMessage
		Summary           string
	}](t, v.Expected)
	p := newPlayer(mustForm(t, in.Payload, in.PresentSingleAsMulti))
	p.play(in.OpsBefore)
	before, err := ask.Marshal(p.drafts)
	must(t, err)
	reply, ending := submit(in.Event, flow, p.drafts)
	if reply.OK != want.OK || reply.Error != want.Error || reply.Version != 1 || (reply.Message == "") != want.OK {
		t.Fatalf("reply %+v, want ok %v, error %q", reply, want.OK, want.Error)
	}
	if want.RequestID != nil && reply.RequestID != *want.RequestID || want.FlowID != nil && reply.FlowID != *want.FlowID {
		t.Errorf("echo %q %q", reply.RequestID, reply.FlowID)
	}
	if !want.OK {
		sameJSON(t, "drafts after a refusal", p.drafts, before)
		return
	}
	r := p.drafts.Result(ending)
	sameJSON(t, "result", r, want.Result)
	sameText(t, "summary", r.AgentText(), want.Summary)
}
