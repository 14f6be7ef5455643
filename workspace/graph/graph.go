// Package graph draws what a folder knows: entries, documents and the code that they name as a graph of relations.
//
//	r, err := graph.Draw(ctx, view, graph.Request{SVG: true})
//
// A picture is collected (graph.go), laid out (layout.go) and written (svg.go) without chance: the same folder gives
// the same picture. Titles and paths are text that anyone may have written. In the SVG they are escaped, without
// credentials and without what people do not see; it holds no script and leads to nothing but itself. Whoever shows it
// finds the file of a node by its id in the response.
package graph

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
)

// How many nodes a picture has: what an editor pans and zooms without a pause, and what it still shows.
const (
	DefaultNodes = 2_000
	MaxNodes     = 5_000
)

// maxLinks bounds the links of a picture, which are two megabytes of it. A tree in which each entry names all others has more.
const maxLinks = 100_000

// The kinds of nodes.
const (
	KindEntry    = "entry"
	KindDocument = "document"
	KindCode     = "code"
)

// Kinds are the kinds of nodes, in the order in which they are listed.
var Kinds = []string{KindEntry, KindDocument, KindCode}

// Request asks for the knowledge graph.
type Request struct {
	Around string   `json:"around,omitempty" flag:"around"`    // only this entry, document, code file or folder, and its neighbours
	Kinds  []string `json:"kinds,omitempty" flag:"kinds,list"` // `entry`, `document`, `code`; empty: all
	// the most nodes, those with the most links first; 2,000 if 0, at most 5,000
	Limit int  `json:"limit,omitempty" flag:"limit"`
	SVG   bool `json:"svg,omitempty" flag:"svg"` // draw the graph
}

// Response is the knowledge graph as nodes and links.
type Response struct {
	Nodes     []Node `json:"nodes"` // the most important first
	Links     []Link `json:"links"`
	Left      int    `json:"left,omitempty"`      // the number of nodes over the limit
	LeftLinks int    `json:"leftLinks,omitempty"` // the number of links over 100,000; those of the least important nodes are left out
	SVG       string `json:"svg,omitempty"`
}

// Node is a file: an entry, a document or code.
type Node struct {
	Kind  string `json:"kind"`
	Path  string `json:"path"` // the path in the folder
	Title string `json:"title"`
	// Group is the domain of an entry, or the folder of another file.
	Group string `json:"group"`
	In    int    `json:"in"`              // the number of links that lead to the node
	Stale string `json:"stale,omitempty"` // why an entry is stale

	joined bool // it belongs to the picture
	box    box
	size   float64 // half of its width in a graph
}

// Link leads from one node to another. The numbers are their places in the list.
type Link struct {
	From int `json:"from"`
	To   int `json:"to"`
	Line int `json:"line,omitempty"` // the line where a document first names the other node, 1-based
}

// box is a rectangle of a picture.
type box struct{ x, y, w, h float64 }

func (b box) middle() (x, y float64) { return b.x + b.w/2, b.y + b.h/2 }

func (b box) meets(o box) bool {
	return b.x < o.x+o.w && o.x < b.x+b.w && b.y < o.y+o.h && o.y < b.y+b.h
}

// collected are nodes and links before some of them are chosen.
type collected struct {
	nodes []Node
	at    map[string]int // by path
	links map[[2]int]int // by their ends: the line of a document that names the other first
}

// add is the place of a file among the nodes.
func (c *collected) add(n Node) int {
	if c.at == nil {
		c.at, c.links = map[string]int{}, map[[2]int]int{}
	}
	i, ok := c.at[n.Path]
	if !ok {
		i = len(c.nodes)
		n.Title = shown(cmp.Or(n.Title, path.Base(n.Path)))
		c.at[n.Path], c.nodes = i, append(c.nodes, n)
	}
	return i
}

// maxTitle bounds what a picture says of a node, in bytes.
const maxTitle = 200

// shown is text that anyone may have written, for people to see.
func shown(text string) string { return sanitize.Line(secrets.Redact(text), maxTitle) }

// link joins two nodes; line is where a document says so, else 0.
func (c *collected) link(from, to, line int) {
	ends := [2]int{from, to}
	first, known := c.links[ends]
	if from == to || known && first <= line {
		return
	}
	c.links[ends] = line
	if !known {
		c.nodes[to].In++
	}
}

// around chooses what a request asks for: what it names and what is joined to that, of a single node also what is joined
// to its neighbours.
func (c *collected) around(v *workspace.View, req Request) (keep []bool, err error) {
	keep = make([]bool, len(c.nodes))
	named := 0
	name := path.Clean(strings.TrimSuffix(req.Around, "/"))
	for i, n := range c.nodes {
		if entry, ok := v.EntryPath(n.Path); req.Around == "" || within(n.Path, name) || ok && within(entry, name) {
			keep[i] = n.joined
			named++
		}
	}
	if named == 0 && req.Around != "" {
		p, err := locate.Locate(v, req.Around)
		if err != nil {
			return nil, err
		}
		i, ok := c.at[p]
		if !ok {
			return nil, workspace.WrongField("around", "nothing links to %s: no entry or document names it", shown(p))
		}
		keep[i], named = true, 1
	}
	for steps := 1; req.Around != "" && steps <= 2 && (steps == 1 || named == 1); steps++ {
		from := slices.Clone(keep)
		for l := range c.links {
			keep[l[0]] = keep[l[0]] || from[l[1]]
			keep[l[1]] = keep[l[1]] || from[l[0]]
		}
	}
	return keep, nil
}

func within(p, name string) bool {
	return p == name || p == name+".md" || strings.HasPrefix(p, name+"/")
}

// response lists what was chosen, the most important first.
func (c *collected) response(keep []bool, limit int) *Response {
	order := []int{}
	for i := range c.nodes {
		if keep[i] {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &c.nodes[a], &c.nodes[b]
		return cmp.Or(cmp.Compare(y.weight(), x.weight()), cmp.Compare(x.Path, y.Path))
	})
	r := &Response{Nodes: []Node{}, Links: []Link{}, Left: max(0, len(order)-limit)}
	place := map[int]int{}
	for _, i := range order[:min(len(order), limit)] {
		place[i] = len(r.Nodes)
		r.Nodes = append(r.Nodes, c.nodes[i])
	}
	for l, line := range c.links {
		from, ok := place[l[0]]
		if to, too := place[l[1]]; ok && too {
			r.Links = append(r.Links, Link{from, to, line})
		}
	}
	slices.SortFunc(r.Links, func(a, b Link) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	r.LeftLinks = max(0, len(r.Links)-maxLinks)
	r.Links = r.Links[:len(r.Links)-r.LeftLinks]
	return r
}

// weight says how important a node is beside others: by what leads to it, where what people wrote to be known counts
// before what it names.
func (n *Node) weight() int {
	switch n.Kind {
	case KindEntry:
		return 2*n.In + 3
	case KindDocument:
		return 2*n.In + 2
	}
	return n.In
}

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
