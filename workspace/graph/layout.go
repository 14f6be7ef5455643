package graph

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Distances of the layout, judged by looking at pictures of this project and of the trees of bench.
const (
	apart  = 30.0 // between the edges of two nodes, with room for lines and small letters
	around = 50.0 // between two discs, with room for a name
	wide   = 1.6  // how much wider than high a picture is, as screens are
)

// disc holds what belongs together: a domain or a folder of documents, and the code that is named there first.
type disc struct {
	name   string
	nodes  []*Node
	radius float64
}

// place lays the nodes of a response out. Each disc has its most important nodes in the middle and its code around them.
// The discs stand in rows, the largest first.
func (r *Response) place() {
	homes := map[int]string{} // of code, by node
	for _, l := range r.Links {
		if from := &r.Nodes[l.From]; from.Kind != KindCode && homes[l.To] == "" {
			homes[l.To] = from.Kind + from.Group
		}
	}
	discs := map[string]*disc{}
	for _, code := range []bool{false, true} {
		for i := range r.Nodes {
			n := &r.Nodes[i]
			if code != (n.Kind == KindCode) {
				continue
			}
			home := n.Kind + n.Group
			if code {
				home = cmp.Or(homes[i], home)
			}
			if discs[home] == nil {
				discs[home] = &disc{name: home}
			}
			discs[home].add(n)
		}
	}
	sorted := slices.SortedFunc(maps.Values(discs), func(a, b *disc) int {
		return cmp.Or(cmp.Compare(b.radius, a.radius), cmp.Compare(a.name, b.name))
	})
	area := 0.0 // summed in one order, so that equal graphs have equal pictures
	for _, d := range sorted {
		area += d.side() * d.side()
	}
	x, y, height, width := 0.0, 0.0, 0.0, math.Sqrt(area*wide)
	for _, d := range sorted {
		if side := d.side(); height == 0 || x+side > width { // the first of a row is its largest
			x, y, height = 0, y+height, side
		}
		for _, n := range d.nodes {
			n.box.x, n.box.y = n.box.x+x+d.side()/2, n.box.y+y+height/2
		}
		x += d.side()
	}
}

// side is the width of a disc with what is free around it.
func (d *disc) side() float64 { return 2*d.radius + around }

// add places a node behind those that the disc has, on a spiral that fills it evenly.
func (d *disc) add(n *Node) {
	n.size = radius(n)
	angle, cell, at := float64(len(d.nodes))*math.Pi*(3-math.Sqrt(5)), 2*n.size+apart, 0.0
	d.radius = math.Sqrt(d.radius*d.radius + cell*cell/math.Pi)
	if len(d.nodes) > 0 {
		at = d.radius
	}
	n.box = box{at*math.Cos(angle) - n.size, at*math.Sin(angle) - n.size, 2 * n.size, 2 * n.size}
	d.nodes = append(d.nodes, n)
}

// radius is how large a node is drawn: its area grows with what leads to it.
func radius(n *Node) float64 {
	least := map[string]float64{KindEntry: 5, KindDocument: 5, KindCode: 2.5}[n.Kind]
	return min(least+1.6*math.Sqrt(float64(n.In)), 18)
}

// groupsOf are the domains of entries, sorted.
func groupsOf(nodes []Node) (groups []string) {
	for _, n := range nodes {
		if n.Kind == KindEntry {
			groups = append(groups, n.Group)
		}
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}
