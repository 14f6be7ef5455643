package derived

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/digest"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// ArchiveBelow is the decayed importance under which a draft may be archived
// (specification, "Archive System").
const ArchiveBelow = 35

// Candidate is an entry that may be archived.
type Candidate struct {
	Path       string
	Importance float64 // decayed
	Staleness  time.Duration
}

// Archivable lists the entries that are draft and whose decayed importance is
// under 35, the least important first. Staleness is the time since the entry's
// last update, or since someone decided to keep it; 0 if neither is known.
func Archivable(s *tree.Snapshot, now time.Time) []Candidate {
	var out []Candidate
	for _, e := range s.Entries() {
		if e.Role != format.RoleEntry {
			continue
		}
		if at := s.Signals(e.Path, now); at.Maturity == format.Draft && at.Importance < ArchiveBelow {
			out = append(out, Candidate{Path: e.Path, Importance: at.Importance, Staleness: s.Staleness(e.Path, now)})
		}
	}
	slices.SortStableFunc(out, func(a, b Candidate) int { return cmp.Compare(a.Importance, b.Importance) })
	return out
}

// RenderStub writes the ghost cue of an entry, about 220 tokens: what it was about
// and what it names, for the searches that would have found the entry.
func RenderStub(e *format.Entry, importance float64, now time.Time) string {
	_, full := format.ArchivePaths(e.Path)
	var b strings.Builder
	fmt.Fprintf(&b, "---\nevicted_at: %q\n", now.UTC().Format(time.RFC3339))
	fmt.Fprintf(&b, "evicted_importance: %s\n", strconv.FormatFloat(
		math.Round(10*format.Bounded(importance, format.TopImportance))/10, 'f', -1, 64))
	fmt.Fprintf(&b, "original_path: %q\noriginal_token_count: %d\npoints_to: %q\ntype: archive_stub\n---\n\n", e.Path,
		tokens.Count(e.Text), full)
	return b.String() + digest.Cue(e.Redacted())
}

// Full returns the archived text behind a stub, given the path of the stub or of the archived entry. ok is
// false if there is none.
func Full(s *tree.Snapshot, p string) (*format.Entry, bool) {
	stub, _ := format.ArchivePaths(p)
	if format.RoleOf(p) == format.RoleStub {
		stub = p
	}
	e, ok := s.Entry(stub)
	if !ok {
		return nil, false
	}
	at, ok := e.Stub()
	if !ok || at.PointsTo != format.FullOf(stub) {
		return nil, false
	}
	return s.Entry(at.PointsTo)
}
