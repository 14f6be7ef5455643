package locate

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// KnownFile is a file of the map; the error says why there is none, and which ones
// are meant perhaps.
func KnownFile(code *codebase.RepoMap, p string) (*codebase.Chunk, error) {
	if c, ok := code.Chunk(p); ok {
		return c, nil
	}
	if !fs.ValidPath(p) {
		return nil, fmt.Errorf("%w: %q is not a path inside the folder", workspace.ErrRequest, workspace.Clipped(p))
	}
	for _, s := range code.Skipped() {
		if s.Path == p {
			return nil, fmt.Errorf("%s was not read: %s", workspace.Clipped(p), s.Reason)
		}
	}
	if inside := firstInside(code, p); inside != "" {
		return nil, fmt.Errorf("%s is a folder; name a file of it, such as %s", workspace.Clipped(p), inside)
	}
	if code.Exists(p) {
		return nil, fmt.Errorf("%s is not in the repo map because its language is not supported or git ignores it",
			workspace.Clipped(p))
	}
	if near := nearestFiles(code, p); len(near) > 0 {
		return nil, fmt.Errorf("no code file %s; similar names: %s", workspace.Clipped(p), strings.Join(near, ", "))
	}
	return nil, fmt.Errorf("no code file %s; `brv-lsp map` lists the code files", workspace.Clipped(p))
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

// maxNearest bounds the files proposed for one that is not there.
const maxNearest = 3

// nearestFiles are the mapped files whose paths are like one that is not there.
func nearestFiles(code *codebase.RepoMap, p string) []string {
	return words.NearPaths(p, func(yield func(string) bool) {
		for _, c := range code.Chunks() {
			if !yield(c.Path) {
				return
			}
		}
	}, maxNearest)
}
