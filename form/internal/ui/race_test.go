//go:build race

package ui_test

// scriptBytes is the length of a random script. The form's state has no
// goroutines: under the race detector, which is slow, a short one will do.
const scriptBytes = 500
