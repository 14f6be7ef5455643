package curate

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Sizes of what becomes of a document.
const (
	wholeDocument = 8_000  // bytes up to which a document is one entry: about 2,000 tokens
	mostOfEntry   = 16_000 // bytes of a section that an entry takes
	leastSection  = 200    // bytes; a shorter section goes to the one before
)

// section is a heading with what stands under it.
type section struct {
	title string
	under string // the heading above it, where that has only headings below it
	level int
	text  []string // lines, with headings inside one level deeper than the format's own
	size  int      // bytes
}

// ofDocument makes an entry of a document, or one of each of its large sections.
func (d *drafting) ofDocument(s Source) ([]idea, string) {
	title, sections := readDocument(s.Text)
	title = cmp.Or(title, documentTitle(s.Path), "Document")
	note := ""
	size, large := 0, 0
	for _, sec := range sections {
		size += sec.size
		if sec.level == 2 {
			large++
		}
	}
	if size <= wholeDocument || large < 2 {
		i, cut := d.ofSections(s, title, title, sections)
		i.complete = true
		if cut > 0 {
			note = fmt.Sprintf("%d bytes of it are left out: an entry takes %d", cut, mostOfEntry)
		}
		return []idea{i}, note
	}
	var ideas []idea
	cut := 0
	for _, group := range grouped(sections) {
		name := group[0].title
		if name == "" || group[0].level < 2 {
			name = title
		}
		i, c := d.ofSections(s, title, name, group)
		if cut += c; i.content.Narrative != nil {
			ideas = append(ideas, i)
		}
	}
	if cut > 0 {
		note = fmt.Sprintf("%d bytes of long sections are left out: an entry takes %d", cut, mostOfEntry)
	}
	return ideas, note
}

// documentTitle is a document's title by its name.
func documentTitle(p string) string {
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	if folder := path.Base(path.Dir(p)); folder != "." && plumbingStems[strings.ToLower(stem)] {
		stem = folder
	} else if folder != "." && numbered().FindString(stem) == stem {
		stem = folder + " " + stem
	}
	sign := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return capital(shorten(strings.Join(strings.FieldsFunc(stem, sign), " ")))
}

// grouped are the sections of level 2, each with those below it; short ones go to the one
// before.
func grouped(sections []section) (groups [][]section) {
	for _, sec := range sections {
		if last := len(groups) - 1; last >= 0 && (sec.level > 2 || sec.size < leastSection && !firstOf(groups[last])) {
			groups[last] = append(groups[last], sec)
			continue
		}
		groups = append(groups, []section{sec})
	}
	return groups
}

// firstOf reports whether a group is what stands above all sections.
func firstOf(group []section) bool { return group[0].level < 2 }

var (
	bullet    = lazyregexp.New(`^(\s*)(?:[-*+•]|\d{1,2}[.)])\s+(.*)$`)
	ruleLine  = lazyregexp.New(`^\s*[-=*_~+#]{3,}\s*$`)
	underline = lazyregexp.New(`^ {0,3}(?:=+|-{2,})[ \t]*$`)
	anchor    = lazyregexp.New(`\s*\{[#.][^}]*\}\s*$`)
	htmlOnly  = lazyregexp.New(`^\s*(?:<!--.*-->|</?[a-zA-Z][^>]*>|\(?[\w-]+\)=)\s*$`)
	badge     = lazyregexp.New(`^\s*(?:\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?\s*)+$`)
	aimed     = lazyregexp.New(`^ {0,3}\[[^\]]+\]:\s+\S+`)
)

// readDocument takes a document apart: its title, and its sections in order. Code in fences
// is no heading; badges, comments and definitions of links are left out.
func readDocument(text string) (title string, sections []section) {
	title, text = frontTitle(text)
	current := section{}
	empty := func(s section) bool { return strings.TrimSpace(strings.Join(s.text, "")) == "" }
	push := func() {
		if !empty(current) {
			sections = append(sections, current)
		}
	}
	line := func(s string) { current.text, current.size = append(current.text, s), current.size+len(s)+1 }
	for l := range markdown.Lines(text) {
		s := l.At.Of(text)
		if l.Fence != markdown.FenceNone {
			line(s)
			continue
		}
		level, name, above := 0, "", ""
		if len(current.text) > 0 {
			above = strings.TrimSpace(current.text[len(current.text)-1])
		}
		if t := strings.TrimLeft(s, " "); len(s)-len(t) <= 3 {
			level, name = markdown.Heading(t)
		}
		switch {
		case level > 0:
		case underline().MatchString(s) && above != "" && !strings.HasPrefix(above, "#"):
			name = above
			if level = 2; strings.Contains(s, "=") {
				level = 1
			}
			current.text = current.text[:len(current.text)-1]
		case ruleLine().MatchString(s) || htmlOnly().MatchString(s) || badge().MatchString(s) || aimed().MatchString(s):
			continue
		}
		name = plainHeading(name)
		switch {
		case level == 0:
			line(s)
		case name == "":
		case level == 1 && title == "":
			title = name
		case level == 1 && sameTitle(name, title):
		case level <= 3:
			push()
			next := section{title: name, level: max(level, 2)}
			switch {
			case next.level == 3 && current.level == 3:
				next.under = current.under
			case next.level == 3 && current.level == 2 && empty(current):
				next.under = current.title
			}
			current = next
		default:
			line(strings.Repeat("#", min(level+1, 6)) + " " + name)
		}
	}
	push()
	return title, sections
}

// unbracketed has a heading that is a link to a definition read as its text, since definitions are
// left out and a colon behind it would make it one.
var unbracketed = strings.NewReplacer("[", "", "]", "")

// frontTitle takes frontmatter off a document, and its title out of it.
func frontTitle(text string) (title, rest string) {
	e := format.Parse("a/b/c.md", text)
	if e.Body.Start == 0 || e.Body.Start > len(text) || e.Frontmatter.End == 0 {
		return "", text
	}
	if f, ok := e.Field("title"); ok && len(f.Items) == 1 {
		title = shorten(f.Items[0].Value)
	}
	return title, e.Body.Of(text)
}

// plainHeading is a heading's text without markup.
func plainHeading(s string) string {
	s = anchor().ReplaceAllString(s, "")
	s = pictures().ReplaceAllString(s, "$1")
	s = anyLink().ReplaceAllString(s, "$1")
	return shorten(strings.NewReplacer("`", "", "**", "", "__", "", "\\", "").Replace(s))
}

var (
	pictures = lazyregexp.New(`!\[([^\[\]]*)\]\([^()]*\)`)
	anyLink  = lazyregexp.New(`\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])`)
)

// ofSections is the entry of a few sections of a document; cut is how many bytes of them
// it does not take.
func (d *drafting) ofSections(s Source, document, title string, sections []section) (i idea, cut int) {
	i = ofFile(s, title)
	i.document = true
	if !sameTitle(title, document) {
		i.content.RawConcept.Task = prose(document + ": " + title)
	}
	c, size := converter{drafting: d, source: s.Path}, 0
	var out []string
	for k, sec := range sections {
		size += sec.size
		if size > mostOfEntry {
			cut += min(sec.size, size-mostOfEntry)
			sec.text = firstLines(sec.text, sec.size-(size-mostOfEntry))
			size = mostOfEntry
		}
		text := c.convert(sec.text)
		if text == "" {
			continue
		}
		i.summary = cmp.Or(i.summary, firstSentence(text))
		if sec.under != "" || (k > 0 || sec.title != "") && !sameTitle(sec.title, title) {
			head := cmp.Or(sec.title, title)
			if sec.under != "" {
				head = unbracketed.Replace(sec.under) + ": " + head
			}
			text = "#### " + prose(head) + "\n" + text
		}
		out = append(out, text)
	}
	if len(out) > 0 {
		i.content.Narrative = &format.Narrative{Highlights: strings.Join(out, "\n\n")}
	}
	c.collected(&i)
	return i, cut
}

// firstLines are as many lines as fit into a number of bytes.
func firstLines(lines []string, size int) []string {
	for k, l := range lines {
		if size -= len(l) + 1; size < 0 {
			return lines[:k]
		}
	}
	return lines
}

// converter turns a document's text into an entry's, and collects what it names.
type converter struct {
	*drafting
	source    string
	files     []string
	relations []string
}

// collected are the files and entries that the texts named.
func (c *converter) collected(i *idea) {
	for _, f := range c.files {
		if raw := i.content.RawConcept; f != c.source && len(raw.Files) < maxFiles {
			raw.Files = append(raw.Files, listed(f))
		}
	}
	for _, f := range c.files {
		if refs := c.about(f, ""); len(refs) > 0 {
			c.relate(refs[0].Entry)
		}
	}
	i.content.Relations = c.relations
}

// convert keeps code as it is. Links that lead out stay; those to files of the project
// become the file's path, those to entries, or to documents that entries are about,
// relations.
func (c *converter) convert(lines []string) string {
	text := strings.Join(lines, "\n")
	var out []string
	for l := range markdown.Lines(text) {
		s := l.At.Of(text)
		if l.Fence == markdown.FenceNone {
			c.collect(s)
			s = inline(anyTarget().ReplaceAllStringFunc(s, c.target))
		}
		out = append(out, strings.TrimRight(s, " \t"))
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}

var anyTarget = lazyregexp.New(`!?\[([^\[\]]*)\]\(\s*<?([^()<>\s]+)>?(?:\s+"[^"]*")?\s*\)`)

// target rewrites one link.
func (c *converter) target(s string) string {
	m := anyTarget().FindStringSubmatch(s)
	text, to := m[1], m[2]
	switch {
	case strings.HasPrefix(s, "!"):
		return text
	case strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:"):
		return s
	}
	to, _, _ = strings.Cut(to, "#")
	p := path.Join(path.Dir(c.source), to)
	if to == "" || strings.HasPrefix(to, "/") || strings.HasPrefix(p, "..") {
		return text
	}
	if entry, ok := strings.CutPrefix(p, link.TreeDir); ok {
		if e, there := c.Tree.Entry(entry); there && e.Role == format.RoleEntry {
			c.relate(entry)
		}
		return text
	}
	if about := listing(c.Tree, func(file string) bool { return file == p }); len(about) > 0 {
		c.relate(about[0])
	}
	if !c.there(p) {
		return text
	}
	c.name(p)
	if strings.Trim(text, "`") == p || text == "" {
		return code(p)
	}
	return text + " (" + code(p) + ")"
}

// collect takes the files that are named in inline code.
func (c *converter) collect(s string) {
	for _, m := range markdown.CodeSpans(s) {
		p := strings.TrimPrefix(bareFile(m.Text.Of(s)), "./")
		if plainPath.MatchString(p) && path.Ext(p) != "" && !strings.HasPrefix(p, "/") && path.Clean(p) == p && c.there(p) {
			c.name(p)
		}
	}
}

// there reports that the code's map knows the file.
func (c *converter) there(p string) bool {
	return c.Code != nil && len(c.Code.Chunks()) > 0 && c.Code.Exists(p)
}

func (c *converter) name(p string) {
	if !slices.Contains(c.files, p) {
		c.files = append(c.files, p)
	}
}

func (c *converter) relate(p string) {
	if len(c.relations) < maxRelated && !slices.Contains(c.relations, p) {
		c.relations = append(c.relations, p)
	}
}

// firstSentence is the first sentence of the first paragraph that is no list, heading or code, and
// ends as sentences do: a label such as "Accepted" sums nothing up.
func firstSentence(text string) string {
	paragraph := ""
	for l := range markdown.Lines(text + "\n\n") {
		s := strings.TrimSpace(l.At.Of(text + "\n\n"))
		if l.Fence == markdown.FenceNone && s != "" && !strings.ContainsAny(s[:1], "#|>:") && !bullet().MatchString(s) {
			paragraph += " " + s
			continue
		}
		if all := markdown.Sentences(paragraph); len(all) > 0 && endsSentence(all[len(all)-1]) {
			return shortenTo(prose(strings.ReplaceAll(all[0], "**", "")), maxSummary)
		}
		paragraph = ""
	}
	return ""
}

// endsSentence reports whether a word or a text ends as sentences do.
func endsSentence(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, ")]\"'`*_"))
	return strings.ContainsRune(".!?:。！？", r)
}
