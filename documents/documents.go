// Package documents reads the documents of a repository: README, docs/**, decision records, changelogs, and the
// rules and memories that people write for agents. They are knowledge too. They stay in their place, and are not
// copied into the context tree.
//
//	set, err := documents.Read(ctx, root, documents.Options{}, nil)
//	doc, ok := set.Document("docs/tutorial/testing.md")
//	search, err := engine.Open(ctx, set.Snapshot())
//
// A [Document] is the text of one file, with its headings. It consists of sections. A [Section] is a heading and
// the text up to the next heading, with its lines in the file. A [Set] holds all documents of a folder at one
// moment. It is immutable. The next set is made from it, and only changed files are read.
//
// For the search, a section looks like an entry ([Set.Snapshot]). One engine ranks both, and the scores of its
// hits are probabilities, so that hits of both can be merged into one order. The entry of a section has the whole
// file as its text and the section as its body, so that every position in it is a position in the file.
//
// # What is read
//
// For Markdown, MDX and MyST, package markdown finds the headings; it is the project's only scanner. A heading
// inside a list or quote is an anchor and begins no section. For reStructuredText, AsciiDoc and plain text, only
// the rules for headings are implemented. Directives, components and admonitions are text. A file that MkDocs or
// reStructuredText includes is recorded by name, but not read.
//
// The name and extension of a file determine whether it is a document ([kindOf]). Package discover provides ignore
// rules, folders that are never entered, and limits. A symbolic link inside the folder is no document, but its
// target is one, of the kind that the link's name tells. Hidden folders are read if their name shows that they
// hold documents for agents. A page counts only once if there are translations: those are searched if a question
// is in their language ([Set.Language]), and read as open buffers. Changelogs, and documents that are not about
// the project itself, rank behind all others ([Set.Aside]).
//
// # Limits
//
// A file has at most 1 MiB, a document 2,000 sections (the rest belongs to the last), a rule 256 globs, and a set
// 64 MiB. [Set.Skipped] lists the files beyond that.
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

// Document is one parsed file. It is immutable; its strings share memory with Text. Names and titles contain no
// credentials from the text.
type Document struct {
	Path     string // in the folder
	Kind     Kind
	Text     string
	Hash     string // of Text
	Title    string
	Sections []Section // in order; a text without headings has one section
	Rule     Rule      // for a RuleFile: where it applies

	Status       string // for a Decision, as written
	SupersededBy string // for a Decision: the path of the document that replaced it, or its name as written
	Garbled      bool   // the file is neither UTF-8 nor UTF-16, so Text may differ from it
	Origin       string // why a file is not written by hand here, see [discover.Origin]; "" for other files

	said        string   // the text with its comments replaced by blanks
	credentials bool     // the text contains credentials
	repository  []string // see [Options]

	paged  sync.Once
	asPage *format.Entry

	heads    []markdown.Headline // including those in lists and quotes
	anchored sync.Once
	anchors  format.Anchors
}

// Section is a heading with the text up to the next one.
type Section struct {
	Title   string        // without markup
	Above   []string      // titles of the enclosing sections, outermost first, without the page's own
	Level   int           // 1 for the highest; 0 for text before any heading
	Anchor  string        // as stated by the heading or a line above it; "" if there is none
	Heading markdown.Span // the title as written
	At      markdown.Span // from the heading's line to the next heading
	Body    markdown.Span // after the heading's lines
	Files   []string      // included files, as paths in the folder
}

// Lines returns the section's first and last line in the text, counted from 1.
func (s *Section) Lines(text string) (first, last int) {
	first = 1 + strings.Count(text[:s.At.Start], "\n")
	return first, first + strings.Count(strings.TrimRight(s.At.Of(text), " \t\r\n"), "\n")
}

// maxNames bounds how many names of a document are read.
const maxNames = 10_000

// called matches a name that is called as a function.
var called = lazyregexp.New(`[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::)[\p{L}_$][\p{L}\p{N}_$]*)*\(`)

// tellsName reports whether a called name is certainly one of code: it is qualified, or no ordinary word.
func tellsName(name string) bool {
	return strings.ContainsAny(name, ".:_") || strings.ContainsFunc(name[1:], unicode.IsUpper)
}

// Names returns the names in the document: the text in backticks, without the ~ that may begin a role of
// reStructuredText, and names of called functions. In prose only qualified names of functions count.
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

// directive matches a directive of reStructuredText that takes its text from code.
var directive = lazyregexp.New(`^\s*\.\. (?:auto|py:|c:|cpp:|js:)\w+:: *([\p{L}_$][\p{L}\p{N}_$.:]*)`)

// literal matches a line of reStructuredText that announces a block of code.
var literal = lazyregexp.New(`^\s*\.\. (?:code|code-block|sourcecode|parsed-literal)::|^\s*[^.\s].*::\s*$|^\s*::\s*$`)

// lines yields the lines of the text that are neither fences nor comments, and whether each is code: fenced,
// indented, or in a literal block of reStructuredText, which has no fences.
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
		block := -1            // the indent of the line that announced the current block of code
		fence, above := "", "" // for AsciiDoc: the line that ends the block, and the previous line
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

// comment matches the first line of a comment in reStructuredText. explicit matches directives, targets, footnotes
// and substitutions, which begin like one.
var (
	comment  = lazyregexp.New(`^\s*\.\.(?:\s|$)`)
	explicit = lazyregexp.New(`^\s*\.\. +(?:[_\[|]|[\w:.+-]+ ?::)`)
)

// withoutComments returns the text with its comments replaced by blanks.
func (d *Document) withoutComments() string {
	if isMarkdown(d.Path) {
		return markdown.Said(d.Text, 0)
	}
	out := []byte(d.Text)
	block, indent, bare := "", -1, false // end of an AsciiDoc block; indent of a .. comment; is its line empty
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

// inConflict reports whether the text is in a merge conflict. Conflict markers in code are only an example.
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

// Section returns the section that contains a position of the text.
func (d *Document) Section(off int) *Section {
	for i := range d.Sections {
		if s := &d.Sections[i]; s.At.Start <= off && (off < s.At.End || i == len(d.Sections)-1) {
			return s
		}
	}
	return nil
}

// Anchored returns the section for the part of a link behind its #. That is the section that states this anchor,
// or else the one whose heading gives it by the rules of GitHub and editors.
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

// labelUse matches a use of a label in reStructuredText or AsciiDoc.
var labelUse = lazyregexp.New(":(?:ref|numref):`(?:[^`<]*<)?([^`<>]+)>?`|<<#?([^<>,#]+)(?:,[^<>]*)?>>|\\bxref:#?([^\\s\\[\\]:.#]+)\\[")

// LabelAt returns the label that is used at a position of a text other than Markdown. The label may belong to a
// section of this or of another document.
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

// Whole returns the text of the section with an anchor, including the sections below it. Without an anchor it
// returns the whole document.
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

// AnchorOf returns the anchor for links to one of the document's sections.
func (d *Document) AnchorOf(s *Section) string {
	for i := range d.Sections {
		if s == &d.Sections[i] && s.Anchor == "" && d.credentials {
			return format.Anchor(s.Title) // the title may contain a credential
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

// Called returns the name of a section for people: the document's path and the titles of the enclosing sections.
func (d *Document) Called(s *Section) string {
	titles := append([]string{d.Path}, s.Above...)
	if s.Level > 0 && s.Title != d.Title {
		titles = append(titles, s.Title)
	}
	return strings.Join(titles, format.SectionSign)
}

// maxTitle bounds a title, in bytes, since it is repeated in each section below it.
const maxTitle = 160

func (d *Document) veiled(e *format.Entry) *format.Entry {
	e = format.Saying(e, d.said)
	if d.credentials {
		return format.Veiled(e)
	}
	return e
}
