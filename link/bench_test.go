package link

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/tree"
)

// A tree of ten thousand entries of a kilobyte, each with a few names and paths.
func BenchmarkBuild(b *testing.B) {
	archive, err := txtar.ParseFile("testdata/forms.txtar")
	if err != nil {
		b.Fatal(err)
	}
	_, code := workspace(b, archive)
	text := "## Raw Concept\n**Files:**\n- src/auth/jwt.ts\n\n## Narrative\n" +
		strings.Repeat("The `TokenService.sign` and `refresh(token)` of `auth/jwt.ts` and `nothing` else. ", 12)
	var entries []*tree.Entry
	for i := range 10_000 {
		entries = append(entries, tree.Parse(fmt.Sprintf("a/b/%d.md", i), text))
	}
	s := tree.NewSnapshot(entries, nil)
	b.SetBytes(int64(len(text) * len(entries)))
	for b.Loop() {
		Build(s, code)
	}
}
