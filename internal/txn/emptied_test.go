package txn_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	. "github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/internal/txn/txntest"
)

// What was emptied a moment ago is being saved: no change has it as its image before, whoever planned that.
func TestAnEmptiedFileIsNoImageBefore(t *testing.T) {
	const p = "context-tree/a/one.md"
	for name, after := range map[string]*Image{"replaced": text("one 1"), "deleted": nil} {
		for _, kind := range kinds {
			then := "" // what is in the file when its time tells that it was emptied
			try := func(t *testing.T) {
				d := newDisk()
				kind.adjust(d)
				d.Write(p, "")
				info, err := d.Lstat(p)
				if err != nil {
					t.Fatal(err)
				}
				now := info.ModTime()
				late := d.Hold(p)
				emptied := false
				steps := &txntest.Steps{FS: d, Hook: func(s txntest.Step) error {
					if (s.Op == "exchange" || s.Op == "renamenew") && (s.Path == p || s.To == p) && !emptied {
						emptied = true
						d.Write(p, then) // the time comes after the size
					}
					return nil
				}}
				j := Open(steps, "state", Options{Keep: keep, Now: func() time.Time { return now }})
				refused := func(when string) {
					t.Helper()
					_, _, err := j.Commit(ctx, plan(Change{p, text(""), after}))
					var conflict *ConflictError
					if !errors.As(err, &conflict) || !slices.Equal(conflict.Paths, []string{p}) {
						t.Errorf("%s: %v", when, err)
					}
					if list, err := j.Records(); len(list) > 0 || err != nil {
						t.Errorf("%s: %v, %v", when, list, err)
					}
				}
				refused("just emptied")
				now = now.Add(time.Hour)
				if refused("emptied as it is changed"); !emptied {
					t.Error("it was not emptied then")
				}
				late(users) // goes into the file that is in its place
				if got := d.Files(own...)[p].Data; got != users {
					t.Errorf("the file says %q", got)
				}
				d.Write(p, "")
				now = now.Add(time.Hour)
				if _, kept, err := j.Commit(ctx, plan(Change{p, text(""), after})); len(kept) > 0 || err != nil {
					t.Errorf("empty since long: %v, %v", kept, err)
				}
			}
			t.Run(name+", "+kind.name, try)
			then = "written"
			t.Run(name+", "+kind.name+", written", try)
		}
	}
}
