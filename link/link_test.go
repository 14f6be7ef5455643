package link

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/codebasetest"
	"github.com/brv-lsp/brv-lsp/internal/goldentest"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

func TestMain(m *testing.M) { codebasetest.Main(m) }

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
	return tree.NewSnapshot(entries, nil), codebasetest.Scan(t, dir)
}

// The file "links" of each archive lists what every entry refers to, the file
// "about" which entries speak of each thing of the code.
func TestLinksOfArchives(t *testing.T) {
	goldentest.Parts(t, "testdata/*.txtar", func(t *testing.T, archive *txtar.Archive) map[string]string {
		s, m := workspace(t, archive)
		l := Build(s, m)
		return map[string]string{"links": drawLinks(s, l), "about": drawAbout(m, l)}
	})
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
