package hostshim

import (
	"context"
	"io"
)

// MaxCells is the widest and the highest frame that is drawn.
const MaxCells = maxCells

// ServeAtOnce is Serve with forms that take keys at once.
func ServeAtOnce(ctx context.Context, in io.Reader, out io.WriteCloser) error {
	return serve(ctx, in, out, Info{CursorMarker: cursorMarker, Guard: -1})
}
