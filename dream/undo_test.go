package dream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
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
var vocabulary = strings.Fields(
	"retry budget timeout queue worker shard replica token cookie session invoice ledger refund webhook parser grammar cache " +
		"eviction snapshot journal recovery schema migration index scorer ranking panel widget layout router handler middleware " +
		"metric trace span alert runbook rollout canary fallback")

// someTree is a random tree in which there is something to dream of: entries that say the same,
// that nobody looked at for long, and in one tree of three such that few words join.
func someTree(r *rand.Rand) map[string]string {
	files := map[string]string{}
	n := 4 + r.IntN(12)
	var bodies []string
	for i := range n {
		var b strings.Builder
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "## Raw Concept\n\n**Changes:**\n- made\n\n**Files:**\n- src/f%d.go\n- src/g%d.go\n\n", i, i)
		}
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
		related := ""
		if r.IntN(3) == 0 {
			related = fmt.Sprintf("related: [d%d/t/e%d.md]\n", r.IntN(3), r.IntN(n))
		}
		files[fmt.Sprintf("d%d/t/e%d.md", r.IntN(3), i)] = someEntry(r, related, body)
	}
	if r.IntN(3) == 0 {
		for i := range 45 { // beside which two that share names are rare
			var b strings.Builder
			for k := range 8 {
				fmt.Fprintf(&b, "- %s thing_%d_%d %s\n", vocabulary[(i+k)%len(vocabulary)], i, k, vocabulary[(i*3+k*5)%len(vocabulary)])
				if i%9 < 2 {
					fmt.Fprintf(&b, "- %s joins shared_%d_%d\n", vocabulary[r.IntN(len(vocabulary))], i/9, k)
				}
			}
			files[fmt.Sprintf("w/t/e%d.md", i)] = someEntry(r, "", b.String())
		}
	}
	return files
}

// someEntry is an entry of some age and worth.
func someEntry(r *rand.Rand, related, body string) string {
	at := now.Add(-time.Duration(r.IntN(400)) * 24 * time.Hour).Format(time.RFC3339)
	signals := ""
	if r.IntN(2) == 0 {
		signals = fmt.Sprintf("importance: %d\nrecency: 0.5\nmaturity: %s\naccessCount: 1\nupdateCount: 0\n", r.IntN(100),
			format.Tiers[r.IntN(len(format.Tiers))])
	}
	word := func() string { return vocabulary[r.IntN(len(vocabulary))] }
	return fmt.Sprintf("---\ntitle: %s %s\n%stags: [%s]\n%screatedAt: '%s'\nupdatedAt: '%s'\n---\n%s", word(), word(), related,
		vocabulary[r.IntN(9)], signals, at, at, body)
}

// drifted is a sight in which some of the files that entries name were moved, and some are gone.
func drifted(context.Context) (Sight, error) {
	return Sight{Drifts: func(_ context.Context, entries []*format.Entry) (map[string][]link.Drift, error) {
		out := map[string][]link.Drift{}
		for _, e := range entries {
			for _, f := range e.Files {
				switch d := (link.Drift{Entry: e.Path, At: f.At, Path: f.Path, Reason: f.Path + " is not what it was"}); {
				case strings.Contains(f.Path, "f1"):
					d.Kind, d.To = link.Moved, "src/now_"+path.Base(f.Path)
					d.Replace = d.To
					out[e.Path] = append(out[e.Path], d)
				case strings.Contains(f.Path, "g2"), strings.Contains(f.Path, "g5"):
					d.Kind = link.Vanished
					out[e.Path] = append(out[e.Path], d)
				}
			}
		}
		return out, nil
	}}, nil
}

// rounds are the seeds of a test with random dreams, until it has seen enough.
func rounds(t *testing.T, enough func() bool) iter.Seq[uint64] {
	t.Helper()
	return sampletest.Seeds(t, 10, 1000, enough)
}

// somePlace is a place with random trees whose files have modes and times of their own, of which some
// entries were used, and on which another program dreamt in some cases.
func somePlace(t *testing.T, r *rand.Rand, trees int) (Host, *clock, string) {
	t.Helper()
	files := someTree(r)
	for i := 1; i < trees; i++ {
		for p, text := range someTree(r) {
			files[fmt.Sprintf("more_%d_%s", i, p)] = text
		}
	}
	h, c, dir := place(t, files)
	h.See = drifted
	for _, p := range slices.Sorted(maps.Keys(files)) {
		name := filepath.Join(dir, tree.Dir, filepath.FromSlash(p))
		at := now.Add(-time.Duration(r.Int64N(int64(1000 * time.Hour))))
		if err := errors.Join(os.Chmod(name, []os.FileMode{0o644, 0o600, 0o664}[r.IntN(3)]), os.Chtimes(name, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Store.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	op := plan.Op{Type: plan.OpAdd, Path: "d0/t", Title: "Written by hand", Summary: "s", Reason: "r"} // so that uses are counted
	if _, err := h.Store.Apply(t.Context(), plan.Batch{Ops: []plan.Op{op}}); err != nil {
		t.Fatal(err)
	}
	for _, e := range h.Store.Snapshot().Entries() {
		if r.IntN(4) == 0 {
			if err := h.Store.Credit(t.Context(), e.Path); err != nil {
				t.Fatal(err)
			}
		}
	}
	return h, c, dir
}

// TestUndoOfDreams takes random dreams back, whole ones and such as were stopped after some
// steps, of which some were approved, as proposed or with another text, or rejected: every byte,
// mode, time and counter is as before. Several dreams are taken back one after the other.
func TestUndoOfDreams(t *testing.T) {
	actions, dreams, partial, decided, passed := map[Action]int{}, 0, 0, 0, 0
	kinds := []Action{Merge, TemporalUpdate, CrossReference, Archive, Keep}
	enough := func() bool { return len(actions) >= len(kinds) && partial > 0 && decided > 0 && passed > 0 }
	for seed := range rounds(t, enough) {
		r := rand.New(rand.NewPCG(seed, 9))
		h, c, dir := somePlace(t, r, 1)
		states := map[string]map[string]string{} // before each dream
		first := content(t, dir)
		count := func() int {
			st, err := readState(h.Store)
			if err != nil {
				t.Fatal(err)
			}
			return st.TotalDreams
		}
		counted := count()
		for range 1 + r.IntN(3) {
			c.at = c.at.Add(13 * time.Hour)
			before := content(t, dir)
			l := someDream(t, h, r)
			if l.Outcome == Errored {
				if diff := cmp.Diff(before, content(t, dir)); diff != "" {
					t.Fatalf("seed %d: a dream that did nothing (-before +after):\n%s", seed, diff)
				}
				continue
			}
			states[l.ID] = before
			dreams++
			if l.Outcome == Partial {
				partial++
			}
			for _, s := range l.Steps {
				actions[s.Action]++
			}
			decided += decideSome(t, h, l, r)
		}
		over, undone := 0, 0 // dreams that are passed over, and that are taken back
		check := func(what string, want map[string]string) {
			t.Helper()
			got := content(t, dir)
			if over > 0 { // they go on counting
				delete(want, stateFile)
				delete(got, stateFile)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d: after undo of %s (-want +got):\n%s", seed, what, diff)
			}
		}
		for {
			l, err := Undo(t.Context(), h)
			if errors.Is(err, errNoDream) {
				break
			}
			if err != nil || l.Outcome != Undone || len(l.Stays()) > 0 {
				t.Fatalf("seed %d: %v %+v", seed, err, l)
			}
			undone++
			over = 0
			for id := range states {
				if startOf(id) > startOf(l.ID) {
					over++
				}
			}
			check(l.ID, states[l.ID])
			delete(states, l.ID)
		}
		passed, over = passed+len(states), len(states)
		check("all", first)
		if got := count(); got != counted+over && undone > 0 {
			t.Errorf("seed %d: %d dreams are counted, and %d were before, of which %d are passed over", seed, got, counted, over)
		}
		h.Store.Close()
	}
	t.Logf("%d dreams, of them %d partial, %d with nothing to undo; %v; %d decisions", dreams, partial,
		passed, actions, decided)
	for _, a := range kinds {
		if actions[a] == 0 {
			t.Errorf("no dream did %s", a)
		}
	}
	if partial == 0 || decided == 0 || passed == 0 {
		t.Errorf("%d partial dreams, %d decisions, %d with nothing to undo", partial, decided, passed)
	}
}

// TestNothingDangles approves all of random dreams: no more relations lead nowhere than before, and
// the journal knows of every step.
func TestNothingDangles(t *testing.T) {
	dangling := func(s *tree.Snapshot) (n int) {
		for _, e := range s.Entries() {
			for _, r := range s.Relations(e.Path) {
				if r.Target == "" {
					n++
				}
			}
		}
		return n
	}
	approved, relations := 0, 0
	for seed := range rounds(t, func() bool { return approved > 0 && relations > 0 }) {
		r := rand.New(rand.NewPCG(seed, 39))
		h, c, _ := somePlace(t, r, 1)
		was := dangling(h.Store.Snapshot())
		for range 2 {
			c.at = c.at.Add(13 * time.Hour)
			if _, err := Run(t.Context(), h, Options{Force: true}); err != nil {
				t.Fatal(err)
			}
			waiting, err := h.Store.Reviews.Waiting()
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range waiting {
				report, err := h.Store.Approve(t.Context(), id, "somebody", plan.Decision{})
				if err != nil {
					t.Fatal(err)
				}
				if len(report.Files) > 0 {
					approved++
				}
			}
		}
		for _, e := range h.Store.Snapshot().Entries() {
			relations += len(h.Store.Snapshot().Relations(e.Path))
		}
		if is := dangling(h.Store.Snapshot()); is > was {
			t.Errorf("seed %d: %d relations lead nowhere, %d before", seed, is, was)
		}
		h.Store.Close()
	}
	t.Logf("%d approved, %d relations", approved, relations)
	if approved == 0 || relations == 0 {
		t.Error("nothing was approved")
	}
}

// TestUndoKeepsWhatPeopleWrote takes dreams back after people changed some of their entries:
// what they wrote stays, with all of the change that it rests on, and the undo says so;
// everything else is as before, and the dreams before are taken back, too.
func TestUndoKeepsWhatPeopleWrote(t *testing.T) {
	const by = "\nWritten by hand since.\n"
	stayed, clean, rest := 0, 0, 0
	for seed := range rounds(t, func() bool { return stayed > 0 && clean > 0 && rest > 0 }) {
		r := rand.New(rand.NewPCG(seed, 19))
		h, c, dir := somePlace(t, r, 1)
		before := content(t, dir)
		for range 1 + r.IntN(2) {
			c.at = c.at.Add(13 * time.Hour)
			decideSome(t, h, someDream(t, h, r), r)
		}
		var hand []string
		for p := range content(t, dir) {
			if strings.HasSuffix(p, ".md") && r.IntN(5) == 0 {
				hand = append(hand, p)
				f, err := os.OpenFile(filepath.Join(dir, p), os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := f.WriteString(by); err != nil {
					t.Fatal(err)
				}
				f.Close()
			}
		}
		if _, err := h.Store.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		kept, left := map[string]bool{}, map[int]bool{} // files of the changes that stay, and those
		for {
			l, err := Undo(t.Context(), h)
			if errors.Is(err, errNoDream) {
				break
			}
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			stays := l.Stays()
			if len(stays) == 0 {
				clean++
				continue
			}
			stayed++
			log, err := h.Store.Log(0)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range stays {
				left[s.Change] = true
			}
			for _, l := range log {
				if left[l.ID] {
					for _, f := range l.Files {
						kept[tree.Dir+"/"+f] = true
					}
				}
			}
		}
		after := content(t, dir)
		for p, text := range before {
			switch {
			case !strings.HasSuffix(p, ".md") || kept[p] || slices.Contains(hand, p):
			case after[p] != text:
				t.Errorf("seed %d: %s (-before +after):\n%s", seed, p, cmp.Diff(text, after[p]))
			}
		}
		for _, p := range hand {
			if !strings.HasSuffix(after[p], by) {
				t.Errorf("seed %d: %s lost what was written by hand:\n%s", seed, p, after[p])
			}
		}
		waiting, err := h.Store.Reviews.Waiting()
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range waiting {
			if !left[id] { // what is done and stays may still be looked at
				t.Errorf("seed %d: batch %d still waits", seed, id)
			}
		}
		rest += restTaken(t, h, dir, before, hand, by)
		h.Store.Close()
	}
	t.Logf("%d dreams of which something stays, %d whole ones, %d taken back later", stayed, clean, rest)
	if stayed == 0 || clean == 0 || rest == 0 {
		t.Errorf("%d stayed, %d clean, %d later", stayed, clean, rest)
	}
}

// restTaken takes away what people wrote since, and then the rest of the dreams that were taken
// back in part: every text is as before them. It counts the calls.
func restTaken(t *testing.T, h Host, dir string, before map[string]string, hand []string, by string) (n int) {
	t.Helper()
	for _, p := range hand {
		name := filepath.Join(dir, p)
		data, err := os.ReadFile(name)
		if err := errors.Join(err, os.WriteFile(name, []byte(strings.TrimSuffix(string(data), by)), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Store.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for ; ; n++ {
		l, err := Undo(t.Context(), h)
		if errors.Is(err, errNoDream) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range l.Steps {
			if s.Undo == "" && s.Status != Failed {
				t.Errorf("%s does not say what became of %+v", l.ID, s)
			}
		}
	}
	entries := func(all map[string]string) map[string]string {
		out := entriesOf(all)
		for p, text := range out {
			_, out[p], _ = strings.Cut(text, "\n")
		}
		return out
	}
	if diff := cmp.Diff(entries(before), entries(content(t, dir))); diff != "" {
		t.Errorf("once nothing stands in the way (-before +after):\n%s", diff)
	}
	if waiting, err := h.Store.Reviews.Waiting(); err != nil || len(waiting) > 0 {
		t.Errorf("%v still waits: %v", waiting, err)
	}
	return n
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
	h.Apply = func(ctx context.Context, b plan.Batch) (*plan.Report, error) {
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
	reviews, err := h.Store.Reviews.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range reviews {
		if !slices.ContainsFunc(l.Steps, func(s Step) bool { return s.Batch == w.Batch }) {
			continue // of another dream: what people decide of it stays when this one is taken back
		}
		switch r.IntN(4) {
		case 0:
			if _, err := h.Store.Approve(t.Context(), w.Batch, "somebody", plan.Decision{}); err != nil {
				t.Fatal(err)
			}
			n++
		case 2:
			_, text, editable, err := h.Store.Reviews.Proposed(w.Batch, w.Items[0].Path)
			if err != nil || !editable {
				continue
			}
			d := plan.Decision{Texts: map[string]string{w.Items[0].Path: text + "\nAnd what the reviewer wrote.\n"}}
			if _, err := h.Store.Approve(t.Context(), w.Batch, "somebody", d); err != nil {
				t.Fatal(err)
			}
			n++
		case 1:
			_, err := h.Store.Reject(t.Context(), w.Batch, "somebody", "no")
			if done := !w.Items[0].Held; done && err != nil && strings.Contains(err.Error(), "changed since") {
				continue // what was done at once, in an entry that what was approved just now changed too
			}
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
	}
	return n
}
