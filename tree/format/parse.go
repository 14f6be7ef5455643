package format

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/internal/pattern"
	"github.com/brv-lsp/brv-lsp/tree/markdown"
)

// Parse reads one file. It is pure, never fails and takes time linear in the
// text; p is the file's path inside the tree. What it says in words holds no credential of the text.
func Parse(p, text string) *Entry {
	e := parse(p, text)
	e.veil()
	return e
}

// parse is Parse with the words as the file has them.
func parse(p, text string) *Entry {
	sum := sha256.Sum256([]byte(text))
	e := &Entry{Path: p, Role: RoleOf(p), Text: text, Hash: hex.EncodeToString(sum[:]), tokens: new(atomic.Int64), said: new(atomic.Pointer[string])}
	if e.Conflicts = Conflicts(text); len(e.Conflicts) > 0 {
		e.readSides()
	} else {
		e.read()
	}
	e.clip()
	return e
}

// read reads a text that is not in conflict.
func (e *Entry) read() {
	text := e.Text
	fm, body, ok, closed := splitFrontmatter(text)
	e.Body = body
	switch {
	case ok && !closed:
		e.report(CodeFrontmatter, SeverityError, "frontmatter is not closed: a line with only --- is missing", markdown.Span{fm.Start, min(fm.Start, len(text))})
		e.Body = fm
	case ok:
		e.Frontmatter = fm
		e.Fields, e.Problems = parseFrontmatter(text, fm)
		e.readFields()
		e.Signals.Maturity = e.Settled(e.Signals.Maturity)
	}
	ls := markdown.Split(text, e.Body.Start)
	e.Sections = markdown.Sections(text, ls)
	l := newLayout(text, e.Body.Start, ls, e.Sections)
	e.readSections(l)
	e.readInline(ls)
	if e.Title == "" {
		e.Title = e.fallbackTitle()
	}
	e.check(l)
}

// clip gives back the room that the longer lists grew by: entries are kept.
func (e *Entry) clip() {
	e.Sections, e.Facts, e.Code = slices.Clone(e.Sections), slices.Clone(e.Facts), slices.Clone(e.Code)
	e.Relations, e.Problems = slices.Clone(e.Relations), slices.Clone(e.Problems)
}

func (e *Entry) fallbackTitle() string {
	if len(e.Sections) > 0 && e.Sections[0].Level == 1 {
		return e.Sections[0].Title
	}
	name := strings.TrimSuffix(path.Base(e.Path), ".md")
	if e.Role == RoleOverview || e.Role == RoleSummary {
		name = path.Base(path.Dir(e.Path))
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

// readFields fills the entry from its frontmatter fields and reports values of
// the wrong kind.
func (e *Entry) readFields() {
	for _, f := range e.Fields {
		spec, known := fieldSpecs[f.Key]
		if !known || spec.read == nil {
			continue
		}
		if f.List && !spec.list {
			e.invalid(f, f.Key+" takes one value, not a list")
			continue
		}
		spec.read(e, f)
	}
}

// readSections reads what the parser needs of the sections that the format
// names; [Entry.Content] reads the rest on demand.
func (e *Entry) readSections(l *layout) {
	e.readFacts(l)
	if len(l.sections) > 0 {
		if files, ok := l.labels()[PartFiles]; ok {
			for _, it := range l.items(files, listFiles) {
				if len(e.Files) == maxMentions {
					e.over(it.At.Start, "files")
					break
				}
				first, _ := CutLine(it.At.Of(e.Text), 0)
				e.addFile(first, it.At.Start)
			}
		}
	}
}

var lineSuffix = pattern.Of(`(?::\d+(?:-\d+)?|#L\d+(?:-L?\d+)?)$`)

// addFile adds one item: a back-ticked path, or the words before " - ", " (" or
// " — ". Addresses are not files.
func (e *Entry) addFile(item string, at int) {
	if i := strings.IndexByte(item, '`'); i >= 0 {
		if j := strings.IndexByte(item[i+1:], '`'); j > 0 {
			item, at = item[i+1:i+1+j], at+i+1
		}
	}
	for _, sep := range []string{" - ", " (", " — ", " – "} {
		if i := strings.Index(item, sep); i >= 0 {
			item = item[:i]
		}
	}
	trimmed := strings.TrimLeft(item, " \t")
	at += len(item) - len(trimmed)
	trimmed = strings.TrimRight(trimmed, " \t\r")
	if trimmed == "" || strings.Contains(trimmed, "://") {
		return
	}
	p := strings.TrimPrefix(lineSuffix().ReplaceAllString(trimmed, ""), "./")
	e.Files = append(e.Files, FileRef{Path: p, At: markdown.Span{at, at + len(trimmed)}})
}
