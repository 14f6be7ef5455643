package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/foreign"
	"github.com/brv-lsp/brv-lsp/internal/words"
)

// A word's translations are estimated by IBM's model 1 (Brown et al. 1993) in both directions: t(e|f) is how much of a foreign
// word is said by an English one, t(f|e) the reverse. What is kept are the words that both agree on.

// bounds choose what of the estimates is kept.
type bounds struct {
	least   float64 // of the root of t(e|f)·t(f|e)
	share   float64 // of the best one's
	most    int     // English words for a foreign one
	fewest  int     // messages that hold a word; three times as many for characters
	firm    float64 // of the best one's
	certain float64 // least Dice coefficient of characters with an English word to be a word
}

// chosen are the bounds of the tables, by the run without -out.
var chosen = bounds{least: 0.02, share: 0.1, most: 4, fewest: 1, firm: 0.1, certain: 0.1}

const rounds = 6 // of expectation maximisation; more change little

// marks matches the parts of a message that are no words.
var marks = regexp.MustCompile("`[^`]*`|<[^>]*>|\\{[^}]*\\}|%\\([^)]*\\)[a-z]|%[a-z0-9]|\\$\\([^)]*\\)|https?://\\S+|\\([&_]\\w\\)|&&?")

// model counts the messages of a language.
type model struct {
	language string
	whole    bool          // words are taken as they are written, not by their stems
	lexicon  foreign.Table // characters that are words, in a language without spaces
	foreign  vocabulary
	english  vocabulary
	forth    []map[int32]float32 // t(e|f), by foreign word
	back     []map[int32]float32 // t(f|e), by English word
}

// vocabulary numbers words; 0 is none.
type vocabulary struct {
	number map[string]int32
	words  []string
	counts []int            // messages
	forms  []map[string]int // as written
}

func (v *vocabulary) add(key, form string) int32 {
	n, ok := v.number[key]
	if !ok {
		if v.number == nil {
			v.number = map[string]int32{}
			v.words, v.counts, v.forms = []string{""}, []int{0}, []map[string]int{nil}
		}
		n = int32(len(v.words))
		v.number[key] = n
		v.words, v.counts, v.forms = append(v.words, key), append(v.counts, 0), append(v.forms, map[string]int{})
	}
	v.forms[n][form]++
	return n
}

// form is how a word is written most often.
func (v *vocabulary) form(n int32) string {
	return slices.MaxFunc(slices.Sorted(maps.Keys(v.forms[n])), func(a, b string) int {
		return cmp.Or(cmp.Compare(v.forms[n][a], v.forms[n][b]), cmp.Compare(len(b), len(a)), cmp.Compare(b, a))
	})
}

// tableOf makes the table of a language. Words as they are written are in it too where they mean something else than their
// stem: German ändern has that of andere.
func tableOf(language string, pairs []pair, of ...bounds) (out []foreign.Table) {
	stems := newModel(language, false, pairs)
	var forms *model
	if stems.lexicon == nil {
		forms = newModel(language, true, pairs)
	}
	for _, b := range of {
		table := stems.table(b)
		if forms != nil {
			b.fewest = fewestForms
			for form, meant := range forms.table(b) {
				first, _, _ := strings.Cut(meant, " ")
				if stem, _, _ := strings.Cut(table[foreign.Key(language, form)], " "); first != "" && first != stem {
					table[foreign.Exactly+form] = meant
				}
			}
		}
		out = append(out, table)
	}
	return out
}

// fewestForms is the number of messages that hold a word as it is written. An own choice: below, its stem knows more.
const fewestForms = 5

func newModel(language string, whole bool, pairs []pair) *model {
	m := &model{language: language, whole: whole}
	if !slices.Contains(foreign.Spaced, language) {
		m.lexicon = lexicon(pairs, chosen)
	}
	var said, meant [][]int32
	for _, p := range pairs {
		f, e := m.read(p.foreign), m.readEnglish(p.english)
		said, meant = append(said, f), append(meant, e)
		for _, n := range f {
			m.foreign.counts[n]++
		}
		for _, n := range e {
			m.english.counts[n]++
		}
	}
	m.forth, m.back = align(said, meant, len(m.foreign.words)), align(meant, said, len(m.english.words))
	return m
}

// read numbers the words of a message.
func (m *model) read(text string) (out []int32) {
	keys(m.language, m.lexicon, text, func(key, form string) {
		if m.whole {
			key = form
		}
		if n := m.foreign.add(key, form); !slices.Contains(out, n) {
			out = append(out, n)
		}
	})
	return out
}

// keys calls emit with the keys of a text's words.
func keys(language string, lexicon foreign.Table, text string, emit func(key, form string)) {
	text = marks.ReplaceAllString(text, " ")
	foreign.Split(text, func(start, end int, unspaced bool) {
		word := text[start:end]
		if !unspaced {
			if lexicon == nil && utf8.RuneCountInString(word) > 1 {
				emit(foreign.Key(language, word), strings.ToLower(word))
			}
			return
		}
		lexicon.Cut(word, func(start, end int) { emit(word[start:end], word[start:end]) })
	})
}

func (m *model) readEnglish(text string) (out []int32) {
	english(text, func(term, form string) {
		if n := m.english.add(term, form); !slices.Contains(out, n) {
			out = append(out, n)
		}
	})
	return out
}

func english(text string, emit func(term, form string)) {
	text = marks.ReplaceAllString(text, " ")
	words.Each(text, func(t words.Token) {
		if word := strings.ToLower(text[t.Start:t.End]); t.Kind == words.Plain && len(word) > 1 && words.IsLowerASCII(word) {
			emit(t.Term, word)
		}
	})
}

// align estimates t(to|from), by the numbers of from.
func align(from, to [][]int32, n int) []map[int32]float32 {
	t := make([]map[int32]float32, n)
	for i := range t {
		t[i] = map[int32]float32{}
	}
	for s := range from {
		for _, f := range append([]int32{0}, from[s]...) {
			for _, e := range to[s] {
				t[f][e] = 1
			}
		}
	}
	for round := range rounds {
		sums := make([]map[int32]float32, n)
		for i := range sums {
			sums[i] = make(map[int32]float32, len(t[i]))
		}
		for s := range from {
			fs := append([]int32{0}, from[s]...)
			for _, e := range to[s] {
				all := float32(0)
				for _, f := range fs {
					all += t[f][e]
				}
				if all == 0 {
					continue
				}
				for _, f := range fs {
					if p := t[f][e] / all; p > 1e-4 || round == 0 {
						sums[f][e] += p
					}
				}
			}
		}
		for f, row := range sums {
			all := float32(0)
			for _, e := range slices.Sorted(maps.Keys(row)) { // sums of floats depend on their order
				all += row[e]
			}
			for e := range row {
				row[e] /= all
			}
			t[f] = row
		}
	}
	return t
}

// table keeps what the bounds allow.
func (m *model) table(b bounds) foreign.Table {
	out := foreign.Table{}
	if m.lexicon != nil {
		b.fewest *= 3
	}
	for f := int32(1); int(f) < len(m.foreign.words); f++ {
		key := m.foreign.words[f]
		if m.foreign.counts[f] < b.fewest || m.sameInEnglish(f) {
			continue
		}
		type option struct {
			e     int32
			score float64
		}
		var options []option
		for e, p := range m.forth[f] {
			if m.english.counts[e] < b.fewest {
				continue
			}
			if s := math.Sqrt(float64(p) * float64(m.back[e][f])); s >= b.least {
				options = append(options, option{e, s})
			}
		}
		slices.SortFunc(options, func(a, b option) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.e, b.e)) })
		var meant []string
		if len(options) > 0 && options[0].score < b.firm {
			options = nil
		}
		for i, o := range options {
			word := m.english.form(o.e)
			if words.IsStop(word) {
				if i == 0 { // a word of grammar
					break
				}
				continue
			}
			if o.score >= b.share*options[0].score && len(meant) < b.most {
				meant = append(meant, word)
			}
		}
		if len(meant) > 0 || m.foreign.counts[f] >= fewestPlain && m.lexicon == nil {
			out[key] = strings.Join(meant, " ")
		}
	}
	return out
}

// fewestPlain is the number of messages from which a word that means nothing by itself tells the language.
const fewestPlain = 20

// sameInEnglish reports whether the word is as often in English messages, or in all its forms an English word: a name.
func (m *model) sameInEnglish(f int32) bool {
	n, ok := m.english.number[words.Stem(m.foreign.form(f))]
	return ok && m.english.counts[n] >= m.foreign.counts[f]/4 && (m.forth[f][n] > 0.2 || m.foreign.counts[f] < fewestPlain)
}

// lexicon finds the runs of characters that are words: those that tell an English word better than any part of them, and do
// not nearly always stand in the same longer run.
func lexicon(pairs []pair, b bounds) foreign.Table {
	counts := map[string]int{}
	for _, p := range pairs {
		for g := range grams(p.foreign) {
			counts[g]++
		}
	}
	inLonger := map[string]int{}
	for g, n := range counts {
		if n < fewestRuns || n < fewestLong && utf8.RuneCountInString(g) > 2 && scriptOf(g) != unicode.Katakana {
			delete(counts, g)
		}
	}
	for g, n := range counts {
		_, first := utf8.DecodeRuneInString(g)
		_, last := utf8.DecodeLastRuneInString(g)
		if len(g) > first {
			inLonger[g[first:]] = max(inLonger[g[first:]], n)
			inLonger[g[:len(g)-last]] = max(inLonger[g[:len(g)-last]], n)
		}
	}
	together, english1 := map[string]map[string]int{}, map[string]int{}
	for _, p := range pairs {
		meant := map[string]bool{}
		english(p.english, func(term, form string) {
			if !words.IsStop(form) {
				meant[term] = true
			}
		})
		for e := range meant {
			english1[e]++
		}
		for g := range grams(p.foreign) {
			if n := counts[g]; n == 0 || inLonger[g]*5 >= n*4 {
				continue
			}
			if together[g] == nil {
				together[g] = map[string]int{}
			}
			for e := range meant {
				together[g][e]++
			}
		}
	}
	type best struct {
		english string
		dice    float64
	}
	out, found := foreign.Table{}, map[string]best{}
	byLength := slices.SortedFunc(maps.Keys(together), func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	for _, g := range byLength {
		var top best
		for e, n := range together[g] {
			d := 2 * float64(n) / float64(counts[g]+english1[e])
			if d > top.dice || d == top.dice && e < top.english {
				top = best{e, d}
			}
		}
		if top.dice < b.certain {
			continue
		}
		worse := false
		for part := range grams(g) {
			of, ok := found[part]
			if !ok || part == g || utf8.RuneCountInString(part) < 2 {
				continue
			}
			rest, starts := strings.CutPrefix(g, part)
			_, whole := found[rest]
			worse = worse || of.english == top.english && of.dice >= top.dice || starts && whole && utf8.RuneCountInString(rest) > 1
		}
		if !worse {
			found[g] = top
			out[g] = ""
		}
	}
	return out
}

// fewestRuns is the number of messages that hold a run that may be a word, fewestLong that of one of more than two characters,
// longestRun its characters.
const (
	fewestRuns = 4
	fewestLong = 10
	longestRun = 8
)

func scriptOf(text string) *unicode.RangeTable {
	r, _ := utf8.DecodeRuneInString(text)
	for _, script := range []*unicode.RangeTable{unicode.Han, unicode.Hiragana} {
		if unicode.Is(script, r) {
			return script
		}
	}
	return unicode.Katakana
}

// grams are the runs of up to longestRun characters in a text that may be words: of katakana, or of others that begin with a
// Chinese character.
func grams(text string) map[string]bool {
	out := map[string]bool{}
	text = marks.ReplaceAllString(text, " ")
	foreign.Split(text, func(start, end int, unspaced bool) {
		run := text[start:end]
		if !unspaced {
			return
		}
		var at []int
		for i := range run {
			at = append(at, i)
		}
		at = append(at, len(run))
		for i := range at[:len(at)-1] {
			first := scriptOf(run[at[i]:])
			for n := 1; n <= longestRun && i+n < len(at) && first != unicode.Hiragana; n++ {
				if last := scriptOf(run[at[i+n-1]:]); (first == unicode.Katakana) != (last == unicode.Katakana) {
					break
				}
				if n > 1 || first == unicode.Han {
					out[run[at[i]:at[i+n]]] = true
				}
			}
		}
	})
	return out
}

// measure keeps one message of twenty apart and prints, for several bounds, how often its translation finds its original.
func measure(language string, pairs []pair) {
	var known []pair
	var apart []pair
	originals := map[string]bool{}
	for _, p := range pairs {
		h := fnv.New32()
		h.Write([]byte(p.english))
		if h.Sum32()%20 == 0 {
			if !originals[p.english] && len(strings.Fields(p.english)) > 2 {
				originals[p.english] = true
				apart = append(apart, p)
			}
			continue
		}
		known = append(known, p)
	}
	tried := []bounds{
		chosen, chosen.with(func(b *bounds) { b.firm = 0 }), chosen.with(func(b *bounds) { b.firm = 0.2 }),
		chosen.with(func(b *bounds) { b.share = 0.3 }), chosen.with(func(b *bounds) { b.most = 1 }), chosen.with(func(b *bounds) { b.fewest = 3 }),
	}
	s := newSearch(apart)
	for n, table := range tableOf(language, known, tried...) {
		b := tried[n]
		first, sum := 0.0, 0.0
		for i, p := range apart {
			var query [][]string
			table.Words(language, marks.ReplaceAllString(p.foreign, " "), func(w foreign.Word, _ bool) {
				if len(w.English) > 0 {
					query = append(query, w.English)
				}
			})
			if rank := s.rank(query, i); rank > 0 {
				sum += 1 / float64(rank)
				if rank == 1 {
					first++
				}
			}
		}
		n := float64(len(apart))
		fmt.Printf("%-5s %+v: %5d words, %d messages, first %.3f, MRR %.3f\n", language, b, len(table), len(apart), first/n, sum/n)
	}
}

func (b bounds) with(change func(*bounds)) bounds {
	change(&b)
	return b
}

// search is plain BM25 over messages.
type search struct {
	in     map[string]map[int]bool
	length []int
}

func newSearch(of []pair) *search {
	s := &search{in: map[string]map[int]bool{}}
	for i, p := range of {
		n := 0
		english(p.english, func(term, _ string) {
			if n++; s.in[term] == nil {
				s.in[term] = map[int]bool{}
			}
			s.in[term][i] = true
		})
		s.length = append(s.length, n)
	}
	return s
}

// rank is the place of a message for a query of alternatives, 0 if it has none of them.
func (s *search) rank(query [][]string, of int) int {
	scores := map[int]float64{}
	for _, meant := range query {
		best := map[int]float64{}
		for i, word := range meant {
			in := s.in[words.Stem(word)]
			idf := math.Log(1 + float64(len(s.length))/(1+float64(len(in))))
			for d := range in {
				weight := idf * 2.2 / (1 + 1.2*(0.25+0.75*float64(s.length[d])/8))
				if i > 0 {
					weight *= 0.7
				}
				best[d] = max(best[d], weight)
			}
		}
		for d, w := range best {
			scores[d] += w
		}
	}
	own, ok := scores[of]
	if !ok {
		return 0
	}
	rank := 1
	for _, v := range scores {
		if v > own {
			rank++
		}
	}
	return rank
}
