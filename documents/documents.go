// Package documents is what a repository says about itself where it stands: README, docs/**, decision
// records, changelogs, and the rules and memories that people write for agents. Nobody copies these into
// the context tree; they are knowledge in place.
//
//	set, err := documents.Read(ctx, root, documents.Options{}, nil)
//	doc, ok := set.Document("docs/tutorial/testing.md")
//	search, err := engine.Open(ctx, set.Snapshot())
//
// A [Document] is one file as text with its headings. The unit is a [Section]: a heading and what stands
// under it up to the next heading, with its lines in the file. A [Set] is all documents of a folder at one
// moment; it is immutable, and the next is made from it at the cost of what changed.
//
// A section is shown to the search as an entry is ([Set.Snapshot]): one engine ranks both, and its hits are
// probabilities, by which answers of both are put in order. Such an entry has the whole file as its text and
// the section as its body, so that every place in it is a place of the file.
//
// # What is read
//
// Of Markdown, MDX and MyST the headings are those of package markdown, the project's one scanner; one
// inside a list or quote is an anchor and begins no section. Of reStructuredText, AsciiDoc and plain text
// only their rules for headings are known. Directives, components and admonitions are text. A file that
// MkDocs or reStructuredText includes is named, not read.
//
// Which files are documents is told by name and extension ([kindOf]). Ignore rules, the folders that are
// never entered and the limits are those of package discover. A link inside the folder is no document; the file that it
// leads to is one, of the kind that the link says. Hidden folders are
// read where their name says that they hold documents for agents. Translations of a page count once:
// they are read when somebody asks in their language ([Set.Language]), or as open buffers. What was changed in a release,
// and what is not about the project itself, stands behind all others ([Set.Aside]).
//
// # Limits
//
// A file has at most 1 MiB, a document 2,000 sections (what follows belongs to the last), a rule 256 globs, a set
// 64 MiB; what is beyond is listed in [Set.Skipped].
package documents

import (
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Document is one file, parsed. It is immutable; its strings alias Text. What it says in words
// holds no credential of the text.
type Document struct {
	Path     string // in the folder
	Kind     Kind
	Text     string
	Hash     string // of Text
	Title    string
	Sections []Section // in order; of a text without headings one
	Rule     Rule      // of a RuleFile: where it applies

	Status       string // of a Decision, as written
	SupersededBy string // of a Decision: the path of the document that took its place, or what is written of it
	Garbled      bool   // the file is neither UTF-8 nor UTF-16, so that some characters of Text are not its own
	Origin       string // of what nobody here wrote by hand, see [discover.Origin]; "" for others

	said        string   // the text with blanks in place of its comments
	credentials bool     // the text holds some
	repository  []string // see [Options]

	paged  sync.Once
	asPage *format.Entry

	heads    []markdown.Headline // also those in lists and quotes
	anchored sync.Once
	anchors  format.Anchors
}

// Section is a heading with the text up to the next one.
type Section struct {
	Title   string        // without markup
	Above   []string      // titles of the sections that it belongs to, the outermost first, without the page's own
	Level   int           // 1 for the highest; 0 for what stands before any heading
	Anchor  string        // that the heading, or a line above it, states; "" for none
	Heading markdown.Span // the title as it is written
	At      markdown.Span // from the heading's line to the next heading
	Body    markdown.Span // behind the heading's lines
	Files   []string      // that it includes, as paths of the folder
}

// Lines are the section's first and last line in the text, from 1.
func (s *Section) Lines(text string) (first, last int) {
	first = 1 + strings.Count(text[:s.At.Start], "\n")
	return first, first + strings.Count(strings.TrimRight(s.At.Of(text), " \t\r\n"), "\n")
}

// maxNames is how many names of a document are read.
const maxNames = 10_000

// called is a name that code calls.
var called = lazyregexp.New(`[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::)[\p{L}_$][\p{L}\p{N}_$]*)*\(`)

// tellsName reports whether a called name is one of code whatever stands around it: it is qualified, or no word.
func tellsName(name string) bool {
	return strings.ContainsAny(name, ".:_") || strings.ContainsFunc(name[1:], unicode.IsUpper)
}

// Names are the names in backticks, as byte ranges of the text between them, without the ~ that a role of
// reStructuredText may begin with, and those that are called: in prose the qualified ones.
func (d *Document) Names() []markdown.Span {
	var out []markdown.Span
	for l, code := range d.lines() {
		at, line := l.At, l.At.Of(d.said)
		spans := markdown.CodeSpans(line)
		for _, c := range spans {
			start := at.Start + c.Text.Start
			inner := strings.TrimRight(d.Text[start:at.Start+c.Text.End], " \t")
			name := markdown.Span{Start: start + len(inner) - len(strings.TrimLeft(inner, " \t~")), End: start + len(inner)}
			if name.Start < name.End && len(out) < maxNames && !(code && strings.Contains(inner, " ")) {
				out = append(out, name)
			}
		}
		if m := directive().FindStringSubmatchIndex(line); m != nil && !isMarkdown(d.Path) && len(out) < maxNames {
			out = append(out, markdown.Span{Start: at.Start + m[2], End: at.Start + m[3]})
		}
		for _, m := range called().FindAllStringIndex(line, maxNames-len(out)) {
			name := line[m[0] : m[1]-1]
			if tellsName(name) && (code || strings.ContainsAny(name, ".:")) && !spans.Holds(m[0]) {
				out = append(out, markdown.Span{Start: at.Start + m[0], End: at.Start + m[1] - 1})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b markdown.Span) int { return a.Start - b.Start })
	return out
}

// directive matches a directive of reStructuredText whose text is taken from code.
var directive = lazyregexp.New(`^\s*\.\. (?:auto|py:|c:|cpp:|js:)\w+:: *([\p{L}_$][\p{L}\p{N}_$.:]*)`)

// literal is how a line of reStructuredText announces a block of code.
var literal = lazyregexp.New(`^\s*\.\. (?:code|code-block|sourcecode|parsed-literal)::|^\s*[^.\s].*::\s*$|^\s*::\s*$`)

// lines yields the lines of the text that are no fences and no comments, and whether each is code: fenced, indented, or in a
// literal block of reStructuredText, which knows no fences.
func (d *Document) lines() iter.Seq2[markdown.Line, bool] {
	return func(yield func(markdown.Line, bool) bool) {
		if isMarkdown(d.Path) {
			for l := range markdown.Lines(d.Text) {
				code := l.Fence == markdown.FenceText || l.Fence == markdown.Indented
				if (code || l.Fence == markdown.FenceNone) && !yield(l, code) {
					return
				}
			}
			return
		}
		block := -1            // the indent of what announced the block of code at hand
		fence, above := "", "" // in AsciiDoc the line that ends it, and the line before
		for pos := 0; pos < len(d.Text); {
			l, next := markdown.CutLine(d.Text, pos)
			indent := len(l) - len(strings.TrimLeft(l, " \t"))
			if indent < len(l) && indent <= block {
				block = -1
			}
			if !yield(markdown.Line{At: markdown.Span{Start: pos, End: pos + len(l)}}, block >= 0 || fence != "" && fence[0] != '+') {
				return
			}
			bare := strings.TrimRight(l, " \t")
			switch {
			case !isAsciiDoc(d.Path):
				if block < 0 && literal().MatchString(l) {
					block = indent
				}
			case bare == fence:
				fence = ""
			case fence == "" && isVerbatim(bare) && !near(above, bare):
				fence = bare
			}
			above = l
			pos = next
		}
	}
}

// comment begins one of reStructuredText or is one of AsciiDoc; explicit are the directives, targets, footnotes and substitutions that
// begin like the first.
var (
	comment  = lazyregexp.New(`^\s*\.\.(?:\s|$)`)
	explicit = lazyregexp.New(`^\s*\.\. +(?:[_\[|]|[\w:.+-]+ ?::)`)
)

// withoutComments is the text with blanks in place of its comments.
func (d *Document) withoutComments() string {
	if isMarkdown(d.Path) {
		return markdown.Said(d.Text, 0)
	}
	out := []byte(d.Text)
	block, indent, bare := "", -1, false // what ends a block of AsciiDoc; the indent of a comment of the other, and whether its line is empty
	for l, code := range d.lines() {
		line := strings.TrimRight(l.At.Of(d.Text), " \t")
		here := len(line) - len(strings.TrimLeft(line, " \t"))
		is := block != ""
		switch {
		case is && line == block:
			block = ""
		case is, code:
		case isAsciiDoc(d.Path):
			if is = strings.HasPrefix(line, "//") && (!strings.HasPrefix(line, "///") || isVerbatim(line)); is && isVerbatim(line) {
				block = line
			}
		case line == "":
			if bare {
				indent = -1
			}
		case indent < 0 || here <= indent:
			if indent = -1; comment().MatchString(line) && !explicit().MatchString(line) {
				is, indent = true, here
			}
		default:
			is = true
		}
		bare = is && strings.TrimSpace(line) == ".."
		if is {
			copy(out[l.At.Start:], strings.Repeat(" ", l.At.End-l.At.Start))
		}
	}
	return string(out)
}

// inConflict reports whether the text is in a merge conflict. In code the markers are an example.
func (d *Document) inConflict() bool {
	found := format.Conflicts(d.Text)
	if len(found) == 0 {
		return false
	}
	for l, code := range d.lines() {
		if !code && slices.ContainsFunc(found, func(c format.Conflict) bool { return c.At.Start == l.At.Start }) {
			return true
		}
	}
	return false
}

// Section is the section that holds a place of the text.
func (d *Document) Section(off int) *Section {
	for i := range d.Sections {
		if s := &d.Sections[i]; s.At.Start <= off && (off < s.At.End || i == len(d.Sections)-1) {
			return s
		}
	}
	return nil
}

// Anchored is the section that a link means by what it says behind its #: the one that states this anchor, else the one
// whose heading gives it as GitHub and editors make anchors of headings.
func (d *Document) Anchored(anchor string) *Section {
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Anchor != "" && (s.Anchor == anchor || !isMarkdown(d.Path) && format.SameHeading(s.Anchor, anchor)) {
			return s
		}
	}
	if i, ok := d.byTitle().Section(anchor); ok {
		return &d.Sections[i]
	}
	return nil
}

// labelUse is the use of a label in reStructuredText or AsciiDoc.
var labelUse = lazyregexp.New(":(?:ref|numref):`(?:[^`<]*<)?([^`<>]+)>?`|<<#?([^<>,#]+)(?:,[^<>]*)?>>|\\bxref:#?([^\\s\\[\\]:.#]+)\\[")

// LabelAt is the label, of a section or of one of another document, that a text which is no Markdown uses at a place.
func (d *Document) LabelAt(off int) (at markdown.Span, ok bool) {
	line := markdown.Span{Start: off, End: off}.Lines(d.Text)
	if isMarkdown(d.Path) {
		return at, false
	}
	for _, m := range labelUse().FindAllStringSubmatchIndex(line.Of(d.Text), maxLinked) {
		for g := 2; g < len(m); g += 2 {
			if at = (markdown.Span{Start: line.Start + m[g], End: line.Start + m[g+1]}); m[g] >= 0 && at.Contains(off) {
				return at, true
			}
		}
	}
	return at, false
}

// Whole is the text of the section that an anchor means, with the sections below it; of the document without one.
func (d *Document) Whole(anchor string) (at markdown.Span, ok bool) {
	if anchor == "" {
		return markdown.Span{End: len(d.Text)}, true
	}
	s := d.Anchored(anchor)
	if s == nil {
		return at, false
	}
	at = s.At
	for i := range d.Sections {
		if next := &d.Sections[i]; next.At.Start == at.End && next.Level > s.Level {
			at.End = next.At.End
		}
	}
	return at, true
}

// AnchorOf returns the anchor with which links lead to one of its sections.
func (d *Document) AnchorOf(s *Section) string {
	for i := range d.Sections {
		if s == &d.Sections[i] && s.Anchor == "" && d.credentials {
			return format.Anchor(s.Title) // its words may hold one
		} else if s == &d.Sections[i] && s.Anchor == "" {
			return d.byTitle().Of(i)
		}
	}
	return s.Anchor
}

func (d *Document) byTitle() format.Anchors {
	d.anchored.Do(func() {
		var starts []int
		for _, s := range d.Sections {
			starts = append(starts, s.At.Start)
		}
		d.anchors = format.NewAnchors(d.Text, d.heads, starts, numberedBy(d.Path, d.Text))
		if isMarkdown(d.Path) {
			d.anchors.Elements(d.Text, d.Sections[0].At.Start)
		}
	})
	return d.anchors
}

// Called is how people name a section: the document's path and the titles that it stands under.
func (d *Document) Called(s *Section) string {
	titles := append([]string{d.Path}, s.Above...)
	if s.Level > 0 && s.Title != d.Title {
		titles = append(titles, s.Title)
	}
	return strings.Join(titles, format.SectionSign)
}

// maxTitle bounds a title, in bytes: it is repeated in each section below it.
const maxTitle = 160

func (d *Document) veiled(e *format.Entry) *format.Entry {
	e = format.Saying(e, d.said)
	if d.credentials {
		return format.Veiled(e)
	}
	return e
}
