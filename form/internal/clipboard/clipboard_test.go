package clipboard

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	listX11  = "xclip -selection clipboard -t TARGETS -o"
	getPNG   = "xclip -selection clipboard -t image/png -o"
	psCall   = "powershell.exe -NoProfile -STA -Command <SCRIPT>"
	macCall  = "osascript -l JavaScript -e <SCRIPT> <TMP>/image.png"
	wslCall  = "wslpath -w <TMP>/image.png"
	pngStart = "iVBORw0KGgo="
)

// Outcomes that are not among the vectors.
func TestWaysOfReading(t *testing.T) {
	tests := []struct {
		name     string
		read     func(context.Context, *system) (picture, error)
		env      map[string]string
		commands map[string]vectorCommand
		calls    []string
		data     string
		mimeType string
		err      error
	}{
		{
			name:     "types may end in carriage returns, png comes first",
			read:     readLinux,
			commands: map[string]vectorCommand{listX11: {Stdout: "TARGETS\r\nimage/jpeg\r\n image/png \r\n"}, getPNG: {StdoutBase64: pngStart}},
			calls:    []string{listX11, getPNG},
			data:     pngStart, mimeType: "image/png",
		},
		{
			name:     "a type like ours is not ours",
			read:     readLinux,
			commands: map[string]vectorCommand{listX11: {Stdout: "image/png;x\nimage/pngs\nIMAGE/PNG\nimage/svg+xml\n"}},
			calls:    []string{listX11},
			err:      ErrEmpty,
		},
		{
			name:     "the list works and the content does not",
			read:     readLinux,
			commands: map[string]vectorCommand{listX11: {Stdout: "image/png\n"}},
			calls:    []string{listX11, getPNG},
			err:      ErrUnavailable,
		},
		{
			name: "Wayland fails, X11 has it",
			read: readLinux,
			env:  map[string]string{"WAYLAND_DISPLAY": "wayland-1"},
			commands: map[string]vectorCommand{
				"wl-paste --list-types":                   {Stdout: "image/webp\n"},
				"wl-paste --type image/webp --no-newline": {Fail: true},
				listX11: {Stdout: "image/webp\n"},
				"xclip -selection clipboard -t image/webp -o": {StdoutBase64: "UklGRg=="},
			},
			calls: []string{
				"wl-paste --list-types", "wl-paste --type image/webp --no-newline", listX11,
				"xclip -selection clipboard -t image/webp -o",
			},
			data: "UklGRg==", mimeType: "image/webp",
		},
		{
			name:     "WSL: nothing but Windows works, and it is empty",
			read:     readLinux,
			env:      map[string]string{"WSL_INTEROP": "x"},
			commands: map[string]vectorCommand{wslCall: {Stdout: "C:\\image.png\r\n"}, psCall: {Stdout: "empty\r\n"}},
			calls:    []string{"wl-paste --list-types", listX11, wslCall, psCall},
			err:      ErrEmpty,
		},
		{
			name:     "WSL: Windows fails, the empty clipboard of Linux stands",
			read:     readLinux,
			env:      map[string]string{"WSL_DISTRO_NAME": "Debian"},
			commands: map[string]vectorCommand{"wl-paste --list-types": {Stdout: "text/plain\n"}, wslCall: {Stdout: "C:\\image.png\n"}},
			calls:    []string{"wl-paste --list-types", wslCall, psCall},
			err:      ErrEmpty,
		},
		{
			name:     "WSL: no path, no PowerShell",
			read:     readLinux,
			env:      map[string]string{"WSL_DISTRO_NAME": "Debian"},
			commands: map[string]vectorCommand{wslCall: {Stdout: "\n"}},
			calls:    []string{"wl-paste --list-types", listX11, wslCall},
			err:      ErrUnavailable,
		},
		{
			name:     "WSL: ok without a file",
			read:     readLinux,
			env:      map[string]string{"WSL_DISTRO_NAME": "Debian"},
			commands: map[string]vectorCommand{wslCall: {Stdout: "C:\\image.png\n"}, psCall: {Stdout: "ok\n"}},
			calls:    []string{"wl-paste --list-types", listX11, wslCall, psCall},
			err:      ErrUnavailable,
		},
		{
			name:     "macOS: a picture",
			read:     readMac,
			commands: map[string]vectorCommand{macCall: {Stdout: "ok\n", WritesFileBase64: pngStart}},
			calls:    []string{macCall},
			data:     pngStart, mimeType: "image/png",
		},
		{
			name:     "macOS: a picture that nothing can decode",
			read:     readMac,
			commands: map[string]vectorCommand{macCall: {Stdout: "format\n"}},
			calls:    []string{macCall},
			err:      ErrFormat,
		},
		{
			name:     "macOS: empty",
			read:     readMac,
			commands: map[string]vectorCommand{macCall: {Stdout: "empty\n"}},
			calls:    []string{macCall},
			err:      ErrEmpty,
		},
		{name: "macOS: no osascript", read: readMac, calls: []string{macCall}, err: ErrUnavailable},
		{
			name:     "Windows: a picture",
			read:     readWindows,
			commands: map[string]vectorCommand{psCall: {Stdout: "ok\r\n", WritesFileBase64: pngStart}},
			calls:    []string{psCall},
			data:     pngStart, mimeType: "image/png",
		},
		{name: "Windows: no PowerShell", read: readWindows, calls: []string{psCall}, err: ErrUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			temp := t.TempDir()
			s := newScript(temp, tt.commands)
			run := func(ctx context.Context, name string, args ...string) ([]byte, error) {
				if name == "powershell.exe" {
					s.file = pathIn(t, temp) // its argument is a script that names it
				}
				return s.run(ctx, name, args...)
			}
			image, err := on(tt.read, &Options{
				Getenv:  func(name string) string { return tt.env[name] },
				Run:     run,
				TempDir: temp,
			}).ReadImage(t.Context())
			if !slices.Equal(s.calls, tt.calls) {
				t.Errorf("calls %q, want %q", s.calls, tt.calls)
			}
			if !errors.Is(err, tt.err) || image.Data != tt.data || image.MimeType != tt.mimeType {
				t.Errorf("got %+v, %v", image, err)
			}
			leftNothing(t, temp)
		})
	}
}

// pathIn is the picture in the only folder inside temp.
func pathIn(t *testing.T, temp string) string {
	t.Helper()
	dirs, err := os.ReadDir(temp)
	if err != nil || len(dirs) != 1 {
		t.Fatalf("temporary folders: %v, %v", dirs, err)
	}
	return temp + "/" + dirs[0].Name() + "/image.png"
}

func TestSavedPictureThatIsTooLarge(t *testing.T) {
	temp := t.TempDir()
	for size, want := range map[int64]error{5: nil, MaxBytes + 1: ErrUnavailable, 0: ErrEmpty} {
		_, err := on(readMac, &Options{TempDir: temp, Run: func(context.Context, string, ...string) ([]byte, error) {
			f, err := os.Create(pathIn(t, temp))
			if err != nil {
				return nil, err
			}
			defer f.Close()
			return []byte("ok"), f.Truncate(size)
		}}).ReadImage(t.Context())
		if !errors.Is(err, want) {
			t.Errorf("%d bytes: error %v, want %v", size, err, want)
		}
		leftNothing(t, temp)
	}
}

func TestNoPlaceForTheTemporaryFolder(t *testing.T) {
	_, err := on(readMac, &Options{TempDir: t.TempDir() + "/gone"}).ReadImage(t.Context())
	if !errors.Is(err, ErrUnavailable) || !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("error %v", err)
	}
}

func TestPowerShellScriptQuotesThePath(t *testing.T) {
	script := powerShellScript("C:\\it's\\a\u2019b\u201bc\\image.png")
	if want := "$image.Save('C:\\it''s\\a\u2019\u2019b\u201b\u201bc\\image.png',"; !strings.Contains(script, want) {
		t.Errorf("script %s\nlacks %s", script, want)
	}
	if strings.ContainsAny(script, "\"\n") {
		t.Errorf("script does not survive a command line: %s", script)
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	reader := linux(&Options{Run: func(ctx context.Context, _ string, _ ...string) ([]byte, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	image, err := reader.ReadImage(ctx)
	if !errors.Is(err, context.Canceled) || image.Data != "" {
		t.Fatalf("got %+v, %v", image, err)
	}
}

func FuzzPreferred(f *testing.F) {
	f.Add("image/png\n")
	f.Add("\u00a0image/gif\r\x00\nimage/jpeg;q=1")
	f.Fuzz(func(t *testing.T, list string) {
		switch got := preferred(list); got {
		case "", "image/png", "image/jpeg", "image/webp", "image/gif":
			if got != "" && !strings.Contains(list, got) {
				t.Fatalf("%q is not in the list", got)
			}
		default:
			t.Fatalf("%q is no type of ours", got)
		}
	})
}

func TestNativeMeansOfThisSystem(t *testing.T) {
	calls := 0
	_, err := System(&Options{TempDir: t.TempDir(), Run: func(context.Context, string, ...string) ([]byte, error) {
		calls++
		return nil, errors.New("no such tool")
	}}).ReadImage(t.Context())
	if !errors.Is(err, ErrUnavailable) || calls == 0 {
		t.Fatalf("error %v after %d calls", err, calls)
	}
}

func encoded(data []byte) string { return base64.StdEncoding.EncodeToString(data) }
