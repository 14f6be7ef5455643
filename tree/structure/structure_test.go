package structure_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/structure"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// An archive of testdata has entries whose symbols are wanted in `want`, as line:column in
// bytes with the text. A comment "crlf" has all entries written with CRLF line ends.
//
//	go test ./tree/structure -run Golden -update
func TestGolden(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { golden(t, path) })
	}
}

func golden(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, want, kept := "", "", archive.Files[:0:0]
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		kept = append(kept, f)
		text := string(f.Data)
		if strings.HasPrefix(string(archive.Comment), "crlf") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		e := format.Parse(f.Name, text)
		var b strings.Builder
		printSymbols(&b, e, structure.Outline(e), "")
		got += strings.ReplaceAll(b.String(), "\r", "␍")
	}
	if *update {
		archive.Files = append(kept, txtar.File{Name: "want", Data: []byte(got)})
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func printSymbols(b *strings.Builder, e *format.Entry, symbols []structure.Symbol, indent string) {
	for _, s := range symbols {
		fmt.Fprintf(b, "%s%s %q (%s) %s, for %s\n", indent, s.Kind, s.Name, s.Detail, place(e, s.NameAt), place(e, s.At))
		printSymbols(b, e, s.Children, indent+"\t")
	}
}

// place is a span as line:column and text, of which long ones show both ends.
func place(e *format.Entry, at markdown.Span) string {
	line := strings.Count(e.Text[:at.Start], "\n") + 1
	column := at.Start - strings.LastIndexByte(e.Text[:at.Start], '\n')
	text := fmt.Sprintf("%q", at.Of(e.Text))
	if len(text) > 60 {
		text = fmt.Sprintf("%q … %q (%d bytes)", strings.ToValidUTF8(at.Of(e.Text)[:20], ""),
			strings.ToValidUTF8(e.Text[at.End-20:at.End], ""), at.End-at.Start)
	}
	return fmt.Sprintf("%d:%d %s", line, column, text)
}

func TestFlatNamesWhatHolds(t *testing.T) {
	e := format.Parse("a/b/c.md", "---\ntitle: x\n---\n# One\n## Facts\n- **ttl**: a day\n# Two\n")
	var got []string
	for _, s := range structure.Flat(structure.Outline(e)) {
		got = append(got, s.In+">"+s.Name)
	}
	want := []string{">frontmatter", "frontmatter>title", ">One", "One>Facts", "Facts>ttl", ">Two"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
