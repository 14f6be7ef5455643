package contextpack

import (
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// organisationShare is the part of a budget that is reserved for entries of other repositories: one part in
// so many, as for rules.
const organisationShare = rulesShare

// addOrganisation adds entries of other repositories to a pack, as many as a budget has room for, and notes what is to be said
// of them.
func addOrganisation(p *pack.Pack, asked *provider.AskedElsewhere, budget int, count func(string) int) {
	note := ""
	for found := asked.Join(&note); len(found) > 0; found = found[:len(found)-1] {
		text := provider.ElsewhereText(found)
		if p.Text != "" {
			text = p.Text + "\n" + text
		}
		if n := count(text); n <= budget {
			p.Text, p.Tokens = text, n
			break
		}
	}
	if p.Budget = budget; note != "" {
		p.Degraded = append(p.Degraded, note)
	}
}
