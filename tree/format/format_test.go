package format

import (
	"flag"
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
	if flag.Lookup("update").Value.String() == "true" {
		page = withTable(page)
		if err := os.WriteFile("../../docs/format.md", []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
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
	for _, r := range Parts {
		if !strings.Contains(page, "`"+r.label+"`") && r.label != "" {
			t.Errorf("the label %s is not mentioned", r.label)
		}
	}
}

// withTable is the page with the table of the written keys as the code has them; what kind of value a key has, the page says
// itself, but for new ones.
func withTable(page string) string {
	const head = "| key | value | meaning |\n|---|---|---|\n"
	before, rest, _ := strings.Cut(page, head)
	table, after, _ := strings.Cut(rest, "\n\n")
	rows := []string{}
	for _, key := range FieldKeys {
		_, row, known := strings.Cut("\n"+table, "\n| `"+key+"` | ")
		kind, _, _ := strings.Cut(row, " | ")
		if !known {
			kind = "list"
		}
		rows = append(rows, "| `"+key+"` | "+kind+" | "+FieldDoc(key)+" |")
	}
	return before + head + strings.Join(rows, "\n") + "\n\n" + after
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
