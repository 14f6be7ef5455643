package documents

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/internal/block"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/glob"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// maxText bounds the total size of a set's texts, in bytes.
const maxText = 64 << 20

// Options determine which files are documents.
type Options struct {
	Include []string // globs of files that are documents in any folder, besides those of [kindOf]
	Exclude []string // globs of files and folders that are not documents

	Languages []string // translations that are read as well, see [Set.Language]

	repository []string // the names of this repository on its hosts, see [git.Called]; addresses of its files are links to them
}

// Set holds all documents of a folder at one moment. It is immutable and safe for any number of readers.
type Set struct {
	Skipped map[string]string // documents that are not read: path → reason

	options Options
	filter  *discover.Filter
	docs    []*Document       // sorted by path
	files   map[string]record // as they were when read

	told     map[string]map[string]bool // by document: paths of sections that entries of the tree replace
	linked   map[string]string          // symbolic links that determine the kind of their targets, by the targets' paths
	twins    map[string]twin            // the translations in the folder, read or not, by path
	series   map[string]bool            // pages that exist once for each release, by path
	spoken   func() map[string]map[string]bool
	snapshot func() *tree.Snapshot
	pages    func() *tree.Snapshot
	paged    atomic.Pointer[tree.Snapshot] // the result of pages
	snapped  atomic.Bool                   // snapshot was called
	searched sync.Map                      // Shelf → its sections, once searched
}

// record describes a file at the time it was read.
type record struct {
	discover.File
	read time.Time
}

// Empty returns a set without documents.
func Empty() *Set { return (&Set{}).made(nil, nil) }

// Read reads the documents of a folder. It takes unchanged documents from an earlier set; before is nil if there
// is none.
func Read(ctx context.Context, root *jail.Root, o Options, before *Set) (*Set, error) {
	found, err := discover.Walk(ctx, root, discover.Options{Include: slices.Concat(patterns, o.Include), Exclude: o.Exclude})
	if err != nil {
		return nil, err
	}
	if before == nil {
		before = Empty()
	}
	o.repository = git.Called(root.Dir())
	s := &Set{options: o, filter: found.Filter, Skipped: map[string]string{}, files: map[string]record{}}
	s.follow(root, found)
	for p, reason := range found.Skipped {
		if s.wants(p) {
			s.Skipped[p] = reason
		}
	}
	now, room := time.Now(), int64(maxText)
	found.Files = slices.DeleteFunc(found.Files, func(f discover.File) bool { return !s.wants(f.Path) })
	var files []discover.File
	all := pathsOf(found.Files, func(f discover.File) string { return f.Path })
	s.twins, s.series = translations(all), series(all)
	for _, f := range found.Files {
		switch {
		case s.foreign(f.Path) && !slices.Contains(o.Languages, s.twins[f.Path].language): // read when a question is in its language
		case f.Size > room:
			s.Skipped[f.Path] = "too many documents"
		default:
			room -= f.Size
			files = append(files, f)
		}
	}
	docs, errs := make([]*Document, len(files)), make([]error, len(files))
	var group panics.Group
	workers := min(runtime.GOMAXPROCS(0), len(files))
	for w := range workers {
		group.Go(func() {
			for i := w; i < len(files) && ctx.Err() == nil; i += workers {
				docs[i], errs[i] = s.read(root, files[i], before)
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i, f := range files {
		if errs[i] != nil {
			s.Skipped[f.Path] = discover.Reason(errs[i])
		} else {
			s.files[f.Path] = record{f, now}
			s.docs = append(s.docs, docs[i])
		}
	}
	searched := before
	if !before.snapped.Load() { // without a search, before would keep the previous set alive, and so on
		searched = nil
	}
	s.spoken = sync.OnceValue(func() map[string]map[string]bool { return s.listen(root) })
	return s.made(before, searched), nil
}

// read returns one document, taken from an earlier set if its file did not change.
func (s *Set) read(root *jail.Root, f discover.File, before *Set) (*Document, error) {
	old, known := before.Document(f.Path)
	known = known && before.linked[f.Path] == s.linked[f.Path]
	if r, ok := before.files[f.Path]; ok && known && r.Same(f) && !f.Racy(r.read) {
		return old, nil
	}
	data, err := root.WithoutLinks().ReadFile(f.Path, discover.DefaultMaxFileSize)
	if err != nil {
		return nil, err
	}
	data = words.UTF8(data)
	text, garbled := strings.ToValidUTF8(string(data), "\ufffd"), !utf8.Valid(data)
	if known && old.Text == text && old.Garbled == garbled {
		return old, nil
	}
	d := s.parse(f.Path, text)
	d.Garbled = garbled
	return d, nil
}

// follow handles symbolic links whose target was found too. The target becomes a document of the link's kind if
// its own name does not make it one. A link named like a rule always makes its target a rule.
func (s *Set) follow(root *jail.Root, found *discover.Found) {
	s.linked = map[string]string{}
	for _, p := range slices.Sorted(maps.Keys(found.Skipped)) {
		kind, ok := kindOf(p)
		if !ok {
			continue
		}
		to, err := jail.LeadsTo(root, p)
		_, there := slices.BinarySearchFunc(found.Files, to, func(f discover.File, p string) int { return strings.Compare(f.Path, p) })
		if err != nil || !there {
			continue
		}
		delete(found.Skipped, p)
		if own, is := kindOf(to); s.linked[to] == "" && (!is || kind == RuleFile && own != RuleFile) {
			s.linked[to] = p
		}
	}
}

func (s *Set) parse(p, text string) *Document {
	d := parseAs(p, cmp.Or(s.linked[p], p), text)
	d.repository = s.options.repository
	return d
}

// LeftOut names the folders of documents that are not in the set; see [discover.Filter.LeftOut].
func (s *Set) LeftOut(root *jail.Root) string { return s.filter.LeftOut(root) }

// Wants reports whether a file's name makes it a document.
func (o Options) Wants(p string) bool {
	_, ok := kindOf(p)
	return ok || glob.Match(o.Include, p)
}

func (s *Set) wants(p string) bool { return s.options.Wants(p) || s.linked[p] != "" }

// reads reports whether a file at a path is a document of the set, or would be one.
func (s *Set) reads(p string) bool { return s.wants(p) && s.filter != nil && s.filter.WouldWant(p) }

// Concerns reports whether a change at a path may change the set: a change of a document, of an ignore file, or of
// a path that was or may be a folder of documents.
func (s *Set) Concerns(p string) bool {
	i, _ := s.position(p + "/")
	return s.wants(p) || path.Base(p) == ".gitignore" || path.Ext(p) == "" || i < len(s.docs) && strings.HasPrefix(s.docs[i].Path, p+"/")
}

// With returns the set in which the file at p has the given text, which is an unsaved buffer.
func (s *Set) With(p, text string) *Set {
	if old, ok := s.Document(p); ok && old.Text == text || !s.reads(p) || len(text) > discover.DefaultMaxFileSize {
		return s
	}
	next := s.copied()
	next.files = maps.Clone(s.files)
	delete(next.files, p)
	i, found := s.position(p)
	if next.docs = slices.Clone(s.docs); found {
		next.docs[i] = s.parse(p, text)
	} else {
		next.docs = slices.Insert(next.docs, i, s.parse(p, text))
		if _, known := s.twins[p]; !known { // translations depend only on paths
			all := slices.AppendSeq(pathsOf(next.docs, func(d *Document) string { return d.Path }), maps.Keys(s.twins))
			next.twins, next.series = translations(all), series(all)
		}
	}
	return next.made(s, s)
}

// Told is the text of a document, or of a section with those below it, that an entry repeats.
type Told struct {
	Path, Anchor string // "" for the whole document
	Hash         string // [format.SourceHash] of the text in the entry
}

// Without returns the set whose search leaves out texts that entries repeat, as long as both are equal.
func (s *Set) Without(list []Told) *Set {
	told := map[string]map[string]bool{}
	for _, t := range list {
		d, ok := s.Document(t.Path)
		if !ok {
			continue
		}
		at, ok := d.Whole(t.Anchor)
		if !ok || format.SourceHash(at.Of(d.Text)) != t.Hash {
			continue
		}
		for i, p := range d.entryPaths() {
			if section := d.Sections[i].At; at.Start <= section.Start && section.End <= at.End {
				if told[d.Path] == nil {
					told[d.Path] = map[string]bool{}
				}
				told[d.Path][p] = true
			}
		}
	}
	if maps.EqualFunc(told, s.told, maps.Equal) {
		return s
	}
	next := s.copied()
	next.told = told
	return next.made(s, s)
}

func (s *Set) copied() *Set {
	return &Set{Skipped: s.Skipped, options: s.options, filter: s.filter, docs: s.docs, files: s.files, told: s.told,
		linked: s.linked, twins: s.twins, series: s.series, spoken: s.spoken}
}

func (s *Set) position(p string) (int, bool) {
	return slices.BinarySearchFunc(s.docs, p, func(d *Document, p string) int { return strings.Compare(d.Path, p) })
}

// Document returns the document at a path.
func (s *Set) Document(p string) (*Document, bool) {
	if i, ok := s.position(p); ok {
		return s.docs[i], true
	}
	return nil, false
}

// All returns the documents, sorted by path. The list belongs to the set and must not be changed.
func (s *Set) All() []*Document { return s.docs }

// Counts reports whether a document counts as knowledge of the project. A page in several languages counts once.
// Of the documents that rank behind the others, only changelogs count.
func (s *Set) Counts(d *Document) bool {
	return !s.foreign(d.Path) && (d.Kind == Changelog || !s.Aside(d))
}

// Count counts the knowledge in documents: pages, rules for agents and decisions.
func (s *Set) Count() (pages, rules, decisions int) {
	for _, d := range s.docs {
		switch {
		case !s.Counts(d):
		case d.Kind == RuleFile:
			rules++
		case d.Kind == Decision:
			decisions++
		default:
			pages++
		}
	}
	return pages, rules, decisions
}

// Len returns the number of documents.
func (s *Set) Len() int { return len(s.docs) }

// made completes a set whose documents are known. Entries are taken from searched, or made anew if it is nil.
func (s *Set) made(before, searched *Set) *Set {
	var last *tree.Snapshot // a set that was never searched keeps no older set alive
	if before != nil {
		last = before.paged.Load()
	}
	s.pages = sync.OnceValue(func() *tree.Snapshot { return s.wholePages(last) })
	s.snapshot = sync.OnceValue(func() *tree.Snapshot {
		next := s.entries(searched)
		s.snapped.Store(true)
		return next
	})
	return s
}

func pathsOf[T any](all []T, path func(T) string) []string {
	out := make([]string, len(all))
	for i, x := range all {
		out[i] = path(x)
	}
	return out
}

// Section finds the document and section for a path of [Set.Snapshot].
func (s *Set) Section(entry string) (*Document, *Section, bool) {
	file, _, ok := format.SectionOf(entry)
	d, there := s.Document(file)
	if !ok || !there {
		return nil, nil, false
	}
	i := slices.Index(d.entryPaths(), entry)
	if i < 0 {
		return nil, nil, false
	}
	return d, &d.Sections[i], true
}

// Snapshot returns the sections as entries. Each has the text of its document, and the section is its body.
func (s *Set) Snapshot() *tree.Snapshot { return s.snapshot() }

// entries makes the snapshot from that of an earlier set, if before is not nil.
func (s *Set) entries(before *Set) *tree.Snapshot {
	if before == nil {
		before = &Set{snapshot: func() *tree.Snapshot { return tree.NewSnapshot(nil, nil) }}
	}
	changed := map[string]*format.Entry{}
	for _, d := range before.docs {
		if now, ok := s.Document(d.Path); !ok || now != d {
			for _, p := range d.entryPaths() {
				changed[p] = nil
			}
		}
	}
	for _, d := range s.docs {
		old, ok := before.Document(d.Path)
		if ok && old == d && maps.Equal(s.told[d.Path], before.told[d.Path]) {
			continue
		}
		if d.inConflict() { // neither side is knowledge until a person chooses one
			continue
		}
		start, end := -1, -1
		if d.Kind == RuleFile { // the tree itself holds the content of an exported block
			start, end = block.Markdown.Span(d.Text)
		}
		for i, p := range d.entryPaths() {
			if at := d.Sections[i].At.Start; start <= at && at < end {
				continue
			}
			if s.told[d.Path][p] {
				changed[p] = nil
			} else if e := d.entry(p, &d.Sections[i]); strings.TrimSpace(e.Body.Of(e.Text)) != "" {
				changed[p] = e
			}
		}
	}
	return before.Snapshot().Update(changed)
}

// Labelled returns the section for a label in a document: one of the document itself, or else the only section
// that states the label.
func (s *Set) Labelled(from *Document, label string) (*Document, *Section) {
	if own := from.Anchored(label); own != nil {
		return from, own
	}
	var in *Document
	var found *Section
	for _, d := range s.docs {
		for i := range d.Sections {
			if !strings.EqualFold(d.Sections[i].Anchor, label) { // as in Sphinx
				continue
			}
			if found != nil {
				return nil, nil
			}
			in, found = d, &d.Sections[i]
		}
	}
	return in, found
}

// commitSign begins the path of the entry for a commit's message. shortHash is how many digits of the hash follow,
// as in git's own logs of large repositories.
const (
	commitSign = "commit "
	shortHash  = 10
)

// CommitEntry returns the message of a commit as an entry for the search, with the files that the commit changed.
func CommitEntry(hash, subject, text string, at time.Time, files []string) *format.Entry {
	title := sanitize.Line(subject, maxTitle)
	e := &format.Entry{
		Path: commitSign + hash[:min(shortHash, len(hash))] + format.SectionSign + strings.ReplaceAll(title, "/", "∕"), Role: format.RoleEntry,
		Text: text, Hash: hash, Title: title, Summary: "Committed " + at.Format(time.DateOnly) + ".", UpdatedAt: at,
		Body: markdown.Span{Start: 0, End: len(text)},
	}
	for _, f := range files {
		e.Files = append(e.Files, format.FileRef{Path: f})
	}
	return e
}

// entryPaths returns the distinct paths of the sections' entries, in order.
func (d *Document) entryPaths() []string {
	out, numbers := make([]string, len(d.Sections)), make(map[string]int, len(d.Sections))
	taken := make(map[string]bool, len(d.Sections))
	for i, s := range d.Sections {
		title := sanitize.Cut(strings.ReplaceAll(s.Title, "/", "∕"), maxTitle)
		first := d.Path + format.SectionSign + title
		p := first
		for taken[p] {
			numbers[first]++
			p = fmt.Sprintf("%s (%d)", first, 1+numbers[first])
		}
		out[i], taken[p] = p, true
	}
	return out
}

// entry returns a section as an entry for the search. Its title has the page's title and the headings above, and
// its own heading is the section's heading. The hash includes the position in the file, since a hit is a position.
func (d *Document) entry(p string, s *Section) *format.Entry {
	e := &format.Entry{
		Path: p, Role: format.RoleEntry, Text: d.Text, Hash: fmt.Sprintf("%s:%d", d.Hash, s.Body.Start), Title: d.titleOf(s), Body: s.Body,
	}
	if s.Level > 0 {
		e.Sections = []markdown.Section{{Title: s.Title, Level: s.Level, Heading: s.Heading, At: s.At}}
	}
	if first := &d.Sections[0]; s == first || strings.TrimSpace(d.Text[first.Body.Start:s.At.Start]) == "" {
		e.Summary = d.Rule.Description // the rule's purpose
	}
	for _, f := range s.Files {
		e.Files = append(e.Files, format.FileRef{Path: f})
	}
	if d.Kind == Changelog || d.Origin != "" || d.SupersededBy != "" { // if another says the same, the other one is preferred
		e.Signals = format.Signals{Has: true, Maturity: format.Draft}
	}
	return d.veiled(e)
}

// titleOf returns a section's title, after the titles of the enclosing sections.
func (d *Document) titleOf(s *Section) string {
	titles := append([]string{d.Title}, s.Above...)
	if s.Title != d.Title {
		titles = append(titles, s.Title)
	}
	title := strings.Join(titles, format.SectionSign)
	if d.SupersededBy != "" {
		title += " (superseded by " + d.SupersededBy + ")"
	}
	return title
}
