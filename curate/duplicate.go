package curate

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// sameTitle reports whether two titles are equal except for case and signs.
func sameTitle(a, b string) bool {
	return strings.EqualFold(oneLine(a), oneLine(b)) || format.Slug(a) == format.Slug(b) && format.Slug(a) != "entry"
}

// same finds an existing entry for an idea, nil if there is none: one with its title, or one that was drafted
// from the same commit.
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
