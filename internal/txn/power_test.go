package txn_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	. "github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/internal/txn/txntest"
)

// oneIn tells which points of an enumeration are taken, by their number: all in the long
// form, one in n else, fewer under the race detector.
func oneIn(t testing.TB, n int) func(point int) bool {
	t.Helper()
	switch {
	case underRace:
		n = 10*n + 9
	case testing.Short():
		n *= 4
	}
	return sampletest.Every(t, n)
}

// underRace: the race detector makes everything ten times slower, so that the
// enumerations, which have one goroutine each, leave most points out.
const underRace = sampletest.RaceSlows > 1

var showSyncs = flag.Bool("syncs", false, "list the places that sync, and what noticed that they are needed")

// cut is a series of power cuts; each ordeal makes its own.
type cut struct {
	layer func(FS) FS         // over each disk
	each  int                 // crash states at each step
	due   func(step int) bool // tells which of the steps are taken, where they are taken beside others
	alone func(step int) bool // the same, where each is taken by itself
	seed  uint64
	count int
	disk  func() *txntest.Disk
}

func newCut(each, every int) *cut {
	return &cut{layer: func(f FS) FS { return f }, each: each, due: func(step int) bool { return step%every == 0 },
		alone: func(int) bool { return true }, disk: newDisk}
}

// states calls f with crash states of the disk.
func (c *cut) states(d *txntest.Disk, at string, f func(after *txntest.Disk) error) error {
	for i := range c.each {
		c.count++
		loss := txntest.Losses[c.count%len(txntest.Losses)]
		r := rand.New(rand.NewPCG(c.seed, uint64(c.count)))
		if err := f(d.Crash(r, loss)); err != nil {
			return fmt.Errorf("%s: state %d, %+v: %w", at, i, loss, err)
		}
	}
	return nil
}

// final calls f with a crash state of each kind of loss.
func (c *cut) final(d *txntest.Disk, at string, f func(after *txntest.Disk) error) error {
	one := *c
	one.each = len(txntest.Losses)
	err := one.states(d, at, f)
	c.count = one.count
	return err
}

// verified checks a crash state, takes the last change back, cuts the power
// again, and sees that it stays taken back.
func (c *cut) verified(d *txntest.Disk, lo, hi int) error {
	n, err := verify(c.layer(d), lo, min(hi, len(script)))
	if err != nil || n == 0 {
		return err
	}
	again := d.Crash(rand.New(rand.NewPCG(c.seed, 1)), txntest.Losses[0])
	if _, err := Open(c.layer(again), "state", options()).Recover(ctx); err != nil {
		return err
	}
	if _, err := stateOf(again, n-1, n-1); err != nil {
		return fmt.Errorf("the power was cut after taking change %d back: %w", n, err)
	}
	return nil
}

// ordeals are the ways in which the power is cut. Each returns the first
// violation.
var ordeals = []struct {
	name string
	run  func(c *cut) error
}{
	{"change", (*cut).duringChanges},
	{"revert", (*cut).afterRevert},
	{"recovery", (*cut).duringRecovery},
	{"kill", (*cut).afterKill},
	{"error", (*cut).afterError},
	{"edit", (*cut).afterEdits},
	{"replace", (*cut).duringReplace},
	{"damage", (*cut).afterDamage},
}

// duringChanges cuts the power at every step of the script.
func (c *cut) duringChanges() (bad error) {
	d, acked := c.disk(), 0
	steps := &txntest.Steps{FS: c.layer(d)}
	steps.Hook = func(s txntest.Step) error {
		if bad == nil && c.alone(s.N) {
			bad = c.states(d, fmt.Sprintf("after change %d, before step %v", acked, s), func(after *txntest.Disk) error {
				return c.verified(after, acked, acked+1)
			})
		}
		return bad
	}
	err := play(steps, 1, func(n int) { acked = n })
	if bad != nil {
		return bad
	}
	return errors.Join(err, c.final(d, "at the end", func(after *txntest.Disk) error { return c.verified(after, acked, acked) }))
}

// afterRevert cuts the power after someone took a change back by hand: it must
// not be made again.
func (c *cut) afterRevert() error {
	for n := 1; n <= 4; n++ {
		d := c.disk()
		if err := playTo(c.layer(d), n); err != nil {
			return err
		}
		for _, p := range touched(n) {
			if text, ok := states[n-1][p]; ok {
				d.Write(p, text)
			} else {
				d.Delete(p)
			}
		}
		before := d.Files(own...)
		err := c.final(d, "reverted by hand", func(after *txntest.Disk) error {
			_, err := Open(c.layer(after), "state", options()).Recover(ctx)
			if now := after.Files(own...); err == nil && !maps.Equal(now, before) {
				err = fmt.Errorf("change %d came back:\n%v\n%v", n, now, before)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// playTo makes the changes up to last.
func playTo(fsys FS, last int) error {
	j := Open(fsys, "state", options())
	for n := 1; n <= last; n++ {
		if _, err := commit(j, n); err != nil {
			return err
		}
	}
	return nil
}

// duringRecovery cuts the power at steps of the script, and again at every step of
// the recovery.
func (c *cut) duringRecovery() (bad error) {
	d, acked := c.disk(), 0
	steps := &txntest.Steps{FS: c.layer(d)}
	steps.Hook = func(s txntest.Step) error {
		if bad != nil || !c.due(s.N) {
			return bad
		}
		r := rand.New(rand.NewPCG(c.seed, uint64(s.N)))
		once := d.Crash(r, txntest.Losses[4+s.N%4])
		inner := &txntest.Steps{FS: c.layer(once)}
		inner.Hook = func(t txntest.Step) error {
			if bad == nil {
				bad = c.states(once, fmt.Sprintf("after change %d, before step %v, and in recovery before %v", acked, s, t),
					func(after *txntest.Disk) error {
						return c.verified(after, acked, acked+1)
					})
			}
			return bad
		}
		_, err := Open(inner, "state", options()).Recover(ctx)
		bad = errors.Join(bad, err)
		return bad
	}
	return errors.Join(play(steps, 1, func(n int) { acked = n }), bad)
}

// afterKill kills the process at steps of the script, before each sync of a folder
// and some others, lets another one recover and go on, and cuts the power at steps
// of that.
func (c *cut) afterKill() error {
	var points []int
	steps := &txntest.Steps{FS: c.disk(), Hook: func(s txntest.Step) error {
		if c.due(s.N-1) || s.Op == "syncdir" && c.alone(s.N) {
			points = append(points, s.N)
		}
		return nil
	}}
	if err := play(steps, 1, func(int) {}); err != nil {
		return err
	}
	for _, k := range points {
		d, acked := c.disk(), 0
		_ = play(&txntest.Steps{FS: c.layer(d), Hook: txntest.StopAt(k, k%3 == 1)}, 1, func(n int) { acked = n })
		d.Restart()
		if err := c.goOn(d, acked, fmt.Sprintf("killed before step %d", k)); err != nil {
			return err
		}
	}
	return nil
}

// goOn recovers and makes the next change.
func (c *cut) goOn(d *txntest.Disk, acked int, what string) (bad error) {
	lo := acked
	steps := &txntest.Steps{FS: c.layer(d)}
	steps.Hook = func(s txntest.Step) error {
		if bad == nil && (s.N < 15 && c.alone(s.N) || c.due(s.N)) {
			bad = c.states(d, fmt.Sprintf("%s, then before %v", what, s), func(after *txntest.Disk) error {
				return c.verified(after, lo, acked+2)
			})
		}
		return bad
	}
	j := Open(steps, "state", options())
	if !j.Interrupted() || acked%2 == 1 { // else the next change recovers
		if _, err := j.Recover(ctx); bad != nil || err != nil {
			return errors.Join(bad, err)
		}
	}
	n := newestID(j)
	if _, err := d.Lstat(fmt.Sprintf("state/txn/%010d", n+1)); err == nil {
		n++ // when it is finished
	}
	if n >= len(script) {
		return nil
	}
	_, err := commit(j, n+1)
	if bad != nil || err != nil {
		return errors.Join(bad, err)
	}
	return c.final(d, what+", then one more change", func(after *txntest.Disk) error { return c.verified(after, n+1, n+1) })
}

func countSteps(d *txntest.Disk) int {
	steps := &txntest.Steps{FS: d}
	if err := play(steps, 1, func(int) {}); err != nil {
		panic(err)
	}
	return steps.Count()
}

// afterError lets steps of the script fail, and cuts the power while the change is
// taken back, and after.
func (c *cut) afterError() error {
	total := countSteps(c.disk())
	for k := 1; k <= total; k++ {
		if !c.due(k - 1) {
			continue
		}
		var bad error
		d, acked := c.disk(), 0
		steps := &txntest.Steps{FS: c.layer(d)}
		fail := txntest.FailAt(k, false, syscall.EIO)
		steps.Hook = func(s txntest.Step) error {
			if s.N == k && s.Op == "rmdir" { // a folder too many is allowed then
				return nil
			}
			if bad == nil && s.N > k && s.N%4 == 0 && s.N < k+60 {
				bad = c.states(d, fmt.Sprintf("step %d failed, before step %v", k, s), func(after *txntest.Disk) error {
					return c.verified(after, acked, acked+1)
				})
			}
			return errors.Join(bad, fail(s))
		}
		err := play(steps, 1, func(n int) { acked = n })
		if bad != nil {
			return bad
		}
		hi := acked
		if errors.Is(err, ErrUnfinished) {
			hi++
		}
		err = c.final(d, fmt.Sprintf("step %d failed: %v", k, err),
			func(after *txntest.Disk) error { return c.verified(after, acked, hi) })
		if err != nil {
			return err
		}
	}
	return nil
}

// afterEdits has someone edit a file, once or twice, while it is changed, and cuts
// the power when the change is over: each edit is in its place or saved.
func (c *cut) afterEdits() error {
	for _, p := range []string{"context-tree/a/one.md", "context-tree/a/two.md"} {
		for k := 1; k <= 75; k++ {
			if !c.alone(k) {
				continue
			}
			if err := c.afterEdit(p, k); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *cut) afterEdit(p string, k int) error {
	d := c.disk()
	steps := &txntest.Steps{FS: c.layer(d)}
	first := 0
	steps.Hook = func(s txntest.Step) error {
		switch {
		case s.N == k:
			d.Replace(p, "edit 1")
			first = k
		case first > 0 && s.N > first && s.Op == "exchange" && slices.Contains([]string{s.Path, s.To}, p):
			d.Replace(p, "edit 2")
			first = 0
		}
		return nil
	}
	j := Open(steps, "state", options())
	kept, err := commit(j, 1)
	var conflict *ConflictError
	if err != nil && !errors.As(err, &conflict) {
		return err
	}
	newest := d.Files(own...)[p].Data
	saved, _, err := Open(d, "state", options()).Saved()
	if err != nil {
		return err
	}
	return c.final(d, fmt.Sprintf("%s edited at %d, kept %q, %v", p, k, kept, err), func(after *txntest.Disk) error {
		_, err := Open(c.layer(after), "state", options()).Recover(ctx)
		if err != nil {
			return err
		}
		if now := after.Files(own...)[p].Data; now != newest {
			return fmt.Errorf("%s: %q, want %q", p, now, newest)
		}
		all := after.Files()
		for _, s := range saved {
			if q := "state/saved/" + s.Name; all[q].Data != string(s.Data) {
				return fmt.Errorf("%s: %q, want %q", q, all[q].Data, s.Data)
			}
		}
		return nil
	})
}

// duringReplace cuts the power at every step of a file's replacement, also when
// another process was killed in one before.
func (c *cut) duringReplace() error {
	for k := range 14 {
		d := c.disk()
		d.Restart()
		const p, q = "state/usage/3f.json", "state/cache/deep/x.json"
		_ = Open(&txntest.Steps{FS: c.layer(d), Hook: txntest.StopAt(k, k%2 == 1)}, "state", options()).Replace(q, []byte("first"))
		d.Restart()
		old, durable := "{}", map[string]string{}
		var bad error
		steps := &txntest.Steps{FS: c.layer(d)}
		check := func(after *txntest.Disk) error {
			all := after.Files(own...)
			if got := all[p].Data; got != old && got != "new" {
				return fmt.Errorf("%s: torn: %q", p, got)
			}
			for p, want := range durable {
				if all[p].Data != want {
					return fmt.Errorf("%s: %q, want %q", p, all[p].Data, want)
				}
			}
			return nil
		}
		steps.Hook = func(s txntest.Step) error {
			bad = errors.Join(bad, c.states(d, fmt.Sprintf("killed at %d, then before %v", k, s), check))
			return bad
		}
		j := Open(steps, "state", options())
		for _, file := range []string{q, p} {
			if err := errors.Join(j.Replace(file, []byte("new")), bad); err != nil {
				return err
			}
			durable[file] = "new"
		}
		if err := c.final(d, "replaced", check); err != nil {
			return err
		}
		if left := d.Files()["state/replace.tmp"]; left.Data != "" {
			return fmt.Errorf("left: %+v", left)
		}
	}
	return nil
}

// afterDamage cuts the power after a damaged record was moved out of the way.
func (c *cut) afterDamage() error {
	d := c.disk()
	_ = play(&txntest.Steps{FS: c.layer(d), Hook: txntest.StopAt(45, false)}, 1, func(int) {})
	d.Restart()
	const name = "0000000001"
	for p := range d.Files() {
		if strings.HasPrefix(p, "state/txn/") {
			d.Delete(p)
		}
	}
	d.Write("state/txn/"+name, "nonsense")
	d.Write("state/txn/"+name+"-0123456789ab.0", "an edit")
	if _, err := Open(c.layer(d), "state", options()).Recover(ctx); !errors.Is(err, ErrDamaged) {
		return fmt.Errorf("recover: %v", err)
	}
	return c.final(d, "moved away", func(after *txntest.Disk) error {
		all := after.Files()
		if all["state/damaged/"+name].Data != "nonsense" || all["state/damaged/"+name+"-0123456789ab.0"].Data != "an edit" {
			return fmt.Errorf("%v", all)
		}
		return nil
	})
}

// kinds are the file systems on which the power is cut.
var kinds = []struct {
	name   string
	adjust func(*txntest.Disk)
}{
	{"swap", func(*txntest.Disk) {}},
	{"no swap", func(d *txntest.Disk) { d.NoExchange, d.Journal = true, true }}, // as on Windows
	{"other device", func(d *txntest.Disk) { d.Devices = []string{"state"} }},
	{"other device, no swap", func(d *txntest.Disk) { d.Devices, d.NoExchange, d.Journal = []string{"state"}, true, true }},
}

func TestPowerCutLeavesAllOrNothing(t *testing.T) {
	t.Parallel()
	for i, kind := range kinds {
		for _, o := range ordeals {
			t.Run(kind.name+"/"+o.name, func(t *testing.T) {
				c := newCut(sampletest.Count(1, 8), 0)
				c.due, c.seed = oneIn(t, 10+24*min(i, 1)), sampletest.Seed(t)
				switch {
				case underRace, testing.Short():
					c.alone = sampletest.Every(t, 4)
				case o.name == "change":
					c.each = sampletest.Count(12-3*i, 8)
				}
				c.disk = func() *txntest.Disk {
					d := newDisk()
					kind.adjust(d)
					return d
				}
				if err := o.run(c); err != nil {
					t.Error(err)
				}
				t.Logf("%d states", c.count)
			})
		}
	}
}

// Each place that syncs is left out, one after the other: an ordeal must notice.
func TestEverySyncIsNeeded(t *testing.T) {
	t.Parallel()
	if underRace {
		t.Skip("takes minutes, and has one goroutine")
	}
	on, every := kinds[:1], 23
	if sampletest.Long() {
		on, every = kinds, 7
	}
	seen := map[string][]trial{}
	for _, kind := range on {
		for _, o := range ordeals {
			syncs, try := txntest.NewSyncs(nil, ""), trial{kind.name + "/" + o.name, kind.adjust, o.run}
			if err := try.run(sabotaged(kind.adjust, syncs, every)); err != nil {
				t.Fatal(try.name, err)
			}
			for place := range syncs.Seen() {
				seen[place] = append(seen[place], try)
			}
		}
	}
	noticed, due := 0, sampletest.Some(t, len(seen), len(seen))
	for i, place := range slices.Sorted(maps.Keys(seen)) {
		if !due(i) {
			continue
		}
		begun := time.Now()
		by := whoNotices(place, seen[place])
		if by != "" {
			noticed++
		} else {
			t.Errorf("not noticed: %s", place)
		}
		if *showSyncs {
			t.Logf("%s: %s, %v", place, by, time.Since(begun).Round(time.Millisecond))
		}
	}
	t.Logf("%d places of %d are needed", noticed, len(seen))
}

// trial is an ordeal on one kind of file system.
type trial struct {
	name   string
	adjust func(*txntest.Disk)
	run    func(*cut) error
}

func whoNotices(place string, trials []trial) string {
	for _, every := range []int{23, 7, 2} {
		for _, try := range trials {
			if err := try.run(sabotaged(try.adjust, txntest.NewSyncs(nil, place), every)); err != nil {
				return try.name
			}
		}
	}
	return ""
}

// sabotaged is a cut on disks that leave out what syncs says.
func sabotaged(adjust func(*txntest.Disk), syncs *txntest.Syncs, every int) *cut {
	c := newCut(1, every)
	c.disk = func() *txntest.Disk {
		d := newDisk()
		adjust(d)
		return d
	}
	c.layer = func(f FS) FS { return syncs.Over(f) }
	return c
}
