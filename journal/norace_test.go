//go:build !race

package journal

const RaceDetector = false
