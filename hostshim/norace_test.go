//go:build !race

package hostshim_test

const raceEnabled = false
