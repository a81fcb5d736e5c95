package ask

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Prepare derives missing option labels in the raw arguments of an ask_user
// call. Hosts call it before they check the arguments against [InputSchema].
//
// An option without a label, or with a blank one, gets its value with hyphens
// and underscores as blanks and an upper-case first letter: "dry_run" becomes
// "Dry run". Everything else, arguments of an unexpected shape and text that is
// not JSON included, is passed on byte for byte. The input is never changed.
func Prepare(raw json.RawMessage) json.RawMessage {
	if !json.Valid(raw) {
		return raw
	}
	d := document(raw)
	questions, ok := d.field(d.root(), "questions")
	if !ok {
		return raw
	}
	var edits []edit
	for _, question := range d.elements(questions) {
		options, ok := d.field(question, "options")
		if !ok {
			continue
		}
		for _, option := range d.elements(options) {
			if e, ok := d.labelEdit(option); ok {
				edits = append(edits, e)
			}
		}
	}
	if edits == nil {
		return raw
	}
	return apply(raw, edits)
}

// labelEdit gives an option the label that it lacks; ok is false when there is
// nothing to do.
func (d document) labelEdit(option span) (e edit, ok bool) {
	fields := d.members(option, "value", "label")
	value, ok := find(fields, "value")
	if !ok || !d.isString(value) {
		return edit{}, false
	}
	label, present := find(fields, "label")
	if present && !(d.isString(label) && IsBlank(d.unquote(label))) {
		return edit{}, false
	}
	derived := labelFrom(d.unquote(value))
	switch {
	case derived == "":
		return edit{}, false
	case present:
		return edit{label, []byte(quote(derived))}, true
	}
	end := span{option.to - 1, option.to - 1}
	return edit{end, []byte(`,"label":` + quote(derived))}, true
}

// labelFrom turns a value such as "in-memory-cache" into "In memory cache".
func labelFrom(value string) string {
	words := strings.FieldsFunc(value, func(r rune) bool { return r == '-' || r == '_' || isSpace(r) })
	label := strings.Join(words, " ")
	first, size := utf8.DecodeRuneInString(label)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + label[size:]
}
