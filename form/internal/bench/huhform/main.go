// Command huhform is a huh form: huhform QUESTIONS BYTES, with a description of
// that many bytes for each question, since huh has no previews.
package main

import (
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	"charm.land/huh/v2"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: huhform QUESTIONS BYTES")
	}
	questions, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	size, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	const line = "text of about as much as a preview has\n"
	var groups []*huh.Group
	for i := range questions {
		s := huh.NewSelect[string]().Title(fmt.Sprint("Question ", i+1)).
			Description(strings.Repeat(line, size/len(line))).
			Options(huh.NewOptions("alpha", "beta", "gamma", "omega")...)
		groups = append(groups, huh.NewGroup(s))
	}
	if err := huh.NewForm(groups...).Run(); err != nil {
		log.Fatal(err)
	}
}
