package main

import (
	"context"
	"io"

	"github.com/pi-agent-ask/pi-agent-ask/hostshim"
)

// serve is "pi-agent-ask serve": the engine of a host in another process.
func serve(ctx context.Context, args []string, s streams) (int, error) {
	if err := none("serve", args); err != nil {
		return exitOther, err
	}
	out, ok := s.out.(io.WriteCloser)
	if !ok {
		out = nopCloser{s.out}
	}
	if err := hostshim.Serve(ctx, s.in, out); err != nil {
		return exitOther, err
	}
	return exitOK, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// manifest is "pi-agent-ask manifest": what a host registers before an engine
// runs.
func manifest(_ context.Context, args []string, s streams) (int, error) {
	if err := none("manifest", args); err != nil {
		return exitOther, err
	}
	return exitOK, printJSON(s.out, hostshim.NewManifest())
}
