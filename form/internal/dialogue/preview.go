package dialogue

import "fmt"

// reader is a preview that is read page by page.
type reader struct {
	number int // of the option
	lines  []string
	done   int // lines that were read
}

// openPreview reads the first page of the preview of option n.
func (d *dialogue) openPreview(n int) {
	if d.onReview() {
		d.out.say("Previews are read at a question. Go there first, for example with go 1.")
		return
	}
	options := d.question().Options
	switch {
	case n < 1 || n > len(options):
		d.out.say(fmt.Sprintf("Type preview and the number of an option, 1 to %d, for example preview 1.", len(options)))
	case options[n-1].Preview == "":
		d.out.say(fmt.Sprintf("Option %d has no preview.", n))
	default:
		d.readOn(&reader{number: n, lines: d.out.cut(options[n-1].Preview)})
	}
}

// readOn reads the next page. While there are more, an empty line asks for it,
// and any other line closes the preview.
func (d *dialogue) readOn(r *reader) {
	from := r.done
	r.done = min(from+d.opt.PageLines, len(r.lines))
	d.out.say(fmt.Sprintf("Preview of option %d, lines %d to %d of %d:", r.number, from+1, r.done, len(r.lines)))
	d.out.hard(r.lines[from:r.done])
	if r.done < len(r.lines) {
		d.preview = r
		d.out.say("Press Enter for more.")
		return
	}
	d.out.say("End of the preview.")
}
