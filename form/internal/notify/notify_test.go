package notify

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/ask/asktest"
	"github.com/pi-agent-ask/pi-agent-ask/settings"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	bell   = settings.Channel{Kind: settings.ChannelBell}
	osc9   = settings.Channel{Kind: settings.ChannelOSC9}
	osc777 = settings.Channel{Kind: settings.ChannelOSC777}
)

func command(text string) settings.Channel {
	return settings.Channel{Kind: settings.ChannelCommand, Command: text}
}

func ExampleSend() {
	question := ask.Question{ID: "db", Label: "Q1", Prompt: "Which database?"}
	channels := []settings.Channel{{Kind: settings.ChannelOSC9}}
	attempts := Send(context.Background(), channels, NewPayload(question), &Options{
		Terminal: func(b []byte) error {
			fmt.Printf("%q\n", b)
			return nil
		},
		Environ: func() []string { return nil },
	})
	fmt.Println(attempts)
	// Output:
	// "\x1b]9;Question waiting: Which database?\a"
	// [{osc9 attempted }]
}

// terminal is a terminal that remembers what was written to it.
type terminal struct{ got []byte }

func (t *terminal) write(b []byte) error {
	t.got = append(t.got, b...)
	return nil
}

func TestVectors(t *testing.T) {
	for _, file := range asktest.Files(t, asktest.Ask) {
		var all struct {
			Cases []struct{ ID, Kind string }
		}
		var raw struct{ Cases []json.RawMessage }
		if err := errors.Join(json.Unmarshal(file.Data, &all), json.Unmarshal(file.Data, &raw)); err != nil {
			t.Fatalf("%s: %v", file.Name, err)
		}
		found := 0
		for i, c := range all.Cases {
			run := map[string]func(*testing.T, []byte){
				"notificationPayload":  payloadVector,
				"notificationChannels": channelsVector,
			}[c.Kind]
			if run != nil {
				found++
				t.Run(file.Name+"/"+c.ID, func(t *testing.T) { run(t, raw.Cases[i]) })
			}
		}
		if found == 0 && file.Name == "ask.json" {
			t.Errorf("%s: no notification cases", file.Name)
		}
	}
}

func payloadVector(t *testing.T, data []byte) {
	var c struct {
		Input    struct{ Question ask.Question }
		Expected Payload
	}
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	q := c.Input.Question
	q.AuthorLabel = !ask.IsBlank(q.Label) // what normalising says
	if !q.AuthorLabel {
		q.Label = "Q1"
	}
	if got := NewPayload(q); got != c.Expected {
		t.Errorf("got %q, want %q", got, c.Expected)
	}
}

func channelsVector(t *testing.T, data []byte) {
	var c struct {
		Input struct {
			Channels []json.RawMessage
			Payload  Payload
			Enabled  *bool
		}
		Expected struct {
			BytesHex string
			Attempts []Attempt
		}
	}
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	var channels []settings.Channel
	for _, raw := range c.Input.Channels {
		var channel settings.Channel
		if err := json.Unmarshal(raw, &channel); err != nil {
			// One that the settings do not know: it still has a name.
			var name string
			if json.Unmarshal(raw, &name) != nil {
				t.Fatal(err)
			}
			channel.Kind = settings.ChannelKind(name)
		}
		channels = append(channels, channel)
	}
	var tty terminal
	got := Send(t.Context(), channels, c.Input.Payload, &Options{
		Disabled: c.Input.Enabled != nil && !*c.Input.Enabled,
		Terminal: tty.write,
		Environ:  func() []string { return []string{"PATH=" + os.Getenv("PATH"), "SystemRoot=" + os.Getenv("SystemRoot")} },
	})
	if hex.EncodeToString(tty.got) != c.Expected.BytesHex {
		t.Errorf("written %x, want %s", tty.got, c.Expected.BytesHex)
	}
	for i := range c.Expected.Attempts {
		if c.Expected.Attempts[i].Error == "<any>" && i < len(got) && got[i].Error != "" {
			got[i].Error = "<any>"
		}
	}
	if !reflect.DeepEqual(got, c.Expected.Attempts) {
		t.Errorf("attempts %+v, want %+v", got, c.Expected.Attempts)
	}
}

func TestMessageLength(t *testing.T) {
	tests := []struct {
		name, subject, want string
	}{
		{"exactly 120 units", strings.Repeat("a", 102), strings.Repeat("a", 102)},
		{"one more", strings.Repeat("a", 103), strings.Repeat("a", 101) + "…"},
		{"a wide pair ends at 119", strings.Repeat("a", 99) + "😀bb", strings.Repeat("a", 99) + "😀…"},
		{"a wide pair ends at 120, more follows", strings.Repeat("a", 100) + "😀b", strings.Repeat("a", 100) + "…"},
		{"a wide pair ends at 120, nothing follows", strings.Repeat("a", 100) + "😀", strings.Repeat("a", 100) + "😀"},
		{"three bytes each", strings.Repeat("語", 5000), strings.Repeat("語", 101) + "…"},
		{"a megabyte of one word", strings.Repeat("x", 1<<20), strings.Repeat("x", 101) + "…"},
		{"a stand-in counts as it is shown", strings.Repeat("\u0080", 50), strings.Repeat("<U+0080>", 12) + "<U+00…"},
		{"blank runs do not count", "a" + strings.Repeat(" \t\n", 1000) + "b", "a b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := NewPayload(ask.Question{Prompt: tt.subject}).Message; got != messagePrefix+tt.want {
				t.Errorf("got %q, want %q", got, messagePrefix+tt.want)
			}
		})
	}
}

func TestSubject(t *testing.T) {
	tests := []struct {
		name string
		q    ask.Question
		want string
	}{
		{"the author's label", ask.Question{Label: "Store", AuthorLabel: true, Prompt: "Where?"}, "Store"},
		{"a label from the position", ask.Question{Label: "Q1", Prompt: "Where?"}, "Where?"},
		{"a blank label that calls itself the author's", ask.Question{Label: "\ufeff\u00a0", AuthorLabel: true, Prompt: "Where?"}, "Where?"},
		{"U+0085 is no whitespace", ask.Question{Prompt: "a\u0085b\u2028c\u3000"}, "a<U+0085>b c"},
		{"an escape sequence", ask.Question{Label: "ok\x1b]52;c;ZXZpbA==\a\u202e", AuthorLabel: true}, "ok␛]52;c;ZXZpbA==␇<U+202E>"},
		{"bytes that are not UTF-8", ask.Question{Prompt: "a\xffb"}, "a\ufffdb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := NewPayload(tt.q).Message; got != messagePrefix+tt.want {
				t.Errorf("got %q, want %q", got, messagePrefix+tt.want)
			}
		})
	}
}

// Whatever the question holds, one sequence arrives and nothing else.
func TestNothingEscapesFromASequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.OneOf(
			rapid.SampledFrom([]string{"\x1b", "\a", "\x1b\\", "\u009c", "\x9c", ";", "\n", "\x00", "\u202e", "\xff", "😀", " ", "\x1bPtmux;"}),
			rapid.String(),
		)
		text := strings.Join(rapid.SliceOfN(part, 0, 40).Draw(t, "text"), "")
		p := NewPayload(ask.Question{Prompt: text})
		if n := len(utf16.Encode([]rune(p.Message))); n > messageUnits || !utf8.ValidString(p.Message) {
			t.Fatalf("%d units: %q", n, p.Message)
		}
		raw := Payload{Event: text, Title: text, Message: text}
		for _, payload := range []Payload{p, raw} {
			var tty terminal
			Send(context.Background(), []settings.Channel{osc777}, payload, &Options{Terminal: tty.write, Environ: noEnv})
			got := string(tty.got)
			inner, ok := strings.CutPrefix(got, "\x1b]777;notify;")
			inner, end := strings.CutSuffix(inner, "\a")
			if !ok || !end || strings.Count(inner, ";") != 1 {
				t.Fatalf("sequence %q", got)
			}
			for _, r := range inner {
				if r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x202e {
					t.Fatalf("sequence %q holds %U", got, r)
				}
			}
			if again := clean(clean(payload.Message)); again != clean(payload.Message) {
				t.Fatalf("cleaned twice: %q", again)
			}
		}
	})
}

func noEnv() []string { return nil }

func TestSequences(t *testing.T) {
	p := Payload{Title: "a;b", Message: "c;d"}
	tests := []struct {
		name    string
		channel settings.Channel
		env     []string
		want    string
	}{
		{"osc777", osc777, nil, "\x1b]777;notify;a:b;c:d\a"},
		{"osc9 in tmux", osc9, []string{"TMUX=/tmp/tmux-0/default,1,0"}, "\x1bPtmux;\x1b\x1b]9;c;d\a\x1b\\"},
		{"osc777 in tmux", osc777, []string{"TMUX=x"}, "\x1bPtmux;\x1b\x1b]777;notify;a:b;c:d\a\x1b\\"},
		{"bell in tmux", bell, []string{"TMUX=x"}, "\a"},
		{"an empty TMUX is no tmux", osc9, []string{"TMUX=x", "TMUX="}, "\x1b]9;c;d\a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var tty terminal
			Send(t.Context(), []settings.Channel{tt.channel}, p, &Options{Terminal: tty.write, Environ: func() []string { return tt.env }})
			if string(tty.got) != tt.want {
				t.Errorf("written %q, want %q", tty.got, tt.want)
			}
		})
	}
}

// One notification in the order of the channels; a broken one changes nothing
// for the others.
func TestFailuresStayInTheirChannel(t *testing.T) {
	var writes []string
	o := &Options{
		Environ: noEnv,
		Terminal: func(b []byte) error {
			writes = append(writes, string(b))
			if len(writes) == 1 {
				return errors.New("terminal is gone")
			}
			return nil
		},
		Command: func(_ context.Context, command string, _ []string) error {
			if command == "panic" {
				panic("in the host")
			}
			return errors.New("no " + command)
		},
	}
	channels := []settings.Channel{bell, command("x"), {Kind: "pigeon"}, command("panic"), {}, osc9}
	got := Send(t.Context(), channels, Payload{Message: "m"}, o)
	want := []Attempt{
		{"bell", Failed, "terminal is gone"},
		{"command", Failed, "no x"},
		{"pigeon", Skipped, ""},
		{"command", Failed, "panic: in the host"},
		{"", Skipped, ""},
		{"osc9", Attempted, ""},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("attempts\n%+v, want\n%+v", got, want)
	}
	if len(writes) != 2 {
		t.Errorf("written %q", writes)
	}
	if got := Send(t.Context(), []settings.Channel{bell}, Payload{}, nil); got[0].Status != Failed {
		t.Errorf("without a terminal: %+v", got)
	}
	if got := Send(t.Context(), nil, Payload{}, nil); got == nil || len(got) != 0 {
		t.Errorf("without channels: %#v", got)
	}
}

func TestNextChannelWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		o := &Options{
			Environ:  noEnv,
			Terminal: func([]byte) error { at = append(at, time.Since(start)); return nil },
			Command: func(ctx context.Context, _ string, _ []string) error {
				select {
				case <-time.After(4 * time.Second):
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			},
		}
		Send(t.Context(), []settings.Channel{bell, command("slow"), bell}, Payload{}, o)
		if want := []time.Duration{0, 4 * time.Second}; !reflect.DeepEqual(at, want) {
			t.Errorf("bells at %v, want %v", at, want)
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		got := Send(ctx, []settings.Channel{command("slow"), bell}, Payload{}, o)
		for _, a := range got {
			if a.Status != Failed || a.Error != context.DeadlineExceeded.Error() {
				t.Errorf("after the end: %+v", got)
			}
		}
	})
}

func TestAttemptJSON(t *testing.T) {
	got, err := json.Marshal([]Attempt{{"bell", Attempted, ""}, {"command", Failed, "exit status 3"}})
	want := `[{"channel":"bell","status":"attempted"},{"channel":"command","status":"failed","error":"exit status 3"}]`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}
