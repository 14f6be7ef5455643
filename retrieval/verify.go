package retrieval

import (
	"errors"
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/grounding"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// Before a model's answer takes the place of what the search found it has to stand these checks: it cites
// an entry of which it was shown something, and it says only what the entries that it cites say, as they
// were shown, or the code that it looked at ([grounding.Source.Check]). A refusal, and what is said to be
// missing, may also use the question's words. What fails is never mended: without a part an answer may say
// something else.

var errUncited = errors.New("it cites nothing of what it was shown")

// verify says why an answer must not be shown.
func (q *inquiry) verify(r *reply) error {
	var from strings.Builder
	seen := 0
	for _, p := range r.cited {
		e, _ := q.snap.Entry(p)
		source, shown := q.shown.source(e)
		if shown {
			seen++
			fmt.Fprintf(&from, "%s\n\n%s\n\n%s\n\n%s\n\n", p, e.Title, e.Summary, e.Shown(source.At))
		}
	}
	from.WriteString(strings.Join(q.outlines, "\n\n"))
	said := uncitedText(r.part("Summary") + "\n\n" + r.part("Details"))
	missing := uncitedText(r.part("Gaps"))
	if rest, refuses := cutNotCovered(said); refuses {
		said, missing = "", rest
	} else if seen == 0 {
		return errUncited
	}
	if !r.refuses {
		if err := grounding.In(sanitize.Visible(from.String())).Check(said); err != nil {
			return err
		}
	}
	if strings.TrimSpace(missing) == "" {
		return nil
	}
	for _, p := range q.shown.paths() {
		e, _ := q.snap.Entry(p)
		source, _ := q.shown.source(e)
		fmt.Fprintf(&from, "\n\n%s\n\n%s\n\n%s", p, e.Title, e.Shown(source.At))
	}
	return grounding.In(from.String() + "\n\n" + q.query.Text).CheckNames(missing)
}

// quotedFrom is the entry that a text stands in word for word, the first that was shown; "" where none is it.
func (q *inquiry) quotedFrom(text string) string {
	text = strings.Trim(text, "\"\u201c\u201d >\n")
	for _, p := range q.shown.paths() {
		e, _ := q.snap.Entry(p)
		source, _ := q.shown.source(e)
		if grounding.In(e.Summary + "\n\n" + e.Shown(source.At)).Quotes(text) {
			return p
		}
	}
	return ""
}

// uncitedText is a text without the mark of citations that lead nowhere.
func uncitedText(text string) string { return strings.ReplaceAll(text, unknownSource, "") }
