package syntax

import (
	"fmt"
	"io"
	"os"
	"os/exec"
)

// process is one running worker.
type process struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	in    *receiver
}

// workerEnv marks the environment of a worker.
const workerEnv = "BRV_LSP_SYNTAX_WORKER"

func startProcess(command []string) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), workerEnv+"=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("syntax worker: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("syntax worker: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("syntax worker: %w", err)
	}
	return &process{cmd: cmd, stdin: stdin, in: newReceiver(stdout)}, nil
}

// kill ends the worker; its pipes fail then. It may be called more than once.
func (w *process) kill() { _ = w.cmd.Process.Kill() }

// wait waits for a killed worker and frees its resources. Nothing may read from it any more.
func (w *process) wait() {
	_ = w.stdin.Close()
	_ = w.cmd.Wait()
}
