package format

import (
	"os"
	"strings"
	"testing"
)

// TestFormatPage checks that docs/format.md says what the code does: every key
// with its meaning, in the written order, every problem's code, every name.
func TestFormatPage(t *testing.T) {
	data, err := os.ReadFile("../../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	at := 0
	for _, key := range FieldKeys {
		i := strings.Index(page, "\n| `"+key+"` |")
		if i < at {
			t.Errorf("%s is not in the table, or not in its place", key)
		}
		at = max(at, i)
	}
	for key, spec := range fieldSpecs {
		_, row, _ := strings.Cut(page, "\n| `"+key+"` | ")
		row, _, _ = strings.Cut(row, "\n")
		kind, doc, _ := strings.Cut(row, " | ")
		if doc != spec.doc+" |" {
			t.Errorf("%s means %q, the page says %q", key, spec.doc, doc)
		}
		if strings.HasPrefix(kind, "list") != spec.list {
			t.Errorf("%s is a list: %v, the page says %q", key, spec.list, kind)
		}
	}
	if !strings.Contains(page, strings.Join(Categories, ", ")) {
		t.Error("the categories of facts are not those of the code")
	}
	for _, p := range labels {
		if !strings.Contains(page, "`"+labelOf(p)+"`") {
			t.Errorf("the label %s is not mentioned", labelOf(p))
		}
	}
}

// TestFormatPageExample checks that the page's example is written as shown.
func TestFormatPageExample(t *testing.T) {
	data, err := os.ReadFile("../../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(data), "## An entry\n```\n")
	text, _, _ = strings.Cut(text, "```\n\nEvery part")
	e := Parse("authentication/tokens/refresh_token_rotation.md", text)
	got := Render(Header{Title: e.Title, Summary: e.Summary, Reason: e.Reason(), CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt},
		e.Content())
	if got != text || len(e.Problems) > 0 {
		t.Errorf("%v\n%s", e.Problems, changedLines(text, got))
	}
}
