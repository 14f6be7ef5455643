package graph

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/xml"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// style has the colours as variables, which an editor's theme sets, and their defaults in the light and the dark.
//
//go:embed style.css
var style string

// canvas is a picture that is written.
type canvas struct {
	strings.Builder
	unit float64 // what a hundredth of an inch is on a screen that shows the whole picture
	// labels are the labels that are shown already when the picture is so many times larger than the screen.
	labels [3][]box
}

// screen is how wide a picture is shown, in pixels, when all of it is seen.
const screen = 1200

func text(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}

// begin opens a picture of a size.
func (c *canvas) begin(b box, title string) {
	fmt.Fprintf(c, `<svg xmlns="http://www.w3.org/2000/svg" class="brv graph" viewBox="%.0f %.0f %.0f %.0f" role="group" aria-label="%s">`+
		"\n<title>%s</title>\n<style>\n%s</style>\n", b.x, b.y, b.w, b.h, text(title), text(title), style)
}

// size of the letters of labels, in units, by how much the picture must be enlarged for them.
var letters = [3]float64{11, 5.5, 2.8}

// tier says when a label is shown under a place: as soon as it covers no label of a more important node. A label
// that always covers one is shown only while its node is chosen.
// Code is named by its file, which says less than a title: it comes second.
func (c *canvas) tier(label string, x, y float64, code bool) int {
	for t, size := range letters {
		if t == 0 && code {
			continue
		}
		w, h := .56*size*c.unit*float64(utf8.RuneCountInString(label)), 1.2*size*c.unit
		b := box{x - w/2, y, w, h}
		free := true
		for _, shown := range c.labels {
			free = free && !slices.ContainsFunc(shown, b.meets)
		}
		if free {
			c.labels[t] = append(c.labels[t], b)
			return t
		}
	}
	return len(letters)
}

// draw is the graph of what is known as an SVG.
func (r *Response) draw(name string) string {
	r.place()
	all := bounds(r.Nodes)
	c := &canvas{unit: max(all.w, 1.3*all.h, 400) / screen}
	margin := 30 * c.unit
	all = box{all.x - margin, all.y - margin, all.w + 2*margin, all.h + 2*margin}
	wide := max(all.w, screen*c.unit) // room for the legend
	all.x, all.w = all.x-(wide-all.w)/2, wide
	legend := 34 * c.unit
	groups := groupsOf(r.Nodes)
	at := map[string]int{}
	for g, name := range groups {
		at[name] = g
	}
	c.begin(box{all.x, all.y, all.w, all.h + legend}, r.caption(name))
	c.links(r, at)
	names := &canvas{unit: c.unit} // they stand over the nodes, and their places are taken before those of labels
	names.names(r, groups, at)
	c.labels = names.labels
	c.WriteString("<g class=\"nodes\">\n")
	for i := range r.Nodes {
		c.node(i, &r.Nodes[i], at[r.Nodes[i].Group])
	}
	c.WriteString("</g>\n" + names.String())
	c.legend(all.x+16*c.unit, all.y+all.h+legend/2, r)
	c.WriteString("</svg>\n")
	return c.String()
}

func bounds(nodes []Node) box {
	if len(nodes) == 0 {
		return box{0, 0, 600, 60}
	}
	x, y, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, n := range nodes {
		x, y, right, bottom = min(x, n.box.x), min(y, n.box.y), max(right, n.box.x+n.box.w), max(bottom, n.box.y+n.box.h)
	}
	return box{x, y, right - x, bottom - y}
}

// caption says in a line what a picture shows.
func (r *Response) caption(name string) string {
	count, stale := map[string]int{}, 0
	for _, n := range r.Nodes {
		count[n.Kind]++
		if n.Stale != "" {
			stale++
		}
	}
	s := fmt.Sprintf("%s: %s, %s, %s, %s", shown(name), words.Counted(count[KindEntry], "entry", "entries"),
		words.Counted(count[KindDocument], "document", "documents"), words.Counted(count[KindCode], "code file", "code files"),
		words.Counted(len(r.Links), "link", "links"))
	if stale > 0 {
		s += fmt.Sprintf(", %d stale", stale)
	}
	return s
}

// links draws all links from one domain as one path: a thousand elements cost an editor more than their lines.
func (c *canvas) links(r *Response, groups map[string]int) {
	paths := make([]strings.Builder, len(groups)+1) // the last are those of documents
	for _, l := range r.Links {
		from, to := &r.Nodes[l.From], &r.Nodes[l.To]
		g := len(groups)
		if from.Kind == KindEntry {
			g = groups[from.Group]
		}
		x1, y1 := from.box.middle()
		x2, y2 := to.box.middle()
		dx, dy := x2-x1, y2-y1
		fmt.Fprintf(&paths[g], "M%.0f %.0fq%.0f %.0f %.0f %.0f", x1, y1, dx/2-dy/10, dy/2+dx/10, dx, dy)
	}
	fmt.Fprintf(c, "<g class=\"links\" stroke-width=\"%.2g\">\n", .8*c.unit)
	for g := range paths {
		if paths[g].Len() > 0 {
			fmt.Fprintf(c, "<path class=\"%s\" d=\"%s\"/>\n", colour(g, len(groups)), paths[g].String())
		}
	}
	c.WriteString("</g>\n")
}

// colours is how many domains have one of their own.
const colours = 12

func colour(group, groups int) string {
	if group < 0 || group >= groups {
		return ""
	}
	return fmt.Sprintf("g%d", group%colours)
}

// named is how many domains have their names in a picture, the largest: more would cover it.
const named = 40

// names writes those of the domains above their entries.
func (c *canvas) names(r *Response, groups []string, at map[string]int) {
	type sum struct{ x, top, n float64 }
	sums, largest := make([]sum, len(groups)), make([]int, len(groups))
	for g := range groups {
		largest[g] = g
	}
	for _, node := range r.Nodes {
		if node.Kind == KindEntry {
			s := &sums[at[node.Group]]
			x, _ := node.box.middle()
			if s.n == 0 || node.box.y < s.top {
				s.top = node.box.y
			}
			s.x, s.n = s.x+x, s.n+1
		}
	}
	slices.SortStableFunc(largest, func(a, b int) int { return cmp.Compare(sums[b].n, sums[a].n) })
	largest = largest[:min(len(largest), named)]
	slices.Sort(largest)
	fmt.Fprintf(c, "<g class=\"names\" font-size=\"%.3g\" text-anchor=\"middle\">\n", 17*c.unit)
	for _, g := range largest {
		x, y := sums[g].x/sums[g].n, sums[g].top-8*c.unit
		label := shown(strings.ReplaceAll(groups[g], "_", " "))
		w := 9.5 * c.unit * float64(utf8.RuneCountInString(label))
		b := box{x - w/2, y - 16*c.unit, w, 20 * c.unit}
		for slices.ContainsFunc(c.labels[0], b.meets) {
			b.y, y = b.y+b.h, y+b.h
		}
		c.labels[0] = append(c.labels[0], b)
		fmt.Fprintf(c, "<text class=\"%s\" x=\"%.0f\" y=\"%.0f\">%s</text>\n", colour(g, len(groups)), x, y, text(label))
	}
	c.WriteString("</g>\n")
}

// node draws a file: a circle for an entry, a square for a document, a diamond for code.
func (c *canvas) node(i int, n *Node, group int) {
	x, y := n.box.middle()
	class := ""
	if n.Kind == KindEntry {
		class = fmt.Sprintf(` class="g%d"`, group%colours)
	}
	c.open(i, n, class)
	c.shape(n.Kind, x, y, n.size)
	if n.Stale != "" {
		fmt.Fprintf(c, `<circle class="ring" cx="%.0f" cy="%.0f" r="%.0f"/><text class="bang" x="%.0f" y="%.0f">!</text>`,
			x, y, n.size+4, x+n.size+3, y-n.size+2)
	}
	label := sanitize.Short(n.Title, 30)
	t := c.tier(label, x, y+n.size+c.unit, n.Kind == KindCode)
	size := letters[min(t, len(letters)-1)] * c.unit
	fmt.Fprintf(c, `<text class="t%d" x="%.0f" y="%.0f" font-size="%.3g" text-anchor="middle">%s</text></a>`+"\n",
		t+1, x, y+n.size+c.unit+size, size, text(label))
}

func (c *canvas) shape(kind string, x, y, r float64) {
	switch kind {
	case KindEntry:
		fmt.Fprintf(c, `<circle class="n entry" cx="%.0f" cy="%.0f" r="%.1f"/>`, x, y, r)
	case KindDocument:
		fmt.Fprintf(c, `<rect class="n document" x="%.0f" y="%.0f" width="%.0f" height="%.0f" rx="2"/>`, x-r, y-r, 2*r, 2*r)
	default:
		fmt.Fprintf(c, `<path class="n code" d="M%.0f %.1fl%.1f %.1fl-%.1f %.1fl-%.1f-%.1fz"/>`, x, y-r, r, r, r, r, r, r)
	}
}

// open begins a node: something to focus and to choose, whose name says all that its looks say.
func (c *canvas) open(i int, n *Node, class string) {
	says := []string{n.Title, n.Kind + " " + shown(n.Path)}
	if n.In > 0 {
		says = append(says, words.Counted(n.In, "link leads here", "links lead here"))
	}
	if n.Stale != "" {
		says = append(says, "stale: "+strings.ReplaceAll(n.Stale, "`", ""))
	}
	label := text(strings.Join(says, "\n"))
	fmt.Fprintf(c, `<a id="n%d" href="#n%d"%s><title>%s</title>`, i, i, class, label)
}

// legend draws the meaning of the shapes that occur in the graph.
func (c *canvas) legend(x, y float64, r *Response) {
	fmt.Fprintf(c, "<g class=\"legend\" font-size=\"%.3g\" transform=\"translate(%.0f %.0f) scale(%.3g)\">\n", 11., x, y, c.unit)
	at := 0.
	for _, k := range []struct{ kind, says string }{
		{KindEntry, "entry (colour: domain)"}, {KindDocument, "document"}, {KindCode, "code named by one of them"},
	} {
		if slices.ContainsFunc(r.Nodes, func(n Node) bool { return n.Kind == k.kind }) {
			c.shape(k.kind, at, 0, 5)
			at = c.says(at+10, k.says)
		}
	}
	at = c.says(at, "larger: more links lead to it")
	if slices.ContainsFunc(r.Nodes, func(n Node) bool { return n.Stale != "" }) {
		fmt.Fprintf(c, `<circle class="ring" cx="%.0f" cy="0" r="6"/><text class="bang" x="%.0f" y="-2">!</text>`, at, at+7)
		c.says(at+14, "stale: the code has changed since")
	}
	c.WriteString("</g>\n")
}

// says writes words of a legend, and returns where the next thing may stand.
func (c *canvas) says(at float64, words string) float64 {
	fmt.Fprintf(c, "<text x=\"%.0f\" y=\"4\">%s</text>\n", at, text(words))
	return at + 6.2*float64(len(words)) + 16
}

// Draw makes a picture of the folder. It waits for the first read of the code.
func Draw(ctx context.Context, v *workspace.View, req Request) (*Response, error) {
	for _, k := range req.Kinds {
		if !slices.Contains(Kinds, k) {
			return nil, workspace.WrongField("kinds", "no kind %q; the kinds are %s", workspace.Clipped(k), strings.Join(Kinds, ", "))
		}
	}
	if req.Limit < 0 || req.Limit > MaxNodes {
		return nil, workspace.WrongField("limit", "must be 1 to %d nodes", MaxNodes)
	}
	v, err := v.Complete(ctx)
	if err != nil {
		return nil, err
	}
	var c collected
	if err = c.knowledge(ctx, v, req.Kinds); err != nil {
		return nil, err
	}
	keep, err := c.around(v, req)
	if err != nil {
		return nil, err
	}
	r := c.response(keep, cmp.Or(req.Limit, DefaultNodes))
	if req.SVG {
		r.SVG = r.draw(path.Base(v.Workspace().Root()))
	}
	return r, nil
}
