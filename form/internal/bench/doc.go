// Package bench compares the form with what somebody would use in its place:
// huh, the parts of bubbles, the widgets of tview, and fzf. It is a module of
// its own, so that none of them is a dependency of the library.
//
//	make bench    // from the root: everything, as a table
//
// Only the ratios inside one run mean something; on a shared machine the
// figures of two runs differ by half and more.
package bench
