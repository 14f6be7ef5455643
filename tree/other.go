package tree

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// A person may have other trees beside a folder's own: theirs, a team's. In a snapshot of all of them the entries of another
// tree stand behind its name, NAME:domain/topic/file.md, and relations are written so too: @team:auth/jwt.md. A name has two
// letters or more, since one before a colon is a drive.

// CutName separates the name of another tree from a path there; ok is false for a path of the folder's own tree.
func CutName(p string) (name, inner string, ok bool) {
	name, inner, ok = strings.Cut(p, ":")
	if !ok || !format.IsTreeName(name) || strings.HasPrefix(inner, "/") {
		return "", p, false
	}
	return name, inner, true
}

// Behind returns an entry as it stands behind the name of its tree.
func Behind(name string, e *format.Entry) *format.Entry {
	named := *e
	named.Path = name + ":" + e.Path
	return &named
}
