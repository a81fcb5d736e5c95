package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/pi-agent-ask/pi-agent-ask/form"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// settingsCommand is "pi-agent-ask settings path|show|check|edit [FILE]". Only
// edit writes: the others do not create a file that does not exist.
func settingsCommand(ctx context.Context, args []string, s streams) (int, error) {
	args, err := flags(flag.NewFlagSet("settings", flag.ContinueOnError), args)
	if err != nil {
		return exitOther, err
	}
	if len(args) == 0 {
		return exitOther, errUsage{"say path, show, check or edit"}
	}
	path, err := atMostOne(args[1:], "settings file")
	if err != nil {
		return exitOther, err
	}
	if path == "" {
		path = settings.Path(settings.AgentDir())
	}
	switch args[0] {
	case "path":
		_, err := fmt.Fprintln(s.out, path)
		return exitOK, err
	case "show":
		return showSettings(path, s)
	case "check":
		return checkSettings(path, s)
	case "edit":
		return editSettings(ctx, path)
	}
	return exitOther, errUsage{fmt.Sprintf("%q is none of path, show, check, edit", args[0])}
}

// readSettings reads a file without making one, and prints what is wrong.
func readSettings(path string, s streams) (now settings.Settings, code int, err error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		fmt.Fprintf(s.err, "%s: does not exist; the defaults hold, and the first form writes it\n", path)
		return settings.Default(), exitOK, nil
	} else if err != nil {
		return now, exitOther, err
	}
	now, notices := settings.Open(path, nil).Load()
	for _, n := range notices {
		fmt.Fprintf(s.err, "%s: %s\n", path, n.Text)
		code = exitInvalid
	}
	return now, code, nil
}

func showSettings(path string, s streams) (int, error) {
	now, code, err := readSettings(path, s)
	if err != nil {
		return code, err
	}
	return code, printJSON(s.out, now)
}

func checkSettings(path string, s streams) (int, error) {
	_, code, err := readSettings(path, s)
	if err != nil || code != exitOK {
		return code, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return exitOK, nil // it does not exist, which was said
	}
	notes := remarks(data)
	for _, r := range notes {
		fmt.Fprintf(s.err, "%s: %s\n", path, r)
	}
	verdict := "fine"
	if len(notes) > 0 {
		verdict = "usable, with remarks"
	}
	_, err = fmt.Fprintf(s.out, "%s: %s\n", path, verdict)
	return exitOK, err
}

func editSettings(ctx context.Context, path string) (int, error) {
	err := form.RunSettings(ctx, &form.Options{Settings: settings.Open(path, nil)})
	switch {
	case errors.Is(err, form.ErrNoTerminal):
		return exitNoTerminal, fmt.Errorf("%w: edit %s instead", err, path)
	case err != nil:
		return exitOther, err
	}
	return exitOK, nil
}

// remarks lists what a valid settings file has that does nothing: names
// nobody reads, which often are slips, and channels that are skipped.
func remarks(data []byte) (out []string) {
	known, err := json.Marshal(settings.Default())
	if err != nil {
		return nil
	}
	out = unread("", data, known)
	var file struct {
		Notifications struct {
			Channels []json.RawMessage `json:"channels"`
		} `json:"notifications"`
	}
	if json.Unmarshal(data, &file) != nil {
		return out
	}
	for n, raw := range file.Notifications.Channels {
		if err := json.Unmarshal(raw, new(settings.Channel)); err != nil {
			out = append(out, fmt.Sprintf("notifications.channels[%d] is skipped: %v", n, err))
		}
	}
	return out
}

// unread returns the names in an object that a known object does not have.
func unread(path string, object, known []byte) (out []string) {
	var have, want map[string]json.RawMessage
	if json.Unmarshal(object, &have) != nil || json.Unmarshal(known, &want) != nil {
		return nil // no object
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if inner, ok := want[name]; ok {
			out = append(out, unread(path+name+".", have[name], inner)...)
			continue
		}
		out = append(out, path+name+" is not a setting and does nothing")
	}
	return out
}
