package retrieval

import (
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/tree"
)

// A passage is the part of an entry that answers best: whole blocks (paragraphs,
// lists, code fences) that stand together under one heading.

// passageSize is the size a passage may grow to, in bytes (the excerpt length of
// the reference system). A single block may be larger up to blockSize, where it
// is cut at a line's end.
//
// Behind maxBlocks blank lines no longer cut, and a passage has at most
// passageBlocks blocks: an entry of a million empty lines must cost no more than
// an ordinary one.
const (
	passageSize   = 800
	blockSize     = 1200
	maxBlocks     = 4096
	passageBlocks = 24
)

// passageK saturates a word's occurrences within a passage.
const passageK = 0.6

// passage is a stretch of an entry's text with what it holds of a query.
type passage struct {
	at    tree.Span
	score float64 // share of the query's idf, occurrences saturated
	held  float64 // the same, of the passage or the entry's summary, whichever holds more
}

// block is a paragraph, a group of list items or a fence.
type block struct {
	at       tree.Span
	opens    bool // starts with a heading
	from, to int  // its terms in the outline
}

// outline is an entry's text as passages are chosen from it. It is made when the
// entry is first looked at closely and kept as long as its doc.
type outline struct {
	blocks   []block
	title    []uint32   // the terms of the entry's title
	summary  block      // stands in the frontmatter: a passage, but none to show
	headings [][]uint32 // … and of each section's
	terms    []uint32   // hashes of the terms in order; a collision could only move a passage
}

func newOutline(e *tree.Entry) *outline {
	o := &outline{blocks: blocksOf(e)}
	s := scanners.Get().(*scanner)
	defer scanners.Put(s)
	read := func(b *block, text string) {
		b.from = len(o.terms)
		s.scan(text, func(t token) {
			if !t.stop {
				o.terms = append(o.terms, hash(t.term))
			}
		})
		b.to = len(o.terms)
	}
	for i := range o.blocks {
		read(&o.blocks[i], o.blocks[i].at.Of(e.Text))
	}
	read(&o.summary, e.Summary)
	label := func(text string) (out []uint32) {
		s.scan(text, func(t token) {
			if !t.stop && t.kind == wordPlain {
				out = append(out, hash(t.term))
			}
		})
		return out
	}
	o.title = label(e.Title)
	for _, sec := range e.Sections {
		if sec.Title != e.Title { // else it would count twice
			o.headings = append(o.headings, label(sec.Title))
		}
	}
	return o
}

// hash is 32-bit FNV-1a.
func hash(term string) uint32 {
	h := uint32(2166136261)
	for i := range len(term) {
		h = (h ^ uint32(term[i])) * 16777619
	}
	return h
}

// lens finds passages for one query.
type lens struct {
	clauses []clause
	mass    float64
	plain   float64
	which   map[uint32]int // term → clause
	counts  []uint16       // clauses of each block of the entry at hand
	sum     []float64
	base    []float64 // what every passage of the entry has from its title
}

func newLens(clauses []clause, mass, plain float64) *lens {
	l := &lens{clauses: clauses, mass: mass, plain: plain, which: make(map[uint32]int, len(clauses)), sum: make([]float64, len(clauses)), base: make([]float64, len(clauses))}
	for i, cl := range clauses {
		for _, s := range cl.spelling {
			if _, ok := l.which[hash(s.term)]; !ok && cl.counts {
				l.which[hash(s.term)] = i
			}
		}
	}
	return l
}

// best returns the passage of an entry that holds most of the query. Without any
// hit in the body it is the body's beginning.
func (l *lens) best(d *doc) passage {
	o := d.outline()
	l.count(o)
	clear(l.base)
	for _, t := range o.title {
		if k, ok := l.which[t]; ok {
			l.base[k] = titleContext
		}
	}
	best := passage{at: tree.Span{Start: d.entry.Body.Start, End: d.entry.Body.Start}, score: -1}
	for i, first := range o.blocks {
		copy(l.sum, l.base)
		for j := i; j < min(i+passageBlocks, len(o.blocks)); j++ {
			at := tree.Span{Start: first.at.Start, End: o.blocks[j].at.End}
			if j > i && (at.End-at.Start > passageSize || o.blocks[j].opens) {
				break
			}
			if score := l.add(j); score > best.score {
				best = passage{at: at, score: score}
			}
		}
	}
	best.score = max(0, best.score)
	best.held = best.score
	if o.summary.to > o.summary.from {
		copy(l.sum, l.base)
		best.held = max(best.held, l.add(len(o.blocks)))
	}
	if l.mass > 0 {
		best.score /= l.mass
		best.held /= l.mass
	}
	return best
}

// heading is the agreement of the best section title with the query, in idf: as
// for an entry's title, the more of the query it says and the less else, the more.
func (l *lens) heading(d *doc) float64 {
	best := 0.0
	for _, terms := range d.outline().headings {
		clear(l.sum)
		said, hits := 0.0, 0
		for _, t := range terms {
			if k, ok := l.which[t]; ok && l.sum[k] == 0 {
				l.sum[k] = 1
				said += l.clauses[k].credit * l.clauses[k].idf
				hits++
			}
		}
		if hits > 0 {
			best = max(best, said*(said/l.plain)*float64(hits)/float64(len(terms)))
		}
	}
	return best
}

// count fills in how often each block, and last the summary, holds each clause.
func (l *lens) count(o *outline) {
	n := len(l.clauses)
	l.counts = append(l.counts[:0], make([]uint16, n*(len(o.blocks)+1))...)
	read := func(i int, b block) {
		for _, t := range o.terms[b.from:b.to] {
			if k, ok := l.which[t]; ok {
				l.counts[i*n+k]++
			}
		}
	}
	for i, b := range o.blocks {
		read(i, b)
	}
	read(len(o.blocks), o.summary)
}

// add puts a block into the passage at hand and returns the passage's score.
func (l *lens) add(blk int) float64 {
	n := len(l.clauses)
	score := 0.0
	for k, count := range l.counts[blk*n : (blk+1)*n] {
		l.sum[k] += float64(count)
		if l.sum[k] > 0 {
			score += l.clauses[k].credit * l.clauses[k].value() * l.sum[k] / (l.sum[k] + passageK)
		}
	}
	return score
}

// blocksOf cuts an entry's body into blocks: at blank lines outside fences and
// before headings. A heading belongs to the block that follows it.
func blocksOf(e *tree.Entry) []block {
	headings := map[int]bool{}
	for _, s := range e.Sections {
		headings[s.Heading.Start] = true
	}
	c := cutter{text: e.Text}
	for at := e.Body.Start; at < e.Body.End; {
		end := e.Body.End
		if i := strings.IndexByte(e.Text[at:end], '\n'); i >= 0 {
			end = at + i + 1
		}
		heading := headings[at]
		for end-at > blockSize {
			cut := at + cutLine(e.Text[at:end])
			c.line(at, cut, heading)
			c.flush()
			at, heading = cut, false
		}
		c.line(at, end, heading)
		at = end
	}
	c.flush()
	return c.out
}

// cutLine is where a line longer than a block is cut: behind the last space that
// fits, else between two characters.
func cutLine(line string) int {
	if i := strings.LastIndexByte(line[:blockSize], ' '); i > blockSize/2 {
		return i + 1
	}
	n := blockSize
	for n > blockSize-utf8.UTFMax && !utf8.RuneStart(line[n]) {
		n--
	}
	return n
}

// cutter collects lines into blocks.
type cutter struct {
	text   string
	out    []block
	open   block
	filled bool // the open block has a line that is no heading
	fenced bool
}

func (c *cutter) line(start, end int, heading bool) {
	line := strings.TrimSpace(c.text[start:end])
	switch {
	case heading:
		c.flush()
		c.open = block{at: tree.Span{Start: start, End: end}, opens: true}
		return
	case line == "" && !c.fenced:
		if c.filled && len(c.out) < maxBlocks {
			c.flush()
		}
		return
	case c.open.at.End > c.open.at.Start && end-c.open.at.Start > blockSize:
		c.flush()
	}
	if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
		c.fenced = !c.fenced
	}
	if c.open.at.End == c.open.at.Start {
		c.open.at.Start = start
	}
	c.open.at.End = start + len(strings.TrimRight(c.text[start:end], "\r\n"))
	c.filled = true
}

func (c *cutter) flush() {
	if c.open.at.End > c.open.at.Start {
		c.open.at.End = c.open.at.Start + len(strings.TrimRight(c.open.at.Of(c.text), "\r\n"))
		c.out = append(c.out, c.open)
	}
	c.open, c.filled = block{}, false
}
