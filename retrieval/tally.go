package retrieval

// tally is how often an entry has a term, in every field at once: a small counter for each field in one
// number. So one posting has everything that BM25F needs; separate postings for each field would need a list,
// a dictionary and a walk each.
//
// Counters stop at their highest value. BM25F saturates a term's occurrences long before that, so the loss
// hardly affects a score.
type tally uint32

// tallyBits is the width of each field's counter. The body's counter is the lowest: most terms occur only in
// the body, and bleve's segments store small numbers in few bytes. Of the postings of four sets (3.1 million)
// 1 in 20,000 or fewer overflowed, nearly all in headings, and no figure of bench/retrieval changed by more
// than 0.001.
var tallyBits = [numFields]uint{
	fieldTitle: 3, fieldSummary: 3, fieldLabels: 3, fieldHeadings: 5, fieldPath: 3, fieldFiles: 4, fieldBody: 11,
}

// bodyAlone is the highest tally of a term that only the body holds.
const bodyAlone = 1<<11 - 1

// tallyShift is where each field's counter stands.
var tallyShift = func() (shift [numFields]uint) {
	at := tallyBits[fieldBody]
	for f := range fieldBody {
		shift[f] = at
		at += tallyBits[f]
	}
	return shift
}()

// count is the number of occurrences in a field.
func (t tally) count(f field) int {
	return int(t >> tallyShift[f] & (1<<tallyBits[f] - 1))
}

// plus counts one more occurrence in a field.
func (t tally) plus(f field) tally {
	if t.count(f) == 1<<tallyBits[f]-1 {
		return t
	}
	return t + 1<<tallyShift[f]
}

// hit is one posting: an entry's document number and what it holds of the term.
type hit struct {
	doc   uint32
	tally tally
}
