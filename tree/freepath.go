package tree

import (
	"path"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Twin returns the path of an existing entry or folder that some file systems
// cannot tell from p: equal but for letter case or Unicode form.
func (s *Snapshot) Twin(p string) (string, bool) {
	if twins := s.Twins(p); len(twins) > 0 {
		return twins[0], true
	}
	return "", false
}

// Twins lists the entries, then the folders, that are p but for letter case or
// Unicode form.
func (s *Snapshot) Twins(p string) []string {
	var found []string
	look := func(among []string) {
		for _, q := range among {
			if q != p && format.FoldCase(q) == format.FoldCase(p) {
				found = append(found, q)
			}
		}
	}
	if at, ok := s.places.Get(KeyOf(p)); ok {
		look(at.files)
	}
	if at, ok := s.places.Get(format.Fold(p)); ok {
		look(at.folders)
	}
	return found
}

// KindOf returns the kind of a tree path: a folder, an entry or a summary. The root is none of them.
func (s *Snapshot) KindOf(p string) (format.Kind, bool) {
	if e, ok := s.Entry(p); ok {
		if e.Role == format.RoleSummary {
			return format.KindSummary, true
		}
		return format.KindContext, true
	}
	if n, ok := s.Node(p); ok && p != "" {
		return n.Kind, true
	}
	return 0, false
}

// FreePath returns the first free path for an entry of that title in a folder. A path is taken if it, or a
// path that some systems cannot tell from it, exists, or if a folder has its name without .md, since a
// relation could mean that folder. The second path that is tried ends with _2, and so on.
func (s *Snapshot) FreePath(dir, title string) string {
	name := format.Slug(title)
	for n := 1; ; n++ {
		suffix := ""
		if n > 1 {
			suffix = "_" + strconv.Itoa(n)
		}
		stem := name
		for len(stem)+len(suffix) > format.MaxNameBytes {
			_, size := utf8.DecodeLastRuneInString(stem)
			stem = stem[:len(stem)-size]
		}
		p := path.Join(dir, stem+suffix) + ".md"
		at, known := s.places.Get(KeyOf(p))
		if !s.Taken(p) && (!known || len(at.folders) == 0) {
			return p
		}
	}
}

// Taken reports whether p is in use: by a file, read or not, or by a twin.
func (s *Snapshot) Taken(p string) bool {
	if _, ok := s.KindOf(p); ok || len(s.Twins(p)) > 0 {
		return true
	}
	return slices.ContainsFunc(s.skipped, func(k Skipped) bool { return format.FoldCase(k.Path) == format.FoldCase(p) })
}
