// Command embed shows a form inside a tview application: a log on the left,
// the form on the right, Tab inside the form, F6 from one to the other.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
)

func main() {
	name := "examples/payloads/release.json"
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	questions, err := load(name)
	if err != nil {
		log.Fatal(err)
	}
	outcome, err := run(questions)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(outcome.Text())
}

func load(name string) (ask.Form, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return ask.Form{}, err
	}
	payload, err := ask.Decode(ask.Prepare(json.RawMessage(raw)))
	if err != nil {
		return ask.Form{}, err
	}
	return ask.Normalize(payload)
}

func run(questions ask.Form) (form.Outcome, error) {
	screen, err := tcell.NewScreen()
	if err != nil {
		return form.Outcome{}, err
	}
	app := tview.NewApplication()
	p := form.New(questions, nil)
	defer p.Close()
	p.SetChangedFunc(func() { app.QueueUpdateDraw(func() {}) })
	p.SetDoneFunc(func(form.Outcome) { app.Stop() })

	notes := tview.NewTextView().SetText("The agent works on while you answer.\n\nF6 changes sides.")
	notes.SetBorder(true).SetTitle(" log ")
	layout := tview.NewFlex().AddItem(notes, 30, 0, false).AddItem(p, 0, 1, true)

	app.SetInputCapture(func(ev *tcell.EventKey) *tcell.EventKey {
		if ev.Key() == tcell.KeyF6 {
			if p.HasFocus() {
				app.SetFocus(notes)
			} else {
				app.SetFocus(p)
			}
			return nil
		}
		return form.CtrlC(ev)
	})
	app.SetScreen(form.PasteLines(screen)).EnablePaste(true).EnableMouse(true)
	err = app.SetRoot(layout, true).Run()
	return p.Outcome(), err
}
