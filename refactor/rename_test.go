package refactor_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/refactor"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/relink"
)

// noCode is a repo map without files.
type noCode struct{ *codebase.RepoMap }

func (noCode) Exists(string) bool                  { return false }
func (noCode) Lookup(string) []codebase.Definition { return nil }

// project makes a project of entries, without code.
func project(entries map[string]string) refactor.Project {
	var list []*format.Entry
	for path, text := range entries {
		list = append(list, format.Parse(path, text))
	}
	s := tree.NewSnapshot(list, nil)
	code := &codebase.RepoMap{}
	return refactor.Project{
		Tree: s, Code: code, Links: link.Build(s, &noCode{code}), Now: time.Unix(0, 0),
		Text: func(path string) (string, bool) {
			e, ok := s.Entry(strings.TrimPrefix(path, tree.FromProject))
			if !ok {
				return "", false
			}
			return e.Text, true
		},
		FilePath: func(entry string) string { return tree.FromProject + entry },
	}
}

// applied are the entries after a change, and the way of those that moved.
func applied(t *testing.T, entries map[string]string, c refactor.Change) (after map[string]string, to func(string) string) {
	t.Helper()
	var moves []relink.FileMove
	texts := map[string]string{}
	for path, text := range entries {
		texts[path] = text
	}
	for _, f := range c.Files {
		path := strings.TrimPrefix(f.Path, tree.FromProject)
		if f.To != "" {
			moves = append(moves, relink.FileMove{From: path, To: strings.TrimPrefix(f.To, tree.FromProject)})
		}
		if len(f.Edits) == 0 {
			continue
		}
		if texts[path] != f.Before {
			t.Fatalf("%s: edits of another text", path)
		}
		end := len(f.Before)
		text := f.Before
		for _, e := range slices.Backward(f.Edits) {
			if e.At.Start < 0 || e.At.End < e.At.Start || e.At.End > end {
				t.Fatalf("%s: edits overlap or are not sorted: %v", path, f.Edits)
			}
			text = text[:e.At.Start] + e.New + text[e.At.End:]
			end = e.At.Start
		}
		texts[path] = text
	}
	to = func(path string) string {
		for _, m := range moves { // one after the other
			if rest, ok := strings.CutPrefix(path, m.From); ok && (rest == "" || rest[0] == '/') {
				path = m.To + rest
			}
		}
		return path
	}
	after = map[string]string{}
	for path, text := range texts {
		after[to(path)] = text
	}
	return after, to
}

// randomTree is a small tree of entries that name each other in every form.
func randomTree(r *rand.Rand) map[string]string {
	var paths []string
	for _, domain := range []string{"auth", "Billing", "größe"} {
		for _, topic := range []string{"jwt", "session-store"} {
			paths = append(paths, domain+"/"+topic+"/context.md")
			for _, name := range []string{"tokens", "key_rotation", "überblick"}[:1+r.Intn(3)] {
				paths = append(paths, domain+"/"+topic+"/"+name+".md")
			}
		}
		paths = append(paths, domain+"/jwt/deep/tokens.md")
	}
	out := map[string]string{}
	for _, p := range paths {
		out[p] = randomEntry(r, p, paths)
	}
	return out
}

func randomEntry(r *rand.Rand, path string, paths []string) string {
	pick := func() string {
		p := paths[r.Intn(len(paths))]
		switch r.Intn(4) {
		case 0:
			return strings.TrimSuffix(p, ".md")
		case 1:
			return strings.ReplaceAll(p, "_", "-")
		case 2:
			return strings.TrimSuffix(p, "/context.md")
		}
		return p
	}
	var b strings.Builder
	eol := []string{"\n", "\r\n"}[r.Intn(2)]
	line := func(format string, args ...any) { b.WriteString(fmt.Sprintf(format, args...) + eol) }
	line("---")
	line("title: %s", strings.ReplaceAll(path, "/", " "))
	if r.Intn(2) == 0 {
		line("related: [%s, \"@%s#Part one\"]", pick(), pick())
	} else {
		line("related:%s  - %s%s  - '%s'", eol, pick(), eol, pick())
	}
	line("---")
	line("# Part one 😀")
	for range r.Intn(6) {
		p := pick()
		up := strings.Repeat("../", strings.Count(path, "/"))
		switch r.Intn(5) {
		case 0:
			line("See @%s#part-one, and (@%s).", p, pick())
		case 1:
			line("[text](%s%s#part-one)", up, p)
		case 2:
			line("[[%s|text]] 𝄞 [[%s#Part one]]", p, p[strings.LastIndexByte(p, '/')+1:])
		case 3:
			line("[root](/%s) `@%s`", p, p)
		case 4:
			line("@gone/missing/file.md and [pic](%sassets/pic.png)", up)
		}
	}
	return b.String()
}

// Whatever is renamed, every relation that led to an entry leads to the same entry, and
// nothing but relations has changed.
func TestRenameKeepsWhereRelationsLead(t *testing.T) {
	renamed := 0
	for seed := range int64(100) {
		r := rand.New(rand.NewSource(seed))
		entries := randomTree(r)
		p := project(entries)
		e := p.Tree.Entries()[r.Intn(p.Tree.Len())]
		relations := p.Tree.Relations(e.Path)
		if len(relations) == 0 {
			continue
		}
		rel := relations[r.Intn(len(relations))]
		offset := rel.At.Start + r.Intn(rel.At.End-rel.At.Start)
		s, ok, err := refactor.SubjectAt(p, p.FilePath(e.Path), offset)
		if err != nil || !ok {
			continue
		}
		name := []string{"renamed", "Neuer_Name", "x-y", "größer", "a b"}[r.Intn(5)]
		c, err := s.Rename(name)
		if err != nil {
			continue
		}
		renamed++
		after, to := applied(t, entries, c)
		compare(t, fmt.Sprintf("seed %d: %s at %d of %s to %s", seed, s.Name, offset, e.Path, name), p, after, to)
	}
	if renamed < 30 {
		t.Errorf("only %d renames were made", renamed)
	}
}

// compare checks a tree against the one before a change.
func compare(t *testing.T, what string, p refactor.Project, after map[string]string, to func(string) string) {
	t.Helper()
	now := project(after)
	if now.Tree.Len() != p.Tree.Len() {
		t.Fatalf("%s: %d entries, then %d", what, p.Tree.Len(), now.Tree.Len())
	}
	for _, e := range p.Tree.Entries() {
		there, ok := now.Tree.Entry(to(e.Path))
		if !ok || len(there.Relations) != len(e.Relations) {
			t.Fatalf("%s: %s has other relations, or is gone", what, e.Path)
		}
		for i, r := range e.Relations {
			was, is := p.Tree.Resolve(e.Path, r.Form, r.Raw).Target, now.Tree.Resolve(there.Path, r.Form, there.Relations[i].Raw).Target
			if was != "" && is != to(was) {
				t.Errorf("%s: %s: %s led to %s, and %s leads to %s", what, e.Path, r.Raw, was, there.Relations[i].Raw, is)
			}
		}
		if rest(e) != rest(there) {
			t.Errorf("%s: %s changed besides its relations:\n%s\n%s", what, e.Path, e.Text, there.Text)
		}
	}
}

// rest is an entry's text without its relations, quotes around them and headings' texts.
func rest(e *format.Entry) string {
	var edits []markdown.Edit
	for _, r := range e.Relations {
		edits = append(edits, markdown.Edit{At: r.At})
	}
	for _, s := range e.Sections {
		edits = append(edits, markdown.Edit{At: s.Heading})
	}
	return strings.NewReplacer(`"`, "", "'", "").Replace(markdown.ApplyEdits(e.Text, edits))
}

// Moving files together is as moving them one after the other.
func TestFollowKeepsWhereRelationsLead(t *testing.T) {
	followed := 0
	for seed := range int64(60) {
		r := rand.New(rand.NewSource(seed))
		entries := randomTree(r)
		p := project(entries)
		var moves []relink.FileMove
		for i, path := range []string{"auth/jwt/tokens.md", "Billing/jwt/deep", "größe/session-store/tokens.md",
			"auth/session-store"}[:1+r.Intn(4)] {
			to := fmt.Sprintf("shop/moved_%d", i)
			if strings.HasSuffix(path, ".md") {
				to = fmt.Sprintf("%s/new_name_%d.md", []string{"shop/cart", "auth/session-store", "auth/jwt"}[r.Intn(3)], i)
			}
			moves = append(moves, relink.FileMove{From: p.FilePath(path), To: p.FilePath(to)})
		}
		c := p.Follow(moves)
		if len(c.Left) > 0 {
			continue
		}
		followed++
		for _, m := range moves {
			c.Files = append(c.Files, refactor.File{Path: m.From, To: m.To})
		}
		after, to := applied(t, entries, c)
		compare(t, fmt.Sprintf("seed %d: %v", seed, moves), p, after, to)
	}
	if followed < 15 {
		t.Errorf("only %d of the moves were followed", followed)
	}
}

// Files that change places, and that move to where another one was, each take their
// relations along.
func TestFollowSwapsAndChains(t *testing.T) {
	followed := 0
	for seed := range int64(60) {
		r := rand.New(rand.NewSource(seed))
		entries := randomTree(r)
		p := project(entries)
		var files []string
		for _, e := range p.Tree.Entries() {
			if e.Role == format.RoleEntry {
				files = append(files, e.Path)
			}
		}
		r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		files = files[:min(len(files), 2+r.Intn(3))]
		var moves []relink.FileMove
		for i, from := range files {
			to := files[(i+1)%len(files)] // a ring
			if i+1 == len(files) && r.Intn(2) == 0 {
				to = "shop/cart/last.md" // a chain
			}
			moves = append(moves, relink.FileMove{From: p.FilePath(from), To: p.FilePath(to)})
		}
		r.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
		c := p.Follow(moves)
		if len(c.Left) > 0 {
			continue
		}
		followed++
		edited, _ := applied(t, entries, c)
		to := func(path string) string { // all at once
			for _, m := range moves {
				if p.FilePath(path) == m.From {
					return strings.TrimPrefix(m.To, tree.FromProject)
				}
			}
			return path
		}
		after := map[string]string{}
		for path, text := range edited {
			after[to(path)] = text
		}
		compare(t, fmt.Sprintf("seed %d: %v", seed, moves), p, after, to)
	}
	if followed < 30 {
		t.Errorf("only %d of the moves were followed", followed)
	}
}

// backlinked is a tree of 10,000 entries, 500 of which link to the entries of one topic.
func backlinked() map[string]string {
	entries := map[string]string{}
	for i := range 10_000 {
		text := fmt.Sprintf("---\ntitle: Entry %d\ntags: [tag%d]\n---\n# Entry %d\n%s", i, i%20, i,
			strings.Repeat("Words of an entry about nothing in particular.\n", 20))
		if i%20 == 0 {
			text += fmt.Sprintf("@hub/topic/e%d.md and [link](../../hub/topic/e%d.md#entry)\n", i%7, i%5)
		}
		entries[fmt.Sprintf("d%d/t%d/e%d.md", i%10, i%97, i)] = text
	}
	for i := range 7 {
		entries[fmt.Sprintf("hub/topic/e%d.md", i)] = "# Entry\n"
	}
	return entries
}

func benchmarkRename(b *testing.B, text string, files int) {
	p := project(backlinked())
	e, _ := p.Tree.Entry("d0/t0/e0.md")
	s, ok, err := refactor.SubjectAt(p, p.FilePath(e.Path), strings.Index(e.Text, text)+1)
	if err != nil || !ok {
		b.Fatal(ok, err)
	}
	for b.Loop() {
		c, err := s.Rename("another")
		if err != nil || len(c.Files) != files {
			b.Fatal(len(c.Files), err)
		}
	}
}

func BenchmarkRenameTopic(b *testing.B)   { benchmarkRename(b, "topic/", 501) }
func BenchmarkRenameHeading(b *testing.B) { benchmarkRename(b, "entry)", 501) }
func BenchmarkRenameTag(b *testing.B)     { benchmarkRename(b, "tag0]", 500) }

func BenchmarkFollowCode(b *testing.B) {
	p := project(backlinked())
	for b.Loop() {
		p.Follow([]relink.FileMove{{From: "src/a.go", To: "src/b.go"}})
	}
}

// awkwardTitles are headings that some form of an anchor cannot carry, or only as an anchor.
var awkwardTitles = []string{"Setup (old)", "Setup [1]", "C# & F#", "a | b", "50% off", "`code` first", "What's new?", "“Quotes”", "Größe", "🚀 Launch", "???",
	"[x](y)", "see @a/b/o.md", "[[o]]", "...", "a]] b", "<b>x</b>", "{#stated}", "Deploy {#stated}", "- x", "1. x", "x #", "#", "*em* _em_", "a\\b", "設計", "^mark",
	"key: value", "Other", "Setup"}

// TestRenameHeadingToAwkwardTitles gives a heading each of the titles: a link to it leads there, or it is told.
func TestRenameHeadingToAwkwardTitles(t *testing.T) {
	links := "---\ntitle: L\nrelated: [a/b/e.md#Start, 'a/b/e.md#start', \"@a/b/e.md#Start here\"]\n---\n@a/b/e.md#start (@a/b/e#start-here)\n" +
		"[x](e.md#start) [y](<e.md#Start here> \"t\") [[e#Start]] [[e#Start here|text]]\n\n[r]: e.md#start\n"
	entries := map[string]string{"a/b/e.md": "# Top\n[own](#start) [[#Start here]]\n## Start\nx\n## Start here\ny\n## Other\n", "a/b/l.md": links, "a/b/o.md": "o\n"}
	for _, title := range awkwardTitles {
		for section := range 2 {
			p := project(entries)
			e, _ := p.Tree.Entry("a/b/e.md")
			s, _, err := refactor.SubjectAt(p, p.FilePath(e.Path), e.Sections[1+section].Heading.Start+4)
			if err != nil {
				t.Fatal(err)
			}
			c, err := s.Rename(title)
			if err != nil {
				if got := format.Parse("a/b/t.md", "## "+title+"\n"); len(got.Sections) == 1 && got.Sections[0].Title == title && title != "Other" {
					t.Errorf("%q: refused: %v", title, err)
				}
				continue
			}
			after, _ := applied(t, entries, c)
			now := project(after)
			lost := 0
			for _, path := range []string{"a/b/e.md", "a/b/l.md"} {
				was, _ := p.Tree.Entry(path)
				is, _ := now.Tree.Entry(path)
				if path == "a/b/l.md" && len(was.Relations) != len(is.Relations) {
					t.Fatalf("%q: other relations: %s", title, is.Text)
				}
				for i, r := range is.Relations {
					target, _ := now.Tree.Entry("a/b/e.md")
					if r.Heading == "" {
						continue
					}
					before, _ := e.Anchors().Section(was.Relations[i].Heading)
					if got, ok := target.Anchors().Section(r.Heading); !ok || got != before {
						lost++
					}
				}
				for i, a := range is.OwnAnchors() {
					before, _ := e.Anchors().Section(was.OwnAnchors()[i].At.Of(was.Text))
					if got, ok := is.Anchors().Section(a.At.Of(is.Text)); !ok || got != before {
						lost++
					}
				}
			}
			if lost != len(c.Left) {
				t.Errorf("%q: %d links lead elsewhere, told are %q in\n%s\n%s", title, lost, c.Left, after["a/b/l.md"], after["a/b/e.md"])
			}
		}
	}
}
