package retrieval

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/grounding"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Tier is the way in which an answer was found; the numbers are the specification's.
type Tier int

// The tiers, in the order in which they are tried. Without a model, tiers 3 and 4 are ranked passages that
// the reader has to draw conclusions from.
const (
	TierExact  Tier = iota // the same question was answered before
	TierFuzzy              // a question with the same words was answered before: case, plural and punctuation apart
	TierDirect             // the tree answers
	TierModel              // a model answers from the hits of the search
	TierLoop               // a model searches by itself, with tools
)

// Tiers describes for each tier the origin of its answers; it is "" for a model's, whose name is shown.
var Tiers = [...]string{
	TierExact:  "Remembered answer",
	TierFuzzy:  "Remembered answer",
	TierDirect: "Answered from the context tree",
	TierModel:  "",
	TierLoop:   "",
}

// LastTier is the most expensive tier.
const LastTier = len(Tiers) - 1

// Answer is the tree's answer to a query.
type Answer struct {
	Tier        Tier
	Text        string   // markdown, with its sources
	Sources     []Source // the parts of entries that Text is based on
	Hits        []Hit    // what the search found
	OutOfDomain bool
	Evidence    Evidence // the evidence for OutOfDomain
	ForReader   bool     // Text is material for the reader, not an answer
	Unsure      bool     // Text is only the closest material found: the question may not be covered
	Confidence  float64  // the best hit's score, 0–1
	Why         string
	Note        string        // what the reader should know: a scope widened, a model that failed
	Latency     time.Duration // of this answer, wall time
	Model       string        // the model that wrote Text, "" if none did
	Usage       llm.Usage     // what that took

	readCode bool // the model looked at code
}

// Source is a part of an entry that an answer rests on.
type Source struct {
	Path  string // in the tree
	Title string
	At    markdown.Span // bytes of the entry's text
}

// remembered is an answer given again.
func remembered(a Answer, t Tier, question string) Answer {
	a.Why = fmt.Sprintf("stored answer to the question %q, from the same tree; the reason at that time: %s", question, a.Why)
	a.Tier = t
	return a
}

// unanswered is the answer if only remembered answers are allowed and there is none.
func unanswered(most Tier) Answer {
	return Answer{Tier: most, Text: "This question has no stored answer.\n",
		Why: fmt.Sprintf("the question was limited to tiers up to %d", most)}
}

// join puts two remarks together.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// isDirect applies the rule and says how it went.
func isDirect(res Result) (bool, string) {
	switch {
	case res.verdict != nil:
		return res.verdict.direct, res.verdict.why
	case len(res.Hits) == 0:
		return false, "no entry contains a word of the question"
	case res.OutOfDomain:
		return false, "nothing here is on this subject"
	case len(res.Unknown) > 0:
		return false, "no entry mentions the subject of the question: " + strings.Join(res.Unknown, ", ")
	case !res.Evidence.Sure:
		return false, "there is too little evidence that the question is covered"
	case !res.Evidence.About:
		return false, "no title, heading or other name of the best match contains a word of the question"
	}
	top := res.Hits[0].Score
	if top < directScore {
		return false, fmt.Sprintf("no passage fits closely enough for a direct answer (best score %.2f, %.2f is needed)",
			top, directScore)
	}
	if len(res.Hits) == 1 {
		return true, fmt.Sprintf("one passage fits (score %.2f)", top)
	}
	next := res.Hits[1].Score
	switch {
	case top >= sureScore:
		return true, fmt.Sprintf("the best passage fits closely (score %.2f)", top)
	case top-next >= clearGap:
		return true, fmt.Sprintf("the best passage fits clearly better than the next (scores %.2f and %.2f)", top, next)
	}
	return false, fmt.Sprintf("several passages fit about equally (scores %.2f and %.2f)", top, next)
}

// A direct answer needs directScore. In addition it must be the only hit, or have sureScore, or lead by
// clearGap (specification, "Score ≥ 0.85 with a clear gap"; the other two are the reference system's).
const (
	directScore = 0.85
	sureScore   = 0.93
	clearGap    = 0.08
)

// uncovered is the answer to a question outside the tree; asked is the beginning of its sentence, which names
// the searched sources and ends with the verb.
func uncovered(snap *tree.Snapshot, asked string, res Result) Answer {
	a := Answer{Tier: TierDirect, OutOfDomain: true, Evidence: res.Evidence, Hits: res.Hits, Note: res.Note}
	if len(res.Hits) > 0 {
		a.Confidence = res.Hits[0].Score
	}
	if len(res.Hits) == 0 && !res.OutOfDomain { // punctuation, an emoji
		a.Text, a.Why = "The question has no word to search for.\n", "no word to search for"
		return a
	}
	a.Why = "nothing here is on this subject"
	if len(res.Hits) == 0 {
		a.Why = "no entry contains a word of the question"
	}
	if len(res.Hits)+len(res.Unknown) == 0 {
		a.Text, a.Why = "The question has only common words. Name its subject.\n", "only common words"
		return a
	}
	var b strings.Builder
	b.WriteString(asked + " not cover this question.")
	if why := res.Evidence.Refusal(res.Unknown); why != "" {
		b.WriteString(" " + why)
	}
	b.WriteString("\n")
	if n := len(snap.Skipped()); n > 0 {
		b.WriteString(words.Counted(n, "file of the tree was", "files of the tree were") + " not read. Run `brv-lsp check` to see why.\n")
	}
	if torn := Unsearched(snap); torn != "" {
		b.WriteString(torn + ".\n")
	}
	if near := nearestTopics(res); len(near) > 0 {
		b.WriteString("\nNearest topics:\n")
		for _, t := range near {
			fmt.Fprintf(&b, "- %s\n", t)
		}
	} else if domains := Domains(snap); len(domains) > 0 {
		if len(domains) > maxDomains {
			domains = append(domains[:maxDomains], "…")
		}
		fmt.Fprintf(&b, "\nThe tree's domains: %s.\n", strings.Join(domains, ", "))
	}
	b.WriteString("\nIf you find the answer, write it down for the next person.\n")
	a.Text = b.String()
	return a
}

// Unsearched reports how many files are not searched because of a merge conflict, "" if none.
func Unsearched(snap *tree.Snapshot) string {
	n := 0
	for _, e := range snap.Entries() {
		if len(e.Conflicts) > 0 {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Not searched because of merge conflicts: %d of the tree's files; `brv-lsp check` lists them", n)
}

// nearestTopics are the folders of the best hits, each with its entry among the hits.
func nearestTopics(res Result) []string {
	var out []string
	seen := map[string]bool{}
	for _, h := range res.Hits {
		dir := path.Dir(h.Path)
		if !seen[dir] && h.Via == "" && !archived(h.Path) && len(out) < maxNearest {
			seen[dir] = true
			out = append(out, fmt.Sprintf("%s (%s)", dir, h.Title))
		}
	}
	return out
}

// Domains are the domains of a tree, without its archive.
func Domains(snap *tree.Snapshot) []string {
	root, ok := snap.Node("")
	if !ok {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(root.Folders), archived)
}

// maxDomains is the number of domains that are named if there is no near topic.
const maxDomains = 12

// archiveFolder is the folder of archived entries (specification, "Archive System").
const archiveFolder = "_archived/"

// archived reports whether a path is the tree's archive or lies in it.
func archived(p string) bool { return strings.HasPrefix(p+"/", archiveFolder) }

// longAnswer is the length, in bytes, from which a direct answer begins with the sentence that tells most: it
// no longer fits a hover.
const longAnswer = 1000

// direct is the best hit's section with its source.
func direct(snap *tree.Snapshot, res Result, why string) Answer {
	h := res.Hits[0]
	e, ok := snap.Entry(h.Path)
	if !ok { // the engine is ahead of the snapshot
		return passages(snap, res, TierModel, "the best entry was removed during the search; ask again")
	}
	a := Answer{Tier: TierDirect, Evidence: res.Evidence, Hits: res.Hits, Confidence: h.Score, Why: why, Note: res.Note}
	at := part(e, h.Section, h.Passage)
	a.Sources = []Source{{h.Path, h.Title, at}}
	text, summary := rendered(e, at), strings.TrimSpace(e.Summary)
	if strings.Contains(text, summary) {
		summary = ""
	}
	text = strings.Trim(summary+"\n\n"+text, "\n")
	var b strings.Builder
	if len(text) >= longAnswer {
		if first := telling(text, h.Why.Terms); !strings.HasPrefix(text, first) {
			b.WriteString(first + "\n\n")
		}
	}
	fmt.Fprintf(&b, "**%s**\n\n%s\n\nSource: %s\n", h.Title, text, cited(e, at))
	if more := seeAlso(res); len(more) > 0 {
		fmt.Fprintf(&b, "See also: %s\n", strings.Join(more, ", "))
	}
	if remark := res.Remark(); remark != "" {
		fmt.Fprintf(&b, "%s\n", remark)
	}
	a.Text = b.String()
	return a
}

// telling is the sentence of a text that contains most of the words of a question, by their rarity. Code is no
// sentence.
func telling(text string, asked []TermScore) string {
	var prose strings.Builder
	for l := range markdown.Lines(text) {
		if line := l.At.Of(text); l.Prose() && !strings.HasPrefix(line, "**") {
			prose.WriteString(line + "\n")
		} else {
			prose.WriteString("\n")
		}
	}
	best, most := "", -1.0
	for _, s := range grounding.Sentences(prose.String()) {
		said, sum := map[string]bool{}, 0.0
		words.Each(s, func(t words.Token) { said[t.Term] = true })
		for _, a := range asked {
			if slices.ContainsFunc(a.Terms, func(term string) bool { return said[term] }) {
				sum += a.IDF
			}
		}
		if sum > most {
			best, most = s, sum
		}
	}
	return best
}

// part is the first of some spans that is not empty in an entry. If an engine gives none, the entry's opening
// is used.
func part(e *format.Entry, spans ...markdown.Span) markdown.Span {
	for _, at := range spans {
		if 0 <= at.Start && at.Start < at.End && at.End <= len(e.Text) {
			return at
		}
	}
	return opening(e)
}

// cited describes a part of an entry for a reader: path and lines, from 1.
func cited(e *format.Entry, at markdown.Span) string {
	first := 1 + strings.Count(e.Text[:at.Start], "\n")
	last := first + strings.Count(strings.TrimRight(at.Of(e.Text), "\r\n"), "\n")
	file, title, section := format.SectionOf(e.Path)
	if section {
		title = format.SectionSign + title
	}
	if first == last {
		return fmt.Sprintf("%s:%d%s", file, first, title)
	}
	return fmt.Sprintf("%s:%d-%d%s", file, first, last, title)
}

// seeAlso are the paths of the next hits that are not unlikely.
func seeAlso(res Result) []string {
	var out []string
	for _, h := range res.Hits[1:] {
		if len(out) < maxNearest && h.Via == "" && h.Score >= unlikely {
			out = append(out, h.Path)
		}
	}
	return out
}

// unlikely is the score below which a further hit is not worth a look. An own choice.
const unlikely = 0.02

// maxPassages is the number of passages that are shown in place of an answer.
const maxPassages = 5

// passages lists the best passages for a reader to draw conclusions from.
func passages(snap *tree.Snapshot, res Result, t Tier, why string) Answer {
	a := Answer{Tier: t, Evidence: res.Evidence, Hits: res.Hits, ForReader: true, Confidence: res.Hits[0].Score, Why: why, Note: res.Note,
		Unsure: res.OutOfDomain || !res.Evidence.Sure}
	var b strings.Builder
	remark, head := res.Remark(), "Best passages:"
	if a.Unsure {
		b.WriteString("This may not be covered. ")
		remark, head = strings.TrimSpace(remark+" "+res.Evidence.Refusal(nil)), "Closest passages:"
	}
	if remark != "" {
		b.WriteString(remark + " ")
	}
	b.WriteString(head + "\n")
	for _, h := range res.Hits {
		e, ok := snap.Entry(h.Path)
		if !ok || len(a.Sources) == maxPassages {
			continue
		}
		at := part(e, h.Passage)
		a.Sources = append(a.Sources, Source{h.Path, h.Title, at})
		fmt.Fprintf(&b, "\n%d. **%s**\n   `%s`\n\n%s\n", len(a.Sources), h.Title, cited(e, at), rendered(e, at))
	}
	a.Text = b.String()
	return a
}
