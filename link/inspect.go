package link

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// inspection examines one entry.
type inspection struct {
	*survey
	entry  *format.Entry
	moment history.Ask // when it was last valid, without a path
	paths  []naming
	names  []naming
	words  []string // names to search for in files that the entry does not name
	found  []string // files that contained, at that moment, a name that leads nowhere now
	out    []Drift
}

// naming is a place where an entry names something.
type naming struct {
	at   markdown.Span
	text string    // as written
	lead string    // the path in front of the name, if there is one
	path string    // the path, cleaned
	name written   // or the name
	form Form      // FormFile, FormPath, FormLink or FormSymbol
	refs []CodeRef // the present meanings
}

// newInspection starts the examination of an entry, for its own moment. With before set, it is for the state
// before that, and only names that lead nowhere are checked.
func newInspection(s *survey, e *format.Entry, before bool) *inspection {
	in := &inspection{survey: s, entry: e, moment: history.Ask{Neighbour: e.Path, LineOnly: s.links.pages, Before: before}}
	if !s.links.pages {
		in.moment.Neighbour = tree.FromProject + e.Path
		var exact bool
		if in.moment.When, exact = s.links.tree.Changed(e.Path); !exact {
			in.moment.Saying = Saying(e)
		}
	}
	refs := map[markdown.Span][]CodeRef{}
	for _, ref := range s.links.Of(e.Path) {
		if ref.Exists {
			refs[ref.Span] = append(refs[ref.Span], ref)
		}
	}
	for _, f := range e.Files {
		if p, ok := inside(f.Path); ok {
			in.paths = append(in.paths, naming{at: f.At, text: f.At.Of(e.Text), path: p, form: FormFile, refs: refs[f.At]})
		}
	}
	links, _ := s.resolver.linksOf(s.links.tree, e)
	for _, f := range links {
		in.paths = append(in.paths, naming{at: f.At, text: f.At.Of(e.Text), path: f.Path, form: FormLink, refs: refs[f.At]})
	}
	for _, at := range e.Code {
		if slices.ContainsFunc(in.paths, func(n naming) bool { return n.form == FormFile && overlap(n.at, at) }) {
			continue
		}
		in.body(at, at.Of(e.Text), refs[at])
	}
	for _, p := range in.paths {
		if len(p.refs) > 0 {
			if n, ok := in.behind(p.at, p.text, p.refs[0].Path); ok {
				in.names = append(in.names, n)
			}
		}
	}
	if before {
		known := func(n naming) bool { return len(n.refs) > 0 }
		in.paths, in.names = slices.DeleteFunc(in.paths, known), slices.DeleteFunc(in.names, known)
	}
	return in
}

// body records the names in inline code. Their present meaning decides whether a text is a path.
func (in *inspection) body(at markdown.Span, text string, refs []CodeRef) {
	if len(text) > maxMention || strings.Contains(text, "://") {
		return
	}
	if p, ok := pathIn(text); ok && (len(refs) == 0 || refs[0].Form == FormPath) {
		in.paths = append(in.paths, naming{at: at, text: text, path: p, form: FormPath, refs: refs})
		return
	}
	if len(refs) == 0 && in.links.pages && discover.IsTool(text) {
		in.paths = append(in.paths, naming{at: at, text: text, path: text, form: FormPath})
		return
	}
	if n, ok := nameIn(text); ok {
		in.names = append(in.names, naming{at: at, text: text, name: n, form: FormSymbol, refs: refs})
	}
}

// behind returns the symbol behind a file's path, as in util.py::Cache.evict.
func (in *inspection) behind(at markdown.Span, said, file string) (n naming, ok bool) {
	p := format.WithoutLines(said)
	n = naming{at: at, text: strings.TrimLeft(said[len(p):], ":#"), form: FormSymbol}
	if n.name, ok = nameIn(n.text); !ok || syntax.LanguageOf(p) == "" {
		return n, false
	}
	n.lead = strings.TrimSuffix(said, n.text)
	m := in.resolver.symbols(n.text, n.name)
	n.refs = slices.DeleteFunc(append(m.refs, m.tests...), func(ref CodeRef) bool { return ref.Path != file })
	return n, true
}

// ask returns the question for a path at the entry's moment.
func (in *inspection) ask(p string) history.Ask {
	a := in.moment
	a.Path = p
	return a
}

// askPath returns the question for the meaning of a named path.
func (in *inspection) askPath(n naming) history.Ask {
	if len(n.refs) > 0 {
		return in.ask(n.refs[0].Path)
	}
	a := in.ask(n.path)
	a.Short = !in.links.pages && n.form != FormLink || n.form == FormPath && strings.Contains(n.path, "/")
	if slices.ContainsFunc(in.resolver.ends[path.Base(n.path)], func(p string) bool { return strings.HasSuffix(p, "/"+n.path) }) {
		a.Short = false // the path names one of several existing ones
	}
	return a
}

func (in *inspection) version(a history.Ask) history.Version { return in.versions[a] }

// files returns the questions for everything that the entry names.
func (in *inspection) files() (asks []history.Ask) {
	if in.moment.Before && len(in.paths)+len(in.names) > 0 {
		asks = append(asks, in.ask(in.entry.Path))
	}
	for _, n := range in.paths {
		asks = append(asks, in.askPath(n), in.ask(n.path))
	}
	for _, n := range in.names {
		for _, ref := range n.refs {
			asks = append(asks, in.ask(ref.Path))
		}
	}
	return asks
}

// Limits of the search for the former place of a name.
const (
	maxFound = 40 // files that contained one of an entry's names
	maxNames = 40 // names of an entry that lead nowhere

	maxLooked = 1000 // files that contained one of a page's names, code or not
)

// choose selects the names to search for: those that lead nowhere now, unless a file that the entry names
// contained them.
func (in *inspection) choose() {
	if in.past == nil {
		return
	}
	var words []string
	for _, n := range in.names {
		if len(n.refs) > 0 || !n.name.tellsCode() || in.heldByFiles(n.name.last()) {
			continue
		}
		words = append(words, n.name.last())
	}
	slices.Sort(words)
	words = slices.Compact(words)
	in.words = words[:min(len(words), maxNames)]
}

// search asks for the files that contained the chosen names.
func (in *inspection) search() {
	words := in.words
	if !in.links.pages {
		in.holding(words, maxFound+1)
		return
	}
	// Pages often name common words, such as get and next. They are searched for last, so that the files that
	// contain them do not displace the others.
	common := slices.DeleteFunc(slices.Clone(words), tells)
	in.holding(slices.DeleteFunc(words, func(w string) bool { return !tells(w) }), maxLooked)
	if !in.moment.Before { // a second search costs one run of git for each page
		in.holding(common, maxFound+1)
	}
}

// holding records the files that contained one of some words. For a page it keeps only files that can define the
// word.
func (in *inspection) holding(words []string, limit int) {
	if len(words) == 0 || len(in.found) == maxFound {
		return
	}
	found, err := in.past.Naming(in.ctx, in.moment, words, limit)
	if err != nil {
		in.err = err
	}
	for _, f := range found {
		if len(in.found) < maxFound && (!in.links.pages || syntax.LanguageOf(f) != "") {
			in.found = append(in.found, f)
		}
	}
}

// tellsCode reports whether a name looks like an identifier and not like a word.
func (n written) tellsCode() bool {
	if len(n.words) > 1 || n.called || n.member {
		return true
	}
	return tells(n.last())
}

// tells reports whether a single word looks like an identifier.
func tells(word string) bool {
	return utf8.RuneCountInString(word) >= minName && strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLower(r) })
}

func (in *inspection) heldByFiles(word string) bool {
	return slices.ContainsFunc(in.paths, func(n naming) bool {
		v := in.version(in.askPath(n))
		return v.There && strings.Contains(v.Text, word)
	})
}

// searched returns the questions for the files that the search found.
func (in *inspection) searched() (asks []history.Ask) {
	for _, p := range in.found {
		asks = append(asks, in.ask(p))
	}
	return asks
}

// former returns the former states of files that can have contained a name that leads nowhere.
func (in *inspection) former() (versions []history.Version) {
	seen := map[string]bool{}
	add := func(a history.Ask) {
		if v := in.version(a); v.There && v.Text != "" && !seen[v.Then] {
			seen[v.Then] = true
			versions = append(versions, v)
		}
	}
	for _, n := range in.paths {
		add(in.askPath(n))
	}
	for _, p := range in.found {
		add(in.ask(p))
	}
	return versions
}

// drifts finds everything that no longer fits.
func (in *inspection) drifts() []Drift {
	named := in.inNames() // first, since a file whose symbols are named is not compared as a whole
	for _, n := range in.paths {
		in.path(n, named)
	}
	slices.SortStableFunc(in.out, func(a, b Drift) int { return a.At.Start - b.At.Start })
	// An entry is short, so a thing that it names twice is reported once if it is gone or changed. Every place of
	// a moved thing is reported, since each needs its own new text. So is every place in a document, since readers
	// see only parts of it.
	type thing struct {
		kind         DriftKind
		path, symbol string
	}
	seen := map[thing]bool{}
	return slices.DeleteFunc(in.out, func(d Drift) bool {
		key := thing{d.Kind, d.Path, d.Symbol}
		again := seen[key] && d.Kind != Moved && !in.links.pages
		seen[key] = true
		return again
	})
}

// stood reports whether the line of a finding is older than the page's last commit, which did not change it.
func (in *inspection) stood(d Drift) bool {
	text := in.entry.Text
	line, _ := markdown.CutLine(text, strings.LastIndexByte(text[:d.At.Start], '\n')+1)
	return strings.Contains(in.version(in.ask(in.entry.Path)).Text, line)
}

// add completes and records a finding.
func (in *inspection) add(d Drift, v history.Version) {
	d.Entry, d.Reason = in.entry.Path, secrets.Redact(d.Reason)
	if v.Known {
		d.Since = in.since(v)
	}
	if !format.Listed(in.entry, d.At) && format.NamesBoth(in.entry.Text, d.At, d.Replace) {
		d.Replace = ""
	}
	in.out = append(in.out, d)
}

// since returns the moment to which the entry refers.
func (in *inspection) since(v history.Version) time.Time {
	if at := time.Unix(v.State.Time, 0); in.moment.When.IsZero() || in.moment.Saying != nil && at.After(in.moment.When) {
		return at
	}
	return in.moment.When
}

// changeOf describes how much something changed.
func (in *inspection) changeOf(what, within string, grade float64, v history.Version) string {
	text := fmt.Sprintf("`%s` is %s different since %s", what, percent(grade), in.since(v).UTC().Format(time.DateOnly))
	if v.Commits > 0 {
		text += ": " + words.Counted(v.Commits, "commit", "commits")
	}
	if within != "" && v.Commits > 0 {
		text += " in `" + within + "`"
	}
	return text
}

func percent(share float64) string { return fmt.Sprintf("%d %%", int(math.Round(100*share))) }

// event describes a commit for people.
func event(e history.Event) string {
	if e.Hash == "" {
		return "in this change"
	}
	return e.Hash[:min(len(e.Hash), 7)] + ", " + e.Time.UTC().Format(time.DateOnly)
}
