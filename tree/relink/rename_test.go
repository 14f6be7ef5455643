package relink

import (
	"fmt"
	"maps"
	"math/rand"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/goldentest"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/treetest"
)

// snapshotOf is the tree of an archive's files.
func snapshotOf(files []txtar.File) *tree.Snapshot {
	var entries []*format.Entry
	for _, f := range files {
		entries = append(entries, format.Parse(f.Name, string(f.Data)))
	}
	return tree.NewSnapshot(entries, nil)
}

// TestMove runs the first line of each archive's comment, "from -> to", and shows
// what changes.
func TestMove(t *testing.T) {
	goldentest.Archives(t, "testdata/move/*.txtar", func(files []txtar.File) string {
		s := snapshotOf(files[1:])
		var b strings.Builder
		for line := range strings.Lines(string(files[0].Data)) {
			from, to, _ := strings.Cut(strings.TrimSpace(line), " -> ")
			fmt.Fprintf(&b, "%s -> %s\n", from, to)
			m, err := PlanMove(s, from, to, stays)
			if err != nil {
				fmt.Fprintf(&b, "  error: %v\n", err)
			}
			for _, f := range m.Files {
				fmt.Fprintf(&b, "  %s -> %s\n", f.From, f.To)
			}
			for _, why := range m.Left {
				fmt.Fprintf(&b, "  left: %s\n", why)
			}
			showEdits(&b, s, m.Edits)
		}
		return b.String()
	})
}

func showEdits(b *strings.Builder, s *tree.Snapshot, edits map[string][]markdown.Edit) {
	for _, p := range slices.Sorted(maps.Keys(edits)) {
		e, _ := s.Entry(p)
		text, err := treetest.ApplyEdits(e.Text, edits[p])
		if err != nil {
			fmt.Fprintf(b, "  %s: %v\n", p, err)
		}
		was, is := strings.Split(e.Text, "\n"), strings.Split(text, "\n")
		for len(was) > 0 && len(is) > 0 && was[0] == is[0] {
			was, is = was[1:], is[1:]
		}
		for len(was) > 0 && len(is) > 0 && was[len(was)-1] == is[len(is)-1] {
			was, is = was[:len(was)-1], is[:len(is)-1]
		}
		fmt.Fprintf(b, "  %s\n", p)
		for _, l := range was {
			fmt.Fprintf(b, "    - %s\n", l)
		}
		for _, l := range is {
			fmt.Fprintf(b, "    + %s\n", l)
		}
	}
}

// stays has every file stay where it is.
func stays(string) bool { return true }

// moved builds the tree after a move from scratch.
func moved(s *tree.Snapshot, m Move) (*tree.Snapshot, error) {
	way := map[string]string{}
	for _, f := range m.Files {
		way[f.From] = f.To
	}
	var entries []*format.Entry
	taken := map[string]bool{}
	for _, e := range s.Entries() {
		p := e.Path
		if q, ok := way[p]; ok {
			p = q
		}
		if taken[p] {
			return nil, fmt.Errorf("%s: two files", p)
		}
		taken[p] = true
		now, err := reread(e, p, m.Edits[e.Path])
		if err != nil {
			return nil, err
		}
		entries = append(entries, now)
	}
	return tree.NewSnapshot(entries, nil), nil
}

// reread parses an entry after edits at its new path; it is itself where nothing
// changes.
func reread(e *format.Entry, p string, edits []markdown.Edit) (*format.Entry, error) {
	if p == e.Path && len(edits) == 0 {
		return e, nil
	}
	text, err := treetest.ApplyEdits(e.Text, edits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Path, err)
	}
	return format.Parse(p, text), nil
}

// TestMoveKeepsEveryRelation moves random entries and folders of random trees.
func TestMoveKeepsEveryRelation(t *testing.T) {
	done, unwritable, refused := 0, 0, 0
	for seed := range int64(75) {
		f := forest{treetest.Forest{Rand: rand.New(rand.NewSource(seed))}}
		texts := map[string]string{}
		for range 8 + f.Intn(40) {
			p := f.Path()
			texts[p] = f.Text(p)
		}
		s := fromScratch(texts)
		for range 60 {
			from, to := move(f, s)
			m, err := PlanMove(s, from, to, stays)
			if err != nil {
				refused++
				continue
			}
			done++
			if len(m.Left) > 0 {
				unwritable++
			}
			if err := keeps(s, m); err != nil {
				t.Fatalf("seed %d: %s -> %s: %v", seed, from, to, err)
			}
		}
	}
	t.Logf("%d moves, %d refused, %d could not be written", done, refused, unwritable)
	if done < 2000 || unwritable > done/10 {
		t.Errorf("only %d moves were possible; %d could not be written", done, unwritable)
	}
}

// move chooses what to move where.
func move(f forest, s *tree.Snapshot) (from, to string) {
	e := s.Entries()[f.Intn(s.Len())]
	switch f.Intn(6) {
	case 0:
		return format.FolderOf(e.Path), f.Folder() // the topic or subtopic
	case 1:
		return format.FolderOf(e.Path), f.Of("auth", "new domain", "API-X", "auth/new", "x/y/z", "n/設計", "null")
	case 2:
		domain, _, _ := strings.Cut(e.Path, "/")
		return domain, f.Of("domain-2", "Auth", "auth/sub", "null", "it's", "with, comma")
	case 3:
		return e.Path, f.Folder() + "/" + f.Of("new name", "true", "it's", "x, y", "(z)", "a.b", "neu-設計") + ".md"
	case 4:
		return e.Path, f.Of("x/y", "auth/other", "x/y/z") + "/" + path.Base(e.Path)
	}
	return e.Path, f.Path()
}

// keeps checks what Move promises.
func keeps(s *tree.Snapshot, m Move) error {
	after, err := moved(s, m)
	if err != nil {
		return err
	}
	to := func(p string) string {
		for _, f := range m.Files {
			if f.From == p {
				return f.To
			}
		}
		return p
	}
	if after.Len() != s.Len() {
		return fmt.Errorf("%d files became %d", s.Len(), after.Len())
	}
	for _, e := range s.Entries() {
		now, ok := after.Entry(to(e.Path))
		if !ok {
			return fmt.Errorf("%s: is gone", e.Path)
		}
		if len(now.Relations) != len(e.Relations) {
			return fmt.Errorf("%s: %d relations became %d in\n%s", e.Path, len(e.Relations), len(now.Relations), now.Text)
		}
		for i, was := range e.Relations {
			is := now.Relations[i]
			target := s.Resolve(e.Path, was.Form, was.Raw).Target
			got := after.Resolve(now.Path, is.Form, is.Raw).Target
			if was.Form != is.Form || was.Heading != is.Heading {
				return fmt.Errorf("%s: relation %+v became %+v", e.Path, was, is)
			}
			if target != "" && got != to(target) && is.Raw == was.Raw && slices.ContainsFunc(m.Left, func(why string) bool {
				return strings.HasPrefix(why, e.Path+":") && strings.Contains(why, " "+was.Raw+" ")
			}) {
				continue // and told
			}
			if target != "" && got != to(target) {
				return fmt.Errorf("%s: %q led to %s; %q leads to %q", e.Path, was.Raw, target, is.Raw, got)
			}
			out := path.Join(tree.FromProject, format.FolderOf(e.Path), was.Raw) // of the project, where nothing is followed
			if strings.HasSuffix(was.Raw, "src/a.go") && !tree.Climbs(out) && path.Join(format.FolderOf(e.Path),
				was.Raw) != path.Join(format.FolderOf(now.Path), is.Raw) {
				return fmt.Errorf("%s: %q became %q, another file", e.Path, was.Raw, is.Raw)
			}
		}
		if err := elsewhereSame(e, m.Edits[e.Path]); err != nil {
			return err
		}
		if len(now.Problems) > len(e.Problems) {
			return fmt.Errorf("%s: new problem %v in\n%s", e.Path, now.Problems, now.Text)
		}
	}
	return nil
}

// elsewhereSame checks that edits lie inside relations.
func elsewhereSame(e *format.Entry, edits []markdown.Edit) error {
	for _, edit := range edits {
		if edit.At.Of(e.Text) == edit.New {
			return fmt.Errorf("%s: an edit that changes nothing at %q", e.Path, edit.New)
		}
		if !slices.ContainsFunc(e.Relations, func(r format.Mention) bool {
			return r.At.Start <= edit.At.Start &&
				edit.At.End <= r.At.End
		}) {
			return fmt.Errorf("%s: edit of %q, which is no relation", e.Path, edit.At.Of(e.Text))
		}
	}
	return nil
}

// awkwardNames are names of entries that some form of a relation cannot carry, or only in another spelling.
var awkwardNames = []string{"tok (old)", "tok (", "a) b", "tok [1]", "[x](y)", "a, b", "a; b", "tok!", "tok?", "tok*", "tok_", "a|b", "^tok", "tok^2",
	`"q"`, "'q'", "it's", "`code`", "{x}", "größe", "gro\u0308ße", "🚀", "設計、図", "（旧）", "a:b", "a: b", `a\b`, "$x", "a=b&c", "a&amp;b", "-", "- x", "? x", "x.", "x ",
	"null", "a@b", "@x", "~x", "a#b", "50%", "a%20b", ".tok", "a\tb", "<a>", "a  b", "]]", "[[x", "x -- y", "con", "_index", "..", "a…b", "%", "!x", "a\u00a0b",
	"a,b", "2024-01-01", "12:30", "1e3", "true", "*em*", "_em_", "C++", "{{x}}", "$1", "-x", "+ x", "a - b", "é (é)", "مرحبا", "👩‍💻 work", "x’y", "a ' b \" c",
	"a.b.c", "x, y (z)", "see [x](y.md)", "`", "~~x~~", "a\u3000b", "。", "→ x", "==x==", "x]", "[", "(", "a_(b)", "<!-- x -->", "%% x %%", "$x$", "|", "&lt;", "@alice", "http", "x.md", "<x", "x>"}

// TestFollowToAwkwardNames moves an entry, and its topic, to each of the names: a relation leads there, or it is told.
func TestFollowToAwkwardNames(t *testing.T) {
	source := "---\ntitle: L\nrelated: [a/b/tok.md, 'a/b/tok.md', \"@a/b/tok#Part\", c/d/other.md]\nsources:\n  - a/b/tok.md # why\n---\n" +
		"# Part\n\nsee @a/b/tok.md, (@a/b/tok) and @a/b/tok.md#part.\n[x](../b/tok.md#part \"t\") [y](<../b/tok.md>) [z](/a/b/tok.md)\n" +
		"[[tok]] [[a/b/tok|text]]\n\n| a | b |\n|---|---|\n| [[a/b/tok.md\\|text]] | ![p](../b/tok.md) |\n\n[r]: ../b/tok.md 'title'\n[s]: <../b/tok.md>\n"
	for _, name := range awkwardNames {
		for _, way := range [][2]string{{"a/b/tok.md", "a/b/" + name + ".md"}, {"a/b", "a/" + name}} {
			s := fromScratch(map[string]string{"a/b/tok.md": "# Part\n@a/b/l.md [l](l.md)\n", "a/b/l.md": source, "a/c/l.md": source, "c/d/other.md": "x\n"})
			m, err := Follow(s, way[0], way[1], stays)
			if err != nil {
				if format.Unlinkable(name) == "" {
					t.Errorf("%q: %v", way[1], err)
				}
				continue
			}
			if err := keeps(s, m); err != nil {
				t.Errorf("%q: %v", way[1], err)
			}
			if len(m.Left) > 0 && len(m.Edits) == 0 {
				t.Errorf("%q: nothing is written: %q", way[1], m.Left)
			}
		}
	}
}

// An entry with more relations than are read would keep the rest of them: it is told.
func TestMoveTellsOfRelationsThatAreNotRead(t *testing.T) {
	for n, left := range map[int]int{9_000: 0, 10_001: 1} {
		s := tree.NewSnapshot([]*format.Entry{
			format.Parse("a/b/hub.md", "# Hub"),
			format.Parse("a/b/many.md", strings.Repeat("- [hub](hub.md)\n", n)),
		}, nil)
		m, err := PlanMove(s, "a/b/hub.md", "a/b/centre.md", stays)
		if err != nil || len(m.Left) != left || left == 0 && len(m.Edits["a/b/many.md"]) != n {
			t.Errorf("%d relations: left %q, %v; %d edits", n, m.Left, err, len(m.Edits["a/b/many.md"]))
		}
	}
}
