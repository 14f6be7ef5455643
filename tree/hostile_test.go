package tree

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/treetest"
)

// withinCPU is what no file may cost to parse and resolve, on a machine that does other
// things meanwhile: it doubles processor time. The slowest text takes 0.26 s on a quiet one; what is quadratic takes minutes.
const withinCPU = sampletest.RaceSlows * 600 * time.Millisecond

// deep are texts whose cost must not grow faster than their length.
func deepTexts() map[string]string {
	rep := strings.Repeat
	front := func(yaml string) string { return "---\n" + yaml + "\n---\nbody\n" }
	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString("k" + rep("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i%11) + string(rune('a'+i/26%26)) +
				string(rune('a'+i/676%26)) + string(rune('a'+i/17576%26)) + ": 1\n")
		}
		return b.String()
	}
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'z'; c++ {
		p := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + rep("*"+p+",", 8) + "*" + p + "]\n"
	}
	nested := ""
	for i := range 10_000 {
		nested += rep(" ", min(i, 90)) + "- x\n"
	}
	return map[string]string{
		"yaml flow 10k deep":      front("a: " + rep("[", 10_000) + rep("]", 10_000)),
		"yaml maps 10k deep":      front("a: " + rep("{a: ", 10_000) + rep("}", 10_000)),
		"yaml open flow":          front("related: " + rep("[", 30_000)),
		"yaml block 1k deep":      front(staircase(1000)),
		"yaml alias bomb":         front(bomb),
		"yaml merge keys":         front("a: &a {x: 1}\nb:\n" + rep("  <<: *a\n", 2000)),
		"yaml 50k keys":           front(keys(50_000)),
		"yaml 200 keys":           front(keys(200)),
		"yaml tags":               front("a: " + rep("!!str ", 5000) + "x"),
		"yaml long list":          front("tags: [" + rep("x, ", 20_000) + "x]"),
		"yaml quoted":             front("title: \"" + rep("\\\"", 30_000) + "\""),
		"yaml no end":             "---\n" + rep("a: b\n", 100_000),
		"yaml comment marks":      front(rep("# - : ", 10_000)),
		"quotes 10k deep":         rep("> ", 10_000) + "x\n",
		"list 10k deep":           nested,
		"headings":                rep("# x\n", 200_000),
		"deep headings":           rep("######", 100_000),
		"fences":                  rep("```\n", 200_000),
		"long fences":             rep("`", 500_000) + "\n" + rep("~", 500_000),
		"growing code spans":      growing("`", 1000),
		"growing fences":          growing("```\n`", 1000),
		"links open":              rep("[a](", 200_000),
		"links nested":            rep("[", 400_000) + rep("]", 400_000),
		"links closed":            rep("[a](b.md) ", 100_000),
		"wiki open":               rep("[[", 400_000),
		"wiki closed":             rep("[[a/b]] ", 100_000),
		"images":                  rep("![", 400_000),
		"mentions":                rep("@a/b.md ", 100_000),
		"mentions of many":        numbered("@a/b", 60_000),
		"links to many":           numbered("[a](c", 60_000),
		"mention long":            "@" + rep("a/", 400_000) + "b.md",
		"mention dots":            "@" + rep("../", 300_000) + "b.md",
		"mention at":              rep("@", 1_000_000),
		"mention headings":        rep("@a/b.md#", 120_000),
		"comments open":           rep("<!--", 250_000),
		"html":                    rep("<a ", 300_000),
		"emphasis":                rep("*a_", 300_000),
		"tables":                  rep("|", 1_000_000),
		"table rows":              rep("|a|b|\n|-|-|\n", 70_000),
		"backslashes":             rep("\\", 1_000_000),
		"spaces":                  rep(" ", 1_000_000) + "x",
		"tabs":                    rep("\t", 1_000_000) + "@a/b.md",
		"newlines":                rep("\n", 1_000_000),
		"carriage returns":        rep("\r", 1_000_000),
		"line separators":         rep("\u2028", 300_000),
		"combining":               "@a/" + rep("e\u0301", 300_000) + ".md",
		"zero width":              rep("\u200b", 300_000),
		"bidi":                    rep("\u202e", 300_000),
		"facts":                   "## Facts\n" + rep("- x [convention]\n", 60_000),
		"facts open":              "## Facts\n- " + rep("[", 900_000),
		"code spans":              rep("`a` ", 200_000),
		"code and mentions":       rep("`a`\n@a/b.md\n", 80_000),
		"files":                   "## Raw Concept\n**Files:**\n" + rep("- a/b.go\n", 100_000),
		"one word":                rep("a", 1_000_000),
		"numbered":                rep("1. ", 300_000),
		"rules":                   rep("---\n", 250_000),
		"related flow of mention": front("related: [" + rep("\"@a/b.md\", ", 5000) + "]"),
	}
}

// numbered is relations to as many entries.
func numbered(relation string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(relation + strconv.Itoa(i) + ".md) ")
	}
	return b.String()
}

func staircase(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", min(i, 60)) + "a:\n")
	}
	return b.String()
}

// growing is runs of s of growing length, each of which ends nowhere.
func growing(s string, n int) string {
	var b strings.Builder
	for i := 1; i < n; i++ {
		b.WriteString(strings.Repeat(s, i%500) + "x ")
		if b.Len() > format.MaxFileSize {
			break
		}
	}
	return b.String()
}

func TestNoTextIsExpensive(t *testing.T) {
	var slowest time.Duration
	var name string
	for what, text := range deepTexts() {
		text = text[:min(len(text), format.MaxFileSize)]
		var e *format.Entry
		took := time.Hour
		for try := 0; took > withinCPU && try < 3; try++ { // other tests run beside this one
			begin := treetest.ProcessorTime()
			e = format.Parse("a/hostile.md", text)
			s := NewSnapshot([]*format.Entry{e}, nil)
			s.Relations(e.Path)
			s.Problems(e.Path)
			took = min(took, treetest.ProcessorTime()-begin)
		}
		if testing.Verbose() && took > 50*time.Millisecond {
			t.Logf("%s: %v", what, took.Round(time.Millisecond))
		}
		if took > withinCPU {
			t.Errorf("%s: %v for %d bytes", what, took, len(text))
		}
		if took > slowest {
			slowest, name = took, what
		}
		if strings.HasPrefix(what, "yaml ") && what != "yaml comment marks" && what != "yaml 200 keys" && what != "yaml quoted" &&
			what != "yaml tags" && what != "yaml long list" {
			if len(e.Problems) == 0 {
				t.Errorf("%s: no problem is reported", what)
			}
		}
		if n := max(len(e.Relations), len(e.Code), len(e.Files)); n > 10_000 || n == 10_000 &&
			!slices.ContainsFunc(e.Problems, func(p format.Problem) bool { return p.Code == format.CodeTooLarge }) {
			t.Errorf("%s: %d of one kind", what, n)
		}
		if n := len(e.Problems); n > format.MaxProblems {
			t.Errorf("%s: %d problems", what, n)
		}
	}
	t.Logf("slowest %v (%s)", slowest, name)
}
