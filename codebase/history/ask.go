package history

import (
	"time"

	"github.com/brv-lsp/brv-lsp/internal/git"
)

// Limits of what a [Past] reads and keeps.
const (
	// MaxText is the largest file, in bytes, whose text is read: what the map takes.
	MaxText = 1 << 20
	// keptTexts is the number of texts, and of results of Naming, that are kept; of ordinary files some 20
	// MB.
	keptTexts = 2_000
	// keptTrees is of how many states the list of files is kept, and maxTree how long it is.
	keptTrees = 8
	maxTree   = 100_000
	// maxLine is how many commits of the line are known.
	maxLine = 200_000
	// maxMemo is the number of places that are cached before the cache is emptied.
	maxMemo = 100_000
	// maxSteps is the number of renames that are followed.
	maxSteps = 8
	// beside is the longest time between the writing of a file and its commit for the file to describe the
	// state of that commit.
	beside = 24 * time.Hour
)

// Ask is a question for a file at a moment.
type Ask struct {
	Path string
	When time.Time
	// Neighbour is a file that was written at When by somebody who saw the asked one, "" for none. If it was
	// committed up to a day later, the state of that commit is the moment; if When is zero, it always is.
	Neighbour string
	// Saying is the neighbouring file at present. The moment is then that of the commit since which the file
	// has its content of HEAD, however late that was; but it is When if that is later and the file has
	// another content now, or was never committed.
	Saying *Saying
	// Short says that Path may be the end of the file's path: it then means the one file
	// of the state that ends in it.
	Short bool
	// LineOnly means that only the state itself counts. Other branches do not, since the history has too little
	// about old removals there, nor do later names of a file, except those of the file beside.
	LineOnly bool
	// Before means the state before the commit of the moment.
	Before bool
}

// Saying is a file's text with its content: changes outside of the content do not count. One past reads all
// texts in the same way.
type Saying struct {
	Text  string
	Says  func() string            // what Text says
	Reads func(text string) string // the content of another text of the file
}

// Version is the answer.
type Version struct {
	Known  bool // the state at the moment is known
	There  bool // and the file, or folder, was part of it
	Folder bool
	Text   string     // of the file; "" if it is too large
	Then   string     // the path that it had in that state
	Now    string     // the path that HEAD has it under, "" if it is gone
	State  git.Moment // the commit of the state
	// Event is the last thing that happened to its name since: the commit that moved or
	// removed it. Zero if nothing did.
	Event   Event
	Commits int // that changed the file since, as far as the history knows them
}

// Event is a commit that moved or removed a file.
type Event struct {
	Hash string
	Time time.Time
}
