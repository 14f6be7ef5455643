package graph

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
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

var drawnLabel = regexp.MustCompile(`<text class="([tg])(\d+)" x="(\S+)" y="(\S+)"(?: font-size="(\S+)")?[^>]*>([^<]*)`)

// A label covers no other one at the size from which it is shown, and the legend ends inside the picture.
func TestLabelsApart(t *testing.T) {
	for _, size := range []int{3, 30, 300} {
		r := &Response{}
		for i := range size {
			kind := Kinds[i%len(Kinds)]
			r.Nodes = append(r.Nodes, Node{Kind: kind, Path: fmt.Sprint(i), Title: fmt.Sprintf("How a rather long title %d reads", i),
				Group: fmt.Sprintf("the_domain_%d", i%(1+size/20)), In: i % 7, Stale: strings.Repeat("stale", i%2)})
			r.Links = append(r.Links, Link{From: i, To: i * 7 % size})
		}
		svg := r.draw("shop")
		number := func(s string) float64 {
			n, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		names := number(regexp.MustCompile(`class="names" font-size="(\S+)"`).FindStringSubmatch(svg)[1])
		shown := map[string][]box{}
		tiers := []string{"g", "t1", "t2", "t3"} // of t4 one is shown at once
		for _, m := range drawnLabel.FindAllStringSubmatch(svg, -1) {
			tier, letter := m[1], names
			if tier == "t" {
				tier, letter = m[1]+m[2], number(m[5])
			}
			w := .55 * letter * float64(utf8.RuneCountInString(m[6]))
			shown[tier] = append(shown[tier], box{number(m[3]) - w/2, number(m[4]) - .8*letter, w, letter})
		}
		var before []box
		for _, tier := range tiers {
			for _, b := range shown[tier] {
				for _, o := range before {
					if b.meets(o) {
						t.Errorf("%d nodes: a label of %s covers another: %.0f, %.0f", size, tier, b, o)
					}
				}
				before = append(before, b)
			}
		}
		if len(before) == 0 {
			t.Errorf("%d nodes: no label", size)
		}
		view := regexp.MustCompile(`viewBox="(\S+) \S+ (\S+) `).FindStringSubmatch(svg)
		legend := regexp.MustCompile(`(?s)translate\((\S+) \S+\) scale\((\S+)\).*x="(\S+)" y="4">([^<]*)<`).FindStringSubmatch(svg)
		end := number(legend[1]) + number(legend[2])*(number(legend[3])+6.2*float64(len(legend[4])))
		if right := number(view[1]) + number(view[2]); end > right {
			t.Errorf("%d nodes: the legend ends at %.0f, the picture at %.0f", size, end, right)
		}
	}
}
