package graph

import (
	"fmt"
	"strings"
	"testing"
)

// One domain for each entry: not all have their names in the picture. Looking for a free place for each took a minute.
func TestManyDomains(t *testing.T) {
	r := &Response{}
	for i := range MaxNodes {
		group := fmt.Sprintf("%s_%d", strings.Repeat("domain", 10), i)
		r.Nodes = append(r.Nodes, Node{Kind: KindEntry, Path: group + "/t/e.md", Title: "An entry", Group: group, size: 5,
			box: box{float64(i % 70 * 30), float64(i / 70 * 30), 10, 10}})
	}
	groups := groupsOf(r.Nodes)
	at := map[string]int{}
	for g, name := range groups {
		at[name] = g
	}
	c := &canvas{unit: 1}
	c.names(r, groups, at)
	if n := strings.Count(c.String(), "<text"); n != named {
		t.Errorf("%d names", n)
	}
}

// What depends on all else has more links than a picture takes.
func TestManyLinks(t *testing.T) {
	var c collected
	keep := make([]bool, 400)
	for i := range keep {
		c.add(Node{Kind: KindCode, Path: fmt.Sprint(i), Title: "x"})
		keep[i] = true
	}
	for from := range keep {
		for to := range keep {
			c.link(from, to, 0)
		}
	}
	r := c.response(keep, MaxNodes)
	if len(r.Links) != maxLinks || r.LeftLinks != 400*399-maxLinks || r.Links[0].From != 0 || r.Links[maxLinks-1].From > 251 {
		t.Errorf("%d links, %d left out, the last from %d", len(r.Links), r.LeftLinks, r.Links[len(r.Links)-1].From)
	}
	if svg := r.draw("x"); !strings.HasSuffix(svg, "</svg>\n") {
		t.Error("the picture does not end")
	}
}
