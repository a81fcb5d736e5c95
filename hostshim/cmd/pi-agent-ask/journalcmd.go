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
	if len(args) == 0 {
		return exitOther, errUsage{"say records, verify or export"}
	}
	fs := flag.NewFlagSet("journal", flag.ContinueOnError)
	if err := flags(fs, args[1:]); err != nil {
		return exitOther, err
	}
	switch {
	case args[0] == "records" && fs.NArg() == 1:
		records, err := journal.ReadRecords(fs.Arg(0))
		if err != nil {
			return exitOther, err
		}
		if records == nil {
			records = []journal.Record{}
		}
		return exitOK, printJSON(s.out, records)
	case args[0] == "verify" && fs.NArg() == 1:
		report, err := journal.Verify(fs.Arg(0))
		if err != nil {
			return exitOther, err
		}
		if _, err := fmt.Fprint(s.out, report); err != nil {
			return exitOther, err
		}
		if !report.Clean() {
			return exitInvalid, nil
		}
		return exitOK, nil
	case args[0] == "export" && fs.NArg() == 2:
		records, err := journal.ReadRecords(fs.Arg(0))
		if err != nil {
			return exitOther, err
		}
		if err := journal.Export(fs.Arg(1), records); err != nil {
			return exitOther, err
		}
		_, err = fmt.Fprintf(s.out, "%d question(s) written to %s\n", len(records), fs.Arg(1))
		return exitOK, err
	}
	return exitOther, errUsage{"use journal records SESSION, journal verify SESSION or journal export SESSION FILE"}
}
