package workspace

import (
	"context"

	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/markdown"
)

// AboutKind says what [Workspace.About] found at a place.
type AboutKind string

// The things a hover can be about.
const (
	AboutRelation AboutKind = "relation" // of an entry, or a mark in a comment of code
	AboutField    AboutKind = "field"
	AboutCode     AboutKind = "code" // a symbol, in code or named by an entry
	AboutFile     AboutKind = "file" // a code file that an entry names
)

// AboutRequest asks what is known about a place in a file.
type AboutRequest struct {
	Path      string        // workspace path
	Offset    int           // byte offset
	Selection markdown.Span // the selected text; empty if none
}

// About is what the tree knows about a place.
type About struct {
	At      markdown.Span // what in the file it is about
	Kind    AboutKind
	Name    string // relation, key, symbol or path as written
	Entries []AboutEntry
	Field   *AboutFieldValue
	Folder  *AboutFolderValue
	Code    *AboutSymbol
	Problem string            // why a relation leads nowhere
	Answer  *retrieval.Answer // a direct answer, if there is one at its confidence
}

// AboutEntry is one entry in short, its signals as they stand now.
type AboutEntry struct {
	Path       string // in the tree
	FilePath   string // in the workspace
	Title      string
	Summary    string
	Maturity   format.Maturity
	Importance float64 // decayed to now
	Recency    float64
	HasSignals bool // its importance was counted or is stated, and when it counts from is known
	Tags       []string
	Backlinks  int
	Excerpt    string // first lines of what it knows, markdown
	Reason     string // why it is shown, where that is not evident
}

// AboutFolderValue is a domain, topic or subtopic in short.
type AboutFolderValue struct {
	Path             string // in the tree
	Kind             string // "domain", "topic" or "subtopic"
	Overview         string // workspace path of the file that describes it
	Title            string // of that file
	Summary          string // what it says, markdown
	Folders, Entries int    // in it
}

// AboutFieldValue explains a frontmatter key.
type AboutFieldValue struct {
	Key   string
	Doc   string
	Value string // what the value means today, "" if nothing is to add
}

// AboutSymbol is code that an entry names.
type AboutSymbol struct {
	Path      string
	Line      int // 1-based; 0 for a whole file
	Signature string
	Missing   bool // named, but not in the code
}

// About decides what a hover shows: the target of the relation, or of the mark in a
// comment of code, under the cursor, the folder under the cursor in its path, the meaning
// of a frontmatter key, the code an entry names, or the entries linked to a code symbol. A retrieved answer is added only where
// retrieval is sure of it. nil means that there is nothing to say; it never
// guesses, and never asks a model.
func (w *Workspace) About(ctx context.Context, v *View, req AboutRequest) (*About, error) {
	if entry, ok := v.EntryPath(req.Path); ok {
		a := w.aboutEntry(ctx, v, entry, req.Offset)
		usedIn(v, a)
		return a, nil
	}
	if v.Tree().Len() == 0 || isTreePath(req.Path) {
		return nil, nil
	}
	a, err := w.aboutCode(ctx, v, req)
	usedIn(v, a)
	return a, err
}

// usedIn notes the entries that a hover's answer is made of.
func usedIn(v *View, a *About) {
	if a == nil {
		return
	}
	if len(a.Entries) == 1 { // of several none is the answer
		v.Used(a.Entries[0].Path)
	}
	if a.Answer != nil && len(a.Answer.Hits) > 0 {
		v.Used(a.Answer.Hits[0].Path)
	}
}

func (w *Workspace) aboutEntry(ctx context.Context, v *View, entry string, offset int) *About {
	e, ok := v.Tree().Entry(entry)
	if !ok {
		return nil
	}
	if r, ok := relationAt(v, entry, offset); ok {
		a := w.aboutRelation(v, r, v.Unmet(r))
		a.Folder = aboutFolder(v, e.Text, r, offset)
		return a
	}
	if f, at, ok := fieldAt(e, offset); ok {
		if doc := format.FieldDoc(f.Key); doc != "" {
			return &About{At: at, Kind: AboutField, Name: f.Key, Field: &AboutFieldValue{Key: f.Key, Doc: doc, Value: w.fieldToday(v, e, f)}}
		}
		return nil
	}
	return w.aboutNamedCode(v.ForFile(ctx, v.FilePath(entry)), entry, e, offset)
}

// aboutRelation shows the entry that a relation leads to, or those that fit.
func (w *Workspace) aboutRelation(v *View, r tree.Relation, problem string) *About {
	a := &About{At: r.At, Kind: AboutRelation, Name: r.Raw, Problem: problem}
	if r.Target != "" {
		a.Entries = []AboutEntry{w.short(v, r.Target, "")}
	}
	reason := "one of several that fit"
	if problem == "" { // it means them all
		reason = ""
	}
	for _, c := range r.Candidates[:min(5, len(r.Candidates))] {
		a.Entries = append(a.Entries, w.short(v, c, reason))
	}
	return a
}

// aboutNamedCode explains the code file or symbol that an entry names at offset.
func (w *Workspace) aboutNamedCode(v *View, entry string, e *format.Entry, offset int) *About {
	for _, c := range v.Links().Of(entry) {
		if !namedAt(offset)(c) {
			continue
		}
		a := &About{At: c.Span, Kind: AboutFile, Name: c.Span.Of(e.Text), Code: &AboutSymbol{Path: c.Path, Missing: !c.Exists}}
		if c.Symbol != "" {
			a.Kind = AboutCode
			if d, ok := definitionIn(v, c.Path, fullName(c)); ok {
				a.Code.Line, a.Code.Signature = d.Line, d.Signature
			}
		}
		return a
	}
	return nil
}

// short describes an entry.
func (w *Workspace) short(v *View, p, reason string) AboutEntry {
	e, ok := v.Tree().Entry(p)
	if !ok {
		return AboutEntry{Path: p, FilePath: v.FilePath(p), Title: p, Reason: reason}
	}
	e = e.Redacted() // what is shown in passing shows no credentials
	if e.Role == format.RoleConflict {
		return AboutEntry{Path: p, FilePath: v.FilePath(p), Title: e.Title, Excerpt: excerpt(e), Reason: reason}
	}
	s := v.Tree().Signals(p, v.Now())
	counted, at := v.Tree().Counted(p)
	if !counted.Has && s.AccessCount == 0 {
		s.Maturity = "" // nothing is known: no need to say draft
	}
	return AboutEntry{
		Path: p, FilePath: v.FilePath(p), Title: e.Title, Summary: e.Summary,
		Maturity: s.Maturity, Importance: s.Importance, Recency: s.Recency, HasSignals: counted.Has && !at.IsZero(),
		Tags: e.Tags, Backlinks: len(v.Tree().Backlinks(p)), Excerpt: excerpt(e), Reason: reason,
	}
}
