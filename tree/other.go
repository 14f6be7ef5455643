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
	if !ok || !IsName(name) || strings.HasPrefix(inner, "/") {
		return "", p, false
	}
	return name, inner, true
}

// IsName reports whether another tree may have a name: letters, digits, - and _, 2 to 40 of them.
func IsName(name string) bool {
	return len(name) >= 2 && len(name) <= 40 && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	})
}

// Behind returns an entry as it stands behind the name of its tree.
func Behind(name string, e *format.Entry) *format.Entry {
	named := *e
	named.Path = name + ":" + e.Path
	return &named
}
