package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// serverText is what the server believes of a document.
type serverText struct {
	Text    string
	Version int32
	Lost    bool
}

func textOf(t *testing.T, e *lsptest.Editor, file string) (got serverText) {
	t.Helper()
	if err := e.Call(t.Context(), "test/text", map[string]string{"uri": lsptest.URI(file)}, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// difficult are pieces of text that are hard to count.
var difficult = []string{"a", "b", "\n", "\r\n", "\r", "\u2028", "é", "e\u0301", "中", "😀", "👨‍👩‍👧", "\t", " ", "@x/y.md", ""}

// cut returns a random place between two characters of a text.
func cut(r *rand.Rand, text string) int {
	at := r.IntN(len(text) + 1)
	for at < len(text) && (!utf8.RuneStart(text[at]) || at > 0 && text[at-1] == '\r' && text[at] == '\n') {
		at++
	}
	return at
}

// TestEditsOverTheWire edits as an editor does, with calls in between, and compares the
// server's text with the editor's: every change is applied, in order, where it belongs.
func TestEditsOverTheWire(t *testing.T) {
	edits := sampletest.Count(3_000, 333_334)
	for _, encoding := range []string{"utf-8", "utf-16", "utf-32"} {
		t.Run(encoding, func(t *testing.T) {
			t.Parallel()
			var versions []int32
			o := lsp.WithVersions(lsp.WithText(lsp.Options{}), func(v int32) { versions = append(versions, v) })
			root := t.TempDir()
			e := begin(o)
			defer e.Close()
			if _, err := e.Initialize(t.Context(), lsptest.Session{Folders: []string{root}, Encodings: []string{encoding}}); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(root, "notes.md")
			if err := e.Open(file, "markdown", "start\n"); err != nil {
				t.Fatal(err)
			}
			random := sampletest.Rand(t)
			for i := range edits {
				text, _ := e.Text(file)
				from, to := cut(random, text), cut(random, text)
				if from > to {
					from, to = to, from
				}
				if len(text) < 300 {
					to = from
				}
				if err := e.Edit(file, from, to, difficult[random.IntN(len(difficult))]); err != nil {
					t.Fatal(err)
				}
				if i%100 == 0 {
					_, _, _ = e.Begin(
						"textDocument/hover", map[string]any{"textDocument": map[string]string{"uri": lsptest.URI(file)},
							"position": lsptest.Position{}})
				}
				if i%1000 > 0 && i < edits-1 {
					continue
				}
				if got, want := textOf(t, e, file), ownText(e, file); got.Text != want || got.Version != int32(i+2) || got.Lost {
					t.Fatalf("edit %d: %+v, want %q", i, got, want)
				}
			}
			for i, v := range versions {
				if v != int32(i+2) {
					t.Fatalf("change %d came as version %d", i, v)
				}
			}
		})
	}
	t.Logf("%d edits in each encoding", edits)
}

func ownText(e *lsptest.Editor, file string) string {
	text, _ := e.Text(file)
	return text
}

// A change whose version does not grow counts on another text than the server has. Only
// a full text says what the document is then.
func TestVersionsMustGrow(t *testing.T) {
	root := t.TempDir()
	e, _ := session(t, lsp.WithText(lsp.Options{}), lsptest.Session{Folders: []string{root}})
	file := filepath.Join(root, "a.txt")
	if err := e.Open(file, "", "abc"); err != nil { // version 1
		t.Fatal(err)
	}
	const insert = `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"x"}`
	for _, step := range []struct {
		version, changes string
		want             serverText
	}{
		{`2`, insert, serverText{"xabc", 2, false}},
		{`9`, insert, serverText{"xxabc", 9, false}}, // a gap is no fault
		{`null`, insert, serverText{"xxxabc", 9, false}},
		{`9`, insert, serverText{"xxxxabc", 9, true}},
		{`10`, insert, serverText{"xxxxxabc", 10, true}},
		{`10`, `{"text":"new"}`, serverText{"new", 10, false}},
		{`3`, insert, serverText{"xnew", 3, true}},
		{`4`, `{"text":"again"}`, serverText{"again", 4, false}},
		{`5`, `{"range":"x","text":"y"}`, serverText{"again", 5, true}},
		{`6`, insert + `,{"text":"full"},` + insert, serverText{"xfull", 6, false}},
		{`1e300`, insert, serverText{"xxfull", 1<<31 - 1, false}},
		{`-1e300`, `{"text":"end"}`, serverText{"end", -1 << 31, false}},
		{`"seven"`, `{"text":"end"}`, serverText{"end", 0, true}},
	} {
		params := fmt.Sprintf(`{"textDocument":{"uri":%q,"version":%s},"contentChanges":[%s]}`, lsptest.URI(file), step.version,
			step.changes)
		if err := e.Notify("textDocument/didChange", json.RawMessage(params)); err != nil {
			t.Fatal(err)
		}
		if got := textOf(t, e, file); got != step.want {
			t.Errorf("%s %s: %+v, want %+v", step.version, step.changes, got, step.want)
		}
	}
}

// TestLoneCarriageReturns counts lines as the protocol does, where a tree's parser, a
// shell and git see one line only.
func TestLoneCarriageReturns(t *testing.T) {
	root := project(t)
	text := "---\rtitle: T\r---\rSee\r@auth/jwt/other.md and\r\r\n`SignToken`\rin `auth.go`.\r"
	for _, encoding := range []string{"utf-8", "utf-16", "utf-32"} {
		e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}, Encodings: []string{encoding}})
		file := filepath.Join(root, tokens)
		if err := e.Open(file, "markdown", text); err != nil {
			t.Fatal(err)
		}
		relation := strings.Index(text, "@auth")
		h, err := e.Hover(ctx, file, relation+2)
		if err != nil || h == nil || h.Range == nil {
			t.Fatalf("hover %v, %v", h, err)
		}
		start, _ := lsptest.OffsetIn(text, h.Range.Start, encoding)
		end, _ := lsptest.OffsetIn(text, h.Range.End, encoding)
		if got := text[start:end]; got != "@auth/jwt/other.md" || h.Range.Start.Line != 4 {
			t.Errorf("%s: hover covers %q at %v", encoding, got, h.Range)
		}
	}
}

// Answers about a text that is gone are withdrawn, for clients that know what to do then.
func TestStaleAnswersAreWithdrawn(t *testing.T) {
	for _, knows := range []bool{true, false} {
		root := project(t)
		capabilities := lsptest.Modern()
		capabilities["general"] = map[string]any{"staleRequestSupport": map[string]any{"cancel": knows,
			"retryOnContentModified": []string{}}}
		began, release := make(chan struct{}), make(chan struct{})
		o := lsp.WithAbout(lsp.Options{}, "test/slow", func(context.Context) (any, error) {
			close(began)
			<-release
			return json.RawMessage(`"old"`), nil
		})
		e, ctx := session(t, o, lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
		file := open(t, e, root, tokens)
		if h, err := e.Hover(ctx, file, 0); err != nil {
			t.Fatal(h, err)
		}
		_, answered, err := e.Begin("test/slow", map[string]any{"textDocument": map[string]string{"uri": lsptest.URI(file)}})
		if err != nil {
			t.Fatal(err)
		}
		<-began
		if err := e.Edit(file, 0, 0, "x"); err != nil {
			t.Fatal(err)
		}
		if err := e.Call(ctx, "no/such", nil, nil); code(err) != -32601 { // the change has arrived
			t.Fatal(err)
		}
		close(release)
		var got string
		err = answered.Wait(ctx, &got)
		if knows && code(err) != -32801 || !knows && (err != nil || got != "old") {
			t.Errorf("client knows stale answers %v: %q, %v", knows, got, err)
		}
	}
}
