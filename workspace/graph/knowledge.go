package graph

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
)

// knowledge collects entries, documents, and the code that entries name, as far as they are of some kinds. Where there
// are no entries it is the code that documents name: a page that lists a whole program would else cover them. Documents
// and code that nothing links to are left out.
func (c *collected) knowledge(ctx context.Context, v *workspace.View, kinds []string) error {
	wants := func(kind string) bool { return len(kinds) == 0 || slices.Contains(kinds, kind) }
	entries := slices.DeleteFunc(slices.Clone(v.Tree().Entries()), func(e *format.Entry) bool { return e.Role != format.RoleEntry })
	stale, err := drift.Known(ctx, v, entries...)
	if err != nil {
		return err
	}
	if wants(KindEntry) {
		for _, e := range entries {
			c.add(entryNode(v, e, stale[e.Path]))
		}
	}
	var pages *workspace.Pages
	if set, err := v.Documents(ctx); err == nil && wants(KindDocument) {
		pages = workspace.PagesIn(ctx, v)
		for _, d := range set.All() {
			if set.Counts(d) {
				c.add(Node{Kind: KindDocument, Path: d.Path, Title: d.Title, Group: path.Dir(d.Path)})
			}
		}
	}
	code := wants(KindCode)
	for _, e := range entries {
		from, ok := c.at[v.FilePath(e.Path)]
		if !ok {
			continue
		}
		for _, r := range v.Tree().Relations(e.Path) {
			if to, ok := c.at[v.FilePath(r.Target)]; ok && r.Target != "" {
				c.link(from, to, 0)
			}
		}
		c.names(from, slices.Concat(v.Links().Of(e.Path), v.Links().Marked(e.Path)), "", code)
	}
	if pages != nil {
		for _, p := range pages.Set.Pages().Entries() {
			if from, ok := c.at[p.Path]; ok {
				c.names(from, pages.Links.Of(p.Path), p.Text, code && len(entries) == 0)
			}
		}
	}
	for l := range c.links {
		c.nodes[l[0]].joined, c.nodes[l[1]].joined = true, true
	}
	for i := range c.nodes {
		c.nodes[i].joined = c.nodes[i].joined || c.nodes[i].Kind == KindEntry
	}
	return ctx.Err()
}

func entryNode(v *workspace.View, e *format.Entry, stale []link.Drift) Node {
	n := Node{Kind: KindEntry, Path: v.FilePath(e.Path), Title: e.Title}
	n.Group, _, _ = strings.Cut(e.Path, "/")
	if len(stale) > 0 {
		n.Stale = shown(drift.Worst(stale))
	}
	return n
}

// names links a node with the files that it names: other nodes, and where code is wanted that. Of a document there is
// the text, since what it says of a file stands in one of many sections.
func (c *collected) names(from int, refs []link.CodeRef, text string, code bool) {
	lines := markdown.CountLines(text)
	for _, r := range refs {
		to, ok := c.at[r.Path]
		if !ok && (!code || !r.Exists || r.Folder) {
			continue
		} else if !ok {
			to = c.add(Node{Kind: KindCode, Path: r.Path, Group: path.Dir(r.Path)})
		}
		line := 0
		if text != "" {
			line = lines.At(r.Span.Start)
		}
		c.link(from, to, line)
	}
}
