package settings

import (
	"encoding/json"
	"strconv"
)

// migrate brings a document from an older version to the current one, step by
// step. A value that is there is never overwritten, and what has an unexpected
// form is left for the checks that follow.
func (d *document) migrate(version int) {
	if version < 3 {
		d.addNotifications()
	}
	if version < 4 {
		d.splitKeymaps()
	}
	if version < 5 {
		d.addQuestionTypes()
	}
	d.root.set("schemaVersion", json.RawMessage(strconv.Itoa(SchemaVersion)))
}

// addNotifications is the step from 2 to 3.
func (d *document) addNotifications() {
	d.root.add("notifications", json.RawMessage(`{"enabled":true,"channels":["bell"]}`))
}

// flatPlaces says where the keymaps of version 3 and before, which knew no
// contexts, went.
var flatPlaces = map[place]string{
	{ContextGlobal, ActionDismiss}:    "dismiss",
	{ContextMain, ActionConfirm}:      "confirm",
	{ContextEditor, ActionSubmit}:     "confirm",
	{ContextNoteEditor, ActionSave}:   "confirm",
	{ContextMain, ActionCancel}:       "cancel",
	{ContextEditor, ActionClose}:      "cancel",
	{ContextNoteEditor, ActionClose}:  "cancel",
	{ContextMain, ActionToggle}:       "toggle",
	{ContextMain, ActionOptionNote}:   "optionNote",
	{ContextMain, ActionQuestionNote}: "questionNote",
}

// splitKeymaps is the step from 3 to 4: flat keymaps become contexts. What is
// not named there, or is no text, gets its default.
func (d *document) splitKeymaps() {
	flat, err := parseObject(d.root.get("keymaps"))
	if err != nil || flat.get("main") != nil || flat.get("global") != nil {
		return
	}
	split := flat
	for _, name := range []string{"dismiss", "confirm", "cancel", "toggle", "optionNote", "questionNote"} {
		split = split.without(name)
	}
	for _, context := range contextOrder() {
		actions, err := parseObject(split.get(context))
		if err != nil && split.get(context) != nil {
			continue
		}
		for _, row := range table {
			if string(row.context) != context {
				continue
			}
			keys := any(row.keys)
			var text string
			if raw := flat.get(flatPlaces[row.place]); raw != nil && raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
				keys = []string{text}
			}
			if raw, err := encode(keys); err == nil {
				actions.add(string(row.action), raw)
			}
		}
		split.set(context, actions.encode(actionOrder(context)...))
	}
	d.root.set("keymaps", split.encode(contextOrder()...))
}

// addQuestionTypes is the step from 4 to 5.
func (d *document) addQuestionTypes() {
	behaviour := d.root.get("behaviour")
	if _, err := parseObject(behaviour); err == nil || behaviour == nil {
		d.edit("behaviour", func(o *object) { o.add("presentSingleAsMulti", json.RawMessage("false")) })
	}
	contexts, err := parseObject(d.root.get("keymaps"))
	if err != nil {
		return
	}
	actions, err := parseObject(contexts.get("main"))
	if err != nil {
		return
	}
	actions.add(string(ActionChangeQuestionType), json.RawMessage(`["t"]`))
	contexts.set("main", actions.encode(actionOrder("main")...))
	d.root.set("keymaps", contexts.encode(contextOrder()...))
}
