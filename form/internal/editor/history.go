package editor

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The undo history keeps this many edits and bytes at most; the newest edit is
// always kept. The kill ring keeps killLimit texts, of undoBytes together.
const (
	undoEdits = 1000
	undoBytes = 8 << 20
	undoRun   = 4 << 10 // bytes of typing or erasing that one undo takes back
	killLimit = 32
)

// edit is one step of the undo history: the text removed was replaced by
// inserted.
type edit struct {
	at                position
	removed, inserted string
	cursor            position // before the edit
	what              action
}

func (e edit) size() int { return len(e.removed) + len(e.inserted) }

// history is a bounded stack of edits.
type history struct {
	edits []edit
	bytes int
}

// add pushes an edit; if it carries on the newest one (typing the same word,
// erasing in the same place), the two become one step.
func (h *history) add(e edit, carryOn bool) {
	if n := len(h.edits); carryOn && n > 0 && h.edits[n-1].join(e) {
		h.bytes += e.size()
		return
	}
	// A part of the text would keep the whole of it in memory.
	e.removed = strings.Clone(e.removed)
	h.edits = append(h.edits, e)
	h.bytes += e.size()
	drop := 0
	for len(h.edits)-drop > undoEdits || h.bytes > undoBytes && len(h.edits)-drop > 1 {
		h.bytes -= h.edits[drop].size()
		drop++
	}
	if drop > 0 {
		h.edits = append(h.edits[:0], h.edits[drop:]...)
		clear(h.edits[len(h.edits):cap(h.edits)])
	}
}

func (h *history) pop() (edit, bool) {
	if len(h.edits) == 0 {
		return edit{}, false
	}
	e := h.edits[len(h.edits)-1]
	h.edits[len(h.edits)-1] = edit{}
	h.edits = h.edits[:len(h.edits)-1]
	h.bytes -= e.size()
	return e, true
}

// join appends next to the edit e if one undo should take back both.
func (e *edit) join(next edit) bool {
	if e.size() >= undoRun {
		return false
	}
	switch next.what {
	case typing:
		// A run of blanks belongs to the word before it.
		last, _ := utf8.DecodeLastRuneInString(e.inserted)
		newWord := unicode.IsSpace(last) && !isBlank(next.inserted)
		if newWord || next.removed != "" || next.at != after(e.at, e.inserted) {
			return false
		}
		e.inserted += next.inserted
		return true
	case erasing:
		switch {
		case e.inserted != "":
			return false
		case next.at == e.at: // delete
			e.removed += next.removed
			return true
		case after(next.at, next.removed) == e.at: // backspace
			e.at = next.at
			e.removed = next.removed + e.removed
			return true
		}
	}
	return false
}

// after is the position behind text that starts at p.
func after(p position, text string) position {
	n := strings.Count(text, "\n")
	if n == 0 {
		return position{p.line, p.off + len(text)}
	}
	return position{p.line + n, len(text) - strings.LastIndexByte(text, '\n') - 1}
}

// undoEdit takes the newest edit back.
func (e *Editor) undoEdit() {
	step, ok := e.undo.pop()
	if !ok {
		return
	}
	e.replace(step.at, after(step.at, step.inserted), step.removed)
	e.moveTo(step.cursor)
}

// killRing holds the killed texts, the newest last.
type killRing struct {
	texts []string
	bytes int
}

// add keeps a killed text. Kills in a row make one text.
func (k *killRing) add(text string, forward, carryOn bool) {
	if n := len(k.texts); carryOn && n > 0 {
		if forward {
			k.texts[n-1] += text
		} else {
			k.texts[n-1] = text + k.texts[n-1]
		}
	} else {
		k.texts = append(k.texts, strings.Clone(text))
	}
	k.bytes += len(text)
	for len(k.texts) > killLimit || k.bytes > undoBytes && len(k.texts) > 1 {
		k.bytes -= len(k.texts[0])
		k.texts = append(k.texts[:0], k.texts[1:]...)
	}
}

func (k *killRing) newest() string {
	if len(k.texts) == 0 {
		return ""
	}
	return k.texts[len(k.texts)-1]
}

// rotate makes the text before the newest the newest.
func (k *killRing) rotate() {
	if n := len(k.texts); n > 1 {
		newest := k.texts[n-1]
		copy(k.texts[1:], k.texts[:n-1])
		k.texts[0] = newest
	}
}

// kill removes the text between two positions into the kill ring.
func (e *Editor) kill(from, to position) {
	if from == to {
		return
	}
	e.kills.add(e.slice(from, to), from == e.cur, e.last == killing)
	e.change(from, to, "", killing)
}

// yank inserts the newest killed text.
func (e *Editor) yank() {
	if text := e.kills.newest(); text != "" {
		e.change(e.cur, e.cur, text, yanking)
	}
}

// yankNext, right after yank, puts the text killed before in its place.
func (e *Editor) yankNext() {
	if e.last != yanking || len(e.kills.texts) < 2 {
		return
	}
	newest := e.undo.edits[len(e.undo.edits)-1]
	e.kills.rotate()
	e.change(newest.at, after(newest.at, newest.inserted), e.kills.newest(), yanking)
}
