// Package process builds brv-lsp and runs it as the separate process that an
// editor would run, with its standard streams as pipes, and says what it used.
//
// Processor time and memory are the process's own as the system counts them;
// where there is no /proc they are known only after the process ended, and peak
// memory not at all.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// program is the package of the server.
const program = "github.com/brv-lsp/brv-lsp/cmd/brv-lsp"

// Build builds the server into a folder and returns the binary's path. It must
// run inside the module.
func Build(ctx context.Context, dir string) (string, error) {
	bin := filepath.Join(dir, "brv-lsp")
	build := exec.CommandContext(ctx, "go", "build", "-o", bin, program)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", program, err, out)
	}
	return bin, nil
}

// GoRoot is the Go installation in use, which has the standard library's sources.
func GoRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// ModuleRoot is the folder of this module. It must run inside it.
func ModuleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("go list -m: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Process is a running server.
type Process struct {
	Spawned time.Time // just before it was started
	In      io.WriteCloser
	Out     io.ReadCloser

	cmd    *exec.Cmd
	stderr *tail
}

// Start starts the server. It is killed when ctx ends.
func Start(ctx context.Context, bin string, args ...string) (*Process, error) {
	p := &Process{cmd: exec.CommandContext(ctx, bin, args...), stderr: &tail{}}
	p.cmd.Stderr = p.stderr
	var err error
	if p.In, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	// The pipe is our own, because Wait closes the command's StdoutPipe, and what
	// the server says last must still be readable then.
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.Out, p.cmd.Stdout = out, in
	p.Spawned = time.Now()
	err = p.cmd.Start()
	in.Close()
	if err != nil {
		out.Close()
		return nil, err
	}
	return p, nil
}

// Wait waits for the end of the process, which the session must have asked for,
// and returns the processor time it used, with the children it waited for.
func (p *Process) Wait() (cpu time.Duration, err error) {
	if err = p.cmd.Wait(); err != nil {
		err = errors.Join(fmt.Errorf("the server ended with %w", err), p.Said())
	}
	if state := p.cmd.ProcessState; state != nil {
		cpu = state.UserTime() + state.SystemTime()
	}
	return cpu, err
}

// Kill ends the process at once.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // an error means that it has ended
	_ = p.cmd.Wait()
}

// Said is the end of what the server wrote to its standard error as an error,
// nil if it wrote nothing.
func (p *Process) Said() error {
	if text := p.stderr.String(); text != "" {
		return fmt.Errorf("its last words: %s", text)
	}
	return nil
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex // guards text
	text []byte
}

// maxTail bounds what is kept, in bytes.
const maxTail = 2000

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - maxTail; extra > 0 {
		t.text = t.text[extra:]
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
