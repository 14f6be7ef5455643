package structure_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/structure"
)

// FuzzStructure checks of any text that symbols nest side by side in what holds them,
// folds nest and have two lines,
// and tokens are in order, side by side, each on one line.
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
		s := tree.NewSnapshot([]*format.Entry{e, format.Parse("a/b.md", "# B")}, nil)
		if err := checkSymbols(structure.Outline(e), markdown.Span{End: len(text)}); err != nil {
			t.Error(err)
		}
		if err := checkFolds(structure.Folds(e, -1), text); err != nil {
			t.Error(err)
		}
		if err := checkTokens(structure.Tokens(e, s.Relations(e.Path)), text); err != nil {
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

func checkFolds(folds []structure.Fold, text string) error {
	open := []markdown.Span{{End: len(text)}}
	for _, f := range folds {
		for len(open) > 1 && open[len(open)-1].End <= f.At.Start {
			open = open[:len(open)-1]
		}
		if !holds(open[len(open)-1], f.At) || !strings.Contains(f.At.Of(text), "\n") {
			return fmt.Errorf("fold %v in %v", f.At, open[len(open)-1])
		}
		open = append(open, f.At)
	}
	return nil
}

func checkTokens(tokens []structure.Token, text string) error {
	last := 0
	for _, token := range tokens {
		at := token.At
		if at.Start < last || at.End <= at.Start || at.End > len(text) || strings.ContainsAny(at.Of(text), "\r\n") {
			return fmt.Errorf("token at %v behind %d", at, last)
		}
		if utf8.ValidString(text) && !utf8.ValidString(at.Of(text)) {
			return fmt.Errorf("token at %v cuts a character", at)
		}
		last = at.End
	}
	return nil
}
