package hostshim_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/hostshim"
	"github.com/pi-agent-ask/pi-agent-ask/hostshim/hosttest"
)

// A host in Go has one Extension. Here the host is one for tests, and the
// person is the program.
func ExampleExtension() {
	host := hosttest.New(hostshim.Info{})
	defer host.Close()
	if err := host.Start("startup"); err != nil {
		fmt.Println(err)
		return
	}
	call := host.Call("ask_user", "call-1", `{"questions":[{"id":"db","label":"Database","prompt":"Where to keep the data?","options":[
		{"value":"sqlite","label":"SQLite"},{"value":"pg","label":"Postgres"}]}]}`)
	host.NextForm().Press("2", "enter")
	result, err := call.Wait()
	if err != nil {
		fmt.Println(err)
		return
	}
	_, answers, _ := strings.Cut(result.Content[0].Text, "\n") // the first line names the request
	fmt.Println(answers)
	// Output: Database: Postgres
}

// A host in another process talks to the engine in JSON-RPC, one message a
// line. docs/protocol.md has all messages.
func ExampleServe() {
	in, toEngine := io.Pipe()
	fromEngine, out := io.Pipe()
	ended := make(chan error)
	go func() { ended <- hostshim.Serve(context.Background(), in, out) }()
	answers := bufio.NewScanner(fromEngine)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"agentDir":"/nonexistent"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"row/render","params":{"kind":"waitCall","width":40}}`,
		`{"jsonrpc":"2.0","id":3,"method":"shutdown"}`,
	} {
		_, _ = fmt.Fprintln(toEngine, line)
		answers.Scan()
		fmt.Println(answers.Text())
	}
	fmt.Println(<-ended)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"protocol":1,"version":"0.1.0"}}
	// {"jsonrpc":"2.0","id":2,"result":{"lines":[[{"role":"toolTitle","bold":true,"text":"wait_for_answers"}]]}}
	// {"jsonrpc":"2.0","id":3,"result":{}}
	// <nil>
}

func ExampleRenderRow() {
	for _, line := range hostshim.RenderRow(hostshim.Row{Kind: "call", Width: 40, Args: []byte(`{"questions":[{"label":"Database"}]}`)}) {
		for _, span := range line {
			fmt.Printf("%s: %q\n", span.Role, span.Text)
		}
	}
	// Output:
	// toolTitle: "ask_user "
	// muted: "1 question(s)"
	// dim: " (Database)"
}
