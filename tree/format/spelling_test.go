package format

import (
	"slices"
	"testing"
)

// Files and facts are read in the forms that people and agents write them in.
func TestSpellings(t *testing.T) {
	const head = "---\ntitle: T\n---\n"
	for _, list := range []string{
		"**Files:**\n- src/a.go", "**Files**:\n- src/a.go", "**Files**： src/a.go", "**files :**\n* src/a.go", "**Files:**\n+ src/a.go",
		"**Files:**\n1. src/a.go", "**Files:**\n1) `src/a.go` (signs)", "**Files:**\n- [ ] src/a.go", "**Files:**\n- [x] `src/a.go`",
		"**Files:**\n- [src/a.go](../../../../src/a.go)", "**Files:**\n- [`src/a.go`](<../x y.go>) - signs", "**Files:**\n- @src/a.go",
		"**Files:**\n- src\\a.go", "**Files:**\n<!-- - src/old.go -->\n- src/a.go:3-9",
	} {
		for _, section := range []string{"## Raw Concept\n", "## **Raw Concept**\n", "## Raw concept:\n", "### Raw Concept\n", "## Narrative\nx\n# Raw Concept\n"} {
			e := Parse("a/b/c.md", head+section+list+"\n")
			if len(e.Files) != 1 || e.Files[0].Path != "src/a.go" {
				t.Errorf("%q: %+v", section+list, e.Files)
			}
		}
	}
	for _, fact := range []string{
		"**port**: 8080", "**port:** 8080", "**port :** 8080", "`port`: 8080", "__port__: 8080", "__port:__ 8080",
		"**port**： 8080", "**port：** 8080",
	} {
		e := Parse("a/b/c.md", head+"## Facts\n- "+fact+"\n<!--\n- **old**: 1\n-->\n")
		if len(e.Facts) != 1 || e.Facts[0].Subject != "port" || e.Facts[0].Statement != "8080" {
			t.Errorf("%q: %+v", fact, e.Facts)
		}
	}
	for _, fact := range []string{"`a` and `b`: c", "**bold** text: x", "2024: a year", "**a** b **c**: d"} {
		e := Parse("a/b/c.md", head+"## Facts\n- "+fact+"\n")
		if subjects := []string{"", "bold", "a** b **c"}; len(e.Facts) != 1 || !slices.Contains(subjects, e.Facts[0].Subject) {
			t.Errorf("%q: %+v", fact, e.Facts)
		}
	}
	for _, heading := range []string{"# Facts", "### Facts", "## Narrative\n### Rules\n- a\n### Facts", "# Narrative\n## Rules\n- a\n# Facts", "### **Facts**", "# Facts:"} {
		e := Parse("a/b/c.md", head+heading+"\n- **port**: 8080\n")
		if len(e.Facts) != 1 || e.Facts[0].Subject != "port" {
			t.Errorf("%q: %+v", heading, e.Facts)
		}
	}
	for _, text := range []string{
		"## Narrative\n### Rules\n- a\n", "## Narrative\n\n## Rules\n- a\n", "# Narrative\n## Rules\n- a\n# Facts\n", "# Narrative\n### Rules\n- a\n",
		"## Narrative\n### Facts\nof it\n### Rules\n- a\n", "### Narrative\n## Rules\n- a\n", "## Facts\n## Narrative\n## Structure\ns\n## Rules\n- a\n",
	} {
		if rules := Parse("a/b/c.md", head+text).Content().Narrative.Rules; rules != "- a" {
			t.Errorf("%q: rules %q", text, rules)
		}
	}
}
