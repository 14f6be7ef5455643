package txn_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/internal/seal"
	. "github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/internal/txn/txntest"
)

// Some tests need a process that can die: the test binary, started again with
// the name of one of these and its arguments.
var children = map[string]func(root *jail.Root, args []string) error{
	"script":    scriptChild,
	"recover":   recoverChild,
	"endless":   endlessChild,
	"count":     countChild,
	"full disk": fullDiskChild,
	"size":      sizeChild,
	"read only": readOnlyChild,
}

const childVariable = "BRV_TXN_CHILD"

// testSeal is the same in all processes of a test.
var testSeal = seal.In(filepath.Join("testdata", "config")).For("1")

func TestMain(m *testing.M) {
	name := os.Getenv(childVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	root, err := jail.Open(os.Args[1])
	if err == nil {
		err = children[name](root, os.Args[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(t testing.TB, name, dir string, args ...any) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	words := []string{dir}
	for _, a := range args {
		words = append(words, fmt.Sprint(a))
	}
	c := exec.Command(self, words...)
	c.Env = append(os.Environ(), childVariable+"="+name)
	c.Stderr = os.Stderr
	return c
}

// killAt returns a hook that kills the process before step n.
func killAt(n int, torn bool) func(txntest.Step) error {
	return func(s txntest.Step) error {
		if s.N < n {
			return nil
		}
		if torn && s.N == n && (s.Op == "create" || s.Op == "append") {
			return txntest.ErrTorn // and the next step is the end
		}
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		if err != nil {
			return err
		}
		select {} // until it comes
	}
}

// scriptChild makes some of the script's changes and dies before a step.
func scriptChild(root *jail.Root, args []string) error {
	first, _ := strconv.Atoi(args[0])
	last, _ := strconv.Atoi(args[1])
	at, _ := strconv.Atoi(args[2])
	j := Open(&txntest.Steps{FS: root, Hook: killAt(at, at%2 == 1)}, "state", options())
	for n := first; n <= last; n++ {
		if _, err := commit(j, n); err != nil {
			return err
		}
		fmt.Println(n)
	}
	return nil
}

// recoverChild recovers and dies before a step.
func recoverChild(root *jail.Root, args []string) error {
	at, _ := strconv.Atoi(args[0])
	_, err := Open(&txntest.Steps{FS: root, Hook: killAt(at, at%2 == 1)}, "state", options()).Recover(ctx)
	return err
}

// run runs a child that prints numbers, and returns the last.
func run(t *testing.T, c *exec.Cmd) (last int, killed bool) {
	t.Helper()
	out, err := c.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() >= 0) {
		t.Fatalf("%v: %v", c.Args, err)
	}
	lines := strings.Fields(string(out))
	if len(lines) > 0 {
		last, _ = strconv.Atoi(lines[len(lines)-1])
	}
	return last, err != nil
}

// A real process is killed at every step of one big change, and another at steps
// of the recovery after it.
func TestKilledAtEveryStepOfAChange(t *testing.T) {
	t.Parallel()
	const change = 4
	due := oneIn(t, 1)
	points := 0
	for at, killed := 1, true; killed; at++ {
		if !due(at) {
			continue
		}
		root := realDisk(t)
		if err := playTo(txntest.NewSyncs(root, "*"), change-1); err != nil {
			t.Fatal(err)
		}
		var last int
		last, killed = run(t, child(t, "script", root.Dir(), change, change, at))
		points++
		acked := max(last, change-1)
		if j := Open(root, "state", options()); j.Interrupted() { // kill the recovery too, at another step each time
			run(t, child(t, "recover", root.Dir(), 1+at*7%50))
			points++
		}
		if _, err := verify(root, acked, change); err != nil {
			t.Errorf("killed before step %d: %v", at, err)
		}
	}
	t.Logf("%d processes killed", points)
}

// The whole script is stopped at every step, and each recovery at every of its
// steps; in memory, so that all pairs can be had, and some on the real disk.
func TestStoppedAtEveryStep(t *testing.T) {
	t.Parallel()
	for i, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			fresh := func() *txntest.Disk {
				d := newDisk()
				kind.adjust(d)
				return d
			}
			points, due, again := 0, oneIn(t, 3+20*i), sampletest.Every(t, inRecovery)
			total := countSteps(fresh())
			for at := 1; at <= total+1; at++ {
				if !due(at - 1) {
					continue
				}
				d, acked := fresh(), 0
				_ = play(&txntest.Steps{FS: d, Hook: txntest.StopAt(at, at%2 == 1)}, 1, func(n int) { acked = n })
				points += stoppedInRecovery(t, d, at, acked, func(in int) bool { return again(at*100 + in) })
			}
			t.Logf("%d points", points)
		})
	}
}

// inRecovery is how many steps of a recovery are taken as one there.
const inRecovery = (sampletest.RaceSlows + 2) / 3

func stoppedInRecovery(t *testing.T, d *txntest.Disk, at, acked int, due func(in int) bool) (points int) {
	t.Helper()
	for in := 1; ; in++ {
		if !due(in) {
			continue
		}
		again := d.Clone()
		steps := &txntest.Steps{FS: again, Hook: txntest.StopAt(in, in%2 == 0)}
		_, err := Open(steps, "state", options()).Recover(ctx)
		again.Restart()
		points++
		if _, err := verify(again, acked, min(acked+1, len(script))); err != nil {
			t.Errorf("stopped before step %d, and in recovery before %d: %v", at, in, err)
		}
		if err == nil {
			return points
		}
	}
}

func TestStoppedAtEveryStepOnARealDisk(t *testing.T) {
	t.Parallel()
	total, due := countSteps(newDisk()), oneIn(t, 3)
	for at := 1; at <= total; at++ {
		if !due(at - 1) {
			continue
		}
		root, acked := realDisk(t), 0
		quick := txntest.NewSyncs(root, "*") // a process that dies loses nothing that it wrote
		_ = play(&txntest.Steps{FS: quick, Hook: txntest.StopAt(at, at%2 == 1)}, 1, func(n int) { acked = n })
		_, _ = Open(&txntest.Steps{FS: quick, Hook: txntest.StopAt(at*11%40, false)}, "state", options()).Recover(ctx)
		if _, err := verify(root, acked, min(acked+1, len(script))); err != nil {
			t.Errorf("stopped before step %d: %v", at, err)
		}
	}
}

// endlessChild makes changes until it is killed: change n writes n into some files
// and makes or removes another.
func endlessChild(root *jail.Root, _ []string) error {
	j := Open(root, "state", Options{Seal: testSeal, Keep: keep})
	for {
		h, kept, err := j.Commit(ctx, func(id int) (any, []Change, error) {
			changes, err := endlessChange(root, id)
			return nil, changes, err
		})
		if err != nil || len(kept) > 0 {
			return fmt.Errorf("%q, %w", kept, err)
		}
		fmt.Println(h.ID)
	}
}

const endlessFiles = 4

// endlessState is the files after change n.
func endlessState(n int) files {
	out := files{}
	for i := range endlessFiles {
		out[fmt.Sprintf("context-tree/d%d/f.md", i)] = strconv.Itoa(n)
	}
	if n%2 == 1 {
		out["context-tree/odd/deep/n.md"] = strconv.Itoa(n)
	}
	return out
}

func endlessChange(fsys FS, id int) (changes []Change, err error) {
	before, after := endlessState(id-1), endlessState(id)
	if id == 1 {
		before = files{}
	}
	for _, state := range []files{after, before} {
		for p := range state {
			if _, both := after[p]; both && len(changes) > len(after)-1 {
				continue
			}
			changes = append(changes, Change{p, imageOf(before, p), imageOf(after, p)})
		}
	}
	return changes, nil
}

func TestKilledAtRandomTimes(t *testing.T) {
	t.Parallel()
	kills := sampletest.Count(40, 5000)
	root, err := jail.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	r := sampletest.Rand(t)
	changes, acked := 0, 0
	for i := range kills {
		last := killSoon(t, root, time.Duration(r.IntN(30_000))*time.Microsecond)
		acked = max(acked, last)
		j := Open(root, "state", Options{Seal: testSeal, Keep: keep})
		if kept, err := j.Recover(ctx); err != nil || len(kept) > 0 {
			t.Fatalf("kill %d: kept %q, %v", i, kept, err)
		}
		n := 0 // not from the audit file, which grows
		if list, err := j.Records(); err != nil {
			t.Fatal(err)
		} else if len(list) > 0 {
			n = list[0].ID
		}
		if n < acked || n > acked+1 {
			t.Fatalf("kill %d: %d changes acknowledged, %d on record", i, acked, n)
		}
		acked, changes = n, n
		compareFiles(t, root, n)
	}
	if n := newestID(Open(root, "state", Options{Seal: testSeal, Keep: keep})); n != acked {
		t.Errorf("%d changes, %d on record", acked, n)
	}
	t.Logf("%d kills, %d changes", kills, changes)
}

func compareFiles(t *testing.T, root *jail.Root, n int) {
	t.Helper()
	want := endlessState(n)
	if n == 0 {
		want = files{}
	}
	all, _ := visible(root)
	for p, f := range all {
		if want[p] != f.Data {
			t.Fatalf("after change %d: %s is %q, want %q", n, p, f.Data, want[p])
		}
	}
	if len(all) != len(want) {
		t.Fatalf("after change %d: %d files, want %d", n, len(all), len(want))
	}
	if left, err := root.ReadDir("state/txn"); len(left) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("after change %d: left %v, %v", n, left, err)
	}
}

// killSoon starts the endless child, kills it that long after its first change,
// and returns the last change that it said it made.
func killSoon(t *testing.T, root *jail.Root, after time.Duration) (last int) {
	t.Helper()
	c := child(t, "endless", root.Dir())
	c.Stderr = nil
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var timer *time.Timer
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if timer == nil {
			timer = time.AfterFunc(after, func() { _ = c.Process.Kill() })
		}
		last, _ = strconv.Atoi(lines.Text())
	}
	_ = c.Wait()
	return last
}

// countChild adds to a counter and makes files of its own, among others that do
// the same. Nobody dies here, so that by default nothing is synced: what is tried is
// the lock, and that more often. On a busy machine one holder was seen to sync for
// longer than the default wait, which made the others give up: here they wait for
// what only a lock that is never released takes.
func countChild(root *jail.Root, args []string) error {
	id, rounds := args[0], 0
	if n, err := strconv.Atoi(args[1]); err == nil {
		rounds = n
	}
	var fsys FS = root
	if !sampletest.Long() {
		fsys = txntest.NewSyncs(root, "*")
	}
	j := Open(fsys, "state", Options{Seal: testSeal, Wait: time.Minute})
	var times []time.Duration
	conflicts := 0
	for i := 0; i < rounds; {
		begun := time.Now()
		text, early := root.ReadFile("context-tree/counter.md", 100)
		_, kept, err := j.Commit(ctx, func(int) (any, []Change, error) {
			if i%2 == 0 || early != nil { // every other time from what was read before the lock, as an editor would
				text, early = root.ReadFile("context-tree/counter.md", 100)
			}
			n, err := strconv.Atoi(string(text))
			own := fmt.Sprintf("context-tree/%s/%d.md", id, i)
			return id, []Change{
				{"context-tree/counter.md", &Image{Data: text}, &Image{Data: []byte(strconv.Itoa(n + 1))}},
				{own, nil, &Image{Data: []byte(id)}},
			}, errors.Join(early, err)
		})
		var conflict *ConflictError
		if errors.As(err, &conflict) || len(kept) > 0 {
			conflicts++
			continue
		}
		if err != nil {
			return err
		}
		times = append(times, time.Since(begun))
		i++
	}
	return json.NewEncoder(os.Stdout).Encode(countReport{times, conflicts})
}

type countReport struct {
	Times     []time.Duration
	Conflicts int
}
