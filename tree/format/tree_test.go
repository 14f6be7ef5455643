package format

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/goldentest"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

func TestParse(t *testing.T) {
	goldentest.Archives(t, "testdata/parse/*.txtar", func(files []txtar.File) string {
		var b strings.Builder
		for _, f := range files {
			dump(&b, Parse(f.Name, string(f.Data)))
		}
		return b.String()
	})
}

// dump writes everything Parse found, each span as the text that it covers.
func dump(b *strings.Builder, e *Entry) {
	fmt.Fprintf(b, "%s\n  title %q summary %q tags %q keywords %q\n", e.Path, e.Title, e.Summary, e.Tags, e.Keywords)
	if e.Signals.Has {
		fmt.Fprintf(b, "  signals %+v\n", e.Signals)
	}
	if !e.CreatedAt.IsZero() || !e.UpdatedAt.IsZero() {
		fmt.Fprintf(b, "  times %s %s\n", e.CreatedAt.Format(time.RFC3339), e.UpdatedAt.Format(time.RFC3339))
	}
	if e.Role != RoleEntry {
		fmt.Fprintf(b, "  role %d\n", e.Role)
	}
	for _, c := range e.Conflicts {
		fmt.Fprintf(b, "  conflict ours %q theirs %q certain %t in %q\n", c.Ours.Of(e.Text), c.Theirs.Of(e.Text), c.Certain,
			c.At.Of(e.Text))
	}
	for _, f := range e.Fields {
		fmt.Fprintf(b, "  field %q %q", f.KeyAt.Of(e.Text), f.At.Of(e.Text))
		for _, s := range f.Items {
			fmt.Fprintf(b, " | %q at %q", s.Value, s.At.Of(e.Text))
		}
		b.WriteByte('\n')
	}
	for _, s := range e.Sections {
		fmt.Fprintf(b, "  section %d %q %q, %d bytes\n", s.Level, s.Title, s.Heading.Of(e.Text), s.At.End-s.At.Start)
	}
	for _, f := range e.Facts {
		fmt.Fprintf(b, "  fact %q %q %q\n", f.Subject, f.Statement, f.Category)
	}
	for _, f := range e.Files {
		fmt.Fprintf(b, "  file %q at %q\n", f.Path, f.At.Of(e.Text))
	}
	for _, c := range e.Code {
		fmt.Fprintf(b, "  code %q\n", c.Of(e.Text))
	}
	for _, r := range e.Relations {
		fmt.Fprintf(b, "  relation %d %q #%q at %q\n", r.Form, r.Raw, r.Heading, r.At.Of(e.Text))
	}
	for _, p := range e.Problems {
		fmt.Fprintf(b, "  problem %d %s: %s at %q\n", p.Severity, p.Code, p.Message, p.At.Of(e.Text))
	}
}

func TestInlineCode(t *testing.T) {
	for text, want := range map[string][]string{
		"a `b` c ` d ` `` e`f ``":       {"b", "d", "e`f"},
		"`a\n`b` c":                     nil, // code begins with the first
		"```go\n`a`\n```\n`b`":          {"b"},
		"~~~\n`a`\n```\n`b`\n~~~~\n`c`": {"c"},
		"````\n```\n`a`\n````\n`b`":     {"b"},
		"```\n`never closed`":           nil,
		"``` `a` ```":                   {"`a`"},
		"    ```\n`a`":                  {"a"}, // indented by four: no fence
		"``":                            nil,
		"` `":                           nil,
		"``` x `y` z":                   {"y"},
		"`a`\r\n`b`\r\n":                {"a", "b"},
	} {
		var got []string
		for _, at := range Parse("a/b/c.md", text).Code {
			got = append(got, at.Of(text))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", text, diff)
		}
	}
}

func TestSignalsDecay(t *testing.T) {
	updated := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		days                float64
		importance, recency float64
	}{{0, 50, 1}, {21, 45.004, 0.4966}, {365, 8.023, 0}, {-10, 50, 1}} {
		got := Signals{Importance: 50, Recency: 1}.At(updated, updated.Add(time.Duration(c.days*24)*time.Hour))
		if math.Abs(got.Importance-c.importance) > 0.01 || math.Abs(got.Recency-c.recency) > 0.001 {
			t.Errorf("after %v days: %+v, want %v and %v", c.days, got, c.importance, c.recency)
		}
	}
	if got := (Signals{Importance: 7}).At(time.Time{}, updated); got.Importance != 7 {
		t.Errorf("without a time of update the importance decayed to %v", got.Importance)
	}
}

func FuzzParse(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*/*.txtar")
	for _, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			f.Add(string(file.Data))
			f.Add(strings.ReplaceAll(string(file.Data), "\n", "\r\n"))
			f.Add(markdown.ByteOrderMark + string(file.Data))
		}
	}
	for seed := range int64(30) { // every dialect: CRLF, no last line end, unknown keys and sections, any order
		f.Add(newChance(seed).file())
	}
	f.Fuzz(func(t *testing.T, text string) {
		e := Parse("a/b/c.md", text)
		check := func(what string, at markdown.Span) {
			if at.Start < 0 || at.End < at.Start || at.End > len(text) {
				t.Fatalf("%s has span %v in %d bytes", what, at, len(text))
			}
		}
		check("frontmatter", e.Frontmatter)
		check("body", e.Body)
		for _, x := range e.Fields {
			check("field "+x.Key, x.At)
			check("key "+x.Key, x.KeyAt)
			for _, s := range x.Items {
				check("item of "+x.Key, s.At)
			}
		}
		for _, x := range e.Sections {
			check("section", x.At)
			check("heading", x.Heading)
		}
		for _, x := range e.Files {
			check("file", x.At)
		}
		for _, x := range e.Facts {
			check("fact", x.At)
		}
		for _, x := range e.Relations {
			check("relation", x.At)
		}
		for _, x := range e.Code {
			check("code", x)
		}
		for _, x := range e.Problems {
			check("problem", x.At)
		}
		accountedFor(t, e)
	})
}

// BenchmarkParseHostile shows that cost grows with the text, not its square: the
// time per byte must not depend on the size.
func BenchmarkParseHostile(b *testing.B) {
	for _, unit := range []string{"> ", "[", "[[", "`", "` `` ", "@a/", "[a](", "**", "# ", "- ", "```\n", "---\n", "a: [\n", "\""} {
		for _, size := range []int{10_000, 100_000, 1_000_000} {
			text := strings.Repeat(unit, size/len(unit))
			b.Run(fmt.Sprintf("%q/%d", unit, size), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					Parse("a/b/c.md", text)
				}
			})
		}
	}
}
