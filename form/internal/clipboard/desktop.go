package clipboard

import (
	"context"
	"errors"
	"strings"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// readLinux tries, in this order, Wayland, X11 and, under WSL, Windows. A
// clipboard that can be read and is empty ends the search among the first two.
func readLinux(ctx context.Context, s *system) (picture, error) {
	wsl := s.getenv("WSL_DISTRO_NAME") != "" || s.getenv("WSL_INTEROP") != ""

	p, err := picture{}, failed(errors.New("no Wayland display"))
	if wsl || s.getenv("WAYLAND_DISPLAY") != "" {
		p, err = s.readOffered(ctx, wayland)
	}
	if unavailable(err) {
		// Without DISPLAY too: the tool may know of another way.
		p, err = s.readOffered(ctx, x11)
	}
	if err != nil && wsl {
		fromWindows, windowsErr := s.readThroughWSL(ctx)
		if !unavailable(windowsErr) {
			return fromWindows, windowsErr
		}
	}
	return p, err
}

func unavailable(err error) bool { return errors.Is(err, ErrUnavailable) }

// tool is a program that lists the types that the clipboard offers and gives
// its content as one of them.
type tool struct {
	name string
	list []string
	get  func(mimeType string) []string
}

var (
	wayland = tool{
		name: "wl-paste",
		list: []string{"--list-types"},
		get:  func(mimeType string) []string { return []string{"--type", mimeType, "--no-newline"} },
	}
	x11 = tool{
		name: "xclip",
		list: []string{"-selection", "clipboard", "-t", "TARGETS", "-o"},
		get:  func(mimeType string) []string { return []string{"-selection", "clipboard", "-t", mimeType, "-o"} },
	}
)

// readOffered reads the picture in the best type that is offered.
func (s *system) readOffered(ctx context.Context, t tool) (picture, error) {
	list, err := s.run(ctx, t.name, t.list...)
	if err != nil {
		return picture{}, failed(err)
	}
	mimeType := preferred(string(list))
	if mimeType == "" {
		return picture{}, ErrEmpty
	}
	data, err := s.run(ctx, t.name, t.get(mimeType)...)
	if err != nil {
		return picture{}, failed(err)
	}
	if len(data) == 0 {
		return picture{}, ErrEmpty
	}
	return picture{mimeType: mimeType, data: data}, nil
}

// preferred picks a picture type from a list with one type per line, "" if
// there is none. The type is one of ours, so it is safe as an argument.
func preferred(list string) string {
	offered := make(map[string]bool)
	for line := range strings.SplitSeq(list, "\n") {
		offered[ask.TrimSpace(line)] = true
	}
	for _, mimeType := range [...]string{"image/png", "image/jpeg", "image/webp", "image/gif"} {
		if offered[mimeType] {
			return mimeType
		}
	}
	return ""
}

// readThroughWSL lets Windows save its clipboard picture to a file that both
// sides can see.
func (s *system) readThroughWSL(ctx context.Context) (picture, error) {
	return s.readSaved(func(file string) (string, error) {
		windowsPath, err := s.run(ctx, "wslpath", "-w", file)
		if err != nil {
			return "", err
		}
		path := ask.TrimSpace(string(windowsPath))
		if path == "" {
			return "", errors.New("wslpath: no path")
		}
		return s.runPowerShell(ctx, path)
	})
}
