//go:build !darwin && !windows

package clipboard

import "context"

func native(ctx context.Context, s *system) (picture, error) { return readLinux(ctx, s) }
