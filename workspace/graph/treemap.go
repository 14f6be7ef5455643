package graph

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/workspace"
)

// code collects the files of the map and what depends on what.
func (c *collected) code(v *workspace.View) {
	code := v.Code()
	for _, f := range code.Chunks() {
		c.add(Node{
			Kind: KindCode, Path: f.Path, Group: path.Dir(f.Path), Tokens: max(f.Tokens, 1), Known: len(v.Links().About(f.Path, "")), joined: true,
		})
	}
	for from, n := range slices.Clone(c.nodes) {
		for _, p := range code.Dependencies(n.Path) {
			if to, ok := c.at[p]; ok {
				c.link(from, to, 0)
			}
		}
	}
}

// folder is a rectangle of a treemap with others in it: a folder, or a file, which has none.
type folder struct {
	path    string
	tokens  float64
	node    int // of a file
	folders []*folder
	box     box
}

// foldersOf are the files of a picture in their folders; a folder with one thing in it is shown as that.
func foldersOf(nodes []Node) *folder {
	root := &folder{path: "."}
	known := map[string]*folder{".": root}
	var in func(dir string) *folder
	in = func(dir string) *folder {
		f := known[dir]
		if f == nil {
			f = &folder{path: dir}
			known[dir] = f
			above := in(path.Dir(dir))
			above.folders = append(above.folders, f)
		}
		return f
	}
	for i, n := range nodes {
		dir := in(path.Dir(n.Path))
		dir.folders = append(dir.folders, &folder{path: n.Path, node: i, tokens: float64(n.Tokens)})
	}
	return root.tidy()
}

func (f *folder) tidy() *folder {
	if f.folders == nil {
		return f
	}
	for i, c := range f.folders {
		f.folders[i] = c.tidy()
		f.tokens += f.folders[i].tokens
	}
	if len(f.folders) == 1 && f.folders[0].folders != nil {
		return f.folders[0]
	}
	slices.SortStableFunc(f.folders, func(a, b *folder) int {
		return cmp.Or(cmp.Compare(b.tokens, a.tokens), strings.Compare(a.path, b.path))
	})
	return f
}

// fill gives a folder its place and those in it theirs, so that none is long and thin (Bruls, Huizing, van Wijk:
// "Squarified Treemaps", 2000).
func (f *folder) fill(b box, heading float64) {
	f.box = b
	if f.folders == nil {
		return
	}
	if b.h < 4*heading || b.w < 4*heading {
		heading = 0
	}
	rest, left := b.inset(min(2, b.w/20, b.h/20), heading), f.tokens
	for all := f.folders; len(all) > 0; {
		side, area := min(rest.w, rest.h), rest.w*rest.h
		n, sum := 1, all[0].tokens
		for n < len(all) && worst(all[:n+1], sum+all[n].tokens, side, area/left) <= worst(all[:n], sum, side, area/left) {
			sum += all[n].tokens
			n++
		}
		thick, at := area*sum/left/max(side, 1e-9), 0.
		for _, c := range all[:n] {
			long := side * c.tokens / sum
			if rest.w > rest.h {
				c.fill(box{rest.x, rest.y + at, thick, long}, heading)
			} else {
				c.fill(box{rest.x + at, rest.y, long, thick}, heading)
			}
			at += long
		}
		if rest.w > rest.h {
			rest.x, rest.w = rest.x+thick, max(0, rest.w-thick)
		} else {
			rest.y, rest.h = rest.y+thick, max(0, rest.h-thick)
		}
		left, all = left-sum, all[n:]
	}
}

// worst is how much longer than wide the worst rectangle is of a row along a side; scale is area per token.
func worst(row []*folder, sum, side, scale float64) float64 {
	most, least := row[0].tokens*scale, row[len(row)-1].tokens*scale
	thick := sum * scale / max(side, 1e-9)
	return max(most/(thick*thick), thick*thick/least)
}
