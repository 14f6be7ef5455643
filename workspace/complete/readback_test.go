package complete

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// awkward are names of entries and folders that not every form of a relation can carry as they are.
var awkward = []string{"json web", "tok (old)", "tok (", "a) b", "tok [1]", "[x](y)", "a, b", "a; b", "tok!", "tok?", "tok*", "tok.", "a|b", "^tok", "tok^2",
	`"q"`, "'q'", "it's", "`code`", "{x}", "größe", "🚀 launch", "設計、図", "（旧）", "$x", "a=b&c", "a&amp;b", "- x", "? x", "null", "a@b", "@x", "~x", "a#b", "<a>",
	"]]", "[[x", "x -- y", "a…b", "!x", "a\u00a0b", "x: y", "50%", "a%20b", ".hidden", "...", "%", "#", "plain",
	"a,b", "2024-01-01", "12:30", "1e3", "true", "~", "*em*", "_em_", "C++", "{{x}}", "$1", "-x", "+ x", "a - b", "é (é)", "مرحبا", "👩‍💻 work", "x’y", "a ' b \" c",
	"a.b.c", "x, y (z)", "see [x](y.md)", "`", "~~x~~", "a\u3000b", "。", "→ x", "==x==", "x]", "[", "(", "a_(b)", "<!-- x -->", "%% x %%", "$x$", "|", "\\x", "&lt;", "@alice", "http", "x.md", "<x", "x>"}

// places are the texts in which a target is typed, as far as «» behind what is typed of it.
var places = []string{
	"see @a/b/«»", "see (@a/b/«»)", "see @a/b/«».", "- @a/b/«» and more", "see @«» x",
	"[x](../b/«»)", "[x](../b/«»", "[x]( ../b/«» \"title\")", "[x](<../b/«»>)", "[x](<../b/«»>  'title')", "[x](<../b/«»)", "| a | [x](../b/«») |",
	"[r]: ../b/«»", "[r]: <../b/«»>", "[r]: <../b/«»", "  [r]: ../b/«» \"title\"", "[![p](p.png)](../b/«»)",
	"[[zebra«»", "[[a/b/«»]]", "[[a/b/«»|text]]", "see [[a/b/«»]] and", "| [[a/b/«»]] |",
	"---\nrelated: [a/b/«»]\n---\n", "---\nrelated: [c/d/e.md, a/b/«»]\n---\n", "---\nrelated: [\"a/b/«»\"]\n---\n", "---\nrelated: ['a/b/«»']\n---\n",
	"---\nrelated: [\"a/b/«»]\n---\n", "---\nrelated:\n  - a/b/«»\n---\n", "---\nrelated:\n  - 'a/b/«»' # why\n  - c/d/e.md\n---\n", "---\nrelated: [@a/b/«»]\n---\n",
	"---\nrelated: a/b/«»\n---\n", "---\nrelated: [\n  a/b/«»,\n  c/d/e.md]\n---\n", "---\nsources:\n  - \"@a/b/«»\"\n---\n",
}

// TestWhatIsInsertedReadsBack completes each name at each place, and reads the text that it becomes as any text is read.
// Where a target cannot be written at all, it is not offered.
func TestWhatIsInsertedReadsBack(t *testing.T) {
	for _, folder := range []bool{false, true} {
		for _, name := range awkward {
			target := "a/b/" + name + ".md"
			if folder {
				target = "a/" + name + "/entry.md"
			}
			files := map[string]string{".brv/context-tree/c/d/e.md": "# E\n", ".brv/context-tree/" + target: "---\ntitle: Zebra [x] `y`\n---\n"}
			w := workspacetest.Open(t, files, workspace.Options{})
			if _, ok := w.View().Tree().Entry(target); !ok {
				continue // no entry, such as one that is hidden
			}
			for _, place := range places {
				if folder {
					place = strings.NewReplacer("../b/«»", "zebra«»", "a/b/«»", "zebra«»").Replace(place)
				}
				p, offset := ".brv/context-tree/a/c/x.md", strings.Index(place, "«»")
				text := strings.Replace(place, "«»", "", 1)
				w.Overlay(p, text)
				items := At(t.Context(), w.View(), p, offset)
				i := slices.IndexFunc(items, func(c Completion) bool { return c.Label == target })
				if i < 0 {
					if !unwritable(name) && !strings.Contains(place, "@«»") && !(strings.Contains(name, "\u00a0") && strings.Contains(place, "'")) {
						t.Errorf("%q at %q: not offered", target, place)
					}
					continue
				}
				c := items[i]
				after := markdown.ApplyEdits(text, []markdown.Edit{{At: c.Replace, New: c.Insert}})
				w.Overlay(p, after)
				e, _ := w.View().Tree().Entry("a/c/x.md")
				leads := func(r format.Mention) bool {
					return w.View().Tree().Resolve("a/c/x.md", r.Form, r.Raw).Target == target
				}
				if others := strings.Count(place, "c/d/e.md") + strings.Count(place, "p.png"); !slices.ContainsFunc(e.Relations, leads) || len(e.Relations) != 1+others {
					t.Errorf("%q at %q: %q has %+v", target, place, after, e.Relations)
				}
				for _, problem := range e.Problems {
					t.Errorf("%q at %q: %q: %s", target, place, after, problem.Message)
				}
				if typed := text[c.Replace.Start:offset]; !fits(typed, c.Filter) {
					t.Errorf("%q at %q: the filter %q does not fit %q", target, place, c.Filter, typed)
				}
			}
		}
	}
}

// unwritable reports whether relations cannot lead to a name in all places: in no form, or not in frontmatter.
func unwritable(name string) bool { return strings.ContainsAny(name, `%:#\`) }

// fits reports whether a client finds what was typed in a filter: its letters, in their order.
func fits(typed, filter string) bool {
	rest := strings.ToLower(typed)
	for _, r := range strings.ToLower(filter) {
		rest = strings.TrimPrefix(rest, string(r))
	}
	return rest == ""
}

// TestMarksAreOfferedAsTheyRead completes each name in a comment of the code.
func TestMarksAreOfferedAsTheyRead(t *testing.T) {
	for _, name := range awkward {
		target := "a/b/" + name + ".md"
		w := workspacetest.Open(t, map[string]string{".brv/context-tree/" + target: "x\n", "a.go": "package a\n"}, workspace.Options{})
		text := "package a\n\n// @brv:a/b/\n"
		w.Overlay("a.go", text)
		items := At(t.Context(), w.View(), "a.go", len(text)-1)
		for _, c := range items {
			if c.Label != target {
				continue
			}
			if meant, _, _ := w.View().Tree().Meant(c.Insert); len(meant) != 1 || path.Clean(meant[0]) != target || strings.ContainsAny(c.Insert, " ()[]#") {
				t.Errorf("%q: %q means %q", target, c.Insert, meant)
			}
		}
	}
}
