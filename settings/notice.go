package settings

import "errors"

// NoticeKind tells notices apart.
type NoticeKind string

// The kinds of notices.
const (
	NoticeInvalid        NoticeKind = "invalid"        // the file cannot be used
	NoticeMigration      NoticeKind = "migration"      // it has a version that never was, or cannot be migrated
	NoticeKeymaps        NoticeKind = "keymaps"        // only its keymaps cannot be used
	NoticeUnreadable     NoticeKind = "unreadable"     // it cannot be read
	NoticeNotOverwritten NoticeKind = "notOverwritten" // a change was refused to keep a bad file
	NoticeSaveFailed     NoticeKind = "saveFailed"     // it could not be written
)

// Notice tells the user what went wrong with the settings file. Every notice
// is an error, and those that [Store.Set] and [Store.Reset] return can be
// found with errors.As.
type Notice struct {
	Kind NoticeKind
	Text string // a sentence or more, ready to show
	err  error
}

// Error returns the text.
func (n Notice) Error() string { return n.Text }

// Unwrap returns the error of the file system behind the notice, if any.
func (n Notice) Unwrap() error { return n.err }

// loadNotice is for content that gives the defaults.
func loadNotice(kind NoticeKind) Notice {
	text := "The settings file is invalid or has an unsupported version."
	if kind == NoticeMigration {
		text = "The settings file could not be migrated."
	}
	return Notice{Kind: kind, Text: text + " Defaults are used for this session; the file was not changed. Fix it and run /reload."}
}

// keymapNotices is for keymaps that give the default ones.
func keymapNotices(fault error) []Notice {
	if fault == nil {
		return nil
	}
	return []Notice{{
		Kind: NoticeKeymaps,
		Text: fault.Error() + " Default keymaps are used for this session. Fix the settings file and run /reload.",
		err:  fault,
	}}
}

func unreadableNotice(err error) Notice {
	return Notice{
		Kind: NoticeUnreadable,
		Text: "The settings file could not be read (" + reason(err) + "). Defaults are used for this session.",
		err:  err,
	}
}

func notOverwrittenNotice() Notice {
	return Notice{
		Kind: NoticeNotOverwritten,
		Text: "The settings file is invalid, so it is not overwritten. Fix it, or use the reset action.",
	}
}

func saveFailedNotice(path string, err error) Notice {
	return Notice{
		Kind: NoticeSaveFailed,
		Text: "Could not save the settings to " + path +
			". If the file is read-only or managed elsewhere, edit it there and run /reload. " + reason(err),
		err: err,
	}
}

// editNotice is for an edit during the session that cannot be used, so that
// the settings stay what they were.
func editNotice(kind NoticeKind, err error) Notice {
	text := "The settings file is invalid or has an unsupported version."
	switch kind {
	case NoticeMigration:
		text = "The settings file could not be migrated."
	case NoticeUnreadable:
		text = "The settings file could not be read (" + reason(err) + ")."
	case NoticeKeymaps:
		return Notice{Kind: kind, Text: err.Error() + " The keymaps stay as they were. Fix the settings file.", err: err}
	}
	return Notice{Kind: kind, Text: text + " The settings stay as they were; the file was not changed. Fix it.", err: err}
}

// reason returns what the system said, without the path and the operation
// around it: "permission denied".
func reason(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
