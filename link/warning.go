package link

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/words"
)

// Warnings describe, in at most the given number of lines, how an entry no longer fits the code, the largest
// differences first. written is the entry's last update, or zero if it is not known.
func Warnings(found []Drift, written time.Time, most int) (out []string) {
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b Drift) int { return cmp.Compare(b.Grade, a.Grade) })
	for _, d := range found {
		if line := "stale: " + secrets.Redact(d.short(written)); !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	if len(out) > most {
		more := words.Counted(len(out)-most+1, "more place no longer matches", "more places no longer match")
		out = append(out[:most-1], "stale: "+more+" the code")
	}
	return out
}

// short describes in a few words what happened to a thing that an entry names.
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
