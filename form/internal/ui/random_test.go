package ui_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Whatever keys, pastes, sizes, clicks and late answers come: the form neither
// breaks its picture nor loses what was entered, and the same events lead to
// the same form.
func TestRandomUse(t *testing.T) {
	for _, half := range []uint64{1, 2} {
		t.Run(fmt.Sprint("half ", half), func(t *testing.T) {
			t.Parallel()
			randomUse(t, half)
		})
	}
}

func randomUse(t *testing.T, half uint64) {
	events, schema := 0, outputSchema(t)
	rapid.Check(t, func(t *rapid.T) {
		// Bytes from a seed: a script of thousands of draws would only be noise.
		seed := rapid.Uint64().Draw(t, "seed")
		script := make([]byte, rapid.IntRange(scriptBytes*9/10, scriptBytes).Draw(t, "bytes"))
		random := rand.New(rand.NewPCG(seed, half))
		for i := range script {
			script[i] = byte(random.Uint32())
		}
		p := newPlayer(t, schema)
		p.play(script)
		events += p.events
	})
	t.Logf("%d events", events)
}

func FuzzKeys(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("the quick brown fox jumps over the lazy dog, again and again and again and again"))
	schema := outputSchema(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		newPlayer(t, schema).play(data[:min(len(data), 400)])
	})
}
