// Package vault turns folders of notes that were written for other programs into entries of the tree: Obsidian and
// zk vaults, Serena's memories, memory banks, decision records, the reference system's trees, and plain folders of
// Markdown.
//
//	plan, err := vault.Import(vault.Folder{Name: "notes", Files: files}, snapshot, vault.Options{})
//	report, err := store.Apply(ctx, plan.Batch("ann"))
//
// The package is pure. From files it makes a batch of operations, and lists what it left out and why.
//
// # Nothing is lost
//
// An entry is the author's file byte for byte, with added lines that state its source ([format.Imported]). Without
// these lines it is the file again.
//
// The reference system's newer trees consist of HTML files, each with an element <bv-topic>. Such a file is kept
// unchanged too. The search finds its words, and its relations are plain text.
//
// # Destination
//
// The two top folders of a note's path are its domain and topic; a third and all below it become the subtopic.
// Notes of the top folder, and of folders without subfolders, go below the name of the whole. [Options.Map] can
// change all of this. A name that is taken gets a number.
//
// # Links
//
// A link is resolved as in its own program: to the note that has the path, the name, or an alias. If the tree
// would resolve the same text differently, the entry records the target. Links that lead nowhere are reported and
// stay.
//
// # Further imports
//
// An imported file is recognised by its path, and a renamed or moved one by its text. If it changed, its entry
// gets the new text. If the entry was edited too, the entry stays and the conflict is reported. The entry of a
// deleted file stays. New notes of a folder go where most of its other notes are, unless the map says otherwise. A
// folder at another place, such as on a colleague's machine, is recognised if most of its notes are unchanged.
// Entries that wait for a review are not imported a second time.
package vault

import (
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// Dialect names the program for which a folder of notes was written.
type Dialect string

// The dialects.
const (
	Markdown   Dialect = "markdown" // any folder of Markdown files
	Obsidian   Dialect = "obsidian"
	Zk         Dialect = "zk"
	Serena     Dialect = "serena"
	MemoryBank Dialect = "memory-bank"
	Decisions  Dialect = "adr"
	ByteRover  Dialect = "byterover" // its trees of Markdown or HTML
)

// Dialects holds all dialects.
var Dialects = []Dialect{Markdown, Obsidian, Zk, Serena, MemoryBank, Decisions, ByteRover}

// File is a file of the folder.
type File struct {
	Path string // slash path in the folder
	Text string
}

// Folder is a folder of notes.
type Folder struct {
	Root   string   // its path from the project, even if it lies outside
	Files  []File   // notes, sorted by path
	Others []string // paths of all other files and hidden folders: pictures, settings
	// Has reports whether the project has a folder or file.
	Has func(root string) bool
}

// Options configure an import.
type Options struct {
	Dialect Dialect           // "": determined by the folder's content
	Map     map[string]string // folder of the vault ("." for the whole) → domain, domain/topic or domain/topic/subtopic
	Waiting []*format.Entry   // entries from earlier imports that wait for a review
}

// Plan holds the changes that an import would make.
type Plan struct {
	Dialect Dialect   `json:"dialect"`
	Root    string    `json:"root"`
	Folders []Mapping `json:"folders"` // the folders, sorted by `from`
	Ops     []plan.Op `json:"-"`
	Changed int       `json:"changed"` // the number of notes that were imported before, and changed or moved since then
	Links   int       `json:"links"`   // the number of links that lead to a note; each place counts once
	Outside int       `json:"outside"` // the number of links to files that are not imported; they stay as they are
	Broken  []Link    `json:"broken"`  // links that lead nowhere
	Left    []Left    `json:"left"`    // files that are not imported
	Unread  []Left    `json:"unread"`  // notes that are imported although their frontmatter cannot be read; it is kept as text
	Others  int       `json:"others"`  // the number of files that are not notes
	Gone    []string  `json:"gone"`    // entries whose note no longer exists; they stay

	Base map[string]string `json:"-"` // the hashes of the entries that change
}

// Mapping says where the notes of one folder go.
type Mapping struct {
	From  string `json:"from"` // a folder of the notes; "." for the top
	To    string `json:"to"`
	Notes int    `json:"notes"`
}

// Link is a link of a note that leads nowhere.
type Link struct {
	Path string `json:"path"` // the path of the note
	Line int    `json:"line"`
	Text string `json:"text"` // the text of the link
}

// Left is a file that is not imported.
type Left struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Already is the reason for leaving out a file that the tree has unchanged.
const Already = "imported already"

// Waits is the reason for leaving out a file whose entry waits for a review.
const Waits = "already waits for review"

// Batch returns the batch that makes the changes.
func (p *Plan) Batch(author string) plan.Batch {
	return plan.Batch{Ops: p.Ops, Author: author, Base: p.Base}
}

// IsTopic reports whether a text is a topic in HTML, as in the reference system's newer trees.
func IsTopic(text string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimPrefix(text, markdown.ByteOrderMark), " \t\r\n"), "<bv-topic")
	return ok && rest != "" && strings.ContainsAny(rest[:1], " \t\r\n>")
}

// detect determines a folder's dialect from its content.
func detect(f Folder) Dialect {
	has := func(name string) bool { return slices.Contains(f.Others, name) }
	count := func(is func(File) bool) (n int) {
		for _, file := range f.Files {
			if is(file) {
				n++
			}
		}
		return n
	}
	most := func(n int) bool { return n > 0 && 2*n > len(f.Files) }
	named := func(names ...string) func(File) bool {
		return func(file File) bool { return slices.Contains(names, path.Base(file.Path)) }
	}
	switch {
	case has(".obsidian"):
		return Obsidian
	case has(".zk"):
		return Zk
	case strings.HasSuffix(f.Root, ".serena/memories"):
		return Serena
	case count(named("projectbrief.md", "activeContext.md", "productContext.md")) > 1:
		return MemoryBank
	case path.Base(f.Root) == tree.Dir, has("_manifest.json"), count(named("context.md")) > 1,
		most(count(func(file File) bool { return IsTopic(file.Text) })):
		return ByteRover
	case most(count(func(file File) bool { return isRecord(path.Base(file.Path)) })):
		return Decisions
	}
	return Markdown
}

// isRecord reports whether a file has the name of a decision record, with a number: 0007-use-postgres.md.
func isRecord(name string) bool {
	digits := len(name) - len(strings.TrimLeft(name, "0123456789"))
	return digits >= 3 && digits <= 5 && len(name) > digits && (name[digits] == '-' || name[digits] == '_')
}
