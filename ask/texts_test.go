package ask_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

func TestWhitespace(t *testing.T) {
	const set = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
	if !ask.IsBlank(set) || !ask.IsBlank("") {
		t.Error("the set is not blank")
	}
	for _, other := range []string{"\u0085", "\u200b", "\u180e", "\x00", "\x1f", "\xff"} {
		if ask.IsBlank(other) {
			t.Errorf("%q is blank", other)
		}
		sameText(t, "trimmed", ask.TrimSpace(set+other+" x"+set), other+" x")
	}
}

// resultOf reads a result as it comes from a session file.
func resultOf(t *testing.T, raw string) ask.Result {
	t.Helper()
	var r ask.Result
	must(t, json.Unmarshal([]byte(raw), &r))
	return r
}

const twoQuestions = `"questions":[{"id":"a","label":"A","prompt":"A?","type":"single"},{"id":"b","label":"B","prompt":"B?","type":"multi"}]`

func TestTextsOfResults(t *testing.T) {
	image := `{"id":"i","mimeType":"image/png","data":"AA=="}`
	for name, c := range map[string]struct{ result, agent, transcript string }{
		"labels with commas and newlines are quoted in lists": {
			`{"mode":"submit",` + twoQuestions + `,"answers":{"a":{"values":["x"],"labels":["one, two"],"indices":[1]},"b":{"values":["x","y","z"],"labels":["one, two","<&>\u2028","l1\nl2\t\u0001\"\b\f\r\\"],"indices":[1,2]}}}`,
			"A: one, two\nB: \"one, two\", <&>\u2028, \"l1\\nl2\\t\\u0001\\\"\\b\\f\\r\\\\\"",
			"✓ A: one, two\n✓ B: \"one, two\", <&>\u2028, \"l1\\nl2\\t\\u0001\\\"\\b\\f\\r\\\\\""},
		"free text that equals a value": {
			`{"mode":"submit",` + twoQuestions + `,"answers":{"b":{"values":["x","x"],"labels":["X","x"],"indices":[1],"customText":"x","optionNotes":{"x":"once"}}}}`,
			"A: (no answer)\nB: X, x\nB / X note: once",
			"? A: (no answer)\n✓ B: X, x\n  X note: once"},
		"notes on the question come before those on options": {
			`{"mode":"submit",` + twoQuestions + `,"answers":{"b":{"values":["x","y"],"labels":["X","Y"],"indices":[1,2],"note":"n","noteImages":[` + image + `,` + image + `],"optionNoteImages":{"y":[` + image + `]},"optionNotes":{"x":"nx"}}}}`,
			"A: (no answer)\nB: X, Y\nB note: n [2 images]\nB / X note: nx\nB / Y note: [1 image]",
			"? A: (no answer)\n✓ B: X, Y\n  note: n [2 images]\n  X note: nx\n  Y note: [1 image]"},
		"lists of unequal length": {
			`{"mode":"submit",` + twoQuestions + `,"answers":{"b":{"values":["x"],"labels":[],"indices":[1,2,3],"optionNotes":{"x":"n"}}}}`,
			"A: (no answer)\nB: (no answer)\nB / x note: n",
			"? A: (no answer)\n? B: (no answer)\n  x note: n"},
		"presented in two ways": {
			`{"mode":"submit","questions":[{"id":"a","label":"A","prompt":"?","type":"single","presentedType":"multi"},{"id":"b","label":"B","prompt":"?","type":"multi","presentedType":"single"}],
			"answers":{"a":{"values":[],"labels":[],"indices":[],"customImages":[` + image + `]},"b":{"values":["x"],"labels":["X"],"indices":[1]}}}`,
			"A: [1 image]\nB: X\nNote: some answers were given on questions presented with another type (the user's choice).",
			"✓ A: (wrote) [1 image]\n✓ B: X\n  Note: some answers were given on questions presented with another type (the user's choice)."},
		"clarification that says resume": {
			`{"mode":"elaborate",` + twoQuestions + `,"answers":{},"continuation":{"strategy":"resume"},"elaboration":{"nextAction":"clarify"}}`,
			"User asked to elaborate but left no notes and no answers", "User asked to elaborate but left no notes and no answers"},
		"clarification without its parts": {
			`{"mode":"elaborate",` + twoQuestions + `,"answers":{"a":{"values":["x"],"labels":["X\n"],"indices":[1]}}}`,
			`User asked to elaborate on question "A?" (current answer: "X\n")`, `User asked to elaborate on question "A?" (current answer: "X\n")`},
		"cancelled in the middle of a clarification": {`{"cancelled":true,"mode":"elaborate"}`, ask.CancelledText, "Cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			r := resultOf(t, c.result)
			sameText(t, "agent text", r.AgentText(), c.agent)
			sameText(t, "transcript", r.Transcript(), c.transcript)
		})
	}
}

func TestBackgroundTextOfOtherOutcomes(t *testing.T) {
	r := resultOf(t, `{"title":"T","mode":"elaborate",`+twoQuestions+`,"answers":{}}`)
	sameText(t, "clarification", ask.BackgroundText("r", &r, ""), "Background answer [r] — T:\nQuestions:\n- [a] A: A?\n- [b] B: B?\nResponse:\nUser asked to elaborate but left no notes and no answers")
	sameText(t, "failure without a reason", ask.BackgroundText("r", nil, ""), "Background answer [r]:\nThe form failed: unknown error")
}

func TestImagesAreSentOnce(t *testing.T) {
	d := ask.NewDrafts(threeTypes())
	d.SetCustomImages(many, []ask.Image{picture})
	d.SaveCustom(many, "")
	d.Toggle(many, 0)
	d.SetOptionNoteImages(many, 0, []ask.Image{picture, {ID: "i2", MimeType: "image/gif", Data: "BB=="}})
	d.SetNoteImages(one, []ask.Image{{ID: "i3", MimeType: "image/png", Data: "CC=="}})
	sameJSON(t, "blocks", d.Result(ask.Elaborated).ImageBlocks(), json.RawMessage(`[
		{"type":"text","text":"Image for [many] Many? — custom answer:"},{"type":"image","mimeType":"image/png","data":"AA=="},
		{"type":"text","text":"Image for [many] Many? — option note for A:"},{"type":"image","mimeType":"image/gif","data":"BB=="},
		{"type":"text","text":"Image for [one] One? — question note:"},{"type":"image","mimeType":"image/png","data":"CC=="}]`))
	sameJSON(t, "blocks of a cancelled form", d.Result(ask.Cancelled).ImageBlocks(), json.RawMessage(`[]`))
}

// No text of others can steer a terminal through a row.
func TestRowsAreSafeToDraw(t *testing.T) {
	for _, evil := range []string{"\x1b[2J", "\x07", "\u009b31m", "\u202e", "a\nb\tc", "\xff", strings.Repeat("x", 1<<20)} {
		label, err := ask.Marshal(evil)
		must(t, err)
		call := markup(ask.CallRow(json.RawMessage(`{"questions":[{"label":` + string(label) + `},{"label":` + string(label) + `}]}`)))
		result := markup(ask.ResultRow(nil, []ask.Block{{Type: ask.TextBlock, Text: evil}}))
		if strings.ContainsAny(call+result, "\x1b\x07\u009b\u202e") || strings.Contains(call, "\n") || len(call) > 400 {
			t.Errorf("%.20q is drawn as %.200q and %.200q", evil, call, result)
		}
	}
}

func TestRowsOfIncompleteCalls(t *testing.T) {
	const none = "<toolTitle><b>ask_user </b></toolTitle><muted>0 question(s)</muted>"
	for _, args := range []string{"", "{", "null", "[]", "{}", `{"questions":"[`, `{"questions":"x"}`, `{"questions":[]}`} {
		sameText(t, args, markup(ask.CallRow(json.RawMessage(args))), none)
	}
	sameText(t, "odd questions", markup(ask.CallRow(json.RawMessage(`{"questions":[1,{"label":2},{"label":" X "}]}`))),
		"<toolTitle><b>ask_user </b></toolTitle><muted>3 question(s)</muted><dim> (Q1, Q2, X)</dim>")
}

func TestRowsOfForeignDetails(t *testing.T) {
	content := []ask.Block{{Type: ask.TextBlock, Text: "Validation failed"}, {Type: ask.TextBlock, Text: "more"}}
	for _, details := range []string{"", "null", "{}", "[]", `{"cancelled":"yes"}`, `{"answers":3,"cancelled":true}`, `{"status":"open"}`} {
		sameText(t, details, markup(ask.ResultRow(json.RawMessage(details), content)), "Validation failed")
	}
	if row := ask.ResultRow(nil, nil); len(row) != 0 {
		t.Errorf("a row from nothing: %v", row)
	}
}

func TestEnvelopeOfModesWithoutAForm(t *testing.T) {
	r, text := ask.NotInteractive(threeTypes().PresentSinglesAsMulti())
	e := ask.Envelope("r1", text, r)
	if len(e.Content) != 1 || !strings.HasPrefix(e.Content[0].Text, "ask_user [r1]\nNeeds user input: ") {
		t.Errorf("content %+v", e.Content)
	}
	sameJSON(t, "details", e.Details, json.RawMessage(`{"requestId":"r1","title":"T","cancelled":true,"mode":"submit","questions":[
		{"id":"one","label":"Q1","prompt":"One?","type":"single","presentedType":"multi"},{"id":"many","label":"Q2","prompt":"Many?","type":"multi"},{"id":"seen","label":"Q3","prompt":"Seen?","type":"preview"}],"answers":{}}`))
	if r.RequestID != "" {
		t.Error("the result itself was changed")
	}
}

func TestReceipt(t *testing.T) {
	r := ask.NewReceipt("r1", threeTypes(), 2)
	sameJSON(t, "receipt", r, json.RawMessage(`{"status":"queued","requestId":"r1","questionIds":["one","many","seen"],"pendingRequests":2}`))
	sameText(t, "text", r.Envelope().Content[0].Text, "ask_user [r1] is queued, 2 form(s) pending. This receipt is neither an answer nor an approval: go on with independent work and call wait_for_answers once an answer is needed.")
	must(t, validates(resolved(t, ask.OutputSchema()), r))
	must(t, validates(resolved(t, ask.OutputSchema()), ask.Receipt{Status: "queued"}))
}

func TestEmptyListsAndMapsAreNeverNull(t *testing.T) {
	r := ask.Result{Mode: ask.Elaborate, Answers: map[string]ask.Answer{"a": {}}, Error: &ask.ResultError{},
		Continuation: &ask.Continuation{}, Elaboration: &ask.Elaboration{}}
	sameJSON(t, "result", r, json.RawMessage(`{"cancelled":false,"error":{"kind":"","issues":[]},"mode":"elaborate","questions":[],
		"answers":{"a":{"values":[],"labels":[],"indices":[]}},
		"continuation":{"strategy":"","affectedQuestionIds":[],"preservedAnswers":{},"questionStates":{}},
		"elaboration":{"instruction":"","nextAction":"","items":[]}}`))
}
