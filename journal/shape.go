package journal

import (
	"bytes"
	"encoding/json"
	"strings"
)

// A shape says what a JSON value must look like. It returns an error-free
// yes or no: an entry of the wrong shape is skipped, nobody is told why.
// A shape may drop members that encoding/json would take for a known one
// because it ignores case; it then sets *changed.
type shape func(v any, changed *bool) bool

// decode checks raw against s and then decodes it into v.
func decode(raw json.RawMessage, s shape, v any) bool {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var tree any
	if dec.Decode(&tree) != nil {
		return false
	}
	changed := false
	if !s(tree, &changed) {
		return false
	}
	if changed {
		raw = encode(tree)
	}
	return json.Unmarshal(raw, v) == nil
}

func text(v any, _ *bool) bool {
	_, ok := v.(string)
	return ok
}

func flag(v any, _ *bool) bool {
	_, ok := v.(bool)
	return ok
}

// whole is an integer that an int64 holds.
func whole(v any, _ *bool) bool {
	n, ok := v.(json.Number)
	if !ok {
		return false
	}
	_, err := n.Int64()
	return err == nil
}

// position is an integer of 1 or more.
func position(v any, _ *bool) bool {
	n, ok := v.(json.Number)
	if !ok {
		return false
	}
	i, err := n.Int64()
	return err == nil && i >= 1
}

func oneOf(words ...string) shape {
	return func(v any, _ *bool) bool {
		for _, w := range words {
			if v == w {
				return true
			}
		}
		return false
	}
}

func listOf(item shape) shape {
	return func(v any, changed *bool) bool {
		list, ok := v.([]any)
		for i := 0; ok && i < len(list); i++ {
			ok = item(list[i], changed)
		}
		return ok
	}
}

func mapOf(item shape) shape {
	return func(v any, changed *bool) bool {
		m, ok := v.(map[string]any)
		if !ok {
			return false
		}
		for _, x := range m {
			if !item(x, changed) {
				return false
			}
		}
		return true
	}
}

// A member is one property of an object; optional names end in "?".
type member struct {
	name string
	is   shape
}

func object(members ...member) shape {
	return func(v any, changed *bool) bool {
		m, ok := v.(map[string]any)
		if !ok {
			return false
		}
		for _, want := range members {
			name, optional := strings.CutSuffix(want.name, "?")
			x, present := m[name]
			if !present && !optional || present && !want.is(x, changed) {
				return false
			}
		}
		dropLookalikes(m, members, changed)
		return true
	}
}

// dropLookalikes removes members that differ from a known one only in case.
func dropLookalikes(m map[string]any, members []member, changed *bool) {
	for name := range m {
		for _, want := range members {
			known := strings.TrimSuffix(want.name, "?")
			if name != known && strings.EqualFold(name, known) {
				delete(m, name)
				*changed = true
			}
		}
	}
}

var (
	kind = oneOf("single", "multi", "preview")

	optionShape = object(member{"value", text}, member{"label", text}, member{"description?", text},
		member{"preview?", text}, member{"previewFile?", text}, member{"recommended?", flag})

	paramsShape = object(member{"background?", flag}, member{"title?", text}, member{"questions", listOf(object(
		member{"id", text}, member{"label?", text}, member{"prompt", text}, member{"type?", kind},
		member{"required?", flag}, member{"options", listOf(optionShape)}))})

	imagesShape = listOf(object(member{"id", text}, member{"mimeType", text}, member{"data", text}))

	answerShape = object(member{"values", listOf(text)}, member{"labels", listOf(text)}, member{"indices", listOf(position)},
		member{"customText?", text}, member{"note?", text}, member{"optionNotes?", mapOf(text)},
		member{"customImages?", imagesShape}, member{"noteImages?", imagesShape},
		member{"optionNoteImages?", mapOf(imagesShape)})

	continuationShape = object(member{"strategy", oneOf("refine_only", "resume")},
		member{"affectedQuestionIds", listOf(text)}, member{"preservedAnswers", mapOf(answerShape)},
		member{"questionStates", mapOf(object(member{"status", oneOf("answered", "needs_clarification", "unanswered")}))})

	itemShape = object(
		member{"target", object(member{"kind", oneOf("question", "option")}, member{"optionValue?", text})},
		member{"question", object(member{"id", text}, member{"label", text}, member{"prompt", text},
			member{"type", kind}, member{"presentedType?", kind}, member{"options", listOf(optionShape)})},
		member{"option?", optionShape}, member{"selected?", flag}, member{"answered", flag},
		member{"answer?", answerShape}, member{"note", text}, member{"images?", imagesShape})

	resultShape = object(member{"requestId?", text}, member{"title?", text}, member{"cancelled", flag},
		member{"error?", object(member{"kind", text}, member{"issues", listOf(object(member{"path", text}, member{"message", text}))})},
		member{"mode", oneOf("submit", "elaborate")},
		member{"questions", listOf(object(member{"id", text}, member{"label", text}, member{"prompt", text},
			member{"type", kind}, member{"presentedType?", kind}))},
		member{"answers", mapOf(answerShape)},
		member{"continuation?", continuationShape},
		member{"elaboration?", object(member{"instruction", text},
			member{"nextAction", oneOf("clarify_then_reask", "clarify")}, member{"items", listOf(itemShape)})})

	outcomeShape = object(member{"requestId", text}, member{"result?", resultShape}, member{"error?", text})

	completedShape = object(member{"version", whole}, member{"requestId", text},
		member{"result?", resultShape}, member{"error?", text})

	payloadShape = object(member{"version", whole}, member{"timestamp", whole}, member{"source", text},
		member{"sourceEntryId", text}, member{"params", paramsShape})

	requestShape = object(member{"version", whole}, member{"requestId", text}, member{"toolCallId", text},
		member{"title?", text}, member{"background", flag}, member{"createdAt", text},
		member{"questions", listOf(object(member{"id", text}, member{"label", text}, member{"prompt", text},
			member{"type", kind}, member{"presentedType?", kind}, member{"required", flag},
			member{"options", listOf(optionShape)}))})

	queuedShape = object(member{"version", whole}, member{"requestId", text}, member{"toolCallId?", text},
		member{"params", paramsShape}, member{"presentSingleAsMulti", flag})

	dismissedShape = object(member{"toolCallId", text}, member{"requestId?", text},
		member{"delivery?", oneOf(DeliverFollowUp, DeliverNone)}, member{"result?", resultShape})
)
