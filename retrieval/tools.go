package retrieval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// The tools of tier 4 look at the snapshot, and at outlines of code; they open no files, and cannot name
// anything outside of the tree. Their results are quoted like all other text from files, and count as shown
// when the answer is checked.

// Limits of what a tool shows at once.
const (
	toolHits    = 10 // of a search (issue)
	usualHits   = 5
	toolEdges   = 40  // relations of an entry, in each direction
	edgeContext = 200 // characters of the line that a relation stands in
)

// inquiry is one question on its way to an answer by a model.
type inquiry struct {
	snap   *tree.Snapshot
	query  Query
	search Search
	quoter quoter
	shown  shownParts

	short    bool        // it is asked in the short form
	readCode atomic.Bool // an outline was asked for
	outlines []string    // of code, that were shown
}

// tools lists the tools that the model may call; outline may be nil.
func (q *inquiry) tools(outline func(ctx context.Context, file string) (string, error)) []llm.Tool {
	tools := []llm.Tool{
		llm.NewTool(
			"search",
			"Searches the tree by words and returns the best passages. Each word counts alone: "+
				"use words that the text would contain.", q.runSearch),
		llm.NewTool("read_entry", "Reads an entry: all of it, a section, or from an offset on; at most 8000 characters at once.",
			q.runRead),
		llm.NewTool("relations", "Lists what an entry refers to and what refers to it, each with the line that says so.", q.runRelations),
		llm.NewTool("list", "Lists the folders and entries in a folder of the tree.", q.runList),
	}
	if outline != nil {
		tools = append(tools, llm.NewTool("outline", "Shows what a code file of the project declares.",
			func(ctx context.Context, a outlineArguments) (string, error) {
				return q.runOutline(ctx, outline, a)
			}))
	}
	return tools
}

type searchArguments struct {
	Query string `json:"query" about:"words to look for"`
	Scope string `json:"scope,omitempty" about:"a folder or entry of the tree to search in; the whole tree without"`
	Limit int    `json:"limit,omitempty" about:"most passages wanted, 1 to 10; 5 without"`
}

func (q *inquiry) runSearch(ctx context.Context, a searchArguments) (string, error) {
	switch {
	case strings.TrimSpace(a.Query) == "":
		return "", errors.New("query is empty: name words to look for")
	case a.Limit < 0 || a.Limit > toolHits:
		return "", fmt.Errorf("limit is %d: 1 to %d are allowed", a.Limit, toolHits)
	case a.Limit == 0:
		a.Limit = usualHits
	}
	res, err := q.search(ctx, Query{Text: a.Query, Scope: a.Scope, Limit: a.Limit, Now: q.query.Now})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if res.Note != "" {
		fmt.Fprintf(&b, "%s\n", q.quoter.line(res.Note))
	}
	if len(res.Unknown) > 0 {
		fmt.Fprintf(&b, "No entry holds: %s\n", q.quoter.line(strings.Join(res.Unknown, ", ")))
	}
	if res.OutOfDomain && len(res.Hits) > 0 {
		b.WriteString("The tree does not cover this query. These passages share only some words with it.\n")
	}
	for _, h := range res.Hits {
		e, ok := q.snap.Entry(h.Path)
		switch {
		case ok && q.shown.wholly(h.Path):
			b.WriteString(q.quoter.block("entry", "", attribute{"path", h.Path}, attribute{"part", "quoted before"}))
		case ok:
			b.WriteString(q.show(excerpt{e, inBody(e, h.Passage), h.Via, q.snap}))
		}
	}
	if len(res.Hits) == 0 {
		b.WriteString("Nothing found.\n")
	}
	return b.String(), nil
}

// show quotes an excerpt and remembers that it was.
func (q *inquiry) show(x excerpt) string {
	q.shown.add(x)
	return q.quoter.excerpt(x)
}

type readArguments struct {
	Path    string `json:"path" about:"path of the entry in the tree"`
	Section string `json:"section,omitempty" about:"heading of a section; the whole entry without"`
	Offset  int    `json:"offset,omitempty" about:"byte to go on from, as the end of the last reading said"`
}

func (q *inquiry) runRead(_ context.Context, a readArguments) (string, error) {
	e, err := q.entry(a.Path)
	if err != nil {
		return "", err
	}
	at := e.Body
	switch {
	case a.Section != "" && a.Offset != 0:
		return "", errors.New("section and offset cannot be given together")
	case a.Offset < 0 || a.Offset > e.Body.End:
		return "", fmt.Errorf("offset is %d: %s ends at %d", a.Offset, e.Path, e.Body.End)
	case a.Section != "":
		if at, err = q.section(e, a.Section); err != nil {
			return "", err
		}
	case a.Offset > at.Start:
		at.Start = a.Offset
	}
	x := excerpt{entry: e, at: inBody(e, at), of: q.snap}
	text := q.show(x)
	if rest := e.Text[x.at.End:at.End]; strings.TrimSpace(rest) != "" {
		text += fmt.Sprintf("%d more characters; continue with offset %d\n", utf8.RuneCountInString(rest), x.at.End)
	}
	return text, nil
}

// entry finds what a path means. Only the snapshot is looked at.
func (q *inquiry) entry(written string) (*format.Entry, error) {
	r := q.snap.Resolve("", format.FormRelated, tree.GivenPath(written))
	if e, ok := q.snap.Entry(r.Target); ok {
		if err := e.Unmerged(); err != nil {
			return nil, errors.New(q.quoter.line(err.Error()))
		}
		return e, nil
	}
	name := q.quoter.line(written)
	switch {
	case r.Escapes:
		return nil, fmt.Errorf("path '%s' is not in the tree: a path looks like domain/topic/entry.md", name)
	case len(r.Candidates) > 0:
		return nil, fmt.Errorf("path '%s' may be %s", name, q.some(r.Candidates))
	}
	return nil, fmt.Errorf("there is no entry '%s'; search or list to find the right one", name)
}

// some names the first few of several things.
func (q *inquiry) some(names []string) string {
	const most = 12
	var out []string
	for _, n := range names[:min(most, len(names))] {
		out = append(out, "'"+q.quoter.line(n)+"'")
	}
	if len(names) > most {
		out = append(out, fmt.Sprintf("%d more", len(names)-most))
	}
	return strings.Join(out, ", ")
}

// section finds a section by its heading, in any letter case.
func (q *inquiry) section(e *format.Entry, title string) (markdown.Span, error) {
	title = strings.TrimSpace(strings.TrimLeft(title, "# "))
	var titles []string
	for _, s := range e.Sections {
		if strings.EqualFold(strings.TrimSpace(s.Title), title) {
			return s.At, nil
		}
		titles = append(titles, s.Title)
	}
	if len(titles) == 0 {
		return markdown.Span{}, fmt.Errorf("%s has no sections", q.quoter.line(e.Path))
	}
	return markdown.Span{}, fmt.Errorf("%s has no section '%s'; its sections: %s",
		q.quoter.line(e.Path), q.quoter.line(title), q.some(titles))
}

type relationsArguments struct {
	Path string `json:"path" about:"path of the entry in the tree"`
}

func (q *inquiry) runRelations(_ context.Context, a relationsArguments) (string, error) {
	e, err := q.entry(a.Path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	relations, backlinks := q.snap.Relations(e.Path), q.snap.Backlinks(e.Path)
	for i, r := range relations {
		if i == toolEdges {
			fmt.Fprintf(&b, "and %d more\n", len(relations)-i)
			break
		}
		to := r.Target
		if to == "" {
			to = r.Raw + " (which does not exist)"
		}
		fmt.Fprintf(&b, "to %s, line %s\n", q.quoter.line(to), q.lineAt(e, r.At))
	}
	for i, l := range backlinks {
		from, ok := q.snap.Entry(l.From)
		if i == toolEdges || !ok {
			fmt.Fprintf(&b, "and %d more\n", len(backlinks)-i)
			break
		}
		if from.Role == format.RoleConflict {
			continue // neither of its sides is a statement
		}
		fmt.Fprintf(&b, "from %s, line %s\n", q.quoter.line(l.From), q.lineAt(from, l.At))
	}
	if b.Len() == 0 {
		return "The entry has no relations, and nothing refers to it.", nil
	}
	return q.quoter.block("relations", b.String(), attribute{"path", e.Path}), nil
}

// lineAt is the line that something stands in, with its number.
func (q *inquiry) lineAt(e *format.Entry, at markdown.Span) string {
	start := strings.LastIndexByte(e.Text[:at.Start], '\n') + 1
	line, _, _ := strings.Cut(e.Text[start:], "\n")
	line = e.Shown(markdown.Span{Start: start, End: start + len(line)})
	return fmt.Sprintf("%d: %s", strings.Count(e.Text[:start], "\n")+1, sanitize.First(q.quoter.line(line), edgeContext))
}

type listArguments struct {
	Folder string `json:"folder,omitempty" about:"path of the folder in the tree; the domains without"`
}

func (q *inquiry) runList(_ context.Context, a listArguments) (string, error) {
	dir := strings.Trim(tree.GivenPath(a.Folder), "/.")
	n, ok := q.snap.Node(dir)
	if !ok {
		return "", fmt.Errorf("there is no folder '%s'; call list without a folder to see the domains", q.quoter.line(a.Folder))
	}
	var lines []string
	for _, sub := range n.Folders {
		if m, ok := q.snap.Node(sub); ok && !archived(sub) {
			lines = append(lines, fmt.Sprintf("%s/ %d", q.quoter.line(sub), m.Knowledge()))
		}
	}
	for _, p := range n.Entries {
		if e, ok := q.snap.Entry(p); ok && format.Searchable(e) {
			lines = append(lines, fmt.Sprintf("%s: %s", q.quoter.line(p), q.quoter.line(e.Title)))
		}
	}
	if len(lines) > maxListing {
		lines = append(lines[:maxListing:maxListing], fmt.Sprintf("and %d more", len(lines)-maxListing))
	}
	return q.quoter.block("tree", strings.Join(lines, "\n"), attribute{"path", dir}), nil
}

type outlineArguments struct {
	File string `json:"file" about:"path of the file in the project, such as src/auth/rotate.ts"`
}

func (q *inquiry) runOutline(ctx context.Context, outline func(ctx context.Context, file string) (string, error),
	a outlineArguments) (string, error) {
	if !fs.ValidPath(a.File) || a.File == "." || strings.ContainsAny(a.File, "\\:\x00") ||
		slices.Contains(strings.Split(a.File, "/"), ".git") {
		return "", fmt.Errorf("file '%s': give a path inside the project, such as src/auth/rotate.ts", q.quoter.line(a.File))
	}
	q.readCode.Store(true)
	text, err := outline(ctx, a.File)
	if err != nil {
		return "", err
	}
	q.outlines = append(q.outlines, a.File+"\n\n"+text) // tools run one after the other
	return q.quoter.block("code", sanitize.First(text, maxContent), attribute{"path", a.File}), nil
}
