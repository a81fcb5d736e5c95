package ask_test

import (
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

func TestCloneSharesNothingThatChanges(t *testing.T) {
	form, err := ask.Normalize(ask.Payload{Questions: []ask.Question{{
		ID: "q", Prompt: "?", Type: ask.Multi,
		Options: []ask.Option{{Value: "a", Label: "A"}, {Value: "b", Label: "B"}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	d := ask.NewDrafts(form)
	d.Toggle(0, 0)
	d.SaveOptionNote(0, 0, "first")
	d.SetOptionNoteImages(0, 0, []ask.Image{{ID: "i"}})
	copied := d.Clone()
	before, _ := copied.MarshalJSON()
	d.Toggle(0, 1)
	d.SaveOptionNote(0, 0, "second")
	d.SetOptionNoteImages(0, 0, nil)
	d.SaveNote(0, "note")
	d.ChangeType(0)
	after, _ := copied.MarshalJSON()
	if string(before) != string(after) || copied.Form().Questions[0].Shown() != ask.Multi {
		t.Errorf("the copy changed from %s to %s", before, after)
	}
}
