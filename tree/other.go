package tree

import (
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// A person may have other trees beside a folder's own: theirs, a team's. In a snapshot of all of them the entries of another
// tree stand behind its name, NAME:domain/topic/file.md, and relations are written so too: @team:auth/jwt.md. A name has two
// letters or more, since one before a colon is a drive.

// Behind returns an entry as it stands behind the name of its tree.
func Behind(name string, e *format.Entry) *format.Entry {
	named := *e
	named.Path = name + ":" + e.Path
	return &named
}
