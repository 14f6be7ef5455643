// Package curate turns what somebody selected, changed or wrote into operations on the
// tree.
//
// [Plan] drafts one entry from a selection, for an editor to show. [Propose] makes
// operations of any material without a model, and [Compose] lets a model make them. All
// are pure but for what [Project] lets them ask: they read no file, run no git and write
// nothing.
//
//	change     a difference → what it touches, for a model; which paragraph of a message says why
//	markdown   how texts are quoted
//	place      the topic: what entries are linked to says it, or somebody does; the entry that says the same
//	propose    the above in order, and a dry run
//
// # What is said
//
// Nothing but what the material says, as it stands: a selection, the message of a commit that says why, and what a
// reviewer said. A document is knowledge where it stands: who wants a section of it in the tree imports it. What a change
// did, and which part of a file is worth knowing, cannot be told without understanding it: nothing is drafted then, and a
// note names the next step. A title is a sentence of the author, or a name of the code.
//
// # Where it is put
//
// An entry's links (package link) say what it is about. A draft lands in the topic whose
// entries are linked to more than half of it, or to most of it if the search, which knows nothing
// of links, finds it there first. Any other waits for somebody to name its topic: offered are those
// of linked entries, those that the search finds, and a new one, which is named after the file,
// never after a folder such as src.
//
// # What is left out
//
// Credentials and characters that are not seen go before anything is cut. Names are snake_case in
// any script; a name that exists gets a number.
package curate

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// Selection is a selected text and its place. Without a path nothing was selected, and there is a statement.
type Selection struct {
	Path      string // workspace path of the file
	Entry     string // tree path, if the file is an entry itself
	Text      string
	StartLine int    // 1-based
	EndLine   int    // 1-based, the last line that is selected
	Language  string // info string of the fence, "" if unknown
	Symbol    string // the definition that is selected, "" if unknown

	// Statement is the user's own sentence for the next person: the entry says that and refers to
	// the selection. Without it the entry keeps the selected text.
	Statement string
	Topic     string // where the entry stands, "" for the likeliest
}

// Draft is a planned entry.
type Draft struct {
	Path  string // in the tree; no entry is there yet
	Title string
	Text  string
}

// clean converts the text to one kind of line end and removes invisible characters.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	return strings.ReplaceAll(sanitize.Visible(s), "\ufffd", "")
}
