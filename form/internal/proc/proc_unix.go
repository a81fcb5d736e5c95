//go:build unix

package proc

import (
	"os/exec"
	"syscall"
)

// group is the process group that a program leads.
type group struct{ pid int }

func start(cmd *exec.Cmd, _ string) (*group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &group{pid: cmd.Process.Pid}, nil
}

// kill ends every process of the group. It fails only when none is left.
func (g *group) kill() { _ = syscall.Kill(-g.pid, syscall.SIGKILL) }

func (g *group) close() {}

func shell(command string) (name string, args []string, commandLine string) {
	return "/bin/sh", []string{"-c", command}, ""
}
