package dream

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/tree"
)

// content is every entry with its mode and time, and the state that counts: uses, reviews and
// what is remembered of dreams. Generated files are made of the entries.
func content(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		rel = filepath.ToSlash(rel)
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		switch {
		case strings.HasSuffix(rel, "/_index.md"), strings.HasSuffix(rel, "/_manifest.json"):
		case strings.HasPrefix(rel, tree.Dir+"/"):
			out[rel] = fmt.Sprintf("%v %v\n%s", info.Mode(), info.ModTime().UTC().Format(time.RFC3339Nano), data)
		case strings.HasPrefix(rel, "state/usage/"), strings.HasPrefix(rel, "state/review/"), rel == stateFile:
			out[rel] = string(data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// words of random entries.
var vocabulary = strings.Fields("retry budget timeout queue worker shard replica token cookie session invoice ledger refund webhook parser grammar cache eviction snapshot journal recovery schema migration index scorer ranking panel widget layout router handler middleware metric trace span alert runbook rollout canary fallback")

// someTree is a random tree in which there is something to dream of.
func someTree(r *rand.Rand) map[string]string {
	files := map[string]string{}
	n := 4 + r.IntN(12)
	var bodies []string
	for i := range n {
		var b strings.Builder
		fmt.Fprintf(&b, "## Narrative\n### Rules\n")
		for range 2 + r.IntN(4) {
			b.WriteString("- ")
			for range 5 + r.IntN(6) {
				b.WriteString(vocabulary[r.IntN(len(vocabulary))] + " ")
			}
			fmt.Fprintf(&b, "`setting%d`\n", r.IntN(30))
		}
		body := b.String()
		if len(bodies) > 0 && r.IntN(3) == 0 { // the same again, with something more
			body = bodies[r.IntN(len(bodies))] + "- and one thing more\n"
		}
		bodies = append(bodies, body)
		age := time.Duration(r.IntN(400)) * 24 * time.Hour
		at := now.Add(-age).Format(time.RFC3339)
		signals := ""
		if r.IntN(2) == 0 {
			signals = fmt.Sprintf("importance: %d\nrecency: 0.5\nmaturity: %s\naccessCount: 1\nupdateCount: 0\n", r.IntN(100), tree.Tiers[r.IntN(len(tree.Tiers))])
		}
		related := ""
		if r.IntN(3) == 0 {
			related = fmt.Sprintf("related: [d%d/t/e%d.md]\n", r.IntN(3), r.IntN(n))
		}
		files[fmt.Sprintf("d%d/t/e%d.md", r.IntN(3), i)] = fmt.Sprintf("---\ntitle: %s %s\n%stags: [%s]\n%screatedAt: '%s'\nupdatedAt: '%s'\n---\n%s", vocabulary[r.IntN(len(vocabulary))], vocabulary[r.IntN(len(vocabulary))], related, vocabulary[r.IntN(9)], signals, at, at, body)
	}
	return files
}

// TestUndoOfDreams takes random dreams back, whole ones and such as were stopped after some
// steps, of which some were approved or rejected: every byte, mode, time and counter is as
// before. Several dreams are taken back one after the other.
func TestUndoOfDreams(t *testing.T) {
	rounds := 40
	if os.Getenv("BRV_NIGHTLY") != "" {
		rounds = 1000
	}
	actions, partial, decided := map[Action]int{}, 0, 0
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		h, c, dir := place(t, someTree(r))
		op := tree.Op{Type: tree.OpAdd, Path: "d0/t", Title: "Written by hand", Summary: "s", Reason: "r"} // so that uses are counted
		if _, err := h.Store.Apply(t.Context(), tree.Batch{Ops: []tree.Op{op}}); err != nil {
			t.Fatal(err)
		}
		for _, e := range h.Store.Snapshot().Entries() {
			if r.IntN(4) == 0 {
				if err := h.Store.Credit(t.Context(), e.Path); err != nil {
					t.Fatal(err)
				}
			}
		}
		var states []map[string]string
		for range 1 + r.IntN(3) {
			c.at = c.at.Add(13 * time.Hour)
			states = append(states, content(t, dir))
			l := someDream(t, h, r)
			if l.Outcome == Errored {
				states = states[:len(states)-1]
				continue
			}
			if l.Outcome == Partial {
				partial++
			}
			for _, s := range l.Steps {
				actions[s.Action]++
			}
			decided += decideSome(t, h, l, r)
		}
		for len(states) > 0 {
			l, err := Undo(t.Context(), h)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			want := states[len(states)-1]
			states = states[:len(states)-1]
			if diff := cmp.Diff(want, content(t, dir)); diff != "" {
				t.Fatalf("seed %d: after undo of %s (-want +got):\n%s", seed, l.ID, diff)
			}
		}
		h.Store.Close()
	}
	t.Logf("%d rounds: %v, %d partial dreams, %d decisions", rounds, actions, partial, decided)
	for _, a := range []Action{Merge, Archive, Keep, MergeInto} {
		if actions[a] == 0 {
			t.Errorf("no dream did %s", a)
		}
	}
	if partial == 0 || decided == 0 {
		t.Errorf("%d partial dreams, %d decisions", partial, decided)
	}
}

// someDream dreams, and is stopped after some steps in one case of three.
func someDream(t *testing.T, h Host, r *rand.Rand) *Log {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	left := -1
	if r.IntN(3) == 0 {
		left = 1 + r.IntN(3)
	}
	apply := h.Apply
	h.Apply = func(ctx context.Context, b tree.Batch) (*tree.Report, error) {
		report, err := apply(ctx, b)
		if left--; left == 0 {
			cancel()
		}
		return report, err
	}
	l, err := Run(ctx, h, Options{Force: true, Trigger: "manual"})
	if err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	return l
}

// decideSome approves or rejects some of what waits of a dream, and says how many.
func decideSome(t *testing.T, h Host, l *Log, r *rand.Rand) (n int) {
	t.Helper()
	reviews, err := h.Store.Reviews()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range reviews {
		if !slices.ContainsFunc(l.Steps, func(s Step) bool { return s.Batch == w.Batch }) {
			continue // of another dream: what people decide of it stays when this one is taken back
		}
		switch r.IntN(3) {
		case 0:
			if _, err := h.Store.Approve(t.Context(), w.Batch, "somebody", tree.Decision{}); err != nil {
				t.Fatal(err)
			}
			n++
		case 1:
			if _, err := h.Store.Reject(t.Context(), w.Batch, "somebody", "no"); err != nil {
				t.Fatal(err)
			}
			n++
		}
	}
	return n
}
