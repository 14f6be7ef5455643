package link

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/goldentest"
	"github.com/brv-lsp/brv-lsp/tree"
)

// fakePast is one former state. Its folders are known to be gone where they are among the
// renames, not by which commit.
type fakePast struct {
	texts map[string]string
	now   map[string]string // of files that were renamed
	asked int
}

func (p *fakePast) At(_ context.Context, asks []history.Ask) ([]history.Version, error) {
	p.asked++
	out := make([]history.Version, len(asks))
	for i, a := range asks {
		v := history.Version{Known: true, State: git.Moment{Time: a.When.Unix()}}
		name := a.Path
		for from, to := range p.now { // asked by its name of today
			if to == name {
				name = from
			}
		}
		if _, whole := p.texts[name]; a.Short && !whole {
			for full := range p.texts {
				if strings.HasSuffix(full, "/"+name) {
					name = full
				}
			}
		}
		for file := range p.texts {
			if strings.HasPrefix(file, name+"/") {
				v.There, v.Folder, v.Then, v.Now = true, true, name, name
				if to, moved := p.now[name]; moved {
					v.Now = to
				}
			}
		}
		if text, ok := p.texts[name]; ok {
			v.There, v.Text, v.Then, v.Now, v.Commits = true, text, name, name, 3
			if to, moved := p.now[name]; moved {
				v.Now, v.Event = to, history.Event{Hash: "3f2c1ab9", Time: a.When.Add(48 * time.Hour)}
			}
		}
		out[i] = v
	}
	return out, nil
}

func (p *fakePast) Naming(_ context.Context, _ history.Ask, words []string, _ int) (files []string, _ error) {
	for _, file := range slices.Sorted(maps.Keys(p.texts)) {
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(p.texts[file], w) }) {
			files = append(files, file)
		}
	}
	return files, nil
}

func (*fakePast) Expect([]string) {}

// pastOf reads the former state of an archive: files under then/, and lines "from to" of
// the file "renames", where "to" may be "gone".
func pastOf(archive *txtar.Archive) *fakePast {
	p := &fakePast{texts: map[string]string{}, now: map[string]string{}}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "then/"); ok {
			p.texts[name] = string(f.Data)
		}
		if f.Name == "renames" {
			for line := range strings.Lines(string(f.Data)) {
				from, to, _ := strings.Cut(strings.TrimSpace(line), " ")
				p.now[from] = strings.TrimPrefix(to, "gone")
			}
		}
	}
	return p
}

// The file "drift" of each archive lists what is found with the former state, "blind" what
// is found without.
func TestDriftOfArchives(t *testing.T) {
	goldentest.Parts(t, "testdata/drift/*.txtar", func(t *testing.T, archive *txtar.Archive) map[string]string {
		s, m := workspace(t, archive)
		return map[string]string{"drift": drawDrift(t, s, m, pastOf(archive)), "blind": drawDrift(t, s, m, nil)}
	})
}

func drawDrift(t *testing.T, s *tree.Snapshot, m *codebase.RepoMap, past Past) string {
	t.Helper()
	found, err := Build(s, m).Drifts(t.Context(), s.Entries(), m, past)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, e := range s.Entries() {
		if len(found[e.Path]) > 0 {
			fmt.Fprintf(&out, "%s\n", e.Path)
		}
		for _, d := range found[e.Path] {
			fmt.Fprintf(&out, "\t%q %s %.2f: %s\n", d.At.Of(e.Text), d.Kind, d.Grade, d.Reason)
			if (d.Before == "") != (d.After == "") && d.Kind != Vanished {
				t.Errorf("%s: what became of %s is not there to compare", e.Path, d.Path)
			}
			if d.To != "" {
				fmt.Fprintf(&out, "\t\t→ %s write %q\n", strings.TrimSpace(d.To+" "+d.ToSymbol), d.Replace)
			}
		}
	}
	return out.String()
}

// A repository without a commit, or none at all, must not stop what the names alone tell.
func TestDriftWithoutHistory(t *testing.T) {
	archive := txtar.Parse([]byte("-- code/lib/a.go --\npackage lib\n-- tree/d/t/e.md --\n# E\n## Raw Concept\n**Files:**\n- src/a.go\n"))
	s, m := workspace(t, archive)
	want := drawDrift(t, s, m, nil)
	if got := drawDrift(t, s, m, emptyPast{}); want == "" || got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

type emptyPast struct{}

func (emptyPast) At(_ context.Context, asks []history.Ask) ([]history.Version, error) {
	return make([]history.Version, len(asks)), nil
}

func (emptyPast) Naming(context.Context, history.Ask, []string, int) ([]string, error) {
	return nil, nil
}

func (emptyPast) Expect([]string) {}
