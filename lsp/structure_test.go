package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// What of an entry's structure is offered to which client: to VS Code none of what it has
// for Markdown itself, and tokens only to those that show them.
func TestStructureIsOfferedToWhoUsesIt(t *testing.T) {
	const all = "documentSymbolProvider foldingRangeProvider"
	want := map[string]string{
		"vscode": "; tokens: namespace property label keyword enumMember number variable string",
		"nvim12": all + "; tokens: namespace property string keyword enumMember number variable",
		"nvim10": all + "; tokens: namespace property string keyword enumMember number variable",
		"nvim07": all, "helix": all, "ale": all, "emacs28": all, "emacs28-lspmode8": all, "emacs30": all,
	}
	for name, want := range want {
		t.Run(name, func(t *testing.T) {
			recorded, err := os.ReadFile("testdata/initialize/" + name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			params, err := lsptest.FixtureParams(recorded, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			e, ctx := start(t, lsp.Options{})
			result, err := e.Initialize(ctx, lsptest.Session{Params: params})
			if err != nil {
				t.Fatal(err)
			}
			var offered []string
			for _, p := range strings.Fields(all) {
				if result.Capabilities[p] != nil {
					offered = append(offered, p)
				}
			}
			if got := strings.Join(offered, " ") + tokensOffered(t, result.Capabilities); got != want {
				t.Errorf("offered %q, want %q", got, want)
			}
		})
	}
}

func tokensOffered(t *testing.T, capabilities map[string]any) string {
	raw, err := json.Marshal(capabilities["semanticTokensProvider"])
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Legend struct{ TokenTypes []string }
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	if len(p.Legend.TokenTypes) == 0 {
		return ""
	}
	text := "; tokens: " + strings.Join(p.Legend.TokenTypes, " ")
	return text
}

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

func TestFoldsAreWholeLinesAndFewWhereTheClientWantsThem(t *testing.T) {
	for limit, want := range map[int]string{
		0:    "[]",
		3:    `[{"startLine":0,"endLine":2,"kind":"region"},{"startLine":3,"endLine":14},{"startLine":5,"endLine":11}]`,
		5000: `[{"startLine":0,"endLine":2,"kind":"region"},{"startLine":3,"endLine":14},{"startLine":5,"endLine":11},{"startLine":9,"endLine":11},{"startLine":13,"endLine":14}]`,
	} {
		e, ctx, file := structured(t, nestedText, func(text, _ map[string]any) {
			text["foldingRange"] = map[string]any{"lineFoldingOnly": true, "rangeLimit": limit}
		})
		var got json.RawMessage
		if err := e.Call(ctx, "textDocument/foldingRange", fileParams(file), &got); err != nil || string(got) != want {
			t.Errorf("limit %d: %s, %v, want %s", limit, got, err, want)
		}
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

// BenchmarkSemanticTokens measures the round trip of the tokens of an entry of 5,000 lines after a
// keystroke at its beginning.
func BenchmarkSemanticTokens(b *testing.B) {
	var text strings.Builder
	for i := range 1_250 {
		fmt.Fprintf(
			&text, "## Section %d\n\n- see @domain_%d/topic_%d/entry_%d.md#Part, and [[entry_%d]] 😀\n- **subject**: text [team]\n", i,
			i%10, i%100, i%200, i%150)
	}
	e, file := benchSession(b, 100)
	if err := e.Replace(file, text.String()); err != nil {
		b.Fatal(err)
	}
	var took latencies
	for b.Loop() {
		if err := e.Edit(file, 0, 0, "x\n"); err != nil {
			b.Fatal(err)
		}
		took.add(func() {
			if err := e.Call(b.Context(), "textDocument/semanticTokens/full", fileParams(file), nil); err != nil {
				b.Fatal(err)
			}
		})
	}
	took.report(b)
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
