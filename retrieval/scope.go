package retrieval

import (
	"path"
	"strings"
)

// A query can say where to look: by [Query.Scope], by a path in front
// ("auth/jwt refresh token"), or by a domain's name as its first word
// ("authentication refresh token"). Only a place that exists in the tree is a
// scope, so "read/write splitting" and "TCP/IP" stay what they are: words.

// places are the folders and entries of a tree, by folded path.
type places map[string]string

// placesOf lists the places of docs: every entry and every folder above one.
func placesOf(docs []*doc) places {
	out := places{}
	for _, d := range docs {
		if d == nil {
			continue
		}
		out.add(d.entry.Path)
		for dir := path.Dir(d.entry.Path); dir != "." && out.add(dir); dir = path.Dir(dir) {
		}
	}
	return out
}

// add puts a path in and reports whether it is new. Of two paths that fold to
// one the first in order counts.
func (p places) add(real string) bool {
	key := foldPath(real)
	old, ok := p[key]
	if !ok || real < old {
		p[key] = real
	}
	return !ok
}

// find returns the place that a path names, in any case and with hyphens or
// underscores; the @ of a relation and the ending .md do not matter.
func (p places) find(written string) (string, bool) {
	real, ok := p[foldPath(strings.TrimPrefix(written, "@"))]
	return real, ok
}

func foldPath(p string) string {
	p = strings.TrimSuffix(strings.ToLower(strings.Trim(p, "/")), ".md")
	return strings.ReplaceAll(p, "-", "_")
}

// within reports whether an entry is the scope or lies under it.
func within(entry, scope string) bool {
	rest, ok := strings.CutPrefix(entry, scope)
	return ok && (rest == "" || rest[0] == '/')
}

// target is where a query looks, and for what.
type target struct {
	scope   string // "" for the whole tree
	text    string // what to look for
	implied bool   // the text said so, not the caller
	missing string // a scope the caller asked for that does not exist
}

// target reads a query's scope.
func (x *Index) target(q Query) target {
	t := target{text: q.Text}
	if strings.Trim(q.Scope, "/ ") != "" {
		place, ok := x.places().find(strings.TrimSpace(q.Scope))
		if !ok {
			t.missing = q.Scope
			return t
		}
		t.scope = place
		if said, ok := x.said(q.Text); ok && within(said.scope, place) {
			t.text = said.text // the text repeats or narrows it
			t.scope = said.scope
		}
		return t
	}
	if said, ok := x.said(q.Text); ok {
		return said
	}
	return t
}

// said finds a scope at the start of a query's text. A single word is one only if
// it is a domain and something follows it.
func (x *Index) said(text string) (target, bool) {
	first, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	first, rest = strings.TrimRight(first, ",:;"), strings.TrimSpace(rest)
	place, ok := x.places().find(first)
	if !ok || foldPath(first) == "" {
		return target{}, false
	}
	if !strings.Contains(strings.Trim(first, "/"), "/") && (rest == "" || strings.Contains(place, "/")) {
		return target{}, false
	}
	if rest == "" {
		rest = first
	}
	return target{scope: place, text: rest, implied: true}, true
}
