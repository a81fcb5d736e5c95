package ui

import (
	"errors"
	"slices"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/clipboard"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// clipNotice tells what became of a request of the open editor, to the clipboard
// or to the user's own editor: its kind as the conformance cases spell it, and
// its text.
type clipNotice struct{ kind, text string }

var (
	clipReading     = clipNotice{"clipboardReading", "Reading the clipboard…"}
	clipEmpty       = clipNotice{"clipboardEmpty", "The clipboard holds no image."}
	clipUnavailable = clipNotice{"clipboardUnavailable", "No way to read images from the clipboard: on Linux install wl-clipboard or xclip, on WSL allow access to the Windows clipboard."}
	clipError       = clipNotice{"clipboardError", "The clipboard image is in a format that cannot be read."}
)

func (s *State) isPasteImageKey(k settings.Key) bool {
	return slices.Contains(s.opt.PasteImageKeys, k)
}

// readClipboard asks for an image; while one is on its way, another press is
// ignored.
func (s *State) readClipboard() []Effect {
	if s.clip == clipReading {
		return nil
	}
	s.clip = clipReading
	return []Effect{ReadClipboard{Token: s.editSerial}}
}

// clipboardRead attaches what was read, if the editor that asked is still open.
func (s *State) clipboardRead(m ClipboardRead) {
	if !s.editing() || m.Token != s.editSerial || s.clip != clipReading {
		return
	}
	switch {
	case m.Err == nil:
		s.setImages(append(slices.Clone(s.images()), m.Images...))
		s.clip = clipNotice{}
	case errors.Is(m.Err, clipboard.ErrEmpty):
		s.clip = clipEmpty
	case errors.Is(m.Err, clipboard.ErrFormat):
		s.clip = clipError
	default:
		s.clip = clipUnavailable
	}
}

// images are the images of the open editor.
func (s *State) images() []ask.Image {
	d := s.drafts.At(s.editQ)
	if d == nil {
		return nil
	}
	switch s.view {
	case AnswerEditor:
		return d.CustomImages
	case QuestionNoteEditor:
		return d.NoteImages
	case OptionNoteEditor:
		return s.optionNote(s.editQ, s.editOpt).Images
	}
	return nil
}

func (s *State) setImages(images []ask.Image) {
	switch s.view {
	case AnswerEditor:
		s.drafts.SetCustomImages(s.editQ, images)
	case QuestionNoteEditor:
		s.drafts.SetNoteImages(s.editQ, images)
	case OptionNoteEditor:
		s.drafts.SetOptionNoteImages(s.editQ, s.editOpt, images)
	}
	s.changed()
}

func (s *State) removeLastImage() {
	images := s.images()
	s.setImages(slices.Clone(images[:len(images)-1]))
}
