package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// runForm is "pi-agent-ask run".
func runForm(ctx context.Context, args []string, s streams) (int, error) {
	fs := flag.NewFlagSet("run", flag.ContinueOnError)
	text := fs.Bool("text", false, "")
	if err := flags(fs, args); err != nil {
		return exitOther, err
	}
	name, err := oneFile(fs)
	if err != nil {
		return exitOther, err
	}
	f, err := loadForm(name, s.in)
	if err != nil {
		return reportInvalid(err, *text, s)
	}
	store := settings.Open(settings.Path(settings.AgentDir()), nil)
	result, err := form.Run(ctx, f, &form.Options{Settings: store})
	interrupted := errors.Is(err, form.ErrInterrupted)
	switch {
	case errors.Is(err, form.ErrNoTerminal):
		return exitNoTerminal, fmt.Errorf("%w: run it in a terminal, or use drive", err)
	case err != nil && !interrupted:
		return exitOther, err
	}
	if *text {
		line := result.AgentText()
		if interrupted {
			line = ask.InterruptedText
		}
		_, printErr := fmt.Fprintln(s.out, line)
		return exitOf(result), errors.Join(err, printErr)
	}
	if printErr := printJSON(s.out, result); printErr != nil {
		return exitOther, printErr
	}
	return exitOf(result), err
}

func exitOf(r ask.Result) int {
	if r.Cancelled {
		return exitCancelled
	}
	return exitOK
}

// reportInvalid answers a payload that is no form: issues on stderr, the
// invalid-input result on stdout.
func reportInvalid(err error, text bool, s streams) (int, error) {
	if !invalid(err, s) {
		return exitOther, err
	}
	var bad *ask.InvalidInput
	errors.As(err, &bad)
	if text {
		_, err = fmt.Fprintln(s.out, bad.Result().AgentText())
		return exitInvalid, err
	}
	return exitInvalid, printJSON(s.out, bad.Result())
}

// validate is "pi-agent-ask validate".
func validate(_ context.Context, args []string, s streams) (int, error) {
	fs := flag.NewFlagSet("validate", flag.ContinueOnError)
	if err := flags(fs, args); err != nil {
		return exitOther, err
	}
	name, err := oneFile(fs)
	if err != nil {
		return exitOther, err
	}
	f, err := loadForm(name, s.in)
	var bad *ask.InvalidInput
	switch {
	case errors.As(err, &bad):
		return exitInvalid, printJSON(s.out, struct {
			Issues []ask.Issue `json:"issues"`
		}{bad.Issues})
	case err != nil:
		return exitOther, err
	}
	return exitOK, printJSON(s.out, f)
}
