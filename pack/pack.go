// Package pack answers a task with one text in one token budget: what the team
// knows about it, and the code it is about.
//
// [Build] goes through these steps, each in a file of its own:
//
//   - gather: entries that a search finds and files that the repo map ranks, at the same
//     time; what the editor knows (editor); what each leads to (connect): entries that
//     speak of a likely file or of the symbol at the cursor, files that a likely entry
//     names, related entries;
//   - pinned: items that the user pinned come before all others; items that the user dropped
//     are no candidates;
//   - marks: an entry that is archived, stale (its drift from the code) or
//     contradicted (contradict) says so in the text, below its heading, and in
//     [Item.Marks]; of two that contradict each other the one of higher maturity, then
//     the newer one, stands first;
//   - forms: each candidate can be shown at several prices. An entry: title and
//     summary, its best passage, two passages, all of it. A file: one line, the signature of
//     its best symbol, excerpts, all of it. An excerpt is a symbol, a piece of a long one, or
//     lines in no symbol, of five lines at least ([codebase.RepoMap.Excerpts]);
//   - fill: the open file and the best candidate go in as a line at least. Then, over all
//     candidates, always the step that adds the most value for a token, until the budget
//     is used up; repair exchanges what that leaves to gain; fit counts the real text;
//   - write: Markdown, with a source for each block. Nothing that an entry or
//     a file holds can end its block or look like another one; control characters are
//     left out, and characters that nobody sees are spelled out.
//
// The budget is kept exactly: the finished text is counted as a whole, and cut
// back until it fits.
//
// # One scale
//
// Entries and files compete by the chance that the task needs them ([Item.Score]). A hit's
// follows from its rank and score, a file's is [codebase.FileChance]; links, relations and
// the editor add to both as independent chances do. What a form is worth is its
// candidate's chance times what the form tells, and for code the chances that a change
// touches the excerpts shown ([codebase.Excerpt.Chance]; places of the editor raise those
// around them). What another entry says already, line by line, is not worth it twice.
// Three kinds of items have a limit: signatures get at most a quarter of the budget from
// 4,000 tokens up (nothing at 2,000, where bodies are worth more), bare paths a 25th, and
// generated summaries of folders 8 %.
//
// # End
//
// With [Task.Ends] no step is taken whose value for a token is below leastValue: the pack is smaller than its budget then,
// which [Pack.Ended] tells.
//
// # Order
//
// Equal inputs give equal packs, byte for byte. Knowledge comes first, then code, then
// lines; in each part what is most likely to be needed comes first, but for entries of
// core maturity about files that are shown as code, which come before all others.
//
// # Deadline
//
// With [Task.Deadline] each step looks at the clock and leaves out what there is no time
// for, which [Pack.Degraded] says: the search, the ranking (paths speak then), forms,
// bodies, the last tokens. The end of the context is an error.
//
// # Measured
//
// On 340 commits of eleven repositories that no weight was chosen on (Go, JavaScript, Python, Rust, TypeScript), message
// against parent, no tree, the whole budget used, by `go run ./bench/codebase -instances DIR -repos DIR`: share of the
// changed lines that are shown, as a mean over commits; of the changed files with at least a signature; of the changed
// functions and methods the share whose changed lines are shown, as a mean over commits.
//
//	tokens  lines   files   functions
//	 2,000  60.9 %  84.6 %     60.5 %
//	 4,000  74.0 %  95.0 %     73.6 %
//	 8,000  83.6 %  97.4 %     83.5 %
//
// Limits: a file that changed since it was mapped is shown as a whole or as a
// line, since its symbols' positions are no longer known. Values are estimates
// from ranks and words; no model is asked. A contradiction is seen where facts name the
// same subject, or an entry says in front of a relation what it supersedes.
package pack

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// EntryFile is the file, in the workspace, of an entry: one of the tree, or a section of a document.
func EntryFile(p string) string {
	if file, _, ok := format.SectionOf(p); ok {
		return file
	}
	if _, _, other := format.CutTree(p); other {
		return p
	}
	return tree.FromProject + p
}

// ErrBudget says that not even the smallest form of a candidate fits. The error
// that wraps it names the budget that would.
var ErrBudget = errors.New("budget too small")

// Inputs are the sources of a pack.
type Inputs struct {
	Tree      *tree.Snapshot
	Own       *tree.Snapshot  // Tree without the sections of documents that were added for this task; nil: Tree
	Beside    []retrieval.Hit // the hits among these sections
	Code      *codebase.RepoMap
	Links     *link.Links
	Search    func(ctx context.Context, text string, limit int) ([]retrieval.Hit, error)
	Drift     func(entry string) []link.Drift // how an entry no longer fits the code; nil: not known
	Ahead     func(entries []string)          // told of entries whose Drift will be asked for; nil: nobody
	Now       time.Time                       // by which entries are stale
	Count     func(string) int                // exact tokens
	Estimate  func(string) int                // about the same, cheaper
	Tokenizer string                          // what Count counts in, "" if it has no name: counts of named ones are kept in Memory
	Memory    *Memory                         // what earlier packs found out; nil: nothing
	Clock     func() time.Time                // by which a deadline passes; time.Now if nil
}

// own returns the tree that the memory belongs to. It stays the same from one task to the next.
func (in Inputs) own() *tree.Snapshot { return cmp.Or(in.Own, in.Tree) }

// Task is the task that the pack is for.
type Task struct {
	Text         string
	Budget       int               // tokens
	File         string            // the open file, "" if there is none
	Offset       int               // the cursor in it, in bytes; negative if it is not known
	Visible      syntax.Span       // what of it is on the screen, in bytes; empty if it is not known
	Places       []Place           // further places that the editor knows
	Boost        float64           // what the open file counts beside the task; 0: as measured best
	Strategy     codebase.Strategy // order of the files; default by relevance
	IncludeTests bool              // tests are candidates
	ExcludeTypes bool              // type definition files are no candidates
	Kinds        []Kind            // what may be in it; none: both
	Ends         bool              // the pack ends where nothing else is likely to be needed, and not with the budget
	Reasons      bool              // each item says in the text why it is there
	Deadline     time.Time         // when to answer with the best so far; zero: never
	Without      []string          // paths of entries and files that are no candidates
	Pinned       []string          // paths of entries and files that are shown before all others
}

// Place is a place in a file that speaks for it.
type Place struct {
	Path   string
	Offset int // in bytes, negative for the whole file
	Kind   PlaceKind
	Text   string        // the message of a problem
	Age    time.Duration // the age of an edit
}

// PlaceKind says why a place matters.
type PlaceKind string

// The kinds of places.
const (
	PlaceOpen      PlaceKind = "open"      // the file is open beside
	PlaceEdit      PlaceKind = "edit"      // it was edited
	PlaceProblem   PlaceKind = "problem"   // a compiler or linter complains there
	PlaceReference PlaceKind = "reference" // what the cursor is at is used there
	PlacePinned    PlaceKind = "pinned"    // the symbol around it is to be shown; its file stands in Task.Pinned
)

// wants reports whether items of a kind may be in the pack.
func (t Task) wants(k Kind) bool { return len(t.Kinds) == 0 || slices.Contains(t.Kinds, k) }

// Kind is the kind of an item: an entry or code.
type Kind string

// The two kinds.
const (
	KindEntry Kind = "entry"
	KindCode  Kind = "code"
)

// Form is how much of an item is shown.
type Form string

// The forms, per kind from the cheapest.
const (
	FormSummary Form = "summary" // entry: title and summary
	FormPassage Form = "passage" // entry: the section that fits best

	FormOutline  Form = "outline"  // code: a line with the names that matter
	FormSkeleton Form = "skeleton" // code: the signature of its best symbol
	FormBody     Form = "body"     // code: excerpts

	FormFull Form = "full" // either: all of it
)

// OneLine reports whether the form is a line of a list, which names an item and shows nothing else of its text.
func (f Form) OneLine() bool { return f == FormSummary || f == FormOutline || f == FormSkeleton }

// Item is one entry or file of a pack, or one that is missing.
type Item struct {
	Kind    Kind     `json:"kind"`
	Path    string   `json:"path"`              // the path of an entry in the tree, or of a file in the folder
	Title   string   `json:"title,omitempty"`   // the title of an entry
	Symbols []string `json:"symbols,omitempty"` // the symbols of a file that are shown
	Form    Form     `json:"form"`
	Lines   [2]int   `json:"lines"`           // the first and last line that is shown, 1-based; zero for an outline
	Tokens  int      `json:"tokens"`          // the tokens of its block; of an item that is missing, those of its cheapest form
	Score   float64  `json:"score"`           // 0–1
	Reason  string   `json:"reason"`          // why it is included, or why not
	Marks   []string `json:"marks,omitempty"` // warnings: stale, contradicted
	Pinned  bool     `json:"pinned,omitempty"`
}

// Pack is the answer.
type Pack struct {
	ID     string `json:"id,omitempty"` // identifies the pack, for `brv://pack/<id>.md`
	Text   string `json:"text"`
	Tokens int    `json:"tokens"` // the exact tokens of `text`, never more than the budget
	Budget int    `json:"budget"`
	Items  []Item `json:"items"`  // in the order of Text
	Missed []Item `json:"missed"` // the best candidates that are not in it
	// Ended is true if the pack is smaller than its budget because nothing else is likely to be needed.
	Ended bool `json:"ended,omitempty"`
	// Pending is the number of code files that were found by their words only, because they were still being parsed.
	Pending int `json:"pending,omitempty"`
	// Degraded lists the parts that are missing because of the deadline.
	Degraded []string `json:"degraded,omitempty"`
	// Gone lists the pinned items that do not exist any more.
	Gone []string `json:"gone,omitempty"`
	// Nothing says why the pack is empty.
	Nothing string `json:"nothing,omitempty"`
}
