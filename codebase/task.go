package codebase

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/terms"
	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// task is a task in words, parsed for ranking.
type task struct {
	terms []taskTerm // sorted by term
	names []taskName // possible identifiers, as written
	mentions
	words int
	tests bool // the task is about tests
}

// taskTerm is one distinct term with its weight.
type taskTerm struct {
	term   term
	word   string // for reasons
	weight float64
}

type taskName struct {
	name   string
	weight float64
}

// titleWeight is the weight of a word in the first line, since titles name the subject and bodies describe it.
const titleWeight = 2.5

// maxTaskBytes bounds how much of a task is read; issues have a few thousand bytes.
const maxTaskBytes = 20_000

var (
	wordPattern = lazyregexp.New(`[\pL\pN_$]+`)
	testPattern = lazyregexp.New(`(?i)\b(unit[- ]?)?(tests?|testing|specs?|fixtures?|coverage|mocks?)\b`)
	namePattern = lazyregexp.New(`^[\pL_$][\pL\pN_$]*$`)
)

// stopWords have no meaning in a task. Words of code (new, type, for) are weighted by their inverse document
// frequency instead.
var stopWords = setOf(strings.Fields(`a about above after again all also am an and any are as at be because been before
	being below between both but by can cannot could did do does doing down during each few for from further had has have having
	he her here hers him his how however i if in into is it its itself just like me more most my no nor not now of off on once
	only or other our ours out over own please same she should so some such than that the their theirs them then there these
	they this those through to too under until up very want was we were what when where which while who whom why will with
	would you your yours fix bug add use using used one two make makes instead when via etc issue problem need needs`)...)

// parseTask parses a task, in time linear in its length.
func parseTask(text string) task {
	if len(text) > maxTaskBytes {
		text = strings.ToValidUTF8(text[:maxTaskBytes], "")
	}
	text = text[:endOfTitle(text)] + terms.InEnglish(text) + text[endOfTitle(text):]
	var t task
	titleEnd := endOfTitle(text)
	type tally struct {
		n, title int
		word     string
	}
	counts := map[term]*tally{}
	names := map[string]float64{}
	plain := withoutLinks(text)
	for _, at := range wordPattern().FindAllStringIndex(plain, -1) {
		word := plain[at[0]:at[1]]
		if stopWords[strings.ToLower(word)] {
			continue
		}
		t.words++
		inTitle := at[0] < titleEnd
		terms.Scan(word, func(h term, _ int) {
			c := counts[h]
			if c == nil {
				c = &tally{word: word}
				counts[h] = c
			}
			c.n++
			if inTitle {
				c.title++
			}
		})
		if len(word) > 2 && namePattern().MatchString(word) {
			names[word] = max(names[word], weightOf(inTitle))
		}
	}
	for h, c := range counts {
		w := (1 + math.Log(float64(c.n))) * weightOf(c.title > 0)
		t.terms = append(t.terms, taskTerm{h, c.word, w})
	}
	slices.SortFunc(t.terms, func(a, b taskTerm) int { return cmp.Compare(a.term, b.term) })
	for name, w := range names {
		t.names = append(t.names, taskName{name, w})
	}
	slices.SortFunc(t.names, func(a, b taskName) int { return cmp.Compare(a.name, b.name) })
	t.mentions = mentionsIn(text)
	// A long text often tells how something was tested, while its first line states the request. So a long task is
	// about tests only if its first line is. The place of a failing test only tells where a failure shows.
	text = failurePattern().ReplaceAllString(text, "")
	title := text[:endOfTitle(text)]
	t.tests = testPattern().MatchString(title) || t.words < longWords && testPattern().MatchString(text)
	return t
}

// endOfTitle returns the end of the first line of text.
func endOfTitle(text string) int {
	lead := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	if i := strings.IndexByte(text[lead:], '\n'); i >= 0 {
		return lead + i
	}
	return len(text)
}

func weightOf(title bool) float64 {
	if title {
		return titleWeight
	}
	return 1
}
