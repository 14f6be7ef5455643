package format

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Parse reads one file. It is pure, never fails and takes time linear in the text; p is the file's path
// inside the tree. The words in the result (titles, facts, problems) contain no credentials.
func Parse(p, text string) *Entry {
	made := parse(p, text)
	made.veil()
	return made.Entry
}

// parser makes an entry from a text. Only it and the cache's decoder write to an entry.
type parser struct {
	*Entry
	layout *layout // of the body
}

// parse is Parse with the words as the file has them.
func parse(path, text string) *parser {
	sum := sha256.Sum256([]byte(text))
	p := &parser{Entry: &Entry{Path: path, Role: RoleOf(path), Text: text, Hash: hex.EncodeToString(sum[:])}}
	p.tokens, p.identity = new(atomic.Int64), new(atomic.Pointer[string])
	if p.Conflicts = Conflicts(text); len(p.Conflicts) > 0 {
		p.readSides()
	} else {
		p.read()
	}
	p.clip()
	return p
}

// read reads a text that is not in conflict.
func (p *parser) read() {
	text := p.Text
	fm, body, ok, closed := splitFrontmatter(text)
	p.Body = body
	switch {
	case ok && !closed:
		p.report(CodeFrontmatter, SeverityError, "frontmatter is not closed: a line with only --- is missing",
			markdown.Span{Start: fm.Start, End: min(fm.Start, len(text))})
		p.Body = fm
	case ok:
		p.Frontmatter = fm
		p.Fields, p.Problems = parseFrontmatter(text, fm)
		if _, imported := p.Field(ImportedFromKey); imported { // in a dialect of another program
			for i := range p.Problems {
				p.Problems[i].Severity = SeverityWarning
			}
		}
		p.readFields(p.Fields)
		p.Signals.Maturity = p.Settled(p.Signals.Maturity)
	}
	ls := markdown.Split(text, p.Body.Start)
	p.said = saidOf(text, p.Body.Start)
	if !ok {
		p.checkLate()
	}
	p.readTOML()
	p.Sections = markdown.Sections(p.said, ls)
	p.level()
	p.layout = newLayout(text, p.Body.Start, ls, p.Sections)
	p.readSections()
	p.readInline()
	if p.Title == "" {
		p.Title = p.fallbackTitle()
	}
	p.check()
}

// clip gives back the room that the longer lists grew by: entries are kept.
func (p *parser) clip() {
	p.Sections, p.Facts, p.Code = slices.Clone(p.Sections), slices.Clone(p.Facts), slices.Clone(p.Code)
	p.Relations, p.Problems = slices.Clone(p.Relations), slices.Clone(p.Problems)
}

func (p *parser) fallbackTitle() string {
	if len(p.Sections) > 0 && p.Sections[0].Level == 1 {
		title := p.Sections[0].Title
		if strings.HasPrefix(title, "![") && markdown.PlainTitle(title) == "" {
			title = title[2:max(2, markdown.ClosingBracket(title, 1))] // a picture's text
		}
		if title != "" {
			return title
		}
	}
	name := strings.TrimSuffix(path.Base(p.Path), ".md")
	if f, ok := p.Field(ImportedFromKey); ok {
		if strings.Contains(f.Value(), "#") && len(p.Sections) > 0 {
			return p.Sections[0].Title
		}
		return strings.TrimSuffix(path.Base(f.Value()), path.Ext(f.Value())) // as its author called it
	}
	if p.Role == RoleOverview || p.Role == RoleSummary {
		name = path.Base(path.Dir(p.Path))
	}
	return strings.NewReplacer("_", " ", "-", " ").Replace(name)
}

// Section returns the first section of that title, compared without case.
func (e *Entry) Section(title string) (markdown.Section, bool) {
	for _, s := range e.Sections {
		if strings.EqualFold(s.Title, title) {
			return s, true
		}
	}
	return markdown.Section{}, false
}

// checkLate reports frontmatter below the first line: below blanks, a comment, a heading or the beginning of a fence.
func (p *parser) checkLate() {
	const blank = markdown.ByteOrderMark + " \t\r\n"
	below := strings.TrimLeft(p.said, blank)
	if strings.HasPrefix(below, "#") || strings.HasPrefix(below, "```") {
		_, next := markdown.CutLine(below, 0)
		below = strings.TrimLeft(below[next:], blank)
	}
	late, _, is, closed := splitFrontmatter(below)
	if !is || !closed {
		return
	}
	known := func(f Field) bool { return FieldDoc(f.Key) != "" }
	if fields, _ := parseFrontmatter(below, late); slices.ContainsFunc(fields, known) {
		start := len(p.Text) - len(below)
		p.report(CodeFrontmatter, SeverityWarning, "frontmatter must begin on the first line; move it to the top of the file",
			markdown.Span{Start: start, End: start + len("---")})
	}
}

// readFields fills the entry from its frontmatter fields and reports values of
// the wrong kind.
func (p *parser) readFields(fields []Field) {
	for _, f := range fields {
		spec, known := fieldSpecs[f.Key]
		if !known || spec.read == nil {
			continue
		}
		if !f.List && len(f.Items) == 0 {
			p.invalid(f, f.Key+" takes text, not a mapping; put a value that begins with { in quotes")
			continue
		}
		if f.List && !spec.list {
			p.invalid(f, f.Key+" takes one value, not a list")
			continue
		}
		if _, imported := p.Field(ImportedFromKey); !imported {
			p.checkComment(f)
		}
		nested := func(l string) bool { return strings.Contains(unquoted(l), "[[") }
		if f.List && slices.ContainsFunc(strings.Split(f.At.Of(p.Text), "\n"), nested) {
			p.invalid(f, f.Key+" has a list in a list, which is not read; put a link in quotes, \"[[name]]\"")
		}
		if spec.list && !f.List && f.Key != string(PartQuestions) && strings.Contains(f.Value(), ",") &&
			strings.IndexByte("\"'", p.Text[f.Items[0].At.Start-1]) < 0 { // what is in quotes is one path on purpose
			if p.invalid(f, f.Key+" is one value; write a list, such as "+f.Key+": [a, b]"); f.Key == "related" {
				continue
			}
		}
		spec.read(p, f)
	}
}

// checkComment reports text behind a # that YAML reads as a comment, though its author perhaps did not mean
// one: there is no blank behind the sign.
func (p *parser) checkComment(f Field) {
	for pos := f.At.Start; pos < f.At.End; {
		l, next := markdown.CutLine(p.Text[:f.At.End], pos)
		said := unquoted(l)
		if strings.HasSuffix(said, "|") || strings.HasSuffix(said, ">") {
			return // the lines below are text
		}
		if comment := l[len(said):]; len(comment) > 1 && comment[1] != ' ' && comment[1] != '#' {
			at := pos + len(said)
			p.report(CodeFrontmatter, SeverityWarning, "YAML reads the text after # as a comment; put the value in quotes if the text belongs to it",
				markdown.Span{Start: at, End: at + len(comment)})
		}
		pos = next
	}
}

// level corrects headings of the format that stand one level above or below their own, unless another heading
// of that name has the right level. A heading above the parts of the Narrative that follow it stays below the
// Narrative.
func (p *parser) level() {
	named := map[string]bool{} // sections, and parts of the Narrative, at their own level
	for _, s := range p.Sections {
		switch s.Level {
		case 2:
			named[sectionName(s.Title)] = true
		case structural:
			named[partName(s.Title)] = true
		}
	}
	moved, parts := false, false // parts of the Narrative stand between a heading and the next section
	for i := len(p.Sections) - 1; i >= 0; i-- {
		s := &p.Sections[i]
		if name := sectionName(s.Title); name != "" && !named[name] && (s.Level == 1 || s.Level == structural && !parts) {
			s.Level, moved = 2, true
		}
		parts = s.Level >= structural && (parts || s.Level == structural && partName(s.Title) != "")
	}
	inside := "" // the section of the format
	for i := range p.Sections {
		s := &p.Sections[i]
		if name := partName(s.Title); inside == "Narrative" && s.Level == 2 && name != "" && !named[name] {
			s.Level, moved = structural, true
		} else if s.Level < structural {
			inside = sectionName(s.Title)
		}
	}
	if moved {
		markdown.Nest(p.Sections, len(p.Text))
	}
}

// readSections reads what the parser needs of the sections that the format
// names; [Entry.Content] reads the rest on demand.
func (p *parser) readSections() {
	p.readFacts()
	if files, ok := p.layout.labels()[PartFiles]; ok {
		for _, it := range p.layout.items(files, listFiles) {
			said := it.At.Of(p.said)
			if strings.TrimSpace(said) == "" || files.Alone && !isPath(said) {
				continue
			}
			first, _ := markdown.CutLine(said, 0)
			p.Files = append(p.Files, FilesOf(first, it.At.Start)...)
			if len(p.Files) > maxMentions {
				p.over(p.Files[maxMentions].At.Start, "files")
				p.Files = p.Files[:maxMentions]
				break
			}
		}
	}
}
