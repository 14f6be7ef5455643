package tree

import (
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/shardmap"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// A key is how relations are looked up: a path, folded, without .md. What a
// relation means depends on nothing but what its keys stand for, so a path that
// comes or goes concerns only the entries that ask for one of its keys.

// KeyOf is the key of a path, or of what a relation says.
func KeyOf(p string) string { return strings.TrimSuffix(format.Fold(p), ".md") }

// place holds the entries at a key. All lists are sorted.
type place struct {
	edition uint64
	key     string
	files   []string // entries whose path has the key
	named   []string // entries whose file name has it
	folders []string // folders whose path has it
}

func (p *place) empty() bool { return len(p.files)+len(p.named)+len(p.folders) == 0 }

// asked has the entries with a relation that is looked up by a key, sorted. It is needed only when a path
// comes or goes, so it is built at the first such change and kept up to date afterwards.
type asked struct {
	once sync.Once
	made atomic.Bool
	by   shardmap.Map[[]string]
}

// record is the tree's data about one path.
type record struct {
	edition   uint64
	entry     *format.Entry
	relations []Relation // resolved
	back      []Backlink // sorted by source and place
}

// Node is a folder of the tree.
type Node struct {
	Path    string      // "" for the root
	Kind    format.Kind // KindDomain, KindTopic or KindSubtopic; 0 for the root
	Folders []string    // sorted
	Entries []string    // sorted

	edition uint64
}

// Knowledge counts the entries of the folder that are knowledge: not its description and not generated files.
func (n *Node) Knowledge() (count int) {
	for _, p := range n.Entries {
		if format.RoleOf(p) == format.RoleEntry {
			count++
		}
	}
	return count
}

// keysConcerned lists the keys whose meaning may change when p comes or goes: its
// own, its name's, its folder's, and, if it is a stub, those of the entry that
// it stands for.
func keysConcerned(p string) []string {
	key := KeyOf(p)
	keys := []string{key, path.Base(key)}
	if dir := path.Dir(p); dir != "." {
		keys = append(keys, format.Fold(dir))
	}
	if original, ok := StubFor(key); ok {
		keys = append(keys, original, path.Base(original))
	}
	return keys
}

// stubKey is the key of the stub that stands for an archived entry's key.
func stubKey(key string) string { return format.ArchiveDir + "/" + key + ".stub" }

// StubFor inverts stubKey.
func StubFor(key string) (original string, ok bool) {
	if original, ok = strings.CutPrefix(key, format.ArchiveDir+"/"); !ok {
		return "", false
	}
	return strings.CutSuffix(original, ".stub")
}

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
