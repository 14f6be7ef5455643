package curate

import (
	"context"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// Material holds the sources from which knowledge is curated.
type Material struct {
	Sources     []Source
	Changes     *Changes // a difference of code, nil for none
	Threads     []Thread // of a review
	Instruction string   // what the user says to it, "" for nothing
	Topic       string   // where new entries go, in the form of [CheckTopic]; "": where links or a model suggest
	AnyTopic    bool     // without a model: use the likeliest topic, even if links do not suggest it
}

// Kind is the kind of a source.
type Kind string

// The kinds of sources.
const (
	KindText      Kind = "text"     // plain text
	KindCode      Kind = "code"     // a code file
	KindMarkdown  Kind = "markdown" // a document whose headings are its structure
	KindSelection Kind = "selection"
)

// Source is one text to curate from.
type Source struct {
	Path      string // workspace path of the file
	Entry     string // tree path, if the file is an entry itself
	Kind      Kind
	Text      string // cleaned, within the limits
	StartLine int    // 1-based, of a selection
	EndLine   int
	Language  string   // info string of a fence, "" if unknown
	Symbols   []string // definitions that the text makes, the telling ones first
	Note      string   // what was left out or could not be read, "" for nothing
}

// Changes are the changes of a commit, or of a difference that is not committed yet.
type Changes struct {
	Name    string // "commit 1a2b3c4d5e6f", "staged changes", "changes in the working tree"
	Commit  string // hash, "" where there is none yet
	Message string // of the commit
	Files   []FileChange
	Note    string // what was left out
}

// Thread is a reviewer's comments on a line of a change, and whether a later change settled them.
type Thread struct {
	Path    string // of the file, as the host names it
	Line    int    // 1-based; 0 if the line is not there any more
	Text    string // the first comment
	Link    string
	Settled bool // resolved, or the lines that it is about were changed since
	Bot     bool // no person said it
}

// FileChange is one file of a difference.
type FileChange struct {
	Path    string // workspace path; of a file that is gone, where it was
	From    string // where it was before, if it was renamed
	Status  byte   // A, M, D or R, as git has it
	Added   []Hunk
	Removed []Hunk
	Symbols []string // definitions that the change touches
	Binary  bool
	Left    string // why its lines were not read, "" if they were
}

// Hunk is a run of lines of a difference.
type Hunk struct {
	Line int // 1-based, in the file that has the lines
	Text string
}

// Project holds the state that drafting reads and does not change.
type Project struct {
	Tree   *tree.Snapshot
	Search func(ctx context.Context, q retrieval.Query) (retrieval.Result, error)
	Code   *codebase.RepoMap // may be empty
	// Links are those between Tree and the code; nil where nothing is linked.
	Links func(ctx context.Context) (*link.Links, error)
	// Read is a code or text file of the project, cut to what a source may have.
	Read func(ctx context.Context, path string) (Source, error)
	// Try reports what a batch would do, and changes nothing.
	Try func(ctx context.Context, b plan.Batch) (*plan.Report, error)
	Now time.Time
}

// Proposal is a batch of operations with notes about its making. It is not written yet.
type Proposal struct {
	Ops    []plan.Op
	Origin format.Origin
	Notes  []string     // notes for the reader: sources that were cut, a model that failed
	Report *plan.Report // what a dry run of Ops says
	Usage  llm.Usage

	Refused []string // why something was not drafted

	Undecided []Undecided // drafts that are no operations before somebody names their topic
}
