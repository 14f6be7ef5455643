package documents

import (
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

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
