package settings

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// document is the content of a settings file, brought up to the current
// version in memory. What it does not know it keeps.
type document struct{ root object }

// sections in the order of the file.
var sections = []string{"schemaVersion", "behaviour", "keymaps", "notifications"}

// fields of the sections that hold switches, in the order of the file.
var (
	behaviourFields = []string{
		"autoSubmitWhenAnsweredWithoutNotes", "confirmDismissWhenDirty",
		"doublePressReviewShortcuts", "presentSingleAsMulti", "showFooterHints",
	}
	notificationFields = []string{"enabled", "channels"}
)

// Parse reads the content of a settings file, of any version so far. It
// touches no file. Content that cannot be used gives the defaults and a notice
// that says why.
func Parse(data []byte) (Settings, []Notice) {
	doc, fault := readDocument(data)
	if fault == "" {
		var s Settings
		var keymapFault error
		if s, fault, keymapFault = doc.settings(); fault == "" {
			return s, keymapNotices(keymapFault)
		}
	}
	return Default(), []Notice{loadNotice(fault)}
}

// readDocument checks version and form and migrates. The fault is "",
// NoticeInvalid or NoticeMigration.
func readDocument(data []byte) (document, NoticeKind) {
	if len(data) > maxFileSize || !isClean(data) {
		return document{}, NoticeInvalid
	}
	root, err := parseObject(data)
	if err != nil {
		return document{}, NoticeInvalid
	}
	raw := root.get("schemaVersion")
	if raw == nil || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return document{}, NoticeInvalid
	}
	version, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case err != nil, version != math.Trunc(version), version > SchemaVersion:
		return document{}, NoticeInvalid
	case version < 1:
		return document{}, NoticeMigration
	}
	doc := document{root}
	doc.migrate(int(version))
	return doc, ""
}

// settings reads what this package knows. Bad keymaps are told apart from
// other faults: they cost the keymaps only, which are then the default ones.
func (d document) settings() (s Settings, fault NoticeKind, keymapFault error) {
	s = Default()
	for _, section := range []struct {
		name   string
		fields []string
	}{{"behaviour", behaviourFields}, {"notifications", notificationFields[:1]}} {
		raw := d.root.get(section.name)
		if raw == nil {
			continue
		}
		fields, err := parseObject(raw)
		if err != nil {
			return Settings{}, NoticeInvalid, nil
		}
		for _, name := range section.fields {
			switch string(fields.get(name)) {
			case "":
			case "true":
				s = s.With(Setting(section.name+"."+name), true)
			case "false":
				s = s.With(Setting(section.name+"."+name), false)
			default:
				return Settings{}, NoticeInvalid, nil
			}
		}
		if raw := fields.get("channels"); raw != nil && section.name == "notifications" {
			s.Notifications.Channels = validChannels(raw)
		}
	}
	if raw := d.root.get("keymaps"); raw != nil {
		keymaps, err := ParseKeymaps(raw)
		if err != nil {
			return s, "", err
		}
		s.Keymaps = keymaps
	}
	return s, "", nil
}

// validChannels reads the channels that are any good, the bell if none is.
func validChannels(raw json.RawMessage) []Channel {
	var items []json.RawMessage
	_ = json.Unmarshal(raw, &items) // no list: no channels
	var channels []Channel
	for _, item := range items {
		var c Channel
		if c.UnmarshalJSON(item) == nil {
			channels = append(channels, c)
		}
	}
	if channels == nil {
		return Default().Notifications.Channels
	}
	return channels
}

// setSwitch changes one switch and nothing else.
func (d *document) setSwitch(name Setting, value bool) {
	section, field, _ := strings.Cut(string(name), ".")
	d.edit(section, func(o *object) {
		o.set(field, json.RawMessage(strconv.FormatBool(value)))
	})
}

// edit changes one section. One that is absent, or no object, starts empty.
func (d *document) edit(section string, change func(*object)) {
	fields, _ := parseObject(d.root.get(section))
	change(&fields)
	order := notificationFields
	if section == "behaviour" {
		order = behaviourFields
	}
	d.root.set(section, fields.encode(order...))
}

// reset puts everything this package knows to the given settings.
func (d *document) reset(s Settings) error {
	d.root.set("schemaVersion", json.RawMessage(strconv.Itoa(SchemaVersion)))
	for _, name := range sections[1:] {
		var value any = s.Behaviour
		switch name {
		case "keymaps":
			value = s.Keymaps
		case "notifications":
			value = s.Notifications
		}
		raw, err := encode(value)
		if err != nil {
			return err
		}
		d.root.set(name, overlay(d.root.get(name), raw))
	}
	return nil
}

// overlay returns the object above with the unknown members of the one below,
// at every level.
func overlay(below, above json.RawMessage) json.RawMessage {
	merged, err := parseObject(above)
	if err != nil {
		return above
	}
	old, err := parseObject(below)
	if err != nil {
		return above
	}
	for i, m := range merged {
		if value := old.get(m.name); value != nil {
			merged[i].value = overlay(value, m.value)
		}
	}
	for _, m := range old {
		if merged.get(m.name) == nil {
			merged = append(merged, m)
		}
	}
	return merged.encode()
}

// encode returns the bytes of the file.
func (d document) encode() ([]byte, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, d.root.encode(sections...), "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// newDocument returns a document that holds the settings and nothing else.
func newDocument(s Settings) (document, error) {
	var d document
	err := d.reset(s)
	return d, err
}

// rebase returns the document to which a reset is applied: what can be read of
// the file, however bad it is otherwise.
func rebase(data []byte) document {
	if doc, fault := readDocument(data); fault == "" {
		return doc
	}
	if len(data) <= maxFileSize && isClean(data) {
		if root, err := parseObject(data); err == nil {
			return document{root}
		}
	}
	return document{}
}
