package format

import (
	"slices"
	"strings"
	"testing"
)

// Files and facts are read in the forms that people and agents write them in.
func TestSpellings(t *testing.T) {
	const head = "---\ntitle: T\n---\n"
	for _, list := range []string{
		"**Files:**\n- src/a.go", "**Files**:\n- src/a.go", "**Files**： src/a.go", "**files :**\n* src/a.go", "**Files:**\n+ src/a.go",
		"**Files:**\n1. src/a.go", "**Files:**\n1) `src/a.go` (signs)", "**Files:**\n- [ ] src/a.go", "**Files:**\n- [x] `src/a.go`",
		"**Files:**\n- [src/a.go](../../../../src/a.go)", "**Files:**\n- [`src/a.go`](<../x y.go>) - signs", "**Files:**\n- @src/a.go",
		"**Files:**\n- src\\a.go", "**Files:**\n- src/a.go:Sign", "**Files:**\n- `src/a.go::Sign`", "**Files:**\n- src/a.go#Sign (signs)", "**Files:**\n<!-- - src/old.go -->\n- src/a.go:3-9",
	} {
		for _, section := range []string{"## Raw Concept\n", "## **Raw Concept**\n", "## Raw concept:\n", "### Raw Concept\n", "## Narrative\nx\n# Raw Concept\n"} {
			e := Parse("a/b/c.md", head+section+list+"\n")
			if len(e.Files) != 1 || e.Files[0].Path != "src/a.go" {
				t.Errorf("%q: %+v", section+list, e.Files)
			}
		}
	}
	for item, want := range map[string]string{
		"src/a.go, src/b.go": "src/a.go src/b.go", "src/a.go and src/b.go": "src/a.go src/b.go", "`src/a.go`, `src/b.go`": "src/a.go src/b.go",
		"src/a.go, src/b.go, and src/c.go": "src/a.go src/b.go src/c.go", "`src/a.go` and `src/b.go` (both sign)": "src/a.go src/b.go",
		"`src/a.go`: calls `src/b.go`": "src/a.go", "src/a.go, which signs": "src/a.go", "src/a.go signs tokens": "src/a.go",
		"src/my file.go": "src/my file.go", "`src/a, b.go`": "src/a, b.go", "`src/a.go` has `Sign`": "src/a.go", "sand and sun": "sand and sun",
		"[src/a.go](../src/a.go), signs": "src/a.go",
	} {
		e := Parse("a/b/c.md", head+"## Raw Concept\n**Files:**\n- "+item+"\n")
		var got []string
		for _, f := range e.Files {
			got = append(got, f.Path)
			if at := f.At.Of(e.Text); at != f.Path {
				t.Errorf("%q: the place of %s is %s", item, f.Path, at)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", item, got, want)
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
	for _, text := range []string{
		"**Files:**\n- src/a.go\n\n**Facts:**\n- **port**: 8080\n\n**Rules:**\n- a\n",
		"# T\n\nIntroduction.\n\nFiles:\n- `src/a.go` — signs\n\nFacts:\n- **port:** 8080\n\nRules:\n- a\n",
		"# T\n\n## Files\n\n* [src/a.go](../../../../src/a.go)\n\n## Facts\n\n* `port`: 8080\n\n## Rules\n\n- a\n\n## Why\n\nText.\n",
		"## Rules\n- a\n\n## Facts\n- **port**: 8080\n\n## Files\n### Server\n- src/a.go:3-9\n",
		"# T\n\n### Files:\n1. src/a.go\n\n### **Facts**\n- **port**: 8080\n\n### Rules:\n- a\n",
		"# T\n\n__Files__\n- src/a.go\n\n__Facts__\n- __port__: 8080\n\n__Rules__\n- a\n",
		"# T\n\n**Files**: src/a.go\n\nThey sign.\n\n**facts**:\n- **port**: 8080\n\n**rules**:\n- a\n",
		"# Files\n- src/a.go\n\n# Facts\n- **port**: 8080\n\n# Rules\n- a\n",
		"## Raw Concept\n### Files\n- src/a.go\n## Facts\n- **port**: 8080\n## Narrative\n### Rules\n- a\n",
		"FILES: @src/a.go\n\n## FACTS\n- **port**: 8080\n\n## RULES\n- a\n",
	} {
		e := Parse("a/b/c.md", head+text)
		rules := e.Content().Narrative.Rules
		if len(e.Files) != 1 || e.Files[0].Path != "src/a.go" || len(e.Facts) != 1 || e.Facts[0].Subject != "port" || rules != "- a" || len(e.Problems) > 0 {
			t.Errorf("%q: %+v %+v %q %+v", text, e.Files, e.Facts, rules, e.Problems)
		}
	}
	for _, text := range []string{
		"## Facts\n- **port**: 8080 <!-- was 80 -->\n- <!-- **port**: 80 -->\n", "## Facts\n%%\n- **port**: 80\n%%\n- **port**: 8080\n",
		"## Facts\n- **port**: {/* 80 */} 8080\n", "## Facts <!-- of it -->\n- **port**: %% 80 %% 8080\n[//]: # (- **port**: 80)\n",
	} {
		e := Parse("a/b/c.md", head+text)
		if len(e.Facts) != 1 || e.Facts[0].Statement != "8080" {
			t.Errorf("%q: %+v", text, e.Facts)
		}
	}
	for text, want := range map[string]int{
		"## Key files\n- src/a.go - signs\n- src/b.go\n": 2, "- and/or\n- see src/a.go for it\n": 1, "- @types/node\n- `src/a.go` and src/b.go\n": 1,
		"**Files:**\n- src/a.go\n\nOthers:\n- src/b.go:3\n": 1, "- [src/a.go](x/src/a.go)\n- http://x/y.z\n": 0,
	} {
		if e := Parse("a/b/c.md", head+text); len(e.Code) != want {
			t.Errorf("%q: %d pieces of code, want %d", text, len(e.Code), want)
		}
	}
	if e := Parse("a/b/c.md", head+"**Files:**\n- src/a.go\n\n## More\n**Files:**\n- src/b.go\n"); len(e.Problems) != 1 || e.Problems[0].Code != CodeTwice {
		t.Errorf("a second list of files: %+v", e.Problems)
	}

	for text, want := range map[string]string{
		"- **port** = `8080`\n": "**port**: = `8080`", "- http://x/y: z\n- 12:30 is noon\n- a, b: c\n- one two three four: d\n": "http://x/y: z|12:30 is noon|a, b: c|one two three four: d",
		"- Max open files: 5\n- Limits:\n  - burst: 5\n  - at once\n    - deep: 1\n- **rate**: 3\n": "**Max open files**: 5|**Limits**:|**Limits burst**: 5|at once|**Limits deep**: 1|**rate**: 3",
		"| a | b |\n|---|---|\n| x \\| y | `1` = `2` [team] |\n| only |\n\n| c | d |\n":             "**x | y**: `1` = `2` [team]", "- see:\n| a | b | c |\n|-|-|-|\n| 1 | 2 | 3 |\n": "**see**:",
		"text | more\n- **a**: | b |\n": "**a**: | b |",
	} {
		var got []string
		for _, f := range Parse("a/b/c.md", head+"## Facts\n"+text).Facts {
			got = append(got, f.String())
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"- port: 8080\n- b\n": "- **port**: 9090\n- b\n", "- **port** = 8080\n": "- **port**: 9090\n", "| n | v |\n|-|-|\n| port | 80 |\n": "| n | v |\n|-|-|\n| port | 9090 |\n",
		"- port: 1\n  - host: x\n": "- **port**: 9090\n  - host: x\n", "| n | v |\n|-|-|\n| host | x |\n": "| n | v |\n|-|-|\n| host | x |\n\n- **port**: 9090\n",
		"- a\n  - host: x\n": "- a\n  - host: x\n- **port**: 9090\n", "- server:\n  - host: x\n": "- server:\n  - host: x\n- **port**: 9090\n",
	} {
		got, _ := Parse("a/b/c.md", head+"## Facts\n"+text).Revise(Revision{Content: Content{Facts: []Fact{{Subject: "port", Statement: "9090"}}}})
		if got != head+"## Facts\n"+want {
			t.Errorf("%q: %q", text, got)
		}
	}
	nested := Parse("a/b/c.md", head+"## Facts\n- server:\n  - port: 1\n")
	if got, _ := nested.Revise(Revision{Content: Content{Facts: []Fact{{Subject: "server port", Statement: "2"}}}}); got != head+"## Facts\n- server:\n  - **port**: 2\n" {
		t.Errorf("%q", got)
	}
}

func TestTitleOfAPicture(t *testing.T) {
	for body, want := range map[string]string{
		"# ![Logo](logo.png)\n": "Logo", "# ![](logo.png)\n": "rate limits", "# ![]\n": "rate limits", "# ![Logo](logo.png) Rates\n": "![Logo](logo.png) Rates",
	} {
		if got := Parse("a/b/rate_limits.md", body).Title; got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}
