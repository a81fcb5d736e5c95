// Command huhform is a huh form with 20 questions of four options.
package main

import (
	"fmt"
	"strings"

	"charm.land/huh/v2"
)

func main() {
	var groups []*huh.Group
	for i := range 20 {
		s := huh.NewSelect[string]().Title(fmt.Sprint("Question ", i+1)).
			Description(strings.Repeat("text of about as much as a preview has\n", 1<<20/20/39)).
			Options(huh.NewOptions("alpha", "beta", "gamma", "omega")...)
		groups = append(groups, huh.NewGroup(s))
	}
	if err := huh.NewForm(groups...).Run(); err != nil {
		panic(err)
	}
}
