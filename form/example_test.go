package form_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
)

// store is the form of the examples.
func store() ask.Form {
	p, err := ask.Decode(json.RawMessage(`{"questions":[{"id":"db","label":"Store","prompt":"Which store?",
		"options":[{"value":"pg","label":"Postgres"},{"value":"lite","label":"SQLite"}]}]}`))
	if err != nil {
		panic(err)
	}
	f, err := ask.Normalize(p)
	if err != nil {
		panic(err)
	}
	return f
}

func ExampleNewInline() {
	in := form.NewInline(store(), nil)
	defer in.Close()
	in.Key("down", "")
	for _, line := range in.Text(40, 12) { // Lines has the colours
		fmt.Println(line)
	}
	in.Key("enter", "") // choose and go on to Review
	in.Key("enter", "") // submit
	<-in.Done()
	fmt.Println(in.Outcome().Text())
	// Output:
	// ────────────────────────────────────────
	//  ←  ☐ Store   ☰ Review  →
	//
	//  Which store?
	//
	//   1. ( ) Postgres
	// ❯ 2. ( ) SQLite                    1-4/5
	//
	//  T question type · Enter confirm
	// N/Shift+N note · Esc dismiss
	// ? settings
	// ────────────────────────────────────────
	// Store: SQLite
}

func ExampleNew() {
	screen := tcell.NewSimulationScreen("UTF-8") // an application has its own
	if err := screen.Init(); err != nil {
		panic(err)
	}
	defer screen.Fini()
	p := form.New(store(), nil).SetDoneFunc(func(o form.Outcome) {
		fmt.Println("answered:", o.Result.Answers["db"].Labels)
	})
	defer p.Close()
	p.SetRect(0, 0, 40, 12)
	p.Draw(screen)
	for _, k := range []tcell.Key{tcell.KeyDown, tcell.KeyEnter, tcell.KeyEnter} {
		p.InputHandler()(tcell.NewEventKey(k, 0, tcell.ModNone), func(tview.Primitive) {})
	}
	// Output: answered: [SQLite]
}

func ExampleInline_Snapshot() {
	in := form.NewInline(store(), nil)
	defer in.Close()
	in.Key("3", "3") // the free-text row
	in.Paste("DuckDB")
	s := in.Snapshot()
	fmt.Println(s.Tab, s.View, s.EditorText)
	in.Key("enter", "")
	fmt.Println(in.Snapshot().Tab, strings.Join(in.Outcome().Result.Answers["db"].Values, ", "))
	// Output:
	// db answerEditor DuckDB
	// review DuckDB
}

func ExampleInline_Answer() {
	in := form.NewInline(store(), nil)
	defer in.Close()
	answers := ask.NewDrafts(store())
	answers.Pick(0, 1)
	in.Answer(answers, ask.Submit) // somebody answered elsewhere
	<-in.Done()
	fmt.Println(in.Outcome().Result.Answers["db"].Values)
	// Output: [lite]
}
