// Command links compares the links and anchors that this program reads in a repository's pages with what renderers make of
// the same pages: markdown-it with GitHub's anchors, Python-Markdown for the pages of MkDocs, micromark for wiki links,
// Asciidoctor and docutils. Pages are read as documents and, Markdown, as entries. Each difference is listed.
//
//	go run ./bench/links -node DIR -python DIR CHECKOUT...
//
// -node is a folder in which render.mjs and package.json of this program stand after npm install; -python one with docutils,
// markdown and pymdown-extensions (pip install --target). Code 1 where less than 99.5 % is the same.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// rendered has the links and anchors that a renderer makes of a page.
type rendered struct {
	Links   []string
	Anchors []struct {
		ID   string
		Line int
	}
	Failed string
}

// renderer is a process that answers lines of JSON.
type renderer struct {
	in  io.Writer
	out *bufio.Reader
}

func start(dir string, env []string, name string, args ...string) (*renderer, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), env...), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &renderer{in, bufio.NewReaderSize(out, 1<<20)}, cmd.Start()
}

func (r *renderer) render(kind, text string) (out rendered, err error) {
	ask, err := json.Marshal(map[string]string{"kind": kind, "text": text})
	if err != nil {
		return out, err
	}
	if _, err := fmt.Fprintf(r.in, "%s\n", ask); err != nil {
		return out, err
	}
	line, err := r.out.ReadBytes('\n')
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(line, &out); err != nil {
		return out, fmt.Errorf("%.200q: %w", line, err)
	}
	return out, nil
}

// tally compares what two readers find of a page, each once: a renderer shows a definition's target at every use of it.
type tally struct{ same, missed, extra int }

func (t *tally) compare(what string, theirs, ours []string) {
	slices.Sort(theirs)
	slices.Sort(ours)
	theirs, ours = slices.Compact(theirs), slices.Compact(ours)
	for _, s := range ours {
		if slices.Contains(theirs, s) {
			t.same++
			continue
		}
		t.extra++
		fmt.Printf("  %s: only here: %q\n", what, s)
	}
	for _, s := range theirs {
		if !slices.Contains(ours, s) {
			t.missed++
			fmt.Printf("  %s: only there: %q\n", what, s)
		}
	}
}

func (t *tally) add(o tally) {
	t.same, t.missed, t.extra = t.same+o.same, t.missed+o.missed, t.extra+o.extra
}

func (t tally) String() string {
	all := t.same + t.missed + t.extra
	return fmt.Sprintf("%6d of %6d the same, %5.2f %% (only there %d, only here %d)", t.same, all, 100*t.share(), t.missed, t.extra)
}

func (t tally) share() float64 {
	return float64(t.same) / float64(max(1, t.same+t.missed+t.extra))
}

type page struct {
	path, text string
	theirs     rendered
	doc        *documents.Document
}

var (
	scheme      = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.\-]*:|//)`)
	frontmatter = regexp.MustCompile(`(?s)^\x{feff}?---[ \t]*\r?\n.*?\n---[ \t]*(?:\r?\n|$)`)
	picture     = regexp.MustCompile(`(?i)\.(?:png|jpe?g|gif|svg|webp)$`)
)

func main() {
	node := flag.String("node", "", "a folder with render.mjs and what it imports")
	python := flag.String("python", "", "a folder of Python's packages")
	flag.Parse()
	if err := run(*node, *python, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(node, python string, checkouts []string) error {
	script, err := start(node, nil, "node", "render.mjs")
	if err != nil {
		return err
	}
	py, err := start(node, []string{"PYTHONPATH=" + python}, "python3", "render.py")
	if err != nil {
		return err
	}
	worst := 1.0
	for _, dir := range checkouts {
		fmt.Printf("%s\n", filepath.Base(dir))
		pages, err := read(dir, script, py)
		if err != nil {
			return err
		}
		tallies, names := map[string]*tally{}, []string{"links of documents", "own anchors of documents", "links of entries", "wiki links of entries",
			"anchors", "links with anchors"}
		for _, n := range names {
			tallies[n] = &tally{}
		}
		for _, p := range pages {
			if err := p.compare(tallies, pages, script); err != nil {
				return err
			}
		}
		var sum tally
		for _, n := range names {
			sum.add(*tallies[n])
			fmt.Printf("%-26s %v\n", n, tallies[n])
		}
		fmt.Printf("%-26s %v in %d pages\n\n", "all", sum, len(pages))
		worst = min(worst, sum.share())
	}
	if worst < 0.995 {
		return fmt.Errorf("less than 99.5 %% is the same")
	}
	return nil
}

// read renders the pages of a checkout.
func read(dir string, script, py *renderer) (map[string]*page, error) {
	_, err := os.Stat(filepath.Join(dir, "mkdocs.yml"))
	mkdocs := err == nil
	pages := map[string]*page{}
	return pages, filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		p, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		p = filepath.ToSlash(p)
		kind, by := "", script
		switch strings.ToLower(path.Ext(p)) {
		case ".md", ".mdx", ".markdown":
			if kind = "markdown"; mkdocs && strings.HasPrefix(p, "docs/") {
				kind, by = "mkdocs", py
			}
		case ".adoc", ".asciidoc":
			kind = "adoc"
		case ".rst":
			kind, by = "rst", py
		default:
			return nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text := strings.ReplaceAll(string(data), "\r\n", "\n")
		theirs, err := by.render(kind, bare(text))
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if theirs.Failed != "" {
			fmt.Printf("  %s: not rendered: %s\n", p, theirs.Failed)
			return nil
		}
		pages[p] = &page{p, text, theirs, documents.Parse(p, text)}
		return nil
	})
}

// bare is a text with blank lines in place of its frontmatter.
func bare(text string) string {
	return frontmatter.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
}

func (p *page) isMarkdown() bool { return strings.Contains(strings.ToLower(path.Ext(p.path)), ".m") }

func (p *page) compare(tallies map[string]*tally, pages map[string]*page, script *renderer) error {
	var paths, own, fragments []string
	for _, to := range p.theirs.Links {
		to, fragment, _ := strings.Cut(to, "#")
		to, _, _ = strings.Cut(to, "?")
		to = unescaped(to)
		switch {
		case strings.Contains(to, ":"), strings.HasPrefix(to, "//"), !p.isMarkdown() && strings.Contains(to, "{"): // stated in no page
		case to == "":
			own = append(own, unescaped(fragment))
		case !p.isMarkdown() && picture.MatchString(to): // pictures of these formats are not read
		default:
			paths = append(paths, to)
			if fragment != "" {
				fragments = append(fragments, to+"#"+fragment)
			}
		}
	}
	inside := slices.DeleteFunc(slices.Clone(paths), func(to string) bool {
		return p.leads(to) == "" || strings.Contains(to, ":") || strings.Contains(p.text, "include::"+to+"[") && !strings.Contains(p.text, "}"+to+"\n") // Asciidoctor shows includes as links
	})
	tallies["links of documents"].compare(p.path, p.plain(inside), p.plain(p.ours()))
	if p.isMarkdown() {
		e := &format.Entry{Path: p.path, Text: p.text, Body: markdown.Span{End: len(p.text)}}
		var ours []string
		for _, a := range e.OwnAnchors() {
			if a.Form == format.FormMarkdown {
				ours = append(ours, unescaped(a.At.Of(p.text)))
			}
		}
		tallies["own anchors of documents"].compare(p.path, slices.DeleteFunc(own, func(s string) bool { return s == "" }), ours)
		if err := p.compareEntry(tallies, paths, script); err != nil {
			return err
		}
	}
	p.compareAnchors(tallies["anchors"])
	for _, f := range fragments {
		to, fragment, _ := strings.Cut(f, "#")
		target := pages[p.leads(to)]
		if target == nil {
			continue
		}
		there := slices.ContainsFunc(target.theirs.Anchors, func(a struct {
			ID   string
			Line int
		}) bool {
			return a.ID == unescaped(fragment)
		})
		here := target.doc.Anchored(fragment) != nil
		switch t := tallies["links with anchors"]; {
		case there && !here:
			t.missed++
			fmt.Printf("  %s: leads only there: %q\n", p.path, f)
		default: // what leads only here is forgiven on purpose: letter case, dashes, titles as Obsidian has them
			t.same++
		}
	}
	return nil
}

func (p *page) compareEntry(tallies map[string]*tally, paths []string, script *renderer) error {
	e := format.Parse("a/b/x.md", p.text)
	var links, wikis []string
	for _, r := range e.Relations {
		switch {
		case r.At.Start < e.Body.Start:
		case r.Form == format.FormMarkdown:
			to, _, _ := strings.Cut(r.Path(), "?")
			links = append(links, to)
		case r.Form == format.FormWiki:
			wikis = append(wikis, strings.Join(strings.Fields(r.Raw), " "))
		}
	}
	tallies["links of entries"].compare(p.path+" as an entry", paths, links)
	if !strings.Contains(p.text, "[[") {
		return nil
	}
	theirs, err := script.render("wiki", bare(p.text))
	if err != nil {
		return err
	}
	var there []string
	for _, to := range theirs.Links {
		if to, _, _ = strings.Cut(to, "#"); strings.TrimSpace(to) != "" {
			there = append(there, strings.Join(strings.Fields(strings.TrimSuffix(to, `\`)), " "))
		}
	}
	tallies["wiki links of entries"].compare(p.path+" as an entry", there, wikis)
	return nil
}

// ours are the links of the document, without those of code and of includes.
func (p *page) ours() (out []string) {
	code := map[int]bool{} // by where their lines begin
	for l := range markdown.Lines(p.text) {
		code[l.At.Start] = l.Fence != markdown.FenceNone
	}
	for _, f := range p.doc.Linked() {
		said := f.At.Of(p.text)
		line := markdown.Span{Start: f.At.Start, End: f.At.Start}.Lines(p.text)
		s, before := line.Of(p.text), p.text[line.Start:f.At.Start]
		switch {
		case scheme.MatchString(said), strings.HasPrefix(said, ":"), strings.Contains(before, "include::"):
		case strings.HasPrefix(said, "{") && strings.Contains("/"+f.Path, "/modules/"): // an id of Antora, as those with a colon
		case strings.HasPrefix(said, "{"):
			out = append(out, "/"+f.Path) // what an attribute stands for

		case p.isMarkdown() && (code[line.Start] || strings.Contains(s, "{*") || strings.Contains(s, "--8<--")):
		case !p.isMarkdown() && !strings.ContainsAny(before[max(0, len(before)-1):], ":<`") && !strings.HasSuffix(before, `href="`) && !strings.HasPrefix(strings.TrimSpace(s), ".. _") &&
			path.Ext(f.Path) != ".rst":
		case !p.isMarkdown() && picture.MatchString(said):
		default:
			out = append(out, unescaped(markdown.Unescaped(said)))
		}
	}
	return out
}

// plain lists where links lead, without the ending that :doc: leaves out.
func (p *page) plain(all []string) (out []string) {
	for _, s := range all {
		out = append(out, strings.TrimSuffix(p.leads(strings.TrimSuffix(s, ".rst")), ".rst"))
	}
	return out
}

func (p *page) leads(to string) string {
	if strings.HasPrefix(to, "/") {
		to = path.Clean(to[1:])
	} else {
		to = path.Join(path.Dir(p.path), to)
	}
	if to == "." || to == ".." || strings.HasPrefix(to, "../") {
		return ""
	}
	return to
}

// compareAnchors looks whether each anchor of the renderer leads to its heading.
func (p *page) compareAnchors(t *tally) {
	starts := []int{0}
	for i, c := range p.text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	for _, a := range p.theirs.Anchors {
		s := p.doc.Anchored(a.ID)
		if s != nil && (a.Line == 0 || s.At.Start == starts[min(a.Line, len(starts))-1] || s.At.Contains(starts[min(a.Line, len(starts))-1])) {
			t.same++
			continue
		}
		t.missed++
		fmt.Printf("  %s: anchor %q of line %d: %s\n", p.path, a.ID, a.Line, cmp.Or(called(s), "none"))
	}
}

func called(s *documents.Section) string {
	if s == nil {
		return ""
	}
	return s.Title
}

func unescaped(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}
