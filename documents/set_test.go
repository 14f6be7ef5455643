package documents

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/secrets/secretstest"
)

// folder is a folder with files, opened.
func folder(t *testing.T, files map[string]string) *jail.Root {
	t.Helper()
	dir := t.TempDir()
	for p, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := jail.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func read(t *testing.T, root *jail.Root, o Options, before *Set) *Set {
	t.Helper()
	s, err := Read(t.Context(), root, o, before)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func paths(s *Set) string {
	var out []string
	for _, d := range s.All() {
		out = append(out, d.Path)
	}
	return strings.Join(out, " ")
}

func entryPaths(s *Set) string {
	var out []string
	for _, e := range s.Snapshot().Entries() {
		out = append(out, e.Path)
	}
	return strings.Join(out, " | ")
}

func TestReadFindsDocuments(t *testing.T) {
	root := folder(t, map[string]string{
		".gitignore": "ignored/\n", "README.md": "# Tool\nWords.\n", "ignored/a.md": "# A\n", "docs/a.md": "# A\nb\n## C\nd\n## C\ne\n",
		"docs/de/a.md": "# Ä\nb\n", "node_modules/x/README.md": "# X\n", "src/main.go": "package main\n",
		"notes/x.text": "free", ".cursor/rules/a.mdc": "Always.\n", "private/secret.md": "# S\n",
	})
	s := read(t, root, Options{Include: []string{"notes/*.text"}, Exclude: []string{"private/**"}}, nil)
	if got, want := paths(s), ".cursor/rules/a.mdc README.md docs/a.md notes/x.text"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	want := ".cursor/rules/a.mdc › a | README.md › Tool | docs/a.md › A | docs/a.md › C | docs/a.md › C (2) | notes/x.text › x"
	if got := entryPaths(s); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	d, sec, ok := s.Section("docs/a.md › C (2)")
	if !ok || strings.TrimSpace(sec.Body.Of(d.Text)) != "e" {
		t.Errorf("%v %+v", ok, sec)
	}
}

// What the tree exported it says itself; what somebody wrote around it is theirs.
func TestOwnTextBesideAnExportedBlock(t *testing.T) {
	const block = "<!-- brv-lsp: begin -->\n# Project knowledge\n\n## Rule\nMind it.\n<!-- brv-lsp: end -->\n"
	root := folder(t, map[string]string{"AGENTS.md": "# Ours\nTabs.\n\n" + block + "\n## Also ours\nTests first.\n",
		".claude/rules/brv-a.md": "---\npaths:\n  - \"a.go\"\n---\n" + block})
	const want = "AGENTS.md › Also ours | AGENTS.md › Ours"
	if got := entryPaths(read(t, root, Options{}, nil)); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// A set that was made step by step says what one from scratch says, and keeps what did not change.
func TestSetFollowsChanges(t *testing.T) {
	root := folder(t, map[string]string{"docs/a.md": "# A\nb\n", "docs/b.md": "# B\nb\n", "docs/c.md": "# C\nc\n"})
	first := read(t, root, Options{}, nil)
	_ = first.Snapshot()
	for p, text := range map[string]string{"docs/a.md": "# A\nb\n## New\nn\n", "docs/d.md": "# D\nd\n"} {
		if err := root.WriteFile(p, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := root.Remove("docs/c.md"); err != nil {
		t.Fatal(err)
	}
	next, scratch := read(t, root, Options{}, first), read(t, root, Options{}, nil)
	if got, want := entryPaths(next), entryPaths(scratch); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if next.Snapshot().Fingerprint() != scratch.Snapshot().Fingerprint() {
		t.Error("the fingerprint is another")
	}
	old, _ := first.Document("docs/b.md")
	if kept, _ := next.Document("docs/b.md"); kept != old {
		t.Error("an unchanged document was parsed again")
	}
	typed := next.With("docs/b.md", "# B\nunsaved\n").With("docs/new.md", "# N\nn\n").With("src/a.go", "x")
	if got, want := entryPaths(typed), strings.Replace(entryPaths(scratch), "docs/d.md › D", "docs/d.md › D | docs/new.md › N", 1); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if d, _ := typed.Document("docs/b.md"); !strings.Contains(d.Text, "unsaved") {
		t.Error("the buffer does not count")
	}
}

// A page that explains merges has sections; one in a conflict has none.
func TestConflictsInCodeAreText(t *testing.T) {
	markers := "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n"
	root := folder(t, map[string]string{
		"docs/merges.md": "# Merges\n```\n" + markers + "```\nWords.\n", "docs/torn.md": "# Torn\n" + markers, "docs/de/x.md": "# X\nx\n",
	})
	if got := entryPaths(read(t, root, Options{}, nil)); got != "docs/de/x.md › X | docs/merges.md › Merges" {
		t.Error(got)
	}
}

// What a stranger's repository ships costs time in proportion to its size, and nothing outside is read.
func TestHostileDocuments(t *testing.T) {
	deep := strings.Repeat("> - ", 100_000) + "x\n"
	globs := "---\nglobs: " + strings.Repeat("a/**,", 10_000) + "z\n---\nRule.\n"
	root := folder(t, map[string]string{
		"docs/deep.md":     "# Deep\n" + deep + strings.Repeat("[", 100_000) + strings.Repeat("`", 99_999),
		"docs/headings.md": strings.Repeat("# h\nx\n", 100_000), "docs/same.md": strings.Repeat("# h (2)\nx\n# h\ny\n", 900),
		"docs/broken.md": "---\ntitle: [x\n  - {\n# Heading\n", "docs/open.md": "---\n" + strings.Repeat("a: b\n", 100_000),
		".cursor/rules/many.mdc": globs, "docs/large.md": strings.Repeat("x", 2<<20), "docs/binary.md": "\x00\xff\xfe# a\n\xff",
		"docs/under.rst": strings.Repeat("=\n", 200_000), "docs/includes.md": strings.Repeat("{* ../../../../etc/passwd *}\n", 30_000),
	})
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("# Outside\nsecret\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		for _, link := range []string{"docs/link.md", "README.md"} {
			if err := os.Symlink(outside, filepath.Join(root.Dir(), link)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(filepath.Dir(outside), filepath.Join(root.Dir(), "docs/linked")); err != nil {
			t.Fatal(err)
		}
	}
	s := read(t, root, Options{}, nil)
	if _, ok := s.Document("README.md"); ok || strings.Contains(paths(s), "link") {
		t.Errorf("a link was followed: %s", paths(s))
	}
	if s.Skipped["docs/large.md"] != "too large" {
		t.Errorf("skipped: %v", s.Skipped)
	}
	for _, d := range s.All() {
		if len(d.Sections) > maxSections+1 || len(d.Rule.Globs) > maxGlobs {
			t.Errorf("%s has %d sections, %d globs", d.Path, len(d.Sections), len(d.Rule.Globs))
		}
		for _, sec := range d.Sections {
			if len(sec.Files) > maxIncludes {
				t.Errorf("%s includes %d files", d.Path, len(sec.Files))
			}
			for _, f := range sec.Files {
				if strings.HasPrefix(f, "/") || strings.Contains(f, "..") {
					t.Errorf("%s includes %s", d.Path, f)
				}
			}
		}
	}
	if s.Snapshot().Len() == 0 {
		t.Error("nothing is searched")
	}
	if d, _ := s.Document(".cursor/rules/many.mdc"); d.Rule.Dropped < 9_000 {
		t.Errorf("%+v", d.Rule.Dropped)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("docs/a.md", "---\na: b\n---\n# A {#x}\n{* ../b.py *}\n`c`\nB\n===\n")
	f.Add("a.rst", "===\nA\n===\n.. include:: x\n")
	f.Add("a.adoc", "= A\n----\n== b\n")
	f.Add("docs/adr/1.md", "## Status\nSuperseded by [x](../2.md)\n")
	f.Fuzz(func(t *testing.T, p, text string) {
		d := Parse(p, text)
		end := -1
		for _, s := range d.Sections {
			if s.At.Start < end || s.At.End < s.At.Start || s.At.End > len(text) || s.Body.Start < s.At.Start || s.Body.End != s.At.End {
				t.Fatalf("sections overlap: %+v", d.Sections)
			}
			end = s.At.End
			s.Lines(text)
		}
		for _, at := range d.Names() {
			_ = at.Of(text)
		}
		if len(d.Sections) > 0 && end != len(text) {
			t.Fatalf("the last section ends at %d of %d", end, len(text))
		}
	})
}

func TestTitlesAndGlobsAreBounded(t *testing.T) {
	d := Parse("docs/a.md", "# "+strings.Repeat("long ", 10_000)+"\n"+strings.Repeat("## x\n\ntext\n\n", maxSections))
	for i := range d.Sections {
		e := d.entry("docs/a.md › x", &d.Sections[i])
		if len(e.Title) > 8*maxTitle {
			t.Fatalf("a title of %d bytes", len(e.Title))
		}
	}
	for _, bomb := range []string{strings.Repeat("{*,*}", 40), strings.Repeat("{"+strings.Repeat("*,", 28)+"a}", 4)} {
		if r := Parse(".cursor/rules/x.mdc", "---\nglobs: \""+bomb+"!\"\n---\nText\n").Rule; r.Dropped == 0 || len(r.Globs) > 0 {
			t.Errorf("%+v: a glob of too many alternatives is matched", r)
		}
	}
}

func TestASectionShowsNoCredential(t *testing.T) {
	key := "gh" + "p_" + secretstest.Maker{Rand: rand.New(rand.NewPCG(1, 2))}.Of(secretstest.Alnum, 36)
	d := Parse("docs/a.md", "# A\n\nfirst\n\n## B\n\nUse `"+key+"` to log in.\n")
	e := d.entry("docs/a.md › B", &d.Sections[1])
	for _, text := range []string{e.Shown(e.Body), e.Redacted().Text} {
		if strings.Contains(text, key) || !strings.Contains(text, "to log in") {
			t.Errorf("%q", text)
		}
	}
}

// TestLinkedDocuments: what links lead to is read once, under its own name, and never outside of the folder.
func TestLinkedDocuments(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	root := folder(t, map[string]string{
		"AGENTS.md": "# Agents\nRun the tests.\n", ".agents/rules/base.md": "---\nglobs: \"*.go\"\n---\n# Base\nNo panics.\n",
		"docs/style.md": "# Style\nShort names.\n", ".gitignore": "private/\n", "private/x.md": "# Private\nx\n",
	})
	for link, to := range map[string]string{
		"CLAUDE.md": "AGENTS.md", ".cursor/rules/base.mdc": "../../.agents/rules/base.md", ".cursor/rules/style.mdc": "../../docs/style.md",
		".cursor/rules/base2.mdc": "base.mdc", ".cursor/rules/out.mdc": "../../../out.md", ".cursor/rules/abs.mdc": "/etc/passwd",
		".cursor/rules/private.mdc": "../../private/x.md", ".cursor/rules/loop.mdc": "loop.mdc", ".cursor/rules/gone.mdc": "nowhere.md",
	} {
		at := filepath.Join(root.Dir(), link)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.Symlink(to, at)); err != nil {
			t.Fatal(err)
		}
	}
	s := read(t, root, Options{}, nil)
	if got, want := paths(s), ".agents/rules/base.md AGENTS.md docs/style.md"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	for _, d := range s.All() {
		if d.Kind != RuleFile {
			t.Errorf("%s is a %s", d.Path, d.Kind)
		}
	}
	if d, _ := s.Document(".agents/rules/base.md"); d != nil && (d.Title != "Base" || !d.Rule.Applies("a/x.go") || d.Rule.Applies("a/x.ts")) {
		t.Errorf("%+v", d)
	}
	if got, want := strings.Join(slices.Sorted(maps.Keys(s.Skipped)), " "), ".cursor/rules/abs.mdc .cursor/rules/gone.mdc "+
		".cursor/rules/loop.mdc .cursor/rules/out.mdc .cursor/rules/private.mdc"; got != want {
		t.Errorf("skipped %s\nwant %s", got, want)
	}
	if d, _ := s.With("docs/style.md", "# Style\nLong names.\n").Document("docs/style.md"); d.Kind != RuleFile {
		t.Errorf("an open buffer is a %s", d.Kind)
	}
	if again := read(t, root, Options{}, s); again.docs[0] != s.docs[0] {
		t.Error("what did not change is read again")
	}
}
