package retrieval

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/tree"
)

// inquiryInto is an inquiry with nothing shown yet.
func inquiryInto(t *testing.T, snap *tree.Snapshot) *inquiry {
	return &inquiry{snap: snap, quoter: quoter{"abcabc"}, search: indexOf(t, snap).Search}
}

// called is what a tool says to arguments, "error: " in front of an error.
func called(t *testing.T, q *inquiry, tool, arguments string) string {
	t.Helper()
	for _, x := range q.tools(codeOf) {
		if x.Name == tool {
			text, err := x.Run(t.Context(), json.RawMessage(arguments))
			if err != nil {
				return "error: " + err.Error()
			}
			return text
		}
	}
	t.Fatalf("no tool %s", tool)
	return ""
}

// Whoever follows the offsets reads all of an entry, no more than 8,000 characters at
// once, in whatever script.
func TestReadingGoesOn(t *testing.T) {
	for _, filler := range []string{"a plain line\n", "令牌轮换令牌轮换令牌轮换", "é"} {
		body := "Begin\n" + strings.Repeat(filler, 20_000/utf8.RuneCountInString(filler)) + "\nEnd"
		q := inquiryInto(t, snapshotOf("a/b/c.md", "---\ntitle: Long\n---\n"+body))
		next := regexp.MustCompile(`(\d+) more characters; continue with offset (\d+)\n$`)
		read, offset := "", 0
		for range 4 {
			text := called(t, q, "read_entry", fmt.Sprintf(`{"path": "a/b/c.md", "offset": %d}`, offset))
			inside := text[strings.Index(text, ">\n")+2 : strings.Index(text, "\n</entry-abcabc>")]
			if n := utf8.RuneCountInString(inside); n > maxContent {
				t.Fatalf("%d characters", n)
			}
			read += inside
			m := next.FindStringSubmatch(text)
			if m == nil {
				break
			}
			offset, _ = strconv.Atoi(m[2])
		}
		strip := func(s string) string { return strings.ReplaceAll(s, "\n", "") } // a quotation begins and ends with text
		if strip(read) != strip(body) {
			t.Errorf("read %d bytes of %d", len(read), len(body))
		}
		e, _ := q.snap.Entry("a/b/c.md")
		if s, shown := q.shown.source(e); !shown || s.At != e.Body {
			t.Errorf("shown %v of %v", s.At, e.Body)
		}
	}
}

func TestToolsSayWhatIsWrong(t *testing.T) {
	q := inquiryInto(t, snapshotOf("a/b/c.md", "plain", "a/b/d.md", "# Title\n\ntext\n\n## Title two\n", "a/context.md", "about a",
		"e/f/g.md", "text"))
	for _, c := range []struct{ tool, arguments, want string }{
		{"search", `{"query": " "}`, "error: query is empty"},
		{"search", `{"query": "text", "limit": -1}`, "error: limit is -1: 1 to 10 are allowed"},
		{"search", `{"query": "text", "scope": "nowhere"}`, "the tree has no nowhere, so everything was searched\n<entry-abcabc path="},
		{"search", `{"query": "zebra"}`, "No entry holds: zebra\nNothing found.\n"},
		{"read_entry", `{"path": "a/b"}`, "error: path 'a/b' may be 'a/b/c.md', 'a/b/d.md'"},
		{"read_entry", `{"path": "a"}`, "<entry-abcabc path=\"a/context.md\""},
		{"read_entry", `{"path": "@.brv/context-tree/e/f/g.md"}`, "<entry-abcabc path=\"e/f/g.md\""},
		{"read_entry", `{"path": "@e/f/g"}`, "<entry-abcabc path=\"e/f/g.md\""},
		{"read_entry", `{"path": ".brv/context-tree/e/f/g.md"}`, "<entry-abcabc path=\"e/f/g.md\""},
		{"read_entry", `{"path": "/etc/passwd"}`, "error: path '/etc/passwd' is not in the tree"},
		{"read_entry", `{"path": "a/b/c.md", "section": "Title"}`, "error: a/b/c.md has no sections"},
		{"read_entry", `{"path": "a/b/d.md", "section": "# title TWO"}`,
			"<entry-abcabc path=\"a/b/d.md\" title=\"Title\" part=\"bytes 15 to 28 of 28\">\n## Title two\n"},
		{"read_entry", `{"path": "a/b/d.md", "section": "Title", "offset": 3}`, "error: section and offset cannot be given together"},
		{"read_entry", `{"path": "a/b/d.md", "offset": 99}`, "error: offset is 99: a/b/d.md ends at 28"},
		{"relations", `{"path": "a/b/none.md"}`, "error: there is no entry 'a/b/none.md'"},
		{"list", `{}`, "<tree-abcabc>\na/ 0\ne/ 0\n</tree-abcabc>\n"},
		{"list", `{"folder": "./a/b/"}`, "<tree-abcabc path=\"a/b\">\na/b/c.md: c\na/b/d.md: Title\n</tree-abcabc>\n"},
		{"list", `{"folder": "z"}`, "error: there is no folder 'z'"},
		{"outline", `{"file": "/etc/passwd"}`, "error: file '/etc/passwd'"},
		{"outline", `{"file": "a/../../b.ts"}`, "error: file"},
		{"outline", `{"file": ".git/config"}`, "error: file"},
		{"outline", `{"file": ""}`, "error: file"},
	} {
		if got := called(t, q, c.tool, c.arguments); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %s: got %s", c.tool, c.arguments, got)
		}
	}
}

func TestListsOfAToolAreBounded(t *testing.T) {
	var files []string
	for i := range 300 {
		files = append(files, fmt.Sprintf("a/b/e%03d.md", i), "See @a/b/hub.md.")
	}
	files = append(files, "a/b/hub.md", strings.Repeat("See @a/b/e001.md.\n", 100))
	q := inquiryInto(t, snapshotOf(files...))
	if got := called(t, q, "relations", `{"path": "a/b/hub.md"}`); strings.Count(got, "\n") != 2*toolEdges+4 ||
		!strings.Contains(got, "and 60 more\nfrom") || !strings.Contains(got, "and 260 more\n</") {
		t.Errorf("%d lines: %.300s", strings.Count(got, "\n"), got)
	}
	long := func(context.Context, string) (string, error) { return strings.Repeat("é", 9000), nil }
	if got, err := q.runOutline(t.Context(), long, outlineArguments{"a.ts"}); err != nil || strings.Count(got, "é") != maxContent {
		t.Errorf("%v, %d characters", err, strings.Count(got, "é"))
	}
	if got := called(t, q, "list", `{"folder": "a/b"}`); strings.Count(got, "\n") != maxListing+3 ||
		!strings.Contains(got, "and 101 more\n") {
		t.Errorf("%d lines", strings.Count(got, "\n"))
	}
}
