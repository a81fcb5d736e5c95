package display

// patchedWidth is the width of clusters on which a host measures more than
// both tables do.
func patchedWidth(cluster string) int {
	return 0
}
