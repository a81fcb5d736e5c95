package journal

import (
	"testing"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// The data of every entry, letter by letter as the session keeps them.
func TestEntriesAreWrittenInTheShapeOfTheSession(t *testing.T) {
	at := time.Date(2026, 8, 3, 14, 5, 6, 7_000_000, time.FixedZone("", 3600))
	yes := true
	params := ask.Payload{Title: " T ", Background: true, Questions: []ask.Question{{
		ID: "a", Prompt: "A <b> & c?", Options: []ask.Option{{Value: "v", Label: "V", Preview: " x", Recommended: &yes}}}}}
	questions := []ask.Question{{ID: "a", Label: "Q1", Prompt: "A?", Type: ask.Single, PresentedType: ask.Multi,
		Options: []ask.Option{{Value: "v", Label: "V"}}}}
	result := &ask.Result{Cancelled: true, Mode: ask.Submit}
	const paramsJSON = `{"title":" T ","background":true,"questions":[{"id":"a","prompt":"A <b> & c?","required":false,"options":[{"value":"v","label":"V","preview":" x","recommended":true}]}]}`
	const cancelled = `{"cancelled":true,"mode":"submit","questions":[],"answers":{}}`
	for _, c := range []struct {
		name string
		data Data
		want string
	}{
		{"payload", Payload{"c1", at, params}, `{"version":1,"timestamp":1785762306007,"source":"tool","sourceEntryId":"c1","params":` + paramsJSON + `}`},
		{"request", Request{"r1", "c1", "T", false, at, questions}, `{"version":1,"requestId":"r1","toolCallId":"c1","title":"T","background":false,"createdAt":"2026-08-03T13:05:06.007Z","questions":[{"id":"a","label":"Q1","prompt":"A?","type":"single","presentedType":"multi","required":false,"options":[{"value":"v","label":"V"}]}]}`},
		{"queued", Queued{"r1", "", params, true}, `{"version":1,"requestId":"r1","params":` + paramsJSON + `,"presentSingleAsMulti":true}`},
		{"completed with a result", Completed{Outcome{RequestID: "r1", Result: result}}, `{"version":1,"requestId":"r1","result":` + cancelled + `}`},
		{"completed without anything", Completed{Outcome{RequestID: "r1"}}, `{"version":1,"requestId":"r1","error":"unknown error"}`},
		{"queue completed", QueueCompleted{Outcome{RequestID: "r1", Error: "no tty"}}, `{"requestId":"r1","error":"no tty"}`},
		{"dismissed", Dismissed{"c1", "", DeliverNone, result}, `{"toolCallId":"c1","delivery":"none","result":` + cancelled + `}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := c.data.Entry()
			if got := string(e.Data); e.Type != "custom" || got != c.want {
				t.Errorf("type %q, data\n%s\nwant\n%s", e.Type, got, c.want)
			}
			if Decode(e) == nil {
				t.Error("cannot be read back")
			}
		})
	}
	e := Answer{Outcome{RequestID: "r1", Result: result}, []byte(`"text"`)}.Entry()
	if e.Type != "custom_message" || e.CustomType != TypeAnswer || !e.Display || string(e.Content) != `"text"` ||
		string(e.Details) != `{"requestId":"r1","result":`+cancelled+`}` || Decode(e) == nil {
		t.Errorf("answer message: %+v %s", e, e.Details)
	}
}
