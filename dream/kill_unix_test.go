//go:build unix

package dream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/internal/txn/txntest"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// unsynced skips syncs: a killed process loses nothing that the kernel has.
type unsynced struct{ txn.FS }

func (unsynced) Sync(string) error    { return nil }
func (unsynced) SyncDir(string) error { return nil }

// hooked is the store of a folder, every step of which on files goes through a hook.
func hooked(t *testing.T, dir string, at time.Time, hook func(txntest.Step) error) (Host, *txntest.Steps) {
	t.Helper()
	steps := &txntest.Steps{Hook: hook}
	s, err := store.Open(t.Context(), dir, store.Options{Seal: testSeal, Now: func() time.Time { return at },
		Through: func(disk txn.FS) txn.FS {
			steps.FS = unsynced{disk}
			return steps
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return Host{Store: s, Now: func() time.Time { return at }, Apply: s.Apply, See: drifted}, steps
}

// texts is content without modes and times of files.
func texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := content(t, dir)
	for p, text := range out {
		if strings.HasPrefix(p, tree.Dir+"/") {
			_, out[p], _ = strings.Cut(text, "\n")
		}
	}
	return out
}

// copied is a copy of a `.brv` folder.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), ".brv")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// longDream is a tree of which a dream does at least 20 operations.
func longDream(t *testing.T) string {
	t.Helper()
	for seed := range 200 {
		h, _, dir := somePlace(t, rand.New(rand.NewPCG(uint64(seed), 29)), 3)
		l, err := Run(t.Context(), h, Options{DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		does, kinds := 0, map[Action]bool{}
		for _, s := range l.Steps {
			does++
			kinds[s.Action] = true
		}
		h.Store.Close()
		if does >= 20 && len(kinds) == 5 {
			return dir
		}
	}
	t.Fatal("no tree has enough to dream of")
	return ""
}

// killed runs a child that is killed at one of its steps.
func killed(t *testing.T, what string, n int, dir string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledChild$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("BRV_KILL=%s %d %s", what, n, dir))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("%s, step %d: %v\n%s", what, n, err, out)
	}
}

// TestKilledChild is the process that is killed.
func TestKilledChild(t *testing.T) {
	var what, dir string
	var n int
	if _, err := fmt.Sscanf(os.Getenv("BRV_KILL"), "%s %d %s", &what, &n, &dir); err != nil {
		t.Skip("run by the tests that kill it")
	}
	h, _ := hooked(t, dir, now, func(s txntest.Step) error {
		if s.N == n {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return nil
	})
	if err := acts[what](t.Context(), h); err != nil {
		t.Fatal(err)
	}
}

// acts are what is killed.
var acts = map[string]func(context.Context, Host) error{
	"dream": func(ctx context.Context, h Host) error {
		_, err := Run(ctx, h, Options{Force: true})
		return err
	},
	"undo": func(ctx context.Context, h Host) error {
		_, err := Undo(ctx, h)
		return err
	},
}

// TestKilledDream kills a process that dreams at its steps on the disk: what it leaves are
// whole operations; its log is settled by who comes next, nothing is locked, another dream runs,
// and taking back brings every byte, mode and time.
func TestKilledDream(t *testing.T) {
	start := longDream(t)
	whole := copied(t, start)
	h, counted := hooked(t, whole, now, nil)
	states := []map[string]string{texts(t, whole)}
	apply := h.Apply
	h.Apply = func(ctx context.Context, b plan.Batch) (*plan.Report, error) {
		r, err := apply(ctx, b)
		states = append(states, texts(t, whole))
		return r, err
	}
	l, err := Run(t.Context(), h, Options{Force: true})
	if err != nil {
		t.Fatal(err)
	}
	states = append(states, texts(t, whole)) // with the state of dreams
	steps := counted.Count()
	h.Store.Close()
	kills, partial, errored, completed, due := 0, 0, 0, 0, sampletest.Some(t, 5, steps)
	for n := 1; n <= steps; n++ {
		if !due(n - 1) {
			continue
		}
		kills++
		dir := copied(t, start)
		before := content(t, dir)
		killed(t, "dream", n, dir)
		h, _ := hooked(t, dir, now.Add(time.Hour), nil) // which recovers what was half done
		if _, err := h.Store.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		left, known := texts(t, dir), false
		for _, s := range states {
			known = known || maps.Equal(s, left)
		}
		if !known {
			t.Fatalf("step %d: a state between operations; since the beginning:\n%s", n, cmp.Diff(states[0], left))
		}
		dreams := 1
		if kills%2 == 0 { // another dream first
			if _, err := Run(t.Context(), h, Options{Force: true}); err != nil {
				t.Fatalf("step %d: the next dream: %v", n, err)
			}
			dreams++
		} else if err := settle(h.Store); err != nil {
			t.Fatal(err)
		}
		logs, err := List(h.Store, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range logs {
			if !l.Started.Equal(now) {
				continue
			}
			switch l.Outcome {
			case Partial:
				partial++
			case Errored:
				errored++
			case Completed:
				completed++
			default:
				t.Errorf("step %d: %s is %s", n, l.ID, l.Outcome)
			}
			if (l.Outcome == Errored) != maps.Equal(states[0], left) {
				t.Errorf("step %d: %s is %s", n, l.ID, l.Outcome)
			}
			for _, s := range l.Steps {
				if s.Action == "" {
					t.Errorf("step %d: nobody knows what step %+v was", n, s)
				}
			}
		}
		for range dreams {
			if _, err := Undo(t.Context(), h); err != nil && !errors.Is(err, errNoDream) {
				t.Fatalf("step %d: %v", n, err)
			}
		}
		if after := content(t, dir); !maps.Equal(before, after) {
			t.Fatalf("step %d: after undo (-want +got):\n%s", n, cmp.Diff(before, after))
		}
		h.Store.Close()
		os.RemoveAll(dir)
	}
	t.Logf("%d operations, %d steps on the disk, %d kills: %d partial, %d without effect, %d whole dreams", len(l.Steps), steps,
		kills, partial, errored, completed)
}

// TestKilledUndo kills a process that takes a dream back at its steps: the next one brings it
// to its end.
func TestKilledUndo(t *testing.T) {
	start := longDream(t)
	before := texts(t, start)
	h, _ := hooked(t, start, now, nil)
	l, err := Run(t.Context(), h, Options{Force: true})
	if err != nil {
		t.Fatal(err)
	}
	decideSome(t, h, l, rand.New(rand.NewPCG(1, 1)))
	h.Store.Close()
	whole := copied(t, start)
	h, counted := hooked(t, whole, now, nil)
	if _, err := Undo(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	h.Store.Close()
	kills, due := 0, sampletest.Some(t, 5, counted.Count())
	for n := 1; n <= counted.Count(); n++ {
		if !due(n - 1) {
			continue
		}
		kills++
		dir := copied(t, start)
		killed(t, "undo", n, dir)
		h, _ := hooked(t, dir, now, nil)
		if _, err := Undo(t.Context(), h); err != nil && !errors.Is(err, errNoDream) {
			t.Fatalf("step %d: %v", n, err)
		}
		if after := texts(t, dir); !maps.Equal(before, after) {
			t.Fatalf("step %d: after undo (-want +got):\n%s", n, cmp.Diff(before, after))
		}
		h.Store.Close()
		os.RemoveAll(dir)
	}
	t.Logf("%d steps on the disk, %d kills", counted.Count(), kills)
}

// TestKilledRest kills a process that takes back what stayed of a dream, at its steps: the next one
// brings it to its end, and leaves the dream before alone.
func TestKilledRest(t *testing.T) {
	_, _, start := place(t, renames())
	h, _ := hooked(t, start, now, nil)
	h.See = moved
	if _, err := Run(t.Context(), h, Options{Force: true}); err != nil {
		t.Fatal(err)
	}
	code := filepath.Join(start, tree.Dir, "n/t/code.md")
	write(t, code, renames()["a/t/code.md"])
	if _, err := h.Store.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	between := texts(t, start)
	h.Now = func() time.Time { return now.Add(13 * time.Hour) }
	two, err := Run(t.Context(), h, Options{Force: true})
	if err != nil || len(two.Steps) != 1 {
		t.Fatal(two, err)
	}
	left, err := os.ReadFile(code)
	if err != nil {
		t.Fatal(err)
	}
	write(t, code, string(left)+"And mine.\n")
	if l, err := Undo(t.Context(), h); err != nil || l.ID != two.ID || len(l.Stays()) != 1 {
		t.Fatal(l, err)
	}
	write(t, code, string(left))
	h.Store.Close()
	whole := copied(t, start)
	h, counted := hooked(t, whole, now, nil)
	if _, err := Undo(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	h.Store.Close()
	due := sampletest.Some(t, 5, counted.Count())
	for n := 1; n <= counted.Count(); n++ {
		if !due(n - 1) {
			continue
		}
		dir := copied(t, start)
		killed(t, "undo", n, dir)
		h, _ := hooked(t, dir, now, nil)
		l, err := readLog(h.Store, two.ID)
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Stays()) > 0 { // else it came to its end
			if l, err = Undo(t.Context(), h); err != nil || l.ID != two.ID || len(l.Stays()) > 0 {
				t.Fatalf("step %d: %+v, %v", n, l, err)
			}
		}
		if after := texts(t, dir); !maps.Equal(between, after) {
			t.Fatalf("step %d: after undo (-want +got):\n%s", n, cmp.Diff(between, after))
		}
		h.Store.Close()
		os.RemoveAll(dir)
	}
	t.Logf("%d steps on the disk", counted.Count())
}
