// Command tviewlist is the least that a tview program can be: one list.
package main

import "github.com/rivo/tview"

func main() {
	l := tview.NewList().AddItem("alpha", "", 0, nil).AddItem("beta", "", 0, nil).AddItem("omega", "", 0, nil)
	if err := tview.NewApplication().SetRoot(l, true).Run(); err != nil {
		panic(err)
	}
}
