package format

import (
	"fmt"
	"math/rand"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// chance makes random contents and files; its words hold what breaks formats.
type chance struct {
	*rand.Rand
	extra []string // texts to weave in
}

func newChance(seed int64, extra ...string) chance {
	return chance{rand.New(rand.NewSource(seed)), extra}
}

var hazards = []string{
	"# Facts", "### Facts", "## Rules", "#### Rules",
	"plain words", "## Head", "## Facts", "### Structure", "### Own", "#### deep", "# ", "---", "--- ", "----", `\---`, `\\## twice`,
	`\# once`, `\plain`,
	"**Task:** inline", "**Changes:**", "**Bold:** unknown", "**all bold**", "```go", "```", "````", "~~~", "   ```", "- item",
	"  - nested", "* star",
	"- **s**: t = `v` [project]", "  indented", "", "", "a `code` b", "@a/b/c.md", "\ttab", "line\rbreak", "two\r\nlines", "é 設計 😀",
	"[project]", "= `v`", "| a | b |",
	"\u00a0nbsp", "trailing  ", "key: value", "it's", `"quoted"`, "#tag", "a #b", "null", "12:30", "2026-01-01", "[x", "}",
	"&anchor *alias !tag", "%", "\x00\x07", "\u2028", "\ufeff", "src/a.go:1-2", "a, b", "https://x.y/z",
	"`tick", "``", "x = 1", "[unknown]", "@", "-", "***", "**:", "**a**: b",
}

func (r chance) word() string {
	if len(r.extra) > 0 && r.Intn(6) == 0 {
		return r.extra[r.Intn(len(r.extra))]
	}
	return hazards[r.Intn(len(hazards))]
}

// text is some lines, "" now and then.
func (r chance) text() string {
	var b strings.Builder
	for range r.Intn(5) {
		b.WriteString(r.word())
		b.WriteString([]string{"\n", "\n", "\n", " ", "\r\n", "\n\n"}[r.Intn(6)])
	}
	return b.String()
}

func (r chance) texts() []string { return some(r, r.text) }

func some[T any](r chance, f func() T) []T {
	var out []T
	for range r.Intn(4) {
		out = append(out, f())
	}
	return out
}

func (r chance) maybe(f func() string) string {
	if r.Intn(2) == 0 {
		return ""
	}
	return f()
}

func (r chance) fact() Fact {
	return Fact{Subject: r.maybe(r.word), Value: r.maybe(r.word), Statement: r.maybe(r.text),
		Category: r.maybe(func() string { return Categories[r.Intn(len(Categories))] })}
}

func (r chance) pattern() Pattern {
	return Pattern{Pattern: r.text(), Flags: r.maybe(r.word), Description: r.maybe(r.text)}
}

func (r chance) diagram() Diagram {
	return Diagram{Type: []string{"mermaid", "plantuml", "ascii", "other", "dot", ""}[r.Intn(6)], Title: r.maybe(r.word),
		Content: r.text()}
}

func (r chance) content() Content {
	c := Content{Lists: Lists{Tags: r.texts(), Keywords: r.texts()}, Relations: r.texts(), Facts: some(r, r.fact), Snippets: r.texts()}
	if r.Intn(3) > 0 {
		c.RawConcept = RawConcept{
			Task: r.maybe(r.text), Changes: r.texts(), Files: r.texts(), Flow: r.maybe(r.text),
			Timestamp: r.maybe(r.word), Author: r.maybe(r.word), Patterns: some(r, r.pattern),
		}
	}
	if r.Intn(3) > 0 {
		c.Narrative = Narrative{
			Structure: r.maybe(r.text), Dependencies: r.maybe(r.text), Highlights: r.maybe(r.text),
			Rules: r.maybe(r.text), Examples: r.maybe(r.text), Diagrams: some(r, r.diagram),
		}
	}
	return c
}

func (r chance) header() Header {
	h := Header{Title: r.text(), Summary: r.maybe(r.text), Reason: r.maybe(r.text)}
	if r.Intn(2) == 0 {
		h.UpdatedAt = time.UnixMilli(r.Int63n(4e12)).UTC()
		h.CreatedAt = h.UpdatedAt.Add(-time.Hour)
	}
	return h
}

func everyPart() (out []Part) {
	for _, r := range Parts {
		out = append(out, r.Part)
	}
	return out
}

func (r chance) parts() []Part {
	all := append(everyPart(), PartTitle, PartSummary)
	return some(r, func() Part { return all[r.Intn(len(all))] })
}

// file is an entry as people write them: any dialect, line ends, order of keys,
// comments, unknown keys and sections.
func (r chance) file() string {
	var b strings.Builder
	if r.Intn(4) > 0 {
		b.WriteString(r.frontmatter())
	}
	for range r.Intn(5) {
		b.WriteString(r.section())
	}
	if r.Intn(3) == 0 {
		b.WriteString("\n---\n\nsnippet " + fmt.Sprint(r.Intn(3)) + "\n")
	}
	text := b.String()
	if r.Intn(3) == 0 {
		text = Render(r.header(), r.content())
	}
	if r.Intn(5) == 0 { // one level below, or above
		text = strings.ReplaceAll(text, "\n## ", []string{"\n# ", "\n### "}[r.Intn(2)])
	}
	if r.Intn(4) == 0 {
		text = strings.TrimRight(text, "\n")
	}
	if r.Intn(3) == 0 {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	}
	if r.Intn(5) == 0 {
		text = markdown.ByteOrderMark + text
	}
	return text
}

func (r chance) frontmatter() string {
	lines := []string{
		"title: " + []string{"Plain title", `"Double: title"`, "'Single ''title'' #1'", "over\n  two lines", "|\n  literal\n  text",
			""}[r.Intn(6)],
		"summary: " + []string{"words # comment", "''", `"a\tb"`, ">-\n  folded\n  text"}[r.Intn(4)],
		"tags: " + []string{"[]", "[a, b]", `["a", "b"]`, "[ 'x y', b , c ]", "[\n  a, # one\n  b,\n]",
			"\n  - a\n  # between\n  - \"b\" # c\n\n  - c", "\n- a\n- b", "scalar", ""}[r.Intn(9)],
		"related:" + []string{" [a/b/c.md, d/e]", "\n\n- a/b/c.md\n- d-e/f\n", "\n  - 'a/b/c.md'", " []", ""}[r.Intn(5)],
		"keywords: [" + strings.Join(some(r, func() string { return fmt.Sprintf("k%d", r.Intn(9)) }), ", ") + "]",
		"importance: " + []string{"50", "62.5", "'70'"}[r.Intn(3)], "maturity: draft", "createdAt: 2026-02-03T11:20:00Z",
		"updatedAt: '2026-02-03T11:20:00.000Z'",
		"custom: {a: 1, b: [c]}", "# a comment", "owner: team # why", "consolidated_from: [{date: x, path: a/b/old.md, reason: y}]",
		"consolidated_from:\n  - date: x\n    path: a/b/old.md\n  - {reason: no path}", "",
	}
	r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	seen := map[string]bool{}
	var b strings.Builder
	b.WriteString("---\n")
	for _, l := range lines[:r.Intn(len(lines)+1)] {
		key, _, found := strings.Cut(l, ":")
		if found && seen[key] {
			continue
		}
		seen[key] = true
		b.WriteString(l + "\n")
	}
	return b.String() + "---\n"
}

func (r chance) section() string {
	return []string{
		"# Title\n\nSome prose.\n\n", "## Reason\nwhy\n\n", "## Relations\n@a/b/c.md\n- @d/e/f - because\n\n",
		"## Raw Concept\n**Task:** inline task,\nwrapped\n**Files:** src/a.go, src/b.go,\nsrc/c.go\n**Status:** " +
			"kept\n**Timestamp:** 2026-01-01\n\nstray\n",
		"## Raw Concept\n\n**Task:**\nA task\n**Bold:** inside\n\n**Changes:**\n* one\n* two\n  wrapped\n\n**Author:** " +
			"me\n\n**Patterns:**\n- `x+` (flags: g) - xs\n- broken\n",
		"## Narrative\nlead\n### Structure\ntext\n\n### Own\nkept\n\n### Features\nfast\n### " +
			"Diagrams\n**One**\n```mermaid\na-->b\n```\n\n\n```\nx\n```\nbelow\n\n",
		"## Facts\n- **a**: one [project]\n- **A**: two = `2`\n  - nested\n- plain\n\ntext between\n* star [team]\n",
		"## Own section\nkept text\n\n",
		"text\n\n---\n\n", "```\n## Facts\n---\n", "## Facts\n", "\n\n", "## Narrative\n### Rules\n- a\n", r.text() + "\n",
	}[r.Intn(14)]
}
