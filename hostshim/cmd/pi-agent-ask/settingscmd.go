package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// settingsCommand is "pi-agent-ask settings path|show|check [FILE]". It never
// writes: a file that does not exist is not created.
func settingsCommand(_ context.Context, args []string, s streams) (int, error) {
	if len(args) == 0 {
		return exitOther, errUsage{"say path, show or check"}
	}
	fs := flag.NewFlagSet("settings", flag.ContinueOnError)
	if err := flags(fs, args[1:]); err != nil {
		return exitOther, err
	}
	path, err := oneFile(fs)
	if err != nil {
		return exitOther, errUsage{"give one settings file"}
	}
	if path == "" {
		path = settings.Path(settings.AgentDir())
	}
	switch args[0] {
	case "path":
		_, err := fmt.Fprintln(s.out, path)
		return exitOK, err
	case "show", "check":
	default:
		return exitOther, errUsage{fmt.Sprintf("%q is none of path, show, check", args[0])}
	}
	current, notices := settings.Default(), []settings.Notice(nil)
	switch _, err := os.Stat(path); {
	case err == nil:
		current, notices = settings.Open(path, nil).Load()
	case !os.IsNotExist(err):
		return exitOther, err
	}
	for _, n := range notices {
		fmt.Fprintf(s.err, "%s: %s\n", path, n.Text)
	}
	code := exitOK
	if len(notices) > 0 {
		code = exitInvalid
	}
	if args[0] == "show" {
		return code, printJSON(s.out, current)
	}
	if code == exitOK {
		_, err = fmt.Fprintf(s.out, "%s: fine\n", path)
	}
	return code, err
}
