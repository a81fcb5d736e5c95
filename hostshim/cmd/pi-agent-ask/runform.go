package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// runForm is "pi-agent-ask run".
func runForm(ctx context.Context, args []string, s streams) (int, error) {
	fs := flag.NewFlagSet("run", flag.ContinueOnError)
	text := fs.Bool("text", false, "")
	mouse := fs.Bool("mouse", false, "")
	settingsFile := fs.String("settings", "", "")
	files, err := flags(fs, args)
	if err != nil {
		return exitOther, err
	}
	name, err := atMostOne(files, "payload file")
	if err != nil {
		return exitOther, err
	}
	f, err := loadForm(name, s)
	if err != nil {
		return invalid(err, *text, s)
	}
	if *settingsFile == "" {
		*settingsFile = settings.Path(settings.AgentDir())
	}
	// A terminal that goes away may say so twice. The form hears it; until the
	// process ends, the second one must not keep it from delivering the result.
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	result, err := form.Run(ctx, f, &form.Options{Settings: settings.Open(*settingsFile, nil), Mouse: *mouse})
	interrupted := errors.Is(err, form.ErrInterrupted)
	switch {
	case errors.Is(err, form.ErrNoTerminal):
		return exitNoTerminal, fmt.Errorf("%w: run it in a terminal, or use drive", err)
	case err != nil && !interrupted:
		return exitOther, err
	}
	if printErr := deliver(result, *text, interrupted, s); printErr != nil {
		return exitOther, errors.Join(err, printErr)
	}
	return exitOf(result), err
}

// deliver prints the result. When stdout takes it no more, it goes to stderr:
// somebody spent time on the answers.
func deliver(result ask.Result, text, interrupted bool, s streams) error {
	// Without this a reader of stdout that has gone would end the process.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)

	var b bytes.Buffer
	switch {
	case text && interrupted:
		fmt.Fprintln(&b, ask.InterruptedText)
	case text:
		fmt.Fprintln(&b, result.AgentText())
	default:
		if err := printJSON(&b, result); err != nil {
			return err
		}
	}
	_, err := s.out.Write(b.Bytes())
	if err == nil {
		return nil
	}
	_, _ = s.err.Write(b.Bytes())
	return fmt.Errorf("cannot write to stdout, the result stands above: %w", err)
}

func exitOf(r ask.Result) int {
	if r.Cancelled {
		return exitCancelled
	}
	return exitOK
}

// validate is "pi-agent-ask validate".
func validate(_ context.Context, args []string, s streams) (int, error) {
	files, err := flags(flag.NewFlagSet("validate", flag.ContinueOnError), args)
	if err != nil {
		return exitOther, err
	}
	name, err := atMostOne(files, "payload file")
	if err != nil {
		return exitOther, err
	}
	f, err := loadForm(name, s)
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
