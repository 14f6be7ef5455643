package curate

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// sameTitle reports whether two titles are one, but for case and signs.
func sameTitle(a, b string) bool {
	return strings.EqualFold(oneLine(a), oneLine(b)) || format.Slug(a) == format.Slug(b) && format.Slug(a) != "entry"
}

// same finds the entry of an idea that the tree has already, nil if it has none: one with its title, or one that was drafted from the
// same commit before.
func (d *drafting) same(i idea) *format.Entry {
	if i.entry != "" {
		return nil // what was selected in an entry is kept beside it
	}
	for _, e := range d.work.Entries() {
		if e.Role == format.RoleEntry && (sameTitle(i.title, e.Title) || i.commit != "" && strings.Contains(e.Text, "Drafted from "+i.commit)) {
			return e
		}
	}
	return nil
}
