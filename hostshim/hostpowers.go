package hostshim

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/form"
)

// Limits of what a host's powers may bring: those of the built-in ones.
const (
	maxImage     = 32 << 20 // bytes
	maxFileItems = 100
	maxFilePath  = 4096 // bytes
)

// peerClipboard reads images with the system's tools and through the host's
// native clipboard: on Linux the tools come first, elsewhere the host is
// quicker.
type peerClipboard struct{ p *peer }

func (c peerClipboard) ReadImage(ctx context.Context) (image ask.Image, err error) {
	ways := []form.Clipboard{form.SystemClipboard(), nativeClipboard(c)}
	if runtime.GOOS != "linux" {
		slices.Reverse(ways)
	}
	for _, way := range ways {
		if image, err = way.ReadImage(ctx); !errors.Is(err, form.ErrClipboardUnavailable) {
			break
		}
	}
	return image, err
}

// nativeClipboard is the host's.
type nativeClipboard struct{ p *peer }

func (c nativeClipboard) ReadImage(ctx context.Context) (ask.Image, error) {
	var out struct {
		MimeType string `json:"mimeType"`
		Data     string `json:"data"`
		Empty    bool   `json:"empty"`
	}
	switch err := c.p.call(ctx, "clipboard/image", none{}, &out); {
	case err != nil:
		return ask.Image{}, form.ErrClipboardUnavailable
	case out.Empty:
		return ask.Image{}, form.ErrClipboardEmpty
	}
	if err := checkImage(out.MimeType, out.Data); err != nil {
		return ask.Image{}, fmt.Errorf("%w: %w", form.ErrClipboardFormat, err)
	}
	return ask.Image{ID: uuid.NewString(), MimeType: out.MimeType, Data: out.Data}, nil
}

// checkImage refuses what would spoil a whole answer: no model takes it.
func checkImage(mimeType, data string) error {
	switch {
	case !slices.Contains([]string{"image/png", "image/jpeg", "image/webp", "image/gif"}, mimeType):
		return fmt.Errorf("%q is no type of image that models take", mimeType)
	case base64.StdEncoding.DecodedLen(len(data)) > maxImage+2: // up to two bytes are padding
		return fmt.Errorf("the image is larger than %d MiB", maxImage>>20)
	case data == "":
		return errors.New("the image has no data")
	}
	_, err := base64.StdEncoding.DecodeString(data)
	return err
}

// peerFiles finds files through the host's own completion.
type peerFiles struct{ p *peer }

// Suggest implements [form.FileLister]. Names that could do harm in a line of
// text are left out, as the built-in completion does.
func (f peerFiles) Suggest(ctx context.Context, query string) ([]form.FileItem, error) {
	var out struct {
		Items []struct {
			Value string `json:"value"`
			Name  string `json:"name"`
			Path  string `json:"path"`
			Dir   bool   `json:"dir"`
		} `json:"items"`
	}
	err := f.p.call(ctx, "files/suggest", map[string]any{"query": query}, &out)
	var items []form.FileItem
	for _, i := range out.Items {
		if isHarmless(i.Value) && len(items) < maxFileItems {
			items = append(items, form.FileItem{Value: i.Value, Name: i.Name, Path: i.Path, Dir: i.Dir})
		}
	}
	return items, err
}

func isHarmless(path string) bool {
	return path != "" && len(path) <= maxFilePath && utf8.ValidString(path) && !strings.ContainsFunc(path, func(r rune) bool {
		return r == '"' || r == '\u2028' || r == '\u2029' || r == utf8.RuneError || unicode.IsControl(r)
	})
}
