package curate

import (
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	terms "github.com/brv-lsp/brv-lsp/retrieval/words"
)

// heading is what a topic calls itself: words of its name, and of the titles, summaries and
// tags of its entries, with how much each is of it.
type heading struct {
	dir   string
	name  []string // the words of its name that say something
	words map[string]float64
}

// How much of a topic's heading a word is: of its name, of its domain's, of the titles of all
// its entries, of their summaries and tags. Of a word that few of the entries have it is less,
// with the fourth root of their share: else a topic of many entries would be about anything.
// All figures of this file: bench/curate with 375 judged commits of click, httpx, cobra and this
// project; 44 of them only checked.
const (
	inName    = 1.0
	inDomain  = 0.3
	inTitle   = 0.8
	inSummary = 0.2
)

// topicHeadings are those of all topics, by name; made at the first call.
func (k *known) topicHeadings() []heading {
	if k.headings != nil {
		return k.headings
	}
	type counts struct {
		entries        float64
		titles, others map[string]float64
	}
	all := map[string]*counts{}
	for _, e := range k.entries {
		dir := path.Dir(e.Path)
		if !strings.Contains(dir, "/") {
			continue
		}
		c := all[dir]
		if c == nil {
			c = &counts{titles: map[string]float64{}, others: map[string]float64{}}
			all[dir] = c
		}
		c.entries++
		for _, w := range stems(e.Title) {
			c.titles[w]++
		}
		for _, w := range stems(e.Summary + " " + strings.Join(e.Tags, " ") + " " + strings.Join(e.Keywords, " ")) {
			c.others[w]++
		}
	}
	k.vocabulary = map[string]float64{}
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		c, h := all[dir], heading{dir: dir, words: map[string]float64{}}
		for w, n := range c.titles {
			h.words[w] = inTitle * math.Pow(n/c.entries, 0.25)
		}
		for w, n := range c.others {
			h.words[w] = max(h.words[w], inSummary*math.Pow(n/c.entries, 0.25))
		}
		domain, topic, _ := strings.Cut(dir, "/")
		for _, w := range stems(domain) {
			h.words[w] = max(h.words[w], inDomain)
		}
		h.name = stems(topic)
		for _, w := range h.name {
			h.words[w] = inName
		}
		h.name = slices.DeleteFunc(h.name, func(w string) bool { return generic[w] })
		for w, v := range h.words {
			k.vocabulary[w] += v
		}
		k.headings = append(k.headings, h)
	}
	k.sorted = slices.Sorted(maps.Keys(k.vocabulary))
	return k.headings
}

// meanings are the words that a part of a name in code may be, with their worth: itself, and
// where no heading has it, the words of headings that it is made of.
func (k *known) meanings(part string) map[string]float64 {
	out, known := map[string]float64{}, false
	for _, w := range stems(part) {
		out[w], known = 1, known || k.vocabulary[w] > 0
	}
	if known {
		return out
	}
	for _, ws := range k.split(part) {
		for _, w := range ws {
			out[w] = max(out[w], pieceWorth/math.Sqrt(float64(len(ws))))
		}
	}
	return out
}

// A piece of a name that is written as one word has so many letters, and its meaning is worth
// so much of a word's. The beginning of a word costs more than a word.
const (
	leastPiece = 3
	pieceWorth = 0.7
	wholeCost  = 1.0
	cutCost    = 1.5
)

// split cuts a name into words of headings, or beginnings of such: winconsole is win(dows)
// console. Each piece has the words that it may be; nil where a part is none.
func (k *known) split(name string) [][]string {
	type way struct {
		cost  float64
		from  int
		words []string
	}
	ways := make([]way, len(name)+1)
	for end := 1; end <= len(name); end++ {
		ways[end].cost = math.Inf(1)
		for from := 0; from+leastPiece <= end; from++ {
			if math.IsInf(ways[from].cost, 1) {
				continue
			}
			if ws, cost := k.piece(name[from:end]); len(ws) > 0 && ways[from].cost+cost < ways[end].cost {
				ways[end] = way{ways[from].cost + cost, from, ws}
			}
		}
	}
	var out [][]string
	for end := len(name); end > 0 && !math.IsInf(ways[end].cost, 1); end = ways[end].from {
		out = append(out, ways[end].words)
	}
	return out
}

// piece are the words of headings that a part of a name may be.
func (k *known) piece(p string) (ws []string, cost float64) {
	for _, w := range stems(p) {
		if k.vocabulary[w] > 0 {
			return []string{w}, wholeCost
		}
	}
	at, _ := slices.BinarySearch(k.sorted, p)
	for at < len(k.sorted) && strings.HasPrefix(k.sorted[at], p) {
		ws, at = append(ws, k.sorted[at]), at+1
	}
	return ws, cutCost
}

// How much an idea is about a word: of its title, of the name of its only file, of a folder
// that the file stands in, of a definition; of several files with the root of their shares.
// General words count a little less. What is upkeep of the project is about that, and less
// about the files that it changes.
const (
	asTitle  = 1.0
	asFile   = 1.0
	asFolder = 0.5
	asSymbol = 0.4

	generalWorth = 0.7
	besideUpkeep = 0.7
	upkeepFiles  = 0.4
)

// upkeepWords are what topics about the upkeep of a project speak of.
const upkeepWords = "contribute develop development release test testing build docs lint"

// workWords are what titles call the work, whatever it is about.
const workWords = "fix fixes add added adds update remove removed use using change changes make made support allow improve refactor rename move drop new bug issue " +
	"minor small ensure cleanup clean introduce document documentation docs doc test tests typing typed rewrite reword"

// asked are the words of an idea, with how much it is about each.
func (k *known) asked(i idea) map[string]float64 {
	asked := map[string]float64{}
	for _, w := range stems(i.title) {
		asked[w] = asTitle
	}
	for _, w := range stems(workWords) {
		delete(asked, w)
	}
	add := func(name string, worth float64) {
		for _, id := range words(name) {
			if plumbing[id] || plumbingStems[id] {
				continue
			}
			for w, v := range k.meanings(id) {
				asked[w] = max(asked[w], worth*v)
			}
		}
	}
	for _, a := range i.about {
		share, worth := math.Sqrt(a.share), asFile
		p := strings.TrimSuffix(a.path, path.Ext(a.path))
		for ; p != "." && p != "/"; p, worth = path.Dir(p), asFolder {
			add(path.Base(p), worth*share)
		}
	}
	for _, s := range i.symbols {
		add(s.name, asSymbol*math.Sqrt(s.share))
	}
	for w := range asked {
		if terms.IsGeneral(w) || plumbing[w] || generic[w] {
			asked[w] *= generalWorth
		}
		if i.upkeep {
			asked[w] *= besideUpkeep
		}
	}
	if i.upkeep {
		for _, w := range stems(upkeepWords) {
			asked[w] = 1
		}
	}
	return asked
}

// What a word in the texts of a topic is worth beside one in its heading, by BM25 with
// topics as documents; and how rare in texts a word of a heading must be to count in full.
const (
	inText      = 0.5
	saturation  = 1.5
	lengthShare = 0.6
	rareEnough  = 0.6
)

// byWords is how much the words of an idea speak for each topic, and how much of its name
// they are.
func (k *known) byWords(i idea) (speaks, names map[string]float64) {
	headings := k.topicHeadings()
	asked := k.asked(i)
	var filter terms.Filter
	for w := range asked {
		filter.Add(w)
	}
	scan := terms.Borrow()
	defer scan.Return()
	counts, length, total := map[string]map[string]float64{}, map[string]float64{}, 0.0
	for _, e := range k.entries {
		dir := path.Dir(e.Path)
		count := counts[dir]
		if count == nil {
			count = map[string]float64{}
			counts[dir] = count
		}
		text := e.Text[e.Frontmatter.End:]
		scan.Seek(text, &filter, func(t terms.Token) {
			if asked[t.Term] > 0 {
				count[t.Term]++
			}
		})
		length[dir] += float64(len(text))
		total += float64(len(text))
	}
	n := float64(len(headings))
	rare := func(with float64) float64 { return min(math.Log((n+1)/(with+0.5))/math.Log(n+1), 1) }
	speaks, names = map[string]float64{}, map[string]float64{}
	norm := 0.0
	for _, w := range slices.Sorted(maps.Keys(asked)) {
		with := 0.0
		for _, h := range headings {
			if counts[h.dir][w] > 0 {
				with++
			}
		}
		text := rare(with)
		head := rare(k.vocabulary[w]) * min(rareEnough+text, 1)
		norm += asked[w] * text
		for _, h := range headings {
			v := head * h.words[w]
			if f := counts[h.dir][w]; f > 0 {
				v += inText * text * f / (f + saturation*(1-lengthShare+lengthShare*length[h.dir]*n/total))
			}
			speaks[h.dir] += asked[w] * v
			if slices.Contains(h.name, w) {
				names[h.dir] += asked[w] / float64(len(h.name))
			}
		}
	}
	for dir := range speaks {
		speaks[dir] /= math.Sqrt(max(norm, 1))
	}
	return speaks, names
}
