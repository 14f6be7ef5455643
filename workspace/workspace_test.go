package workspace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree"
)

// TestMain makes the test binary the syntax worker too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	dir, err := os.MkdirTemp("", "brv-workspace")
	if err == nil {
		err = noteGit(dir)
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

var now = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)

const tokensText = `---
title: Access tokens
related: [auth/jwt/rotation.md, auth/jwt/gone.md]
importance: 62
maturity: validated
updatedAt: 2026-10-31T00:00:00Z
---
## Raw Concept
**Files:**
- src/sign.go

## Facts
- Access tokens are signed with RS256 by ` + "`SignToken`" + ` [convention]
`

var files = map[string]string{
	"go.mod":                                 "module example.org/app\n\ngo 1.26\n",
	"src/sign.go":                            "package src\n\n// SignToken signs.\nfunc SignToken(user string) string { return user }\n",
	"src/use.go":                             "package src\n\nvar err = SignToken(\"x\")\n",
	".brv/context-tree/auth/jwt/tokens.md":   tokensText,
	".brv/context-tree/auth/jwt/rotation.md": "---\ntitle: Refresh rotation\nsummary: Single use.\n---\n## Rules\n@auth/jwt/tokens.md#Facts\n",
}

// open makes a folder of the files and opens it.
func open(t *testing.T, files map[string]string, o Options) *Workspace {
	t.Helper()
	o.Trusted = o.Untrusted == ""
	dir := t.TempDir()
	for p, text := range files {
		write(t, dir, p, text)
	}
	o.Now = func() time.Time { return now }
	w, err := Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func write(t *testing.T, dir, p, text string) {
	t.Helper()
	p = filepath.Join(dir, p)
	if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

const tokensPath = ".brv/context-tree/auth/jwt/tokens.md"

// about asks at the first occurrence of a word.
func about(t *testing.T, w *Workspace, p, word string) *About {
	t.Helper()
	v := w.View()
	text, ok := v.Text(p)
	if !ok {
		t.Fatalf("no text of %s", p)
	}
	a, err := w.About(t.Context(), v, AboutRequest{Path: p, Offset: strings.Index(text, word) + 1})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAbout(t *testing.T) {
	w := open(t, files, Options{})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, path, word, want string }{
		{"relation", tokensPath, "auth/jwt/rotation", `relation "auth/jwt/rotation.md": Refresh rotation`},
		{"broken relation", tokensPath, "auth/jwt/gone", `relation "auth/jwt/gone.md" relation to auth/jwt/gone.md: no such entry in the context tree`},
		{"key", tokensPath, "importance", `field "importance" 62 when updated, 56 today`},
		{"listed file", tokensPath, "src/sign.go", `file "src/sign.go" src/sign.go:0`},
		{"named symbol", tokensPath, "SignToken", `code "SignToken" src/sign.go:4 func SignToken(user string) string`},
		{"prose", tokensPath, "RS256", "nothing"},
		{"symbol where it is defined", "src/sign.go", "SignToken(", `code "SignToken": Access tokens`},
		{"symbol where it is used", "src/use.go", "SignToken", `code "SignToken": Access tokens`},
		{"other name", "src/use.go", "err", "nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := summary(about(t, w, c.path, c.word)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// summary is one line of what a hover would show.
func summary(a *About) string {
	if a == nil {
		return "nothing"
	}
	s := fmt.Sprintf("%s %q", a.Kind, a.Name)
	for _, e := range a.Entries {
		s += ": " + e.Title
	}
	if a.Field != nil {
		s += " " + a.Field.Value
	}
	if a.Code != nil {
		s += fmt.Sprintf(" %s:%d %s", a.Code.Path, a.Code.Line, a.Code.Signature)
	}
	return strings.TrimSpace(s + " " + a.Problem)
}

func TestDefinitionAndReferences(t *testing.T) {
	w := open(t, files, Options{})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	v := w.View()
	rotation := ".brv/context-tree/auth/jwt/rotation.md"
	show := func(ts []Target, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, x := range ts {
			out = append(out, fmt.Sprintf("%s %q", filepath.Base(x.Path), x.At.Of(x.Text)))
		}
		return strings.Join(out, "; ")
	}
	at := func(p, word string) int {
		text, _ := v.Text(p)
		return strings.Index(text, word) + 1
	}
	ctx := t.Context()
	for _, c := range []struct{ name, got, want string }{
		{"heading", show(w.Definition(ctx, v, rotation, at(rotation, "@auth"))), `tokens.md "## Facts"`},
		{"title", show(w.Definition(ctx, v, tokensPath, at(tokensPath, "auth/jwt/rot"))), `rotation.md "Refresh rotation"`},
		{"broken", show(w.Definition(ctx, v, tokensPath, at(tokensPath, "auth/jwt/gone"))), ""},
		{"symbol", show(w.Definition(ctx, v, tokensPath, at(tokensPath, "SignToken"))), `sign.go "SignToken"`},
		{"code stays with its own server", show(w.Definition(ctx, v, "src/use.go", at("src/use.go", "SignToken"))), ""},
		{"references on a relation", show(w.References(ctx, v, tokensPath, at(tokensPath, "auth/jwt/rot"), true)), `rotation.md "Refresh rotation"; tokens.md "auth/jwt/rotation.md"`},
		{"references on the title", show(w.References(ctx, v, tokensPath, at(tokensPath, "Access"), false)), `rotation.md "@auth/jwt/tokens.md#Facts"`},
		{"references in code", show(w.References(ctx, v, "src/use.go", at("src/use.go", "SignToken"), false)), `tokens.md "SignToken"`},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, c.got, c.want)
		}
	}
}

func TestComplete(t *testing.T) {
	w := open(t, files, Options{})
	for _, c := range []struct{ name, text, want string }{
		{"domains", "x @«»", ""},
		{"at", "see @a«»", "auth/ entry:auth/jwt/tokens.md entry:auth/jwt/rotation.md"},
		{"folder", "see @auth/jwt/«»", "entry:auth/jwt/rotation.md entry:auth/jwt/tokens.md"},
		{"by title", "see @refresh«»", "entry:auth/jwt/rotation.md"},
		{"in a word", "mail@a«»", ""},
		{"related", "---\nrelated: [auth/jwt/r«»]\n---\n", "entry:auth/jwt/rotation.md"},
		{"related item", "---\nrelated:\n  - auth/jwt/to«»\n---\n", "entry:auth/jwt/tokens.md"},
		{"value", "---\nmaturity: «»\n---\n", "value:draft value:validated value:core"},
		{"keys", "---\ntitle: x\nsum«»\n---\n", "key:summary"},
	} {
		t.Run(c.name, func(t *testing.T) {
			offset := strings.Index(c.text, "«»")
			p := ".brv/context-tree/new/topic/x.md"
			w.Overlay(p, strings.Replace(c.text, "«»", "", 1))
			items, err := w.Complete(t.Context(), w.View(), p, offset)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, i := range items {
				if i.Kind == "key" && i.Label != "summary" {
					continue // the client filters keys by what is typed
				}
				if i.Kind == "domain" || i.Kind == "topic" {
					got = append(got, i.Label)
				} else {
					got = append(got, i.Kind+":"+i.Label)
				}
			}
			if s := strings.Join(got, " "); c.want != "" && s != c.want || c.want == "" && c.name != "domains" && s != "" {
				t.Errorf("got %s, want %s", s, c.want)
			}
			if c.name == "domains" && !strings.Contains(strings.Join(got, " "), "auth/") {
				t.Errorf("an @ alone offers %v", got)
			}
		})
	}
}

func TestOverlayIsSeenAndDropped(t *testing.T) {
	w := open(t, files, Options{})
	before := w.View()
	w.Overlay(tokensPath, "# Changed\n@auth/jwt/rotation.md")
	e, _ := w.View().Tree().Entry("auth/jwt/tokens.md")
	if e.Title != "Changed" {
		t.Errorf("title %q", e.Title)
	}
	if e, _ := before.Tree().Entry("auth/jwt/tokens.md"); e.Title != "Access tokens" {
		t.Error("the older view changed")
	}
	v := w.View()
	w.Overlay("src/sign.go", "package src")
	if w.View().Tree() != v.Tree() {
		t.Error("a code buffer made a new tree")
	}
	w.Drop(tokensPath)
	if e, _ := w.View().Tree().Entry("auth/jwt/tokens.md"); e.Title != "Access tokens" {
		t.Errorf("after closing the title is %q", e.Title)
	}
}

func TestDiskChangesArrive(t *testing.T) {
	changes := make(chan Change, 16)
	w := open(t, files, Options{Watch: true, Changed: func(c Change) { changes <- c }})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for !ok() {
			select {
			case <-changes:
			case <-time.After(30 * time.Second):
				t.Fatalf("%s: nothing came", what)
			}
		}
	}
	write(t, w.Root(), tokensPath, "# From disk")
	w.DiskChanged([]string{tokensPath})
	until("edit", func() bool { e, ok := w.View().Tree().Entry("auth/jwt/tokens.md"); return ok && e.Title == "From disk" })
	write(t, w.Root(), ".brv/context-tree/new/topic/made.md", "# Made")
	until("new folder, by the watcher", func() bool { _, ok := w.View().Tree().Entry("new/topic/made.md"); return ok })
	write(t, w.Root(), "src/more.go", "package src\n\nfunc Added() {}\n")
	w.DiskChanged([]string{"src/more.go"})
	until("code", func() bool { return len(w.View().Code().Lookup("Added")) == 1 })
	if err := os.RemoveAll(filepath.Join(w.Root(), ".brv")); err != nil {
		t.Fatal(err)
	}
	w.DiskChanged(nil)
	until("tree removed", func() bool { return !w.HasTree() && w.View().Tree().Len() == 0 })
}

// TestNoDiskChangeIsLost has more changes arrive during one refresh than any
// queue would hold; the last of them matters.
func TestNoDiskChangeIsLost(t *testing.T) {
	changes, resume := make(chan Change), make(chan struct{})
	w := open(t, files, Options{Changed: func(c Change) {
		changes <- c
		<-resume
	}})
	edit := func(title string) {
		write(t, w.Root(), tokensPath, "# "+title)
		w.DiskChanged([]string{tokensPath})
	}
	edit("First")
	<-changes // the refresh is held up
	for i := range 1000 {
		w.DiskChanged([]string{fmt.Sprintf("other/%d.txt", i)})
	}
	edit("Last")
	resume <- struct{}{}
	select {
	case <-changes:
	case <-time.After(30 * time.Second):
		t.Fatal("the last change was lost")
	}
	close(resume)
	if e, _ := w.View().Tree().Entry("auth/jwt/tokens.md"); e.Title != "Last" {
		t.Errorf("title %q", e.Title)
	}
}

func TestInit(t *testing.T) {
	w := open(t, map[string]string{"a.go": "package a"}, Options{})
	if w.HasTree() {
		t.Fatal("a tree where there is none")
	}
	if _, err := w.Check(t.Context(), w.View(), CheckRequest{}); !errors.Is(err, ErrNoTree) {
		t.Errorf("check says %v", err)
	}
	for _, want := range []int{2, 0} {
		r, err := w.Init(t.Context())
		if err != nil || len(r.Written) != want || !w.HasTree() {
			t.Errorf("wrote %v, %v", r, err)
		}
	}
}

func TestOpeningWritesNothing(t *testing.T) {
	w := open(t, files, Options{Watch: true, CodeScan: true})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Query(t.Context(), w.View(), QueryRequest{Text: "access tokens"}); err != nil {
		t.Fatal(err)
	}
	found := 0
	err := filepath.WalkDir(w.Root(), func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found++
		}
		return err
	})
	if err != nil || found != len(files) {
		t.Errorf("%d files, there were %d (%v)", found, len(files), err)
	}
}

// TestHostileCode has files that abort or hang a parser, and some that are no
// text: the workspace answers, and says which files it knows only in part.
func TestHostileCode(t *testing.T) {
	w := open(t, map[string]string{
		".brv/context-tree/a/b/c.md": "# C\n`Fine` is fine.\n",
		"arrows.md":                  strings.Repeat("> ", 512),
		"arrows.ts":                  strings.Repeat("> ", 512),
		"quotes.js":                  strings.Repeat("\"", 100_000),
		"nul.go":                     "package a\x00",
		"fine.go":                    "package a\n\nfunc Fine() {}\n",
	}, Options{})
	if err := os.WriteFile(filepath.Join(w.Root(), "huge.go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(w.Root(), "huge.go"), 100<<20); err != nil { // sparse
		t.Fatal(err)
	}
	r, err := w.Check(t.Context(), w.View(), CheckRequest{Code: true})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, f := range r.Findings {
		found[f.Path] = f.Code + " " + f.Message
	}
	for _, p := range []string{"arrows.ts", "quotes.js", "nul.go", "huge.go"} {
		if !strings.Contains(found[p], "read") {
			t.Errorf("%s is not reported: %q", p, found)
		}
	}
	if r.Errors > 0 || found["fine.go"] != "" {
		t.Errorf("findings %v", found)
	}
	if got := summary(about(t, w, "fine.go", "Fine")); got != `code "Fine": C` {
		t.Errorf("hover on code beside the hostile files: %s", got)
	}
}

func TestQueryNamesThePlace(t *testing.T) {
	w := open(t, files, Options{})
	r, err := w.Query(t.Context(), w.View(), QueryRequest{Text: "how are access tokens signed"})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sources) == 0 || r.Sources[0].FilePath != tokensPath || r.Sources[0].Line < 8 {
		t.Errorf("sources %+v", r.Sources)
	}
	r, err = w.Query(t.Context(), w.View(), QueryRequest{Text: "kubernetes autoscaling"})
	if err != nil || !r.OutOfDomain {
		t.Errorf("%+v, %v", r, err)
	}
}

// An answer shows nothing that runs or is fetched, at any tier without a model.
func TestQueryShowsNothingThatActs(t *testing.T) {
	armed := maps.Clone(files)
	armed[tokensPath] += "\n## How access tokens are signed\nAccess tokens are signed with RS256: [more](command:workbench.action.quit) ![p](https://evil.example/p.png) <img src=https://evil.example/q.png>\n"
	w := open(t, armed, Options{})
	for _, text := range []string{"how are access tokens signed", "access tokens RS256 signed more", "signed"} {
		r, err := w.Query(t.Context(), w.View(), QueryRequest{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if found := sanitize.Unsafe(r.Markdown); len(found) > 0 || strings.Contains(r.Markdown, "](command:") || strings.Contains(r.Markdown, "![p]") {
			t.Errorf("%s: %v in\n%s", text, found, r.Markdown)
		}
	}
	v := w.View()
	entry, _ := v.EntryPath(tokensPath)
	codes := map[string]bool{}
	for _, p := range v.Tree().Problems(entry) {
		codes[p.Code] = true
	}
	if !codes[tree.CodeUnsafe] {
		t.Error("the entry's own links are no problem")
	}
}

func TestDraft(t *testing.T) {
	w := open(t, files, Options{}) // the code was not read yet
	text := files["src/sign.go"]
	d, err := w.Draft(t.Context(), w.View(), DraftRequest{Path: "src/sign.go", Start: strings.Index(text, "//"), End: len(text)})
	if err != nil {
		t.Fatal(err)
	}
	entry, ok := w.View().EntryPath(d.Path)
	if !ok || !strings.Contains(d.Text, "- src/sign.go:3-4") || !strings.Contains(d.Text, "keywords: [SignToken]") {
		t.Errorf("draft at %s:\n%s", d.Path, d.Text)
	}
	if ps := w.View().Tree().With(entry, d.Text).Problems(entry); len(ps) > 0 {
		t.Errorf("the draft has problems: %v", ps)
	}
	for _, bad := range []DraftRequest{{Path: "gone.go", End: 1}, {Path: "src/sign.go"}, {Path: "src/sign.go", Start: -1, End: 3}, {Path: "src/sign.go", Start: 5, End: 3}, {Path: "../x", End: 1}} {
		if _, err := w.Draft(t.Context(), w.View(), bad); err == nil {
			t.Errorf("%+v was drafted", bad)
		}
	}
}

// A topic that is a link, put there by whoever made the project, leads no draft out of it.
func TestDraftGoesThroughNoLink(t *testing.T) {
	w := open(t, files, Options{})
	text := files["src/sign.go"]
	req := DraftRequest{Path: "src/sign.go", Start: strings.Index(text, "//"), End: len(text)}
	d, err := w.Draft(t.Context(), w.View(), req)
	if err != nil {
		t.Fatal(err)
	}
	topic := filepath.Join(w.Root(), filepath.Dir(filepath.FromSlash(d.Path)))
	if err := errors.Join(os.RemoveAll(topic), os.MkdirAll(filepath.Dir(topic), 0o755), os.Symlink(t.TempDir(), topic)); err != nil {
		t.Skip(err)
	}
	if d, err := w.Draft(t.Context(), w.View(), req); err == nil || !strings.Contains(err.Error(), "links are not followed") {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestReadersAndWriters has views read while buffers and the disk change; the
// race detector watches, and every view stays whole.
func TestReadersAndWriters(t *testing.T) {
	w := open(t, files, Options{})
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				v := w.View()
				e, ok := v.Tree().Entry("auth/jwt/tokens.md")
				if !ok || len(v.Tree().Relations(e.Path)) < len(e.Relations) {
					t.Error("a view without its entry or relations")
					return
				}
				if _, err := w.About(ctx, v, AboutRequest{Path: tokensPath, Offset: 40}); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				if _, err := v.Search(ctx); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				v.Links().Of(e.Path)
			}
		})
	}
	for i := range 200 {
		w.Overlay(tokensPath, strings.Replace(tokensText, "Access", fmt.Sprint("Access", i), 1))
		if i%50 == 0 {
			write(t, w.Root(), ".brv/context-tree/auth/jwt/rotation.md", fmt.Sprintf("# %d", i))
			w.DiskChanged([]string{".brv/context-tree/auth/jwt/rotation.md"})
		}
	}
	stop()
	readers.Wait()
	if e, _ := w.View().Tree().Entry("auth/jwt/tokens.md"); e.Title != "Access199 tokens" {
		t.Errorf("last title %q", e.Title)
	}
}

// TestOverlaysEqualRebuild opens, edits and closes buffers at random, looks at
// the tree only now and then, and compares it with one made from scratch.
func TestOverlaysEqualRebuild(t *testing.T) {
	w := open(t, files, Options{})
	rnd := rand.New(rand.NewSource(1))
	disk := map[string]string{"auth/jwt/tokens.md": tokensText, "auth/jwt/rotation.md": files[".brv/context-tree/auth/jwt/rotation.md"]}
	buffers := map[string]string{}
	paths := []string{"auth/jwt/tokens.md", "auth/jwt/rotation.md", "new/topic/a.md", "new/topic/b.md"}
	for i := range 1000 {
		p := paths[rnd.Intn(len(paths))]
		if rnd.Intn(3) == 0 {
			delete(buffers, p)
			w.Drop(".brv/context-tree/" + p)
		} else {
			buffers[p] = fmt.Sprintf("# %d\n@%s @new/topic\n", i, paths[rnd.Intn(len(paths))])
			w.Overlay(".brv/context-tree/"+p, buffers[p])
		}
		w.Overlay("src/sign.go", fmt.Sprint(i))
		if rnd.Intn(4) > 0 {
			continue
		}
		texts := maps.Clone(disk)
		maps.Copy(texts, buffers)
		var entries []*tree.Entry
		for p, text := range texts {
			entries = append(entries, tree.Parse(p, text))
		}
		want, got := tree.NewSnapshot(entries, nil), w.View().Tree()
		if want.Fingerprint() != got.Fingerprint() {
			t.Fatalf("step %d: trees differ", i)
		}
		for _, p := range paths {
			if len(want.Backlinks(p)) != len(got.Backlinks(p)) {
				t.Fatalf("step %d: %s has %d backlinks, want %d", i, p, len(got.Backlinks(p)), len(want.Backlinks(p)))
			}
		}
	}
}
