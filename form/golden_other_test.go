//go:build !unix

package form_test

const goldenChild = "FORM_GOLDEN_CHILD"

func runGoldenChild() int { return 1 }
