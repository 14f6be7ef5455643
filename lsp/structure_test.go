package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
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
	const all = "documentSymbolProvider foldingRangeProvider selectionRangeProvider"
	want := map[string]string{
		"vscode": "; tokens: namespace property label keyword enumMember number variable string; delta",
		"nvim12": all + "; tokens: namespace property string keyword enumMember number variable; delta",
		"nvim10": all + "; tokens: namespace property string keyword enumMember number variable; delta",
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
		Full   struct{ Delta bool }
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	if len(p.Legend.TokenTypes) == 0 {
		return ""
	}
	text := "; tokens: " + strings.Join(p.Legend.TokenTypes, " ")
	if p.Full.Delta {
		text += "; delta"
	}
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

// Tokens after each of many random edits: what the client has, with the delta applied, is
// what a client that asks for all of them gets.
func TestTokenDeltasMakeTheWhole(t *testing.T) {
	e, ctx, file := structured(t, nestedText, nil)
	type tokens struct {
		ResultID string
		Data     []int
		Edits    []struct {
			Start, DeleteCount int
			Data               []int
		}
	}
	var have tokens
	if err := e.Call(ctx, "textDocument/semanticTokens/full", fileParams(file), &have); err != nil || have.ResultID == "" {
		t.Fatal(have, err)
	}
	pieces := []string{"@auth/jwt/other.md#H ", "@none/such.md", "\n", "é", "😀", "- **s**: t [team]\n", "`", "x", "```\n",
		"maturity: core\n"}
	random, deltas := rand.New(rand.NewPCG(1, 2)), 0
	for i := range 300 {
		text, _ := e.Text(file)
		runes := []rune(text)
		start := random.IntN(len(runes) + 1)
		end := min(len(runes), start+random.IntN(4)*random.IntN(4))
		piece := pieces[random.IntN(len(pieces))]
		if err := e.Edit(file, len(string(runes[:start])), len(string(runes[:end])), piece); err != nil {
			t.Fatal(err)
		}
		params := fileParams(file)
		params["previousResultId"] = have.ResultID
		if i%50 == 49 {
			params["previousResultId"] = "of another session"
		}
		var next, whole tokens
		if err := e.Call(ctx, "textDocument/semanticTokens/full/delta", params, &next); err != nil {
			t.Fatal(err)
		}
		part := fileParams(file)
		now, _ := e.Text(file)
		part["range"] = lsptest.RangeIn(now, 0, len(now), e.Encoding())
		if err := e.Call(ctx, "textDocument/semanticTokens/range", part, &whole); err != nil {
			t.Fatal(err)
		}
		if next.Data == nil {
			deltas++
			next.Data = slices.Clone(have.Data)
			for _, edit := range next.Edits {
				next.Data = slices.Replace(next.Data, edit.Start, edit.Start+edit.DeleteCount, edit.Data...)
			}
		}
		if !slices.Equal(next.Data, whole.Data) {
			t.Fatalf("after %d edits the tokens of\n%s\nare %v with deltas, %v as a whole", i+1, now, next.Data, whole.Data)
		}
		have = next
	}
	if deltas != 294 {
		t.Errorf("%d of 300 answers were deltas", deltas)
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

// BenchmarkSemanticTokens measures the round trips of tokens of an entry of 5,000 lines: all
// of them, and what changed after a keystroke at its beginning.
func BenchmarkSemanticTokens(b *testing.B) {
	var text strings.Builder
	for i := range 1_250 {
		fmt.Fprintf(
			&text, "## Section %d\n\n- see @domain_%d/topic_%d/entry_%d.md#Part, and [[entry_%d]] 😀\n- **subject**: text [team]\n", i,
			i%10, i%100, i%200, i%150)
	}
	for _, how := range []string{"full", "delta"} {
		b.Run(how, func(b *testing.B) {
			e, file := benchSession(b, 100)
			if err := e.Replace(file, text.String()); err != nil {
				b.Fatal(err)
			}
			var last struct {
				ResultID string
				Data     []uint32
				Edits    []struct{ Data []uint32 }
			}
			var took latencies
			for b.Loop() {
				if err := e.Edit(file, 0, 0, "x\n"); err != nil {
					b.Fatal(err)
				}
				params, method := fileParams(file), "textDocument/semanticTokens/full"
				if how == "delta" && last.ResultID != "" {
					params["previousResultId"], method = last.ResultID, method+"/delta"
				}
				took.add(func() {
					if err := e.Call(b.Context(), method, params, &last); err != nil {
						b.Fatal(err)
					}
				})
			}
			took.report(b)
		})
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
