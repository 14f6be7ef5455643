package link

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// workspace builds tree and code of an archive: files under tree/ are entries,
// those under code/ the workspace.
func workspace(t testing.TB, archive *txtar.Archive) (*tree.Snapshot, *codebase.RepoMap) {
	t.Helper()
	dir := t.TempDir()
	var entries []*format.Entry
	code := &txtar.Archive{}
	for _, f := range archive.Files {
		if p, ok := strings.CutPrefix(f.Name, "tree/"); ok {
			entries = append(entries, format.Parse(p, string(f.Data)))
		}
		if p, ok := strings.CutPrefix(f.Name, "code/"); ok {
			code.Files = append(code.Files, txtar.File{Name: p, Data: f.Data})
		}
	}
	if err := txtar.Write(code, dir); err != nil {
		t.Fatal(err)
	}
	root, err := jail.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	pool := syntax.NewPool(syntax.Options{})
	t.Cleanup(func() { pool.Close(); root.Close() })
	m, err := codebase.Scan(context.Background(), root, codebase.Options{Parser: pool})
	if err != nil {
		t.Fatal(err)
	}
	return tree.NewSnapshot(entries, nil), m
}

// The file "links" of each archive lists what every entry refers to, the file
// "about" which entries speak of each thing of the code.
func TestLinksOfArchives(t *testing.T) {
	archives, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s, m := workspace(t, archive)
			l := Build(s, m)
			got := map[string]string{"links": drawLinks(s, l), "about": drawAbout(m, l)}
			for i := range archive.Files {
				f := &archive.Files[i]
				text, golden := got[f.Name]
				if !golden {
					continue
				}
				if *update {
					f.Data = []byte(text)
				}
				if diff := cmp.Diff(string(f.Data), text); diff != "" {
					t.Errorf("%s (-want +got)\n%s", f.Name, diff)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func drawLinks(s *tree.Snapshot, l *Links) string {
	var out strings.Builder
	for _, e := range s.Entries() {
		fmt.Fprintf(&out, "%s\n", e.Path)
		for _, r := range l.Of(e.Path) {
			target := r.Path
			if r.Folder {
				target += "/"
			}
			if r.Symbol != "" {
				target += " " + strings.TrimPrefix(r.Container+"."+r.Symbol, ".")
			}
			if !r.Exists {
				target += " MISSING"
			}
			fmt.Fprintf(&out, "\t%q %s → %s (%.2f)\n", r.Span.Of(e.Text), r.Form, target, r.Strength)
		}
	}
	return out.String()
}

func drawAbout(m *codebase.RepoMap, l *Links) string {
	var out strings.Builder
	draw := func(name string, refs []EntryRef) {
		if len(refs) > 0 {
			fmt.Fprintf(&out, "%s\n", name)
		}
		for _, r := range refs {
			fmt.Fprintf(&out, "\t%s (%.2f) %s\n", r.Entry, r.Strength, r.Reason)
		}
	}
	for _, c := range m.Chunks() {
		draw(c.Path, l.About(c.Path, ""))
		for _, s := range c.Symbols() {
			full := strings.TrimPrefix(s.Container+"."+s.Name, ".")
			draw(c.Path+" "+full, l.About(c.Path, full))
		}
	}
	return out.String()
}

func TestAboutFindsASymbolByItsBareName(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/forms.txtar")
	if err != nil {
		t.Fatal(err)
	}
	l := Build(workspace(t, archive))
	bare, full := l.About("server/server.go", "Start"), l.About("server/server.go", "Server.Start")
	if len(bare) == 0 || cmp.Diff(bare, full) != "" {
		t.Errorf("bare %v, full %v", bare, full)
	}
	if got := l.About("server/server.go", "erver.Start"); len(got) != 0 {
		t.Errorf("half a word matched: %v", got)
	}
}

func TestEmptyTreeAndEmptyCode(t *testing.T) {
	l := Build(workspace(t, &txtar.Archive{}))
	if l.Of("a.md") != nil || len(l.About("x.go", "")) != 0 {
		t.Error("links out of nothing")
	}
}

func TestUpdateEqualsBuild(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/forms.txtar")
	if err != nil {
		t.Fatal(err)
	}
	s, m := workspace(t, archive)
	l := Build(s, m)
	for _, text := range []string{"`TokenService.verify`", "", "**Files:**\n- src", "`src/billing/index.ts` `refresh`"} {
		s = s.With("auth/jwt/tokens.md", text).With("new/a/"+fmt.Sprint(len(text))+".md", "`SessionStore`")
		l = l.Update(s, m)
		want := Build(s, m)
		if diff := cmp.Diff(drawLinks(s, want)+drawAbout(m, want), drawLinks(s, l)+drawAbout(m, l)); diff != "" {
			t.Errorf("after %q (-built +updated)\n%s", text, diff)
		}
	}
	other, _ := workspace(t, &txtar.Archive{})
	_, empty := workspace(t, &txtar.Archive{})
	if got := l.Update(other, empty); len(got.About("src/auth/jwt.ts", "")) != 0 {
		t.Error("links into code that is gone")
	}
}
