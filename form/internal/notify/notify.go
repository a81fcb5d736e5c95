// Package notify tells a person outside of the terminal that a form waits: by
// the terminal's bell, by a desktop notification of the terminal, or by a
// command of theirs.
//
//	p := notify.NewPayload(form.Questions[0])
//	attempts := notify.Send(ctx, channels, p, &notify.Options{Terminal: write})
//
// It is a best effort: what fails is told in the attempts and nowhere else.
// Once per form is the caller's rule.
package notify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/form/internal/proc"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

// Limits of a command.
const (
	CommandTimeout   = 5 * time.Second
	MaxCommandOutput = 1 << 20 // bytes, of both outputs together
)

// Status says what became of a channel.
type Status string

// The statuses. Attempted means that nothing went wrong on our side: nobody
// can know whether a terminal showed something.
const (
	Attempted Status = "attempted"
	Failed    Status = "failed"
	Skipped   Status = "skipped"
)

// Attempt is what became of one channel. Error has the reason of a failure.
type Attempt struct {
	Channel string `json:"channel"`
	Status  Status `json:"status"`
	Error   string `json:"error,omitempty"`
}

// Options of [Send].
type Options struct {
	// Disabled switches notifications off.
	Disabled bool
	// Terminal writes bytes to the terminal of the form, in one piece. Nil
	// makes the channels that need it fail.
	Terminal func([]byte) error
	// Environ is the environment of the host as name=value; nil is
	// [os.Environ]. TMUX in it says that we are inside tmux.
	Environ func() []string
	// Command runs a command line of the user with an environment; nil runs
	// it by the system's shell, with CommandTimeout and MaxCommandOutput.
	Command func(ctx context.Context, command string, env []string) error
}

// Send announces p on every channel, one after the other, and tells what became
// of each, in the same order. A channel that fails, or even panics, does not
// stop the next one. Send takes as long as the commands do, so it belongs in a
// goroutine of its own; after the end of ctx the remaining channels fail.
func Send(ctx context.Context, channels []settings.Channel, p Payload, o *Options) []Attempt {
	if o == nil {
		o = new(Options)
	}
	if o.Disabled {
		return []Attempt{{Channel: "notifications", Status: Skipped}}
	}
	s := sender{Options: *o, payload: p}
	if s.Environ == nil {
		s.Environ = os.Environ
	}
	if s.Command == nil {
		s.Command = runCommand
	}
	s.env = s.Environ()
	attempts := make([]Attempt, 0, len(channels))
	for _, c := range channels {
		attempts = append(attempts, s.attempt(ctx, c))
	}
	return attempts
}

type sender struct {
	Options
	payload Payload
	env     []string
}

func (s *sender) attempt(ctx context.Context, c settings.Channel) (a Attempt) {
	a = Attempt{Channel: string(c.Kind), Status: Attempted}
	defer func() {
		if r := recover(); r != nil {
			a.Status, a.Error = Failed, fmt.Sprintf("panic: %v", r)
		}
	}()
	err := ctx.Err()
	switch {
	case err != nil:
	case c.Kind == settings.ChannelBell:
		err = s.write("\a")
	case c.Kind == settings.ChannelOSC9:
		err = s.write(s.osc("9", s.payload.Message))
	case c.Kind == settings.ChannelOSC777:
		err = s.write(s.osc("777", "notify", noSemicolons(s.payload.Title), noSemicolons(s.payload.Message)))
	case c.Kind == settings.ChannelCommand:
		err = s.Command(ctx, c.Command, s.commandEnv())
	default:
		a.Status = Skipped
	}
	if err != nil {
		a.Status, a.Error = Failed, err.Error()
	}
	return a
}

func (s *sender) write(text string) error {
	if s.Terminal == nil {
		return errors.New("no terminal to write to")
	}
	return s.Terminal([]byte(text))
}

// osc builds an operating system command. No field can end it early, because
// clean leaves no control character.
func (s *sender) osc(fields ...string) string {
	for i, field := range fields {
		// The conformance cases leave DEL out of sequences: a stand-in for
		// it appears only where the message itself has one.
		fields[i] = clean(strings.ReplaceAll(field, "\x7f", ""))
	}
	sequence := "\x1b]" + strings.Join(fields, ";") + "\a"
	if s.getenv("TMUX") != "" {
		return passThrough(sequence)
	}
	return sequence
}

// clean makes any text safe as a field: a host may send a payload of its own.
func clean(field string) string { return oneLine(field, len(field)) }

// passThrough wraps a sequence so that tmux hands it to the terminal outside.
func passThrough(sequence string) string {
	return "\x1bPtmux;" + strings.ReplaceAll(sequence, "\x1b", "\x1b\x1b") + "\x1b\\"
}

// noSemicolons keeps a field of OSC 777 in one piece.
func noSemicolons(s string) string { return strings.ReplaceAll(s, ";", ":") }

// getenv looks up a variable; the last one of a name counts.
func (s *sender) getenv(name string) string {
	for i := len(s.env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(s.env[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// commandEnv is the environment of a command. Its fields hold no control
// characters either: a command may print them to a terminal.
func (s *sender) commandEnv() []string {
	return append(s.env[:len(s.env):len(s.env)],
		"ASK_NOTIFY_EVENT="+clean(s.payload.Event),
		"ASK_NOTIFY_TITLE="+clean(s.payload.Title),
		"ASK_NOTIFY_MESSAGE="+clean(s.payload.Message),
	)
}

// runCommand runs a command to its end. What it started in the background is
// part of it for as long as it holds the output open.
func runCommand(ctx context.Context, command string, env []string) error {
	_, err := proc.Shell(ctx, command, proc.Cmd{
		Env:     env,
		Timeout: CommandTimeout,
		Limit:   MaxCommandOutput,
		Stderr:  true,
		Sink:    func([]byte) error { return nil },
	})
	return err
}
