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
	"strings"
)

// Exit codes.
const (
	exitOK         = 0
	exitCancelled  = 1
	exitInvalid    = 2
	exitNoTerminal = 3
	exitOther      = 4
)

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

// errHelp asks for the help of a command instead of running it.
var errHelp = errors.New("help")

// run is the command; it returns the exit code.
func run(ctx context.Context, args []string, s streams) int {
	if len(args) == 0 {
		fmt.Fprint(s.err, usage())
		return exitOther
	}
	name, rest := args[0], args[1:]
	switch name {
	case "help", "--help", "-help", "-h":
		return help(rest, s)
	case "version", "--version", "-version":
		fmt.Fprintln(s.out, version())
		return exitOK
	}
	c, ok := find(name)
	if !ok {
		return unknown(name, s)
	}
	code, err := c.run(ctx, rest, s)
	var use errUsage
	switch {
	case errors.Is(err, errHelp):
		fmt.Fprint(s.out, c.help())
		return exitOK
	case errors.As(err, &use):
		fmt.Fprintf(s.err, "pi-agent-ask %s: %s; see pi-agent-ask %s --help\n", name, use.text, name)
	case err != nil:
		fmt.Fprintf(s.err, "pi-agent-ask %s: %s\n", name, strings.TrimPrefix(err.Error(), name+": "))
	}
	return code
}

// help is "pi-agent-ask help [COMMAND]".
func help(args []string, s streams) int {
	if len(args) == 0 {
		fmt.Fprint(s.out, usage())
		return exitOK
	}
	c, ok := find(args[0])
	if !ok {
		return unknown(args[0], s)
	}
	fmt.Fprint(s.out, c.help())
	return exitOK
}

func unknown(name string, s streams) int {
	fmt.Fprintf(s.err, "pi-agent-ask: there is no command %q; see pi-agent-ask --help\n", name)
	return exitOther
}
