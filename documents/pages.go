package documents

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Pages returns whole documents as entries, by their paths, for package link. Text in backticks is their inline
// code, and the targets of their links are their listed files. It leaves out translations and documents that rank
// behind the others. It also leaves out documents that may rightly name former files: decision records, and pages
// with a version in their name.
func (s *Set) Pages() *tree.Snapshot { return s.pages() }

// wholePages makes the snapshot from that of an earlier set (nil if there is none), and updates only what changed.
func (s *Set) wholePages(last *tree.Snapshot) *tree.Snapshot {
	pages := map[string]*format.Entry{}
	for _, d := range s.docs {
		past := d.Kind == Decision || version().MatchString(path.Base(d.Path))
		if !past && !s.unkept(d) && !s.foreign(d.Path) {
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

// page is made only once, since links compare entries by identity.
func (d *Document) page() *format.Entry {
	d.paged.Do(func() {
		d.asPage = d.veiled(&format.Entry{
			Path: d.Path, Role: format.RoleEntry, Text: d.Text, Hash: d.Hash, Title: d.Title,
			Body: markdown.Span{End: len(d.Text)}, Code: d.Names(), Files: d.Linked(),
		})
	})
	return d.asPage
}

// cursorLink begins links in Cursor's rules, which are relative to the top of the folder.
const cursorLink = "mdc:"

// origins returns the folders to which a document's links may be relative: its own folder, and for rules in a
// hidden folder the top too, since hosts differ.
func (d *Document) origins() []string {
	dir := path.Dir(d.Path)
	if d.Kind == RuleFile && strings.Contains("/"+dir, "/.") && dir != "." {
		return []string{dir, "."}
	}
	return []string{dir}
}

// withoutCode returns a line with its inline code replaced by blanks.
func withoutCode(line string) string {
	out := []byte(line)
	for _, c := range markdown.CodeSpans(line) {
		copy(out[c.At.Start:c.At.End], strings.Repeat(" ", c.At.End-c.At.Start))
	}
	return string(out)
}

// Linked returns the targets of links and includes, as files of the folder. The files may not exist.
func (d *Document) Linked() (out []format.FileRef) {
	dir, origins := path.Dir(d.Path), d.origins()
	var links markdown.Inline
	var said attributes
	contents, above := -1, "" // the indent of a table of contents, and the previous line
	for l, code := range d.lines() {
		at, line := l.At, l.At.Of(d.said)
		add := func(from, name string, to markdown.Span) {
			p := leads(d.repository, from, name)
			if in, ok := inModule(d.Path, name); ok && isAsciiDoc(d.Path) && from == dir {
				p = in
			}
			if name != "" && p != "" && len(out) < maxLinked {
				out = append(out, format.FileRef{Path: p, At: to})
			}
		}
		written := func(from, ending string, to markdown.Span) {
			name := withoutFragment(to.Of(d.said))
			if to.End = to.Start + len(name); name != "" {
				add(from, markdown.Unescaped(name)+ending, to)
			}
		}
		each := func(places func() *regexp.Regexp, from, ending string) {
			for _, m := range places().FindAllStringSubmatchIndex(line, maxLinked) {
				for g := 2; g < len(m); g += 2 {
					if m[g] >= 0 {
						written(from, ending, markdown.Span{Start: at.Start + m[g], End: at.Start + m[g+1]})
					}
				}
			}
		}
		if strings.Contains(line, "include::") && (!code || isAsciiDoc(d.Path)) {
			each(include, dir, "")
		}
		if code {
			each(commanded, ".", "") // commands are usually run at the top of the folder
			continue
		}
		found, _ := links.Links(d.said, l)
		for _, l := range found {
			to, folders := l.Target(d.said), origins
			if strings.HasPrefix(to.Of(d.said), cursorLink) {
				to.Start, folders = to.Start+len(cursorLink), []string{"."}
			}
			for _, from := range folders {
				if l.Kind != markdown.LinkUse && l.Kind != markdown.WikiLink {
					written(from, "", to)
				}
			}
		}
		if strings.Contains(line, "://") {
			each(address, ".", "")
		}
		if d.Kind == RuleFile {
			line = withoutCode(line)
			each(attached, ".", "")
			for _, from := range origins {
				each(mentioned, from, "")
			}
		}
		switch indent := len(line) - len(strings.TrimLeft(line, " \t")); {
		case isMarkdown(d.Path):
			each(imported, dir, "")
			continue
		case isAsciiDoc(d.Path):
			each(media, path.Join(dir, said["imagesdir"]), "")
			said.read(line, func(name string, to markdown.Span) {
				add(dir, withoutFragment(name), markdown.Span{Start: at.Start + to.Start, End: at.Start + to.End})
			})
		case strings.HasPrefix(line[indent:], ".. toctree::"):
			contents = indent
		case contents >= 0 && indent > contents:
			each(content, dir, path.Ext(d.Path))
		case indent < len(line):
			contents = -1
		}
		each(reference, dir, "")
		each(page, dir, path.Ext(d.Path))
		if openPage().MatchString(above) {
			each(restOfPage, dir, path.Ext(d.Path))
		}
		above = line
	}
	slices.SortStableFunc(out, func(a, b format.FileRef) int { return a.At.Start - b.At.Start })
	return slices.CompactFunc(out, func(a, b format.FileRef) bool { return a.Path == b.Path && a.At.Start == b.At.Start })
}
