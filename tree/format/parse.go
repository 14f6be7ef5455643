package format

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

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

// RoleOf tells a file's role by its path.
func RoleOf(p string) Role {
	base := path.Base(p)
	switch {
	case strings.HasSuffix(base, ".stub.md"):
		return RoleStub
	case strings.HasSuffix(base, ".full.md") && strings.HasPrefix(p, "_archived/"):
		return RoleArchive
	case base == "_index.md":
		return RoleSummary
	case base == "context.md":
		return RoleOverview
	case strings.HasSuffix(base, ".abstract.md"), strings.HasSuffix(base, ".overview.md"):
		return RoleAbstract
	}
	return RoleEntry
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

// Field returns the frontmatter field of that key.
func (e *Entry) Field(key string) (Field, bool) {
	for _, f := range e.Fields {
		if f.Key == key {
			return f, true
		}
	}
	return Field{}, false
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

func (e *Entry) invalid(f Field, message string) {
	at := f.At
	if len(f.Items) == 1 {
		at = f.Items[0].At
	}
	e.report(CodeFrontmatter, SeverityWarning, message, at)
}

// number reads a field as a number in [low, high].
func (e *Entry) number(f Field, low, high float64) (float64, bool) {
	v, err := strconv.ParseFloat(f.Value(), 64)
	if err != nil || math.IsNaN(v) || v < low || v > high {
		limit := "at least " + strconv.FormatFloat(low, 'f', -1, 64)
		if !math.IsInf(high, 1) {
			limit = "between " + strconv.FormatFloat(low, 'f', -1, 64) + " and " + strconv.FormatFloat(high, 'f', -1, 64)
		}
		e.invalid(f, f.Key+" must be a number "+limit)
		return 0, false
	}
	e.Signals.Has = true
	return v, true
}

// moment reads a field as an ISO 8601 time.
func (e *Entry) moment(f Field) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, f.Value()); err == nil {
			return t
		}
	}
	e.invalid(f, f.Key+" must be an ISO 8601 time such as 2026-01-31T10:00:00Z")
	return time.Time{}
}

// Value is the field's first value, "" if it has none.
func (f Field) Value() string {
	if len(f.Items) == 0 {
		return ""
	}
	return f.Items[0].Value
}

func (f Field) values() []string {
	out := make([]string, 0, len(f.Items))
	for _, s := range f.Items {
		if s.Value != "" {
			out = append(out, s.Value)
		}
	}
	return out
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
