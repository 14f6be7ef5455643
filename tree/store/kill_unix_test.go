//go:build unix

package store

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/internal/txn/txntest"
)

// TestKilledAnywhere is TestStoppedAnywhere with real processes that are killed.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	for i, sc := range scenarios() {
		dir := prepared(t, sc)
		before, after, steps := endStates(t, sc, dir)
		due := sampletest.Some(t, 3, steps)
		for n := 1; n <= steps; n++ {
			if !due(n - 1) {
				continue
			}
			crashed, remove := copied(t, dir, t.TempDir())
			cmd := exec.Command(os.Args[0], "-test.run=^TestKilledChild$")
			cmd.Env = append(os.Environ(), fmt.Sprintf("BRV_KILL=%d %d %s", i, n, crashed))
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("%s, step %d: %v\n%s", sc.name, n, err, out)
			}
			afterCrash(t, crashed, before, after)
			remove()
		}
	}
}

// TestKilledChild is the process that is killed.
func TestKilledChild(t *testing.T) {
	var i, n int
	var dir string
	if _, err := fmt.Sscanf(os.Getenv("BRV_KILL"), "%d %d %s", &i, &n, &dir); err != nil {
		t.Skip("run by TestKilledAnywhere")
	}
	s := opened(t, dir)
	s.through(quick).Hook = func(st txntest.Step) error {
		if st.N == n {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return nil
	}
	if err := scenarios()[i].act(s); err != nil {
		t.Fatal(err)
	}
}
