package retrieval

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

func TestPassageIsWhatWasAskedFor(t *testing.T) {
	filler := strings.Repeat("Nothing of interest stands here, only filler for the length of it. ", 12)
	text := "---\ntitle: Guide\n---\n\n# Guide\n\n" + filler + "\n\n## Rotation\n\nRefresh tokens rotate at every use.\n\n" +
		"## Code\n\n```go\nfunc rotate() {\n\n\trefreshFamily()\n}\n```\n\n" + filler + "\n"
	x := indexOf(t, snapshotOf("a/b/guide.md", text))
	for query, want := range map[string]string{
		"refresh tokens rotate": "## Rotation\n\nRefresh tokens rotate at every use.",
		"refreshFamily":         "## Code\n\n```go\nfunc rotate() {\n\n\trefreshFamily()\n}\n```",
		"guide":                 "# Guide\n\n" + strings.TrimSpace(filler),
	} {
		hits := search(t, x, Query{Text: query}).Hits
		if len(hits) != 1 {
			t.Fatalf("%s: %d hits", query, len(hits))
		}
		if got := strings.TrimSpace(hits[0].Passage.Of(text)); got != strings.TrimSpace(want) {
			t.Errorf("%s: passage %q", query, got)
		}
	}
}

func TestPassageOfTitleOnlyEntryIsEmpty(t *testing.T) {
	text := "---\ntitle: Token rotation\n---\n"
	hits := search(t, indexOf(t, snapshotOf("a/b/c.md", text)), Query{Text: "rotation"}).Hits
	if len(hits) != 1 || hits[0].Passage != (markdown.Span{Start: len(text), End: len(text)}) {
		t.Errorf("%+v", hits)
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add("---\ntitle: x\n---\n# A\n\ntext\n\n```\ncode\n\n```\n- a\n- b\r\n\r\n## B\n")
	f.Add("~~~\nopen\n\nfence")
	f.Add(strings.Repeat("long line ", 500))
	f.Add(strings.Repeat("長", 900))
	f.Add(strings.Repeat("b\n\n", 5000))
	f.Fuzz(func(t *testing.T, text string) {
		e := format.Parse("a/b/c.md", text)
		last := e.Body.Start
		for _, b := range blocksOf(e) {
			if b.at.Start < last || b.at.End <= b.at.Start || b.at.End > e.Body.End {
				t.Fatalf("block %v behind %d in body %v", b.at, last, e.Body)
			}
			if b.at.End-b.at.Start > blockSize+passageSize || !utf8.ValidString(b.at.Of(text)) && utf8.ValidString(text) {
				t.Fatalf("block %v is too long or cuts a character", b.at)
			}
			last = b.at.End
		}
	})
}

func FuzzSection(f *testing.F) {
	f.Add("---\ntitle: A\nsummary: s\n---\n# A\n\ntext\n\n## Raw Concept\n- text\n\n## B\n### C\n```\n# text\n```\n")
	f.Add("# A\r\n## Raw Concept\r\ntext")
	f.Add("# A")
	f.Add("## B\n" + strings.Repeat("text and more of it\n\n", 200))
	words := []clause{{word: word{term: "text"}, idf: 1, weight: 1, counts: true, credit: 1, spelling: []spelling{{"text", 1}}}}
	f.Fuzz(func(t *testing.T, text string) {
		e := format.Parse("a/b/c.md", text)
		d, _ := newDoc(e)
		at := newLens(words, 1, 1).section(d)
		if at.Start < e.Body.Start || at.End < at.Start || at.End > e.Body.End || at.End-at.Start > blockSize+passageSize {
			t.Fatalf("section %v in body %v", at, e.Body)
		}
		if shown := rendered(e, at); utf8.ValidString(text) && !utf8.ValidString(shown) {
			t.Fatalf("cuts a character: %q", shown)
		}
	})
}
