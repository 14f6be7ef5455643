package retrieval

import (
	"fmt"
	"math"
	"path"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// A model is shown two things before it answers.
//
// The hits of the search: the passage of every hit, then, best hits first, as much of the entry around it as
// the tier's tokens allow: all of it, or the section.
//
// The structure: the folders by name, and the files that the tree's manifest chooses for its three lanes
// (derived.Manifest has their budgets). The manifest's own order does not depend on the question. Here each
// lane begins with the files related to the question: summaries of the hits' folders, entries that hits are
// related to, stubs and entries in the hits' folders. The hits themselves are left out, since they are shown
// anyway.

// maxContent is the longest part of one entry that is shown at once, in characters (paper, Table 7).
const maxContent = 8000

// maxListing is the most folders that are listed (reference system), and listingTokens is their most tokens:
// 200 usual paths take about 2,000.
const (
	maxListing    = 200
	listingTokens = 3000
)

// structureTokens bounds the quoted structure: the manifest's
// 6,500, and tags around many small files.
const structureTokens = 8000

// excerpt is a part of an entry that a model is shown.
type excerpt struct {
	entry *format.Entry
	at    markdown.Span
	via   string // how a hit came in, if not by a word
	of    *tree.Snapshot
}

// complete reports whether the excerpt is the whole body.
func (x excerpt) complete() bool {
	b := x.entry.Body
	return strings.TrimSpace(x.entry.Text[b.Start:x.at.Start]+x.entry.Text[x.at.End:b.End]) == ""
}

// excerpt quotes an excerpt for a model.
func (q quoter) excerpt(x excerpt) string {
	e := x.entry
	part := "whole"
	if !x.complete() {
		part = fmt.Sprintf("bytes %d to %d of %d", x.at.Start, x.at.End, len(e.Text))
	}
	text := e.Shown(x.at)
	var changed, maturity string
	counted, at := x.of.Counted(e.Path)
	if !at.IsZero() {
		changed = at.UTC().Format(time.DateOnly)
	}
	if counted.Has {
		maturity = string(counted.Maturity)
	}
	if s := strings.TrimSpace(e.Summary); s != "" && !strings.Contains(text, s) {
		text = "Summary: " + s + "\n\n" + strings.TrimLeft(text, "\r\n")
	}
	return q.block("entry", text, attribute{"path", e.Path}, attribute{"title", e.Title}, attribute{"part", part},
		attribute{"maturity", maturity}, attribute{"changed", changed}, attribute{"found", x.via})
}

// shownParts records the parts of entries that a model has seen.
type shownParts struct {
	mu       sync.Mutex // guards the fields below; a tool that is still running may add
	parts    map[string]markdown.Span
	complete map[string]bool
	order    []string // paths, in the order in which they were shown
}

// add records an excerpt; several of one entry count as one from the first byte to the last.
func (s *shownParts) add(x excerpt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parts == nil {
		s.parts, s.complete = map[string]markdown.Span{}, map[string]bool{}
	}
	s.complete[x.entry.Path] = s.complete[x.entry.Path] || x.complete()
	at, known := s.parts[x.entry.Path]
	if known {
		at = markdown.Span{Start: min(at.Start, x.at.Start), End: max(at.End, x.at.End)}
	} else {
		at = x.at
		s.order = append(s.order, x.entry.Path)
	}
	s.parts[x.entry.Path] = at
}

// source returns the source for an entry that an answer names: the part that was shown, or else all of it.
func (s *shownParts) source(e *format.Entry) (out Source, shown bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, shown := s.parts[e.Path]
	if !shown {
		at = e.Body
	}
	return Source{Path: e.Path, Title: e.Title, At: at}, shown
}

// wholly reports whether a model has seen the whole entry at once.
func (s *shownParts) wholly(p string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.complete[p]
}

// paths lists the shown entries in order.
func (s *shownParts) paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.order...)
}

// prefetch chooses the parts of the hits that fit a number of tokens.
func prefetch(q quoter, snap *tree.Snapshot, hits []Hit, budget int) []excerpt {
	var out []excerpt
	var costs []int
	for _, h := range hits[:min(MaxLimit, len(hits))] {
		e, ok := snap.Entry(h.Path)
		if !ok {
			continue
		}
		x := excerpt{e, inBody(e, h.Passage), h.Via, snap}
		cost := tokens.Estimate(q.excerpt(x))
		if cost > budget {
			continue
		}
		budget -= cost
		out, costs = append(out, x), append(costs, cost)
	}
	for i, x := range out {
		for _, at := range wider(x) {
			y := excerpt{x.entry, at, x.via, snap}
			if more := tokens.Estimate(q.excerpt(y)) - costs[i]; more <= budget {
				budget -= more
				out[i] = y
				break
			}
		}
	}
	return out
}

// wider lists larger parts of an entry around an excerpt, the largest first.
func wider(x excerpt) []markdown.Span {
	e := x.entry
	var out []markdown.Span
	if utf8.RuneCountInString(e.Body.Of(e.Text)) <= maxContent {
		out = append(out, e.Body)
	}
	for _, s := range e.Sections { // from the outermost to the innermost
		at := inBody(e, s.At)
		if s.At.Start <= x.at.Start && x.at.End <= at.End && at != x.at {
			out = append(out, at)
		}
	}
	return out
}

// inBody is the part of a span inside the entry's body, between characters and no longer than maxContent. A
// search engine's spans may belong to another text.
func inBody(e *format.Entry, at markdown.Span) markdown.Span {
	start := boundary(e.Text, min(max(at.Start, e.Body.Start), e.Body.End))
	end := boundary(e.Text, min(max(at.End, start), e.Body.End))
	return markdown.Span{Start: start, End: start + len(sanitize.First(e.Text[start:end], maxContent))}
}

// boundary is the start of the character at a place.
func boundary(s string, at int) int {
	for n := 0; at > 0 && at < len(s) && n < utf8.UTFMax && !utf8.RuneStart(s[at]); n++ {
		at--
	}
	return at
}

// structure chooses the files of the manifest's lanes for a question.
func structure(q quoter, snap *tree.Snapshot, found []excerpt, hits []Hit, now time.Time, left int) []excerpt {
	t := touchOf(snap, found, hits)
	m := derived.NewManifest(snap, now, func(p string) float64 { return t.rank(snap, p, now) })
	var out []excerpt
	for _, item := range m.ActiveContext {
		e, _ := snap.Entry(item.Path)
		x := excerpt{e, inBody(e, e.Body), "", snap}
		if cost := tokens.Estimate(q.excerpt(x)); cost <= left {
			out, left = append(out, x), left-cost
		}
	}
	return out
}

// touch measures how closely the places of a tree are related to a question, 0–1.
type touch struct {
	shown   map[string]bool
	related map[string]float64 // entries that hits are related to
	folders map[string]float64 // folders that hits lie in or below
}

// relatedCredit and besideCredit are the shares of a hit's score for an entry that it is related to, and for
// one in its folder. Own choice: a relation was written by a person, while a common folder is a weaker sign.
const (
	relatedCredit = 0.5
	besideCredit  = 0.25
)

func touchOf(snap *tree.Snapshot, found []excerpt, hits []Hit) touch {
	t := touch{map[string]bool{}, map[string]float64{}, map[string]float64{}}
	for _, x := range found {
		t.shown[x.entry.Path] = true
	}
	for _, h := range hits {
		for dir := folderOfKnowledge(h.Path); dir != ""; dir = parentFolder(dir) {
			t.folders[dir] = max(t.folders[dir], h.Score)
		}
		for _, r := range snap.Relations(h.Path) {
			t.related[r.Target] = max(t.related[r.Target], relatedCredit*h.Score)
		}
		for _, b := range snap.Backlinks(h.Path) {
			t.related[b.From] = max(t.related[b.From], relatedCredit*h.Score)
		}
	}
	return t
}

// rank orders a lane. The root's summary is always first. Files without relation to the question stay in the
// manifest's own order, which for entries is by importance.
func (t touch) rank(snap *tree.Snapshot, p string, now time.Time) float64 {
	dir := folderOfKnowledge(p)
	switch {
	case t.shown[p]:
		return -1
	case format.RoleOf(p) == format.RoleSummary && dir == "":
		return math.Inf(1)
	case format.RoleOf(p) == format.RoleSummary:
		return t.folders[dir]
	}
	rank := max(t.related[p], besideCredit*t.folders[dir])
	if format.RoleOf(p) == format.RoleEntry {
		rank += snap.Signals(p, now).Importance / 1e6 // 0–100: decides between equals
	}
	return rank
}

// folderOfKnowledge is the folder that a file belongs to; for a stub, the archived entry's former folder.
func folderOfKnowledge(p string) string { return parentFolder(strings.TrimPrefix(p, archiveFolder)) }

func parentFolder(p string) string { return strings.TrimPrefix(path.Dir(p), ".") }

// listing names the domains, topics and subtopics with their numbers of entries; ""
// if they are too many.
func listing(q quoter, snap *tree.Snapshot, most int) (text string, domains, folders int) {
	var b strings.Builder
	var walk func(dir string)
	walk = func(dir string) {
		n, ok := snap.Node(dir)
		if !ok {
			return
		}
		if dir != "" {
			if folders++; folders <= maxListing {
				fmt.Fprintf(&b, "%s/ %d\n", q.line(dir), n.Knowledge())
			}
			if n.Kind == format.KindDomain {
				domains++
			}
		}
		for _, sub := range n.Folders {
			if !archived(sub) {
				walk(sub)
			}
		}
	}
	walk("")
	if text = q.block("tree", b.String()); folders > maxListing || tokens.Estimate(text) > most {
		return "", domains, folders
	}
	return text, domains, folders
}
