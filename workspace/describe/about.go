// Package describe says in short what the tree knows about a place or an entry: what a hover, a hint
// or the line over an entry shows. It never asks a model, and never guesses.
package describe

import (
	"context"

	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/markdown"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// Kind says what [Place] found at a place.
type Kind string

// The things a hover can be about.
const (
	KindRelation Kind = "relation" // of an entry, or a mark in a comment of code
	KindField    Kind = "field"
	KindCode     Kind = "code" // a symbol, in code or named by an entry
	KindFile     Kind = "file" // a code file that an entry names
)

// Request asks what is known about a place in a file.
type Request struct {
	Path      string        // workspace path
	Offset    int           // byte offset
	Selection markdown.Span // the selected text; empty if none
}

// Info is what the tree knows about a place.
type Info struct {
	At      markdown.Span // what in the file it is about
	Kind    Kind
	Name    string // relation, key, symbol or path as written
	Entries []Entry
	Field   *Field
	Folder  *Folder
	Code    *Symbol
	Problem string            // why a relation leads nowhere
	Answer  *retrieval.Answer // a direct answer, if there is one at its confidence
}

// Entry is one entry in short, its signals as they stand now.
type Entry struct {
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

// Folder is a domain, topic or subtopic in short.
type Folder struct {
	Path             string // in the tree
	Kind             string // "domain", "topic" or "subtopic"
	Overview         string // workspace path of the file that describes it
	Title            string // of that file
	Summary          string // what it says, markdown
	Folders, Entries int    // in it
}

// Field explains a frontmatter key.
type Field struct {
	Key   string
	Doc   string
	Value string // what the value means today, "" if nothing is to add
}

// Symbol is code that an entry names.
type Symbol struct {
	Path      string
	Line      int // 1-based; 0 for a whole file
	Signature string
	Missing   bool // named, but not in the code
}

// Place decides what a hover shows: the target of the relation, or of the mark in a
// comment of code, under the cursor, the folder under the cursor in its path, the meaning
// of a frontmatter key, the code an entry names, or the entries linked to a code symbol. A retrieved answer is added only where
// retrieval is sure of it. nil means that there is nothing to say; it never
// guesses, and never asks a model.
func Place(ctx context.Context, v *workspace.View, req Request) (*Info, error) {
	if entry, ok := v.EntryPath(req.Path); ok {
		a := aboutEntry(ctx, v, entry, req.Offset)
		usedIn(v, a)
		return a, nil
	}
	if v.Tree().Len() == 0 || workspace.IsTreePath(req.Path) {
		return nil, nil
	}
	a, err := aboutCode(ctx, v, req)
	usedIn(v, a)
	return a, err
}

// usedIn notes the entries that a hover's answer is made of.
func usedIn(v *workspace.View, a *Info) {
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

func aboutEntry(ctx context.Context, v *workspace.View, entry string, offset int) *Info {
	e, ok := v.Tree().Entry(entry)
	if !ok {
		return nil
	}
	if r, ok := navigate.RelationAt(v, entry, offset); ok {
		a := aboutRelation(v, r, v.Unmet(r))
		a.Folder = aboutFolder(v, e.Text, r, offset)
		return a
	}
	if f, at, ok := fieldAt(e, offset); ok {
		if doc := format.FieldDoc(f.Key); doc != "" {
			return &Info{At: at, Kind: KindField, Name: f.Key, Field: &Field{Key: f.Key, Doc: doc, Value: fieldToday(v, e, f)}}
		}
		return nil
	}
	return aboutNamedCode(v.ForFile(ctx, v.FilePath(entry)), entry, e, offset)
}

// aboutRelation shows the entry that a relation leads to, or those that fit.
func aboutRelation(v *workspace.View, r tree.Relation, problem string) *Info {
	a := &Info{At: r.At, Kind: KindRelation, Name: r.Raw, Problem: problem}
	if r.Target != "" {
		a.Entries = []Entry{short(v, r.Target, "")}
	}
	reason := "one of several that fit"
	if problem == "" { // it means them all
		reason = ""
	}
	for _, c := range r.Candidates[:min(5, len(r.Candidates))] {
		a.Entries = append(a.Entries, short(v, c, reason))
	}
	return a
}

// aboutNamedCode explains the code file or symbol that an entry names at offset.
func aboutNamedCode(v *workspace.View, entry string, e *format.Entry, offset int) *Info {
	for _, c := range v.Links().Of(entry) {
		if !navigate.NamedAt(offset)(c) {
			continue
		}
		a := &Info{At: c.Span, Kind: KindFile, Name: c.Span.Of(e.Text), Code: &Symbol{Path: c.Path, Missing: !c.Exists}}
		if c.Symbol != "" {
			a.Kind = KindCode
			if d, ok := navigate.DefinitionIn(v, c.Path, navigate.FullName(c)); ok {
				a.Code.Line, a.Code.Signature = d.Line, d.Signature
			}
		}
		return a
	}
	return nil
}

// short describes an entry.
func short(v *workspace.View, p, reason string) Entry {
	e, ok := v.Tree().Entry(p)
	if !ok {
		return Entry{Path: p, FilePath: v.FilePath(p), Title: p, Reason: reason}
	}
	e = e.Redacted() // what is shown in passing shows no credentials
	if e.Role == format.RoleConflict {
		return Entry{Path: p, FilePath: v.FilePath(p), Title: e.Title, Excerpt: Excerpt(e), Reason: reason}
	}
	s := v.Tree().Signals(p, v.Now())
	counted, at := v.Tree().Counted(p)
	if !counted.Has && s.AccessCount == 0 {
		s.Maturity = "" // nothing is known: no need to say draft
	}
	return Entry{
		Path: p, FilePath: v.FilePath(p), Title: e.Title, Summary: e.Summary,
		Maturity: s.Maturity, Importance: s.Importance, Recency: s.Recency, HasSignals: counted.Has && !at.IsZero(),
		Tags: e.Tags, Backlinks: len(v.Tree().Backlinks(p)), Excerpt: Excerpt(e), Reason: reason,
	}
}
