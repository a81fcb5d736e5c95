package clipboard_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/pi-agent-ask/pi-agent-ask/form/internal/clipboard"
)

func ExampleSystem() {
	// Without Run the real tools are asked.
	reader := clipboard.System(&clipboard.Options{
		Run: func(_ context.Context, name string, _ ...string) ([]byte, error) {
			return nil, errors.New(name + " is not installed")
		},
	})
	_, err := reader.ReadImage(context.Background())
	fmt.Println(errors.Is(err, clipboard.ErrUnavailable))
	// Output: true
}
