//go:build !race

package ui_test

// scriptBytes is the length of a random script; together they make more than
// 200 000 events.
const scriptBytes = 2600
