package locate

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// KnownFile is a file of the map; the error says why there is none, and which ones
// are meant perhaps.
func KnownFile(code *codebase.RepoMap, p string) (*codebase.Chunk, error) {
	if c, ok := code.Chunk(p); ok {
		return c, nil
	}
	if !fs.ValidPath(p) {
		return nil, fmt.Errorf("%w: %q is no path inside the folder", workspace.ErrRequest, workspace.Clipped(p))
	}
	for _, s := range code.Skipped() {
		if s.Path == p {
			return nil, fmt.Errorf("%s is not read: %s", workspace.Clipped(p), s.Reason)
		}
	}
	if inside := firstInside(code, p); inside != "" {
		return nil, fmt.Errorf("%s is a folder; name a file of it, such as %s", workspace.Clipped(p), inside)
	}
	if code.Exists(p) {
		return nil, fmt.Errorf("%s is not in the repo map: it is no source code in a language that is read, or it is ignored", workspace.Clipped(p))
	}
	if near := nearestFiles(code, p); len(near) > 0 {
		return nil, fmt.Errorf("no code file %s; the nearest: %s", workspace.Clipped(p), strings.Join(near, ", "))
	}
	return nil, fmt.Errorf("no code file %s; `brv-lsp map` shows those there are", workspace.Clipped(p))
}

// firstInside is the first mapped file below a folder.
func firstInside(code *codebase.RepoMap, folder string) string {
	prefix := folder + "/"
	if folder == "." {
		prefix = ""
	}
	chunks := code.Chunks()
	i, _ := slices.BinarySearchFunc(chunks, prefix, func(c *codebase.Chunk, p string) int { return strings.Compare(c.Path, p) })
	if i < len(chunks) && strings.HasPrefix(chunks[i].Path, prefix) {
		return chunks[i].Path
	}
	return ""
}

// How like a path must be to be proposed, and how many are.
const (
	nearEnough = .5
	maxNearest = 3
)

// nearestFiles are the mapped files whose paths are most like one that is not there.
func nearestFiles(code *codebase.RepoMap, p string) []string {
	var paths []string
	for _, c := range code.Chunks() {
		paths = append(paths, c.Path)
	}
	return mostLike(paths, p)
}

// mostLike are the paths that are most like another, best first.
func mostLike(paths []string, p string) []string {
	type near struct {
		path string
		like float64
	}
	p = strings.ToLower(p[:min(len(p), 1000)])
	base, whole := newPairs(path.Base(p)), newPairs(p)
	var all []near
	for _, candidate := range paths {
		other := strings.ToLower(candidate)
		like := base.like(path.Base(other))
		if like < nearEnough {
			continue
		}
		all = append(all, near{candidate, like + .5*whole.like(other)}) // the name decides, then the folder
	}
	slices.SortFunc(all, func(a, b near) int { return cmp.Or(cmp.Compare(b.like, a.like), cmp.Compare(a.path, b.path)) })
	var out []string
	for _, n := range all[:min(len(all), maxNearest)] {
		out = append(out, n.path)
	}
	return out
}

// pairs counts the pairs of neighbouring bytes of a text, with a mark at its start.
type pairs struct {
	count map[[2]byte]int
	total int
}

func newPairs(s string) pairs {
	p := pairs{count: map[[2]byte]int{}, total: len(s)}
	last := byte(0)
	for i := range len(s) {
		p.count[[2]byte{last, s[i]}]++
		last = s[i]
	}
	return p
}

// like is the share of pairs that two texts have in common (Dice's coefficient),
// 0–1.
func (p pairs) like(s string) float64 {
	shared, used := 0, map[[2]byte]int{}
	last := byte(0)
	for i := range len(s) {
		pair := [2]byte{last, s[i]}
		if n := p.count[pair]; n > used[pair] {
			used[pair]++
			shared++
		}
		last = s[i]
	}
	return 2 * float64(shared) / float64(max(1, p.total+len(s)))
}
