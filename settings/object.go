package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"unicode/utf8"
)

// object is a JSON object as it stands in the file: the order of its members
// and everything this package does not know are kept.
type object []member

// member is one name with its value. written is the name as the file spells
// it, quotes and escapes included.
type member struct {
	name    string
	written string
	value   json.RawMessage
}

var errNotObject = errors.New("not a JSON object")

// parseObject splits a JSON object into its members. The data must be valid
// JSON.
func parseObject(data []byte) (object, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errNotObject
	}
	o := object{}
	for dec.More() {
		from := dec.InputOffset()
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		written := bytes.TrimLeft(data[from:dec.InputOffset()], ", \t\r\n")
		m := member{name: t.(string), written: string(written)}
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		o = append(o, m)
	}
	return o, nil
}

// get returns the value of a member, nil if there is none.
func (o object) get(name string) json.RawMessage {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// set replaces the value of a member, or adds the member at the end.
func (o *object) set(name string, value json.RawMessage) {
	for i := range *o {
		if (*o)[i].name == name {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, member{name, `"` + name + `"`, value})
}

// add sets a member that is not there yet.
func (o *object) add(name string, value json.RawMessage) {
	if o.get(name) == nil {
		o.set(name, value)
	}
}

// without returns a copy without a member.
func (o object) without(name string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return m.name == name })
}

// encode writes the object: the members named first in that order, then the
// others as they come.
func (o object) encode(first ...string) json.RawMessage {
	rank := func(m member) int {
		if i := slices.Index(first, m.name); i >= 0 {
			return i
		}
		return len(first)
	}
	sorted := slices.Clone(o)
	slices.SortStableFunc(sorted, func(a, b member) int { return rank(a) - rank(b) })
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range sorted {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(m.written)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// isClean reports whether data is JSON that has one meaning only: valid UTF-8,
// and no name twice in one object.
func isClean(data []byte) bool {
	if !utf8.Valid(data) || !json.Valid(data) {
		return false
	}
	type level struct {
		names  map[string]bool // nil in a list
		atName bool
	}
	var stack []level
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	for {
		t, err := dec.Token()
		if err != nil {
			return err == io.EOF
		}
		var top *level
		if len(stack) > 0 {
			top = &stack[len(stack)-1]
		}
		if name, ok := t.(string); ok && top != nil && top.atName {
			if top.names[name] {
				return false
			}
			top.names[name], top.atName = true, false
			continue
		}
		switch t {
		case json.Delim('{'):
			stack = append(stack, level{names: map[string]bool{}, atName: true})
			continue // its end completes the value
		case json.Delim('['):
			stack = append(stack, level{})
			continue
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 && stack[len(stack)-1].names != nil {
			stack[len(stack)-1].atName = true
		}
	}
}
