package pack

import (
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// A folder's generated summary says what else is known around what was found. It helps
// to find the way, and answers no task: its chance is this part of the sum of those of
// the folder's candidates, up to a bound.
const (
	ofFolder       = 0.1
	mostOfFolder   = 0.15
	structureShare = 0.08 // of the budget, for all summaries
	maxStructure   = 2
	maxDepth       = 8 // more folders than any summary is below
)

// ofOverview is the factor for the chance of a folder's description: mostly it names
// what the entries say.
const ofOverview = 0.3

// structure offers the broadest summaries of the folders that the entries lie in, of
// those that the manifest's lane holds: first the domains', then what is below.
func (b *maker) structure(entries []*candidate) (out []*candidate) {
	involved := map[string]float64{}
	for _, c := range entries {
		for dir := path.Dir(c.path); dir != "." && c.entry.Role == format.RoleEntry; dir = path.Dir(dir) {
			if at := dir + "/_index.md"; b.isSummary(at) && !slices.Contains(b.task.Without, at) && !slices.Contains(b.task.Pinned, at) {
				involved[at] += c.chance
			}
		}
	}
	if len(involved) == 0 {
		return nil
	}
	lanes := derived.NewManifest(b.in.Tree, b.in.Now, func(p string) float64 {
		if chance, ok := involved[p]; ok {
			return chance + maxDepth - float64(strings.Count(p, "/")) // broad ones first
		}
		return -1
	})
	for _, item := range lanes.ActiveContext {
		if e, ok := b.in.Tree.Entry(item.Path); ok && item.Type == "summary" && len(out) < maxStructure {
			c := &candidate{kind: KindEntry, path: item.Path, entry: e, structure: true}
			c.add(min(mostOfFolder, ofFolder*involved[item.Path]), "what is known around what was found")
			out = append(out, c)
		}
	}
	return out
}

func (b *maker) isSummary(p string) bool {
	e, ok := b.in.Tree.Entry(p)
	return ok && e.Role == format.RoleSummary
}
