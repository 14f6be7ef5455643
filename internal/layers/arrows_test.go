package layers

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"math/rand"
	"path"
	"slices"
	"strings"
)

// upward returns how many of the arrows between a package's files run upward, in percent, rounded up, and lists
// those. An arrow leads from a file to another one that declares a name, method or field which it uses. It runs
// upward where the other stands later in the order of the files that has the fewest such arrows.
func upward(files []*source) (percent int, list string) {
	uses := arrows(files)
	order := fewestUpward(uses)
	var total, up int
	var lines strings.Builder
	for k, i := range order {
		total += len(uses[i])
		for _, j := range order[k+1:] {
			if names := uses[i][j]; len(names) > 0 {
				up++
				shown := slices.Sorted(maps.Keys(names))
				if len(shown) > 3 {
					shown = append(shown[:3], "...")
				}
				from, to := path.Base(files[i].path), path.Base(files[j].path)
				fmt.Fprintf(&lines, "\n\t%s -> %s: %s", from, to, strings.Join(shown, ", "))
			}
		}
	}
	total = max(1, total)
	return (100*up + total - 1) / total, lines.String()
}

// arrows returns the names that each file uses of each other one, by the places of both in files. They are resolved
// without what the package imports, so that files for any system count on every machine: what an imported package
// gives stays unknown, and its names are none of this one.
func arrows(files []*source) []map[int]map[string]bool {
	trees := make([]*ast.File, len(files))
	uses := make([]map[int]map[string]bool, len(files))
	for i, f := range files {
		trees[i], uses[i] = f.tree, map[int]map[string]bool{}
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: emptyImporter{}, FakeImportC: true, Error: func(error) {}}
	checked, _ := config.Check("p", files[0].set, trees, info)
	at := func(pos token.Pos) int {
		return slices.IndexFunc(trees, func(f *ast.File) bool { return f.FileStart <= pos && pos <= f.FileEnd })
	}
	for id, o := range info.Uses {
		if o.Pkg() != checked {
			continue
		}
		if i, j := at(id.Pos()), at(o.Pos()); i != j {
			if uses[i][j] == nil {
				uses[i][j] = map[string]bool{}
			}
			uses[i][j][o.Name()] = true
		}
	}
	return uses
}

// emptyImporter imports every package as an empty one.
type emptyImporter struct{}

func (emptyImporter) Import(p string) (*types.Package, error) {
	empty := types.NewPackage(p, path.Base(p))
	empty.MarkComplete()
	return empty, nil
}

// fewestUpward returns an order of files, the lowest first, in which few use a later one: from some shuffled orders
// each file is moved to its best place until none has a better one, and the best result is taken. To find the very
// best would take exponential time.
func fewestUpward(uses []map[int]map[string]bool) (best []int) {
	random := rand.New(rand.NewSource(1)) // the same for everyone
	fewest := -1
	for range 30 {
		order := random.Perm(len(uses))
		for improved := true; improved; {
			improved = false
			for k, i := range order {
				if to := bestPlace(order, k, uses); to != k {
					order = slices.Insert(slices.Delete(order, k, k+1), to, i)
					improved = true
				}
			}
		}
		up := 0
		for k, i := range order {
			for _, j := range order[k+1:] {
				up += arrow(uses, i, j)
			}
		}
		if fewest < 0 || up < fewest {
			best, fewest = order, up
		}
	}
	return best
}

// bestPlace is where the file at place k would stand with the fewest arrows upward.
func bestPlace(order []int, k int, uses []map[int]map[string]bool) int {
	best, least := k, 0
	for _, step := range []int{-1, 1} {
		change := 0
		for to := k + step; to >= 0 && to < len(order); to += step {
			change += step * (arrow(uses, order[to], order[k]) - arrow(uses, order[k], order[to]))
			if change < least {
				best, least = to, change
			}
		}
	}
	return best
}

// arrow is 1 where file i uses file j, else 0.
func arrow(uses []map[int]map[string]bool, i, j int) int { return min(1, len(uses[i][j])) }
