//go:build !unix

package settings_test

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }
