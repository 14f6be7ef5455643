package link

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/tree"
)

// resolver finds what paths and names mean in one state of the code.
type resolver struct {
	code    Code
	files   map[string]bool     // paths that exist, mapped or skipped
	folders map[string]bool     // folders that hold them
	ends    map[string][]string // file or folder name → paths that end in it

	others   map[string]bool      // whether other paths exist, by path
	meanings map[string][]CodeRef // of what stood in inline code, by its text: names recur
}

func newResolver(code Code) *resolver {
	r := &resolver{code: code, files: map[string]bool{}, folders: map[string]bool{}, ends: map[string][]string{}, others: map[string]bool{}, meanings: map[string][]CodeRef{}}
	for _, c := range code.Chunks() {
		r.file(c.Path)
	}
	for _, s := range code.Skipped() {
		r.file(s.Path)
	}
	return r
}

// fresh returns a resolver for the same code and another build.
func (r *resolver) fresh() *resolver {
	next := *r
	next.others, next.meanings = map[string]bool{}, map[string][]CodeRef{}
	return &next
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

// refs returns an entry's links in order of place.
func (r *resolver) refs(e *tree.Entry) []CodeRef {
	var refs []CodeRef
	listed := map[string]bool{}
	for _, f := range e.Files {
		if ref, ok := r.listedFile(f); ok {
			refs = append(refs, ref)
			listed[ref.Path] = true
		}
	}
	for _, at := range e.Code {
		if !slices.ContainsFunc(refs, func(ref CodeRef) bool { return ref.Form == FormFile && overlap(ref.Span, at) }) {
			refs = append(refs, sure(r.inBody(at.Of(e.Text), at), listed)...)
		}
	}
	slices.SortStableFunc(refs, func(a, b CodeRef) int {
		return cmp.Or(a.Span.Start-b.Span.Start, cmp.Compare(b.Strength, a.Strength), cmp.Compare(a.Path, b.Path))
	})
	return refs
}

func overlap(a, b tree.Span) bool { return a.Start < b.End && b.Start < a.End }

// listedFile resolves an item of the Files list. What is not found is a link to
// nothing if it looks like a file that would be mapped; other words are no link.
func (r *resolver) listedFile(f tree.FileRef) (CodeRef, bool) {
	ref := CodeRef{Path: f.Path, Span: f.At, Form: FormFile, Strength: listed, Reason: "listed under Files"}
	p, ok := inside(f.Path)
	if !ok {
		return ref, false
	}
	found, whole := r.path(p)
	switch {
	case found == "":
		ref.Path = p
		return ref, syntax.LanguageOf(p) != ""
	case r.folders[found]:
		ref.Folder, ref.Strength, ref.Reason = true, listedFolder, "listed under Files: "+found+"/"
	case !whole:
		ref.Strength = listedSuffix
	}
	ref.Path, ref.Exists = found, true
	return ref, true
}

// inBody resolves the content of inline code: a path, or a name.
func (r *resolver) inBody(text string, at tree.Span) []CodeRef {
	if len(text) > maxMention {
		return nil
	}
	meant, known := r.meanings[text]
	if !known {
		meant = r.meaning(text)
		r.meanings[text] = meant
	}
	refs := slices.Clone(meant)
	for i := range refs {
		refs[i].Span = at
	}
	return refs
}

// meaning returns links that still lack their place.
func (r *resolver) meaning(text string) []CodeRef {
	if strings.Contains(text, "://") {
		return nil
	}
	if ref, ok := r.pathInBody(text); ok {
		return []CodeRef{ref}
	}
	return r.symbols(text)
}

// maxMention bounds, in bytes, what can be one path or name.
const maxMention = 512

var lineSuffix = regexp.MustCompile(`(?::\d+(?:-\d+)?|#L\d+(?:-L?\d+)?)$`)

func (r *resolver) pathInBody(text string) (CodeRef, bool) {
	written := lineSuffix.ReplaceAllString(text, "")
	isFile := syntax.LanguageOf(written) != ""
	p, ok := inside(written)
	if !ok || strings.ContainsAny(p, " \t") || !isFile && !strings.Contains(p, "/") {
		return CodeRef{}, false
	}
	ref := CodeRef{Path: p, Form: FormPath, Strength: mentioned, Reason: "mentions `" + text + "`"}
	found, whole := r.path(p)
	switch {
	case found == "":
		return ref, isFile && strings.Contains(p, "/") // `Vue.js` is a name
	case r.folders[found]:
		ref.Folder, ref.Strength = true, mentionsFolder
	case !whole:
		ref.Strength = mentionedEnd
	}
	ref.Path, ref.Exists = found, true
	return ref, true
}

// inside cleans a written path; false if it cannot be one of the workspace.
func inside(p string) (string, bool) {
	if p == "" || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || strings.ContainsAny(p, "\\:\x00") {
		return "", false
	}
	p = path.Clean(p)
	return p, p != "." && p != ".." && !strings.HasPrefix(p, "../")
}

// path returns the one file or folder that p names, as a whole or by its end.
func (r *resolver) path(p string) (found string, whole bool) {
	if r.files[p] || r.folders[p] || !strings.ContainsAny(p, " *") && r.exists(p) {
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

// exists asks the disk for a path that the map does not hold, once a build.
func (r *resolver) exists(p string) bool {
	there, asked := r.others[p]
	if !asked {
		there = r.code.Exists(p)
		r.others[p] = there
	}
	return there
}
