package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// maxDocuments bounds the entries and the code files that are asked about, which are
// spread evenly over the project.
const maxDocuments = 2000

// project is the project that the servers are asked about.
type project struct {
	root    string
	entries int
	linked  []document // entries with a Markdown link to another
	code    []document // code files that entries name, with a name they define
	titles  []string   // first words of entries, to search for
}

// document is a file with the place that is asked about.
type document struct {
	file     string // absolute
	language string // the protocol's identifier
	text     string
	line     int    // of the place
	column   int    // in UTF-16 units: only places in lines of ASCII are taken
	wants    string // what an answer about the place must hold
	path     string // an entry's path in the tree
}

var (
	linkSyntax   = regexp.MustCompile(`(?m)^- \[[\x20-\x7e]*?\]\(([\w./-]+\.md)\)$`)
	fileSyntax   = regexp.MustCompile(`(?m)^\*\*Files:\*\*\n((?:- .+\n)+)`)
	symbolSyntax = regexp.MustCompile("`([A-Za-z_]\\w+)`")
	languages    = map[string]string{".go": "go", ".ts": "typescript", ".tsx": "typescriptreact", ".js": "javascript",
		".jsx": "javascriptreact", ".py": "python", ".rs": "rust"}
)

// readProject looks a folder through for what can be asked about it.
func readProject(root string) (*project, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	p := &project{root: root}
	tree := filepath.Join(root, ".brv", "context-tree")
	var all []document
	err = filepath.WalkDir(tree, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(name) != ".md" || strings.HasPrefix(e.Name(), "_") {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(tree, name)
		all = append(all, document{file: name, language: "markdown", text: string(text), path: filepath.ToSlash(rel)})
		return err
	})
	if err != nil {
		return nil, err
	}
	p.entries = len(all)
	seen := map[string]bool{}
	for i := range min(maxDocuments, len(all)) {
		d := all[i*len(all)/min(maxDocuments, len(all))]
		p.addEntry(d)
		if c, ok := named(root, d); ok && !seen[c.file] {
			seen[c.file] = true
			p.code = append(p.code, c)
		}
	}
	if len(p.linked) == 0 {
		return nil, fmt.Errorf("%s: no entry has a list item that is a Markdown link to another", tree)
	}
	return p, nil
}

// addEntry takes an entry's first Markdown link to another that is there as its place.
func (p *project) addEntry(d document) {
	for _, m := range linkSyntax.FindAllStringSubmatchIndex(d.text, -1) {
		to := d.text[m[2]:m[3]]
		if _, err := os.Stat(filepath.Join(filepath.Dir(d.file), filepath.FromSlash(to))); err == nil {
			d.line, d.column = lineOf(d.text, m[2]+1)
			d.wants = path.Base(to)
			p.linked = append(p.linked, d)
			break
		}
	}
	if m := titleSyntax.FindStringSubmatch(d.text); m != nil {
		p.titles = append(p.titles, m[1])
	}
}

var titleSyntax = regexp.MustCompile(`(?m)^title: '?([A-Za-z]\w{3,})`)

// named is a code file that an entry names, with the place of a symbol that the entry names
// too.
func named(root string, d document) (document, bool) {
	m := fileSyntax.FindStringSubmatch(d.text)
	if m == nil {
		return document{}, false
	}
	for line := range strings.Lines(m[1]) {
		file := filepath.Join(root, filepath.FromSlash(strings.TrimSpace(strings.TrimPrefix(line, "- "))))
		text, err := os.ReadFile(file)
		language := languages[filepath.Ext(file)]
		if err != nil || language == "" {
			continue
		}
		for _, s := range symbolSyntax.FindAllStringSubmatch(d.text, -1) {
			at := defines(text)
			if at == nil || string(text[at[0]:at[1]]) != s[1] {
				continue
			}
			c := document{file: file, language: language, text: string(text), wants: ".md"}
			c.line, c.column = lineOf(c.text, at[0]+1)
			return c, true
		}
	}
	return document{}, false
}

// lineOf is the line of an offset, and how many bytes behind its beginning it stands.
func lineOf(text string, offset int) (line, column int) {
	return strings.Count(text[:offset], "\n"), offset - strings.LastIndexByte(text[:offset], '\n') - 1
}

func (d document) identity() object { return object{"textDocument": object{"uri": uri(d.file)}} }

// at is the place of a request.
func (d document) at() object {
	p := d.identity()
	p["position"] = object{"line": d.line, "character": d.column}
	return p
}
