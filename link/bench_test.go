package link

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// manyEntries is a tree of ten thousand entries of a kilobyte, each with a few names and
// paths; every hundredth names one of a hundred other files too.
func manyEntries() (*tree.Snapshot, int) {
	text := "## Raw Concept\n**Files:**\n- src/auth/jwt.ts\n\n## Narrative\n" +
		strings.Repeat("The `TokenService.sign` and `refresh(token)` of `auth/jwt.ts` and `nothing` else. ", 12)
	var entries []*format.Entry
	for i := range 10_000 {
		own := text
		if i%100 == 0 {
			own += fmt.Sprintf("`Own%d` of `own%d.ts`.", i/100, i/100)
		}
		entries = append(entries, format.Parse(fmt.Sprintf("a/b/%d.md", i), own))
	}
	return tree.NewSnapshot(entries, nil), len(text) * len(entries)
}

func BenchmarkBuild(b *testing.B) {
	archive, err := txtar.ParseFile("testdata/forms.txtar")
	if err != nil {
		b.Fatal(err)
	}
	_, code := workspace(b, archive)
	s, size := manyEntries()
	b.SetBytes(int64(size))
	for b.Loop() {
		Build(s, code)
	}
}

// One of a hundred files is edited so that it defines another name, or goes; one entry in
// ten thousand names it. The
// metric is how many updates fit into one build.
func BenchmarkUpdate(b *testing.B) {
	dir := b.TempDir()
	root, err := jail.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	pool := syntax.NewPool(syntax.Options{})
	defer func() { pool.Close(); root.Close() }()
	write := func(i int, text string) string {
		name := fmt.Sprintf("own%d.ts", i)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
		return name
	}
	for i := range 100 {
		write(i, fmt.Sprintf("export class Own%d {}\n", i))
	}
	if err := os.WriteFile(
		filepath.Join(dir, "jwt.ts"), []byte("export class TokenService { sign() {} }\nexport function refresh() {}\n"),
		0o644); err != nil {
		b.Fatal(err)
	}
	m, err := codebase.Scan(b.Context(), root, codebase.Options{Parser: pool})
	if err != nil {
		b.Fatal(err)
	}
	edited, err := m.Update(b.Context(), []string{write(7, "export class Other7 {}\n")})
	if err != nil {
		b.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "own7.ts")); err != nil {
		b.Fatal(err)
	}
	without, err := m.Update(b.Context(), []string{"own7.ts"})
	if err != nil {
		b.Fatal(err)
	}
	s, _ := manyEntries()
	l := Build(s, m)
	for name, next := range map[string]*codebase.RepoMap{"edited": edited, "removed": without} {
		b.Run(name, func(b *testing.B) {
			begin := time.Now()
			for range 3 {
				Build(s, next)
			}
			build := time.Since(begin) / 3
			for b.Loop() {
				l.Update(s, next)
			}
			b.ReportMetric(float64(build)/(float64(b.Elapsed())/float64(b.N)), "updates/build")
		})
	}
}
