//go:build !race

package ask_test

const scale = 1
