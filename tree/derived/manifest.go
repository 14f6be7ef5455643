package derived

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/digest"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// manifestVersion is the only version of the format that is read and written.
const manifestVersion = 1

// Tokens per lane. The figures are the reference system's; the specification only names the lanes.
const (
	summaryLane = 2000
	contextLane = 4000
	stubLane    = 500
)

// Manifest is _manifest.json: the files that a model gets to see as the structure of the tree, chosen for
// three budgets so that the whole tree need not be read. Token counts are sums of [format.Entry.Tokens], an
// estimate.
type Manifest struct {
	ActiveContext     []ManifestItem `json:"active_context"`
	GeneratedAt       time.Time      `json:"generated_at"`
	LaneTokens        LaneTokens     `json:"lane_tokens"`
	SourceFingerprint string         `json:"source_fingerprint"`
	TotalTokens       int            `json:"total_tokens"`
	Version           int            `json:"version"`
}

// LaneTokens are the tokens of each lane.
type LaneTokens struct {
	Contexts  int `json:"contexts"`
	Stubs     int `json:"stubs"`
	Summaries int `json:"summaries"`
}

// ManifestItem is one file of a lane.
type ManifestItem struct {
	Path       string   `json:"path"`
	Type       string   `json:"type"` // summary, context or stub
	Tokens     int      `json:"tokens"`
	Order      *int     `json:"order,omitempty"`      // condensation order of a summary
	Importance *float64 `json:"importance,omitempty"` // of a context
}

// NewManifest chooses the items that fit each lane's budget, in order, and leaves out the others. Summaries
// come broadest first, and entries come by importance, the greatest first. Stubs come by path, since the
// specification's "insertion order" means nothing in a folder. If order is set, each lane is sorted by it,
// the greatest first; items below 0 are left out, and importance no longer breaks ties.
//
// The lane of contexts holds entries. A context.md is left out: its folder's summary has the same content. It
// also has no updates, so its importance would never decay, and it would outrank all entries that were not
// used lately.
func NewManifest(s *tree.Snapshot, now time.Time, order func(path string) float64) Manifest {
	var summaries, contexts, stubs []ManifestItem
	standing := map[string]float64{}
	for _, e := range s.Entries() {
		item := ManifestItem{Path: e.Path}
		switch e.Role {
		case format.RoleSummary:
			if !strings.HasPrefix(e.Path, format.ArchiveDir+"/") && len(e.Conflicts) == 0 {
				at := condensation(strings.TrimPrefix(path.Dir(e.Path), "."))
				item.Type, item.Order = "summary", &at
				summaries = append(summaries, item)
			}
		case format.RoleEntry:
			importance := s.Signals(e.Path, now).Importance
			standing[e.Path] = importance
			rounded := math.Round(100*importance) / 100
			item.Type, item.Importance = "context", &rounded
			contexts = append(contexts, item)
		case format.RoleStub:
			item.Type = "stub"
			stubs = append(stubs, item)
		}
	}
	slices.SortStableFunc(summaries, func(a, b ManifestItem) int { return *b.Order - *a.Order })
	if order == nil {
		contexts = ranked(contexts, func(p string) float64 { return standing[p] })
	} else {
		summaries, contexts, stubs = ranked(summaries, order), ranked(contexts, order), ranked(stubs, order)
	}
	m := Manifest{ActiveContext: []ManifestItem{}, GeneratedAt: now.UTC().Truncate(time.Second), SourceFingerprint: s.Fingerprint(),
		Version: manifestVersion}
	m.LaneTokens.Summaries = m.fill(s, summaries, summaryLane)
	m.LaneTokens.Contexts = m.fill(s, contexts, contextLane)
	m.LaneTokens.Stubs = m.fill(s, stubs, stubLane)
	m.TotalTokens = m.LaneTokens.Summaries + m.LaneTokens.Contexts + m.LaneTokens.Stubs
	return m
}

// ranked sorts items by rank, the greatest first, without those that rank below 0.
func ranked(items []ManifestItem, rank func(path string) float64) []ManifestItem {
	at := make(map[string]float64, len(items))
	items = slices.DeleteFunc(items, func(m ManifestItem) bool {
		at[m.Path] = rank(m.Path)
		return at[m.Path] < 0
	})
	slices.SortStableFunc(items, func(a, b ManifestItem) int { return cmp.Compare(at[b.Path], at[a.Path]) })
	return items
}

// fill adds the items that fit a lane and returns their tokens. It stops once not even one token is left.
func (m *Manifest) fill(s *tree.Snapshot, items []ManifestItem, budget int) int {
	spent := 0
	for _, item := range items {
		if spent == budget {
			break
		}
		e, _ := s.Entry(item.Path)
		if item.Tokens = e.Tokens(); spent+item.Tokens > budget {
			continue
		}
		spent += item.Tokens
		m.ActiveContext = append(m.ActiveContext, item)
	}
	return spent
}

// Stale reports whether the manifest was made of another state of the tree, or in
// another format.
func (m Manifest) Stale(s *tree.Snapshot) bool {
	return m.Version != manifestVersion || m.SourceFingerprint != s.Fingerprint()
}

// JSON returns the content of the manifest's file.
func (m Manifest) JSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(m)
	return b.Bytes(), err
}

// ArchiveBelow is the decayed importance under which a draft may be archived
// (specification, "Archive System").
const ArchiveBelow = 35

// Candidate is an entry that may be archived.
type Candidate struct {
	Path       string
	Importance float64 // decayed
}

// Archivable lists the entries that are draft and whose decayed importance is
// under 35, the least important first.
func Archivable(s *tree.Snapshot, now time.Time) []Candidate {
	var out []Candidate
	for _, e := range s.Entries() {
		if e.Role != format.RoleEntry {
			continue
		}
		if at := s.Signals(e.Path, now); at.Maturity == format.Draft && at.Importance < ArchiveBelow {
			out = append(out, Candidate{Path: e.Path, Importance: at.Importance})
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
