// Package curate turns what somebody selected, changed or wrote into operations on the
// tree.
//
// [Plan] drafts one entry from a selection, for an editor to show. [Propose] makes
// operations of any material without a model, and [Compose] lets a model make them. All
// are pure but for what [Project] lets them ask: they read no file, run no git and write
// nothing.
//
//	message    a commit's message → title, rules, changes, or why it says nothing
//	diff       a difference → what it is about, its symbols, its most telling lines
//	markdown   a document → entries; plain: code and other texts
//	place      the topic: where the tree speaks of it already, else a new one
//	sure       when that is clear, and the topics to choose from where it is not
//	upkeep     changes that keep a project in order and teach nothing
//	duplicate  the entry that says the same, and what is new for it
//	propose    the above in order, and a dry run
//
// # What is said
//
// The title is what the material says of itself: the commit's subject without marks and
// numbers, the heading, the first sentence of a comment, the symbol. Sentences that demand
// something become rules, items of lists become changes, and nothing is said that the
// material does not say. A change without a message is named by what it defines.
//
// # Where it is put
//
// Four signs are added up for each topic: its entries name the files; they are linked to what
// changes, or to names of code in the title (package link); its headings and texts have the
// words of title, paths and definitions; its name has them. An entry that names much tells
// little of each, as does a symbol or a word that many entries have.
//
// A draft lands by itself only where the best topic is clearly ahead of the next,
// or less clearly and the search agrees; else it is offered with the likeliest topics and a new
// one, and becomes an operation once somebody names one.
//
// If no topic has enough, a new one is named after the file, never after a folder such as src,
// unless it would only repeat the name of one that is there. It stands in the domain whose
// entries name the folder's files.
//
// A document is a subject of its own: it lands in the topic that has an entry about it, in one
// that is named like it and clearly ahead, or in a new one where none stands out. Its sections
// stay together, and wait together. A name that says nothing (7.md, NOTES.md) names no topic: the folder of a
// series does, or the title.
//
// # What is left out
//
// Merges, releases, new versions of dependencies, changes of form, spelling, comments or
// tests alone, upkeep, and one line about many files, or about several of which none is named
// by its topic, say nothing worth an entry; a note says which it was. What looks like upkeep by
// its message or all its lines is left out, too, unless somebody names a topic. Credentials and
// characters that are not seen go before anything is cut. Names are snake_case in any script;
// a name that exists gets a number.
package curate

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree"
)

// MaxSelection is the most bytes of a selection that an entry keeps: the paper's
// limit of characters for one source (Table 7).
const MaxSelection = 40_000

// Selection is what was selected, and where.
type Selection struct {
	Path      string // workspace path of the file
	Entry     string // tree path, if the file is an entry itself
	Text      string
	StartLine int    // 1-based
	EndLine   int    // 1-based, the last line that is selected
	Language  string // info string of the fence, "" if unknown
	Symbol    string // the definition that is selected, "" if unknown
}

// Draft is a planned entry.
type Draft struct {
	Path  string // in the tree; no entry is there yet
	Title string
	Text  string
}

// Plan drafts an entry from a selection. It fails only for an empty or oversized
// selection.
func Plan(sel Selection, t *tree.Snapshot, now time.Time) (Draft, error) {
	sel.Text = clean(sel.Text)
	switch {
	case strings.TrimSpace(sel.Text) == "":
		return Draft{}, errors.New("the selection is empty")
	case len(sel.Text) > MaxSelection:
		return Draft{}, fmt.Errorf("the selection has %d bytes, an entry keeps at most %d; select less", len(sel.Text), MaxSelection)
	}
	title := unbroken(titleOf(sel))
	related := relatedEntries(sel, t)
	d := Draft{Path: t.FreePath(folderFor(sel, title, related, t), title), Title: title}
	d.Text = render(sel, title, related, now)
	return d, nil
}

// clean gives the text one kind of line end, without what people do not see.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	return strings.ReplaceAll(sanitize.Visible(s), "\ufffd", "")
}
