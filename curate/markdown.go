package curate

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/pattern"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/markdown"
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
		if cut += c; i.content.Narrative != nil || len(i.content.Facts) > 0 {
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
	return capital(shorten(strings.Join(words(stem), " ")))
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
	atx       = pattern.Of(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	underline = pattern.Of(`^ {0,3}(?:=+|-{2,})[ \t]*$`)
	anchor    = pattern.Of(`\s*\{[#.][^}]*\}\s*$`)
	htmlOnly  = pattern.Of(`^\s*(?:<!--.*-->|</?[a-zA-Z][^>]*>|\(?[\w-]+\)=)\s*$`)
	badge     = pattern.Of(`^\s*(?:\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?\s*)+$`)
	aimed     = pattern.Of(`^ {0,3}\[[^\]]+\]:\s+\S+`)
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
		level, name := 0, ""
		if m := atx().FindStringSubmatch(s); m != nil {
			level, name = len(m[1]), m[2]
		} else if underline().MatchString(s) && len(current.text) > 0 && strings.TrimSpace(current.text[len(current.text)-1]) != "" && !strings.HasPrefix(strings.TrimSpace(current.text[len(current.text)-1]), "#") {
			name = current.text[len(current.text)-1]
			if level = 2; strings.Contains(s, "=") {
				level = 1
			}
			current.text = current.text[:len(current.text)-1]
		} else if ruleLine().MatchString(s) || htmlOnly().MatchString(s) || badge().MatchString(s) || aimed().MatchString(s) {
			continue
		}
		name = plainHeading(name)
		switch {
		case level == 0:
			line(s)
		case name == "":
		case level == 1 && title == "":
			title = name
		case level == 1 && sameWords(name, title):
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
	pictures = pattern.Of(`!\[([^\[\]]*)\]\([^()]*\)`)
	anyLink  = pattern.Of(`\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])`)
)

// part of a narrative that a heading's words speak for; highlights else.
var partWords = []struct {
	part format.Part
	is   func(string) bool
}{
	{format.PartRules, matches(`\b(?:rules?|polic(?:y|ies)|conventions?|guidelines?|must|requirements? for|constraints?|restrictions?|do(?:'s|s)? and don'?ts?|best practices?|style guide|code of conduct|compatibility|deprecat\w*|security)\b`)},
	{format.PartDependencies, matches(`\b(?:dependenc(?:y|ies)|prerequisites?|requirements?|install(?:ing|ation)?|requires|set ?up|build(?:ing)? from)\b`)},
	{format.PartExamples, matches(`\b(?:examples?|usage|tutorials?|quick ?start|getting started|how to|recipes?|walkthrough|demo|try it)\b`)},
	{format.PartStructure, matches(`\b(?:structure|architecture|layout|design|how it works|overview|concepts?|components?|internals?|modules?|packages?|organi[sz]ation|data model|schema)\b`)},
}

// ofSections is the entry of a few sections of a document; cut is how many bytes of them
// it does not take.
func (d *drafting) ofSections(s Source, document, title string, sections []section) (i idea, cut int) {
	i = idea{title: title, source: s.Path, document: document, home: s.Path, from: s.Path, reason: "Drafted from " + code(s.Path) + "."}
	i.about = []weighted{{s.Path, 1}}
	n := &format.Narrative{}
	task, size, decided := title, 0, false
	if !sameWords(title, document) {
		task = document + ": " + title
	}
	c := converter{drafting: d, source: s.Path}
	for k, sec := range sections {
		size += sec.size
		if size > mostOfEntry {
			cut += min(sec.size, size-mostOfEntry)
			sec.text = firstLines(sec.text, sec.size-(size-mostOfEntry))
			size = mostOfEntry
		}
		if facts, ok := factsOf(sec); ok {
			i.content.Facts = append(i.content.Facts, facts...)
			continue
		}
		text := c.convert(sec.text)
		if text == "" {
			continue
		}
		if decides := decision(sec.title); !metadata(sec.title) && (i.summary == "" || decides && !decided) {
			if said := firstSentence(prosaic(text)); said != "" {
				i.summary, decided = said, decides
			}
		}
		to, part := partOf(n, cmp.Or(sec.title, title))
		head := ""
		if sec.under != "" || (k > 0 || sec.title != "" && !sameWords(sec.title, title)) && !(*to == "" && strings.EqualFold(sec.title, string(part))) {
			head = cmp.Or(sec.title, title)
			if sec.under != "" {
				head = unbracketed.Replace(sec.under) + ": " + head
			}
			head = "#### " + prose(head) + "\n"
		}
		if *to != "" {
			*to += "\n\n"
		}
		*to += head + text
	}
	if n.Structure+n.Dependencies+n.Highlights+n.Rules+n.Examples != "" {
		i.content.Narrative = n
	}
	files := []string{listed(s.Path)}
	for _, f := range c.files {
		if len(files) < maxFiles && f != s.Path {
			files = append(files, listed(f))
			i.about = append(i.about, weighted{f, 0})
		}
	}
	for k := range i.about {
		i.about[k].share = 1 / float64(len(i.about))
	}
	i.content.RawConcept = &format.RawConcept{Task: prose(task), Files: files}
	i.content.Relations = c.relations
	return i, cut
}

var (
	// decision is a heading under which a record of a decision says what was decided.
	decision = matches(`^(?:the )?decisions?(?: outcome)?$|^outcome$`)
	// labels are what a document says of itself and not of its subject: adr.github.io's templates
	// and common headers of design documents.
	labels   = `(?:status|state|date|dates|deciders?|decision[- ]makers?|authors?|owners?|reviewers?|approvers?|consulted|informed|stakeholders|version|revision|tags?|labels?|categor(?:y|ies)|created|(?:last )?(?:updated|modified|reviewed)|supersedes|superseded[- ]by|replaces|replaced[- ]by|amends|amended[- ]by|ticket|issue|pr|rfc|id|number|technical story)`
	metadata = matches(`^` + labels + `$`)
	labelled = pattern.Of(`(?i)^\s*(?:[-*+]\s+)?(?:\*\*|__|\*|_)?` + labels + `(?:\*\*|__|\*|_)?\s*:.{0,200}$`)
)

// prosaic is a text without its lines that only label the document.
func prosaic(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return labelled().MatchString(l) }), "\n")
}

// partOf is the part of a narrative that a heading speaks for.
func partOf(n *format.Narrative, heading string) (text *string, part format.Part) {
	part = format.PartHighlights
	for _, p := range partWords {
		if p.is(heading) {
			part = p.part
			break
		}
	}
	switch part {
	case format.PartRules:
		return &n.Rules, part
	case format.PartDependencies:
		return &n.Dependencies, part
	case format.PartExamples:
		return &n.Examples, part
	case format.PartStructure:
		return &n.Structure, part
	}
	return &n.Highlights, part
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

var (
	constants = matches(`\b(?:facts?|defaults?|limits?|constants?|glossary|terms|terminology)\b`)
	fact      = pattern.Of(`^[-*]\s+(?:\*\*([^*]+?):?\*\*|` + "`([^`]+)`" + `)\s*(?::|–|—|-)?\s+(\S.*)$`)
)

// factsOf are the items of a section that is a list of facts by its heading and by form.
func factsOf(sec section) (facts []format.Fact, ok bool) {
	if !constants(sec.title) {
		return nil, false
	}
	for _, l := range sec.text {
		m := fact().FindStringSubmatch(l)
		switch {
		case m != nil:
			facts = append(facts, format.Fact{Subject: oneLine(m[1] + m[2]), Statement: prose(m[3])})
		case strings.TrimSpace(l) == "":
		case len(facts) > 0 && strings.HasPrefix(l, "  "):
			last := &facts[len(facts)-1]
			last.Statement += " " + prose(l)
		default:
			return nil, false
		}
	}
	return facts, len(facts) >= 2
}

// converter turns a document's text into an entry's, and collects what it names.
type converter struct {
	*drafting
	source    string
	files     []string
	relations []string
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

var (
	anyTarget = pattern.Of(`!?\[([^\[\]]*)\]\(\s*<?([^()<>\s]+)>?(?:\s+"[^"]*")?\s*\)`)
	inTicks   = pattern.Of("`([^`]+)`")
)

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
	if about := c.known.files[p]; len(about) > 0 {
		c.relate(about[0].entry.Path)
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
	for _, m := range inTicks().FindAllStringSubmatch(s, -1) {
		p := strings.TrimPrefix(bareFile(m[1]), "./")
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

// firstSentence is the first sentence of the first paragraph that is no list, heading or code.
func firstSentence(text string) string {
	var paragraph []string
	for l := range markdown.Lines(text) {
		s := strings.TrimSpace(l.At.Of(text))
		plain := l.Fence == markdown.FenceNone && s != "" && !strings.ContainsAny(s[:1], "#|>:") && !bullet().MatchString(s)
		if plain {
			paragraph = append(paragraph, s)
		} else if len(paragraph) > 0 {
			break
		}
	}
	all := sentences(strings.Join(paragraph, " "))
	if len(all) == 0 {
		return ""
	}
	return shortenTo(prose(strings.ReplaceAll(all[0], "**", "")), maxSummary)
}

// unfenced is a text without its code in fences.
func unfenced(text string) string {
	var out []string
	for l := range markdown.Lines(text) {
		if l.Fence == markdown.FenceNone {
			out = append(out, l.At.Of(text))
		} else {
			out = append(out, "")
		}
	}
	return strings.Join(out, "\n")
}
