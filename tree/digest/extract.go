package digest

import (
	"math"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Shares of a summary's budget, and what one part of it may take. Judged by
// reading the summaries of the sample trees: under 20 % the names that a search
// begins with are missing, over it they crowd out what the entries say.
const (
	shareOfNames = 0.2
	shareOfHeads = 0.8  // of a condensed folder, for the titles of what it holds
	shareOfLeads = 0.75 // of what the names of the children leave
	maxLead      = 240  // bytes, some 60 tokens
	maxTitle     = 120  // bytes
	minLead      = 32   // bytes: a shorter beginning of a sentence says nothing
	perPart      = 4    // tokens of bullet, indentation and line end
)

// Writer is a folder's summary in the making.
type Writer struct {
	words   *lexicon
	intro   *source // of its context.md; nil if there is none
	sources []*source
}

// New begins the summary of a folder with some children.
func New(children int) *Writer { return &Writer{words: newLexicon(children)} }

// AddEntry adds an entry of the folder, in the order of its children.
func (d *Writer) AddEntry(e *format.Entry) { d.sources = append(d.sources, d.entrySource(e)) }

// AddFolder adds a folder in it with the text of its summary.
func (d *Writer) AddFolder(name, body string) {
	d.sources = append(d.sources, d.folderSource(name, body))
}

// SetOverview gives it the folder's own context.md, with which it begins.
func (d *Writer) SetOverview(e *format.Entry) { d.intro = d.overviewSource(e) }

// choice holds the statements of a digest in a budget.
type choice struct {
	detailed bool // each child has a line; else they are listed by short names
	listed   int  // how many are named at all
	leads    []string
	heads    []int
	parts    [][]int // by source: indexes, ascending
	intro    []int
	names    [][]string
}

// Text writes the digest in about budget tokens, and never over limit, with its
// size. Only the bare list of the children's names may need more than the budget.
func (d *Writer) Text(budget, limit int) (body string, size int) {
	d.settle()
	scale := 1.0
	for range 8 {
		body = d.render(d.choose(int(scale*float64(min(budget, limit))), int(scale*float64(limit))))
		if size = tokens.Estimate(body); size <= limit {
			return body, size
		}
		scale *= 0.95 * float64(limit) / float64(size)
	}
	return "", 0
}

// choose spends a budget: first every child's name, then the leads, the titles of
// what folders hold, the passages that say most that is new, and names.
func (d *Writer) choose(budget, limit int) choice {
	c := choice{leads: make([]string, len(d.sources)), heads: make([]int, len(d.sources)), parts: make([][]int, len(d.sources)),
		names: make([][]string, len(d.sources))}
	left := budget
	if d.intro != nil {
		left -= tokens.Estimate(d.intro.lead) + perPart
	}
	long := d.chooseNaming(&c, left, limit-(budget-left))
	if !c.detailed {
		return c
	}
	left = d.chooseLeads(&c, left-long)
	left = d.chooseHeads(&c, left)
	forNames := min(int(shareOfNames*float64(budget)), left)
	left = d.chooseParts(&c, left-forNames)
	d.chooseNames(&c, left+forNames)
	return c
}

// chooseNaming gives each child its line if that fits the budget, and returns what
// the lines cost. Else short names are listed in the order of paths, as many as
// fit the limit.
func (d *Writer) chooseNaming(c *choice, budget, limit int) (cost int) {
	c.listed = len(d.sources)
	for _, s := range d.sources {
		if cost += tokens.Estimate(s.name) + perPart; cost > budget {
			break
		}
	}
	if c.detailed = cost <= budget; c.detailed {
		return cost
	}
	limit -= 2 * perPart // for "and 9,999 more"
	for i, s := range d.sources {
		if limit -= tokens.Estimate(s.short) + 1; limit < 0 {
			c.listed = i
			break
		}
	}
	return cost
}

// chooseLeads gives each child its lead, shortened alike where all do not fit.
func (d *Writer) chooseLeads(c *choice, budget int) (left int) {
	for n := maxLead; n >= minLead; n -= n / 6 {
		cost := 0.0
		for _, s := range d.sources {
			cost += float64(min(len(s.lead), n)) * s.perByte
		}
		if cost > shareOfLeads*float64(budget) {
			continue
		}
		for i, s := range d.sources {
			c.leads[i] = clip(s.lead, n)
		}
		return budget - int(math.Ceil(cost))
	}
	return budget
}

// chooseHeads gives the folders in turn the titles of what they hold.
func (d *Writer) chooseHeads(c *choice, budget int) (left int) {
	spent, limit := 0, int(shareOfHeads*float64(budget))
	open := true
	for round := 0; open; round++ {
		open = false
		for i, s := range d.sources {
			if c.heads[i] < round || round >= len(s.heads) {
				continue
			}
			cost := tokens.Estimate(s.heads[round]) + 1
			if round == 0 {
				cost += perPart
			}
			if spent+cost > limit {
				continue
			}
			spent += cost
			c.heads[i]++
			open = true
		}
	}
	return budget - spent
}

// chooseParts picks the passages.
func (d *Writer) chooseParts(c *choice, budget int) (left int) {
	picked, left := d.pick(d.coveredBy(c), budget)
	c.intro, c.parts = picked[0], picked[1:]
	return left
}

// pick takes, as long as one fits, the passage with the most weight of terms not
// said yet for its tokens. A source that has said much waits. The indexes of the
// picked parts are by source and ascending; those of the intro come first.
func (d *Writer) pick(said covered, budget int) (picked [][]int, left int) {
	picked = make([][]int, len(d.sources)+1)
	parts := d.candidates()
	bound := make([]float64, len(parts))
	for i := range bound {
		bound[i] = math.Inf(1)
	}
	for {
		best, at := 0.0, -1
		for i, p := range parts {
			if bound[i] <= best || p.tokens > budget {
				continue // what a passage adds only falls
			}
			bound[i] = d.gain(p, said.terms) / float64(1+len(picked[p.source])) / float64(p.tokens+perPart)
			if bound[i] > best {
				best, at = bound[i], i
			}
		}
		if at < 0 {
			break
		}
		p := parts[at]
		bound[at] = 0
		if said.add(p.text, p.terms) {
			budget -= p.tokens
			picked[p.source] = append(picked[p.source], p.index)
		}
	}
	for _, indexes := range picked {
		slices.Sort(indexes)
	}
	return picked, budget
}

// candidate is a part with its place.
type candidate struct {
	part
	source int // 0 is the intro
	index  int
}

func (d *Writer) candidates() []candidate {
	var out []candidate
	for i, s := range append([]*source{d.intro}, d.sources...) {
		if s == nil {
			continue
		}
		for k, p := range s.parts {
			out = append(out, candidate{p, i, k})
		}
	}
	return out
}

func (d *Writer) gain(p candidate, said []bool) float64 {
	sum := 0.0
	for _, t := range p.terms {
		if !said[t] {
			sum += d.words.weights[t]
		}
	}
	return sum * p.worth
}

// covered holds the statements that a summary has already.
type covered struct {
	lines map[string]bool
	terms []bool // by id
}

func (d *Writer) silence() covered {
	return covered{map[string]bool{}, make([]bool, len(d.words.counts))}
}

// add takes a line up; false if it is there.
func (s covered) add(line string, terms []int32) bool {
	key := comparableLine(line)
	if s.lines[key] {
		return false
	}
	s.lines[key] = true
	for _, t := range terms {
		s.terms[t] = true
	}
	return true
}

// coveredBy collects names, leads and titles; a sentence of a lead is not said again.
func (d *Writer) coveredBy(c *choice) covered {
	out := d.silence()
	say := func(s string) {
		for _, sentence := range markdown.Sentences(s) {
			out.add(sentence, d.words.known(sentence))
		}
	}
	if d.intro != nil {
		say(d.intro.lead)
	}
	for i, s := range d.sources {
		out.add(s.name, d.words.known(s.name))
		say(c.leads[i])
		for _, h := range s.heads[:c.heads[i]] {
			say(h)
		}
	}
	return out
}

// chooseNames gives the sources in turn the most telling name that their text does
// not show.
func (d *Writer) chooseNames(c *choice, budget int) {
	type queue struct {
		shown string
		names []string
	}
	queues := make([]queue, len(d.sources))
	for i, s := range d.sources {
		var b strings.Builder
		d.renderSource(&b, s, c, i)
		queues[i] = queue{b.String(), s.names()}
	}
	taken := map[string]bool{}
	for open := true; open; {
		open = false
		for i := range queues {
			q := &queues[i]
			for len(q.names) > 0 && (taken[q.names[0]] || strings.Contains(q.shown, q.names[0])) {
				q.names = q.names[1:]
			}
			if len(q.names) == 0 {
				continue
			}
			cost := tokens.Estimate(q.names[0]) + 1
			if len(c.names[i]) == 0 {
				cost += perPart
			}
			if cost > budget {
				continue
			}
			budget -= cost
			taken[q.names[0]] = true
			c.names[i] = append(c.names[i], q.names[0])
			q.names, open = q.names[1:], true
		}
	}
}
