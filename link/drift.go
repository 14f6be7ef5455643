package link

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Past gives files as they were; [history.Past] is one. Where it gives an error, drift is
// what can be told without it.
type Past interface {
	// At returns, for each question, the file at its moment and its name now.
	At(ctx context.Context, asks []history.Ask) ([]history.Version, error)
	// Naming returns files that held one of some words by itself at a moment.
	Naming(ctx context.Context, at history.Ask, words []string, limit int) ([]string, error)
	// Expect says which words Naming will be asked for, of many moments.
	Expect(words []string)
}

// Saying tells a past what counts of an entry: what it says ([format.Entry.ContentID]).
func Saying(e *format.Entry) *history.Saying {
	return &history.Saying{Text: e.Text, Says: e.ContentID, Reads: func(text string) string { return format.Parse(e.Path, text).ContentID() }}
}

// DriftKind says what happened to something that an entry names.
type DriftKind string

// The kinds of drift.
const (
	Vanished DriftKind = "vanished" // it is gone
	Moved    DriftKind = "moved"    // it is elsewhere, or has another name
	Changed  DriftKind = "changed"  // it is not what it was when the entry was written
)

// From which difference on, of 0 to 1, a text is reported as changed. On 92 steps of axios,
// gin, flask and bat (bench/drift -set tune -per 24) every file and symbol of which git
// counts half of the lines as changed, layout aside, lies at 0.2 or above, with 0.2 % of those
// symbols and 1.6 % of those files of which it counts at most a tenth; at 0.25 a tenth of
// the changed symbols is lost.
const (
	ChangedFile   = 0.20
	ChangedSymbol = 0.20
)

// alike is the largest difference between a text that is gone and one that is there
// instead; git's own for renames.
const alike = 0.5

// Drift is a way in which an entry no longer fits the code.
type Drift struct {
	Entry    string
	Kind     DriftKind
	At       markdown.Span // where the entry names it
	Path     string        // the file, as it was called then; of a symbol, the file it was in
	Symbol   string        // "" for the whole file
	To       string        // of [Moved]: where it is now
	ToSymbol string        // of [Moved]: what the symbol is called now
	// Replace is the text to write at At so that it is right again, spelled as what stands
	// there; "" where there is nothing that would be.
	Replace       string
	Grade         float64   // 0–1: how much of it is not as it was; 1 for what is gone
	Reason        string    // for people: what was seen, and since when
	Since         time.Time // the moment it is compared with; zero if none is known
	Before, After string    // the texts then and now, for a diff; "" where not known
	// The lines at which Before and After begin in their files, 1-based; 0 is the first.
	BeforeLine, AfterLine int
	// Unseen is of what is not there and is not known ever to have been.
	Unseen bool
}

// What says in a word what became of the thing.
func (d Drift) What() string {
	switch {
	case d.Kind == Vanished && d.Unseen:
		return "not there"
	case d.Kind == Vanished:
		return "gone"
	case d.Kind == Moved && d.Symbol != d.ToSymbol, d.Kind == Moved && d.Symbol == "" && path.Dir(d.Path) == path.Dir(d.To):
		return "renamed"
	}
	return string(d.Kind)
}

// Diff is the difference of Before and After, with the lines as they are counted in their files. A text without a line end
// at its end is a part of a file: that is no difference.
func (d Drift) Diff() string {
	if d.Before == "" || d.After == "" {
		return ""
	}
	lines := func(text string) string { return strings.TrimRight(text, "\n") + "\n" }
	return markdown.DiffAt("a/"+d.Path, d.BeforeLine, lines(d.Before), "b/"+cmp.Or(d.To, d.Path), d.AfterLine, lines(d.After))
}

// Drift lists how one entry no longer fits the code, in order of place. past may be nil:
// without git. For several entries, [Links.Drifts] asks git once.
func (l *Links) Drift(ctx context.Context, e *format.Entry, code *codebase.RepoMap, past Past) []Drift {
	found, _ := l.Drifts(ctx, []*format.Entry{e}, code, past)
	return found[e.Path]
}

// Drifts lists, by entry, how entries no longer fit the code, each list in order of place.
// code is the state that l was built for. The error is the past's or that of a context
// that ended; what could be told in spite of it is in the result.
func (l *Links) Drifts(ctx context.Context, entries []*format.Entry, code *codebase.RepoMap, past Past) (map[string][]Drift, error) {
	s := &survey{
		links: l, ctx: ctx, code: code, past: past, resolver: l.resolver.fresh(l.resolver.code),
		versions: map[history.Ask]history.Version{}, texts: map[string]*parsed{},
	}
	var all []*inspection
	for _, e := range entries {
		if e.Role == format.RoleEntry || e.Role == format.RoleOverview {
			all = append(all, newInspection(s, e, false))
			if l.pages { // the commit that took something away may have changed the page too, and left its line alone
				all = append(all, newInspection(s, e, true))
			}
		}
	}
	// Git is asked for all entries at once: for the files, and, where names that lead
	// nowhere were looked for one entry at a time, for the files that they were in.
	s.read(gather(all, (*inspection).files))
	var words []string
	searches := 0
	for _, in := range all {
		if in.choose(); len(in.words) > 0 {
			words, searches = append(words, in.words...), searches+1
		}
	}
	if searches > fewSearches {
		past.Expect(words)
	}
	for _, in := range all {
		in.search()
	}
	s.read(gather(all, (*inspection).searched))
	found := make(map[string][]Drift)
	for _, in := range all {
		if s.ctx.Err() != nil {
			break
		}
		drifts := in.drifts()
		if in.moment.Before {
			drifts = slices.DeleteFunc(drifts, func(d Drift) bool {
				return !in.stood(d) || slices.ContainsFunc(found[in.entry.Path], func(o Drift) bool { return overlap(o.At, d.At) })
			})
		}
		if drifts = append(found[in.entry.Path], drifts...); len(drifts) > 0 {
			slices.SortStableFunc(drifts, func(a, b Drift) int { return a.At.Start - b.At.Start })
			found[in.entry.Path] = drifts
		}
	}
	return found, cmp.Or(s.err, context.Cause(ctx))
}

// fewSearches is how many searches git makes faster than all texts are read: those of one page.
const fewSearches = 2

func gather(all []*inspection, asks func(*inspection) []history.Ask) (out []history.Ask) {
	for _, in := range all {
		out = append(out, asks(in)...)
	}
	return out
}

// survey is one look at some entries.
type survey struct {
	links    *Links
	ctx      context.Context
	code     *codebase.RepoMap
	past     Past
	err      error
	resolver *resolver
	versions map[history.Ask]history.Version
	texts    map[string]*parsed // of present files
	byCase   map[string]string  // paths of files, by what they are in lower case
}

// cased is the first file whose path is another one but for upper and lower case; "" for none.
func (s *survey) cased(p string) string {
	if s.byCase == nil {
		s.byCase = map[string]string{}
		add := func(file string) {
			key := strings.ToLower(file)
			if first, known := s.byCase[key]; sanitize.Plain(file) && (!known || file < first) {
				s.byCase[key] = file
			}
		}
		for file := range s.resolver.files {
			add(file)
		}
		for _, e := range s.links.tree.Entries() {
			if s.links.pages {
				add(e.Path)
			}
		}
	}
	return s.byCase[strings.ToLower(p)]
}

// read asks the past for files; what is known is not asked again.
func (s *survey) read(asks []history.Ask) {
	if s.past == nil {
		return
	}
	asks = slices.DeleteFunc(asks, func(a history.Ask) bool { _, known := s.versions[a]; return known })
	if len(asks) == 0 {
		return
	}
	versions, err := s.past.At(s.ctx, asks)
	s.err = cmp.Or(s.err, err)
	for i, v := range versions {
		s.versions[asks[i]] = v
	}
}

// current returns a mapped file as it is now; nil if it cannot be read.
func (s *survey) current(path string) *parsed {
	if p, known := s.texts[path]; known {
		return p
	}
	var p *parsed
	if text, err := s.code.Read(path); err == nil {
		p = s.links.measured.parse(s.ctx, s.code, path, text)
	}
	s.texts[path] = p
	return p
}

// then parses a former state of a file.
func (s *survey) then(v history.Version) *parsed {
	return s.links.measured.parse(s.ctx, s.code, v.Then, v.Text)
}
