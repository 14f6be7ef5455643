package documents

import (
	"path"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Pages are whole documents as entries, by their paths, for package link: what stands in backticks is their inline
// code, and the files that their links lead to are those that they list. Left out are translations, what nobody here
// wrote by hand, and what rightly names what was: changelogs, decision records, and what has a version in its name.
func (s *Set) Pages() *tree.Snapshot { return s.pages() }

// wholePages makes them from those of an earlier set, nil for none, at the cost of what changed.
func (s *Set) wholePages(last *tree.Snapshot) *tree.Snapshot {
	pages := map[string]*format.Entry{}
	for _, d := range s.docs {
		past := d.Kind == Changelog || d.Kind == Decision || version().MatchString(path.Base(d.Path))
		if !past && d.Origin == "" && s.languages[d.Path] == "" {
			pages[d.Path] = d.page()
		}
	}
	if last == nil {
		last = tree.NewSnapshot(nil, nil)
	}
	for _, e := range last.Entries() {
		if now, ok := pages[e.Path]; ok && now == e {
			delete(pages, e.Path)
		} else if !ok {
			pages[e.Path] = nil
		}
	}
	next := last.Update(pages)
	s.paged.Store(next)
	return next
}

// page is made once, since links know by identity what did not change.
func (d *Document) page() *format.Entry {
	d.paged.Do(func() {
		d.asPage = d.veiled(&format.Entry{
			Path: d.Path, Role: format.RoleEntry, Text: d.Text, Hash: d.Hash, Title: d.Title,
			Body: markdown.Span{End: len(d.Text)}, Code: d.Names(), Files: d.linked(),
		})
	})
	return d.asPage
}

var (
	// target is where links lead: of Markdown, of its definitions, and of reStructuredText.
	target = lazyregexp.New(`\]\(<?([^()\s<>]+)|^ {0,3}\[[^\]]+\]:\s*<?([^\s<>]+)|<([^\s<>]+)>` + "`_" + `|^\.\. _[^:]+:\s*(\S+)`)
	// commanded are words of a code block that can be files: addresses, and paths with a folder. Where a command is run that
	// climbs is not known: what it climbs to is looked for at the top.
	commanded = lazyregexp.New(`(https?://[^\s"'<>()]+)|(?:^|[\s"'=(])(?:\.{1,2}/)*([\w@][\w.@\-]*(?:/[\w.@\-]+)+)`)
	// hosted is a file of a branch as the common hosts of repositories show it; a tag or a commit keeps what it has.
	hosted = lazyregexp.New(`^https?://(?:raw\.[^/]+/[^/]+/[^/]+|[^/]+/[^/]+/[^/]+/(?:-/)?(?:blob|tree|raw|edit))/([^/]+)/(.+)$`)
	fixed  = lazyregexp.New(`^(?:v?[0-9][0-9a-z.\-]*|[0-9a-f]{7,64})$`)
)

// version matches the number of a release in names of migration guides: migrating-to-7.0.0.md.
var version = lazyregexp.New(`[0-9]\.[0-9]`)

// maxLinked is how many links of a document are read.
const maxLinked = 10_000

// linked are the files of the folder that links lead to. Whether the address of a host is one of this repository is not
// known; whoever asks looks whether it had such a file.
func (d *Document) linked() (out []format.FileRef) {
	for at, code := range d.lines() {
		line, places := at.Of(d.Text), target
		if code {
			places = commanded
		}
		for _, m := range places().FindAllStringSubmatchIndex(line, maxLinked) {
			for g := 2; g < len(m); g += 2 {
				if m[g] < 0 || len(out) == maxLinked {
					continue
				}
				to := withoutFragment(line[m[g]:m[g+1]])
				from := path.Dir(d.Path)
				if code {
					from = "." // a command is written for the folder's top
				}
				if p := leads(from, to); p != "" {
					start := at.Start + m[g]
					out = append(out, format.FileRef{Path: p, At: markdown.Span{Start: start, End: start + len(to)}})
				}
			}
		}
	}
	return out
}

func withoutFragment(to string) string {
	if i := strings.IndexAny(to, "#?"); i >= 0 {
		return to[:i]
	}
	return to
}

// leads is the path in the folder that a link from one of its folders means, "" for none.
func leads(from, to string) string {
	if m := hosted().FindStringSubmatch(to); m != nil && !fixed().MatchString(m[1]) {
		return strings.TrimSuffix(path.Clean(m[2]), "/")
	}
	switch {
	case to == "" || strings.Contains(to, ":"):
		return ""
	case to[0] == '/':
		to = path.Clean(to[1:])
	default:
		to = path.Join(from, to)
	}
	if to == "." || to == ".." || strings.HasPrefix(to, "../") {
		return ""
	}
	return to
}
