// Package dream maintains a context tree: it brings together what is written down twice, links
// what belongs together, says what the code has left behind, finds what recurs across domains,
// and archives what has lost its worth (specification "Dreaming").
//
//	Run: gates → lock → consolidate → synthesize → prune → log and state
//
// A phase plans steps on a snapshot and writes nothing; Run does them one after the other, each
// as a batch of the journal that names the dream as its author. So a dream that is stopped at
// any moment leaves whole steps behind, and taking a dream back is taking back its batches:
// every byte, mode, time and counter, as the journal does it.
//
// Without a model rules plan: near-duplicates (package overlap), relations that are missing,
// drift of the code, decay. With one, the model decides over the same candidates, and what it
// says is checked like any text from outside: it chooses among entries that it was shown, and
// names nothing else.
//
// What takes something away or rewrites it waits for a review, and so does all that a model
// decides but that an entry stays. Rules add relations at once, and the new names of files that
// git saw move, and not to core entries. Nothing is planned for an entry of which something
// waits.
//
// A step is made for entries as they were when it was planned: where another process changed one
// of them meanwhile, the step fails and says so, and the next dream looks at that entry again.
//
// A step whose files the disk refuses is left out, with a note that names the entry and the cause,
// and the dream goes on; a journal that cannot go on ends it.
//
// What can be damaged: a state that cannot be read is set aside, and the logs tell what it said
// but for rejections older than they are. A log that is missing or cannot be read hinders nothing:
// what its dream did is in the journal, by which the dream is taken back, and the file is set
// aside. A change whose record cannot be read stays, and the undo names it. Logs of the reference
// system in the same folder are left as they are; its state and its lock file are not read.
package dream

import (
	"context"
	"fmt"
	"time"

	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// Phase is a part of a dream.
type Phase string

// The phases, in their order.
const (
	Consolidate Phase = "consolidate"
	Synthesize  Phase = "synthesize"
	Prune       Phase = "prune"
)

// Action is the kind of a step.
type Action string

// The actions of the specification. Skip, and Keep of an entry that needs nothing, are not steps.
const (
	Merge          Action = "MERGE"
	TemporalUpdate Action = "TEMPORAL_UPDATE"
	CrossReference Action = "CROSS_REFERENCE"
	Create         Action = "CREATE"
	Archive        Action = "ARCHIVE"
	Keep           Action = "KEEP"
	MergeInto      Action = "MERGE_INTO" // a hint for the next dream; nothing changes
)

// Step is one operation of a dream, planned or done.
type Step struct {
	Phase      Phase         `json:"type"`
	Action     Action        `json:"action"`
	Inputs     []string      `json:"inputFiles"`           // paths in the tree
	Output     string        `json:"outputFile,omitempty"` // the path of the written file in the tree
	Reason     string        `json:"reason"`
	Confidence float64       `json:"confidence,omitempty"`
	Review     bool          `json:"needsReview"`
	Key        string        `json:"key,omitempty"` // identifies the operation and its texts; a rejected operation is not proposed again
	Ops        []plan.Op     `json:"-"`
	Origin     format.Origin `json:"origin,omitzero"` // the model that decided; empty if rules decided

	// The result of the operation.
	Batch   int    `json:"batch,omitempty"` // of the journal
	Status  Status `json:"status,omitempty"`
	Message string `json:"message,omitempty"`
	Diff    string `json:"diff,omitempty"` // the difference, in a dry run
	Undo    Fate   `json:"undo,omitempty"` // the result of undoing the dream
	Stays   []Stay `json:"stays,omitempty"`
}

// Status is the outcome of a step.
type Status string

// The possible results of a step.
const (
	Done   Status = "done"
	Waits  Status = "waits" // for a review
	Failed Status = "failed"
)

// open reports whether a step is planned only.
func (s Step) open() bool { return s.Status == "" }

// text is the reason as the log of the tree and reviews show it (specification, "Review
// Integration").
func (s Step) text() string { return fmt.Sprintf("[dream/%s] %s", s.Phase, s.Reason) }

// Sight holds the sources of a dream besides the tree. Any of them may be missing.
type Sight struct {
	Drifts func(ctx context.Context, entries []*format.Entry) (map[string][]link.Drift, error) // how entries no longer fit the code
	// of the tree; a model is shown what it finds, too
	Search retrieval.Search
}

// material is the input of a phase.
type material struct {
	tree     *tree.Snapshot
	sight    Sight
	now      time.Time
	looked   *looked                // entries that need no further look
	pending  []PendingMerge         // merges suggested by the last prune
	refused  func(key string) bool  // a person rejected it and nothing has changed since; or it waits
	busy     func(path string) bool // an operation that waits for a review would change the entry
	proposed []plan.Op              // syntheses that wait for a review
	counsel  *counsel               // nil: rules decide
	note     func(format string, args ...any)
}
