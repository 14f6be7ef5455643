package codebase

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// reason returns why a file is relevant, most informative parts first.
func (p *plan) reason(m *RepoMap, i int) string {
	c, s := m.chunks[i], &p.signals[i]
	var parts []string
	say := func(signal Signal, text string) {
		if p.weights[signal]*s[signal] > 0 && text != "" {
			parts = append(parts, text)
		}
	}
	if len(p.body.start) > 0 {
		say(Mention, "named in the task")
		if names := p.exactNames[i]; len(names) > 0 {
			say(Exact, "defines "+strings.Join(names[:min(3, len(names))], ", "))
		}
		say(Path, prefixed("path: ", p.matched(p.paths.of(i), p.paths.idf, c.Path)))
		say(Body, prefixed("text: ", p.matched(p.body.of(i), p.body.idf, "")))
		if v, ok := p.votes[c.Path]; ok && v.Subject != "" && s[Vote] > .3 {
			say(Vote, fmt.Sprintf("changed by %q", v.Subject))
		}
		if j := p.best[i]; j >= 0 && s[Part] > .5 {
			if k := c.rec.vector.segments[j].symbol; k >= 0 && int(k) < c.rec.count {
				symbol := c.Symbols()[k]
				say(Part, fmt.Sprintf("%s %s", symbol.Kind, symbol.Name))
			}
		}
	}
	if len(parts) == 0 && len(p.body.start) > 0 {
		say(Defines, prefixed("names: ", p.matched(p.defs.of(i), p.defs.idf, "")))
		if v, ok := p.votes[c.Path]; ok {
			say(Votes, fmt.Sprintf("changed by %q", v.Subject))
		}
	}
	if h, ok := p.hints[i]; ok {
		say(Hinted, h.Reason)
	} else if len(parts) == 0 && s[Hinted] > 0 {
		say(Hinted, "close to "+p.closest[i])
	}
	if p.query.File != "" {
		say(CoChange, "changes together with the open file")
		say(RefersTo, "defines what the open file uses")
		say(ReferredBy, "uses what the open file defines")
		say(Imported, "imported by the open file")
		say(Imports, "imports the open file")
		if len(parts) == 0 {
			say(Similar, "shares words with the open file")
			say(Near, "near the open file")
			say(Alike, "named like the open file")
		}
	}
	return strings.Join(parts, "; ")
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// matched returns up to four words that count most, in the spelling of the text that contains them, if it is
// known, or else in that of the task.
func (p *taskPlan) matched(hits []fieldHit, idf []float64, text string) string {
	as := map[term]string{}
	terms.Scan(text, func(t term, at int) {
		word, _, _ := strings.Cut(text[at:], "/")
		as[t], _, _ = strings.Cut(word, ".")
	})
	type hit struct {
		word  string
		value float64
	}
	best := map[string]float64{}
	for _, h := range hits {
		q := p.terms[h.term]
		word := cmp.Or(as[q.term], q.word)
		best[word] = max(best[word], q.weight*math.Log1p(float64(h.n))*idf[h.term])
	}
	var all []hit
	for w, v := range best {
		all = append(all, hit{w, v})
	}
	slices.SortFunc(all, func(a, b hit) int { return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.word, b.word)) })
	words := make([]string, 0, 4)
	for _, h := range all[:min(4, len(all))] {
		if h.value > all[0].value/10 { // not the "src" that every path contains
			words = append(words, h.word)
		}
	}
	return strings.Join(words, ", ")
}
