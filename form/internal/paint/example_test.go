package paint_test

import (
	"fmt"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form/internal/paint"
)

func ExampleGrid_Lines() {
	frame := paint.Frame{
		Width: 20,
		Rows: []paint.Row{
			{{Text: "❯ ", Style: paint.Style{Fg: ask.RoleAccent}}, {Text: "資料庫", Style: paint.Style{Bold: true}}},
			{{Text: "plain"}},
		},
		CursorRow: paint.NoCursor, CursorCol: paint.NoCursor,
	}
	var grid paint.Grid
	grid.Fill(frame, nil)
	for _, line := range grid.Lines(paint.Theme{Accent: "ansi:4"}, paint.ANSI16) {
		fmt.Printf("%q\n", line)
	}
	fmt.Printf("%q\n", grid.Text())
	// Output:
	// "\x1b[0;34m❯ \x1b[0;1m資料庫\x1b[0m"
	// "plain"
	// ["❯ 資料庫" "plain"]
}
