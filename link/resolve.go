package link

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// resolver finds the meaning of paths and names in one state of the code.
type resolver struct {
	code    Code
	files   map[string]bool     // paths that exist, mapped or skipped
	folders map[string]bool     // folders that contain them
	ends    map[string][]string // file or folder name → paths that end in it

	others   map[string]bool    // whether other paths exist, by path, as far as known
	meanings map[string]meaning // the meanings of inline code, by text, since names recur
}

// meaning is the file or symbols that a text in inline code can name, without their place in the entry.
type meaning struct {
	refs  []CodeRef
	tests []CodeRef // they count only if the entry lists their file
	keys  []string  // as reading.keys
}

func newResolver(code Code) *resolver {
	n := len(code.Chunks())
	r := &resolver{code: code, files: make(map[string]bool, n), folders: map[string]bool{}, ends: make(map[string][]string, n),
		others: map[string]bool{}, meanings: map[string]meaning{}}
	for _, c := range code.Chunks() {
		r.file(c.Path)
	}
	for _, s := range code.Skipped() {
		r.file(s.Path)
	}
	return r
}

// fresh returns a resolver for the same files that checks the disk again and records the results for itself.
func (r *resolver) fresh(code Code) *resolver {
	next := *r
	next.code, next.others, next.meanings = code, map[string]bool{}, map[string]meaning{}
	return &next
}

// after is like fresh, but keeps r's knowledge of the disk.
func (r *resolver) after(code Code) *resolver {
	next := r.fresh(code)
	next.others = maps.Clone(r.others)
	return next
}

func (r *resolver) file(p string) {
	if r.files[p] {
		return
	}
	r.files[p] = true
	r.ends[path.Base(p)] = append(r.ends[path.Base(p)], p)
	for dir := path.Dir(p); dir != "." && !r.folders[dir]; dir = path.Dir(dir) {
		r.folders[dir] = true
		r.ends[path.Base(dir)] = append(r.ends[path.Base(dir)], dir)
	}
}

// read finds an entry's links.
func (r *resolver) read(s *tree.Snapshot, e *format.Entry) reading {
	var out reading
	listed := map[string]bool{}
	for _, f := range e.Files {
		ref, keys, ok := r.listedFile(f)
		out.keys = append(out.keys, keys...)
		if ok {
			out.refs = append(out.refs, ref)
			listed[ref.Path] = true
		}
	}
	links, keys := r.linksOf(s, e)
	out.keys = append(out.keys, keys...)
	for _, f := range links {
		if r.there(f.Path) {
			out.refs = append(out.refs, CodeRef{Path: f.Path, Span: f.At, Form: FormLink, Folder: r.folders[f.Path], Exists: true,
				Strength: mentioned, Reason: "links to " + f.Path})
		}
	}
	slices.SortStableFunc(out.refs, byPlace)
	files := out.refs // in order of place, as the code references are
	for _, at := range e.Code {
		for len(files) > 0 && files[0].Span.End <= at.Start {
			files = files[1:]
		}
		if len(files) > 0 && overlap(files[0].Span, at) {
			continue
		}
		m := r.inBody(at.Of(e.Text))
		out.refs = append(out.refs, sure(m, listed, at)...)
		out.keys = append(out.keys, m.keys...)
	}
	slices.SortStableFunc(out.refs, byPlace)
	slices.Sort(out.keys)
	out.keys = slices.Clip(slices.Compact(out.keys))
	return out
}

func byPlace(a, b CodeRef) int {
	return cmp.Or(a.Span.Start-b.Span.Start, cmp.Compare(b.Strength, a.Strength), cmp.Compare(a.Path, b.Path))
}

// linksOf lists the files that an entry's Markdown links lead to, and files of code behind an @. A target that
// does not exist counts as the last of its possible paths.
func (r *resolver) linksOf(s *tree.Snapshot, e *format.Entry) (out []format.FileRef, keys []string) {
	for _, k := range tree.Outlinks(s, e) {
		p := k.Ways[len(k.Ways)-1]
		if i := slices.IndexFunc(k.Ways, r.there); i >= 0 {
			p = k.Ways[i]
		}
		for _, way := range k.Ways {
			keys = append(keys, pathKeys(way)...)
		}
		if at, ok := k.Said(e.Text); ok && !strings.HasPrefix(p, tree.FromProject) {
			out = append(out, format.FileRef{Path: p, At: at})
		}
	}
	for _, m := range e.Relations {
		if at, ok := m.Said(e.Text); ok && m.Form == format.FormAt && s.Resolve(e.Path, m.Form, m.Raw).Target == "" {
			if p, ok := inside(at.Of(e.Text)); ok {
				out, keys = append(out, format.FileRef{Path: p, At: at}), append(keys, pathKeys(p)...)
			}
		}
	}
	return out, keys
}

func overlap(a, b markdown.Span) bool { return a.Start < b.End && b.Start < a.End }

// listedFile resolves an item of the Files list. A pattern means the folder that it begins with. An item that is not
// found is a broken link if it looks like a file that would be mapped. Other words are no link.
func (r *resolver) listedFile(f format.FileRef) (ref CodeRef, keys []string, ok bool) {
	ref = CodeRef{Path: f.Path, Span: f.At, Form: FormFile, Strength: listed, Reason: "listed under Files"}
	p, ok := inside(f.Path)
	if !ok {
		return ref, nil, false
	}
	found, whole := r.path(p)
	keys = pathKeys(p)
	sign := strings.IndexAny(p, "*?{")
	switch {
	case found == "" && sign >= 0:
		ref, keys, ok = r.listedFile(format.FileRef{Path: p[:max(strings.LastIndex(p[:sign], "/"), 0)], At: f.At})
		return ref, keys, ok && ref.Folder
	case found == "":
		ref.Path = p
		return ref, keys, syntax.LanguageOf(p) != ""
	case r.folders[found]:
		ref.Folder, ref.Strength, ref.Reason = true, listedFolder, "listed under Files: "+found+"/"
	case !whole:
		ref.Strength = listedSuffix
	}
	ref.Path, ref.Exists = found, true
	return ref, keys, true
}

// pathKeys returns the keys of a path. Whether the path exists, and whether other paths end in it, depends on the
// files and folders with its last name, or on the disk.
func pathKeys(p string) []string { return []string{path.Base(p), p} }

// inBody resolves the content of inline code: a path, or a name.
func (r *resolver) inBody(text string) meaning {
	if len(text) > maxMention {
		return meaning{}
	}
	m, known := r.meanings[text]
	if !known {
		m = r.meaning(text)
		r.meanings[text] = m
	}
	return m
}

func (r *resolver) meaning(text string) (m meaning) {
	if strings.Contains(text, "://") {
		return m
	}
	if p, ok := pathIn(text); ok {
		m.keys = pathKeys(p)
		if ref, ok := r.pathInBody(text, p); ok {
			m.refs = []CodeRef{ref}
			return m
		}
	}
	if n, ok := nameIn(text); ok {
		keys := m.keys
		m = r.symbols(text, n)
		m.keys = append(m.keys, keys...)
	}
	return m
}

// maxMention bounds the length of one path or name, in bytes.
const maxMention = 512

// pathIn parses a path. It must have a folder, or the extension of a file that is mapped.
func pathIn(text string) (string, bool) {
	written := format.WithoutLines(text)
	p, ok := inside(slashed(written))
	if !ok || strings.ContainsAny(p, " \t") || syntax.LanguageOf(written) == "" && !strings.Contains(p, "/") {
		return "", false
	}
	return p, true
}

// slashed replaces backslashes in the path of a code file by slashes.
func slashed(file string) string {
	if syntax.LanguageOf(file) == "" || strings.Contains(file, "/") {
		return file
	}
	return strings.ReplaceAll(file, `\`, "/")
}

// like writes a path with backslashes if the written one has them.
func like(written, p string) string {
	if strings.Contains(written, `\`) {
		return strings.ReplaceAll(p, "/", `\`)
	}
	return p
}

func (r *resolver) pathInBody(text, p string) (CodeRef, bool) {
	ref := CodeRef{Path: p, Form: FormPath, Strength: mentioned, Reason: "mentions `" + text + "`"}
	found, whole := r.path(p)
	switch {
	case found == "":
		return ref, syntax.LanguageOf(p) != "" && strings.Contains(p, "/") // `Vue.js` is a name
	case r.folders[found]:
		ref.Folder, ref.Strength = true, mentionsFolder
	case !whole:
		ref.Strength = mentionedEnd
	}
	ref.Path, ref.Exists = found, true
	return ref, true
}

// inside cleans a written path. It is false if the path cannot be inside the workspace.
func inside(p string) (string, bool) {
	if p == "" || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || strings.ContainsAny(p, "\\:\x00") {
		return "", false
	}
	p = path.Clean(p)
	return p, p != "." && p != ".." && !strings.HasPrefix(p, "../")
}

// path returns the one file or folder that p names, whole or by its end.
func (r *resolver) path(p string) (found string, whole bool) {
	if r.there(p) {
		return p, true
	}
	for _, candidate := range r.ends[path.Base(p)] {
		if !strings.HasSuffix(candidate, "/"+p) {
			continue
		}
		if found != "" {
			return "", false
		}
		found = candidate
	}
	return found, false
}

// there reports whether a path is in the workspace.
func (r *resolver) there(p string) bool { return r.files[p] || r.folders[p] || r.exists(p) }

// exists checks the disk for a path outside of the map, once in a build.
func (r *resolver) exists(p string) bool {
	there, asked := r.others[p]
	if !asked {
		there = r.code.Exists(p)
		r.others[p] = there
	}
	return there
}
