package link

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/words"
)

// Warnings say, in at most so many lines for who reads an answer, how an entry no longer fits the
// code, the most different first. written is when the entry was last updated; zero if not known.
func Warnings(found []Drift, written time.Time, most int) (out []string) {
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b Drift) int { return cmp.Compare(b.Grade, a.Grade) })
	for _, d := range found {
		if line := "stale: " + secrets.Redact(d.short(written), nil); !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	if len(out) > most {
		more := words.Counted(len(out)-most+1, "more place no longer matches", "more places no longer match")
		out = append(out[:most-1], "stale: "+more+" the code")
	}
	return out
}

// short says in a few words what became of what an entry names.
func (d Drift) short(written time.Time) string {
	name := d.Path
	if d.Symbol != "" {
		name = d.Symbol + " in " + d.Path
	}
	switch {
	case d.Kind == Vanished:
		return name + " is " + d.What()
	case d.Kind == Moved && d.ToSymbol != "":
		return name + " is " + strings.TrimSuffix(d.ToSymbol+" in "+d.To, " in ") + " now"
	case d.Kind == Moved:
		return name + " is " + d.To + " now"
	case written.IsZero():
		return name + " changed"
	}
	return name + " changed since " + written.Format(time.DateOnly)
}
