package journal_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
	"github.com/pi-agent-ask/pi-agent-ask/journal/journaltest"
)

// BenchmarkAppend saves an answer of about 2 KB, beside the least that saving
// anything takes: one write and one fsync of as many bytes. The two take turns,
// because disks have moods; the medians are reported.
func BenchmarkAppend(b *testing.B) {
	entry := completed("r1", &ask.Result{Answers: map[string]ask.Answer{"a": {CustomText: strings.Repeat("an answer ", 200)}}}, "")
	dir := b.TempDir()
	store, err := journal.OpenFile(filepath.Join(dir, session), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	plain, err := os.OpenFile(filepath.Join(dir, "plain"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer plain.Close()
	line := append([]byte(strings.Repeat("x", len(entry.Data)+150)), '\n')
	var appends, writes []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		if _, err := store.Append(context.Background(), entry); err != nil {
			b.Fatal(err)
		}
		between := time.Now()
		if _, err := plain.Write(line); err != nil {
			b.Fatal(err)
		}
		if err := plain.Sync(); err != nil {
			b.Fatal(err)
		}
		appends = append(appends, between.Sub(start))
		writes = append(writes, time.Since(between))
	}
	slices.Sort(appends)
	slices.Sort(writes)
	a, w := appends[len(appends)/2], writes[len(writes)/2]
	b.ReportMetric(float64(a.Microseconds()), "append-us")
	b.ReportMetric(float64(w.Microseconds()), "write+fsync-us")
	b.ReportMetric(float64(a)/float64(w), "ratio")
}

// sessionFile is a session of as many megabytes as PI_AGENT_ASK_BENCH_MB says.
func sessionFile(b *testing.B) (path string, size int64) {
	b.Helper()
	mb, err := strconv.Atoi(os.Getenv("PI_AGENT_ASK_BENCH_MB"))
	if err != nil {
		mb = 50
	}
	text := journaltest.Session(mb<<20, 50)
	path = filepath.Join(b.TempDir(), session)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Skip(err)
	}
	return path, int64(len(text))
}

// BenchmarkReplay finds the open requests of a long session, beside the usual
// way of decoding every line.
func BenchmarkReplay(b *testing.B) {
	path, size := sessionFile(b)
	b.Run("open requests", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			if open, err := journal.OpenRequests(path); err != nil || len(open) == 0 {
				b.Fatal(open, err)
			}
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			if n := decodeEveryLine(b, path); n == 0 {
				b.Fatal(n)
			}
		}
	})
	b.Run("open file", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			f, err := journal.OpenFile(path, nil)
			if err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
	})
}

func decodeEveryLine(b *testing.B, path string) int {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	open := map[string]bool{}
	for r := bufio.NewReaderSize(f, 1<<20); ; {
		text, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return len(open)
		}
		var e struct {
			ID, ParentID, Type, CustomType string
			Data                           struct{ RequestID string }
			Message                        json.RawMessage
		}
		if json.Unmarshal(text, &e) != nil {
			continue
		}
		switch e.CustomType {
		case journal.TypeRequest:
			open[e.Data.RequestID] = true
		case journal.TypeCompleted:
			delete(open, e.Data.RequestID)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	e := completed("r1", answers(map[string]ask.Answer{"a": picked}), "")
	b.ReportAllocs()
	for b.Loop() {
		if journal.Decode(e) == nil {
			b.Fatal("not read")
		}
	}
}
