package format

import (
	"path"
	"strings"
)

// Stub holds the fields of a stub's frontmatter that lead to the archived entry.
type Stub struct {
	OriginalPath string
	PointsTo     string // path of the full text in the tree
}

// Stub reads an entry of role [RoleStub]; ok is false for others, and if its frontmatter does not name the
// full text's path. Places of other versions of the format (`.brv/archive/`, `.brv/archives/`, with and
// without `.full`) are mapped to the place in the tree; a path that leaves the tree is invalid.
func (e *Entry) Stub() (Stub, bool) {
	if e.Role != RoleStub {
		return Stub{}, false
	}
	value := func(key string) string {
		f, _ := e.Field(key)
		return f.Value()
	}
	entry, archived := unarchived(value("points_to"))
	if !archived {
		return Stub{}, false
	}
	s := Stub{OriginalPath: entry}
	_, s.PointsTo = ArchivePaths(entry)
	if original, _ := unarchived(value("original_path")); original != "" {
		s.OriginalPath = original
	}
	return s, true
}

// unarchived tells which entry a stub's path means: the place of the tree or of
// the archive is taken off, in the archive also the ending. archived is whether
// the path was one of the archive; entry is "" where it leaves the tree.
func unarchived(p string) (entry string, archived bool) {
	p = strings.ReplaceAll(strings.TrimSpace(p), `\`, "/")
	if p == "" || strings.HasPrefix(p, "/") || strings.ContainsRune(p, 0) {
		return "", false
	}
	p = path.Clean(p)
	if inner, ok := strings.CutPrefix(p, ".brv/"); ok {
		p = strings.TrimPrefix(inner, "context-tree/")
		for _, place := range []string{"archive/", "archives/"} {
			if rest, ok := strings.CutPrefix(inner, place); ok {
				p, archived = rest, true
			}
		}
	}
	if rest, ok := strings.CutPrefix(p, ArchiveDir+"/"); ok {
		p, archived = rest, true
	}
	p = strings.TrimSuffix(p, ".md")
	if archived {
		p = strings.TrimSuffix(p, ".full")
	}
	if p == "" || p == "." || p == ".." || strings.HasPrefix(p, "../") {
		return "", false
	}
	return p + ".md", archived
}

// ArchivePaths are where an entry's stub and full text go.
func ArchivePaths(entry string) (stub, full string) {
	base := ArchiveDir + "/" + strings.TrimSuffix(entry, ".md")
	return base + ".stub.md", base + ".full.md"
}

// FullOf is where the full text of a stub is.
func FullOf(stub string) string { return strings.TrimSuffix(stub, ".stub.md") + ".full.md" }
