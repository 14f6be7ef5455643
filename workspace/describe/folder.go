package describe

import (
	"cmp"
	"path"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// aboutFolder describes the domain or topic under the cursor in a relation's path. It is nil if there is
// none, or no file describes it.
func aboutFolder(v *workspace.View, text string, r tree.Relation, offset int) *Folder {
	dir := folderAt(text, r, offset)
	n, ok := v.Trees().Node(dir)
	if !ok || dir == "" {
		return nil
	}
	file, ok := overviewOf(v, dir)
	if !ok {
		return nil
	}
	e, _ := v.Entry(file)
	e = e.Redacted()
	return &Folder{
		Path: dir, Kind: folderKind(n.Kind), Overview: v.FilePath(file), Title: e.Title,
		Summary: cmp.Or(e.Summary, Excerpt(e)), Folders: len(n.Folders), Entries: n.Knowledge(),
	}
}

// folderAt is the folder that the name under the cursor in a relation's path stands for,
// "" for none. The names are those of the target's own path, counted from its end: a path
// may be relative, and spelled otherwise.
func folderAt(text string, r tree.Relation, offset int) string {
	if r.Target == "" {
		return ""
	}
	written := r.At.Of(text)
	lead := len(written) - len(strings.TrimPrefix(strings.TrimPrefix(written, tree.MarkSign), "@"))
	written, _, _ = strings.Cut(written[lead:], "#")
	from := r.At.Start + lead
	if offset < from || offset > from+len(written) {
		return ""
	}
	dir := path.Dir(r.Target)
	last := path.Base(strings.TrimRight(written, "/"))
	if strings.EqualFold(last, path.Base(dir)) { // a folder's path, which means its overview
		dir = path.Dir(dir)
	}
	names := strings.Split(written, "/")
	end := from + len(written) - len(names[len(names)-1])
	for i := len(names) - 2; i >= 0 && dir != "."; i-- {
		end-- // the slash
		at := markdown.Span{Start: end - len(names[i]), End: end}
		if !strings.EqualFold(names[i], path.Base(dir)) {
			return ""
		}
		if at.Start <= offset && offset < at.End {
			return dir
		}
		dir, end = path.Dir(dir), at.Start
	}
	return ""
}

// folderKind returns the usual name of a kind of folder.
func folderKind(k format.Kind) string {
	switch k {
	case format.KindDomain:
		return "domain"
	case format.KindTopic:
		return "topic"
	}
	return "subtopic"
}

// overviewOf is the file that describes a folder: its context.md, else its generated
// summary.
func overviewOf(v *workspace.View, dir string) (string, bool) {
	for _, file := range []string{"context.md", "_index.md"} {
		p := path.Join(dir, file)
		if _, ok := v.Entry(p); ok {
			return p, true
		}
	}
	return "", false
}
