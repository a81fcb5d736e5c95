package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/windows"
)

// group is the job that a program and its children belong to.
type group struct {
	job     windows.Handle
	process *os.Process
}

func start(cmd *exec.Cmd, commandLine string) (*group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CmdLine: commandLine}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	g := &group{process: cmd.Process}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return g, nil // kill then ends the program alone
	}
	handle, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, handle)
		windows.CloseHandle(handle)
	}
	if err != nil {
		windows.CloseHandle(job)
		return g, nil
	}
	g.job = job
	return g, nil
}

func (g *group) kill() {
	if g.job == 0 {
		_ = g.process.Kill()
		return
	}
	_ = windows.TerminateJobObject(g.job, 1)
}

func (g *group) close() {
	if g.job != 0 {
		windows.CloseHandle(g.job)
	}
}

// shell gives cmd.exe the command as it stands: it does not split its command
// line the way other programs do.
func shell(command string) (name string, args []string, commandLine string) {
	name = "cmd.exe"
	if root := os.Getenv("SystemRoot"); root != "" {
		name = filepath.Join(root, "System32", "cmd.exe")
	}
	return name, nil, `cmd.exe /d /s /c "` + command + `"`
}
