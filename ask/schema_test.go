package ask_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/asktest"
)

func parseSchema(t testing.TB, raw json.RawMessage) *jsonschema.Schema {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

func resolved(t testing.TB, raw json.RawMessage) *jsonschema.Resolved {
	t.Helper()
	r, err := parseSchema(t, raw).Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// validates encodes v and holds it against a schema.
func validates(s *jsonschema.Resolved, v any) error {
	raw, err := ask.Marshal(v)
	if err != nil {
		return err
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		return err
	}
	return s.Validate(plain)
}

// Every result that stands anywhere in the vectors is legal output.
func TestOutputSchemaTakesEveryResultOfTheVectors(t *testing.T) {
	schema := resolved(t, ask.OutputSchema())
	n := 0
	var walk func(where string, v any)
	walk = func(where string, v any) {
		switch v := v.(type) {
		case map[string]any:
			_, cancelled := v["cancelled"]
			_, answers := v["answers"]
			_, receipt := v["pendingRequests"]
			if cancelled && answers || receipt {
				n++
				if err := schema.Validate(v); err != nil {
					t.Errorf("%s: %v", where, err)
				}
			}
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(where, v[k])
			}
		case []any:
			for _, e := range v {
				walk(where, e)
			}
		}
	}
	for _, file := range asktest.Files(t, asktest.Ask) {
		var content struct{ Cases []map[string]any }
		if err := json.Unmarshal(file.Data, &content); err != nil {
			t.Fatal(err)
		}
		for _, c := range content.Cases {
			walk(file.Name+"/"+c["id"].(string), c)
		}
	}
	if n < 50 {
		t.Errorf("only %d results found", n)
	}
}

func TestOutputSchemaRefuses(t *testing.T) {
	schema := resolved(t, ask.OutputSchema())
	result := func(answer string) string {
		return `{"cancelled":false,"mode":"submit","questions":[],"answers":{"a":` + answer + `}}`
	}
	for name, raw := range map[string]string{
		"nothing":             `{}`,
		"null lists":          result(`{"values":null,"labels":[],"indices":[]}`),
		"an index of 0":       result(`{"values":[],"labels":[],"indices":[0]}`),
		"a broken index":      result(`{"values":[],"labels":[],"indices":[1.5]}`),
		"an unknown mode":     `{"cancelled":false,"mode":"done","questions":[],"answers":{}}`,
		"a negative queue":    `{"status":"queued","requestId":"r","questionIds":[],"pendingRequests":-1}`,
		"a mix of both":       `{"status":"queued","requestId":"r","questionIds":[],"pendingRequests":1,"cancelled":false}`,
		"images without data": result(`{"values":[],"labels":[],"indices":[],"customImages":[{"id":"i","mimeType":"image/png"}]}`),
	} {
		var v any
		if err := json.Unmarshal([]byte(raw), &v); err != nil {
			t.Fatal(err)
		}
		if schema.Validate(v) == nil {
			t.Errorf("%s: accepted %s", name, raw)
		}
	}
}

// The hand-written schemas and the Go types name the same fields.
func TestSchemasMatchTheTypes(t *testing.T) {
	out := parseSchema(t, ask.OutputSchema())
	sameFields[ask.Result](t, out, out.Defs["result"])
	sameFields[ask.Receipt](t, out, out.Defs["receipt"])
	in := parseSchema(t, ask.InputSchema())
	questions := in.Properties["questions"].Items
	// Fields that are not the author's, and one that is always written.
	questions.Properties["presentedType"] = &jsonschema.Schema{Type: "string"}
	questions.Required = append(questions.Required, "required")
	sameFields[ask.Payload](t, in, in)
}

func sameFields[T any](t *testing.T, root, written *jsonschema.Schema) {
	t.Helper()
	inferred, err := jsonschema.For[T](nil)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, reflect.TypeFor[T]().Name(), root, written, inferred)
}

func compare(t *testing.T, path string, root, written, inferred *jsonschema.Schema) {
	t.Helper()
	for name, def := range root.Defs {
		if written.Ref == "#/$defs/"+name {
			written = def
			break
		}
	}
	if inferred.Type != "" && inferred.Type != written.Type {
		t.Errorf("%s: type %q, Go has %q", path, written.Type, inferred.Type)
	}
	names := slices.Sorted(maps.Keys(written.Properties))
	goNames := slices.Sorted(maps.Keys(inferred.Properties))
	if path == "Result.elaboration.items.question.options" || path == "Result.elaboration.items.option" {
		goNames = slices.DeleteFunc(goNames, func(n string) bool { return n == "previewFile" }) // never sent
	}
	if !slices.Equal(names, goNames) {
		t.Errorf("%s: fields %q, Go has %q", path, names, goNames)
		return
	}
	if r, g := slices.Sorted(slices.Values(written.Required)), slices.Sorted(slices.Values(inferred.Required)); !slices.Equal(r, g) {
		t.Errorf("%s: required %q, Go has %q", path, r, g)
	}
	for _, name := range names {
		compare(t, path+"."+name, root, written.Properties[name], inferred.Properties[name])
	}
	if inferred.Items != nil {
		compare(t, path, root, written.Items, inferred.Items)
	}
	if inferred.AdditionalProperties != nil && len(inferred.Properties) == 0 && inferred.Type == "object" {
		compare(t, path+".*", root, written.AdditionalProperties, inferred.AdditionalProperties)
	}
}

func TestInputSchema(t *testing.T) {
	schema := resolved(t, ask.InputSchema())
	ok := map[string]any{"extra": true, "questions": []any{map[string]any{"id": "a", "prompt": "A?", "options": []any{}}}}
	if err := schema.Validate(ok); err != nil {
		t.Errorf("extra fields and empty lists are for the check of the meaning: %v", err)
	}
	if schema.Validate(map[string]any{"title": "T"}) == nil {
		t.Error("questions are not required")
	}
	var walk func(s *jsonschema.Schema)
	walk = func(s *jsonschema.Schema) {
		if s.AnyOf != nil || s.OneOf != nil || s.AllOf != nil || s.Ref != "" {
			t.Error("some providers lose the options of a schema that is not flat")
		}
		for _, p := range s.Properties {
			walk(p)
		}
		if s.Items != nil {
			walk(s.Items)
		}
	}
	walk(parseSchema(t, ask.InputSchema()))
}

func TestTools(t *testing.T) {
	tools := ask.Tools()
	if len(tools) != 2 || tools[0].Name != "ask_user" || tools[1].Name != "wait_for_answers" || tools[0].ModelOnly || !tools[1].ModelOnly {
		t.Fatalf("tools: %+v", tools)
	}
	for _, tool := range tools {
		resolved(t, tool.Parameters)
		for _, line := range tool.Guidelines {
			if !containsWord(line, tool.Name) {
				t.Errorf("%q does not name %s", line, tool.Name)
			}
		}
	}
	tools[0].Guidelines[0] = "changed"
	if ask.Tools()[0].Guidelines[0] == "changed" {
		t.Error("a caller can change the guidelines of all others")
	}
}
