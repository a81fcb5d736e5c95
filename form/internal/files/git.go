package files

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/pi-agent-ask/pi-agent-ask/form/internal/proc"
)

// inRepository reports whether git may know a directory.
func inRepository(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

var errFull = errors.New("enough")

// listGit adds what git tracks below a directory, and what it neither tracks
// nor ignores. The first is known at once and the second takes a look at the
// whole tree, so they are asked for side by side. Without git, or if it fails,
// the list stays as it is. Files that are gone are still tracked; see
// target.items.
func listGit(ctx context.Context, root string, l *list) {
	l.opaque = true
	defer func() { l.opaque = false }()
	var tracked sync.WaitGroup
	defer tracked.Wait()
	tracked.Go(func() { runGit(ctx, root, l, "--cached") })
	runGit(ctx, root, l, "--others", "--exclude-standard")
}

func runGit(ctx context.Context, root string, l *list, which ...string) {
	// A monitor is a program that the repository's settings name.
	args := append([]string{"--no-optional-locks", "-c", "core.fsmonitor=false", "ls-files", "-z"}, which...)
	var rest []byte
	var paths []string
	_, _ = proc.Run(ctx, proc.Cmd{ // what came before an error counts
		Name:    "git",
		Args:    args,
		Dir:     root,
		Env:     gitEnv(os.Environ()),
		Timeout: listTimeout,
		Limit:   4 * maxNameBytes,
		Sink: func(piece []byte) error {
			paths, rest = split(paths[:0], rest, piece)
			if !l.add(paths...) {
				return errFull
			}
			if len(rest) > 16*maxPath {
				return errors.New("a path without end")
			}
			return nil
		},
	})
}

// split cuts output at its zero bytes. The paths share one string; what comes
// after the last zero is the rest.
func split(paths []string, rest, piece []byte) ([]string, []byte) {
	end := bytes.LastIndexByte(piece, 0)
	if end < 0 {
		return paths, append(rest, piece...)
	}
	text := string(rest) + string(piece[:end])
	for text != "" {
		var path string
		path, text, _ = strings.Cut(text, "\x00")
		paths = append(paths, path)
	}
	return paths, append(rest[:0], piece[end+1:]...)
}

// gitEnv leaves out what would point git to another repository, as it is set
// while a hook runs.
func gitEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE":
			return true
		}
		return false
	})
}
