package tree

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// TestWhatAuthorsMayWrite reads each spelling in the table of docs/format.md, and it must mean what the table says.
func TestWhatAuthorsMayWrite(t *testing.T) {
	page, err := os.ReadFile("../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "### What you may write\n")
	table, _, _ = strings.Cut(table, "\n### ")
	parse := func(body string) *format.Entry {
		return format.Parse("auth/jwt/written.md", "---\ntitle: T\n---\n"+body+"\n")
	}
	files := func(list string) bool {
		files := parse("## Raw Concept\n" + list).Files
		return len(files) == 1 && files[0].Path == "src/a.go"
	}
	fact := func(body string) bool {
		facts := parse(body).Facts
		return len(facts) == 1 && facts[0].Subject == "port" && facts[0].Statement == "8080"
	}
	leads := func(body string) bool {
		s := NewSnapshot([]*format.Entry{
			format.Parse("auth/jwt/tokens.md", "# Tokens\n## Limits\n"), format.Parse("auth/jwt/a_b.md", "# A\n"),
			format.Parse("auth/jwt/a b.md", "# A\n"), format.Parse("auth/jwt/context.md", "# J\n## Limits\n"), parse(body),
		}, nil)
		return slices.ContainsFunc(s.Relations("auth/jwt/written.md"), func(r Relation) bool { return r.Problem() == "" && r.Target != "" })
	}
	inOther := func(body string) bool {
		s := NewSnapshot([]*format.Entry{Behind("team", format.Parse("auth/jwt/tokens.md", "# T\n")), parse(body)}, nil)
		unknown := NewSnapshot([]*format.Entry{parse(body)}, nil)
		return len(s.Relations("auth/jwt/written.md")) == 1 && s.Relations("auth/jwt/written.md")[0].Target == "team:auth/jwt/tokens.md" &&
			!slices.ContainsFunc(unknown.Problems("auth/jwt/written.md"), func(p format.Problem) bool { return p.Code != format.CodeOrphan })
	}
	anchored := func(s string) bool {
		text, anchor := "## Limits\n## Limits\n"+s, "own"
		switch {
		case strings.HasPrefix(s, "#") && !strings.HasPrefix(s, "##"):
			anchor = s[1:]
		case s == "===" || s == "---":
			text, anchor = "Limits\n"+s, "limits"
		case strings.Contains(s, "h2"):
			text, anchor = strings.ReplaceAll(s, "…", "Limits"), "limits"
		case s == "^id":
			return !slices.ContainsFunc(NewSnapshot([]*format.Entry{parse("text " + s + "\n\n[[#^id]]")}, nil).Problems("auth/jwt/written.md"),
				func(p format.Problem) bool { return p.Code != format.CodeOrphan })
		}
		_, ok := parse(text).Anchors().Place(anchor)
		return ok
	}
	checks := map[string]func(s string) bool{
		"an entry of the tree": inOther,
		"an anchor":            anchored,
		"prose":                func(s string) bool { return leads(s+"\n\n    [x](tokens.md)") || leads(s+"\n[x](tokens.md)") },
		"code and comments":    func(s string) bool { return !leads(strings.ReplaceAll(s, "a", "[x](tokens.md)")) },
		"the section":          func(s string) bool { return fact(s + "\n- **port**: 8080") },
		"the label":            func(s string) bool { return files(s+"\n- src/a.go") && files(s+" src/a.go") },
		"an item":              func(s string) bool { return files("**Files:**\n" + strings.TrimSuffix(s, " src/a.go") + " src/a.go") },
		"a file of the list": func(s string) bool {
			return !slices.ContainsFunc([]string{"", " - words", " — words", " (words)"}, func(words string) bool { return !files("**Files:**\n- " + s + words) })
		},
		"a fact": func(s string) bool {
			return fact("## Facts\n- "+s) || fact("## Facts\n| fact | value |\n|---|---|\n"+s)
		},
		"a relation":  func(s string) bool { return leads("See " + s) },
		"a link":      func(s string) bool { return leads("See " + s + ".\n\n[label]: tokens.md") },
		"a wiki link": func(s string) bool { return leads("See " + s) },
	}
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.ReplaceAll(row, `\|`, "\x00"), "|")
		if len(cells) < 4 {
			continue
		}
		for kind, check := range checks {
			if !strings.HasPrefix(strings.TrimSpace(cells[2]), kind) {
				continue
			}
			for _, c := range markdown.CodeSpans(cells[1]) {
				if s := strings.Trim(strings.ReplaceAll(c.Text.Of(cells[1]), "\x00", "|"), " "); !check(s) {
					t.Errorf("%q is not %s", s, kind)
				}
			}
		}
	}
}
