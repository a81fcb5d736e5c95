//go:build race

package ask_test

// scale makes huge inputs smaller where every step costs much more.
const scale = 20
