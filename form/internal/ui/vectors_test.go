package ui_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/asktest"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/ui"
)

// formCase is one case of the form vectors.
type formCase struct {
	ID       string
	Payload  string
	Settings json.RawMessage
	Keys     []string
	Host     struct {
		SaveFails   bool
		Files       []string
		Width, Rows int
		Env         map[string]string
	}
	Guard  *struct{ QuietMs, MaxMs int }
	Why    string
	Expect expectation
}

type expectation struct {
	Finished     *bool
	AgentStopped *bool
	Interrupted  bool
	Result       *expectedResult
	Summary      *string
	Draft        map[string]json.RawMessage
	UI           *expectedUI
	Frame        *struct {
		Width, MaxLines int
		Contains, Lacks []string
		Raw             bool
	}
}

type expectedResult struct {
	Cancelled *bool
	Mode      string
	Questions []struct {
		ID            string
		Type          ask.Type
		PresentedType ask.Type
	}
	Answers          json.RawMessage
	ElaborationItems []json.RawMessage
	Continuation     *struct {
		Strategy            string
		AffectedQuestionIDs []string `json:"affectedQuestionIds"`
		Preserved           []string
		States              map[string]string
	}
}

type expectedUI struct {
	Tab          *string
	View         *string
	Editing      *struct{ QuestionID string }
	EditorText   *string
	Option       *int
	ReviewAction *string
	ReviewArmed  *int
	Types        map[string]string
	Notices      []string
	FooterHints  *bool
	OverlayOpen  *bool
	PopupOpen    *bool
	Ready        *bool
	Overlay      *struct {
		Focus      *int
		Values     map[string]bool
		ResetArmed *bool
		Notices    []string
	}
}

func TestFormVectors(t *testing.T) {
	for _, file := range asktest.Files(t, asktest.Form) {
		var suite struct {
			Payloads map[string]json.RawMessage
			Cases    []formCase
		}
		if err := json.Unmarshal(file.Data, &suite); err != nil {
			t.Fatalf("%s: %v", file.Name, err)
		}
		for _, c := range suite.Cases {
			t.Run(file.Name+"/"+c.ID, func(t *testing.T) {
				h := newCaseHost(t, suite.Payloads[c.Payload], c)
				for _, k := range c.Keys {
					h.step(k)
				}
				h.check(c.Expect)
				if t.Failed() {
					t.Logf("why: %s\nkeys: %q\n%s", c.Why, c.Keys, strings.Join(h.text(), "\n"))
				}
			})
		}
	}
}

func (h *host) check(e expectation) {
	h.t.Helper()
	equal(h.t, "finished", h.state.Ended(), e.Finished)
	equal(h.t, "agentStopped", h.state.StopAgent(), e.AgentStopped)
	if h.state.Interrupted() != e.Interrupted {
		h.t.Errorf("interrupted is %v", h.state.Interrupted())
	}
	if e.Result != nil {
		h.checkResult(*e.Result)
	}
	if e.Summary != nil {
		got := h.state.Result().AgentText()
		if h.state.Interrupted() {
			got = ask.InterruptedText
		}
		equal(h.t, "summary", got, e.Summary)
	}
	if e.Draft != nil {
		h.checkDraft(e.Draft)
	}
	if e.UI != nil {
		h.checkUI(*e.UI)
	}
	if e.Frame != nil {
		h.checkFrame(e)
	}
}

func (h *host) checkFrame(e expectation) {
	lines, want := h.text(), *e.Frame
	if want.Raw {
		lines = h.ansi()
	}
	if len(lines) > want.MaxLines {
		h.t.Errorf("the frame has %d lines, at most %d allowed", len(lines), want.MaxLines)
	}
	all := strings.Join(lines, "\n")
	for _, s := range want.Contains {
		if !strings.Contains(all, s) {
			h.t.Errorf("the frame lacks %q", s)
		}
	}
	for _, s := range want.Lacks {
		if strings.Contains(all, s) {
			h.t.Errorf("the frame has %q", s)
		}
	}
}

func (h *host) checkResult(want expectedResult) {
	got := h.state.Result()
	equal(h.t, "cancelled", got.Cancelled, want.Cancelled)
	if want.Mode != "" && string(got.Mode) != want.Mode {
		h.t.Errorf("mode is %s, want %s", got.Mode, want.Mode)
	}
	for i, q := range want.Questions {
		g := got.Questions[i]
		if g.ID != q.ID || g.Type != q.Type || g.PresentedType != q.PresentedType {
			h.t.Errorf("question %d is %+v, want %+v", i, g, q)
		}
	}
	if want.Answers != nil {
		sameJSON(h.t, "answers", got.Answers, want.Answers)
	}
	if want.Mode != "elaborate" {
		return
	}
	if len(got.Elaboration.Items) != len(want.ElaborationItems) {
		h.t.Fatalf("%d elaboration items, want %d", len(got.Elaboration.Items), len(want.ElaborationItems))
	}
	for i, item := range got.Elaboration.Items {
		sameJSON(h.t, "item", itemSummary(item), want.ElaborationItems[i])
	}
	if c := want.Continuation; c != nil {
		g := got.Continuation
		var preserved []string
		for id := range g.PreservedAnswers {
			preserved = append(preserved, id)
		}
		states := map[string]string{}
		for id, s := range g.QuestionStates {
			states[id] = s.Status
		}
		sort.Strings(preserved)
		sort.Strings(c.Preserved)
		if g.Strategy != c.Strategy || !slices.Equal(g.AffectedQuestionIDs, c.AffectedQuestionIDs) ||
			!slices.Equal(preserved, c.Preserved) || !reflect.DeepEqual(states, c.States) {
			h.t.Errorf("continuation is %+v, want %+v", g, c)
		}
	}
}

// itemSummary is the part of an elaboration item that the vectors compare.
func itemSummary(i ask.Item) any {
	m := map[string]any{"questionId": i.Question.ID, "target": i.Target, "note": i.Note, "answered": i.Answered}
	if i.Selected != nil {
		m["selected"] = *i.Selected
	}
	if len(i.Images) > 0 {
		var ids []string
		for _, img := range i.Images {
			ids = append(ids, img.ID)
		}
		m["images"] = ids
	}
	return m
}

func (h *host) checkDraft(want map[string]json.RawMessage) {
	got := map[string]any{}
	for i, q := range h.state.Drafts().Form().Questions {
		d := h.state.Drafts().At(i)
		if d == nil {
			continue
		}
		values := []string{}
		for _, s := range d.Selected {
			values = append(values, s.Value)
		}
		m := map[string]any{"selected": values}
		if d.CustomText != "" {
			m["customText"] = d.CustomText
		}
		if d.CustomSelected {
			m["customSelected"] = true
		}
		if d.Note != "" {
			m["note"] = d.Note
		}
		notes := map[string]string{}
		for _, n := range d.OptionNotes {
			if n.Text != "" {
				notes[n.Value] = n.Text
			}
		}
		if len(notes) > 0 {
			m["optionNotes"] = notes
		}
		got[q.ID] = m
	}
	sameJSON(h.t, "draft", got, mustJSON(want))
}

func (h *host) checkUI(want expectedUI) {
	s := h.state
	form := s.Drafts().Form()
	tab := "review"
	if s.Tab() < len(form.Questions) {
		tab = form.Questions[s.Tab()].ID
		equal(h.t, "option", s.Option()+1, want.Option)
	} else {
		equal(h.t, "reviewAction", ui.ReviewActions[s.Action()], want.ReviewAction)
	}
	equal(h.t, "tab", tab, want.Tab)
	equal(h.t, "view", s.View().String(), want.View)
	armed := -1
	if want.ReviewArmed != nil {
		armed = *want.ReviewArmed
	}
	if s.ReviewArmed() != armed {
		h.t.Errorf("reviewArmed is %d, want %d", s.ReviewArmed(), armed)
	}
	q, text, open := s.Editing()
	if open != (want.EditorText != nil) {
		h.t.Errorf("an editor is open: %v", open)
	}
	if open {
		equal(h.t, "editorText", text, want.EditorText)
		if want.Editing != nil && form.Questions[q].ID != want.Editing.QuestionID {
			h.t.Errorf("editing %s, want %s", form.Questions[q].ID, want.Editing.QuestionID)
		}
	}
	for _, q := range form.Questions {
		if w, ok := want.Types[q.ID]; ok && string(q.Shown()) != w {
			h.t.Errorf("%s is shown as %s, want %s", q.ID, q.Shown(), w)
		}
	}
	if want.Notices != nil {
		var kinds []string
		for _, n := range s.Notices() {
			kinds = append(kinds, n.Kind)
		}
		sameSet(h.t, "notices", kinds, want.Notices)
	}
	equal(h.t, "footerHints", s.FooterHints(), want.FooterHints)
	equal(h.t, "overlayOpen", s.Overlay() != nil, want.OverlayOpen)
	equal(h.t, "popupOpen", s.PopupOpen(), want.PopupOpen)
	equal(h.t, "ready", s.Ready(), want.Ready)
	if o, got := want.Overlay, s.Overlay(); o != nil && got != nil {
		equal(h.t, "overlay focus", got.Focus, o.Focus)
		equal(h.t, "resetArmed", got.Armed, o.ResetArmed)
		for name, v := range got.Values {
			if w, ok := o.Values[string(name)]; ok && w != v {
				h.t.Errorf("%s is shown as %v", name, v)
			}
		}
		var kinds []string
		for _, n := range got.Notices {
			kinds = append(kinds, string(n.Kind))
		}
		sameSet(h.t, "overlay notices", kinds, o.Notices)
	}
}

func equal[T comparable](t testing.TB, what string, got T, want *T) {
	t.Helper()
	if want != nil && got != *want {
		t.Errorf("%s is %v, want %v", what, quoted(got), quoted(*want))
	}
}

func quoted(v any) string {
	if s, ok := v.(string); ok {
		return strconv.Quote(s)
	}
	return fmt.Sprint(v)
}

func sameSet(t testing.TB, what string, got, want []string) {
	t.Helper()
	sort.Strings(got)
	sort.Strings(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s are %q, want %q", what, got, want)
	}
}

func sameJSON(t testing.TB, what string, got any, want json.RawMessage) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal(mustJSON(got), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(bytes.NewReader(want)).Decode(&b); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%s are %s, want %s", what, mustJSON(a), mustJSON(b))
	}
}

func mustJSON(v any) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return out
}
