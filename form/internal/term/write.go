package term

// Write sends bytes to the terminal between two frames, for sequences that
// draw nothing, such as a bell. It must be called from a callback or a posted
// function.
func (l *Loop) Write(b []byte) error {
	_, err := l.gate.Write(b)
	return err
}
