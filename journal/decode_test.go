package journal

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// Good data of every type, as another program may have written them.
var goodData = map[string]string{
	TypePayload:        `{"version":1,"timestamp":1785762306007,"source":"tool","sourceEntryId":"c1","params":{"questions":[{"id":"a","prompt":"A?","options":[{"value":"v","label":"V"}]}]}}`,
	TypeRequest:        `{"version":1,"requestId":"r1","toolCallId":"c1","background":false,"createdAt":"2026-08-03T14:00:00.000Z","questions":[{"id":"a","label":"L","prompt":"A?","type":"single","required":true,"options":[{"value":"v","label":"V"}]}]}`,
	TypeQueued:         `{"version":1,"requestId":"r1","params":{"questions":[{"id":"a","prompt":"A?","options":[]}]},"presentSingleAsMulti":true}`,
	TypeCompleted:      `{"version":1,"requestId":"r1","result":{"cancelled":false,"mode":"submit","questions":[],"answers":{"a":{"values":["v"],"labels":["V"],"indices":[1]}}}}`,
	TypeQueueCompleted: `{"requestId":"r1","error":"no tty"}`,
	TypeDismissed:      `{"toolCallId":"c1"}`,
}

func TestUnknownShapesAreSkipped(t *testing.T) {
	for _, c := range []struct {
		typ, old, new string // what is replaced in the good data
		ok            bool
	}{
		{TypePayload, "", "", true},
		{TypePayload, `"version":1`, `"version":2`, false},
		{TypePayload, `"version":1`, `"version":"1"`, false},
		{TypePayload, `"version":1,`, ``, false},
		{TypePayload, `"source":"tool"`, `"source":"file"`, false},
		{TypePayload, `"prompt":"A?",`, ``, false},
		{TypePayload, `"prompt":"A?"`, `"prompt":null`, false},
		{TypePayload, `"prompt":"A?"`, `"prompt":"A?","type":"grid"`, false},
		{TypePayload, `"prompt":"A?"`, `"prompt":"A?","more":[1]`, true},
		{TypePayload, `"label":"V"`, `"lable":"V"`, false},
		{TypePayload, `"label":"V"`, `"label":"V","recommended":"yes"`, false},
		{TypePayload, `1785762306007`, `1e400`, false},
		{TypeRequest, "", "", true},
		{TypeRequest, `"background":false`, `"background":0`, false},
		{TypeRequest, `2026-08-03T14:00:00.000Z`, `yesterday`, false},
		{TypeRequest, `"type":"single"`, `"type":"single","presentedType":"x"`, false},
		{TypeRequest, `"questions":[`, `"questions":[7,`, false},
		{TypeQueued, "", "", true},
		{TypeQueued, `"version":1`, `"version":0`, false},
		{TypeQueued, `true`, `null`, false},
		{TypeQueued, `"requestId":"r1"`, `"requestId":7`, false},
		{TypeCompleted, "", "", true},
		{TypeCompleted, `"version":1`, `"version":3`, false},
		{TypeCompleted, `"mode":"submit"`, `"mode":"maybe"`, false},
		{TypeCompleted, `"indices":[1]`, `"indices":[0]`, false},
		{TypeCompleted, `"indices":[1]`, `"indices":[1.5]`, false},
		{TypeCompleted, `"labels":["V"],`, ``, false},
		{TypeCompleted, `"cancelled":false,`, ``, false},
		{TypeCompleted, `"answers":{`, `"answers":{"b":[],`, false},
		{TypeQueueCompleted, "", "", true},
		{TypeQueueCompleted, `"no tty"`, `""`, false},
		{TypeQueueCompleted, `,"error":"no tty"`, ``, false},
		{TypeQueueCompleted, `"no tty"`, `{}`, false},
		{TypeDismissed, "", "", true},
		{TypeDismissed, `"c1"`, `"c1","delivery":"none"`, true},
		{TypeDismissed, `"c1"`, `"c1","delivery":"steer"`, false},
		{TypeDismissed, `"c1"`, `"c1","result":{}`, false},
	} {
		data := strings.Replace(goodData[c.typ], c.old, c.new, 1)
		if d := Decode(Entry{Type: "custom", CustomType: c.typ, Data: json.RawMessage(data)}); (d != nil) != c.ok {
			t.Errorf("%s with %s for %s: %+v", c.typ, c.new, c.old, d)
		}
	}
	for _, e := range []Entry{
		{}, {Type: "custom"}, {Type: "custom", CustomType: "ask:other", Data: json.RawMessage(`{}`)},
		{Type: "message", CustomType: TypeDismissed, Data: json.RawMessage(goodData[TypeDismissed])},
		{Type: "custom_message", CustomType: TypeAnswer},
		{Type: "custom_message", CustomType: TypeAnswer, Details: json.RawMessage(`{"requestId":"r"}`)},
		{Type: "custom_message", CustomType: TypeDismissed, Details: json.RawMessage(`{"requestId":"r","error":"e"}`)},
		{Type: "custom", CustomType: TypeDismissed, Data: json.RawMessage(goodData[TypeDismissed] + "x")},
	} {
		if d := Decode(e); d != nil {
			t.Errorf("%+v: %+v", e, d)
		}
	}
}

// Names are matched letter by letter, as other programs match them.
func TestMembersThatDifferInCaseAreOthers(t *testing.T) {
	data := `{"RequestID":"x","requestId":"r1","REQUESTID":"y","error":"no tty","Result":{},"ERROR":""}`
	d := Decode(Entry{Type: "custom", CustomType: TypeQueueCompleted, Data: json.RawMessage(data)})
	if want := (QueueCompleted{Outcome{RequestID: "r1", Error: "no tty"}}); !reflect.DeepEqual(d, want) {
		t.Errorf("got %+v, want %+v", d, want)
	}
}

// What is written is read back the same, down to the last field.
func TestEntriesComeBackAsTheyWere(t *testing.T) {
	yes, image := true, []ask.Image{{ID: "i", MimeType: "image/png", Data: "AA=="}}
	option := ask.Option{Value: "v", Label: "V", Description: "d", Preview: " p", Recommended: &yes}
	answer := ask.Answer{Values: []string{"v", "t"}, Labels: []string{"V", "t"}, Indices: []int{1}, CustomText: "t", Note: "n",
		OptionNotes: map[string]string{"v": "o"}, CustomImages: image, NoteImages: image, OptionNoteImages: map[string][]ask.Image{"v": image}}
	result := &ask.Result{RequestID: "r", Title: "T", Mode: ask.Elaborate,
		Questions: []ask.ResultQuestion{{ID: "a", Label: "L", Prompt: "P", Type: ask.Single, PresentedType: ask.Multi}},
		Answers:   map[string]ask.Answer{"a": answer},
		Continuation: &ask.Continuation{Strategy: "refine_only", AffectedQuestionIDs: []string{"a"},
			PreservedAnswers: map[string]ask.Answer{"a": answer}, QuestionStates: map[string]ask.QuestionState{"a": {Status: "answered"}}},
		Elaboration: &ask.Elaboration{Instruction: "i", NextAction: "clarify_then_reask", Items: []ask.Item{{
			Target: ask.Target{Kind: "option", OptionValue: "v"}, Note: "n", Images: image, Option: &option, Selected: &yes, Answered: true, Answer: &answer,
			Question: ask.ItemQuestion{ID: "a", Label: "L", Prompt: "P", Type: ask.Single, PresentedType: ask.Multi, Options: []ask.Option{option}}}}},
	}
	outcome := Outcome{RequestID: "r", Result: result, Error: "also"}
	params := ask.Payload{Title: "T", Background: true, Questions: []ask.Question{{ID: "a", Label: "L", Prompt: "P", Required: true, Type: ask.Preview, Options: []ask.Option{option}}}}
	at := now()
	for _, d := range []Data{
		Payload{"c", at, params}, Request{"r", "c", "T", true, at, params.Questions}, Queued{"r", "c", params, true},
		Completed{outcome}, QueueCompleted{outcome}, Dismissed{"c", "r", DeliverFollowUp, result}, Answer{outcome, json.RawMessage(`[]`)},
	} {
		if got := Decode(d.Entry()); !reflect.DeepEqual(got, d) {
			t.Errorf("%T: got\n%+v\nwant\n%+v", d, got, d)
		}
	}
	// Put together by hand, with everything left out that may be.
	bare := &ask.Result{Elaboration: &ask.Elaboration{NextAction: "clarify", Items: []ask.Item{{
		Target: ask.Target{Kind: "question"}, Question: ask.ItemQuestion{}}}}, Questions: []ask.ResultQuestion{{}}}
	question := []ask.Question{{}}
	for _, d := range []Data{Payload{}, Payload{Params: ask.Payload{Questions: question}}, Request{}, Request{Questions: question}, Queued{},
		Completed{}, Completed{Outcome{Result: bare}}, QueueCompleted{}, Dismissed{Result: bare}, Answer{}, Answer{Outcome: Outcome{Result: bare}}} {
		if Decode(d.Entry()) == nil {
			t.Errorf("%T cannot be read: %s", d, d.Entry().Data)
		}
	}
}
