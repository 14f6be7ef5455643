package tree

import (
	"path"
	"slices"
	"strings"
)

// Resolve says what a path written inside the entry `from` means: the exact
// file, then with .md, then the folder's context.md; letter case, and hyphen for
// underscore, are forgiven where nothing matches exactly. Several equally good
// files are ambiguous. A path that is absolute, climbs, or is an address is
// never looked up.
func (s *Snapshot) Resolve(from string, form Form, raw string) Resolution {
	if form == FormMarkdown {
		return s.resolveLink(from, raw)
	}
	p, ok := inTree(raw)
	if !ok {
		return Resolution{Escapes: true}
	}
	if r := s.lookUp(p); r.Target != "" || len(r.Candidates) > 0 {
		return r
	}
	if form == FormWiki && !strings.Contains(p, "/") {
		return one(s.names[fold(strings.TrimSuffix(p, ".md"))])
	}
	return Resolution{}
}

// resolveLink resolves a markdown link's target: relative to the entry's folder,
// then from the tree's root. Links that leave the tree are the editor's own.
func (s *Snapshot) resolveLink(from, raw string) Resolution {
	if strings.ContainsAny(raw, `\:%`) {
		return Resolution{}
	}
	rel := path.Join(path.Dir(from), raw)
	if strings.HasPrefix(raw, "/") {
		rel = path.Clean(strings.TrimLeft(raw, "/"))
	}
	for _, p := range []string{rel, path.Clean(raw)} {
		if p == "." || p == ".." || strings.HasPrefix(p, "../") || strings.HasPrefix(p, "/") {
			continue
		}
		if r := s.lookUp(p); r.Target != "" {
			return r
		}
	}
	return Resolution{}
}

// inTree cleans a tree path; ok is false for anything that could name a place
// outside: absolute, home and drive paths, addresses, back-slashes, percent
// escapes and "..".
func inTree(raw string) (string, bool) {
	if strings.ContainsAny(raw, "\\:%\x00") || strings.HasPrefix(raw, "/") || strings.HasPrefix(raw, "~") {
		return "", false
	}
	for seg := range strings.SplitSeq(raw, "/") {
		if seg == ".." {
			return "", false
		}
	}
	return strings.Trim(path.Clean(raw), "/"), true
}

func (s *Snapshot) lookUp(p string) Resolution {
	for _, exact := range []string{p, p + ".md", p + "/context.md"} {
		if _, ok := s.entries[exact]; ok {
			return Resolution{Target: exact}
		}
	}
	key := fold(strings.TrimSuffix(p, ".md"))
	if r := one(s.files[key]); r.Target != "" || len(r.Candidates) > 0 {
		return r
	}
	return s.folder(key)
}

// folder resolves a topic path: its context.md, or what it holds if it has none.
func (s *Snapshot) folder(key string) Resolution {
	dirs := s.folders[key]
	var overviews, held []string
	for _, d := range dirs {
		if _, ok := s.entries[d+"/context.md"]; ok {
			overviews = append(overviews, d+"/context.md")
		}
		for _, e := range s.nodes[d].Entries {
			if RoleOf(e) == RoleEntry {
				held = append(held, e)
			}
		}
	}
	if len(overviews) > 0 {
		return one(overviews)
	}
	return one(held)
}

// one turns a list of matches into a resolution.
func one(paths []string) Resolution {
	switch len(paths) {
	case 0:
		return Resolution{}
	case 1:
		return Resolution{Target: paths[0]}
	}
	return Resolution{Candidates: slices.Clone(paths)}
}

// fold makes names comparable: without case, hyphen as underscore.
func fold(p string) string {
	return strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(p))
}
