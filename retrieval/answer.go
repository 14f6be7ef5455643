package retrieval

import (
	"context"
	"fmt"
	"strings"
)

// Tier says how an answer came about; the numbers are the specification's.
type Tier = int

// The tiers that need no model.
const (
	TierDirect   Tier = 2 // the tree answers
	TierPassages Tier = 3 // ranked passages, for the reader to reason over
)

// The rule of a direct answer (design, decision 11; thresholds of the reference
// system) on this package's scale of scores.
const (
	directScore = 0.85
	sureScore   = 0.93
	clearGap    = 0.08
)

// Answer is what the tree says to a query.
type Answer struct {
	Tier        Tier
	Text        string // markdown, with its sources
	Hits        []Hit  // of a direct answer, the first one's Passage is what Text shows
	OutOfDomain bool
	Confidence  float64 // the best hit's score
	Why         string
}

// Answer answers a query directly if the best hit is clear enough, and otherwise
// with ranked passages that say they are no answer yet.
func (x *Index) Answer(ctx context.Context, q Query) (Answer, error) {
	res, err := x.find(ctx, q)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Tier: TierPassages, Hits: res.Hits, OutOfDomain: res.OutOfDomain}
	if len(res.Hits) > 0 {
		a.Confidence = res.Hits[0].Score
	}
	sure, why := isDirect(res.Result)
	a.Why = why
	if res.Note != "" {
		a.Why += "; " + res.Note
	}
	switch {
	case len(res.Hits) == 0 && !res.OutOfDomain: // punctuation, an emoji
		a.OutOfDomain = true
		a.Text = "The question holds no word to search for.\n"
	case res.OutOfDomain:
		a.Text = nothing(res.Result)
	case sure:
		a.Tier = TierDirect
		res.Hits[0].Passage = res.lens.section(res.top)
		a.Text = direct(res)
	default:
		a.Text = x.passages(res.Result)
	}
	return a, nil
}

// isDirect applies the rule and says how it went.
func isDirect(res Result) (bool, string) {
	switch {
	case len(res.Hits) == 0:
		return false, "no entry holds any of the words"
	case res.OutOfDomain:
		return false, "the tree does not know what is asked about"
	}
	top := res.Hits[0].Score
	if top < directScore {
		return false, fmt.Sprintf("best score %.2f is under %.2f", top, directScore)
	}
	if len(res.Hits) == 1 {
		return true, fmt.Sprintf("one hit, score %.2f", top)
	}
	gap := top - res.Hits[1].Score
	switch {
	case top >= sureScore:
		return true, fmt.Sprintf("best score %.2f", top)
	case gap >= clearGap:
		return true, fmt.Sprintf("best score %.2f, %.2f before the next", top, gap)
	}
	return false, fmt.Sprintf("best score %.2f, but only %.2f before the next", top, gap)
}

// maxNearest is the number of entries named when none answers.
const maxNearest = 3

// nothing is the answer to a question outside the tree.
func nothing(res Result) string {
	var b strings.Builder
	b.WriteString("The context tree has nothing on this.")
	if len(res.Unknown) > 0 {
		fmt.Fprintf(&b, " No entry mentions: %s.", strings.Join(res.Unknown, ", "))
	}
	b.WriteString(" If it belongs to the project, curate it first.\n")
	if len(res.Hits) > 0 {
		b.WriteString("\nNearest, sharing only some of the words:\n")
		for _, h := range res.Hits[:min(maxNearest, len(res.Hits))] {
			fmt.Fprintf(&b, "- %s (%s)\n", h.Title, h.Path)
		}
	}
	return b.String()
}

// direct is the best hit's section with its source, below the entry's summary.
func direct(res found) string {
	h, e := res.Hits[0], res.top.entry
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n", h.Title)
	text, summary := rendered(e, h.Passage), strings.TrimSpace(e.Summary)
	if summary != "" && !strings.Contains(text, summary) {
		b.WriteString(summary + "\n\n")
	}
	if text != "" {
		b.WriteString(text + "\n\n")
	}
	fmt.Fprintf(&b, "Source: %s\n", h.Path)
	if len(res.Hits) > 1 {
		b.WriteString("See also:")
		for _, o := range res.Hits[1:min(4, len(res.Hits))] {
			fmt.Fprintf(&b, " %s", o.Path)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// maxPassages is the number of passages in an answer that is none yet.
const maxPassages = 5

// passages lists the best passages for a reader to reason over.
func (x *Index) passages(res Result) string {
	var b strings.Builder
	b.WriteString("No single entry answers this clearly. Ranked passages to reason over:\n")
	for i, h := range res.Hits[:min(maxPassages, len(res.Hits))] {
		fmt.Fprintf(&b, "\n%d. **%s** (%s, score %.2f)\n\n%s\n", i+1, h.Title, h.Path, h.Score, x.text(h))
	}
	return b.String()
}

// text is a hit's passage as an answer shows it.
func (x *Index) text(h Hit) string {
	e, ok := x.snap.Entry(h.Path)
	if !ok {
		return ""
	}
	return rendered(e, h.Passage)
}
