package tree

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Relation is one mention of another entry with its resolution.
type Relation struct {
	format.Mention
	Resolution
}

// Resolution is the target of a relation's path in one snapshot.
type Resolution struct {
	Target     string   // path of the entry it leads to, "" if none
	Candidates []string // several entries that fit equally well
	Escapes    bool     // absolute or outside of the tree; never looked up
}

// Backlink is a relation seen from its target.
type Backlink struct {
	From      string // path of the entry that holds the relation
	*Relation        // shared with the snapshot, not to be changed
}

// Other is the name of the other tree that a relation leads to, "" for the folder's own. Other readers of the
// folder may not have that tree.
func (r Relation) Other() string {
	name, _, _ := format.CutTree(r.Raw)
	return name
}

// Problem says in one sentence why the relation leads nowhere, "" if it leads
// to an entry.
func (r Relation) Problem() string {
	raw := sanitize.Short(secrets.Redact(r.Raw), maxShown)
	switch {
	case r.Target != "", r.Other() != "":
		return ""
	case r.Escapes:
		return "relation " + raw + " is not a path from the root of the tree, so it is not followed; write domain/topic/name.md"
	case len(r.Candidates) > 0:
		return "relation " + raw + " matches several entries: " + strings.Join(r.Candidates[:min(3, len(r.Candidates))], ", ")
	}
	return "relation to " + raw + ": no such entry in the context tree"
}

// HeadingAt is where a relation's heading is written, without the "#".
func (r Relation) HeadingAt(text string) (markdown.Span, bool) {
	i := strings.LastIndex(r.At.Of(text), "#"+r.Heading)
	if r.Heading == "" || i < 0 {
		return markdown.Span{}, false
	}
	start := r.At.Start + i + 1
	return markdown.Span{Start: start, End: start + len(r.Heading)}, true
}

// maxShown bounds what a message quotes of a relation's text, in characters.
const maxShown = 200
