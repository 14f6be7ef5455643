// Package vault turns folders of notes that were written for other programs into entries of the tree: Obsidian and zk
// vaults, Serena's memories, memory banks, decision records, the reference system's trees, and plain folders of
// Markdown.
//
//	plan, err := vault.Import(vault.Folder{Name: "notes", Files: files}, snapshot, vault.Options{})
//	report, err := store.Apply(ctx, plan.Batch("ann"))
//
// It is pure: files in, a batch of operations out, with what was left out and why.
//
// # Nothing is lost
//
// An entry is the author's file byte for byte, with lines added that say where it comes from
// ([format.Imported]); without them the file is there again.
//
// The reference system's newer trees are of HTML, an element <bv-topic> a file. Such a file is kept as it is too: it is
// found by its words, and its relations are text.
//
// # Where it goes
//
// Two folders above a note are its domain and topic, a third and all below it the subtopic. Notes of the top folder,
// and folders with nothing below them, stand under the name of the whole. All of it can be said otherwise
// ([Options.Map]). A name that is taken gets a number.
//
// # Links
//
// A link is kept in its own program: to the note that the path or the name means there, or one of its
// aliases. Where the tree would read the same words otherwise, the entry says so itself. Links that led nowhere are
// reported, and nothing is made for them.
//
// # Again
//
// A file that was imported is known by its path, and one that was renamed or moved by its text. One that changed since
// gives its entry the new text, unless somebody changed that too: then it is reported, and the entry stays. A file that
// is gone leaves its entry. New notes of a folder go where most of its others are, unless it is said otherwise. A
// folder is known again at another place, as a colleague has it, by most of its notes being as
// they were. What waits for a review is not imported a second time.
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

// Dialect is the kind of a folder of notes.
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

// Dialects are all of them.
var Dialects = []Dialect{Markdown, Obsidian, Zk, Serena, MemoryBank, Decisions, ByteRover}

// File is a file of the folder.
type File struct {
	Path string // slash path in the folder
	Text string
}

// Folder is a folder of notes.
type Folder struct {
	Root   string   // its path from the project, also where it lies outside
	Files  []File   // notes, sorted by path
	Others []string // paths of all other files and hidden folders: pictures, settings
	// Has reports whether the project has a folder or file.
	Has func(root string) bool
}

// Options say how a folder is read.
type Options struct {
	Dialect Dialect           // "": by the folder's shape
	Map     map[string]string // folder of the vault ("." for the whole) → domain, domain/topic or domain/topic/subtopic
	Waiting []*format.Entry   // that earlier imports would add and that wait for a review
}

// Plan holds the changes that an import would make.
type Plan struct {
	Dialect Dialect   `json:"dialect"`
	Root    string    `json:"root"`
	Folders []Mapping `json:"folders"` // sorted by From
	Ops     []plan.Op `json:"-"`
	Changed int       `json:"changed"` // of the notes, how many are imported already and changed or moved since
	Links   int       `json:"links"`   // that lead to a note, each place once
	Outside int       `json:"outside"` // that lead to a file that is not imported; they stay as they are written
	Broken  []Link    `json:"broken"`  // that led nowhere
	Left    []Left    `json:"left"`    // files that are not imported
	Unread  []Left    `json:"unread"`  // notes that are, with frontmatter that does not read as an entry's and so is text
	Others  int       `json:"others"`  // files that are no notes
	Gone    []string  `json:"gone"`    // entries whose note is there no more; they stay

	Base map[string]string `json:"-"` // the hashes of the entries that change
}

// Mapping is where the notes of one folder go.
type Mapping struct {
	From  string `json:"from"` // "." for the top
	To    string `json:"to"`
	Notes int    `json:"notes"`
}

// Link is a link that leads nowhere.
type Link struct {
	Path string `json:"path"` // of the note
	Line int    `json:"line"`
	Text string `json:"text"` // what it says
}

// Left is a file that is not imported.
type Left struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Already is why a file is left that the tree has as it is.
const Already = "imported already"

// Waits is why a file is left whose entry is to be decided on.
const Waits = "already waits for review"

// Batch is the batch that does it.
func (p *Plan) Batch(author string) plan.Batch {
	return plan.Batch{Ops: p.Ops, Author: author, Base: p.Base}
}

// IsTopic reports whether a text is a topic of the reference system in HTML, as its newer trees have them.
func IsTopic(text string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimPrefix(text, markdown.ByteOrderMark), " \t\r\n"), "<bv-topic")
	return ok && rest != "" && strings.ContainsAny(rest[:1], " \t\r\n>")
}

// detect tells a folder's dialect by its shape.
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

// isRecord reports whether a file is named as decision records are, by number: 0007-use-postgres.md.
func isRecord(name string) bool {
	digits := len(name) - len(strings.TrimLeft(name, "0123456789"))
	return digits >= 3 && digits <= 5 && len(name) > digits && (name[digits] == '-' || name[digits] == '_')
}
