package block_test

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/block"
)

func FuzzBlockComesAndGoes(f *testing.F) {
	for _, text := range []string{
		"", "a", "a\n", "a\r\nb", "\n\n", "x\r\n", "<!-- brv-lsp: begin -->\nold\n<!-- brv-lsp: end -->\n",
	} {
		f.Add(text, "body\nof two lines")
	}
	f.Fuzz(func(t *testing.T, text, body string) {
		for _, s := range []block.Style{block.Markdown, block.Hash, block.Lisp, block.Lua} {
			if _, ours := s.Body(text); ours || strings.Contains(body, "brv-lsp: ") || strings.Contains(body, "\r") {
				continue
			}
			with, err := s.Put(text, body)
			if err != nil {
				continue
			}
			if again, err := s.Put(with, body); err != nil || again != with {
				t.Fatalf("again: %v\n%q\n%q", err, with, again)
			}
			if got, ok := s.Body(with); !ok || strings.TrimRight(got, "\n") != strings.TrimRight(body, "\n") {
				t.Fatalf("says %q, want %q", got, body)
			}
			if back, err := s.Cut(with); err != nil || back != text {
				t.Fatalf("back: %v\n%q\n%q", err, text, back)
			}
		}
	})
}

func TestBrokenBlocksAreErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"# brv-lsp: begin\n", "begins and does not end"},
		{"x\n# brv-lsp: end\n", "line 2: a block of brv-lsp ends that did not begin"},
		{"# brv-lsp: begin\n# brv-lsp: begin\n# brv-lsp: end\n", "line 2: a block of brv-lsp begins in another"},
	} {
		if _, err := block.Hash.Put(c.text, "x"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
		if got, err := block.Hash.Cut(c.text); err == nil || got != c.text {
			t.Errorf("%q was cut to %q", c.text, got)
		}
	}
}
