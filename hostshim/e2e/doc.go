// Package e2e holds the end-to-end tests: the extension inside the real pi, on
// a pseudo terminal, with a scripted model on 127.0.0.1. It has no code of its
// own; the tests need what `npm ci` installs in hostshim/pi.
package e2e
