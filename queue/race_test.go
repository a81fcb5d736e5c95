//go:build race

package queue_test

// raceDetector makes every process four times as slow.
const raceDetector = true
