package retrieval

import (
	"slices"
	"strings"
	"sync"
)

// delta holds the postings of what came after the base. It only grows: documents
// get numbers behind the base's, rising, so that of two indexes over one delta the
// older is told from the newer by the numbers it knows. Documents that were changed
// again stay in it until the next base.
type delta struct {
	mu      sync.RWMutex // guards what follows; lists once stored do not change below their length
	lists   map[string][]hit
	byFirst [256][]string // the terms by their first byte
}

func newDelta() *delta { return &delta{lists: map[string][]hit{}} }

// add adds a document whose number is higher than all before.
func (d *delta) add(n uint32, terms []termTally) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range terms {
		list, ok := d.lists[t.term]
		if !ok {
			t.term = strings.Clone(t.term) // it may alias an entry's text
			d.byFirst[t.term[0]] = append(d.byFirst[t.term[0]], t.term)
		}
		d.lists[t.term] = append(list, hit{n, t.tally})
	}
}

// list returns the postings of a term in documents below a number.
func (d *delta) list(term string, below uint32) []hit {
	d.mu.RLock()
	list := d.lists[term]
	d.mu.RUnlock()
	end := len(list)
	for end > 0 && list[end-1].doc >= below {
		end--
	}
	return list[:end:end]
}

// starting lists the terms that start with a byte, in no order.
func (d *delta) starting(first byte) []string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return slices.Clip(d.byFirst[first])
}
