// Package browse lists what is known, folder by folder, for views that a person opens row by row.
package browse

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
)

// How many rows a list of knowledge has at once: as many as somebody scrolls through before searching.
const (
	defaultRows = 200
	maxRows     = 1000
)

// The kinds of rows beside domain, topic, subtopic and entry.
const (
	kindDocuments = "documents" // all of them, or those of a folder, as one row
	kindDocument  = "document"
)

// KnowledgeRequest asks for the content of a folder of the tree, for a view that opens one folder at a time.
type KnowledgeRequest struct {
	Folder    string `json:"folder,omitempty"`    // a domain or topic; "" is the root, with one row for all documents
	Documents bool   `json:"documents,omitempty"` // list the repository's documents instead; then Folder is one of its folders
	// words of a title or path; lists all entries and documents that contain them, without folders
	Filter string `json:"filter,omitempty"`
	Sort   string `json:"sort,omitempty"`   // name, use, age (the longest unchanged first) or stale
	Offset int    `json:"offset,omitempty"` // the number of rows to leave out
	Limit  int    `json:"limit,omitempty"`  // the most rows; 200 if 0, at most 1,000
}

// KnowledgeResponse lists rows, folders first.
type KnowledgeResponse struct {
	Items []Knowledge `json:"items"`
	More  int         `json:"more,omitempty"` // the number of further rows
	// Tree is true if there is a context tree.
	Tree bool `json:"tree"`
	// Reading is true if documents are missing here because they are still being read.
	Reading bool `json:"reading,omitempty"`
}

// Knowledge is a row: a folder of the tree, an entry or a document.
type Knowledge struct {
	Kind     string `json:"kind"`               // domain, topic, subtopic, entry, documents or document
	Path     string `json:"path"`               // the path in the tree; of a document, in the folder
	FilePath string `json:"filePath,omitempty"` // the path in the folder
	Title    string `json:"title"`
	Entries  int    `json:"entries,omitempty"` // the number of entries, or of documents, in a folder and below it
	Stale    int    `json:"stale,omitempty"`   // the number of entries that are known to be stale
	Waiting  int    `json:"waiting,omitempty"` // the number of changes that wait for a review
	// the number of changes that are done, and that somebody should check
	Unreviewed int    `json:"unreviewed,omitempty"`
	Broken     int    `json:"broken,omitempty"` // the number of errors in its text, and of relations that lead nowhere
	Why        string `json:"why,omitempty"`    // what changed, if the entry is stale
	Uses       int    `json:"uses,omitempty"`
	Updated    string `json:"updated,omitempty"` // the day of its last update, if the entry has it

	worth float64
	age   time.Time
}

// Browse lists a folder of the tree. Its counts come from known results: it does not compare entries with the
// code.
func Browse(ctx context.Context, v *workspace.View, req KnowledgeRequest) (*KnowledgeResponse, error) {
	if !slices.Contains([]string{"", "name", "use", "age", "stale"}, req.Sort) {
		return nil, workspace.WrongField("sort", "expected name, use, age or stale")
	}
	if req.Offset < 0 || req.Limit < 0 || req.Limit > maxRows {
		return nil, workspace.WrongField("limit", "must be 0 to %d, and offset must be 0 or more", maxRows)
	}
	b := browser{v: v, stale: drift.Left(v), waiting: curation.PendingCounts(v), folders: map[string]*Knowledge{}}
	switch words := strings.Fields(strings.ToLower(req.Filter)); {
	case len(words) > 0:
		for _, e := range v.Tree().Entries() {
			if e.Role == format.RoleEntry && hasAll(e.Title+" "+e.Path, words) {
				b.rows = append(b.rows, b.entry(e))
			}
		}
		for _, d := range b.documents(ctx) {
			if hasAll(d.Title+" "+d.Path, words) {
				b.rows = append(b.rows, document(d))
			}
		}
	case req.Documents:
		b.documentsIn(b.documents(ctx), req.Folder)
	default:
		b.folder(req.Folder)
		if req.Folder == "" {
			if n := len(b.documents(ctx)); n > 0 {
				b.rows = append(b.rows, Knowledge{Kind: kindDocuments, Title: "Documents", Entries: n})
			}
		}
	}
	for _, f := range b.folders {
		b.rows = append(b.rows, *f)
	}
	b.sort(req.Sort)
	rows := b.rows[min(req.Offset, len(b.rows)):]
	limit := min(cmp.Or(req.Limit, defaultRows), len(rows))
	for i := range rows[:limit] {
		if e, ok := v.Entry(rows[i].Path); ok && rows[i].Kind == "entry" {
			rows[i].Title = cmp.Or(e.Redacted().Title, path.Base(e.Path)) // what is shown in passing shows no credentials
		}
	}
	items := append([]Knowledge{}, rows[:limit]...)
	return &KnowledgeResponse{Items: items, More: len(rows) - limit, Tree: v.HasTree(), Reading: b.reading}, nil
}

func hasAll(text string, words []string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// browser collects the rows of one list.
type browser struct {
	v       *workspace.View
	stale   map[string][]link.Drift
	waiting map[string]curation.Counts
	folders map[string]*Knowledge
	rows    []Knowledge
	reading bool // the documents are not read yet
}

// folder collects the folders and entries right below a path, with the sums of all that stands in them.
func (b *browser) folder(at string) {
	below := ""
	if at != "" {
		below = at + "/"
	}
	for _, e := range b.v.Trees().At(at) {
		rest := strings.TrimPrefix(e.Path, below)
		if e.Role != format.RoleEntry || !strings.HasPrefix(e.Path, below) {
			continue
		}
		row := b.entry(e)
		name, _, deeper := strings.Cut(rest, "/")
		if !deeper {
			b.rows = append(b.rows, row)
			continue
		}
		f := b.folders[name]
		if f == nil {
			kind, _ := b.v.Trees().KindOf(below + name)
			f = &Knowledge{Kind: kind.Folder(), Path: below + name, Title: name}
			b.folders[name] = f
		}
		f.Entries, f.Waiting, f.Broken, f.Uses = f.Entries+1, f.Waiting+row.Waiting, f.Broken+row.Broken, f.Uses+row.Uses
		f.Unreviewed += row.Unreviewed
		f.Stale, f.worth = f.Stale+row.Stale, max(f.worth, row.worth)
		if f.age.IsZero() || !row.age.IsZero() && row.age.Before(f.age) {
			f.age = row.age
		}
	}
}

// entry is the row of an entry.
func (b *browser) entry(e *format.Entry) Knowledge {
	k := Knowledge{Kind: "entry", Path: e.Path, FilePath: b.v.FilePath(e.Path), Title: cmp.Or(e.Title, path.Base(e.Path)),
		Waiting: b.waiting[e.Path].Waiting, Unreviewed: b.waiting[e.Path].Unreviewed, age: e.UpdatedAt}
	if found := b.stale[e.Path]; len(found) > 0 {
		k.Stale, k.Why = 1, drift.Worst(found)
	}
	for _, p := range e.Problems {
		if p.Severity == format.SeverityError {
			k.Broken++
		}
	}
	for _, r := range b.v.Trees().Relations(e.Path) {
		if workspace.Unmet(b.v, r) != "" {
			k.Broken++
		}
	}
	s := b.v.Trees().Signals(e.Path, b.v.Now())
	k.Uses, k.worth = s.AccessCount, s.Importance
	if !e.UpdatedAt.IsZero() {
		k.Updated = e.UpdatedAt.UTC().Format(time.DateOnly)
	}
	return k
}

// documents returns those of the repository that count as knowledge, without those that are not read in time.
func (b *browser) documents(ctx context.Context) (all []*documents.Document) {
	short, cancel := b.v.Within(ctx, workspace.Answer)
	defer cancel()
	set, err := b.v.Documents(short)
	if err != nil {
		b.reading = short.Err() != nil
		return nil
	}
	for _, d := range set.All() {
		if set.Counts(d) {
			all = append(all, d)
		}
	}
	return all
}

func document(d *documents.Document) Knowledge {
	return Knowledge{Kind: kindDocument, Path: d.Path, FilePath: d.Path, Title: cmp.Or(secrets.Redact(d.Title), path.Base(d.Path))}
}

// documentsIn collects the documents right below a folder, and the folders that have further ones. A folder that
// has nothing else than one folder is listed as that one.
func (b *browser) documentsIn(all []*documents.Document, at string) {
	below, only := "", ""
	if at != "" {
		below = at + "/"
	}
	for _, d := range all {
		rest, inside := strings.CutPrefix(d.Path, below)
		name, _, deeper := strings.Cut(rest, "/")
		switch {
		case inside && !deeper:
			b.rows = append(b.rows, document(d))
		case inside:
			f := cmp.Or(b.folders[name], &Knowledge{Kind: kindDocuments, Path: below + name, Title: name})
			f.Entries++
			b.folders[name], only = f, f.Path
		}
	}
	if len(b.rows) == 0 && len(b.folders) == 1 {
		clear(b.folders)
		b.documentsIn(all, only)
	}
}

// sort puts folders before entries before documents, and each by what was asked for.
func (b *browser) sort(by string) {
	rank := func(k Knowledge) int {
		if k.Kind == kindDocuments && k.Path != "" {
			return -1 // a folder
		}
		return slices.Index([]string{"entry", kindDocument, kindDocuments}, k.Kind)
	}
	slices.SortFunc(b.rows, func(x, y Knowledge) int {
		order := 0
		switch by {
		case "use":
			order = cmp.Or(cmp.Compare(y.Uses, x.Uses), cmp.Compare(y.worth, x.worth))
		case "age":
			order = x.age.Compare(y.age)
		case "stale":
			order = cmp.Compare(y.Stale, x.Stale)
		}
		return cmp.Or(cmp.Compare(rank(x), rank(y)), order, cmp.Compare(strings.ToLower(x.Title), strings.ToLower(y.Title)),
			cmp.Compare(x.Path, y.Path))
	})
}
