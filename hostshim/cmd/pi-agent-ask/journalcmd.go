package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// journalCommand is "pi-agent-ask journal records|verify|export". It reads any
// session file, also one that is in use, and never changes it.
func journalCommand(_ context.Context, args []string, s streams) (int, error) {
	args, err := flags(flag.NewFlagSet("journal", flag.ContinueOnError), args)
	if err != nil {
		return exitOther, err
	}
	switch {
	case len(args) == 2 && args[0] == "records":
		records, err := journal.ReadRecords(args[1])
		if err != nil {
			return exitOther, err
		}
		if records == nil {
			records = []journal.Record{}
		}
		return exitOK, printJSON(s.out, records)
	case len(args) == 2 && args[0] == "verify":
		report, err := journal.Verify(args[1])
		if err != nil {
			return exitOther, err
		}
		code := exitOK
		if !report.Clean() {
			code = exitInvalid
		}
		_, err = fmt.Fprint(s.out, report)
		return code, err
	case len(args) == 3 && args[0] == "export":
		records, err := journal.ReadRecords(args[1])
		if err != nil {
			return exitOther, err
		}
		if err := journal.Export(args[2], records); err != nil {
			return exitOther, err
		}
		_, err = fmt.Fprintf(s.out, "%d question(s) written to %s\n", len(records), args[2])
		return exitOK, err
	}
	return exitOther, errUsage{"say records SESSION, verify SESSION or export SESSION FILE"}
}
