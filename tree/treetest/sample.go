package treetest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"
)

// Sample returns n entries by path.
func Sample(tb testing.TB, n int) map[string]string {
	texts := map[string]string{}
	if file := os.Getenv("BRV_DOCS"); file != "" {
		readDocs(tb, file, n, texts)
		return texts
	}
	for i := range n {
		texts[SamplePath(i, n)] = SampleText(i, n)
	}
	return texts
}

// SamplePath spreads entries over domains of 20 topics with 25 entries each.
func SamplePath(i, n int) string {
	i = (i%n + n) % n
	return fmt.Sprintf("domain_%d/topic_%d/entry_%d.md", i/500, i/25%20, i)
}

// SampleText is the text of the i-th entry.
func SampleText(i, n int) string {
	var b strings.Builder
	fmt.Fprintf(
		&b, "---\ntitle: \"Entry %d of the sample\"\nsummary: \"What entry %d says, in one sentence.\"\ntags: [sample, tag_%d]\n", i,
		i, i%50)
	fmt.Fprintf(&b, "related: [%s, %s]\nkeywords: [token, refresh, \"RS%d\"]\n", SamplePath(i*7+1, n), SamplePath(i*13+5, n), i)
	b.WriteString(
		"importance: 62\nrecency: 0.85\nmaturity: validated\ncreatedAt: \"2025-03-18T10:00:00Z\"\nupdatedAt: " +
			"\"2025-04-02T14:30:00Z\"\n---\n\n")
	fmt.Fprintf(
		&b,
		"## Raw Concept\n\n**Task:**\nDo the thing of number %d\n\n**Files:**\n- src/area_%d/file_%d.ts\n\n## Narrative\n\nAs in "+
			"@%s.\n\n### Structure\n", i, i%40, i, SamplePath(i+1, n))
	for b.Len() < 2200 {
		fmt.Fprintf(&b, "Access and refresh tokens are generated as a pair by `issue_%d` on every login, and the older one ends.\n",
			b.Len()%97)
	}
	b.WriteString(
		"\n## Facts\n- **token_life**: Access tokens expire after 24 hours [convention]\n- Refresh tokens are single-use [project]\n")
	return b.String()
}

func readDocs(tb testing.TB, name string, n int, texts map[string]string) {
	f, err := os.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 64<<20)
	var last string
	for len(texts) < n && lines.Scan() {
		var doc struct{ Title, Path, Text string }
		if err := json.Unmarshal(lines.Bytes(), &doc); err != nil {
			tb.Fatal(err)
		}
		domain, rest, _ := strings.Cut(doc.Path, "/")
		p := fmt.Sprintf("%s/%s/%s.md", named(domain), named(folderOf(rest)), named(strings.TrimSuffix(rest, ".md")))
		texts[p] = fmt.Sprintf("---\ntitle: %q\nrelated: [%q]\n---\n%s\n", doc.Title, last, doc.Text)
		last = p
	}
}

// named is a title as a name of files.
func named(title string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return '_'
	}, title)
}
