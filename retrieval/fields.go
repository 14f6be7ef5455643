package retrieval

import (
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// field numbers the fields an entry is indexed under.
type field int

const (
	fieldTitle field = iota
	fieldSummary
	fieldLabels // keywords and tags
	fieldHeadings
	fieldPath
	fieldFiles // paths of the entry's files
	fieldBody
	numFields
)

// fieldNames are the fields' names in explanations.
var fieldNames = [numFields]string{fieldTitle: "title", fieldSummary: "summary", fieldLabels: "labels", fieldHeadings: "headings",
	fieldPath: "path", fieldFiles: "files", fieldBody: "body"}

// prose marks the fields that are sentences, where stop words have no meaning. The others keep stop words, so
// that an entry called "What is it" can be found by its name.
var prose = [numFields]bool{fieldSummary: true, fieldHeadings: true, fieldBody: true}

// joined marks the fields that are also indexed with their words joined, so that derivable-traits finds
// "Derivable traits".
var joined = [numFields]bool{fieldTitle: true, fieldLabels: true, fieldHeadings: true}

// lengths are an entry's field lengths in tokens.
type lengths [numFields]int32

// doc is one indexed entry. It is immutable.
type doc struct {
	entry  *format.Entry
	len    lengths
	titles []string // the distinct terms of the title that are no stop words

	made atomic.Pointer[outline] // nil: not requested yet

	meant atomic.Pointer[meant] // nil: not read by an encoder
}

// outline returns the entry's outline, which is made at the first call.
func (d *doc) outline() *outline {
	o := d.made.Load()
	if o == nil {
		o = newOutline(d.entry)
		d.made.Store(o)
	}
	return o
}

// termTally is one term of an entry with its number of occurrences. The term may alias the entry's text.
type termTally struct {
	term  string
	tally tally
}

func docOf(e *format.Entry) *doc { return &doc{entry: e} }

// newDoc analyses an entry and returns its doc and its distinct terms, in order of appearance.
func newDoc(e *format.Entry) (*doc, []termTally) {
	a := analysts.Get().(*analyst)
	defer analysts.Put(a)
	return a.read(e)
}

// analyst counts the terms of one entry at a time.
type analyst struct {
	words.Scanner
	at    map[string]int32 // term → its place in terms
	terms []termTally
}

var analysts = sync.Pool{New: func() any { return &analyst{at: map[string]int32{}} }}

// maxTermMemory is the number of terms up to which an analyst keeps its map for the next entry: clearing a
// map takes time in proportion to its largest size.
const maxTermMemory = 1 << 14

func (a *analyst) read(e *format.Entry) (*doc, []termTally) {
	d := docOf(e)
	for f, content := range fieldTexts(e) {
		d.len[f] = a.field(field(f), content)
	}
	a.Scan(e.Title, func(t words.Token) {
		if i, ok := a.at[t.Term]; ok && !t.Stop && t.Kind == words.Plain {
			d.titles = append(d.titles, a.terms[i].term)
			delete(a.at, t.Term)
		}
	})
	for i, t := range d.titles {
		d.titles[i] = strings.Clone(t)
	}
	terms := make([]termTally, len(a.terms))
	copy(terms, a.terms)
	if a.terms = a.terms[:0]; len(terms) > maxTermMemory {
		a.at, a.terms = map[string]int32{}, nil
	}
	clear(a.at)
	return d, terms
}

// field adds the terms of one field and returns its length in tokens.
func (a *analyst) field(f field, content string) int32 {
	length := int32(0)
	add := func(t words.Token) {
		if t.Stop && prose[f] {
			return
		}
		length++
		i, ok := a.at[t.Term]
		if !ok {
			i = int32(len(a.terms))
			a.at[t.Term] = i
			a.terms = append(a.terms, termTally{term: t.Term})
		}
		a.terms[i].tally = a.terms[i].tally.plus(f)
	}
	a.Scan(content, add)
	if joined[f] {
		a.JoinLines(content, add)
	}
	return length
}

// fieldTexts are the texts of an entry's fields. Frontmatter is not among them: its content is in the fields
// that it fills.
func fieldTexts(e *format.Entry) [numFields]string {
	var headings, files strings.Builder
	for _, s := range e.Sections {
		headings.WriteString(s.Title)
		headings.WriteByte('\n')
	}
	headings.WriteString(e.Terms(true)) // a question is like a heading above its answer
	for _, f := range e.Files {
		files.WriteString(f.Path)
		files.WriteByte('\n')
	}
	return [numFields]string{
		fieldTitle:    e.Title,
		fieldSummary:  e.Summary,
		fieldLabels:   e.Terms(false),
		fieldHeadings: headings.String(),
		fieldPath:     pathWords(e),
		fieldFiles:    files.String(),
		fieldBody:     e.Body.Of(e.Said()),
	}
}

// pathWords is an entry's path without the ending, which only tells the kind of file; an overview has its
// folder's path.
func pathWords(e *format.Entry) string {
	if e.Role == format.RoleOverview {
		return path.Dir(e.Path)
	}
	if file, _, ok := format.SectionOf(e.Path); ok { // the title is a field of its own
		return strings.TrimSuffix(file, path.Ext(file))
	}
	p := strings.TrimSuffix(strings.TrimSuffix(e.Path, ".md"), ".stub")
	return strings.TrimPrefix(p, "_archived/")
}
