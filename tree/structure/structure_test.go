package structure_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/structure"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// An archive of testdata is a tree. What its first entry is made of is wanted in `want`:
// symbols, folds and tokens, as line:column in bytes with
// the text. A comment "crlf" has all entries written with CRLF line ends.
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
	var entries []*format.Entry
	want, kept := "", archive.Files[:0:0]
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
		entries = append(entries, format.Parse(f.Name, text))
	}
	got := printed(entries[0], tree.NewSnapshot(entries, nil))
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

var (
	foldNames  = []string{"frontmatter", "section", "code"}
	tokenNames = []string{"folder", "file", "anchor", "key", "other key", "word", "number", "subject", "value"}
)

func printed(e *format.Entry, s *tree.Snapshot) string {
	var b strings.Builder
	b.WriteString("== outline\n")
	printSymbols(&b, e, structure.Outline(e), "")
	b.WriteString("== folds\n")
	for _, f := range structure.Folds(e, -1) {
		last := e.Text[:f.At.End]
		fmt.Fprintf(&b, "%s %s … %q\n", foldNames[f.Kind], place(e, markdown.Span{Start: f.At.Start, End: f.At.Start}),
			last[strings.LastIndexByte(last, '\n')+1:])
	}
	b.WriteString("== tokens\n")
	for _, token := range structure.Tokens(e, s.Relations(e.Path)) {
		broken := ""
		if token.Broken {
			broken = " broken"
		}
		fmt.Fprintf(&b, "%s %s%s\n", place(e, token.At), tokenNames[token.Type], broken)
	}
	return strings.ReplaceAll(b.String(), "\r", "␍")
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

// nestedSections is an entry of three levels of headings, three of each below each.
func nestedSections() *format.Entry {
	var b strings.Builder
	var write func(level int)
	write = func(level int) {
		for range 3 {
			fmt.Fprintf(&b, "%s Heading\n\nText\n\n", strings.Repeat("#", level))
			if level < 3 {
				write(level + 1)
			}
		}
	}
	write(1)
	return format.Parse("a/b/c.md", b.String())
}

func TestFewerFoldsAreTheOuterOnes(t *testing.T) {
	e := nestedSections()
	all := structure.Folds(e, -1)
	if len(all) != 3+9+27 {
		t.Fatalf("%d folds", len(all))
	}
	for limit, deepest := range map[int]int{0: 0, 2: 1, 3: 1, 12: 2, 13: 3} {
		kept := structure.Folds(e, limit)
		if len(kept) != limit || !slices.IsSortedFunc(kept, func(a, b structure.Fold) int { return a.At.Start - b.At.Start }) {
			t.Errorf("limit %d: %d folds, in order of place?", limit, len(kept))
		}
		for _, f := range kept {
			if heading, _, _ := strings.Cut(f.At.Of(e.Text), " "); len(heading) > deepest {
				t.Errorf("limit %d keeps a fold of %s", limit, heading)
			}
		}
	}
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
