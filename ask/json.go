package ask

import (
	"bytes"
	"encoding/json"
)

// Marshal encodes v as everything of the contract is encoded: without escaping
// <, > and &. (Through [json.Marshal] the types of this package keep their
// shape but have these characters escaped.)
func Marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// MarshalJSON encodes missing lists and maps as empty ones.
func (r Result) MarshalJSON() ([]byte, error) {
	type plain Result
	r.Questions, r.Answers = nonNil(r.Questions), nonNilMap(r.Answers)
	return Marshal(plain(r))
}

// MarshalJSON encodes a missing list as an empty one.
func (e ResultError) MarshalJSON() ([]byte, error) {
	type plain ResultError
	e.Issues = nonNil(e.Issues)
	return Marshal(plain(e))
}

// MarshalJSON encodes missing lists as empty ones.
func (a Answer) MarshalJSON() ([]byte, error) {
	type plain Answer
	a.Values, a.Labels, a.Indices = nonNil(a.Values), nonNil(a.Labels), nonNil(a.Indices)
	return Marshal(plain(a))
}

// MarshalJSON encodes missing lists and maps as empty ones.
func (c Continuation) MarshalJSON() ([]byte, error) {
	type plain Continuation
	c.AffectedQuestionIDs = nonNil(c.AffectedQuestionIDs)
	c.PreservedAnswers, c.QuestionStates = nonNilMap(c.PreservedAnswers), nonNilMap(c.QuestionStates)
	return Marshal(plain(c))
}

// MarshalJSON encodes a missing list as an empty one.
func (e Elaboration) MarshalJSON() ([]byte, error) {
	type plain Elaboration
	e.Items = nonNil(e.Items)
	return Marshal(plain(e))
}

// nonNil returns l, or an empty list that encodes as [] rather than null.
func nonNil[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

func nonNilMap[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}
