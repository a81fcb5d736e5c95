// Command standalone asks one question and prints the answer.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
)

func main() {
	questions, err := ask.Normalize(ask.Payload{
		Questions: []ask.Question{{
			ID: "store", Prompt: "Where should the data live?",
			Options: []ask.Option{
				{Value: "sqlite", Label: "SQLite", Description: "One file, no server."},
				{Value: "pg", Label: "Postgres"},
			},
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := form.Run(context.Background(), questions, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.AgentText())
}
