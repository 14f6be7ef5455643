package retrieval

import (
	index "github.com/blevesearch/bleve_index_api"
)

// text is one field of one entry as bleve indexes it. Its Analyze, which bleve
// calls in its workers, counts terms straight into what bleve's segments are made
// of. That needs no registry of analyzers, and building an index allocates less
// than half of what it does by way of bleve's token streams (own measurement).
// Neither text nor positions nor document values are stored.
type text struct {
	field   field
	content string
	length  int // in tokens
	terms   index.TokenFrequencies
}

// Analyze implements [index.Field].
func (t *text) Analyze() {
	t.terms = make(index.TokenFrequencies, 8+len(t.content)/32)
	var slab []index.TokenFreq // made in blocks: one allocation for many
	add := func(tok token) {
		if tok.stop && prose[t.field] {
			return
		}
		t.length++
		f := t.terms[tok.term]
		if f == nil {
			if len(slab) == cap(slab) {
				slab = make([]index.TokenFreq, 0, min(128, 8+len(t.content)/32))
			}
			slab = append(slab, index.TokenFreq{Term: []byte(tok.term)})
			f = &slab[len(slab)-1]
			t.terms[string(f.Term)] = f // an own copy: a term may alias the text
		}
		f.SetFrequency(f.Frequency() + 1)
	}
	s := scanners.Get().(*scanner)
	defer scanners.Put(s)
	s.scan(t.content, add)
	if joined[t.field] {
		s.joinLines(t.content, add)
	}
	t.content = ""
}

// The rest of [index.Field].

func (t *text) Name() string                                     { return fieldNames[t.field] }
func (t *text) Options() index.FieldIndexingOptions              { return index.IndexField }
func (t *text) AnalyzedLength() int                              { return t.length }
func (t *text) AnalyzedTokenFrequencies() index.TokenFrequencies { return t.terms }
func (t *text) EncodedFieldType() byte                           { return 't' }
func (t *text) ArrayPositions() []uint64                         { return nil }
func (t *text) Value() []byte                                    { return nil }
func (t *text) NumPlainTextBytes() uint64                        { return uint64(len(t.content)) }
func (t *text) Size() int                                        { return len(t.content) }
