package format

import (
	"strings"
	"testing"
)

// TestTOML reads the frontmatter of Hugo and Zola, alone and below that of an import; what is changed is written in front.
func TestTOML(t *testing.T) {
	const block = "+++\ntitle = \"Half cents\"\ndate = 2026-01-02\ntags = [\"money\",\n  'cents',\n]\nweight=3\ndraft = false\n# keywords = [\"old\"]\n" +
		"keywords=[ \"rounding\" ]\n[extra]\ntitle = \"no\"\n+++\n"
	for _, head := range []string{"", "---\nimported_from: 'a.md'\n---\n"} {
		e := Parse("a/b/c.md", head+block+"# Text\n\n- x @a/b/d.md\n")
		if e.Title != "Half cents" || strings.Join(e.Tags, " ") != "money cents" || strings.Join(e.Keywords, " ") != "rounding" || len(e.Problems) > 0 {
			t.Errorf("%q: %q %q %q %+v", head, e.Title, e.Tags, e.Keywords, e.Problems)
		}
		if len(e.Sections) != 1 || len(e.Relations) != 1 || strings.Contains(e.Said(), "weight") || len(e.Said()) != len(e.Text) {
			t.Errorf("%q: %+v %+v %q", head, e.Sections, e.Relations, e.Said())
		}
	}
	e := Parse("a/b/c.md", block+"text\n")
	got, losses := e.Revise(Revision{Header: Header{Title: "Cents"}, Content: Content{Lists: Lists{Tags: []string{"new"}}}})
	if after := Parse("a/b/c.md", got); after.Title != "Cents" || !strings.HasSuffix(got, block+"text\n") || strings.Join(after.Tags, " ") != "new" {
		t.Errorf("%q %+v", got, losses)
	}
	if e = Parse("a/b/c.md", "+++\ntitle = \"A\"\nsummary = \"never closed\ntags = [\"x\"]\n+++\ntext\n"); e.Title != "A" || len(e.Tags) != 1 || len(e.Problems) != 1 {
		t.Errorf("%+v %+v %+v", e.Title, e.Tags, e.Problems)
	}
	if e = Parse("a/b/c.md", "+++\ntitle = \"A\"\n"); e.Title != "c" || len(e.Problems) > 0 {
		t.Errorf("never closed: %q %+v", e.Title, e.Problems)
	}
}
