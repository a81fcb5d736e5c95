// Package settings keeps the user's choices: behaviour, keymaps and
// notifications, in one JSON file that people also edit by hand.
//
// Most programs need two calls:
//
//	store := settings.Open(settings.Path(settings.AgentDir()), nil)
//	current, notices := store.Load()
//
// Nothing is read before Load. A file that cannot be used never stops the
// program: the defaults hold for the session, a [Notice] says why, and the file
// stays as it is. [Store.Set] saves one choice at once, merged into what the
// file holds at that moment; [Store.Watch] brings edits of the file to everyone
// who called [Store.Subscribe].
//
// Key presses are turned into actions in two steps, both plain look-ups:
//
//	action, ok := current.Keymaps.Lookup(settings.ContextMain, settings.Press(id, text))
package settings
