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

// Fix is one thing that somebody may choose to do about an entry: the repair of a
// problem, or a step in the life of a sound entry. What it changes is planned when it is
// chosen.
type Fix struct {
	ID        string        // tells it from the others of the same state of the entry
	Title     string        // what the user chooses by
	Repairs   string        // code of the problem that it ends, "" for none
	At        markdown.Span // where the problem is
	Preferred bool          // what most would choose
	Sure      bool          // nothing else could be meant: may be made with others, unread
	Disabled  string        // why it cannot be chosen now, "" if it can
	Plan      func() (Change, error)
}

// editing is one entry with what is needed to change it.
type editing struct {
	Project
	entry *format.Entry
}

// change is a change of the entry being edited: edits in order, those left out that would touch
// what another changes.
func (d editing) change(title string, edits ...markdown.Edit) Change {
	slices.SortStableFunc(edits, func(a, b markdown.Edit) int { return a.At.Start - b.At.Start })
	var kept []markdown.Edit
	for _, ed := range edits {
		if len(kept) == 0 || kept[len(kept)-1].At.End <= ed.At.Start && kept[len(kept)-1].At != ed.At {
			kept = append(kept, ed)
		}
	}
	return Change{Title: title, Files: []File{{Path: d.FilePath(d.entry.Path), Before: d.entry.Text, Edits: kept}}}
}

// edit makes a fix of edits that are known already.
func (d editing) edit(id, title string, edits ...markdown.Edit) Fix {
	return Fix{ID: id, Title: title, Plan: func() (Change, error) { return d.change(title, edits...), nil }}
}
