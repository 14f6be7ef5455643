package consult

import (
	"context"
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/limits"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// The limits of a graph.
const (
	DefaultGraphNodes = 100
	maxGraphNodes     = 500
	maxGraphDepth     = 3 // steps; more reaches most of a tree
)

// GraphRequest asks who mentions whom around an entry or a code file.
type GraphRequest struct {
	Path  string `json:"path"`            // of an entry or a code file, in the folder or in the tree
	Depth int    `json:"depth,omitempty"` // steps to follow; 1 if 0, at most 3
	Limit int    `json:"limit,omitempty"` // most nodes; 100 if 0, at most 500
	limits.Limits
}

// GraphResponse is the neighbourhood of an entry or a code file.
type GraphResponse struct {
	Nodes    []GraphNode `json:"nodes"`              // the one that was asked about first, then by distance
	Edges    []GraphEdge `json:"edges"`              // between these nodes
	Left     int         `json:"left"`               // neighbours that are not listed: over the limit or the budget
	Degraded []string    `json:"degraded,omitempty"` // what is missing because of the deadline or the budget
}

// GraphNode is an entry, a code file or a symbol.
type GraphNode struct {
	ID       string            `json:"id"`   // that edges name it by
	Kind     navigate.ItemKind `json:"kind"` // entry, file or symbol
	FilePath string            `json:"filePath"`
	Name     string            `json:"name"` // title of an entry, name of a file or symbol
	Detail   string            `json:"detail,omitempty"`
	Line     int               `json:"line,omitempty"` // 1-based line of a symbol
	Distance int               `json:"distance"`       // steps from the one that was asked about
}

// GraphEdge is one that mentions another.
type GraphEdge struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Count int    `json:"count"` // places of it
}

// Graph follows relations, and links between entries and code, in both directions.
func Graph(ctx context.Context, v *workspace.View, req GraphRequest) (*GraphResponse, error) {
	w := v.Workspace()
	if err := req.check(); err != nil {
		return nil, err
	}
	h, done := limits.BeginIn(ctx, v, req.DeadlineMs)
	defer done()
	if read, err := h.Read(v); err == nil {
		v = read
	} else if ctx.Err() != nil {
		return nil, err
	} // without code there are the relations
	if _, err := v.LinksWithin(h.Prompt); err != nil {
		if err = h.Spare(limits.NewestLinks, err); err != nil {
			return nil, err
		}
		v = v.WithoutLinks()
	}
	start, err := graphStart(v, req.Path)
	if err != nil {
		return nil, err
	}
	g := &graph{w: w, v: v, most: req.Limit, nodes: map[navigate.Ref]int{}, edges: map[[2]navigate.Ref]int{}}
	if g.most == 0 {
		g.most = DefaultGraphNodes
	}
	g.node(start, 0)
	for at := 0; at < len(g.items) && g.r.Nodes[at].Distance < max(req.Depth, 1); at++ {
		if at > 0 && h.Late() { // the first one's neighbours are there at any rate
			_ = h.Spare("neighbours of neighbours", h.Prompt.Err())
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g.follow(ctx, at)
	}
	return g.response(req.BudgetTokens, h), nil
}

func (req GraphRequest) check() error {
	switch {
	case req.Path == "":
		return workspace.WrongField("path", "it is empty; name an entry or a code file")
	case req.Depth < 0 || req.Depth > maxGraphDepth:
		return workspace.WrongField("depth", "%d; it is 1 to %d", req.Depth, maxGraphDepth)
	case req.Limit < 0 || req.Limit > maxGraphNodes:
		return workspace.WrongField("limit", "%d; it is 1 to %d", req.Limit, maxGraphNodes)
	}
	return req.Limits.Check()
}

// graphStart is the entry or code file of a path.
func graphStart(v *workspace.View, name string) (navigate.Item, error) {
	p, err := locate.Locate(v, name)
	if err != nil {
		return navigate.Item{}, err
	}
	item, ok := navigate.FileItem(v, p)
	if !ok {
		return navigate.Item{}, fmt.Errorf("%s is neither an entry nor a file of the code", workspace.Clipped(p))
	}
	return item, nil
}

// graph is one that grows.
type graph struct {
	w     *workspace.Workspace
	v     *workspace.View
	most  int // nodes
	nodes map[navigate.Ref]int
	items []navigate.Item
	edges map[[2]navigate.Ref]int // places of each edge
	order [][2]navigate.Ref
	r     GraphResponse
	left  map[navigate.Ref]bool
}

// node adds an item; ok is false over the limit.
func (g *graph) node(item navigate.Item, distance int) (ok bool) {
	if _, known := g.nodes[item.Ref]; known {
		return true
	}
	if len(g.items) >= g.most {
		if g.left == nil {
			g.left = map[navigate.Ref]bool{}
		}
		g.left[item.Ref] = true
		return false
	}
	g.nodes[item.Ref] = len(g.items)
	g.items = append(g.items, item)
	n := GraphNode{ID: id(item), Kind: item.Kind, FilePath: item.Place.Path, Name: item.Name, Detail: item.Detail, Distance: distance}
	if item.Kind == navigate.ItemSymbol {
		n.Line = 1 + strings.Count(item.Place.Text[:item.Place.At.Start], "\n")
	}
	g.r.Nodes = append(g.r.Nodes, n)
	return true
}

// id names an item among all.
func id(i navigate.Item) string {
	id := string(i.Kind) + ":" + i.Path
	if i.Ref.Name != "" {
		id += "#" + i.Ref.Name
	}
	return id
}

// follow adds the neighbours of a node.
func (g *graph) follow(ctx context.Context, at int) {
	from, next := g.items[at], g.r.Nodes[at].Distance+1
	for _, c := range navigate.Mentions(ctx, g.v, from.Ref) {
		if g.node(c.Item, next) {
			g.edge(from.Ref, c.Ref, len(c.From))
		}
	}
	for _, c := range navigate.MentionedBy(ctx, g.v, from.Ref) {
		if g.node(c.Item, next) {
			g.edge(c.Ref, from.Ref, len(c.From))
		}
	}
}

func (g *graph) edge(from, to navigate.Ref, count int) {
	key := [2]navigate.Ref{from, to}
	if g.edges[key] == 0 {
		g.order = append(g.order, key)
	}
	g.edges[key] = max(g.edges[key], count)
}

// response is the graph within a budget.
func (g *graph) response(budget int, h *limits.Deadline) *GraphResponse {
	r := &g.r
	kept := limits.Affordable(r.Nodes, budget)
	if n := len(r.Nodes) - len(kept); n > 0 {
		h.Degraded = append(h.Degraded, limits.CutOff(n, "nodes"))
		r.Left = n
	}
	r.Nodes, r.Left = kept, r.Left+len(g.left)
	r.Edges = []GraphEdge{}
	for _, e := range g.order {
		if g.nodes[e[0]] < len(kept) && g.nodes[e[1]] < len(kept) {
			r.Edges = append(r.Edges, GraphEdge{id(g.items[g.nodes[e[0]]]), id(g.items[g.nodes[e[1]]]), g.edges[e]})
		}
	}
	r.Degraded = h.Degraded
	return r
}
