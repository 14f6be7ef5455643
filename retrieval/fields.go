package retrieval

import (
	"path"
	"strings"
	"sync"

	"github.com/blevesearch/bleve/v2/document"

	"github.com/brv-lsp/brv-lsp/tree"
)

// field numbers the fields an entry is indexed under.
type field int

const (
	fieldTitle field = iota
	fieldSummary
	fieldLabels // keywords and tags
	fieldHeadings
	fieldPath
	fieldFiles // paths that the entry says it is about
	fieldBody
	numFields
)

// fieldNames are the fields' names in bleve and in explanations.
var fieldNames = [numFields]string{"title", "summary", "labels", "headings", "path", "files", "body"}

// prose tells the fields that are sentences, where stop words carry nothing. The
// others keep them, so that an entry called "What is it" has a name.
var prose = [numFields]bool{fieldSummary: true, fieldHeadings: true, fieldBody: true}

// joined tells the fields that are also indexed with their words joined, so that
// derivable-traits finds "Derivable traits".
var joined = [numFields]bool{fieldTitle: true, fieldLabels: true, fieldHeadings: true}

// lengths are an entry's true field lengths in tokens. Bleve keeps only a
// quantised norm, so they stand beside it.
type lengths [numFields]int32

// doc is one indexed entry. It is immutable once its batch is done.
type doc struct {
	entry  *tree.Entry
	len    lengths
	titles []string // the distinct terms of the title that are no stop words
	texts  []*text  // until the batch is done

	outline func() *outline
}

// newDoc prepares an entry for bleve. The analysis itself happens in bleve's
// workers; finish collects what it found.
func newDoc(e *tree.Entry) (*doc, *document.Document) {
	d := &doc{entry: e, outline: sync.OnceValue(func() *outline { return newOutline(e) })}
	bd := document.NewDocument(e.Path)
	for f, content := range fieldTexts(e) {
		if content != "" {
			t := &text{field: field(f), content: content}
			d.texts = append(d.texts, t)
			bd.AddField(t)
		}
	}
	return d, bd
}

// finish reads the lengths off the analysed fields and lets go of them.
func (d *doc) finish() {
	for _, t := range d.texts {
		d.len[t.field] = int32(t.length)
	}
	d.texts = nil
	seen := map[string]bool{}
	forEachToken(d.entry.Title, func(t token) {
		if !t.stop && t.kind == wordPlain && !seen[t.term] {
			seen[t.term] = true
			d.titles = append(d.titles, strings.Clone(t.term))
		}
	})
}

// fieldTexts are the texts of an entry's fields. Frontmatter is no text: what it
// says comes in through the fields it fills.
func fieldTexts(e *tree.Entry) [numFields]string {
	var headings, files strings.Builder
	for _, s := range e.Sections {
		headings.WriteString(s.Title)
		headings.WriteByte('\n')
	}
	for _, f := range e.Files {
		files.WriteString(f.Path)
		files.WriteByte('\n')
	}
	return [numFields]string{
		fieldTitle:    e.Title,
		fieldSummary:  e.Summary,
		fieldLabels:   strings.Join(e.Keywords, "\n") + "\n" + strings.Join(e.Tags, "\n"),
		fieldHeadings: headings.String(),
		fieldPath:     pathWords(e),
		fieldFiles:    files.String(),
		fieldBody:     e.Body.Of(e.Text),
	}
}

// pathWords is an entry's path without what its name's ending only says about
// its kind; an overview stands for its folder.
func pathWords(e *tree.Entry) string {
	if e.Role == tree.RoleOverview {
		return path.Dir(e.Path)
	}
	p := strings.TrimSuffix(strings.TrimSuffix(e.Path, ".md"), ".stub")
	return strings.TrimPrefix(p, "_archived/")
}

func forEachToken(text string, emit func(token)) {
	s := scanners.Get().(*scanner)
	defer scanners.Put(s)
	s.scan(text, emit)
}
