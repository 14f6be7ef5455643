package graph

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/barneshut"
	"gonum.org/v1/gonum/spatial/r2"
)

// Constants of the layout, which pulls links to a length and pushes nodes apart. Far nodes are taken together (Barnes and
// Hut). Push over pull is what each node has of the plane: squares of 43 units.
const (
	rounds = 200  // moves of all nodes
	theta  = 0.9  // how coarse far nodes are taken together
	push   = 60.0 // between two nodes, over their distance
	pull   = 0.1  // towards the middle, so that parts without links do not drift away
	flat   = 1.5  // how much stronger that is from above and below: screens are wide
	length = 28.0 // of a link, beside the radii of its nodes
	steady = 8.0  // for how many links a middle counts with each thing that it holds
	apart  = 5.0  // least distance between the edges of two nodes
)

// body is a node while it is laid out, or the middle of a topic, a domain or a folder, which hold together what stands in
// them and are not drawn.
type body struct {
	pos    r2.Vec
	radius float64
	mass   float64
}

func (b *body) Coord2() r2.Vec { return b.pos }
func (b *body) Mass() float64  { return b.mass }

// spring holds two bodies together.
type spring struct {
	a, b   int
	strong bool // b is a middle: it holds a, whatever else a is joined to
}

// settle moves bodies to where the forces between them are small, and then apart where they overlap.
func settle(ctx context.Context, bodies []*body, springs []spring) error {
	particles := make([]barneshut.Particle2, len(bodies))
	for i, b := range bodies {
		particles[i] = b
	}
	degree := make([]float64, len(bodies))
	for _, s := range springs {
		degree[s.a]++
		degree[s.b]++
		if s.strong {
			degree[s.b] += steady
		}
	}
	repel := func(_, _ barneshut.Particle2, m1, m2 float64, v r2.Vec) r2.Vec { // v leads from the first to the second
		return r2.Scale(-push*m1*m2/max(r2.Norm2(v), 1e-6), v)
	}
	moves := make([]r2.Vec, len(bodies))
	for round := range rounds {
		plane, err := barneshut.NewPlane(particles)
		if err != nil {
			break // two nodes are too near to be told apart
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		warm := math.Pow(.02, float64(round)/rounds)
		for i, b := range bodies {
			to := r2.Vec{X: -pull * b.pos.X, Y: -pull * flat * b.pos.Y}
			moves[i] = r2.Add(r2.Scale(1/b.mass, plane.ForceOn(b, theta, repel)), to)
		}
		for _, s := range springs { // who has many links gives way less
			a, b := bodies[s.a], bodies[s.b]
			v := r2.Sub(b.pos, a.pos)
			d := max(r2.Norm(v), 1e-3)
			strength := 1 / min(degree[s.a], degree[s.b])
			if s.strong {
				strength = .5
			}
			f := r2.Scale(strength*(d-length-a.radius-b.radius)/d, v)
			share := degree[s.a] / (degree[s.a] + degree[s.b])
			moves[s.a] = r2.Add(moves[s.a], r2.Scale(1-share, f))
			moves[s.b] = r2.Sub(moves[s.b], r2.Scale(share, f))
		}
		for i, b := range bodies {
			b.pos = r2.Add(b.pos, r2.Scale(warm*min(1, 2*length/max(r2.Norm(moves[i]), 1e-3)), moves[i]))
		}
	}
	separate(bodies)
	return nil
}

// separate pushes bodies apart that overlap, from left to right.
func separate(bodies []*body) {
	left := func(b *body) float64 { return b.pos.X - b.radius }
	row := slices.Clone(bodies)
	for moved, turn := true, 0; moved && turn < 30; turn++ {
		moved = false
		slices.SortStableFunc(row, func(a, b *body) int { return cmp.Compare(left(a), left(b)) })
		for i, a := range row {
			for _, b := range row[i+1:] {
				if left(b) > a.pos.X+a.radius+apart {
					break
				}
				v := r2.Sub(b.pos, a.pos)
				d, want := max(r2.Norm(v), 1e-3), a.radius+b.radius+apart
				if d < want {
					by := r2.Add(r2.Scale((want-d)/2/d, v), r2.Vec{X: 1e-3})
					a.pos, b.pos, moved = r2.Sub(a.pos, by), r2.Add(b.pos, by), true
				}
			}
		}
	}
}

// spiral is the n-th of places that fill a disc evenly.
func spiral(n int, distance float64) r2.Vec {
	angle, r := float64(n)*math.Pi*(3-math.Sqrt(5)), distance*math.Sqrt(float64(n)+.5)
	return r2.Vec{X: r * math.Cos(angle), Y: r * math.Sin(angle)}
}

// place lays the nodes of a response out.
func (r *Response) place(ctx context.Context) error {
	var bodies []*body
	var springs []spring
	middles := map[string]int{}
	middle := func(of string, at func() r2.Vec) int {
		i, ok := middles[of]
		if !ok {
			i = len(bodies)
			middles[of] = i
			bodies = append(bodies, &body{pos: at(), mass: 1})
		}
		return i
	}
	places := make([]int, len(r.Nodes)) // of the bodies
	wide := 2 * length * math.Sqrt(float64(len(r.Nodes))/float64(len(groupsOf(r.Nodes))+1))
	for i := range r.Nodes {
		n := &r.Nodes[i]
		n.size = radius(n)
		b := &body{pos: spiral(i, length), radius: n.size, mass: 1 + n.size/10}
		places[i] = len(bodies)
		bodies = append(bodies, b)
		if n.Kind == KindCode {
			continue
		}
		group := middle(n.Kind+n.Group, func() r2.Vec { return spiral(len(middles), wide/2) })
		in := group
		if n.topic != "" {
			in = middle(n.Kind+" "+n.topic, func() r2.Vec { return r2.Add(bodies[group].pos, spiral(len(middles), wide/8)) })
			springs = append(springs, spring{in, group, true})
		}
		b.pos = r2.Add(bodies[in].pos, spiral(i, 1))
		springs = append(springs, spring{places[i], in, true})
	}
	placed := map[int]bool{}
	for _, l := range r.Links {
		from, to := places[l.From], places[l.To]
		if r.Nodes[l.To].Kind == KindCode && !placed[to] { // it begins beside who names it
			placed[to] = true
			bodies[to].pos = r2.Add(bodies[from].pos, spiral(l.To, 1))
		}
		springs = append(springs, spring{from, to, false})
	}
	err := settle(ctx, bodies, springs)
	for i := range r.Nodes {
		n := &r.Nodes[i]
		p := bodies[places[i]].pos
		n.box = box{p.X - n.size, p.Y - n.size, 2 * n.size, 2 * n.size}
	}
	return err
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
