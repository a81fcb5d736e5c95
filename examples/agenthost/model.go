package main

import (
	"fmt"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// reply is what the scripted model answers: a text, and maybe a tool call.
type reply struct {
	text, tool string
	arguments  ask.Payload
	step       int
	over       bool // there is nothing left to do
}

func question(background bool, id, prompt, first, second string) ask.Payload {
	return ask.Payload{Title: "New project", Background: background, Questions: []ask.Question{{ID: id, Prompt: prompt,
		Options: []ask.Option{{Value: "1", Label: first}, {Value: "2", Label: second}}}}}
}

var script = []reply{
	{text: "This decides everything else, so I ask first.\n", tool: "ask_user", arguments: question(false, "store", "Where to keep the data?", "SQLite", "Postgres")},
	{text: "This can wait.\n", tool: "ask_user", arguments: question(true, "licence", "Which licence?", "MIT", "Apache-2.0")},
	{text: "This too.\n", tool: "ask_user", arguments: question(true, "ci", "Which checks on each push?", "tests", "tests and lint")},
	{text: "Writing the schema meanwhile.\n", tool: "work"},
	{text: "Now I need the answers.\n", tool: "wait_for_answers"},
}

// model replies to a session. All it knows is in there, so that a new process
// goes on where the last one died.
func model(branch []journal.Entry) reply {
	step, open, answers := 0, "", 0
	for _, e := range branch {
		if e.CustomType == journal.TypeAnswer {
			answers++
		}
		if d, ok := journal.Decode(e).(journal.Queued); ok && d.ToolCallID == open {
			open = "" // the queue has it: the answer comes later
		}
		switch m, _ := journal.ReadMessage(e); {
		case len(m.ToolCalls) > 0:
			step, open = step+1, ""
			if m.ToolCalls[0].Name == "ask_user" {
				open = m.ToolCalls[0].ID
			}
		case m.Role == "toolResult" || m.Role == "user":
			open = ""
		}
	}
	switch {
	case open != "":
		return reply{} // a crash has cut the call off; the user is being asked again
	case step == len(script):
		return reply{text: fmt.Sprintf("Done. %d answer(s) came by message.\n", answers), over: true}
	}
	r := script[step]
	r.step = step
	return r
}
