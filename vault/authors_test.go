package vault_test

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// TestWhatAuthorsMayWrite reads each spelling in the table of docs/format.md, and it must mean what the table says.
// Each row has a check, and no check accepts nonsense.
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
		s := tree.NewSnapshot([]*format.Entry{
			format.Parse("auth/jwt/tokens.md", "# Tokens\n## Limits\n"), format.Parse("auth/jwt/a_b.md", "# A\n"),
			format.Parse("auth/jwt/a b.md", "# A\n"), format.Parse("auth/jwt/context.md", "# J\n## Limits\n"), parse(body),
		}, nil)
		return slices.ContainsFunc(s.Relations("auth/jwt/written.md"), func(r tree.Relation) bool { return r.Problem() == "" && r.Target != "" })
	}
	inOther := func(body string) bool {
		s := tree.NewSnapshot([]*format.Entry{tree.Behind("team", format.Parse("auth/jwt/tokens.md", "# T\n")), parse(body)}, nil)
		unknown := tree.NewSnapshot([]*format.Entry{parse(body)}, nil)
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
			return !slices.ContainsFunc(tree.NewSnapshot([]*format.Entry{parse("text " + s + "\n\n[[#^id]]")}, nil).Problems("auth/jwt/written.md"),
				func(p format.Problem) bool { return p.Code != format.CodeOrphan })
		}
		_, ok := parse(text).Anchors().Place(anchor)
		return ok
	}
	part := func(s string) bool {
		e := parse(s + "\n- src/a.go")
		c := e.Content()
		return len(c.RawConcept.Files)+len(c.Facts) == 1 || c.Narrative.Rules == "- src/a.go"
	}
	mentioned := func(body string) bool {
		e := parse(body)
		return len(e.Files) == 0 && slices.ContainsFunc(e.Code, func(at markdown.Span) bool {
			files := format.FilesOf(at.Of(e.Text), 0)
			return len(files) == 1 && (files[0].Path == "src/a.go" || files[0].Path == "tests/test_a.py")
		})
	}
	updates := func(at string) bool {
		s := tree.NewSnapshot([]*format.Entry{format.Parse("auth/jwt/tokens.md", "# Tokens\n")}, nil)
		p := plan.New(s, plan.Batch{Ops: []plan.Op{{Type: plan.OpUpdate, Path: at, Summary: "New", Reason: "r"}}}, plan.Inputs{})
		return p.Results[0].FilePath == "auth/jwt/tokens.md" && p.Results[0].Status == plan.StatusSuccess
	}
	outlinks := func(body string) bool {
		e := parse(body)
		return slices.ContainsFunc(tree.Outlinks(tree.NewSnapshot([]*format.Entry{e}, nil), e), func(o tree.Outlink) bool {
			return slices.Contains(o.Ways, "src/a.go")
		})
	}
	linked := func(pages ...string) func(string) bool {
		return func(s string) bool {
			return slices.ContainsFunc(pages, func(p string) bool {
				return slices.ContainsFunc(documents.Parse(p, "# T\n\n"+s+"\n").Linked(), func(f format.FileRef) bool {
					return strings.Contains(s, path.Base(f.Path))
				})
			})
		}
	}
	indented := func(s string) string { // what stands below it
		if strings.HasPrefix(s, ">") || strings.HasPrefix(s, ":") {
			return s + "\n[x](tokens.md)"
		}
		return s + "\n\n    [x](tokens.md)"
	}
	checks := map[string]func(s string) bool{
		"an entry of the tree":               inOther,
		"an anchor":                          anchored,
		"ordinary text":                      func(s string) bool { return strings.TrimLeft(s, "!?=:> ") != s && leads(indented(s)) },
		"code and comments":                  func(s string) bool { return !leads(strings.ReplaceAll(s, "a", "[x](tokens.md)")) },
		"the section":                        func(s string) bool { return fact(s + "\n- **port**: 8080") },
		"these parts":                        part,
		"a mention of code":                  func(s string) bool { return mentioned("A list\n\n" + s) },
		"the file. When":                     func(s string) bool { return mentioned("See " + s + " first") },
		"that entry":                         updates,
		"a link to a file of the repository": outlinks,
		"a link to a file. A path":           linked("docs/AGENTS.md"),
		"a link to a file":                   linked("docs/x.mdx", "docs/x.adoc", "docs/x.rst"),
		"the same text in UTF-8": func(string) bool {
			return string(words.UTF8([]byte("\xff\xfea\x00"))) == "a" && string(words.UTF8([]byte("\xfe\xff\x00a"))) == "a"
		},
		"the label": func(s string) bool { return files(s+"\n- src/a.go") && files(s+" src/a.go") },
		"an item":   func(s string) bool { return files("**Files:**\n" + strings.TrimSuffix(s, " src/a.go") + " src/a.go") },
		"a file of the list": func(s string) bool {
			if strings.HasPrefix(s, "|") {
				return files("**Files:**\n\n| file | about |\n|---|---|\n" + s)
			}
			return !slices.ContainsFunc([]string{"", " - words", " — words", " (words)"}, func(words string) bool {
				return !files("**Files:**\n- " + s + words)
			})
		},
		"a fact": func(s string) bool {
			return fact("## Facts\n- "+s) || fact("## Facts\n| fact | value |\n|---|---|\n"+s)
		},
		"a relation":  func(s string) bool { return leads("See " + s) },
		"a wiki link": func(s string) bool { return leads("See "+s) || leads("---\n"+s) },
		"a link, and": func(s string) bool {
			if text, ok := strings.CutSuffix(s, "[label]"); ok { // its definition is the next spelling of the row
				return text == "[x]"
			}
			return leads("See [x][label].\n\n"+s) || leads("See "+s+".")
		},
	}
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.ReplaceAll(row, `\|`, "\x00"), "|")
		if len(cells) < 4 || strings.HasPrefix(cells[1], "-") || strings.Contains(cells[1], " you write ") {
			continue
		}
		meaning, kind := strings.TrimSpace(cells[2]), ""
		for k := range checks {
			if strings.HasPrefix(meaning, k) && len(k) > len(kind) {
				kind = k
			}
		}
		if kind == "" {
			t.Errorf("the row %q has no check", meaning)
			continue
		}
		spellings := []string{cells[1]}
		if codes := markdown.CodeSpans(cells[1]); len(codes) > 0 {
			spellings = nil
			for _, c := range codes {
				spellings = append(spellings, strings.Trim(strings.ReplaceAll(c.Text.Of(cells[1]), "\x00", "|"), " "))
			}
			if kind != "code and comments" && checks[kind]("nonsense") {
				t.Errorf("%q holds for nonsense", kind)
			}
		}
		for _, s := range spellings {
			if !checks[kind](s) {
				t.Errorf("%q is not %s", s, kind)
			}
		}
	}
}
