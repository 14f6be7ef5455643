package refactor

import (
	"fmt"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Reciprocal offers a relation in the other direction, from the target of the relation at a place to the entry. ok
// is false if that relation leads to no other entry.
func Reciprocal(p Project, entry string, at markdown.Span) (f Fix, ok bool) {
	for _, r := range p.Tree.Relations(entry) {
		if r.Target == "" || r.Target == entry || at.End < r.At.Start || r.At.End < at.Start {
			continue
		}
		target, _ := p.Tree.Entry(r.Target)
		f = Fix{ID: "reciprocal:" + r.Target, Title: "Add the reverse relation from " + target.Title,
			Repairs: format.CodeReciprocal, At: r.At}
		switch back := p.Tree.Relations(r.Target); {
		case target.Unmerged() != nil:
			f.Disabled = target.Unmerged().Error()
		case target.Role.Generated():
			f.Disabled = r.Target + " is generated or archived"
		case slices.ContainsFunc(back, func(b tree.Relation) bool { return b.Target == entry }):
			f.Disabled = r.Target + " already has a relation to this entry"
		}
		f.Plan = func() (Change, error) { return relateTo(p, target, entry, f.Title) }
		return f, true
	}
	return Fix{}, false
}

// relateTo adds an entry to another one's `related`.
func relateTo(p Project, e *format.Entry, to, title string) (Change, error) {
	f, _ := e.Field("related")
	values := make([]string, 0, len(f.Items)+1)
	for _, item := range f.Items {
		values = append(values, item.Value)
	}
	ed := e.FieldEdit("related", append(values, to)...)
	if ed == (markdown.Edit{}) {
		return Change{}, fmt.Errorf("%s: %w", e.Path, errUnsafe)
	}
	return editing{Project: p, entry: e}.change(title, ed), nil
}

// Grades offers to raise and to lower an entry's tier.
func Grades(p Project, entry string) []Fix {
	e, ok := p.Tree.Entry(entry)
	if !ok || e.Role != format.RoleEntry {
		return nil
	}
	counted, _ := p.Tree.Counted(entry)
	i := max(0, slices.Index(format.Tiers, counted.Maturity))
	up := Fix{ID: "promote", Title: "Promote this entry", Disabled: "its maturity is already `core`, the highest"}
	if i+1 < len(format.Tiers) {
		to := format.Tiers[i+1]
		up = grade(p, e, "promote", "Promote this entry to "+string(to), func() markdown.Edit { return e.Promote(to, p.Now) }, "")
	}
	down := Fix{ID: "demote", Title: "Demote this entry", Disabled: "its maturity is already `draft`, the lowest"}
	if i > 0 {
		to, why := format.Tiers[i-1], ""
		if format.Tiers[i] == format.Core {
			why = "The entry loses the maturity core"
		}
		down = grade(p, e, "demote", "Demote this entry to "+string(to), func() markdown.Edit { return e.Demote(to) }, why)
	}
	return []Fix{up, down}
}

func grade(p Project, e *format.Entry, id, title string, edit func() markdown.Edit, confirm string) Fix {
	return Fix{ID: id, Title: title, Plan: func() (Change, error) {
		ed := edit()
		if ed == (markdown.Edit{}) {
			return Change{}, fmt.Errorf("%s: %w", e.Path, errUnsafe)
		}
		c := editing{Project: p, entry: e}.change(title, ed)
		c.Files[0].Confirm = confirm
		return c, nil
	}}
}
