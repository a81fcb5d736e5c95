//go:build race

package journal

// RaceDetector makes long work many times longer.
const RaceDetector = true
