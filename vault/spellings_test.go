package vault_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/relink"
	"github.com/brv-lsp/brv-lsp/tree/treetest"
	"github.com/brv-lsp/brv-lsp/vault"
)

// beside are the names of the files that stand beside the text of a case.
var beside = []string{"tok.md", "a b.md", "a_(b).md", "é.md", "a&b.md", "100%.md", "it's.md", "json_web.md"}

// TestSpellingsOfAuthors reads each line of testdata/spellings.txtar, in which ¶ ends a line, as an entry, as a document, as a
// note that is imported, and as an entry that was moved. What is expected of it stands behind the name of its kind:
//
//   - link: it leads to one of the files beside it; wiki too, but for documents; relation too, but for documents and notes;
//   - text: nothing is read of it, and nothing is reported;
//   - anchor: what stands behind => leads to the text's heading; nowhere: it does not;
//   - files, facts: the file src/a.go, the fact about port.
func TestSpellingsOfAuthors(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/spellings.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		kind, expected, _ := strings.Cut(f.Name, " ")
		t.Run(kind+" "+expected, func(t *testing.T) {
			lines := strings.Split(strings.TrimSpace(string(f.Data)), "\n")
			if len(lines) < 10 && expected != "text" {
				t.Errorf("%d cases, want 10", len(lines))
			}
			for _, line := range lines {
				if why := read(expected, strings.ReplaceAll(line, "¶", "\n")); why != "" {
					t.Errorf("%s: %s", line, why)
				}
			}
		})
	}
}

func read(expected, said string) (why string) {
	said, anchor, _ := strings.Cut(said, " => ")
	e := format.Parse("a/b/x.md", "---\ntitle: X\n---\n"+said+"\n")
	s := treeWith(e)
	page := documents.Parse("docs/x.md", said+"\n")
	switch expected {
	case "files", "facts":
		heading := map[string]string{"files": "## Raw Concept\n", "facts": "## Facts\n"}[expected]
		for as, e := range everywhere(heading + said + "\n") {
			if expected == "files" && (len(e.Files) != 1 || e.Files[0].Path != "src/a.go") {
				return as + " it is not the file"
			}
			if expected == "facts" && (len(e.Facts) != 1 || e.Facts[0].Subject != "port" || e.Facts[0].Statement != "8080") {
				return as + " it is not the fact"
			}
		}
	case "anchor", "nowhere":
		if inDocument := page.Anchored(anchor) != nil; inDocument != (expected == "anchor") {
			return "as a document " + yes(inDocument)
		}
		for as, e := range everywhere(said + "\n") {
			if _, ok := e.Anchors().Place(anchor); ok != (expected == "anchor") {
				return as + " " + yes(ok)
			}
		}
	case "text":
		for _, p := range s.Problems(e.Path) {
			if p.Code != format.CodeOrphan {
				return p.Message
			}
		}
		if n := len(s.Relations(e.Path)); n > 0 {
			return "a relation is read"
		}
		for _, f := range page.Linked() {
			if !strings.Contains(f.Path, "/b/") { // a path in a block of code
				return "a link is read: " + f.Path
			}
		}
		if p := imported1(said); p == nil || len(p.Broken) > 0 {
			return "something is imported"
		}
	case "link", "wiki", "relation":
		return leads(s, e, said, page, expected)
	default:
		return "what is expected is not known"
	}
	return ""
}

// everywhere reads a text as an entry, as a note that is imported, and as an entry that was moved.
func everywhere(said string) map[string]*format.Entry {
	out := map[string]*format.Entry{"as an entry": format.Parse("a/b/x.md", "---\ntitle: X\n---\n"+said)}
	out["as a note"], out["moved"] = format.Parse("a/b/x.md", ""), format.Parse("c/x/y/z.md", "")
	if p := imported1(said); p != nil {
		for _, op := range p.Ops {
			if strings.HasSuffix(op.Path, "/x.md") {
				out["as a note"] = format.Parse(op.Path, op.Text)
			}
		}
	}
	s := treeWith(out["as an entry"])
	if m, err := relink.PlanMove(s, "a/b/x.md", "c/x/y/z.md", func(string) bool { return true }); err == nil {
		if text, err := treetest.ApplyEdits(out["as an entry"].Text, m.Edits["a/b/x.md"]); err == nil {
			out["moved"] = format.Parse("c/x/y/z.md", text)
		}
	}
	return out
}

func yes(is bool) string {
	if is {
		return "it leads there"
	}
	return "it leads nowhere"
}

// treeWith is a tree with an entry and what stands beside it.
func treeWith(e *format.Entry) *tree.Snapshot {
	entries := []*format.Entry{e, format.Parse("web/build/x.md", "# W\n")}
	for _, name := range beside {
		entries = append(entries, format.Parse("a/b/"+name, "# "+name+"\n## Limits\n"))
	}
	return tree.NewSnapshot(entries, nil)
}

func leads(s *tree.Snapshot, e *format.Entry, said string, page *documents.Document, expected string) string {
	target := targets(s, e.Path)
	if len(target) != 1 {
		return "as an entry it leads to " + strings.Join(target, ", ")
	}
	for _, p := range s.Problems(e.Path) {
		if p.Code != format.CodeOrphan && p.Code != format.CodeUnsafe {
			return p.Message
		}
	}
	if expected == "link" && !slices.ContainsFunc(page.Linked(), func(f format.FileRef) bool { return path.Base(f.Path) == path.Base(target[0]) }) {
		return "as a document it does not lead there"
	}
	if p := imported1(said); expected != "relation" && (p == nil || p.Links < 1 || len(p.Broken) > 0) {
		return "as a note it does not lead there"
	}
	m, err := relink.PlanMove(s, e.Path, "a/c/d/x.md", func(string) bool { return true })
	if err != nil {
		return err.Error()
	}
	text, err := treetest.ApplyEdits(e.Text, m.Edits[e.Path])
	if err != nil {
		return err.Error()
	}
	after := s.Update(map[string]*format.Entry{e.Path: nil, "a/c/d/x.md": format.Parse("a/c/d/x.md", text)})
	if moved := targets(after, "a/c/d/x.md"); !slices.Equal(moved, target) {
		return "moved it leads to " + strings.Join(moved, ", ") + ": " + text
	}
	return ""
}

// targets lists where an entry's relations lead, each once.
func targets(s *tree.Snapshot, p string) (out []string) {
	for _, r := range s.Relations(p) {
		out = append(out, r.Target)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// imported1 imports a text with what stands beside it.
func imported1(said string) *vault.Plan {
	f := vault.Folder{Root: "notes", Files: []vault.File{{Path: "n/x.md", Text: said + "\n"}}}
	for _, name := range beside {
		f.Files = append(f.Files, vault.File{Path: "n/" + name, Text: "# " + name + "\n## Limits\n"})
	}
	p, err := vault.Import(f, tree.NewSnapshot(nil, nil), vault.Options{})
	if err != nil {
		return nil
	}
	return p
}
