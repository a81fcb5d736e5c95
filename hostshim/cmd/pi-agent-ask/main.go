// Command pi-agent-ask asks a person questions in the terminal.
//
//	pi-agent-ask run payload.json        the form; the result as JSON on stdout
//	pi-agent-ask validate payload.json   the normalised questions, or what is wrong
//	pi-agent-ask drive --payload … --script …   the form without a terminal
//
// Run it with --help for everything it can do.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// Exit codes.
const (
	exitOK         = 0
	exitCancelled  = 1
	exitInvalid    = 2
	exitNoTerminal = 3
	exitOther      = 4
)

const usage = `pi-agent-ask asks a person structured questions in the terminal.

usage:
  pi-agent-ask run [--text] [FILE|-]
      Show the form of a payload on the terminal; the result goes to stdout as
      JSON, or with --text as the text that an agent reads.
      exit: 0 submitted or elaborated, 1 cancelled, 2 invalid payload,
            3 no terminal, 4 anything else
  pi-agent-ask validate [FILE|-]
      Print the normalised questions, or what is wrong with the payload.
      exit: 0 valid, 2 invalid, 4 anything else
  pi-agent-ask drive --payload FILE --script FILE [--size 100x30]
                     [--frame text|ansi|svg] [--settings FILE]
      Run the form without a terminal. The script has one step a line: a key
      id, text:…, paste:…, size:WxH, or frame.
  pi-agent-ask serve
      Be the engine of a host in another process; see docs/protocol.md.
  pi-agent-ask manifest
      Print what a host registers: tools, commands, channels, as JSON.
  pi-agent-ask settings path|show|check [FILE]
      Where the settings file is, what is in force, and whether it is fine.
      exit: 0 fine, 2 not, 4 anything else
  pi-agent-ask journal records SESSION
      The questions of a session file and what became of them, as JSON.
  pi-agent-ask journal verify SESSION
      What is in a session file and what is wrong with it.
      exit: 0 fine, 2 not, 4 anything else
  pi-agent-ask journal export SESSION FILE
      Write the questions and answers to a new Markdown file, images included.

FILE is - or absent for standard input.
`

func main() {
	os.Exit(run(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

type streams struct {
	in       io.Reader
	out, err io.Writer
}

// errUsage is a wrong use of the command; its text says what.
type errUsage struct{ text string }

func (e errUsage) Error() string { return e.text }

// run is the command; it returns the exit code.
func run(ctx context.Context, args []string, s streams) int {
	commands := map[string]func(context.Context, []string, streams) (int, error){
		"run":      runForm,
		"validate": validate,
		"drive":    drive,
		"settings": settingsCommand,
		"journal":  journalCommand,
		"serve":    serve,
		"manifest": manifest,
	}
	if len(args) == 0 {
		fmt.Fprint(s.err, usage)
		return exitOther
	}
	if args[0] == "help" || args[0] == "--help" || args[0] == "-h" {
		fmt.Fprint(s.out, usage)
		return exitOK
	}
	command, ok := commands[args[0]]
	if !ok {
		fmt.Fprintf(s.err, "pi-agent-ask: there is no command %q; see pi-agent-ask --help\n", args[0])
		return exitOther
	}
	code, err := command(ctx, args[1:], s)
	var use errUsage
	switch {
	case errors.As(err, &use):
		fmt.Fprintf(s.err, "pi-agent-ask %s: %s; see pi-agent-ask --help\n", args[0], use.text)
	case err != nil:
		fmt.Fprintf(s.err, "pi-agent-ask %s: %v\n", args[0], err)
	}
	return code
}
