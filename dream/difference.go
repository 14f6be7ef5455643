package dream

import (
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/dream/overlap"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// Bounds of what a reason quotes.
const (
	maxQuoted = 160 // characters of a statement
	maxPairs  = 2   // pairs of statements
)

// statements are those in which a pair differs, of one of its entries first.
func statements(first string, p overlap.Pair, found []overlap.Difference) string {
	var out []string
	for _, d := range found[:min(len(found), maxPairs)] {
		if first != p.A {
			d.A, d.B = d.B, d.A
		}
		out = append(out, fmt.Sprintf("The first says %s, the second %s", quotation(d.A), quotation(d.B)))
	}
	if more := len(found) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, "; ")
}

// quotation is a statement in one line and in quotation marks.
func quotation(s string) string {
	return "“" + sanitize.Line(strings.ReplaceAll(s, "**", ""), maxQuoted) + "”"
}

// differing is added to the reason of a merge where the two entries contradict each other.
func differing(first string, p overlap.Pair, found []overlap.Difference) string {
	if len(found) == 0 {
		return ""
	}
	return ", but they contradict each other. " + statements(first, p, found) + ". Edit it to the correct statement and approve"
}
