package lsp_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// structured begins a session with the entry of the text, with changed capabilities.
func structured(t *testing.T, text string, change func(text,
	workspace map[string]any)) (e *lsptest.Editor, ctx context.Context, file string) {
	t.Helper()
	root := t.TempDir()
	writeFile(t, filepath.Join(root, tokens), text)
	writeFile(t, filepath.Join(root, other), "# Other\n")
	capabilities := lsptest.Modern()
	if change != nil {
		change(capabilities["textDocument"].(map[string]any), capabilities["workspace"].(map[string]any))
	}
	e, ctx = session(t, lsp.Options{Now: fixedNow}, lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
	return e, ctx, open(t, e, root, tokens)
}

const nestedText = "---\ntitle: Nested\n---\n# One\n\n## Two\n\ntext\n\n```go\nx\n```\n\n## Facts\n- **ttl**: a day\n"

func fileParams(file string) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(file)}}
}

func TestClientsWithoutTreeGetSymbolsInARow(t *testing.T) {
	e, ctx, file := structured(t, nestedText, func(text, _ map[string]any) {
		text["documentSymbol"] = map[string]any{"symbolKind": map[string]any{"valueSet": []int{2, 14, 15, 20}}}
	})
	var symbols []struct {
		Name, ContainerName string
		Kind                int
		Location            struct{ Range lsptest.Range }
	}
	if err := e.Call(ctx, "textDocument/documentSymbol", fileParams(file), &symbols); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range symbols {
		got = append(got, fmt.Sprintf("%d %s in %q, lines %d–%d", s.Kind, s.Name, s.ContainerName, s.Location.Range.Start.Line,
			s.Location.Range.End.Line))
	}
	want := []string{
		`2 frontmatter in "", lines 0–2`, `20 title in "frontmatter", lines 1–1`, `15 One in "", lines 3–15`,
		`15 Two in "One", lines 5–13`,
		`15 Facts in "One", lines 13–15`, `14 ttl in "Facts", lines 14–14`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestWorkspaceSymbolsHaveTheirPlaceWhereItIsNotAskedForLater(t *testing.T) {
	e, ctx, _ := structured(t, nestedText, func(_, workspace map[string]any) { delete(workspace, "symbol") })
	var symbols []named
	if err := e.Call(ctx, "workspace/symbol", map[string]any{"query": "nes"}, &symbols); err != nil || len(symbols) != 1 {
		t.Fatal(symbols, err)
	}
	want := lsptest.RangeIn(nestedText, 11, 17, e.Encoding())
	if s := symbols[0]; s.Name != "Nested" || s.Kind != 1 || s.Location.Range != want {
		t.Errorf("%+v, want it at %v", s, want)
	}
}

// BenchmarkWorkspaceSymbols measures the round trip of workspace/symbol in a tree of some
// size, a keystroke before each: first the keystroke's tree is made, then names are found.
func BenchmarkWorkspaceSymbols(b *testing.B) {
	for _, entries := range []int{100, 10_000} {
		for _, query := range []string{"entry 42", "wrds", "e"} {
			b.Run(fmt.Sprintf("%d/%s", entries, strings.ReplaceAll(query, " ", "+")), func(b *testing.B) {
				e, file := benchSession(b, entries)
				var symbols []named
				ask := func() {
					if err := e.Call(b.Context(), "workspace/symbol", map[string]any{"query": query}, &symbols); err != nil {
						b.Fatal(err)
					}
				}
				ask()
				var took latencies
				for b.Loop() {
					if err := e.Edit(file, 5, 5, "x"); err != nil {
						b.Fatal(err)
					}
					took.add(ask)
				}
				took.report(b)
			})
		}
	}
}

// latencies are the durations of single calls.
type latencies []time.Duration

func (l *latencies) add(f func()) {
	begin := time.Now()
	f()
	*l = append(*l, time.Since(begin))
}

func (l latencies) report(b *testing.B) {
	slices.Sort(l)
	b.ReportMetric(float64(l[len(l)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(l[len(l)*95/100].Microseconds()), "p95-µs")
}
