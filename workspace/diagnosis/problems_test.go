package diagnosis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

func TestUsersGradeProblems(t *testing.T) {
	w := workspacetest.Tree(t, map[string]string{
		"a/b/one.md": "---\ntitle: One\nowner: me\n---\n@a/b/two.md and @a/b/gone.md\n",
		"a/b/two.md": "---\ntitle: Two\n---\n",
	})
	for _, c := range []struct {
		grades Grades
		want   string
	}{
		{nil, "unknown-field:hint broken-relation:error"},
		{Grades{"broken-relation": "warning", "unknown-field": "off"}, "broken-relation:warning"},
		{Grades{"missing-reciprocal": "information"}, "unknown-field:hint missing-reciprocal:info broken-relation:error"},
	} {
		got := Of(t.Context(), w.View(), workspace.TreeDir+"/a/b/one.md", c.grades)
		if workspacetest.Spelled(got) != c.want {
			t.Errorf("%v: %s; want %s", c.grades, workspacetest.Spelled(got), c.want)
		}
		r, err := Check(t.Context(), w.View(), CheckRequest{Severity: c.grades})
		if err != nil {
			t.Fatal(err)
		}
		var checked []string
		for _, f := range r.Findings {
			checked = append(checked, f.Code+":"+f.Severity)
		}
		if got := strings.Join(checked, " "); got != c.want {
			t.Errorf("check with %v: %s, want %s", c.grades, got, c.want)
		}
	}
	for _, wrong := range []Grades{{"broken-relation": "fatal"}, {"no-such": "error"}} {
		if _, err := Check(t.Context(), w.View(), CheckRequest{Severity: wrong}); !errors.Is(err, workspace.ErrRequest) {
			t.Errorf("check with %v: %v", wrong, err)
		}
	}
}

func TestCheckFindsSecretsAndLargeFiles(t *testing.T) {
	secret := "AK" + "IA" + strings.Repeat("QWER", 4)
	w := workspacetest.Tree(t, map[string]string{
		"a/b/one.md": "---\ntitle: One\nrelated: [a/b/two.md]\n---\nThe key is " + secret + ".\n", "a/b/two.md": "---\ntitle: Two\n---\n",
		"a/b/large.md": strings.Repeat("x", format.MaxFileSize+1),
	})
	r, err := Check(t.Context(), w.View(), CheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]string{}
	for _, f := range r.Findings {
		codes[f.Code] = f.Path
		if strings.Contains(f.Message, secret) {
			t.Errorf("the secret is repeated: %s", f.Message)
		}
	}
	if len(codes) != 2 || codes[format.CodeSecret] != workspace.TreeDir+"/a/b/one.md" ||
		codes[format.CodeTooLarge] != workspace.TreeDir+"/a/b/large.md" {
		t.Errorf("%+v", r.Findings)
	}
	w.Overlay(workspace.TreeDir+"/a/b/large.md", strings.Repeat("x", format.MaxFileSize+1))
	open := Of(t.Context(), w.View(), workspace.TreeDir+"/a/b/large.md", nil)
	if !slices.ContainsFunc(open, func(p format.Problem) bool { return p.Code == format.CodeTooLarge }) {
		t.Errorf("an open buffer: %s", workspacetest.Spelled(open))
	}
}

// All problems are those of each, and are not looked for again while nothing changes.
func TestAllProblemsAreThoseOfEach(t *testing.T) {
	w := workspacetest.Tree(t, largeTree(200))
	w.Overlay(workspace.TreeDir+"/d0/t0/e0.md", "---\ntitle: E\nowner: me\n---\n@d0/nosuch.md\n")
	v := w.View()
	files, err := All(t.Context(), v, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range v.Tree().Entries() {
		want := Of(t.Context(), v, v.FilePath(e.Path), nil)
		i := slices.IndexFunc(files, func(f FileProblems) bool { return f.Path == v.FilePath(e.Path) })
		if i < 0 && len(want) == 0 {
			continue
		}
		n++
		if i < 0 || workspacetest.Spelled(files[i].Problems) != workspacetest.Spelled(want) {
			t.Errorf("%s: want %s", e.Path, workspacetest.Spelled(want))
		}
	}
	if n == 0 || n != len(files) {
		t.Errorf("%d of %d files", n, len(files))
	}
	again, err := All(t.Context(), w.View(), nil)
	if err != nil || &again[0] != &files[0] {
		t.Errorf("the list was made anew, %v", err)
	}
	w.Drop(workspace.TreeDir + "/d0/t0/e0.md")
	if fewer, err := All(t.Context(), w.View(), nil); err != nil || slices.EqualFunc(fewer, files, func(a, b FileProblems) bool {
		return workspacetest.Spelled(a.Problems) == workspacetest.Spelled(b.Problems)
	}) {
		t.Errorf("the list is the same after a change, %v", err)
	}
}

// largeTree makes n entries of about 1.5 KB, each related to others; one in fifty has a
// title that another has, one in a hundred a relation that leads nowhere.
func largeTree(n int) map[string]string {
	name := func(i int) string { return fmt.Sprintf("d%d/t%d/e%d.md", i%20, i%200, i) }
	out := map[string]string{}
	for i := range n {
		title, extra := fmt.Sprintf("Entry %d", i), ""
		if i%50 == 0 {
			title = fmt.Sprintf("Entry %d", i+1)
		}
		if i%100 == 0 {
			extra = "@d0/nosuch/entry.md\n"
		}
		out[name(i)] = "---\ntitle: " + title + "\nrelated: [" + name((i+7)%n) + ", " + name((i+31)%n) + "]\n---\n" + extra +
			strings.Repeat("The session is renewed on each request, and its token is checked against the store.\n", 15)
	}
	return out
}

// BenchmarkProblems is what it costs to know what is wrong after an edit of one of
// 10,000 entries: of the open document, and of all.
func BenchmarkProblems(b *testing.B) {
	w := workspacetest.Tree(b, largeTree(10_000))
	open := workspace.TreeDir + "/d0/t0/e0.md"
	text, _ := w.View().Text(open)
	if _, err := All(b.Context(), w.View(), nil); err != nil {
		b.Fatal(err)
	}
	edits := 0
	edit := func() {
		edits++
		w.Overlay(open, strings.Replace(text, "title: Entry", fmt.Sprintf("title: Edit %d", edits), 1))
	}
	b.Run("open document", func(b *testing.B) {
		for b.Loop() {
			edit()
			Of(b.Context(), w.View(), open, nil)
		}
	})
	b.Run("all after an edit", func(b *testing.B) {
		for b.Loop() {
			edit()
			if _, err := All(b.Context(), w.View(), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("all unchanged", func(b *testing.B) {
		for b.Loop() {
			if _, err := All(b.Context(), w.View(), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestStaleProblemsAndCheck(t *testing.T) {
	w := workspacetest.Drifted(t, workspace.Options{})
	ctx := context.Background()
	report, err := Check(ctx, w.View(), CheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]Finding{}
	for _, f := range report.Findings {
		if f.Code == format.CodeStale {
			checked[f.Severity] = f
		}
	}
	if f := checked["info"]; f.Path != workspace.TreeDir+"/"+workspacetest.TokensEntry || f.Line != 7 || f.Column != 3 ||
		!strings.Contains(f.Message, "src/sign.go") {
		t.Errorf("what changed: %+v", report.Findings)
	}
	if f := checked["warning"]; f.Line != 8 || !strings.Contains(f.Message, "src/gone.go") || report.Warnings != 1 {
		t.Errorf("what is gone: %+v", report.Findings)
	}
	if _, err := drift.Of(ctx, w.View(), workspacetest.TokensEntry); err != nil { // so that it need not be waited for
		t.Fatal(err)
	}
	problems := Of(ctx, w.View(), workspace.TreeDir+"/"+workspacetest.TokensEntry, nil)
	if len(problems) != 2 || problems[0].Severity != format.SeverityInfo || problems[1].Severity != format.SeverityWarning {
		t.Errorf("%+v", problems)
	}
}

// TestSourceInUTF16: an entry from a document in UTF-16 is compared with what the document says.
func TestSourceInUTF16(t *testing.T) {
	section := "## Two\n\nWords.\n"
	bytes := []byte{0xff, 0xfe}
	for _, b := range []byte("# U\n\n" + section) {
		bytes = append(bytes, b, 0)
	}
	made, err := format.Imported{From: "docs/u.md#two", Hash: format.SourceHash(section)}.Into("a/b/two.md", section)
	if err != nil {
		t.Fatal(err)
	}
	read := func(string) (string, bool) { return string(bytes), true }
	if found := sourceProblems(read, format.Parse("a/b/two.md", made)); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}
