package syntax

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

var (
	errNoAnswer = errors.New("parser did not answer in time")
	errDied     = errors.New("parser died")
)

// process is one running worker. It has one user at a time.
type process struct {
	cmd   *exec.Cmd
	stdin io.Closer
	out   *sender[request]
	in    *receiver[answer]
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
	return &process{cmd: cmd, stdin: stdin, out: newSender[request](stdin), in: newReceiver[answer](stdout)}, nil
}

// ask sends one request and waits for its answer. After an error the process
// must be killed: it may still be busy with the request.
func (w *process) ask(ctx context.Context, closed <-chan struct{}, req *request, timeout time.Duration) (*answer, error) {
	type result struct {
		a   *answer
		err error
	}
	done := make(chan result, 1)
	go func() {
		if err := w.out.send(req); err != nil {
			done <- result{nil, err}
			return
		}
		a, err := w.in.receive()
		done <- result{a, err}
	}()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var err error
	select {
	case r := <-done:
		if r.err == nil {
			return r.a, nil
		}
		return nil, fmt.Errorf("%w: %v", errDied, r.err)
	case <-timer.C:
		err = errNoAnswer
	case <-ctx.Done():
		err = ctx.Err()
	case <-closed:
		err = ErrClosed
	}
	_ = w.cmd.Process.Kill() // ends the goroutine's read or write
	<-done
	return nil, err
}

// kill ends the worker and waits for it.
func (w *process) kill() {
	_ = w.cmd.Process.Kill()
	_ = w.stdin.Close()
	_ = w.cmd.Wait()
}
