// Package refactor plans changes of entries, and of the files that entries name, as edits
// that a user chooses in the editor: renames and moves, repairs of relations, what an
// entry of the frontmatter should be. It writes nothing, and what it plans is the user's own
// edit once the editor applied it.
package refactor

import (
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/relink"
)

// Project is the state on which changes are planned: tree, code and links. Paths are
// workspace paths (of the folder) unless they are said to be entries.
type Project struct {
	Tree  *tree.Snapshot
	Code  *codebase.RepoMap
	Links *link.Links
	Pages []*format.Entry // the repository's documents, with the files that their links lead to
	Now   time.Time
	// Text is a file's present text, an open buffer before the disk.
	Text func(path string) (text string, ok bool)
	// FilePath is the workspace path of an entry.
	FilePath func(entry string) string
}

// Change is a change of files that somebody may choose.
type Change struct {
	Title string
	Files []File // sorted by path; each file once
	// Left says, for people, what stays behind: links that lead nowhere afterwards, and why.
	Left []string
}

// File is the change of one file. Exactly one of its forms is used: edits of a text,
// perhaps with a new path; a new file; or a deletion.
type File struct {
	Path   string
	To     string          // the new path, "" if it stays
	Before string          // the text that Edits are of
	Edits  []markdown.Edit // sorted, not overlapping
	Create bool            // Path is new, with Text
	Text   string
	Delete bool

	// Confirm is why the user should look at this part before it is applied, "" where
	// it follows from what was asked for.
	Confirm string
}

// Unasked is the change without anything that the user is asked to confirm, for editors
// that cannot ask.
func (c Change) Unasked() Change {
	c.Files = slices.Clone(c.Files)
	for i := range c.Files {
		c.Files[i].Confirm = ""
	}
	return c
}

// Did reports whether moves, in workspace paths, are those of the change and its edits
// are in the texts already: an editor that carries the change out asks what must follow
// the moves, and the answer is nothing.
func (c Change) Did(moves []relink.FileMove, text func(path string) (string, bool)) bool {
	var own []relink.FileMove
	for _, f := range c.Files {
		if f.To != "" {
			own = append(own, relink.FileMove{From: f.Path, To: f.To})
		}
		if now, ok := text(f.Path); len(f.Edits) > 0 && (!ok || now != markdown.ApplyEdits(f.Before, f.Edits)) {
			return false
		}
	}
	return slices.Equal(own, moves)
}
