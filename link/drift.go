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

// Past gives files as they were; [history.Past] implements it. After an error, the drift that can be found without
// it is reported.
type Past interface {
	// At returns, for each question, the file at that moment and its present name.
	At(ctx context.Context, asks []history.Ask) ([]history.Version, error)
	// Naming returns the files that contained one of some words, as a whole word, at a moment.
	Naming(ctx context.Context, at history.Ask, words []string, limit int) ([]string, error)
	// Expect announces the words that Naming will be asked for, at many moments.
	Expect(words []string)
}

// Saying tells a past which content of an entry counts: its statements ([format.Entry.ContentID]).
func Saying(e *format.Entry) *history.Saying {
	return &history.Saying{Text: e.Text, Says: e.ContentID, Reads: func(text string) string { return format.Parse(e.Path, text).ContentID() }}
}

// DriftKind is the kind of change of a thing that an entry names.
type DriftKind string

// The kinds of drift.
const (
	Vanished DriftKind = "vanished" // it does not exist any more
	Moved    DriftKind = "moved"    // it is in another place, or has another name
	Changed  DriftKind = "changed"  // it differs from the time when the entry was written
)

// The least differences, from 0 to 1, at which a text is reported as changed. They were measured on 92 steps of
// axios, gin, flask and bat (bench/drift -set tune -per 24). Every file and symbol of which git counts half of the
// lines as changed, layout aside, differs by 0.2 or more. So do 0.2 % of the symbols and 1.6 % of the files of
// which git counts at most a tenth of the lines. At 0.25, a tenth of the changed symbols would be missed.
const (
	ChangedFile   = 0.20
	ChangedSymbol = 0.20
)

// alike is the largest difference at which a new text counts as the continuation of one that is gone. Git uses the
// same for renames.
const alike = 0.5

// Drift is a way in which an entry no longer fits the code.
type Drift struct {
	Entry    string
	Kind     DriftKind
	At       markdown.Span // where the entry names it
	Path     string        // the file's path at that time; for a symbol, the file that held it
	Symbol   string        // "" for the whole file
	To       string        // for [Moved]: its present path
	ToSymbol string        // for [Moved]: the symbol's present name
	// Replace is the text to write at At to correct it, in the same spelling as the present text. It is "" if
	// there is no correct text.
	Replace       string
	Grade         float64   // 0–1: the share that changed; 1 if it is gone
	Reason        string    // for people: the observation, and the time since
	Since         time.Time // the moment it is compared with; zero if none is known
	Before, After string    // the texts then and now, for a diff; "" where not known
	// The lines at which Before and After begin in their files, 1-based; 0 means the first.
	BeforeLine, AfterLine int
	// Unseen marks something that does not exist and is not known to have existed.
	Unseen bool
}

// What returns one word for what happened to the thing.
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

// Diff is the difference between Before and After, with the line numbers of their files. A text without a final
// newline is a part of a file, so the missing newline is no difference.
func (d Drift) Diff() string {
	if d.Before == "" || d.After == "" {
		return ""
	}
	lines := func(text string) string { return strings.TrimRight(text, "\n") + "\n" }
	return markdown.DiffAt("a/"+d.Path, d.BeforeLine, lines(d.Before), "b/"+cmp.Or(d.To, d.Path), d.AfterLine, lines(d.After))
}

// Drift lists the places where one entry no longer fits the code, in order of place. past is nil without git. For
// several entries, use [Links.Drifts], which asks git only once.
func (l *Links) Drift(ctx context.Context, e *format.Entry, code *codebase.RepoMap, past Past) []Drift {
	found, _ := l.Drifts(ctx, []*format.Entry{e}, code, past)
	return found[e.Path]
}

// Drifts lists, by entry, the places where entries no longer fit the code, in order of place. code is the state
// that l was built for. The error comes from the past or from a context that ended; the result still has what
// could be found.
func (l *Links) Drifts(ctx context.Context, entries []*format.Entry, code *codebase.RepoMap, past Past) (map[string][]Drift, error) {
	s := &survey{
		links: l, ctx: ctx, code: code, past: past, resolver: l.resolver.fresh(l.resolver.code),
		versions: map[history.Ask]history.Version{}, texts: map[string]*parsed{},
	}
	var all []*inspection
	for _, e := range entries {
		if e.Role == format.RoleEntry || e.Role == format.RoleOverview {
			all = append(all, newInspection(s, e, false))
			if l.pages { // the commit that removed the thing may have changed the page too, but not this line
				all = append(all, newInspection(s, e, true))
			}
		}
	}
	// Git is asked once for the files of all entries. Then names that lead nowhere are searched for, one entry at
	// a time, and git is asked once for all the files found.
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

// fewSearches is the number of searches, those of one page, up to which git is faster at searching than at reading
// all texts.
const fewSearches = 2

func gather(all []*inspection, asks func(*inspection) []history.Ask) (out []history.Ask) {
	for _, in := range all {
		out = append(out, asks(in)...)
	}
	return out
}

// survey is one examination of several entries.
type survey struct {
	links    *Links
	ctx      context.Context
	code     *codebase.RepoMap
	past     Past
	err      error
	resolver *resolver
	versions map[history.Ask]history.Version
	texts    map[string]*parsed // of present files
	byCase   map[string]string  // paths of files, by the path in lower case
}

// cased returns the first file whose path differs from p only in letter case, or "".
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

// read asks the past for files that are not known yet.
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
