package format

import (
	_ "embed"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// everything holds each construct that Parse knows.
//
//go:embed testdata/everything.txt
var everything string

// TestCodecKeepsEverythingThatParseFinds fails when Entry gets a field that codec
// does not know.
func TestCodecKeepsEverythingThatParseFinds(t *testing.T) {
	check := func(p, text string) {
		t.Helper()
		want := Parse(p, text)
		got, ok := DecodeEntry(p, AppendEntry(nil, want))
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Entry{})); diff != "" || !ok {
			t.Errorf("%s, read whole: %t (-parsed +decoded):\n%s", p, ok, diff)
		}
	}
	check("a/b/c.md", everything)
	check("a/b/c.md", "")
	paths, _ := filepath.Glob("testdata/*/*.txtar")
	for _, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			check(f.Name, string(f.Data))
		}
	}
}

// TestEverythingHasEverything keeps the parser's mark sensitive: each list of an
// entry must have something in it.
func TestEverythingHasEverything(t *testing.T) {
	e := Parse("a/b/c.md", everything)
	for name, n := range map[string]int{
		"tags": len(e.Tags), "keywords": len(e.Keywords), "fields": len(e.Fields), "sections": len(e.Sections), "facts": len(e.Facts),
		"files": len(e.Files), "code": len(e.Code), "relations": len(e.Relations), "problems": len(e.Problems),
	} {
		if n == 0 {
			t.Errorf("no %s", name)
		}
	}
	forms := map[Form]bool{}
	for _, r := range e.Relations {
		forms[r.Form] = true
	}
	if len(forms) != 6 {
		t.Errorf("%d forms of relations, want 6", len(forms))
	}
}

// FuzzCodec: what is decoded is what was parsed, and no bytes make it panic or
// point outside the text.
func FuzzCodec(f *testing.F) {
	f.Add(everything, []byte{})
	f.Add("# x", AppendEntry(nil, Parse("a/b/c.md", everything)))
	f.Add("", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, text string, data []byte) {
		want := Parse("a/b/c.md", text)
		got, ok := DecodeEntry("a/b/c.md", AppendEntry(nil, want))
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Entry{})); diff != "" || !ok {
			t.Fatalf("read whole: %t (-parsed +decoded):\n%s", ok, diff)
		}
		e, _ := DecodeEntry("a/b/c.md", data)
		text = e.Text
		var spans []markdown.Span
		for _, r := range e.Relations {
			spans = append(spans, r.At)
		}
		for _, s := range e.Sections {
			spans = append(spans, s.At, s.Heading)
		}
		for _, at := range append(spans, e.Frontmatter, e.Body) {
			if at.Start < 0 || at.End < at.Start || at.End > len(text) {
				t.Fatalf("span %v in %d bytes", at, len(text))
			}
		}
	})
}
