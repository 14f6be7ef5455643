package curate

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Choice is a topic that a draft may stand in.
type Choice struct {
	Topic  string `json:"topic"`         // domain/topic, as a request names it
	New    bool   `json:"new,omitempty"` // it is not there yet
	Reason string `json:"reason"`        // what speaks for it
}

// Undecided is a draft that is no operation, because the rules are not sure of its topic, or the
// drafts of a document's sections. It becomes one when somebody names the topic.
type Undecided struct {
	Source  string   `json:"source"`  // what it is drafted from: "commit 1a2b3c4d5e6f", "docs/limits.md"
	Title   string   `json:"title"`   // of the entry, or of the document
	Choices []Choice `json:"choices"` // the likeliest topic, the other best ones, and a new one
}

// maxChoices is how many topics that are there a draft offers: of those judged drafts of which
// the rules are not sure, three of four have a sensible one among three, nine of ten one of those
// or the new one, and a fourth would add two in a hundred.
const maxChoices = 3

// How sure the rules must be of a topic to put a draft there, and how sure where the first hit
// of the search, which has no part in the score, stands there too. Of 329 judged drafts of
// changes that are no upkeep, 53 of 100 land so, 95 of 100 of those in a sensible topic: 94 on
// one half of the labels, 97 on the other; both were seen. With 0.5 alone it is 57 and 93; that
// several signs agree, how large a topic is and how long a title adds nothing.
const (
	sure       = 0.6
	sureAgreed = 0.4
)

// isSure reports whether the first of these topics is clear.
func isSure(best []scored, f found) bool {
	agreed := len(f.hits) > 0 && path.Dir(f.hits[0].Path) == best[0].dir
	s := sureness(best)
	return s >= sure || agreed && s >= sureAgreed
}

// sureness is the geometric mean of how much speaks for the best topic and how much more that
// is than for the next.
func sureness(best []scored) float64 {
	second := 0.0
	if len(best) > 1 {
		second = best[1].score
	}
	return math.Sqrt(best[0].score * (best[0].score - second))
}

// scored is a topic with how much speaks for it.
type scored struct {
	dir   string
	score float64
}

// choices are the topics that an idea may stand in: the likeliest, "" for a new one, then those
// for which most speaks, and a new one.
func (d *drafting) choices(i idea, s signs, all []scored, likeliest string) (out []Choice) {
	own, there := d.newTopic(i), 0
	add := func(dir, reason string) {
		if slices.ContainsFunc(out, func(c Choice) bool { return c.Topic == dir }) {
			return
		}
		c := Choice{Topic: dir, Reason: reason, New: !slices.ContainsFunc(all, func(t scored) bool { return t.dir == dir })}
		if c.New {
			c.Reason = "a new topic, named after " + code(i.home)
		} else {
			there++
		}
		out = append(out, c)
	}
	if likeliest == "" {
		add(own, "its name is that of "+code(i.home))
	} else {
		add(likeliest, d.speaksFor(i, s, likeliest))
	}
	for _, t := range all {
		if t.score > 0 && there < maxChoices {
			add(t.dir, d.speaksFor(i, s, t.dir))
		}
	}
	add(own, "its name is that of "+code(i.home))
	return out
}

// maxShared is how many words a reason names.
const maxShared = 4

// speaksFor says what speaks for a topic.
func (d *drafting) speaksFor(i idea, s signs, dir string) string {
	var why []string
	if s.byFile[dir] > 0 {
		why = append(why, "its entries name files of this")
	}
	if s.bySymbol[dir] > 0 {
		why = append(why, "are linked to its code")
		if len(why) == 1 {
			why[0] = "its entries are linked to the code of this"
		}
	}
	if ws := d.known.shared(i, dir); len(ws) > 0 {
		why = append(why, "it speaks of "+strings.Join(ws, ", "))
	}
	return cmp.Or(strings.Join(why, "; "), "its texts have words of this")
}

// shared are the words by which a topic calls itself that an idea is about, the heaviest first.
func (k *known) shared(i idea, dir string) []string {
	at := slices.IndexFunc(k.topicHeadings(), func(h heading) bool { return h.dir == dir })
	if at < 0 {
		return nil
	}
	asked, h := k.asked(i), k.headings[at]
	var ws []string
	for w := range asked {
		if h.words[w] > 0 {
			ws = append(ws, w)
		}
	}
	slices.SortFunc(ws, func(a, b string) int {
		return cmp.Or(cmp.Compare(asked[b]*h.words[b]/k.vocabulary[b], asked[a]*h.words[a]/k.vocabulary[a]), cmp.Compare(a, b))
	})
	ws = ws[:min(len(ws), maxShared)]
	spelled := map[string]string{} // terms as the idea writes them
	text := i.title
	for _, a := range i.about {
		text += " " + a.path
	}
	for _, s := range i.symbols {
		text += " " + s.name
	}
	for _, w := range slices.Backward(words(text)) {
		for _, term := range stems(w) {
			spelled[term] = w
		}
	}
	for n, w := range ws {
		ws[n] = cmp.Or(spelled[w], w)
	}
	return ws
}

// CheckTopic reports why drafts cannot stand in a topic that somebody names: it needs the form
// of one, domain/topic or domain/topic/subtopic, of names as entries have them.
func CheckTopic(topic string) error {
	parts := strings.Split(topic, "/")
	if len(parts) < 2 || len(parts) > 3 {
		return fmt.Errorf("%q is no topic; it is written domain/topic", topic)
	}
	for _, p := range parts {
		if err := format.CheckName(p); err != nil {
			return fmt.Errorf("%q is no topic: %w", topic, err)
		}
	}
	return nil
}
