package retrieval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSegmentsKeepTallies writes tallies as bleve's frequencies and reads them back:
// the smallest, which bleve writes in a form of its own, the
// largest, and terms of one document and of all.
func TestSegmentsKeepTallies(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const documents = 3000 // more than bleve decodes at once
	special := []tally{1, 2, bodyAlone, bodyAlone + 1, 1 << 16, math.MaxUint32 >> 1, math.MaxUint32}
	docs := make([][]termTally, documents)
	want := map[string][]hit{}
	put := func(n int, term string, v tally) {
		docs[n] = append(docs[n], termTally{term, v})
		want[term] = append(want[term], hit{uint32(n), v})
	}
	for n := range docs {
		put(n, "everywhere", tally(n+1))
		put(n, fmt.Sprintf("only%d", n), special[n%len(special)])
		if n == 7 {
			for i := range 2 * maxTermMemory {
				put(n, fmt.Sprintf("crowd%d", i), 1)
			}
		}
		if n%5 == 0 {
			put(n, "令牌", special[r.IntN(len(special))])
		}
		if n%17 == 0 { // documents without any term lie between
			put(n, "rare", tally(r.Uint32()|1))
		}
	}
	docs[0], docs[documents-1] = nil, nil
	for term, list := range want {
		want[term] = slices.DeleteFunc(list, func(h hit) bool { return h.doc == 0 || h.doc == documents-1 })
	}
	data, err := newSegment(docs)
	if err != nil {
		t.Fatal(err)
	}
	s, err := openSegment(data, documents)
	if err != nil {
		t.Fatal(err)
	}
	b := &base{parts: []basePart{{s, data, 0}, {s, data, documents}}, size: 2 * documents, lists: newLists()}
	for term, once := range want {
		n, err := b.count(term)
		if err != nil || n != 2*len(once) {
			t.Fatalf("%s in %d, want %d (%v)", term, n, 2*len(once), err)
		}
		got, err := b.list(term)
		if err != nil {
			t.Fatal(err)
		}
		for i, h := range got {
			h.doc -= uint32(i / len(once) * documents)
			if h != once[i%len(once)] {
				t.Fatalf("%s: %v, want %v", term, h, once[i%len(once)])
			}
		}
		if n, _ := b.count(term); n != len(got) {
			t.Fatalf("%s: count changed", term)
		}
	}
	if list, err := b.list("nowhere"); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
	terms := 0
	if err := b.walk("only", "onlz", nil, func(term string) bool { terms++; return strings.HasPrefix(term, "only") }); err != nil ||
		terms != 2*(documents-2) {
		t.Errorf("walk visits %d terms (%v)", terms, err)
	}
	if _, bytes := b.lists.Size(); bytes > listMemory {
		t.Errorf("%d bytes of lists", bytes)
	}
	if _, err := openSegment(data, documents+1); err == nil {
		t.Error("a segment of another number of documents is taken")
	}
}
