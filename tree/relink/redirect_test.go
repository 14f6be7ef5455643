package relink

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/goldentest"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/treetest"
)

func TestRedirectAndDetach(t *testing.T) {
	goldentest.Archives(t, "testdata/redirect/*.txtar", func(files []txtar.File) string {
		var entries []*format.Entry
		for _, f := range files[1:] {
			entries = append(entries, format.Parse(f.Name, string(f.Data)))
		}
		s := tree.NewSnapshot(entries, nil)
		var b strings.Builder
		for line := range strings.Lines(string(files[0].Data)) {
			b.WriteString(line)
			from, to, redirect := strings.Cut(strings.TrimSpace(line), " -> ")
			if redirect {
				showEdits(&b, s, Redirect(s, from, to))
				continue
			}
			edits, dangling := Detach(s, strings.Fields(line)...)
			showEdits(&b, s, edits)
			for _, d := range dangling {
				e, _ := s.Entry(d.From)
				fmt.Fprintf(&b, "  dangling %s %q\n", d.From, d.At.Of(e.Text))
			}
		}
		return b.String()
	})
}

// afterEdits builds a tree with edits made and paths gone, from scratch.
func afterEdits(s *tree.Snapshot, edits map[string][]markdown.Edit, gone ...string) (*tree.Snapshot, error) {
	var entries []*format.Entry
	for _, e := range s.Entries() {
		now, err := reread(e, e.Path, edits[e.Path])
		if err != nil {
			return nil, err
		}
		if !slices.Contains(gone, e.Path) {
			entries = append(entries, now)
		}
	}
	return tree.NewSnapshot(entries, nil), nil
}

// count counts the relations of an entry by what they lead to.
func count(s *tree.Snapshot, p string) map[string]int {
	out := map[string]int{}
	if e, ok := s.Entry(p); ok {
		for _, r := range e.Relations {
			out[fmt.Sprint(s.Resolve(p, r.Form, r.Raw).Target, r.Form)]++
		}
	}
	return out
}

func TestRedirectLeadsElsewhereAndOnlyThat(t *testing.T) {
	redirected := 0
	for seed := range int64(20) {
		f := forest{treetest.Forest{Rand: rand.New(rand.NewSource(seed))}}
		s := snapshot(f)
		for range 20 {
			from, to := entry(f, s), entry(f, s)
			if from == to || strings.Contains(to, " ") { // which no body can name exactly
				continue
			}
			edits := Redirect(s, from, to)
			if _, ok := edits[from]; ok {
				t.Fatalf("seed %d: %s itself is edited", seed, from)
			}
			for _, gone := range [][]string{nil, {from}} {
				after, err := afterEdits(s, edits, gone...)
				if err != nil {
					t.Fatalf("seed %d: %s -> %s: %v", seed, from, to, err)
				}
				if err := redirects(s, after, from, to); err != nil {
					t.Fatalf("seed %d: %s -> %s: %v", seed, from, to, err)
				}
			}
			redirected += len(edits)
		}
	}
	if redirected < 400 {
		t.Errorf("only %d entries were edited", redirected)
	}
}

func redirects(s, after *tree.Snapshot, from, to string) error {
	for _, e := range s.Entries() {
		if e.Path == from {
			continue
		}
		was, is := count(s, e.Path), count(after, e.Path)
		for _, form := range []format.Form{format.FormRelated, format.FormAt, format.FormMarkdown, format.FormWiki,
			format.FormSources, format.FormConsolidated} {
			source, target := fmt.Sprint(from, form), fmt.Sprint(to, form)
			list := form == format.FormRelated || form == format.FormSources
			switch {
			case form == format.FormConsolidated && e.Path == to:
			case is[source] > 0:
				return fmt.Errorf("%s: form %d still leads to the old entry", e.Path, form)
			case !list && is[target] < was[source]+was[target]:
				return fmt.Errorf("%s: form %d: %d and %d relations became %d", e.Path, form, was[source], was[target], is[target])
			case list && e.Path != to && was[source] > 0 && is[target] == 0:
				return fmt.Errorf("%s: form %d: the relation is lost", e.Path, form)
			// what was ambiguous may lead to the one that is left
			case list && e.Path == to && is[target] > was[target]+was[fmt.Sprint("", form)]:
				now, _ := after.Entry(e.Path)
				return fmt.Errorf("%s: names itself, %v, before %v:\n%s\nwas\n%s", e.Path, is, was, now.Text, e.Text)
			}
		}
	}
	return nil
}

func TestDetachLeavesNoListItemAndNamesWhatDangles(t *testing.T) {
	for seed := range int64(20) {
		f := forest{treetest.Forest{Rand: rand.New(rand.NewSource(seed))}}
		s := snapshot(f)
		for range 20 {
			gone := []string{entry(f, s), entry(f, s)}
			edits, dangling := Detach(s, gone...)
			after, err := afterEdits(s, edits, gone...)
			if err != nil {
				t.Fatalf("seed %d: without %v: %v", seed, gone, err)
			}
			if err := detaches(s, after, dangling); err != nil {
				t.Fatalf("seed %d: without %v: %v", seed, gone, err)
			}
		}
	}
}

// detaches checks that what is broken afterwards was broken before, or is named.
func detaches(s, after *tree.Snapshot, dangling []tree.Backlink) error {
	for _, e := range after.Entries() {
		broken := func(s *tree.Snapshot, e *format.Entry) (n int) {
			for _, r := range s.Relations(e.Path) {
				if r.Target == "" && r.Form == format.FormRelated {
					n++
				}
			}
			return n
		}
		old, _ := s.Entry(e.Path)
		if is, was := broken(after, e), broken(s, old); is > was {
			return fmt.Errorf("%s: %d list items lead nowhere, before it were %d", e.Path, is, was)
		}
		for _, r := range old.Relations {
			was := s.Resolve(e.Path, r.Form, r.Raw).Target
			lost := was != "" && after.Resolve(e.Path, r.Form, r.Raw).Target == "" &&
				(r.Form == format.FormAt || r.Form == format.FormMarkdown || r.Form == format.FormWiki)
			named := slices.ContainsFunc(dangling, func(b tree.Backlink) bool { return b.From == e.Path && b.At == r.At })
			if lost != named {
				return fmt.Errorf("%s: %s dangles: %t, named: %t", e.Path, r.Raw, lost, named)
			}
		}
	}
	return nil
}

// snapshot is a random tree.
func snapshot(f forest) *tree.Snapshot {
	texts := map[string]string{}
	for range 10 + f.Intn(30) {
		p := f.Path()
		texts[p] = f.Text(p)
	}
	return fromScratch(texts)
}

func entry(f forest, s *tree.Snapshot) string { return s.Entries()[f.Intn(s.Len())].Path }

// forest is a [treetest.Forest] with what needs a snapshot.
type forest struct{ treetest.Forest }

func fromScratch(texts map[string]string) *tree.Snapshot {
	var entries []*format.Entry
	for p, text := range texts {
		entries = append(entries, format.Parse(p, text))
	}
	return tree.NewSnapshot(entries, nil)
}
