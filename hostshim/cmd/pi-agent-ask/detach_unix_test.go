//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// detach takes the controlling terminal away from a command.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
