package curate

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// File is a file of a folder. Callers leave out links and files that git ignores.
type File struct {
	Path string // in the workspace
	Size int64  // bytes
}

// maxDocuments is the number of documents chosen from a folder that also has code: documents can be outdated.
const maxDocuments = 2

// Telling chooses the files of a folder that say most about it, at most
// [MaxSources], the telling ones first, and names the others in the same order. Equal lists
// and maps give equal choices. The order is:
//
//  1. the README nearest to the folder, and documents: in docs, doc and design
//     folders, and named for architecture, design or contributing
//  2. the file that describes a package (doc.go, mod.rs, __init__.py, package-info.java)
//  3. entry points, as the map knows them
//  4. other code by the map's importance
//  5. other text
//
// At most two are documents while there is code. Among equals the one nearer to the
// folder is first, then the more important, then the larger, then the first by name.
// Left out are hidden and empty files, files over 20 MiB, tests, and generated,
// vendored and minified code. The map may be nil.
func Telling(folder string, files []File, code *codebase.RepoMap) (paths, left []string) {
	folder = strings.Trim(path.Clean("/"+folder), "/")
	var all []candidate
	for _, f := range files {
		inside, ok := strings.CutPrefix(f.Path, folder+"/")
		if folder == "" {
			inside, ok = f.Path, true
		}
		if ok && f.Size > 0 && f.Size <= maxFile && !format.Hidden(inside) {
			if c, ok := weigh(f, inside, code); ok {
				all = append(all, c)
			}
		}
	}
	slices.SortFunc(all, candidate.compare)
	all = slices.CompactFunc(all, func(a, b candidate) bool { return a.Path == b.Path })
	coded := slices.ContainsFunc(all, candidate.isCode)
	documents := 0
	for _, c := range all {
		if c.class == classDocument {
			documents++
		}
		if len(paths) == MaxSources || coded && c.class == classDocument && documents > maxDocuments {
			left = append(left, c.Path)
		} else {
			paths = append(paths, c.Path)
		}
	}
	return paths, left
}

// class is the kind of a candidate, the telling ones first.
type class int

const (
	classDocument class = iota
	classPackage
	classEntryPoint
	classCode
	classText
)

// candidate is a file that may be chosen.
type candidate struct {
	File
	class      class
	readme     bool
	depth      int
	importance float64
}

func (c candidate) isCode() bool {
	return c.class == classPackage || c.class == classEntryPoint || c.class == classCode
}

func (c candidate) compare(o candidate) int {
	return cmp.Or(cmp.Compare(c.class, o.class), compareBool(o.readme && o.depth == 0, c.readme && c.depth == 0),
		cmp.Compare(c.depth, o.depth),
		compareBool(o.readme, c.readme), cmp.Compare(o.importance, c.importance), cmp.Compare(o.Size, c.Size),
		cmp.Compare(c.Path, o.Path))
}

func compareBool(a, b bool) int {
	if a == b {
		return 0
	}
	if b {
		return -1
	}
	return 1
}

// weigh classifies a file by its place in the folder. ok is false for tests, for generated files, and for
// files that are neither code nor text.
func weigh(f File, inside string, code *codebase.RepoMap) (c candidate, ok bool) {
	c = candidate{File: f, class: classText, depth: strings.Count(inside, "/")}
	base := strings.ToLower(path.Base(inside))
	stem := strings.TrimSuffix(base, path.Ext(base))
	c.readme = stem == "readme"
	var chunk *codebase.Chunk
	if code != nil {
		chunk, _ = code.Chunk(f.Path)
	}
	switch {
	case isDocument(inside, stem, path.Ext(base)):
		c.class = classDocument
	case chunk != nil:
		c.class, c.importance = classCode, chunk.Importance
		if chunk.Type == codebase.EntryPoint {
			c.class = classEntryPoint
		}
		if slices.Contains([]string{"doc.go", "mod.rs", "__init__.py", "package-info.java"}, base) {
			c.class = classPackage
		}
		return c, chunk.Type != codebase.Test && chunk.Origin == ""
	default:
		return c, codebase.TypeOf(f.Path) != codebase.Test &&
			slices.Contains([]string{".md", ".markdown", ".txt", ".rst", ".adoc", ".org"}, path.Ext(base))
	}
	return c, true
}

// isDocument reports whether a file is a document about its folder.
func isDocument(inside, stem, ext string) bool {
	if stem == "readme" && (ext == "" || ext == ".txt") {
		return true
	}
	if !slices.Contains([]string{".md", ".markdown", ".rst", ".adoc"}, ext) {
		return false
	}
	for _, word := range []string{"readme", "architecture", "design", "contributing"} {
		if strings.Contains(stem, word) {
			return true
		}
	}
	first, _, nested := strings.Cut(strings.ToLower(inside), "/")
	return nested && slices.Contains([]string{"docs", "doc", "design"}, first)
}
