package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jsonerr"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// OpType names an operation.
type OpType string

// The operations. The first five are the paper's (Table 1). MOVE changes a path and keeps relations right.
// CONFIRM records that somebody checked an entry and it is still true. ARCHIVE and RESTORE are the archive's.
// KEEP records that an entry stays though it is stale: it changes no file, and staleness counts from then on.
const (
	OpAdd     OpType = "ADD"
	OpUpdate  OpType = "UPDATE"
	OpUpsert  OpType = "UPSERT"
	OpMerge   OpType = "MERGE"
	OpDelete  OpType = "DELETE"
	OpMove    OpType = "MOVE"
	OpConfirm OpType = "CONFIRM"
	OpArchive OpType = "ARCHIVE"
	OpRestore OpType = "RESTORE"
	OpKeep    OpType = "KEEP"
)

// Op is one change of the tree. Its JSON has the keys of ByteRover's operations, and more (docs/format.md). `path` is a folder,
// domain/topic or domain/topic/subtopic, and `title` then names the entry in it; or `path` is the path of one entry,
// with .md. DELETE and MOVE also take any folder.
type Op struct {
	Type    OpType         `json:"type" flag:"op"`
	Path    string         `json:"path" flag:"path"`
	Title   string         `json:"title,omitempty" flag:"title"` // the title of the entry; with the path of an entry, its new title
	Summary string         `json:"summary,omitempty" flag:"summary"`
	Text    string         `json:"text,omitempty"` // ADD and UPDATE with the path of an entry: the whole file, instead of other keys
	Content format.Content `json:"content,omitzero"`
	Reason  string         `json:"reason" flag:"reason"`             // required; the audit log keeps it
	Replace []format.Part  `json:"replace,omitempty" flag:"replace"` // UPDATE and UPSERT: parts whose present content is removed
	To      string         `json:"to,omitempty" flag:"to"`           // MOVE: the new path

	// MERGE: the path or folder of the target, as `path` for the source
	MergeTarget      string `json:"mergeTarget,omitempty" flag:"merge-target"`
	MergeTargetTitle string `json:"mergeTargetTitle,omitempty" flag:"merge-target-title"`

	// Upkeep marks an UPDATE that changes only relations and listed files. The time of the last update and the counts
	// stay.
	Upkeep bool `json:"upkeep,omitempty"`
	// Renames lists new names of files and code for an UPDATE. They replace the old names where these stand alone in
	// the entry. `content` and `replace` apply to the text after that.
	Renames []Rename `json:"renames,omitempty"`
	// Lineage makes a MERGE record the source in the target: `consolidated_at` and `consolidated_from`.
	Lineage bool `json:"lineage,omitempty"`
	// Synthesis marks the entry of an ADD as a synthesis of several domains. For an UPDATE, it replaces the values of
	// the synthesis.
	Synthesis *format.Synthesis `json:"synthesis,omitempty"`

	Confidence string `json:"confidence,omitempty"`           // how sure the proposer is: high or low
	Impact     string `json:"impact,omitempty" flag:"impact"` // `high` asks for a review

	// The descriptions of new folders.
	DomainContext   *DomainContext   `json:"domainContext,omitempty"`
	TopicContext    *TopicContext    `json:"topicContext,omitempty"`
	SubtopicContext *SubtopicContext `json:"subtopicContext,omitempty"`
}

// Rename is an old and a new name of a file or of code.
type Rename struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// DomainContext describes a new domain.
type DomainContext struct {
	Purpose   string `json:"purpose,omitempty"`
	Ownership string `json:"ownership,omitempty"`
	Usage     string `json:"usage,omitempty"`
	Scope     struct {
		Included []string `json:"included,omitempty"`
		Excluded []string `json:"excluded,omitempty"`
	} `json:"scope,omitzero"`
}

// TopicContext describes a new topic.
type TopicContext struct {
	Overview      string   `json:"overview,omitempty"`
	KeyConcepts   []string `json:"keyConcepts,omitempty"`
	RelatedTopics []string `json:"relatedTopics,omitempty"`
}

// SubtopicContext describes a new subtopic.
type SubtopicContext struct {
	Focus          string `json:"focus,omitempty"`
	ParentRelation string `json:"parentRelation,omitempty"`
}

// Hold says which operations of a batch wait for a review before they change
// anything.
type Hold string

// The three ways to hold.
const (
	HoldRisky Hold = ""     // deletes, merges, and changes of what core entries say
	HoldAll   Hold = "all"  // everything, for batches of a model or a tool
	HoldNone  Hold = "none" // nothing: the user is responsible
)

// Batch is a list of operations that happen as one step. An operation sees the results of earlier operations. If it
// does not wait for a review, it does not see operations that wait. A failed operation changes nothing and does not
// stop the others, unless the batch is atomic. If one operation of an atomic batch waits for a review, all of them
// wait.
type Batch struct {
	Ops    []Op   `json:"operations"`
	Author string `json:"author,omitempty"` // the author: a user's name, an agent, or "dream"
	Atomic bool   `json:"atomic,omitempty"` // if one operation fails, all fail
	DryRun bool   `json:"dryRun,omitempty"` // only say what would happen
	Hold   Hold   `json:"hold,omitempty"`

	BasePath string `json:"basePath,omitempty"` // a key of the reference system's operations; not used

	Origin format.Origin `json:"-"` // who writes, said by the program and never by the batch itself

	// Base lists the entries that the operations were made for, by tree path: the hash of each, or "" if it
	// only has to exist. If one of them has changed, all operations fail ([FailConflict]), since their texts
	// were made for another state.
	Base map[string]string `json:"-"`

	found []screened // the results of screening the operations; see [Batch.Screen]
}

// MaxOps bounds a batch: as much as one import brings in, and far more than a person writes. The limit for
// agents and models is [MaxProposed].
const MaxOps = 10_000

// Status says how an operation ended.
type Status string

// The possible results of an operation.
const (
	StatusSuccess Status = "success"
	StatusFailed  Status = "failed"
	StatusPending Status = "pending" // held: nothing changed yet
)

// Failure is the kind of a failed operation's reason, for programs.
type Failure string

// The kinds of failure.
const (
	FailInvalid  Failure = "invalid"  // the operation itself is wrong
	FailExists   Failure = "exists"   // ADD, MOVE, RESTORE: something is there; Existing holds its text
	FailMissing  Failure = "missing"  // an entry or folder that it needs is missing
	FailConflict Failure = "conflict" // someone keeps changing the same files, or has one open with unsaved changes
	FailFull     Failure = "full"     // the tree would hold more files than are read
	FailAtomic   Failure = "atomic"   // another operation of an atomic batch failed
)

// Result is the outcome of one operation. Its JSON is the reference system's, with further keys.
type Result struct {
	Type        OpType  `json:"type"`
	Path        string  `json:"path"`
	Status      Status  `json:"status"`
	Code        Failure `json:"code,omitempty"`
	Message     string  `json:"message"`
	Confidence  string  `json:"confidence,omitempty"`
	Impact      string  `json:"impact,omitempty"`
	NeedsReview bool    `json:"needsReview"`
	// the number of credentials that were replaced in the texts of the operation
	Redacted        int           `json:"redacted,omitempty"`
	Screened        string        `json:"-"`                   // what was taken out or changed in what it says, as the message ends
	Unchanged       bool          `json:"unchanged,omitempty"` // the entry already said everything
	Reason          string        `json:"reason"`
	Summary         string        `json:"summary,omitempty"`
	PreviousSummary string        `json:"previousSummary,omitempty"`
	FilePath        string        `json:"filePath,omitempty"`            // the path of the entry or folder in the tree
	AlsoChanged     []string      `json:"additionalFilePaths,omitempty"` // other files that it made, changed or removed
	Existing        string        `json:"existing,omitempty"`            // with the code `exists`: the text that is there
	Losses          []format.Loss `json:"losses,omitempty"`              // statements of the entry that the operation does not repeat
	Dangling        []string      `json:"dangling,omitempty"`            // each relation that now leads nowhere, as "path:line: relation"
}

// Counts has the number of results.
type Counts struct {
	Added     int `json:"added"`
	Updated   int `json:"updated"`
	Merged    int `json:"merged"`
	Deleted   int `json:"deleted"`
	Moved     int `json:"moved"`
	Confirmed int `json:"confirmed"`
	Archived  int `json:"archived"`
	Restored  int `json:"restored"`
	Kept      int `json:"kept"`
	Unchanged int `json:"unchanged"` // entries that already said everything
	Pending   int `json:"pending"`
	Failed    int `json:"failed"`
}

// Report is the result of a batch.
type Report struct {
	Batch    int      `json:"batch,omitempty"`  // the number of the batch; 0 if nothing changed and nothing waits
	Tree     string   `json:"tree,omitempty"`   // the name of the user's other tree; "" for the tree of the folder
	Waited   bool     `json:"waited,omitempty"` // nothing was stored: the same change already waits in this batch
	Results  []Result `json:"applied"`
	Summary  Counts   `json:"summary"`
	Diff     string   `json:"diff,omitempty"`     // of a dry run: the unified difference of everything that would change
	Files    []string `json:"files,omitempty"`    // the files of the tree that changed
	Undone   *Undone  `json:"undone,omitempty"`   // of an undo: the changes that it undid
	Dangling []string `json:"dangling,omitempty"` // of an undo: each relation that now leads nowhere, as "path:line: relation"
	Kept     []string `json:"kept,omitempty"`     // files that somebody edited during the change; they keep this edit

	// Held is the difference that the pending operations would make. It is no part of an answer.
	Held string `json:"-"`

	// Comments lists comments in code, and links in documents, that lead nowhere after the operations that do not
	// wait. brv-lsp does not change these files. Links that a waiting operation would break are in its difference.
	Comments []Comment `json:"comments,omitempty"`
}

// Comment is a comment in code, or a link in a document, to an entry that does not exist any more, or that now leads
// to another entry.
type Comment struct {
	Path    string `json:"path"`              // the path of the code file or document in the folder
	Line    int    `json:"line"`              // 1-based
	Text    string `json:"comment"`           // its text; of a comment, the text from its @ on
	Instead string `json:"instead,omitempty"` // the text to write instead, or "" if the entry is gone
}

// strandedComment begins the line of a comment in a difference.
const strandedComment = "no longer leads to its entry: "

// String tells people where the comment is and how to change it.
func (c Comment) String() string {
	s := fmt.Sprintf("%s%s:%d: %s", strandedComment, c.Path, c.Line, c.Text)
	if c.Instead != "" {
		s += "; write " + c.Instead + " instead"
	}
	return s
}

// ParseBatch reads a batch from JSON: the object of [Batch], or a bare list of
// operations. Unknown keys are errors, so that a misspelt one does not pass
// silently.
func ParseBatch(data []byte) (Batch, error) {
	data = markdown.WithoutMarks(words.UTF8(data))
	var b Batch
	var target any = &b
	if strings.HasPrefix(strings.TrimSpace(string(data)), "[") {
		target = &b.Ops
	}
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(target); err != nil {
		return Batch{}, fmt.Errorf("operations: %w", located(data, err))
	}
	if at := dec.InputOffset(); strings.TrimSpace(string(data[at:])) != "" {
		return Batch{}, fmt.Errorf("operations: unexpected text after the JSON value, at byte %d", at)
	}
	return b, nil
}

// Parts are the part names that Replace allows.
var Parts = func() (out []format.Part) {
	for _, r := range format.Parts {
		out = append(out, r.Part)
	}
	return append(out, format.PartReason)
}()

// check refuses operations that are invalid in any tree, misspelt words first: a misspelt word would lead to
// less care than was asked for.
func (op Op) check() error {
	switch op.Type {
	case OpAdd, OpUpdate, OpUpsert, OpMerge, OpDelete, OpMove, OpConfirm, OpArchive, OpRestore, OpKeep:
	default:
		return Failed(
			FailInvalid, "unknown operation %q; use ADD, UPDATE, UPSERT, MERGE, DELETE, MOVE, CONFIRM, ARCHIVE, RESTORE or KEEP",
			op.Type)
	}
	if strings.TrimSpace(op.Reason) == "" {
		return Failed(FailInvalid, "%s needs a reason for the log", op.Type)
	}
	if op.Text != "" && (op.Type != OpAdd && op.Type != OpUpdate || op.Title+op.Summary != "" || len(op.Content.Parts()) > 0) {
		return Failed(FailInvalid, "text is the whole file of an ADD or UPDATE, so title, summary and content cannot be given too")
	}
	if err := op.checkTaken(); err != nil {
		return err
	}
	if op.Upkeep {
		if err := op.checkUpkeep(); err != nil {
			return err
		}
	}
	if op.Impact != "" && op.Impact != "high" && op.Impact != "low" {
		return Failed(FailInvalid, "impact must be high or low, not %q", op.Impact)
	}
	for _, p := range op.Replace {
		if !slices.Contains(Parts, p) {
			return Failed(FailInvalid, "replace: unknown part %q; the parts are %s", p, strings.Trim(fmt.Sprint(Parts), "[]"))
		}
	}
	for _, r := range op.Renames {
		if r.From == "" || r.To == "" || strings.ContainsAny(r.To, "\r\n`") {
			return Failed(FailInvalid, "renames: %q to %q; give two names, each on one line and without backticks", r.From, r.To)
		}
	}
	return nil
}

// checkTaken refuses fields that the operation would ignore. [state.mustFind] decides whether a title is new.
func (op Op) checkTaken() error {
	writes := slices.Contains([]OpType{OpAdd, OpUpdate, OpUpsert, OpMerge}, op.Type)
	for _, f := range []struct {
		name    string
		ignored bool
	}{
		{"summary", op.Summary != "" && !writes},
		{"content", len(op.Content.Parts()) > 0 && !writes},
		{"replace", len(op.Replace) > 0 && (!writes || op.Type == OpAdd)},
		{"to", op.To != "" && op.Type != OpMove},
		{"renames", len(op.Renames) > 0 && op.Type != OpUpdate},
		{"mergeTarget", op.MergeTarget+op.MergeTargetTitle != "" && op.Type != OpMerge},
	} {
		if f.ignored {
			return Failed(FailInvalid, "%s takes no %s; leave it out, or use another operation for it", op.Type, f.name)
		}
	}
	return nil
}

// checkUpkeep refuses upkeep that would change what an entry says.
func (op Op) checkUpkeep() error {
	c := op.Content
	c.Relations, c.RawConcept.Files = nil, nil
	says := op.Title != "" || op.Summary != "" || op.Synthesis != nil || len(c.Parts()) > 0
	for _, p := range op.Replace {
		says = says || p != format.PartRelations && p != format.PartFiles
	}
	if op.Type != OpUpdate || says {
		return Failed(FailInvalid, "upkeep can only UPDATE relations and files")
	}
	return nil
}

// Check refuses an invalid batch.
func (b Batch) Check() error {
	if len(b.Ops) > MaxOps {
		return fmt.Errorf("the batch has %d operations; it can have at most %d", len(b.Ops), MaxOps)
	}
	if err := b.overProposed(); err != nil {
		return err
	}
	if b.Hold != HoldRisky && b.Hold != HoldAll && b.Hold != HoldNone {
		return fmt.Errorf("hold must be all, none, or empty (to hold risky changes), not %q", b.Hold)
	}
	return nil
}

// located explains an error of the JSON decoder, with the line if it is known.
func located(data []byte, err error) error {
	var offset int64
	switch e := err.(type) {
	case *json.SyntaxError:
		offset = e.Offset
	case *json.UnmarshalTypeError:
		offset = e.Offset
	default:
		return errors.New(jsonerr.Text(err))
	}
	return fmt.Errorf("line %d: %s", 1+strings.Count(string(data[:min(int(offset), len(data))]), "\n"), jsonerr.Text(err))
}

// count adds a result to the sums. made marks an UPSERT that created its entry.
func (c *Counts) count(r Result, made bool) {
	switch {
	case r.Status == StatusFailed:
		c.Failed++
	case r.Status == StatusPending:
		c.Pending++
	case r.Unchanged:
		c.Unchanged++
	case r.Type == OpAdd || r.Type == OpUpsert && made:
		c.Added++
	case r.Type == OpUpdate || r.Type == OpUpsert:
		c.Updated++
	case r.Type == OpMerge:
		c.Merged++
	case r.Type == OpDelete:
		c.Deleted++
	case r.Type == OpMove:
		c.Moved++
	case r.Type == OpConfirm:
		c.Confirmed++
	case r.Type == OpArchive:
		c.Archived++
	case r.Type == OpRestore:
		c.Restored++
	case r.Type == OpKeep:
		c.Kept++
	}
}

// overview returns the operation's description of a new folder of that kind.
func (op Op) overview(kind format.Kind) format.Overview {
	switch {
	case kind == format.KindDomain && op.DomainContext != nil:
		d := op.DomainContext
		return format.Overview{Purpose: d.Purpose, Ownership: d.Ownership, Usage: d.Usage, Included: d.Scope.Included,
			Excluded: d.Scope.Excluded}
	case kind == format.KindTopic && op.TopicContext != nil:
		t := op.TopicContext
		return format.Overview{Overview: t.Overview, KeyConcepts: t.KeyConcepts, RelatedTopics: t.RelatedTopics}
	case kind == format.KindSubtopic && op.SubtopicContext != nil:
		return format.Overview{Focus: op.SubtopicContext.Focus, ParentRelation: op.SubtopicContext.ParentRelation}
	}
	return format.Overview{}
}

// Stamp is a moment as entries write it.
func Stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// Undone is a change that an undo undid.
type Undone struct {
	ID         int      `json:"id"`
	Action     string   `json:"action"`               // apply, approve, reject or undo
	Of         int      `json:"of,omitempty"`         // the number of the batch that was approved, rejected or undone
	About      []string `json:"about,omitempty"`      // the paths in the tree that it was about
	WaitsAgain bool     `json:"waitsAgain,omitempty"` // its operations wait for a review again
}

// Waits begins the message of a held operation.
const Waits = "Waits for review. When approved: "

// WhenApproved returns the part of a held operation's message that says what an approval will do.
func WhenApproved(message string) string { return strings.TrimPrefix(message, Waits) }

// mentionAt describes a relation for people: path:line: its text.
func mentionAt(e *format.Entry, r format.Mention) string {
	return fmt.Sprintf("%s:%d: %s", e.Path, 1+strings.Count(e.Text[:min(r.At.Start, len(e.Text))], "\n"), r.Raw)
}

// screened is the result of screening one operation.
type screened struct {
	redacted int
	hidden   int   // characters that were removed
	disarmed bool  // links and pictures
	err      error // why it cannot be done
	path     bool  // and it was a path
}

// note returns the remark about screening that is added to an operation's message.
func (s screened) note() string {
	var notes []string
	if s.redacted > 0 {
		notes = append(notes, "redacted "+words.Counted(s.redacted, "credential", "credentials"))
	}
	if s.hidden > 0 {
		notes = append(notes, "removed "+words.Counted(s.hidden, "invisible character", "invisible characters"))
	}
	if s.disarmed {
		notes = append(notes, "made links and pictures harmless")
	}
	return strings.Join(notes, "; ")
}

// Normal is the type in its canonical case.
func (t OpType) Normal() OpType { return OpType(strings.ToUpper(strings.TrimSpace(string(t)))) }

// failure is why an operation cannot be done.
type failure struct {
	code     Failure
	message  string
	existing string
}

func (f *failure) Error() string { return f.message }

// Failed is the error of an operation that cannot be done.
func Failed(code Failure, format string, args ...any) error {
	return &failure{code: code, message: fmt.Sprintf(format, args...)}
}

// Limits on a batch of an agent or a model: as much as a person can review. The limit on deletes counts the
// entries that DELETE removes, alone or with their folder, and the entries that MERGE puts into another.
const (
	MaxProposed        = 20
	MaxProposedDeletes = 5
)

// overProposed says why a batch is larger than an agent or a model may propose, based on the entries that it
// names.
func (b Batch) overProposed() error {
	if b.Origin.Human() {
		return nil
	}
	deletes := 0
	for _, op := range b.Ops {
		if t := op.Type.Normal(); t == OpDelete || t == OpMerge {
			deletes++
		}
	}
	switch {
	case len(b.Ops) > MaxProposed:
		return fmt.Errorf("%d operations were proposed; an agent or a model can propose at most %d at once", len(b.Ops), MaxProposed)
	case deletes > MaxProposedDeletes:
		return TooManyDeletes(deletes)
	}
	return nil
}

// TooManyDeletes refuses a proposal that would delete n entries, if that is too many.
func TooManyDeletes(n int) error {
	return fmt.Errorf("the operations would delete %d entries or more; an agent or a model can delete or merge at most %d at once",
		n, MaxProposedDeletes)
}

// Kept returns the results in a form that the journal and callers may have: old texts of entries may hold
// credentials that somebody wrote by hand.
func Kept(results []Result) []Result {
	out := make([]Result, len(results))
	for i, r := range results {
		for _, s := range []*string{&r.Existing, &r.PreviousSummary, &r.Summary, &r.Message} {
			*s = secrets.Redact(*s)
		}
		losses := make([]format.Loss, 0, len(r.Losses))
		for _, l := range r.Losses {
			l.Item = secrets.Redact(l.Item)
			losses = append(losses, l)
		}
		if r.Losses != nil {
			r.Losses = losses
		}
		r.Dangling = Redacted(r.Dangling)
		out[i] = r
	}
	return out
}

// Redacted are texts without the credentials in them.
func Redacted(texts []string) []string {
	out := slices.Clone(texts)
	for i := range out {
		out[i] = secrets.Redact(out[i])
	}
	return out
}
