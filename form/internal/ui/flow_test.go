package ui

import (
	"encoding/json"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/asktest"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// flowOp is one step of a flow case. Steps work below the editor: texts are
// stored as given, and the free-text editor does not open by itself.
type flowOp struct {
	Op               string
	N, Delta         int
	Question, Option string
	Text, Action     string
	Images           []ask.Image
	Confirmed        bool
}

// TestFlowVectorsPosition checks where the form stands at the end of each flow
// case; what was answered is checked in package ask.
func TestFlowVectorsPosition(t *testing.T) {
	for _, file := range asktest.Files(t, asktest.Ask) {
		var suite struct {
			Cases []struct {
				ID, Kind string
				Input    struct {
					Payload              json.RawMessage
					PresentSingleAsMulti bool
					Ops                  []flowOp
				}
				Expected struct {
					Position *struct {
						Tab, Option int
						View        string
					}
				}
			}
		}
		if err := json.Unmarshal(file.Data, &suite); err != nil {
			t.Fatal(err)
		}
		for _, c := range suite.Cases {
			if c.Kind != "flow" || c.Expected.Position == nil {
				continue
			}
			t.Run(file.Name+"/"+c.ID, func(t *testing.T) {
				s := flowState(t, c.Input.Payload, c.Input.PresentSingleAsMulti)
				for _, op := range c.Input.Ops {
					s.play(op)
				}
				want := *c.Expected.Position
				got := want
				got.Tab, got.Option, got.View = s.tab, s.option, s.view.String()
				if s.onReview() {
					got.Option = s.action
					if s.ended {
						got.Option = 0 // the cursor of the actions is none of the rows
					}
				}
				if got != want {
					t.Errorf("the form stands at %+v, want %+v", got, want)
				}
			})
		}
	}
}

func flowState(t *testing.T, payload json.RawMessage, multi bool) *State {
	t.Helper()
	p, err := ask.Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	f, err := ask.Normalize(p)
	if err != nil {
		t.Fatal(err)
	}
	if multi {
		f = f.PresentSinglesAsMulti()
	}
	return New(f, Options{Settings: settings.Default().With(settings.DoublePressReviewShortcuts, false)})
}

func (s *State) play(op flowOp) {
	s.noAutoOpen = true
	q := s.tab
	for i := range s.form.Questions {
		if s.form.Questions[i].ID == op.Question {
			q = i
		}
	}
	switch op.Op {
	case "digit":
		s.digit(op.N)
	case "toggle":
		s.mainAction(settings.ActionToggle)
	case "confirm":
		s.mainAction(settings.ActionConfirm)
	case "option":
		s.move(op.Delta)
	case "tab":
		s.goTab(s.tab + op.Delta)
	case "questionNote":
		s.openEditor(QuestionNoteEditor, q, 0, "")
	case "optionNote":
		for i, o := range s.form.Questions[q].Options {
			if o.Value == op.Option {
				s.openEditor(OptionNoteEditor, q, i, "")
			}
		}
	case "openInput":
		s.openEditor(AnswerEditor, q, 0, "")
	case "images":
		s.setImages(op.Images)
	case "saveNote", "saveInput":
		s.edit.SetText(op.Text)
		s.saveEditor()
		s.closeEditor()
		s.showTab()
	case "submitInput":
		s.edit.SetText(op.Text)
		s.submitEditor()
	case "changeType":
		s.changeType()
		if op.Confirmed {
			s.changeType()
		}
	}
}

// showTab puts the view back to that of the tab.
func (s *State) showTab() {
	s.view = Navigate
	if s.onReview() {
		s.view = Review
	}
}
