package documents

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/words"
)

// maxSections bounds the sections of a document; a changelog of 20 years has some hundreds.
const maxSections = 2000

// Parse parses the document at a path, whose text may be in UTF-16. It never fails, and takes time linear in the text.
func Parse(p, text string) *Document { return parseAs(p, p, string(words.UTF8([]byte(text)))) }

// parseAs is Parse for a document whose kind another path determines, such as that of a symbolic link.
func parseAs(p, as, text string) *Document {
	sum := sha256.Sum256([]byte(text))
	kind, _ := kindOf(as)
	d := &Document{Path: p, Kind: kind, Text: text, Hash: hex.EncodeToString(sum[:])}
	if origin := discover.Origin(p, []byte(text)); origin != discover.Minified { // its paragraphs are long lines
		d.Origin = origin
	}
	f, body := frontmatter(text)
	body = max(body, len(text)-len(strings.TrimPrefix(text, markdown.ByteOrderMark)))
	found := headings(p, text, body)
	for i := range found {
		if !isMarkdown(p) {
			found[i].Stated = anchorsAbove(text[:found[i].At.Start])
		}
	}
	d.said = d.withoutComments()
	d.split(found, body)
	d.entitle(f)
	switch kind {
	case RuleFile:
		d.Rule = ruleOf(as, f)
	case Decision:
		d.readStatus(f)
	}
	if veiled := secrets.Veil(text); !veiled.Clean() {
		d.credentials = true
		d.Title, d.Status, d.SupersededBy = veiled.Without(d.Title), veiled.Without(d.Status), veiled.Without(d.SupersededBy)
		d.Rule.Description = veiled.Without(d.Rule.Description)
		for i := range d.Sections {
			d.Sections[i].Title = veiled.Without(d.Sections[i].Title)
			for j, above := range d.Sections[i].Above {
				d.Sections[i].Above[j] = veiled.Without(above)
			}
		}
	}
	return d
}

// split divides the text behind the frontmatter into sections.
func (d *Document) split(found []markdown.Headline, body int) {
	d.heads = slices.Clone(found)
	found = slices.DeleteFunc(found, func(h markdown.Headline) bool { return h.Nested })
	found = found[:min(len(found), maxSections)]
	first := len(d.Text)
	if len(found) > 0 {
		first = found[0].At.Start
	}
	if len(found) == 0 || strings.TrimSpace(d.Text[body:first]) != "" {
		at := markdown.Span{Start: body, End: first}
		d.Sections = append(d.Sections, Section{Heading: markdown.Span{Start: body, End: body}, At: at, Body: at})
	}
	var open []*markdown.Headline
	var titles []string
	for i := range found {
		h := &found[i]
		end := len(d.Text)
		if i+1 < len(found) {
			end = found[i+1].At.Start
		}
		for len(open) > 0 && open[len(open)-1].Level >= h.Level {
			open, titles = open[:len(open)-1], titles[:len(titles)-1]
		}
		title, anchor := plain(h.Text.Of(d.Text))
		if anchor == "" && len(h.Stated) > 0 {
			anchor = h.Stated[0]
		}
		title = sanitize.Cut(title, maxTitle)
		d.Sections = append(d.Sections, Section{
			Title: title, Above: append([]string{}, titles...), Level: h.Level, Anchor: anchor, Heading: h.Text,
			At: markdown.Span{Start: h.At.Start, End: end}, Body: markdown.Span{Start: min(h.At.End, end), End: end},
		})
		open, titles = append(open, h), append(titles, title)
	}
	for i := range d.Sections {
		d.Sections[i].Files = d.included(d.Sections[i].Body)
	}
}

var separators = strings.NewReplacer("_", " ", "-", " ")

// entitle sets the document's title: from its frontmatter, its first heading of the highest level, or its file
// name. The titles above its sections do not repeat it.
func (d *Document) entitle(f fields) {
	top, tops := -1, 0
	for i, s := range d.Sections {
		if s.Title != "" && s.Level > 0 && (top < 0 || s.Level < d.Sections[top].Level) {
			top = i
		}
		if top >= 0 && s.Level == d.Sections[top].Level {
			tops++
		}
	}
	stem := strings.TrimSuffix(path.Base(d.Path), path.Ext(d.Path))
	if stem == "index" && path.Dir(d.Path) != "." {
		stem = path.Base(path.Dir(d.Path))
	}
	words := separators.Replace(stem)
	switch {
	case d.Kind == Readme && path.Dir(d.Path) != "." && top < 0:
		d.Title = path.Dir(d.Path)
	case f.one("title") != "":
		d.Title, _ = plain(f.one("title"))
	case tops > 1 && (d.Kind == Changelog || !isMarkdown(d.Path)): // each heading is a version, or a section of a page without a title
		d.Title = words
	case top >= 0 && (d.Sections[top].Level == 1 || top <= 1):
		d.Title = d.Sections[top].Title
	case f.one("sidebar_label") != "":
		d.Title, _ = plain(f.one("sidebar_label"))
	default:
		d.Title = words
	}
	d.Title = sanitize.Cut(d.Title, maxTitle)
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Title == "" {
			s.Title = d.Title
		}
		if len(s.Above) > 0 && s.Above[0] == d.Title {
			s.Above = s.Above[1:]
		}
	}
}

// statusLine matches the status of a decision record in a line of text or an item of a list.
var (
	statusLine   = lazyregexp.New(`(?im)^[-*]?\s*\**status\**\s*:\**\s*(.+)$`)
	supersededBy = lazyregexp.New(`(?i)\bsuper[sc]e(?:ded|eded|ced)\s+by\b:?\s*(.*)`)
)

// readStatus reads the status of a decision record in Nygard's form (a section with that name) or MADR's
// (frontmatter, or an item of a list).
func (d *Document) readStatus(f fields) {
	d.Status = f.one("status")
	for _, s := range d.Sections {
		if d.Status == "" && strings.EqualFold(s.Title, "status") {
			d.Status = strings.TrimSpace(s.Body.Of(d.Text)[:min(s.Body.End-s.Body.Start, 500)])
		}
	}
	if m := statusLine().FindStringSubmatch(d.Text[:min(len(d.Text), 4<<10)]); d.Status == "" && m != nil {
		d.Status = m[1]
	}
	if m := supersededBy().FindStringSubmatch(d.Status); m != nil {
		d.SupersededBy = strings.Trim(strings.TrimSpace(m[1]), ".")
		if l := markdown.Links(m[1], 0); len(l) > 0 && !strings.Contains(l[0].To.Of(m[1]), "://") {
			if at := path.Join(path.Dir(d.Path), markdown.Unescaped(l[0].Target(m[1]).Of(m[1]))); !strings.HasPrefix(at, "../") {
				d.SupersededBy = at
			}
		}
	}
	d.Status, _, _ = strings.Cut(d.Status, "\n")
	d.Status, d.SupersededBy = sanitize.Cut(d.Status, maxTitle), sanitize.Cut(d.SupersededBy, maxTitle)
}

// maxIncludes bounds how many included files a section records.
const maxIncludes = 16

var include = lazyregexp.New(`(?m)^\s*(?:\{\*\s*([^\s{}*]+)|\.\. (?:literal)?include::\s*(\S+)|include::([^\s\[\]]+)\[|--8<--\s*"([^"]+)")`)

// included returns the files whose text the published section shows: MkDocs' {* path *} and snippets, and the
// directives of reStructuredText and AsciiDoc. A path is relative to the document, to the folder's top, or to a
// folder between them, depending on how the tool is configured. The caller has to try these folders.
func (d *Document) included(at markdown.Span) (out []string) {
	text := at.Of(d.Text)
	if !strings.Contains(text, "{*") && !strings.Contains(text, "include::") && !strings.Contains(text, "--8<--") {
		return nil
	}
	for _, m := range include().FindAllStringSubmatch(text, maxIncludes) {
		p := strings.Join(m[1:], "")
		p = strings.TrimLeft(path.Clean("/"+strings.TrimLeft(p, "./")), "/") // a path that begins with ../ is looked up from the top
		if p != "" {
			out = append(out, p)
		}
	}
	return out
}
