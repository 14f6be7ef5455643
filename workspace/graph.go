package workspace

import (
	"context"
	"fmt"
	"strings"
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
	Limits
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
	ID       string   `json:"id"`   // that edges name it by
	Kind     ItemKind `json:"kind"` // entry, file or symbol
	FilePath string   `json:"filePath"`
	Name     string   `json:"name"` // title of an entry, name of a file or symbol
	Detail   string   `json:"detail,omitempty"`
	Line     int      `json:"line,omitempty"` // 1-based line of a symbol
	Distance int      `json:"distance"`       // steps from the one that was asked about
}

// GraphEdge is one that mentions another.
type GraphEdge struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Count int    `json:"count"` // places of it
}

// Graph follows relations, and links between entries and code, in both directions.
func (w *Workspace) Graph(ctx context.Context, v *View, req GraphRequest) (*GraphResponse, error) {
	if err := req.check(); err != nil {
		return nil, err
	}
	h, done := hurryIn(ctx, v, req.DeadlineMs)
	defer done()
	if read, err := h.read(v); err == nil {
		v = read
	} else if ctx.Err() != nil {
		return nil, err
	} // without code there are the relations
	if _, err := v.LinksWithin(h.prompt); err != nil {
		if err = h.spare(newestLinks, err); err != nil {
			return nil, err
		}
		v = v.WithoutLinks()
	}
	start, err := v.graphStart(req.Path)
	if err != nil {
		return nil, err
	}
	g := &graph{w: w, v: v, most: req.Limit, nodes: map[Ref]int{}, edges: map[[2]Ref]int{}}
	if g.most == 0 {
		g.most = DefaultGraphNodes
	}
	g.node(start, 0)
	for at := 0; at < len(g.items) && g.r.Nodes[at].Distance < max(req.Depth, 1); at++ {
		if at > 0 && h.late() { // the first one's neighbours are there at any rate
			_ = h.spare("neighbours of neighbours", h.prompt.Err())
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
		return wrongField("path", "it is empty; name an entry or a code file")
	case req.Depth < 0 || req.Depth > maxGraphDepth:
		return wrongField("depth", "%d; it is 1 to %d", req.Depth, maxGraphDepth)
	case req.Limit < 0 || req.Limit > maxGraphNodes:
		return wrongField("limit", "%d; it is 1 to %d", req.Limit, maxGraphNodes)
	}
	return req.Limits.check()
}

// graphStart is the entry or code file of a path.
func (v *View) graphStart(name string) (Item, error) {
	p, err := v.Locate(name)
	if err != nil {
		return Item{}, err
	}
	item, ok := v.fileItem(p)
	if !ok {
		return Item{}, fmt.Errorf("%s is neither an entry nor a file of the code", clipped(p))
	}
	return item, nil
}

// graph is one that grows.
type graph struct {
	w     *Workspace
	v     *View
	most  int // nodes
	nodes map[Ref]int
	items []Item
	edges map[[2]Ref]int // places of each edge
	order [][2]Ref
	r     GraphResponse
	left  map[Ref]bool
}

// node adds an item; ok is false over the limit.
func (g *graph) node(item Item, distance int) (ok bool) {
	if _, known := g.nodes[item.Ref]; known {
		return true
	}
	if len(g.items) >= g.most {
		if g.left == nil {
			g.left = map[Ref]bool{}
		}
		g.left[item.Ref] = true
		return false
	}
	g.nodes[item.Ref] = len(g.items)
	g.items = append(g.items, item)
	n := GraphNode{ID: item.id(), Kind: item.Kind, FilePath: item.Place.Path, Name: item.Name, Detail: item.Detail, Distance: distance}
	if item.Kind == ItemSymbol {
		n.Line = 1 + strings.Count(item.Place.Text[:item.Place.At.Start], "\n")
	}
	g.r.Nodes = append(g.r.Nodes, n)
	return true
}

// id names an item among all.
func (i Item) id() string {
	id := string(i.Kind) + ":" + i.Path
	if i.Ref.Name != "" {
		id += "#" + i.Ref.Name
	}
	return id
}

// follow adds the neighbours of a node.
func (g *graph) follow(ctx context.Context, at int) {
	from, next := g.items[at], g.r.Nodes[at].Distance+1
	for _, c := range g.w.Mentions(ctx, g.v, from.Ref) {
		if g.node(c.Item, next) {
			g.edge(from.Ref, c.Ref, len(c.From))
		}
	}
	for _, c := range g.w.MentionedBy(ctx, g.v, from.Ref) {
		if g.node(c.Item, next) {
			g.edge(c.Ref, from.Ref, len(c.From))
		}
	}
}

func (g *graph) edge(from, to Ref, count int) {
	key := [2]Ref{from, to}
	if g.edges[key] == 0 {
		g.order = append(g.order, key)
	}
	g.edges[key] = max(g.edges[key], count)
}

// response is the graph within a budget.
func (g *graph) response(budget int, h *haste) *GraphResponse {
	r := &g.r
	kept := affordable(r.Nodes, budget)
	if n := len(r.Nodes) - len(kept); n > 0 {
		h.degraded = append(h.degraded, cutOff(n, "nodes"))
		r.Left = n
	}
	r.Nodes, r.Left = kept, r.Left+len(g.left)
	r.Edges = []GraphEdge{}
	for _, e := range g.order {
		if g.nodes[e[0]] < len(kept) && g.nodes[e[1]] < len(kept) {
			r.Edges = append(r.Edges, GraphEdge{g.items[g.nodes[e[0]]].id(), g.items[g.nodes[e[1]]].id(), g.edges[e]})
		}
	}
	r.Degraded = h.degraded
	return r
}
