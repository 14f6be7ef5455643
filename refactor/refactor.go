// Package refactor plans changes that a user chooses in the editor: renames and moves, repairs of relations, and
// changes of an entry's frontmatter. It returns edits of entries, and of the files that entries name, and writes
// nothing itself. The editor applies them as the user's own edits.
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

// Project is the state on which changes are planned: tree, code and links. Paths are workspace paths, unless they
// are called entries.
type Project struct {
	Tree  *tree.Snapshot
	Code  *codebase.RepoMap
	Links *link.Links
	Pages []*format.Entry // the repository's documents, with the files that their links lead to
	Now   time.Time
	// Text returns a file's present text, that of an open buffer if there is one.
	Text func(path string) (text string, ok bool)
	// FilePath returns the workspace path of an entry.
	FilePath func(entry string) string
}

// Change is a change of files that a user may choose.
type Change struct {
	Title string
	Files []File // sorted by path; each file once
	// Left describes, for people, what the change leaves behind: links that lead nowhere afterwards, and why.
	Left []string
}

// File is the change of one file. Exactly one of its forms is used: edits of a text,
// perhaps with a new path; a new file; or a deletion.
type File struct {
	Path   string
	To     string          // the new path, "" if it stays
	Before string          // the text to which Edits apply
	Edits  []markdown.Edit // sorted, not overlapping
	Create bool            // Path is new, with Text
	Text   string
	Delete bool

	// Confirm is why the user should look at this part before it is applied. It is "" if the user asked for this
	// part.
	Confirm string
}

// Unasked returns the change without requests for confirmation, for editors that do not support them.
func (c Change) Unasked() Change {
	c.Files = slices.Clone(c.Files)
	for i := range c.Files {
		c.Files[i].Confirm = ""
	}
	return c
}

// Did reports whether the moves, in workspace paths, equal the moves of the change, and its edits are in the texts
// already. When an editor applies the change, it asks which edits must follow the moves. Then there are none.
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

// Fix is one action that a user may choose for an entry: the repair of a problem, or a step in the life of a sound
// entry. Its change is planned when it is chosen.
type Fix struct {
	ID        string        // distinguishes it from other fixes of the same state of the entry
	Title     string        // the text in the user's list of choices
	Repairs   string        // the code of the problem that it repairs, "" for none
	At        markdown.Span // where the problem is
	Preferred bool          // most users would choose it
	Sure      bool          // the meaning is certain, so that it may be applied together with others, unread
	Disabled  string        // why it cannot be chosen now, "" if it can
	Plan      func() (Change, error)
}

// editing is an entry in its project, to be changed.
type editing struct {
	Project
	entry *format.Entry
}

// change returns a change of the entry with the edits in order. It leaves out edits that overlap others.
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

// edit makes a fix from known edits.
func (d editing) edit(id, title string, edits ...markdown.Edit) Fix {
	return Fix{ID: id, Title: title, Plan: func() (Change, error) { return d.change(title, edits...), nil }}
}
