package describe

import (
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// Kind is the kind of thing that [Place] found.
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
	Path      string        // the path in the folder
	Offset    int           // byte offset
	Selection markdown.Span // the selected text; empty if none
}

// Info holds the tree's knowledge about a place.
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
	Pages   []navigate.Explanation
	Stale   []Staleness // of the entries that this shows
	UsedIn  string      // the other repositories that use a symbol, see [elsewhere.UsedIn]
}

// Staleness says how an entry no longer fits the code.
type Staleness struct {
	Entry, Title string
	Line         string // Markdown of our own, which quotes names in backticks
	Changed      bool   // the code only changed: a confirmation that the entry is still true would end it
}

// Entry is one entry in short, its signals as they stand now.
type Entry struct {
	Path       string // the path in the tree
	FilePath   string // in the workspace
	Title      string
	Summary    string
	Tier       string  // as shown to people, "" if nothing is known
	Importance float64 // decayed to now
	HasSignals bool    // its importance was counted or is stated, and its start is known
	Tags       []string
	Backlinks  int
	Excerpt    string // first lines of what it knows, markdown
	Reason     string // why it is shown, if that is not obvious
}

// Folder is a domain, topic or subtopic in short.
type Folder struct {
	Path             string // the path in the tree
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

// aboutRelation shows the entry that a relation leads to, or those that it may mean.
func aboutRelation(v *workspace.View, r tree.Relation, problem string) *Info {
	a := &Info{At: r.At, Kind: KindRelation, Name: r.Raw, Problem: problem}
	if r.Target != "" {
		a.Entries = []Entry{short(v, r.Target, "")}
	}
	reason := "one of several matches"
	if problem == "" { // it means them all
		reason = ""
	}
	for _, c := range r.Candidates[:min(5, len(r.Candidates))] {
		a.Entries = append(a.Entries, short(v, c, reason))
	}
	return a
}

// short describes an entry.
func short(v *workspace.View, p, reason string) Entry {
	e, ok := v.Entry(p)
	if !ok {
		return Entry{Path: p, FilePath: v.FilePath(p), Title: p, Reason: reason}
	}
	e = e.Redacted() // text shown in passing contains no credentials
	if e.Role == format.RoleConflict {
		return Entry{Path: p, FilePath: v.FilePath(p), Title: e.Title, Excerpt: Excerpt(e), Reason: reason}
	}
	s := v.Trees().Signals(p, v.Now())
	counted, at := v.Trees().Counted(p)
	tier := ""
	if counted.Has || s.AccessCount > 0 { // else nothing is known: no need to say draft
		tier = format.TierName(e, s.Maturity)
	}
	return Entry{
		Path: p, FilePath: v.FilePath(p), Title: e.Title, Summary: e.Summary,
		Tier: tier, Importance: s.Importance, HasSignals: counted.Has && !at.IsZero(),
		Tags: e.Tags, Backlinks: len(v.Trees().Backlinks(p)), Excerpt: Excerpt(e), Reason: reason,
	}
}
