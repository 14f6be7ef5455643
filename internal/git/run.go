package git

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
	"unicode"
)

// limits bound one run of git. They are far above the needs of 40,000 commits of a large project: the 28,775
// commits of terraform give 16 MB in 2 s. The hostile case is a tree that contains the same tree many times
// over: ten objects, 10^10 paths, all of which git collects before it writes the first.
type limits struct {
	output int64         // bytes
	stall  time.Duration // between two pieces of output
	memory uint64        // bytes that git allocates; Linux only
}

var defaults = limits{output: 512 << 20, stall: time.Minute, memory: 1 << 30}

// lookUp finds the git program, once. If a relative folder in PATH leads to it, LookPath returns an error.
var lookUp = sync.OnceValues(func() (string, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
})

// program returns the git program, unless it lies inside the repository: the repository could have added its
// folder to PATH through an editor's settings.
func (r *Repository) program() (string, error) {
	path, err := lookUp()
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoProgram, err)
	}
	for _, name := range []string{path, resolved(path)} {
		if rel, err := filepath.Rel(r.top, name); err == nil && filepath.IsLocal(rel) {
			return "", fmt.Errorf("%w: the first git in PATH, %s, is inside the repository", ErrNoProgram, path)
		}
	}
	return path, nil
}

func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// call is one run of git.
type call struct {
	hashLen int                   // of the repository's hashes, in hex digits
	input   string                // git's standard input
	index   []byte                // a copy of the repository's index, for commands that read one
	exclude []byte                // a copy of its info/exclude, for commands that read ignore rules
	read    func(io.Reader) error // reads its output
}

// run calls git and passes its output to read. If read returns early, git is stopped; read's error, if any,
// is the result.
func (r *Repository) run(ctx context.Context, c call, args ...string) error {
	private, err := r.makePrivate(c.hashLen)
	if err != nil {
		return err
	}
	defer os.RemoveAll(private)
	if c.index != nil {
		if err := os.WriteFile(filepath.Join(private, "index"), c.index, 0o600); err != nil {
			return err
		}
	}
	if c.exclude != nil {
		err := os.Mkdir(filepath.Join(private, "info"), 0o700)
		if err == nil {
			err = os.WriteFile(filepath.Join(private, "info", "exclude"), c.exclude, 0o600)
		}
		if err != nil {
			return err
		}
	}
	args = append([]string{"--no-pager", "--no-replace-objects", "--literal-pathspecs"}, args...)
	_, err = c.run(ctx, r, private, r.environment(private), args...)
	return err
}

// run calls git in a folder and an environment, within the limits of time, output and memory. An error quotes the
// beginning of git's error output.
func (c call) run(ctx context.Context, r *Repository, dir string, env []string, args ...string) (said string, err error) {
	program, err := r.program()
	if err != nil {
		return "", err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var stderr head
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.Stderr, cmd.Stdin = &stderr, strings.NewReader(c.input)
	cmd.WaitDelay = 2 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	limitMemory(cmd.Process.Pid, r.limits.memory)
	output := &watched{from: out, limit: r.limits, stop: stop}
	output.timer = time.AfterFunc(r.limits.stall, func() { stop(errStalled) })
	defer output.timer.Stop()
	readErr := c.read(output)
	if !output.ended {
		stop(errEnough)
	}
	waitErr := cmd.Wait()
	return stderr.String(), verdict(context.Cause(ctx), readErr, waitErr, stderr.String())
}

// errEnough stops git when the reader has enough.
var errEnough = errors.New("enough was read")

// verdict chooses the error that explains the others.
func verdict(cause, readErr, waitErr error, said string) error {
	switch {
	case cause != nil && !errors.Is(cause, errEnough):
		return cause
	case errors.Is(cause, errEnough): // the reader stopped: its error counts
		return readErr
	case waitErr != nil && said != "":
		return fmt.Errorf("git: %w: %s", waitErr, said)
	case waitErr != nil:
		return fmt.Errorf("git: %w", waitErr)
	}
	return readErr
}

// watched is git's output. It counts the bytes, and the time during which it waits for git.
type watched struct {
	from  io.Reader
	limit limits
	read  int64
	timer *time.Timer
	stop  context.CancelCauseFunc
	ended bool
}

func (w *watched) Read(p []byte) (int, error) {
	w.timer.Reset(w.limit.stall)
	n, err := w.from.Read(p)
	w.timer.Stop()
	w.read += int64(n)
	if w.read > w.limit.output {
		w.stop(errTooMuch)
		return n, errTooMuch
	}
	if err != nil {
		w.ended = true
	}
	return n, err
}

// head keeps only the beginning of git's error output.
type head struct{ text []byte }

// maxSaid bounds an error message (bytes).
const maxSaid = 300

func (h *head) Write(p []byte) (int, error) {
	if free := maxSaid - len(h.text); free > 0 {
		h.text = append(h.text, p[:min(free, len(p))]...)
	}
	return len(p), nil
}

// String returns one printable line, since the message may quote names from the repository.
func (h *head) String() string {
	text := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, string(h.text))
	return strings.TrimSpace(text)
}
