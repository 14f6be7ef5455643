package block_test

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/block"
)

func FuzzBlockComesAndGoes(f *testing.F) {
	for _, text := range []string{
		"", "a", "a\n", "a\r\nb", "\n\n", "x\r\n", "<!-- brv-lsp: begin -->\nold\n<!-- brv-lsp: end -->\n",
		"a\n<!-- brv-lsp: end -->\nb\n<!-- brv-lsp: begin -->\n", "# brv-lsp: begin\nx\n# brv-lsp: begin\ny\n# brv-lsp: end",
	} {
		f.Add(text, "body\nof two lines")
	}
	f.Fuzz(func(t *testing.T, text, body string) {
		for _, s := range []block.Style{block.Markdown, block.Hash, block.Lisp, block.Lua} {
			whole, _ := s.Mended(text)
			if _, ours := s.Body(text); ours || strings.Contains(body, "brv-lsp: ") || strings.Contains(body, "\r") {
				continue
			}
			with := s.Put(text, body)
			if again := s.Put(with, body); again != with {
				t.Fatalf("again:\n%q\n%q", with, again)
			}
			if got, ok := s.Body(with); !ok || strings.TrimRight(got, "\n") != strings.TrimRight(body, "\n") {
				t.Fatalf("says %q, want %q", got, body)
			}
			if back := s.Cut(with); back != whole {
				t.Fatalf("back:\n%q\n%q", whole, back)
			}
		}
	})
}

func TestBrokenBlocksAreMended(t *testing.T) {
	const b, e = "# brv-lsp: begin\n", "# brv-lsp: end\n"
	for _, c := range []struct{ name, text, want, notes string }{
		{"none", "x\n", "x\n" + b + "new\n" + e, ""},
		{"one", "x\n" + b + "old\n" + e + "y\n", "x\n" + b + "new\n" + e + "y\n", ""},
		{"it does not end", "x\n" + b + "y\n", "x\ny\n" + b + "new\n" + e, "line 2: a block of brv-lsp began and did not end"},
		{"it did not begin", "x\n" + e, "x\n" + b + "new\n" + e, "line 2: a block of brv-lsp ended that did not begin"},
		{"it begins in another", b + "x\n" + b + "old\n" + e, "x\n" + b + "new\n" + e, "line 1: a block of brv-lsp began and did not end"},
		{"it ends twice", b + "old\n" + e + "y\n" + e + "z", b + "new\n" + e + "y\nz", "line 5: a block of brv-lsp ended that did not begin"},
		{"two", "x\n" + b + "old\n" + e + "y\n" + b + "old\n" + e, "x\n" + b + "new\n" + e + "y\n",
			"line 6: a second block of brv-lsp is removed"},
	} {
		if got := block.Hash.Put(c.text, "new"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		_, notes := block.Hash.Mended(c.text)
		if all := strings.Join(notes, "\n"); !strings.HasPrefix(all, c.notes) || (all == "") != (c.notes == "") {
			t.Errorf("%s: %q", c.name, all)
		}
	}
}
