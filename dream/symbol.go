package dream

import (
	"fmt"
	"slices"

	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// SureName is the largest difference between a symbol and its replacement at which the new name is proposed. Of
// 10,454 functions of this project and of Go's packages below net and go, 95 % differ by less from themselves
// under another name. 4 % differ by less from the nearest other function in their folder, which would have to be
// new as well. See [link.Drift] for the measure.
const SureName = 0.3

// Followed divides the drift of an entry into new names of files that it lists or links to, new names in code of
// its text, and the rest. A new name in its text confirms that the entry is true, so the code itself must be
// almost unchanged.
func Followed(e *format.Entry, drifts []link.Drift) (files, names, rest []link.Drift) {
	for _, d := range drifts {
		listed := !slices.Contains(e.Code, d.At) || format.Listed(e, d.At)
		switch {
		case d.Kind == link.Moved && d.Symbol == "" && d.Replace == "" && d.Grade < link.ChangedFile: // its line says so
		case d.Kind != link.Moved || d.Replace == "":
			rest = append(rest, d)
		case listed:
			files = append(files, d)
		case d.Symbol == "" && d.Grade < link.ChangedFile || d.Symbol != "" && d.Grade < SureName:
			names = append(names, d)
		default:
			rest = append(rest, d)
		}
	}
	for _, d := range files { // a file that changed too is compared by its symbols, if the entry names them
		named := slices.ContainsFunc(names, func(n link.Drift) bool { return n.Symbol != "" && n.To == d.To })
		if d.Grade >= link.ChangedFile && !named {
			rest = append(rest, d)
		}
	}
	return files, names, rest
}

// Renames returns the new names that drifts propose for an entry; see [plan.Op].
func Renames(e *format.Entry, drifts []link.Drift) (out []plan.Rename) {
	for _, d := range drifts {
		if r := (plan.Rename{From: d.At.Of(e.Text), To: d.Replace}); !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// respelled plans an update of an entry's text with the present names of symbols and files, where code in its text
// names them. The new names are exactly those that a check reports. The step mentions other changes of the code,
// since approving it confirms that the entry is true.
func (m material) respelled(e *format.Entry, drifts []link.Drift) (Step, bool) {
	_, names, rest := Followed(e, drifts)
	if len(names) == 0 {
		return Step{}, false
	}
	sureness, why, others := movedConfidence, []string(nil), []string(nil)
	say := func(to *[]string, text string) {
		if !slices.Contains(*to, text) {
			*to = append(*to, text)
		}
	}
	for _, d := range names {
		sureness = min(sureness, 1-d.Grade)
		name := fmt.Sprintf("`%s` is `%s`", d.At.Of(e.Text), d.Replace)
		if d.Symbol != "" {
			name += " in `" + d.To + "`"
		}
		say(&why, name)
	}
	for _, d := range rest {
		say(&others, d.Reason)
	}
	reason := "Updated " + e.Path + " — symbols were renamed: " + few(why)
	if len(others) > 0 {
		reason += ". Is the rest still true? The code has changed: " + few(others)
	}
	return m.drifted(e, drifts, sureness, reason, plan.Op{Type: plan.OpUpdate, Path: e.Path, Renames: Renames(e, names)}), true
}
