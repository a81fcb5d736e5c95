package ask_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

const flowID = "tool:1"

func answerEvent(response string) json.RawMessage {
	return json.RawMessage(`{"version":1,"requestId":"b-1","flowId":"` + flowID + `","response":` + response + `}`)
}

func answers(a string) json.RawMessage {
	return answerEvent(`{"kind":"answer","answers":` + a + `}`)
}

// The events are in the order of the checks: each would also fail later ones.
func TestChecksOfASubmit(t *testing.T) {
	for _, c := range []struct {
		name    string
		event   json.RawMessage
		code    ask.SubmitCode
		message string
	}{
		{"not JSON", json.RawMessage(`{"flowId":`), ask.CodeInvalidRequest, "The event is not an object."},
		{"nothing", nil, ask.CodeInvalidRequest, "The event is not an object."},
		{"null", json.RawMessage(`null`), ask.CodeInvalidRequest, "The event is not an object."},
		{"a list", json.RawMessage(`[]`), ask.CodeInvalidRequest, "The event is not an object."},
		{"no version", json.RawMessage(`{}`), ask.CodeInvalidRequest, "Unsupported version; use 1."},
		{"version as text", json.RawMessage(`{"version":"1"}`), ask.CodeInvalidRequest, "Unsupported version; use 1."},
		{"version 2", json.RawMessage(`{"version":2,"requestId":"b"}`), ask.CodeInvalidRequest, "Unsupported version; use 1."},
		{"no request id", json.RawMessage(`{"version":1}`), ask.CodeInvalidRequest, "requestId is missing."},
		{"empty request id", json.RawMessage(`{"version":1.0,"requestId":""}`), ask.CodeInvalidRequest, "requestId is missing."},
		{"flow id a number", json.RawMessage(`{"version":1e0,"requestId":"b","flowId":7}`), ask.CodeInvalidRequest, "flowId is missing."},
		{"no response", json.RawMessage(`{"version":1,"requestId":"b","flowId":"x"}`), ask.CodeInvalidRequest, "response is not an object."},
		{"response a list", json.RawMessage(`{"version":1,"requestId":"b","flowId":"x","response":[]}`), ask.CodeInvalidRequest, "response is not an object."},
		{"kind null", json.RawMessage(`{"version":1,"requestId":"b","flowId":"x","response":{"kind":null}}`), ask.CodeInvalidRequest, `response.kind is neither "answer" nor "cancel".`},
		{"another form", json.RawMessage(`{"version":1,"requestId":"b","flowId":"x","response":{"kind":"answer"}}`), ask.CodeFlowNotFound, "No such form is open."},
		{"no answers", answerEvent(`{"kind":"answer","mode":""}`), ask.CodeInvalidAnswer, "answers is not an object."},
		{"answers a list", answers(`[]`), ask.CodeInvalidAnswer, "answers is not an object."},
		{"mode empty", answerEvent(`{"kind":"answer","mode":"","answers":{"x":1}}`), ask.CodeInvalidAnswer, `mode is neither "submit" nor "elaborate".`},
		{"mode false", answerEvent(`{"kind":"answer","mode":false,"answers":{}}`), ask.CodeInvalidAnswer, `mode is neither "submit" nor "elaborate".`},
		{"a name that every object has elsewhere", answers(`{"constructor":1}`), ask.CodeInvalidAnswer, `No question "constructor" in this form.`},
		{"the first entry fails first", answers(`{"one":1,"x":2}`), ask.CodeInvalidAnswer, `"one": the answer is not an object.`},
		{"values null", answers(`{"one":{"values":null,"customText":1}}`), ask.CodeInvalidAnswer, `"one": values is not a list of strings.`},
		{"values with a number", answers(`{"one":{"values":["a","a",1]}}`), ask.CodeInvalidAnswer, `"one": values is not a list of strings.`},
		{"a value twice", answers(`{"one":{"values":["x","x"]}}`), ask.CodeInvalidAnswer, `"one": a value is repeated.`},
		{"two values", answers(`{"seen":{"values":["x","y"],"customText":1}}`), ask.CodeInvalidAnswer, `"seen": only one value is allowed.`},
		{"customText null", answers(`{"one":{"values":["x"],"customText":null}}`), ask.CodeInvalidAnswer, `"one": customText is not a string.`},
		{"value and text", answers(`{"one":{"values":["x"],"customText":"t","note":1}}`), ask.CodeInvalidAnswer, `"one": give a value or customText, not both.`},
		{"note a list", answers(`{"one":{"values":["x"],"note":[],"optionNotes":1}}`), ask.CodeInvalidAnswer, `"one": note is not a string.`},
		{"option notes a list", answers(`{"one":{"values":["x"],"optionNotes":[]}}`), ask.CodeInvalidAnswer, `"one": optionNotes is not a map of strings.`},
		{"option note null", answers(`{"one":{"values":["x"],"optionNotes":{"a":null}}}`), ask.CodeInvalidAnswer, `"one": optionNotes is not a map of strings.`},
		{"unknown value", answers(`{"one":{"values":[" a"],"optionNotes":{"x":"n"}}}`), ask.CodeInvalidAnswer, `"one": no option " a".`},
		{"note on an unknown option", answers(`{"one":{"values":["a"],"optionNotes":{"y":" ","x":"n"}}}`), ask.CodeInvalidAnswer, `"one": note for an unknown option "x".`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := ask.NewDrafts(threeTypes())
			d.SaveNote(many, "mine")
			reply, _ := submit(c.event, flowID, d)
			if reply.OK || reply.Error != c.code || reply.Message != c.message {
				t.Errorf("got %+v, want %s: %s", reply, c.code, c.message)
			}
			if d.At(many).Note != "mine" || d.Answered(one) {
				t.Error("a refused event has changed the drafts")
			}
		})
	}
}

func TestAppliedAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		event  json.RawMessage
		ending ask.Ending
		want   string // drafts
	}{
		"declared order, text last, blank texts dropped": {answers(`{"many":{"values":["c","a"],"customText":" own ","note":" ","optionNotes":{"zz":"\ufeff","c":" n "}}}`), ask.Submitted,
			`{"many":{"selected":[{"value":"a","label":"A","index":1},{"value":"c","label":"C","index":3}],"customText":" own ","customSelected":true,"optionNotes":{"c":" n "}}}`},
		"the last of two equal ids": {answers(`{"one":{"values":["a"]},"one":{"values":["b"]}}`), ask.Submitted,
			`{"one":{"selected":[{"value":"b","label":"B","index":2}]}}`},
		"empty answers":           {answers(`{"one":{},"many":{"values":[],"customText":"","optionNotes":{}}}`), ask.Submitted, `{}`},
		"elaborate without notes": {answerEvent(`{"kind":"answer","mode":"elaborate","answers":{}}`), ask.Elaborated, `{}`},
		"cancel keeps the drafts": {answerEvent(`{"kind":"cancel","answers":7,"mode":null}`), ask.Cancelled,
			`{"one":{"selected":[],"note":"mine","noteImages":[{"id":"i1","mimeType":"image/png","data":"AA=="}]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			d := ask.NewDrafts(threeTypes())
			d.SaveNote(one, "mine")
			d.SetNoteImages(one, []ask.Image{picture})
			reply, ending := submit(c.event, flowID, d)
			if !reply.OK || ending != c.ending {
				t.Fatalf("reply %+v, ending %d", reply, ending)
			}
			sameJSON(t, "drafts", d, json.RawMessage(c.want))
		})
	}
}

func TestPresentedTypeDecidesHowManyValues(t *testing.T) {
	d := ask.NewDrafts(threeTypes())
	event := answers(`{"one":{"values":["b","a"]}}`)
	if reply, _ := submit(event, flowID, d); reply.OK {
		t.Error("two values on a single choice")
	}
	d.ChangeType(one)
	if reply, _ := submit(event, flowID, d); !reply.OK || d.Form().Questions[one].Shown() != ask.Multi {
		t.Errorf("reply %+v", reply)
	}
}

func TestRemoteNotesKeepTheirOrder(t *testing.T) {
	d := ask.NewDrafts(threeTypes())
	_, ending := submit(answerEvent(`{"kind":"answer","mode":"elaborate","answers":{"many":{"optionNotes":{"c":"1","a":"2","b":"3"}}}}`), flowID, d)
	var order []string
	for _, item := range d.Result(ending).Elaboration.Items {
		order = append(order, item.Target.OptionValue)
	}
	sameText(t, "order", strings.Join(order, ""), "cab")
}

func TestRepliesToOtherErrors(t *testing.T) {
	s, err := ask.ParseSubmit(json.RawMessage(`{"version":3,"requestId":"b","flowId":5}`))
	if err == nil || err.Error() != "invalid_request: Unsupported version; use 1." {
		t.Errorf("error %v", err)
	}
	sameJSON(t, "refused", s.Reply(err), json.RawMessage(`{"version":1,"requestId":"b","flowId":"","ok":false,"error":"invalid_request","message":"Unsupported version; use 1."}`))
	sameJSON(t, "wrapped", s.Reply(fmt.Errorf("late: %w", ask.FlowNotFound())), json.RawMessage(`{"version":1,"requestId":"b","flowId":"","ok":false,"error":"flow_not_found","message":"No such form is open."}`))
	sameJSON(t, "of another kind", s.Reply(errors.New("odd")), json.RawMessage(`{"version":1,"requestId":"b","flowId":"","ok":false,"error":"invalid_request","message":"odd"}`))
}

func FuzzSubmit(f *testing.F) {
	f.Add([]byte(answers(`{"many":{"values":["c","a"],"customText":"x","note":"n","optionNotes":{"c":"n"}}}`)))
	f.Add([]byte(answers(`{"one":{"values":["\ud800"]},"seen":{"customText":" "}}`)))
	f.Add([]byte(`{"version":1,"requestId":"","flowId":[]}`))
	schema := resolved(f, ask.OutputSchema())
	f.Fuzz(func(t *testing.T, event []byte) {
		d := ask.NewDrafts(threeTypes())
		reply, ending := submit(event, flowID, d)
		if reply.OK == (reply.Error != "") || !reply.OK && !d.Empty() {
			t.Fatalf("reply %+v", reply)
		}
		must(t, validates(schema, d.Result(ending)))
	})
}
