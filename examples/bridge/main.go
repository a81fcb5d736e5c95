// Command bridge answers a form from elsewhere: a bridge listens on the bus of
// an agent host, sends the questions to somebody who is not at the terminal,
// and brings the answer back. Here that somebody reads standard input.
//
//	echo 2 | go run ./examples/bridge
//
// The host is the one in memory that package hosttest has for tests; a real one
// has a screen and a model instead.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/hostshim"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim/hosttest"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const payload = `{"title":"Release","questions":[{"id":"target","label":"Target","prompt":"Where should the build ship?","options":[
	{"value":"staging","label":"Staging"},{"value":"prod","label":"Production"}]}]}`

// run is the agent: it asks, and prints what the model would read.
func run(in io.Reader, out io.Writer) error {
	host := hosttest.New(hostshim.Info{})
	defer host.Close()
	b := &bridge{in: bufio.NewScanner(in), out: out, submit: host.Submit}
	host.OnEvent = b.event
	if err := host.Start("startup"); err != nil {
		return err
	}
	result, err := host.Call("ask_user", "call-1", payload).Wait()
	if err != nil {
		return err
	}
	_, answer, _ := strings.Cut(result.Content[0].Text, "\n") // the first line names the request
	_, err = fmt.Fprintln(out, "The agent reads:", answer)
	return err
}

// bridge links the bus with somebody elsewhere.
type bridge struct {
	in     *bufio.Scanner
	out    io.Writer
	submit func(event string)
	sent   int
	flow   string
	asked  question
}

// question is what the bridge needs of a question.
type question struct {
	ID, Prompt string
	Options    []struct{ Value, Label string }
}

// event takes an event of the host's bus. Answers may be sent from inside.
func (b *bridge) event(e hosttest.Event) {
	switch e.Channel {
	case hostshim.ChannelStarted:
		var started struct {
			FlowID    string
			Questions []question
		}
		if err := json.Unmarshal(e.Data, &started); err != nil || len(started.Questions) == 0 {
			return
		}
		b.flow, b.asked = started.FlowID, started.Questions[0]
		b.ask()
	case hostshim.ChannelSubmitResult:
		var reply struct {
			OK      bool
			Message string
		}
		if err := json.Unmarshal(e.Data, &reply); err == nil && !reply.OK {
			fmt.Fprintln(b.out, "Not accepted:", reply.Message)
			b.ask() // a refused answer changes nothing: another one may follow
		}
	}
}

// ask reads an option's number and sends the answer. The end of the input
// cancels the form.
func (b *bridge) ask() {
	fmt.Fprintln(b.out, b.asked.Prompt)
	for i, o := range b.asked.Options {
		fmt.Fprintf(b.out, "  %d. %s\n", i+1, o.Label)
	}
	response := map[string]any{"kind": "cancel"}
	if b.in.Scan() {
		value := strings.TrimSpace(b.in.Text())
		if n, err := strconv.Atoi(value); err == nil && n >= 1 && n <= len(b.asked.Options) {
			value = b.asked.Options[n-1].Value
		}
		answer := map[string]any{"values": []string{value}}
		response = map[string]any{"kind": "answer", "answers": map[string]any{b.asked.ID: answer}}
	}
	b.sent++
	event, err := json.Marshal(map[string]any{"version": 1, "requestId": fmt.Sprint("bridge-", b.sent), "flowId": b.flow, "response": response})
	if err == nil {
		b.submit(string(event))
	}
}
