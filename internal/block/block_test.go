package block_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/block"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

func FuzzBlockComesAndGoes(f *testing.F) {
	for _, text := range []string{
		"", "a", "a\n", "a\r\nb", "\n\n", "x\r\n", "<!-- brv-lsp: begin -->\nold\n<!-- brv-lsp: end -->\n",
		"a\n<!-- brv-lsp: end -->\nb\n<!-- brv-lsp: begin -->\n", "# brv-lsp: begin\nx\n# brv-lsp: begin\ny\n# brv-lsp: end",
		"```\n<!-- brv-lsp: begin -->\nx\n<!-- brv-lsp: end -->\n```\n", "a\n\n```\ncode", "<!--\n", "a\r\n<!-- x\r\n```\r\n",
		"<!--\n```\n-->\n", "~~~\n<!--\n~~~\n", "    <!--\n", "<!-- brv-lsp: begin -->",
	} {
		f.Add(text, "body\nof two lines")
	}
	f.Fuzz(func(t *testing.T, text, body string) {
		if strings.Contains(body, "brv-lsp: ") || strings.Contains(body, "\r") || strings.Contains(body, "<!--") ||
			markdown.Unclosed(body) != "" || strings.HasSuffix(text, "\r") {
			return
		}
		for _, s := range []block.Style{block.Markdown, block.Hash, block.Lisp, block.Lua} {
			if _, ours := s.Body(text); ours {
				continue
			}
			with := s.Put(text, body)
			if again := s.Put(with, body); again != with {
				t.Fatalf("again:\n%q\n%q", with, again)
			}
			if got, ok := s.Body(with); !ok || strings.TrimRight(got, "\n") != strings.TrimRight(body, "\n") {
				t.Fatalf("says %q, want %q", got, body)
			}
			if back := s.Cut(with); back != text {
				t.Fatalf("back:\n%q\n%q", text, back)
			}
		}
	})
}

// TestOtherMarksStay has marks that do not make one block of ours.
func TestOtherMarksStay(t *testing.T) {
	const b, e = "<!-- brv-lsp: begin -->\n", "<!-- brv-lsp: end -->\n"
	ours := block.Markdown
	ours.Ours = func(body string) bool { return body == "old\n" || body == "new\n" }
	for _, c := range []struct{ name, text, want, strays string }{
		{"none", "x\n", "x\n\n" + b + "new\n" + e, "[]"},
		{"one", "x\n" + b + "old\n" + e + "y\n", "x\n" + b + "new\n" + e + "y\n", "[]"},
		{"it does not end", "x\n" + b + "y\n", "x\n" + b + "y\n\n" + b + "new\n" + e, "[2]"},
		{"it did not begin", "x\n" + e, "x\n" + e + "\n" + b + "new\n" + e, "[2]"},
		{"it begins in another", b + "x\n" + b + "old\n" + e, b + "x\n" + b + "new\n" + e, "[1]"},
		{"it ends twice", b + "old\n" + e + "y\n" + e + "z", b + "new\n" + e + "y\n" + e + "z", "[5]"},
		{"two of ours", "x\n" + b + "old\n" + e + "y\n" + b + "old\n" + e, "x\n" + b + "new\n" + e + "y\n", "[]"},
		{"around another text", b + "x\n" + e + "y\n" + b + "old\n" + e, b + "x\n" + e + "y\n" + b + "new\n" + e, "[1 3]"},
		{"in a fence", "````\n```\n" + b + "old\n" + e + "````\n", "````\n```\n" + b + "old\n" + e + "````\n\n" + b + "new\n" + e, "[]"},
		{"behind a fence", "~~~\n~~~\n" + b + "old\n" + e, "~~~\n~~~\n" + b + "new\n" + e, "[]"},
		{"in a comment", "<!--\n" + b + "old\n" + e, "<!--\n" + b + "old\n" + e + "\n" + b + "new\n" + e, "[4]"},
		{"a fence in a comment", "<!--\n```\n-->\n" + b + "old\n" + e, "<!--\n```\n-->\n" + b + "new\n" + e, "[]"},
		{"indented", "    " + b + "    old\n    " + e, "    " + b + "    old\n    " + e + "\n" + b + "new\n" + e, "[]"},
		{"in a fence that does not end", "x\n\n```\n" + b + "old\n" + e, "x\n\n\n" + b + "new\n" + e + "```\n" + b + "old\n" + e, "[4 6]"},
	} {
		if got := ours.Put(c.text, "new"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := fmt.Sprint(ours.Strays(c.text)); got != c.strays {
			t.Errorf("%s: lines %s, want %s", c.name, got, c.strays)
		}
	}
}
