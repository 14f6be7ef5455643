package curate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/retrieval"
)

// Material that is too long for a model is made shorter before curation, in three
// levels (paper, section 4.1.1), each for one text that is over its share:
//
//	L1  a summary by the model, within the share
//	L2  a terse one, for which 0.6 of it is asked
//	L3  the longest beginning that fits, found by bisection
//
// A summary that fails its gate (sound), is longer than the share or does not come
// leads to the next level. A model that was too long once is so again, hence L2 asks for
// less than there is room for; what it says beyond that and within the share is taken, since
// L3 would lose more; L3 asks nobody and always ends. The original stays
// readable for the model by the tool read_source.

// materialTokens bounds all material together; longer material is shortened. The reference system begins at
// 20,000 characters, 5,000 tokens by its own count. With the rules, the tree's part and the answer 12,000 fit
// twice into the windows of 32,000 of local models, and so into a conversation.
const materialTokens = 12_000

// terse is the part of the budget that L2 asks for, in words and as the most tokens (paper, section 4.1.1).
const terse = 0.6

// The time limits of compaction by a model: of one call, and of all of them.
const (
	compactTime = 45 * time.Second
	compactAll  = 2 * time.Minute
)

// compactor makes texts shorter with a model; nil models go to L3.
type compactor struct {
	model   llm.Model
	look    *retrieval.Look
	context int // tokens that the model takes
	usage   llm.Usage
}

// shares divides a budget among texts of these sizes: a text below an equal share stays whole, and the rest
// of its share goes to the others.
func shares(sizes []int, budget int) []int {
	order := make([]int, len(sizes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return sizes[a] - sizes[b] })
	out := make([]int, len(sizes))
	for n, i := range order {
		out[i] = min(sizes[i], budget/(len(sizes)-n))
		budget -= out[i]
	}
	return out
}

// compact shortens a text to a budget of tokens. how names the method, "" if the text fits. Only the end of
// ctx is an error.
func (c *compactor) compact(ctx, within context.Context, name, text string, budget int) (short, how string, err error) {
	n := tokens.Count(text)
	if n <= budget {
		return text, "", nil
	}
	for level, share := range []float64{1, terse} {
		most := int(float64(budget) * share)
		out := c.summary(within, name, text, most, level > 0)
		if ctx.Err() != nil {
			return "", "", ctx.Err()
		}
		if acceptable(out, text) && tokens.Count(out) <= budget {
			return out, fmt.Sprintf("summarised by %s from %d tokens", c.model.Name(), n), nil
		}
	}
	return truncate(name, text, budget), fmt.Sprintf("cut from %d tokens to %d", n, budget), nil
}

// minSummary is the smallest budget in which a summary is worth a call, in tokens.
const minSummary = 100

// summary asks the model for one, "" if it gives none.
func (c *compactor) summary(ctx context.Context, name, text string, most int, terse bool) string {
	if c.model == nil || most < minSummary || ctx.Err() != nil {
		return ""
	}
	r, err := promptData{Nonce: c.look.Nonce(), Terse: terse, Words: most * 2 / 3, Sources: c.look.Quote("source", text, "name",
		name)}.compaction()
	if err != nil {
		return ""
	}
	if r.MaxTokens, r.Patience = most, compactTime; r.Room(c.context) < 0 {
		return ""
	}
	out, err := llm.Run(ctx, c.model, r, llm.Limits{Turns: 1, Time: compactTime})
	c.usage = c.usage.And(out.Usage)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(clean(strings.ToValidUTF8(c.look.Clean(out.Text), "")))
}

// minSound is the fewest characters of an acceptable summary.
const minSound = 50

// identifier is a coined word: paths and dotted names, snake_case, camelCase, and numbers of three digits and
// more.
var identifier = lazyregexp.New(`[\pL\pN_@-]+(?:[/.:]+[\pL\pN_@-]+)+|\pL+(?:_[\pL\pN]+)+|` +
	`\p{Ll}+\p{Lu}[\pL\pN]*|\p{Lu}\p{Ll}+\p{Lu}[\pL\pN]*|\d{3,}`)

// kept is the share of a summary's identifiers that the text must have: one in ten may
// be the model's own words, such as "input/output".
const kept = 0.9

// acceptable reports whether a summary can stand for a text: long enough, shorter in tokens, with some
// of the names of the text, as a refusal has none, and without names that the text does not have.
func acceptable(summary, text string) bool {
	if utf8.RuneCountInString(summary) < minSound {
		return false
	}
	found, invented := 0, 0
	for _, name := range identifier().FindAllString(summary, -1) {
		found++
		switch {
		case strings.Contains(text, name):
		case strings.Contains(name, "/") && (strings.Contains(name, ".") || strings.Count(name, "/") > 1):
			return false // a path that is not there; "read/write" is none
		default:
			invented++
		}
	}
	if found == 0 && identifier().MatchString(text) {
		return false
	}
	return float64(invented) <= (1-kept)*float64(found) && tokens.Count(summary) < tokens.Count(text)
}

// maxLabel bounds the name in the line that says that a text was cut, in characters.
const maxLabel = 60

// truncate is the longest beginning of a text that fits into a budget of tokens together with a line that
// marks the cut; if that line alone is too long, it is left out. The result always has fewer tokens than a
// text over the budget, and the bisection always ends, since each step halves the rest.
func truncate(name, text string, budget int) string {
	n := tokens.Count(text)
	if n <= budget {
		return text
	}
	label := sanitize.First(strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) ||
			unicode.IsControl(r)
	}), " "), maxLabel)
	suffix := fmt.Sprintf("\n[%s; truncated from %d tokens]", cmp.Or(label, "text"), n)
	if tokens.Count(suffix) > budget {
		suffix = ""
	}
	low, high := 0, len(text) // a beginning of low bytes fits
	for high-low > 1 {
		at := boundary(text, low, (low+high)/2)
		if at == low {
			at = next(text, low)
			if at >= high {
				break
			}
		}
		if tokens.Count(text[:at]+suffix) <= budget {
			low = at
		} else {
			high = at
		}
	}
	return text[:low] + suffix
}

// boundary is the start of the character at a place, not before from.
func boundary(s string, from, at int) int {
	for at > from && !utf8.RuneStart(s[at]) {
		at--
	}
	return at
}

// next is the place behind the character at a place.
func next(s string, at int) int {
	_, size := utf8.DecodeRuneInString(s[at:])
	return at + size
}
