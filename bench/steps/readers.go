package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/codebase/imports"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
	"github.com/brv-lsp/brv-lsp/curate"
	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/dream/overlap"
	"github.com/brv-lsp/brv-lsp/internal/block"
	"github.com/brv-lsp/brv-lsp/internal/foreign"
	"github.com/brv-lsp/brv-lsp/internal/grounding"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/digest"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/structure"
	"github.com/brv-lsp/brv-lsp/vault"
)

// reader is a function of the program that reads a text which a stranger may have written.
type reader struct {
	name string
	read func(text string)
}

// readers are all functions that read texts, each as the program calls it. What readers share (words, Markdown) stands
// by itself too, so that a figure says where the cost is.
var readers = []reader{
	{"words", func(text string) { words.Each(text, func(words.Token) {}) }},
	{"words: lines", func(text string) { new(words.Scanner).JoinLines(text, func(words.Token) {}) }},
	{"foreign", func(text string) { foreign.Read(text, func(string) bool { return false }) }},
	{"terms", func(text string) { terms.Scan(text, func(terms.Term, int) {}) }},
	{"markdown", readMarkdown},
	{"sanitize", func(text string) { sanitize.Disarm(text); sanitize.Visible(text); sanitize.Line(text, 200) }},
	{"markup", func(text string) { markup.Fit(markup.Harmless(text)) }},
	{"secrets", func(text string) { secrets.Redact(text) }},
	{"source of a reply", readGrounding},
	{"tokens", func(text string) { tokens.Count(text); tokens.Estimate(text) }},
	{"block", func(text string) { block.Markdown.Body(text); block.Markdown.Put(text, "x") }},
	{"settings", func(text string) { settings.Parse(settings.Project, []byte(text)) }},
	{"entry", readEntry("")},
	{"entry: frontmatter", readEntry("---\n")},
	{"entry: facts", readEntry("---\ntitle: x\n---\n## Facts\n- ")},
	{"document: md", readDocument("docs/x.md")},
	{"document: mdx", readDocument("docs/x.mdx")},
	{"document: rst", readDocument("docs/x.rst")},
	{"document: adoc", readDocument("docs/x.adoc")},
	{"document: txt", readDocument("docs/x.txt")},
	{"document: rule", readDocument(".cursor/rules/x.mdc")},
	{"document: decision", readDocument("docs/adr/0001-x.md")},
	{"import", readVault},
	{"search", readSearch},
	{"overlap", readOverlap},
	{"curate: text", readSource("x.txt")},
	{"curate: markdown", readSource("x.md")},
	{"curate: java", readSource("x.java")},
	{"curate: difference", readSource("x.diff")},
	{"reply of a model", func(text string) { curate.JSONIn(text, func(string) bool { return false }) }},
	{"review threads", func(text string) { _, _ = curate.ReadThreads([]byte(text)) }},
	{"configurations", readConfigs},
	{"ignore rules", readIgnored},
	{"code without grammar", readCode},
}

func readMarkdown(text string) {
	ls := markdown.Split(text, 0)
	markdown.Sections(text, ls)
	markdown.Said(text, 0)
	markdown.Links(text, 0)
	markdown.Headings(text, 0)
	for _, l := range ls {
		markdown.CodeSpans(l.At.Of(text))
	}
	markdown.CodeSpans(text)
	markdown.Sentences(text)
	markdown.Unclosed(text)
	markdown.FenceFor(text)
	markdown.WithoutLastHeadings(text)
}

func readGrounding(text string) {
	s := grounding.In(text)
	reply := text[:min(len(text), 2000)] // of a model, which a limit of tokens bounds
	_, _ = s.Check(reply), s.Quotes(reply)
	grounding.Sentences(text)
	grounding.Telling(text)
}

func readEntry(head string) func(string) {
	return func(text string) {
		e := format.Parse("a/b/c.md", head+text)
		s := tree.NewSnapshot([]*format.Entry{e}, nil)
		s.Problems("a/b/c.md")
		structure.Outline(e)
		structure.Folds(e, -1)
		structure.Tokens(e, s.Relations(e.Path))
		format.Veiled(e)
		format.Conflicts(e.Text)
		digest.Cue(e)
		derived.Summaries(s)
	}
}

func readDocument(p string) func(string) {
	return func(text string) {
		d := documents.Parse(p, text)
		d.Names()
		d.Linked()
		d.LabelAt(len(text) / 2)
		d.Anchored("x")
		markdown.Reference(text, len(text)/2)
	}
}

func readVault(text string) {
	_, _ = vault.Import(vault.Folder{Root: "notes", Files: []vault.File{{Path: "a.md", Text: text}, {Path: "b.md", Text: "[[a]]\n"}}},
		tree.NewSnapshot(nil, nil), vault.Options{Dialect: vault.Markdown})
}

func readSearch(text string) {
	engine, err := retrieval.New(retrieval.Options{})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	x, err := engine.Sync(context.Background(), tree.NewSnapshot([]*format.Entry{format.Parse("a/b/c.md", text)}, nil))
	if err != nil {
		panic(err)
	}
	for _, q := range []string{"how long do tokens live", text[:min(len(text), 40)]} {
		_, _ = x.Search(context.Background(), retrieval.Query{Text: q})
	}
}

func readOverlap(text string) {
	x, _ := overlap.Read(context.Background(), []*format.Entry{format.Parse("x/y/a.md", text), format.Parse("x/y/b.md", "x "+text)})
	x.Compare("x/y/a.md", "x/y/b.md")
}

func readSource(name string) func(string) {
	return func(text string) {
		s, err := curate.ReadFile(context.Background(), name, []byte(text), nil)
		if err != nil {
			return
		}
		_, _ = curate.Propose(context.Background(), curate.Project{Tree: tree.NewSnapshot(nil, nil), Now: time.Unix(0, 0)},
			curate.Material{Sources: []curate.Source{s}})
	}
}

// readConfigs reads the text as each configuration that tells where imports lead.
func readConfigs(text string) {
	c := imports.Configs{Texts: map[string]string{}, Read: func(string) (string, error) { return text, nil }}
	for _, name := range []string{"tsconfig.json", "package.json", "pnpm-workspace.yaml", "Cargo.toml", "pyproject.toml", "go.mod", "go.work",
		"composer.json", "compile_commands.json"} {
		c.Texts[name] = text
	}
	var files []*imports.File
	for _, p := range []string{"a.go", "a.php", "a.py", "a.rs", "a.ts"} {
		files = append(files, &imports.File{Path: p, Language: syntax.LanguageOf(p), Imports: []syntax.Import{{Spec: "x/y"}, {Spec: "./a"}}})
	}
	r := imports.New(files, c, nil)
	for _, f := range files {
		r.Resolve(f)
	}
}

// folder holds one file, a text under a name.
func folder(name, text string) *jail.Root {
	dir := filepath.Join(scratch, "folder")
	must(os.RemoveAll(dir))
	must(os.MkdirAll(dir, 0o755))
	must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	root, err := jail.Open(dir)
	must(err)
	return root
}

func readCode(text string) {
	root := folder("x.rb", text)
	defer root.Close()
	_, _ = codebase.Scan(context.Background(), root, codebase.Options{})
}

func readIgnored(text string) {
	root := folder(".gitignore", text)
	defer root.Close()
	must(os.WriteFile(filepath.Join(root.Dir(), "aaaaaaaaaaaaaaaaaaaaaaaa.go"), nil, 0o644))
	_, _ = discover.Walk(context.Background(), root, discover.Options{})
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
