package format

import (
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// Kind is the level of a path in the tree's hierarchy. The numbers come from the paper's symbol tree
// (section 3.2.2).
type Kind int // The five symbol kinds.
const (
	KindDomain   Kind = 1 // top-level folder
	KindTopic    Kind = 2 // folder inside a domain
	KindSubtopic Kind = 3 // folder inside a topic, the deepest level
	KindContext  Kind = 4 // an entry
	KindSummary  Kind = 5 // a generated _index.md
)

// Folder returns the usual name of a kind of folder.
func (k Kind) Folder() string {
	switch k {
	case KindDomain:
		return "domain"
	case KindTopic:
		return "topic"
	}
	return "subtopic"
}

// Role is the purpose of an entry's file. Only [RoleEntry] files are knowledge that people and agents write.
type Role int

// The roles of a file. All but the last follow from the file's name.
const (
	RoleEntry    Role = iota // curated knowledge
	RoleOverview             // context.md: the description of its folder
	RoleSummary              // _index.md: generated, not searched
	RoleStub                 // _archived/**/*.stub.md: searchable ghost cue
	RoleArchive              // _archived/**/*.full.md: lossless copy, not searched
	RoleAbstract             // *.abstract.md, *.overview.md of the reference system: generated, not searched
	RoleConflict             // any file but a summary while it has a merge conflict: neither searched nor changed
)

// Searchable reports whether entries of this role belong into a search index.
func (r Role) Searchable() bool { return r == RoleEntry || r == RoleOverview || r == RoleStub }

// Generated reports whether files of this role are generated from others and not edited by hand.
func (r Role) Generated() bool { return r != RoleEntry && r != RoleOverview && r != RoleConflict }

// Relates reports whether relations in such a file count. Those of generated and archived files do not.
func (r Role) Relates() bool { return r.Searchable() || r == RoleConflict }

// Entry is one parsed file of the tree. It is immutable; its strings alias Text. Words such as
// Title are without credentials, Text and the values of Fields are as the file has them.
type Entry struct {
	Path string // slash path inside the tree, "domain/topic/file.md"
	Role Role
	Text string // whole file, as read
	Hash string // hex SHA-256 of Text

	Title   string // frontmatter title, else the first heading, else the file's name in words
	Summary string
	Lists
	Signals Signals

	CreatedAt time.Time // zero if absent or unreadable
	UpdatedAt time.Time // the same; only set by older versions and other programs, see [tree.Snapshot.Counted]

	Frontmatter markdown.Span // the text between the --- fences; empty if there is none
	Body        markdown.Span // everything behind the frontmatter
	Fields      []Field
	Sections    []markdown.Section
	Facts       []Fact
	Files       []FileRef       // items of the Raw Concept's **Files:** list
	Code        []markdown.Span // inline code of the body, without backticks and surrounding space
	Relations   []Mention       // in order of position; [tree.Snapshot.Relations] says what they mean
	Conflicts   []Conflict      // of a merge; if there are any, only Title, Tags, Relations and Body are set besides
	Problems    []Problem

	tokens   *atomic.Int64           // see Tokens
	identity *atomic.Pointer[string] // see ContentID
	veiled   bool                    // Text holds credentials
	said     string                  // see Said
}

// Said is the entry's text with blanks in place of its comments, so that searches do not match comments.
func (e *Entry) Said() string {
	if e.said == "" {
		return saidOf(e.Text, e.Body.Start) // it was read from a cache
	}
	return e.said
}

// Saying sets the text without comments of an entry that is a part of a document and so was not parsed.
func Saying(e *Entry, said string) *Entry {
	e.said = said
	return e
}

// Signals are the lifecycle values of an entry (specification "Frontmatter Fields"), either stated in its
// frontmatter or counted.
type Signals struct {
	Importance  float64  `json:"importance,omitempty"`  // 0–100, as of the entry's last update
	Recency     float64  `json:"recency,omitempty"`     // 0–1
	Maturity    Maturity `json:"maturity,omitempty"`    // draft, validated or core
	AccessCount int      `json:"accessCount,omitempty"` // uses
	UpdateCount int      `json:"updateCount,omitempty"` // updates
	Has         bool     `json:"has,omitempty"`         // any is stated, or was counted
}

// Maturity is an entry's lifecycle tier.
type Maturity string

// The three tiers.
const (
	Draft     Maturity = "draft"
	Validated Maturity = "validated"
	Core      Maturity = "core"
)

// Field is one top-level frontmatter key with its scalar values.
type Field struct {
	Key   string
	KeyAt markdown.Span // the key's bytes
	At    markdown.Span // the key through the end of its value
	Items []Scalar      // one for a scalar, one per item for a list
	List  bool
}

// Scalar is one frontmatter value: its decoded text and the bytes between its
// quotes (or of the plain scalar).
type Scalar struct {
	Value string
	At    markdown.Span
}

// Fact is one item of the Facts section. All keys except `statement` can be "".
type Fact struct {
	Subject   string `json:"subject,omitempty"`
	Value     string `json:"value,omitempty"` // the value of the subject, if the statement has one
	Statement string `json:"statement"`
	// a category that the format lists
	Category string        `json:"category,omitempty" enum:"personal,project,preference,convention,team,environment,other"`
	At       markdown.Span `json:"-"` // its lines, with the bullet
}

// FileRef is one file that an entry says it is about.
type FileRef struct {
	Path string // as written, without a trailing line suffix such as ":12-30"
	At   markdown.Span
}

// Problem is a defect of an entry's own text, with a stable code that the
// editor shows and the place it belongs to.
type Problem struct {
	Code     string
	Severity Severity
	Message  string // what is wrong, and what to do
	At       markdown.Span

	Candidates []string // paths of entries that may have been meant, or are concerned
	Others     []Other  // places elsewhere that belong to it
}

// Other is a place in another entry that a problem has to do with.
type Other struct {
	Path    string
	At      markdown.Span
	Message string
}

// Codes of the problems that [Parse] and [tree.Snapshot.Problems] report; docs/diagnostics.md
// says what each means.
const (
	CodeConflict    = "merge-conflict"
	CodeFrontmatter = "frontmatter-invalid"
	CodeField       = "unknown-field"
	CodeCategory    = "fact-category"
	CodeTwice       = "duplicate-section"
	CodeInvisible   = "invisible-text"
	CodeUnsafe      = "unsafe-link"
	CodeMore        = "more-problems"
	CodeBroken      = "broken-relation"
	CodeAmbiguous   = "ambiguous-relation"
	CodeHeading     = "unknown-heading"
	CodeSkipped     = "not-read"
	CodeLateSave    = "late-save"
	CodeTooLarge    = "too-large"
	CodeDuplicate   = "duplicate-title"
	CodeOrphan      = "orphan"
	CodeReciprocal  = "missing-reciprocal" // see [tree.Snapshot.Unanswered]
	CodeEdited      = "generated-file-edited"

	// Reported by whoever knows the code, and what secrets look like.
	CodeStale  = "stale"
	CodeSecret = "secret-in-knowledge"
)

// Severity grades a problem; the numbers are those of the language server
// protocol's DiagnosticSeverity.
type Severity int

// The four severities.
const (
	SeverityError   Severity = 1
	SeverityWarning Severity = 2
	SeverityInfo    Severity = 3
	SeverityHint    Severity = 4
)

// String names the severity as people and JSON readers see it.
func (s Severity) String() string {
	switch s {
	case SeverityError:
		return "error"
	case SeverityWarning:
		return "warning"
	case SeverityInfo:
		return "info"
	}
	return "hint"
}

// MaxFileSize is the largest file read as an entry, in bytes. Curated entries
// are some kilobytes; a larger file is a mistake or an attack.
const MaxFileSize = 1 << 20

// Tokens is about how many tokens the whole file is to a model
// ([tokens.Estimate]). It is counted once for an entry, however many snapshots
// hold it.
func (e *Entry) Tokens() int {
	if e.tokens == nil {
		return tokens.Estimate(e.Text)
	}
	if n := e.tokens.Load(); n > 0 {
		return int(n - 1)
	}
	n := tokens.Estimate(e.Text)
	e.tokens.Store(int64(n) + 1)
	return n
}

// RoleOf tells a file's role by its path.
func RoleOf(p string) Role {
	base := path.Base(p)
	switch {
	case strings.HasSuffix(base, ".stub.md"):
		return RoleStub
	case strings.HasSuffix(base, ".full.md") && strings.HasPrefix(p, "_archived/"):
		return RoleArchive
	case base == "_index.md":
		return RoleSummary
	case base == "context.md":
		return RoleOverview
	case strings.HasSuffix(base, ".abstract.md"), strings.HasSuffix(base, ".overview.md"):
		return RoleAbstract
	}
	return RoleEntry
}

// Field returns the frontmatter field of that key.
func (e *Entry) Field(key string) (Field, bool) {
	for _, f := range e.Fields {
		if f.Key == key {
			return f, true
		}
	}
	return Field{}, false
}

// Value is the field's first value, "" if it has none.
func (f Field) Value() string {
	if len(f.Items) == 0 {
		return ""
	}
	return f.Items[0].Value
}

func (f Field) values() []string {
	out := make([]string, 0, len(f.Items))
	for _, s := range f.Items {
		if s.Value != "" {
			out = append(out, s.Value)
		}
	}
	return out
}

// ProvenanceKey is the frontmatter key.
const ProvenanceKey = "provenance"

// ConfirmedKey is the frontmatter key for the day on which somebody last confirmed that the entry is still
// true. It is a day, so that two people who confirm an entry on the same day write the same text.
const ConfirmedKey = "confirmed"

// The frontmatter keys of an entry that was imported. They stand together at the top of its frontmatter, one a line,
// so that the author's file is the entry without these lines, byte for byte.
const (
	ImportedFromKey  = "imported_from"
	ImportedRootKey  = "imported_root"
	ImportedHashKey  = "imported_hash"
	ImportedLinksKey = "imported_links"
	importedPrefix   = "imported_"
)

// Conflict is a place of a file where git left both sides of a merge. Its parts are whole lines.
type Conflict struct {
	At     markdown.Span // from the line of <<<<<<< through that of >>>>>>>
	Ours   markdown.Span // above =======, without the common ancestor's text
	Theirs markdown.Span // below it
	// Certain reports that the parts are unambiguous. If another line could divide the sides as well, each
	// part is all of the text between the first marker and the last.
	Certain bool
}
