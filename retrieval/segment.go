package retrieval

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	zap "github.com/blevesearch/zapx/v17"
)

// A segment is the unit in which bleve keeps postings: a dictionary of terms (a finite state transducer,
// which can be searched by prefix and by edit distance) and for each term a compressed list of documents and
// frequencies. Segments are used without the index that bleve builds around them (package scorch), which
// keeps its root in a database file that a writer locks, and maps segments into memory, where a damaged file
// is a fault. A segment in memory has neither problem, and is built faster: 3.8 processor seconds for the
// terms of 23,867 entries, while scorch takes 4.1 in memory, 4.9 with its offline builder, and 5.7 on disk
// with its segments merged into one (own measurement, one run after the other).

// termsField is the one field of our segments: what bleve takes for a frequency is
// a [tally].
const termsField = "t"

// newSegment makes a segment of the terms of documents, whose numbers count from 0,
// as the bytes that [openSegment] opens.
func newSegment(docs [][]termTally) ([]byte, error) {
	in := &segmentInput{docs: docs, terms: index.TokenFrequencies{}}
	list := make([]index.Document, len(docs))
	for i := range docs {
		list[i] = numberedDocument{in, i}
	}
	s, size, err := (&zap.ZapPlugin{}).New(list)
	if err != nil {
		return nil, fmt.Errorf("search index: %w", err)
	}
	w, ok := s.(io.WriterTo)
	if !ok {
		return nil, errSegment
	}
	// Bleve's own buffer is up to twice as large as what it holds.
	b := bytes.NewBuffer(make([]byte, 0, size+segmentFooter))
	_, err = w.WriteTo(b)
	return b.Bytes(), err
}

// segmentInput hands documents to bleve one at a time. Bleve goes over them twice,
// one after the other and each time asking for its terms, so that one map can be
// used for all: the maps of a thousand documents are larger than their texts.
type segmentInput struct {
	docs  [][]termTally
	terms index.TokenFrequencies
	slab  []index.TokenFreq
}

func (in *segmentInput) fill(n int) index.TokenFrequencies {
	if len(in.terms) > maxTermMemory {
		in.terms, in.slab = index.TokenFrequencies{}, nil
	}
	clear(in.terms)
	if len(in.slab) < len(in.docs[n]) {
		in.slab = make([]index.TokenFreq, 2*len(in.docs[n]))
	}
	for i, t := range in.docs[n] {
		in.slab[i].SetFrequency(int(t.tally))
		in.terms[t.term] = &in.slab[i]
	}
	return in.terms
}

// numberedDocument is a document without a name: its number is known.
type numberedDocument struct {
	in *segmentInput
	n  int
}

func (d numberedDocument) VisitFields(visit index.FieldVisitor) {
	visit(namelessID{})
	visit(termField(d))
}

func (d numberedDocument) ID() string                                 { return "" }
func (d numberedDocument) Size() int                                  { return 0 }
func (d numberedDocument) VisitComposite(index.CompositeFieldVisitor) {}
func (d numberedDocument) HasComposite() bool                         { return false }
func (d numberedDocument) NumPlainTextBytes() uint64                  { return 0 }
func (d numberedDocument) AddIDField()                                {}
func (d numberedDocument) StoredFieldsBytes() uint64                  { return 0 }
func (d numberedDocument) Indexed() bool                              { return true }

// termField is a document's terms as bleve's field.
type termField numberedDocument

func (f termField) AnalyzedTokenFrequencies() index.TokenFrequencies { return f.in.fill(f.n) }

// AnalyzedLength becomes bleve's norm, which is not used here. It must not be 0:
// segments tell a certain kind of list by that.
func (f termField) AnalyzedLength() int { return 1 }

func (f termField) Analyze()                            {}
func (f termField) Name() string                        { return termsField }
func (f termField) Value() []byte                       { return nil }
func (f termField) ArrayPositions() []uint64            { return nil }
func (f termField) EncodedFieldType() byte              { return 't' }
func (f termField) Options() index.FieldIndexingOptions { return index.IndexField }
func (f termField) NumPlainTextBytes() uint64           { return 0 }

// namelessID is the field that bleve keeps a document's name in.
type namelessID struct{}

func (namelessID) Analyze()                                         {}
func (namelessID) Name() string                                     { return "_id" }
func (namelessID) Value() []byte                                    { return nil }
func (namelessID) ArrayPositions() []uint64                         { return nil }
func (namelessID) EncodedFieldType() byte                           { return 't' }
func (namelessID) Options() index.FieldIndexingOptions              { return index.StoreField }
func (namelessID) AnalyzedLength() int                              { return 0 }
func (namelessID) AnalyzedTokenFrequencies() index.TokenFrequencies { return nil }
func (namelessID) NumPlainTextBytes() uint64                        { return 0 }

// A segment as bytes ends in a footer (zap version 17):
//
//	writer's name, its length u32 = 0 | documents u64 | stored index u64 |
//	sections index u64 | chunk mode u32 | version u32 | CRC-32 u32      (big endian)
const segmentFooter = 4 + 3*8 + 3*4

var errSegment = errors.New("not an index segment of this version")

// openSegment opens a segment that must hold so many documents. The bytes must be
// those that newSegment made, which the caller has checked, and stay unchanged.
func openSegment(data []byte, documents int) (s segment.Segment, err error) {
	if len(data) < segmentFooter {
		return nil, errSegment
	}
	body := data[:len(data)-segmentFooter]
	foot := data[len(body):]
	be := binary.BigEndian
	count, stored, sections := be.Uint64(foot[4:]), be.Uint64(foot[12:]), be.Uint64(foot[20:])
	chunks, version, crc := be.Uint32(foot[28:]), be.Uint32(foot[32:]), be.Uint32(foot[36:])
	size := uint64(len(body))
	if be.Uint32(foot) != 0 || version != zap.Version || count != uint64(documents) || stored >= size || sections >= size {
		return nil, errSegment
	}
	defer func() { recovered(&err, recover()) }()
	return zap.InitSegmentBase(body, crc, chunks, count, stored, sections, nil, new(segment.Stats))
}

// recovered makes an error of what a panic in the reading of a segment left.
func recovered(err *error, left any) {
	if left != nil {
		*err = fmt.Errorf("search index: %v", left)
	}
}
