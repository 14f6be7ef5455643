package retrieval

import (
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// A passage is the part of an entry that answers best: whole consecutive blocks (paragraphs, lists, code
// fences) under one heading.

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

// passage is a stretch of an entry's text with its match of a query.
type passage struct {
	at      markdown.Span
	score   float64 // share of the query's idf, occurrences saturated
	held    float64 // the same, for the passage, the entry's summary or one of its questions, whichever has most
	covered float64 // share of the idf of its plain words that occur at all in passage, summary or title
}

// block is a paragraph, a group of list items or a fence.
type block struct {
	at    markdown.Span
	opens bool // starts with a heading
}

// covers reports whether a span includes another one.
func covers(at, inner markdown.Span) bool { return at.Start <= inner.Start && inner.End <= at.End }

// outline lists the blocks of an entry that passages are made of. It is made when the entry is first examined
// and kept as long as its doc. The body's own terms are not in it: they would take as much memory as the
// text, and searching the few terms of a query is quicker than reading them all (lens.count).
type outline struct {
	said     string // the text without comments
	blocks   []block
	title    []uint32   // hashes of the title's terms; a collision could only move a passage
	headings [][]uint32 // … and of each section's
}

func newOutline(e *format.Entry) *outline {
	o := &outline{said: e.Said(), blocks: blocksOf(e)}
	s := words.Borrow()
	defer s.Return()
	label := func(text string) (out []uint32) {
		s.Scan(text, func(t words.Token) {
			if !t.Stop && t.Kind == words.Plain {
				out = append(out, hash(t.Term))
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
	for _, q := range e.Questions {
		o.headings = append(o.headings, label(q))
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
	which   map[uint32]wordKey // by the term's hash
	wanted  *words.Filter      // of these terms
	counts  []float32          // clauses of each block of the entry at hand
	places  []place            // where it holds them, in order
	sum     []float64
	held    []float64
	before  []int     // per clause, the preceding plain word in the query; -1 for none
	base    []float64 // the title's share in every passage of the entry
}

func newLens(clauses []clause, mass, plain float64) *lens {
	n := len(clauses)
	l := &lens{
		clauses: clauses, mass: mass, plain: plain, which: make(map[uint32]wordKey, n), wanted: new(words.Filter),
		sum: make([]float64, n), held: make([]float64, n), before: make([]int, n), base: make([]float64, n),
	}
	l.order()
	for i, cl := range clauses {
		if !cl.counts {
			continue
		}
		for j, s := range cl.spelling {
			weight := s.weight
			if j == 0 || cl.credit < 1 { // the credit says it all
				weight = 1
			}
			l.stands(s.term, wordKey{i, weight})
		}
		for _, s := range cl.synonyms {
			l.stands(s.term, wordKey{i, s.weight})
		}
	}
	return l
}

// stands records that a term belongs to a word of the query. A term that belongs to several counts for the
// closest one.
func (l *lens) stands(term string, w wordKey) {
	if known, ok := l.which[hash(term)]; !ok || w.weight > known.weight {
		l.which[hash(term)] = w
		l.wanted.Add(term)
	}
}

// best returns the passage of an entry that has most of the query. If the body has no hit, it is the body's
// beginning.
func (l *lens) best(d *doc) passage {
	o := d.outline()
	l.count(d)
	clear(l.base)
	for _, t := range o.title {
		if w, ok := l.which[t]; ok {
			l.base[w.clause] = max(l.base[w.clause], w.weight*titleContext)
		}
	}
	best := passage{at: markdown.Span{Start: d.entry.Body.Start, End: d.entry.Body.Start}, score: -1}
	from, to := 0, 0 // its blocks
	for i, first := range o.blocks {
		copy(l.sum, l.base)
		for j := i; j < min(i+passageBlocks, len(o.blocks)); j++ {
			at := markdown.Span{Start: first.at.Start, End: o.blocks[j].at.End}
			if j > i && (at.End-at.Start > passageSize || o.blocks[j].opens) {
				break
			}
			if score := l.add(j); score > best.score {
				best = passage{at: at, score: score}
				from, to = i, j+1
			}
		}
	}
	best.score = max(0, best.score)
	best.held = best.score
	if d.entry.Summary != "" {
		copy(l.sum, l.base)
		best.held = max(best.held, l.add(len(o.blocks)))
	}
	for i := range d.entry.Questions { // which says a word once
		held, n := 0.0, len(l.clauses)
		for k, count := range l.counts[(len(o.blocks)+1+i)*n:][:n] {
			held += l.worth(k) * min(1, float64(count))
		}
		best.held = max(best.held, held)
	}
	if l.mass > 0 {
		best.score /= l.mass
		best.held /= l.mass
	}
	best.covered = l.covered(len(o.blocks), 1+len(d.entry.Questions), from, to)
	return best
}

// covered is the share of the plain words, by idf, that occur in the title, the summary and the questions
// (rows behind the blocks), or in some blocks of the present entry.
func (l *lens) covered(blocks, behind, from, to int) float64 {
	n, sum := len(l.clauses), 0.0
	for k, cl := range l.clauses {
		if cl.kind != words.Plain {
			continue
		}
		held := l.base[k] / titleContext
		for row := blocks; row < blocks+behind; row++ {
			held = max(held, float64(l.counts[row*n+k]))
		}
		for blk := from; blk < to; blk++ {
			held = max(held, float64(l.counts[blk*n+k]))
		}
		sum += cl.credit * cl.idf * min(1, held)
	}
	return sum / l.plain
}

// heading is the best agreement of a section's title with the query, in idf. As for an entry's title, it
// grows with the share of the query in the title, and falls with other words there.
func (l *lens) heading(d *doc) float64 {
	best := 0.0
	for _, terms := range d.outline().headings {
		clear(l.sum)
		said, hits := 0.0, 0
		for _, t := range terms {
			if w, ok := l.which[t]; ok && l.sum[w.clause] == 0 {
				l.sum[w.clause] = 1
				said += w.weight * l.clauses[w.clause].credit * l.clauses[w.clause].idf
				hits++
			}
		}
		if hits > 0 {
			best = max(best, said*(said/l.plain)*float64(hits)/float64(len(terms)))
		}
	}
	return best
}

// count fills in how often each clause occurs in each block, then in the summary and in each question, and
// the places of these occurrences. The places in the title come first, separate from the rest. The texts of
// links do not count, since they are about another page.
func (l *lens) count(d *doc) {
	e, o, n := d.entry, d.outline(), len(l.clauses)
	l.counts = append(l.counts[:0], make([]float32, n*(len(o.blocks)+1+len(e.Questions)))...)
	l.places = l.places[:0]
	s := words.Borrow()
	defer s.Return()
	row := l.counts
	read := func(text string, from int) {
		links := linksIn(text)
		s.Seek(text, l.wanted, func(t words.Token) {
			for len(links) > 0 && links[0].End <= t.Start {
				links = links[1:]
			}
			if t.Stop || len(links) > 0 && links[0].Start <= t.Start {
				return
			}
			if w, ok := l.which[hash(t.Term)]; ok {
				row[w.clause] += float32(w.weight)
				l.places = append(l.places, place{from + t.Start, from + t.End, w.clause, w.weight})
			}
		})
		row = row[n:]
	}
	titleAt := -len(e.Title) - nearBytes
	s.Seek(e.Title, l.wanted, func(t words.Token) {
		if w, ok := l.which[hash(t.Term)]; ok && !t.Stop && t.Kind == words.Plain {
			l.places = append(l.places, place{titleAt + t.Start, titleAt + t.End, w.clause, w.weight})
		}
	})
	for _, b := range o.blocks {
		read(b.at.Of(o.said), b.at.Start)
	}
	read(e.Summary, len(e.Text)+nearBytes)
	stood := len(l.places)
	for _, q := range e.Questions { // of the places only those in the text and summary count
		read(q, 0)
	}
	l.places = l.places[:stood]
}

// add adds a block to the present passage and returns the passage's score.
func (l *lens) add(blk int) float64 {
	n := len(l.clauses)
	score := 0.0
	for k, count := range l.counts[blk*n : (blk+1)*n] {
		l.sum[k] += float64(count)
		if l.sum[k] > 0 {
			score += l.worth(k) * l.sum[k] / (l.sum[k] + passageK)
		}
	}
	return score
}

// blocksOf cuts an entry's body into blocks: at blank lines outside fences and
// before headings. A heading belongs to the block that follows it.
func blocksOf(e *format.Entry) []block {
	headings := map[int]bool{}
	for _, s := range e.Sections {
		headings[s.Heading.Start] = true
	}
	c := cutter{text: e.Text[:e.Body.End]}
	for _, l := range markdown.Split(c.text, e.Body.Start) {
		at, heading := l.At.Start, headings[l.At.Start]
		if l.Fence == markdown.Comment {
			c.flush()
			continue
		}
		c.code = l.Fence == markdown.FenceText || l.Fence == markdown.Indented
		for l.At.End-at > blockSize {
			cut := at + cutLine(e.Text[at:l.At.End])
			c.line(at, cut, heading)
			c.flush()
			at, heading = cut, false
		}
		c.line(at, l.At.End, heading)
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
	code   bool // the line is code
}

func (c *cutter) line(start, end int, heading bool) {
	line := strings.TrimSpace(c.text[start:end])
	switch {
	case heading:
		c.flush()
		c.open = block{at: markdown.Span{Start: start, End: end}, opens: true}
		return
	case line == "" && !c.code:
		if c.filled && len(c.out) < maxBlocks {
			c.flush()
		}
		return
	case c.open.at.End > c.open.at.Start && end-c.open.at.Start > blockSize:
		c.flush()
	}
	if c.open.at.End == c.open.at.Start {
		c.open.at.Start = start
	}
	c.open.at.End = end
	c.filled = true
}

func (c *cutter) flush() {
	if c.open.at.End > c.open.at.Start {
		c.open.at.End = c.open.at.Start + len(strings.TrimRight(c.open.at.Of(c.text), "\r\n"))
		c.out = append(c.out, c.open)
	}
	c.open, c.filled = block{}, false
}
