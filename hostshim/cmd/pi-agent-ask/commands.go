package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/hostshim"
)

// command is one thing that the program does.
type command struct {
	name, args, about string
	run               func(context.Context, []string, streams) (int, error)
}

// commands lists everything the program does, in the order of the help.
func commands() []command {
	return []command{
		{"run", "[--text] [--mouse] [--settings FILE] [FILE|-]", `
Show the form of a payload on the terminal. The result goes to stdout as JSON,
or with --text as the text that an agent reads, and nothing else does: stdin and
stdout may be pipes. --mouse takes clicks and the wheel.
ACCESSIBLE=1 asks in plain lines; NO_COLOR=1 draws without colour.
exit: 0 submitted or elaborated, 1 cancelled, 2 invalid payload, 3 no terminal,
4 anything else`, runForm},
		{"validate", "[FILE|-]", `
Print the normalised questions, or what is wrong with the payload, as JSON.
exit: 0 valid, 2 invalid, 4 anything else`, validate},
		{"drive", "--payload FILE --script FILE [--size 100x30] [--frame text|ansi|svg] [--settings FILE]", `
Run the form without a terminal; print the frames that the script asks for, and
at the end the result, or where the form stands. One of the files may be "-".
A script has one step a line: a key id such as down, 1, shift+n or ctrl+c;
text:… typed letter by letter; paste:…; size:WxH; or frame. In texts \n, \t, \e
and \\ stand for line end, tab, escape and backslash. Lines that start with
"# " are remarks.
exit: as run; 0 also when the form is still open at the end`, drive},
		{"serve", "", `
Be the engine of a host in another process; docs/protocol.md has the messages.`, serve},
		{"manifest", "", `
Print what a host registers: tools, commands and channels, as JSON.`, manifest},
		{"settings", "path|show|check|edit [FILE]", `
path: where the settings file is. show: the settings in force, as JSON.
check: what is wrong with the file. edit: the settings on the terminal.
Without FILE it is the one of pi's agent directory (PI_CODING_AGENT_DIR).
Only edit writes.
exit: 0 fine, 2 not, 3 no terminal, 4 anything else`, settingsCommand},
		{"journal", "records SESSION | verify SESSION | export SESSION FILE", `
Read a session file, also one that is in use; it is never changed.
records: the questions and what became of them, as JSON. verify: what is in the
file and what is wrong with it. export: write questions and answers to a new
Markdown file, images included.
exit: 0 fine, 2 verify found damage, 4 anything else`, journalCommand},
	}
}

func find(name string) (command, bool) {
	for _, c := range commands() {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}

// line is how the command is written.
func (c command) line() string { return strings.TrimRight("pi-agent-ask "+c.name+" "+c.args, " ") }

func (c command) help() string {
	return c.line() + "\n\n" + strings.TrimPrefix(c.about, "\n") + "\n"
}

// usage is the help of the whole program.
func usage() string {
	var b strings.Builder
	b.WriteString("pi-agent-ask asks a person structured questions in the terminal.\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "\n  %s\n", c.line())
		for _, l := range strings.Split(strings.TrimPrefix(c.about, "\n"), "\n") {
			fmt.Fprintf(&b, "      %s\n", l)
		}
	}
	b.WriteString("\n  pi-agent-ask help [COMMAND]\n  pi-agent-ask --version\n\nFILE is - or absent for standard input.\n")
	return b.String()
}

// version says which build this is.
func version() string {
	return fmt.Sprintf("pi-agent-ask %s %s %s/%s", hostshim.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// flags parses the flags of a command wherever they stand, and returns the
// other arguments. Everything behind "--" is one.
func flags(fs *flag.FlagSet, args []string) (rest []string, err error) {
	fs.SetOutput(io.Discard)
	for {
		if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, errHelp
		} else if err != nil {
			return nil, errUsage{strings.Replace(err.Error(), "flag provided but not defined: -", "there is no flag --", 1)}
		}
		used := len(args) - fs.NArg()
		if fs.NArg() == 0 || used > 0 && args[used-1] == "--" {
			return append(rest, fs.Args()...), nil
		}
		rest, args = append(rest, fs.Arg(0)), fs.Args()[1:]
	}
}

// atMostOne returns the only argument, or "".
func atMostOne(args []string, what string) (string, error) {
	switch len(args) {
	case 0:
		return "", nil
	case 1:
		return args[0], nil
	}
	return "", errUsage{fmt.Sprintf("give one %s, not %d", what, len(args))}
}

// none refuses arguments.
func none(name string, args []string) error {
	args, err := flags(flag.NewFlagSet(name, flag.ContinueOnError), args)
	if err == nil && len(args) > 0 {
		err = errUsage{"it takes no arguments"}
	}
	return err
}
