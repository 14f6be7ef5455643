package link

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// withinReading is what reading one entry may take on a machine that does other things:
// two hundred times the 50 ms that are promised. What is quadratic takes minutes.
const withinReading = 10 * time.Second

// TestNoEntryIsExpensive reads entries of a megabyte that name as much code as they can.
func TestNoEntryIsExpensive(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/forms.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, code := workspace(t, archive)
	many := func(form string) string {
		var b strings.Builder
		for i := 0; b.Len() < format.MaxFileSize-100; i++ {
			fmt.Fprintf(&b, form, i)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"names": many("`Sign%d` "), "one name": strings.Repeat("`TokenService.sign` ", 50_000),
		"one path": strings.Repeat("`src/auth/jwt.ts` ", 50_000),
		"paths":    many("`src/a%d.ts` "), "listed": "## Raw Concept\n**Files:**\n" + many("- src/b%d.ts\n"),
		"bare paths": many("src/a%d.ts "),
		"long path":  strings.Repeat("a/", 400_000) + "b.ts", "dots": strings.Repeat("a.", 500_000),
		"long name": "`" + strings.Repeat("a.", 400_000) + "`",
	} {
		s := tree.NewSnapshot([]*format.Entry{format.Parse("a/b/c.md", text)}, nil)
		took := time.Hour
		for try := 0; try < 3 && took > withinReading/200; try++ {
			begin := time.Now()
			Build(s, code)
			took = min(took, time.Since(begin))
		}
		t.Logf("%s: %v", name, took.Round(time.Millisecond))
		if took > withinReading {
			t.Errorf("%s: %v", name, took)
		}
	}
}
