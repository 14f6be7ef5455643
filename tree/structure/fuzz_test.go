package structure_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/structure"
)

// FuzzStructure checks of any text that symbols nest side by side in what holds them.
func FuzzStructure(f *testing.F) {
	for _, seed := range []string{
		"", "---", "---\n---\n", "---\ntitle: x\n---", "\ufeff---\r\ntitle: \"a b\"\r\n---\r\n# H\r\n",
		"---\ntags: [a,\n b]\nrelated:\n - \"@a/b.md#x\"\nmaturity: core\n? x\n: y\n---\n",
		"# A\n## Facts\n- **s**: t = `v` [project]\n- **see @a/b.md**: x [team]\n  more\n### B\n- x\n# C\n```\ncode\n",
		"- a\n  - b\n    more\n- c\n1. d\n\npara @a/b.md, [x](a/b.md#h) and [[ a/b#h | y ]]\n~~~\nx\n~~~\n#\n######\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e := format.Parse("a/c.md", text)
		if err := checkSymbols(structure.Outline(e), markdown.Span{End: len(text)}); err != nil {
			t.Error(err)
		}
	})
}

func holds(outer, inner markdown.Span) bool {
	return outer.Start <= inner.Start && inner.Start <= inner.End && inner.End <= outer.End
}

func checkSymbols(symbols []structure.Symbol, in markdown.Span) error {
	for _, s := range symbols {
		if !holds(in, s.At) || !holds(s.At, s.NameAt) || strings.TrimSpace(s.Name) == "" || strings.Contains(s.Name, "\n") {
			return fmt.Errorf("symbol %q at %v, its name at %v, in %v", s.Name, s.At, s.NameAt, in)
		}
		if err := checkSymbols(s.Children, s.At); err != nil {
			return err
		}
		in.Start = s.At.End
	}
	return nil
}
