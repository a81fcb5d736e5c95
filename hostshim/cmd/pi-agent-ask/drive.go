package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/form"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// drive is "pi-agent-ask drive": the form from a script, without a terminal.
func drive(_ context.Context, args []string, s streams) (int, error) {
	fs := flag.NewFlagSet("drive", flag.ContinueOnError)
	payload := fs.String("payload", "", "")
	script := fs.String("script", "", "")
	size := fs.String("size", "100x30", "")
	kind := fs.String("frame", "text", "")
	settingsFile := fs.String("settings", "", "")
	rest, err := flags(fs, args)
	if err != nil {
		return exitOther, err
	}
	d := driver{out: s, kind: *kind}
	switch {
	case *payload == "" || *script == "" || len(rest) > 0:
		return exitOther, errUsage{"give --payload FILE and --script FILE"}
	case *payload == "-" && *script == "-":
		return exitOther, errUsage{"standard input cannot be both payload and script"}
	case !d.size(*size):
		return exitOther, errUsage{fmt.Sprintf("--size %q is not like 100x30", *size)}
	case d.kind != "text" && d.kind != "ansi" && d.kind != "svg":
		return exitOther, errUsage{fmt.Sprintf("--frame %q is none of text, ansi, svg", d.kind)}
	}
	f, err := loadForm(*payload, s)
	if err != nil {
		return invalid(err, false, s)
	}
	steps, err := readScript(*script, s)
	if err != nil {
		return exitOther, err
	}
	theme := form.DarkTheme()
	opt := &form.Options{Theme: &theme}
	if *settingsFile != "" {
		opt.Settings = settings.Open(*settingsFile, nil)
	}
	d.form = form.NewInline(f, opt)
	defer d.form.Close()
	d.form.Lines(d.width, d.rows) // the first frame, as a person would see it
	for _, step := range steps {
		if err := d.step(step); err != nil {
			return exitOther, fmt.Errorf("%s:%d: %w", *script, step.line, err)
		}
	}
	return d.finish()
}

// scriptStep is one line of a script.
type scriptStep struct {
	line int
	text string
}

// readScript reads the steps of a script; empty lines and lines that start
// with "# " are left out.
func readScript(name string, s streams) ([]scriptStep, error) {
	file, err := open(name, s)
	if err != nil {
		return nil, fmt.Errorf("cannot read the script: %w", err)
	}
	defer func() { _ = file.Close() }()
	var steps []scriptStep
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxPayload)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimRight(lines.Text(), "\r")
		if strings.TrimSpace(text) != "" && !strings.HasPrefix(text, "# ") {
			steps = append(steps, scriptStep{n, text})
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("cannot read the script: %w", err)
	}
	return steps, nil
}

type driver struct {
	out         streams
	form        *form.Inline
	kind        string
	width, rows int
}

// size reads WxH.
func (d *driver) size(text string) bool {
	var w, h int
	if n, err := fmt.Sscanf(text+"\n", "%dx%d\n", &w, &h); n != 2 || err != nil || w < 1 || h < 1 || w > 2000 || h > 2000 {
		return false
	}
	d.width, d.rows = w, h
	return true
}

// escapes are what text: and paste: understand besides plain characters.
var escapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r", `\t`, "\t", `\e`, "\x1b")

// typed has the keys by which a terminal sends control characters.
var typed = map[rune]string{'\n': "ctrl+j", '\r': "enter", '\t': "tab", '\x1b': "esc"}

func (d *driver) step(s scriptStep) error {
	kind, value, _ := strings.Cut(s.text, ":")
	switch {
	case s.text == "frame":
		return d.frame()
	case kind == "text" && s.text != "text":
		for _, r := range escapes.Replace(value) {
			d.form.Key(typed[r], string(r))
		}
	case kind == "paste" && s.text != "paste":
		d.form.Paste(escapes.Replace(value))
	case kind == "size" && s.text != "size":
		if !d.size(value) {
			return fmt.Errorf("size:%s is not like size:100x30", value)
		}
	default:
		return d.key(strings.TrimSpace(s.text))
	}
	d.settle()
	return nil
}

func (d *driver) key(id string) error {
	if len(id) == 1 {
		d.form.Key(id, id)
	} else {
		key, err := settings.ParseKey(id)
		if err != nil {
			return fmt.Errorf("%q is no step: use a key id, text:…, paste:…, size:WxH or frame (%w)", id, err)
		}
		text := ""
		if key == "space" {
			text = " "
		}
		d.form.Key(string(key), text)
	}
	d.settle()
	return nil
}

// settle lets the form catch up, so that a script gives the same each time.
func (d *driver) settle() {
	d.form.Settle()
	d.form.Lines(d.width, d.rows)
}

func (d *driver) frame() error {
	var err error
	switch d.kind {
	case "svg":
		_, err = fmt.Fprintln(d.out.out, d.form.SVG(d.width, d.rows))
	case "ansi":
		_, err = fmt.Fprintln(d.out.out, strings.Join(d.form.Lines(d.width, d.rows), "\n"))
	default:
		for _, l := range d.form.Text(d.width, d.rows) {
			if _, err = fmt.Fprintln(d.out.out, strings.TrimRight(l, " ")); err != nil {
				break
			}
		}
	}
	return err
}

// finish prints the result, or where the form stands.
func (d *driver) finish() (int, error) {
	select {
	case <-d.form.Done():
		result := d.form.Outcome().Result
		return exitOf(result), printJSON(d.out.out, result)
	default:
		return exitOK, printJSON(d.out.out, d.form.Snapshot())
	}
}
