package tree

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/shardmap"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Snapshot is the whole tree at one moment. It is immutable. Snapshots made from
// one another share what did not change.
type Snapshot struct {
	list      []*format.Entry // sorted by path
	skipped   []Skipped
	records   shardmap.Map[*record] // by path; see index.go for these three
	nodes     shardmap.Map[*Node]   // by path
	places    shardmap.Map[*place]  // by key
	asked     *asked
	titles    shardmap.Map[[]string] // paths of the entries with a title, sorted, by format.TitleKey
	usage     map[string]Usage       // counters, by entry; never written to
	commits   map[string]time.Time   // when git got the present content, by entry; never written to
	lateSaves []LateSave             // oldest change first

	edition uint64  // of the draft that made this snapshot
	recent  []delta // changes that led to this snapshot, the latest last; see signals.go

	fingerprint func() string
}

// Skipped is a file that the tree holds but does not read.
type Skipped struct {
	Path   string
	Reason string
	Link   bool // it is a link, which is not followed
	Size   int  // of a file, in bytes
}

// Entry returns the entry at a tree path.
func (s *Snapshot) Entry(p string) (*format.Entry, bool) {
	if r, ok := s.records.Get(p); ok {
		return r.entry, true
	}
	return nil, false
}

// Entries returns all entries sorted by path. The list is the snapshot's own and
// must not be changed.
func (s *Snapshot) Entries() []*format.Entry { return slices.Clip(s.list) }

// Len is the number of entries.
func (s *Snapshot) Len() int { return len(s.list) }

// Node returns the folder at a tree path; "" is the root.
func (s *Snapshot) Node(p string) (*Node, bool) { return s.nodes.Get(p) }

// Relations returns an entry's resolved relations, in order of place. A generated or archived file has none.
// Markdown links count only if they resolve inside the tree. The same holds for `sources` and
// `consolidated_from`, which name entries that may be gone. Paths behind an @ and wiki links also count if
// they begin with a domain of the tree.
func (s *Snapshot) Relations(p string) []Relation {
	if r, ok := s.records.Get(p); ok {
		return r.relations
	}
	return nil
}

// Backlinks returns the relations that lead to an entry, sorted by their source.
func (s *Snapshot) Backlinks(p string) []Backlink {
	if r, ok := s.records.Get(p); ok {
		return r.back
	}
	return nil
}

// Skipped lists the files left out, with the reason of each.
func (s *Snapshot) Skipped() []Skipped { return s.skipped }

// Fingerprint identifies the content: equal for equal paths and texts. It is computed at the first call, in
// time proportional to the number of entries.
func (s *Snapshot) Fingerprint() string { return s.fingerprint() }

// Dir is the folder of the entries, inside the project's `.brv` folder.
const Dir = "context-tree"

// At lists the entries at a path and below it.
func (s *Snapshot) At(scope string) []*format.Entry {
	if scope == "" {
		return s.list
	}
	from, _ := position(s.list, scope+"/")
	to, _ := position(s.list, scope+"0") // "0" is what follows "/"
	below := s.list[from:to]
	if e, ok := s.Entry(scope); ok {
		return append([]*format.Entry{e}, below...)
	}
	return below
}

// position is the index of a path in a sorted list, or the index at which it would be inserted.
func position(list []*format.Entry, p string) (at int, found bool) {
	return slices.BinarySearchFunc(list, p, func(e *format.Entry, p string) int { return strings.Compare(e.Path, p) })
}

// TextAt is the text of the file at a path, "" if there is none.
func TextAt(s *Snapshot, at string) string {
	e, ok := s.Entry(at)
	if !ok {
		return ""
	}
	return e.Text
}

// Linked reports whether a tree path is a link or leads through one.
func (s *Snapshot) Linked(at string) bool {
	return slices.ContainsFunc(s.skipped, func(k Skipped) bool {
		return k.Link && (k.Path == at || strings.HasPrefix(at, k.Path+"/"))
	})
}

// StateDir is the folder inside `.brv` for what is kept beside the entries.
const StateDir = "state"

// LateSave is a text that another program wrote into an entry's file while or after that was replaced, so
// that the entry does not contain it.
type LateSave struct {
	Name string    `json:"name"` // of its file in `.brv/state/saved`
	Path string    `json:"path"` // tree path of the entry
	Of   int       `json:"of"`   // the change that replaced the file
	Time time.Time `json:"time"` // when it was written
	Size int       `json:"size"` // in bytes
}

// Problem is a late save as a problem of its entry.
func (l LateSave) Problem() format.Problem {
	return format.Problem{Code: format.CodeLateSave, Severity: format.SeverityWarning, Message: fmt.Sprintf(
		"another program saved this file while change %d replaced it. The saved text is in .brv/%s/saved/%s:"+
			" copy the parts that you need, then delete that file", l.Of, StateDir, l.Name)}
}
