package tree

import (
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// A person may have other trees beside a folder's own, such as a private one or a team's. In a snapshot of
// all of them the path of an entry of another tree begins with its name, NAME:domain/topic/file.md, and
// relations are written the same way: @team:auth/jwt.md. A name has two letters or more, since a single
// letter before a colon is a drive.

// Behind returns an entry as it stands behind the name of its tree.
func Behind(name string, e *format.Entry) *format.Entry {
	named := *e
	named.Path = name + ":" + e.Path
	return &named
}
